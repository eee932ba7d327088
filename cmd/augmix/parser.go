package main

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const description = "Robustness of image classifiers: augment, train, corrupt, evaluate, score, report."

// newParser returns what parses args into c. It knows the flags of the command that args begin with, or of all if they
// begin with none: making all takes 20 ms, longer than a small command's work.
func newParser(c *cli, args []string, more ...kong.Option) *kong.Kong {
	if others := otherCommands(args); others != "" {
		more = append(more, kong.IgnoreFields(others))
	}
	parser, err := kong.New(c, append([]kong.Option{
		kong.Name("augmix"), kong.Description(description), kong.Help(printHelp), kong.Configuration(loadConfig),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: false, Compact: true, WrapUpperBound: 100}),
		kong.TypeMapper(reflect.TypeFor[map[string]string](), namedOnce{}),
	}, more...)...)
	if err != nil {
		panic("augmix: the command line's own tables: " + err.Error())
	}
	return parser
}

// namedOnce decodes flags of names and values. A name that is given twice is refused, whose first value would be lost in silence.
type namedOnce struct{}

var anyPairs = kong.NewRegistry().RegisterDefaults().ForType(reflect.TypeFor[map[string]string]())

// Decode implements [kong.Mapper].
func (namedOnce) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if text, ok := ctx.Scan.Peek().Value.(string); ok {
		named := map[string]bool{}
		for name := range target.Seq() { // of the same flag before
			named[name.String()] = true
		}
		for _, pair := range kong.SplitEscaped(text, ctx.Value.Tag.MapSep) {
			name, _, _ := strings.Cut(pair, "=")
			if named[name] {
				return fmt.Errorf("%s is given twice (allowed: each name once)", name)
			}
			named[name] = true
		}
	}
	return anyPairs.Decode(ctx, target)
}

// otherCommands is a pattern of the fields that args do not need: the other commands, and in a group those beside the one that args name.
// It is one, because the parser compares every field with each.
func otherCommands(args []string) string {
	if len(args) == 0 || configOf(args) {
		return "" // a file of flags may set those of other commands too
	}
	command, others := otherFields(reflect.TypeFor[cli](), args[0])
	if command != nil && len(args) > 1 {
		_, beside := otherFields(command, args[1])
		others = append(others, beside...)
	}
	return strings.Join(others, "|")
}

// otherFields returns the type of the command of that name among the fields of group, and patterns of its other commands: none where there
// is no such command.
func otherFields(group reflect.Type, name string) (command reflect.Type, others []string) {
	for f := range commandFields(group) {
		if commandName(f) == name {
			command = f.Type
		} else {
			others = append(others, `^`+group.Name()+`\.`+f.Name+`$`)
		}
	}
	if command == nil {
		return nil, nil
	}
	return command, others
}

// commandFields are the fields of a struct that are commands.
func commandFields(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if _, ok := t.Field(i).Tag.Lookup("cmd"); ok && !yield(t.Field(i)) {
				return
			}
		}
	}
}

// commandName is what a command's field is called on the command line.
func commandName(f reflect.StructField) string { return strings.ToLower(f.Name) }

// isGroup says whether a command is made of commands.
func isGroup(command reflect.Type) bool {
	for range commandFields(command) {
		return true
	}
	return false
}

// configOf says whether args name a file of flags.
func configOf(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "--config" || strings.HasPrefix(a, "--config=") })
}
