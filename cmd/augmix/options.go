package main

import (
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// The options of a library are structs whose fields have keys, the tag yaml. A command has a flag of that name for each, so
// that flags become options, and options a command line, without a list of either.

// fields yields the keys and values of a struct of options, those of inlined structs among them. Fields without a key are
// left out.
func fields(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) { eachField(v, yield) }
}

func eachField(v reflect.Value, yield func(string, reflect.Value) bool) bool {
	for i := range v.NumField() {
		key, rest, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case key == "" && rest == "inline":
			if !eachField(v.Field(i), yield) {
				return false
			}
		case key != "" && key != "-":
			if !yield(key, v.Field(i)) {
				return false
			}
		}
	}
	return true
}

// setOptions gives the fields of options, a pointer to a struct, the values of the command's flags of their names. With
// given alone those of flags that are on the command line or in --config.
func setOptions(options any, ctx *kong.Context, given bool) {
	said := givenFlags(ctx)
	flags := map[string]reflect.Value{}
	for _, f := range ctx.Flags() {
		if slices.Contains(said, f.Name) || !given {
			flags[f.Name] = f.Target
		}
	}
	for key, field := range fields(reflect.ValueOf(options).Elem()) {
		if value, ok := flags[key]; ok {
			field.Set(value)
		}
	}
}

// givenFlags returns the names of the flags that are on the command line or in --config.
func givenFlags(ctx *kong.Context) (names []string) {
	for _, p := range ctx.Path {
		if p.Flag != nil {
			names = append(names, p.Flag.Name)
		}
	}
	return names
}

// typedFlags returns the flags that are on the command line itself.
func typedFlags(ctx *kong.Context) (list []*kong.Flag) {
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			list = append(list, p.Flag)
		}
	}
	return list
}

// typedNames returns their names.
func typedNames(ctx *kong.Context) (names []string) {
	for _, f := range typedFlags(ctx) {
		names = append(names, f.Name)
	}
	return names
}

// flagsOf returns the flags that make the options base, a pointer to a struct, the options that are wanted.
func flagsOf(wanted, base any) []string {
	was := map[string]reflect.Value{}
	for key, field := range fields(reflect.ValueOf(base).Elem()) {
		was[key] = field
	}
	var args []string
	for key, field := range fields(reflect.ValueOf(wanted).Elem()) {
		if reflect.DeepEqual(field.Interface(), was[key].Interface()) || field.Kind() != reflect.String &&
			fmt.Sprint(field) == fmt.Sprint(was[key]) { // nil and empty
			continue
		}
		text := flagText(field)
		if text == "" || text[0] == '-' || field.Kind() == reflect.Bool {
			args = append(args, "--"+key+"="+text)
		} else {
			args = append(args, "--"+key, text)
		}
	}
	return args
}

// flagText writes a value as the flag takes it.
func flagText(v reflect.Value) string {
	switch p := v.Interface().(type) {
	case []string:
		return kong.JoinEscaped(p, ',')
	case map[string]string:
		var pairs []string
		for _, name := range slices.Sorted(maps.Keys(p)) {
			pairs = append(pairs, name+"="+p[name])
		}
		return kong.JoinEscaped(pairs, ';')
	}
	if v.Kind() == reflect.Slice {
		var items []string
		for i := range v.Len() {
			items = append(items, fmt.Sprint(v.Index(i)))
		}
		return strings.Join(items, ",")
	}
	return fmt.Sprint(v)
}

// shellWords writes a command as one would type it.
func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$&|;<>()*?[]{}~#!`") {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted[i] = arg
	}
	return strings.Join(quoted, " ")
}
