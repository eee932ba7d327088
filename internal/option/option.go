// Package option has errors about options. A library calls an option by its key, such as frost-dir; a program that shows the
// error calls it as it is given there, such as --frost-dir.
package option

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
)

// Key is an option in the arguments of an error or a message. A program that prints it may print another name in its place.
type Key string

// Keys are several.
type Keys []Key

func (k Key) String() string { return theOption + string(k) }

const theOption = "the option "

// Error is an error about options.
type Error struct {
	kind   error
	format string // with keys in braces
	args   []any
}

// Errorf returns an error that wraps kind and what %w takes, as [fmt.Errorf] does. Keys that are known stand in braces in the format:
// {frost-dir}, or {the option frost-dir} in a sentence; braces in the arguments are only characters. Others are arguments.
func Errorf(kind error, format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // go vet checks the calls
	}
	return &Error{kind, format, args}
}

// inBraces finds the keys of a format.
var inBraces = regexp.MustCompile(`\{(` + theOption + `)?([a-z0-9-]+)\}`)

func (e *Error) Error() string {
	return fmt.Sprintf("%v: %v", e.kind, e.named(func(string) string { return "" }))
}

// Unwrap returns the kind, and what the arguments of %w are.
func (e *Error) Unwrap() []error {
	named := e.named(func(string) string { return "" })
	if several, ok := named.(interface{ Unwrap() []error }); ok {
		return append([]error{e.kind}, several.Unwrap()...)
	}
	if one := errors.Unwrap(named); one != nil {
		return []error{e.kind, one}
	}
	return []error{e.kind}
}

// Keys returns the options that the error is about.
func (e *Error) Keys() []string {
	var keys []string
	e.named(func(key string) string {
		keys = append(keys, key)
		return ""
	})
	return keys
}

// Text says the error with other names of the keys; name returns "" for those that keep theirs. What is about an option with
// such a name needs no word on what kind of error it is.
func (e *Error) Text(name func(key string) string) string {
	text := e.named(name).Error()
	for _, key := range e.Keys() {
		if s := name(key); s != "" && strings.HasPrefix(text, s) {
			return text
		}
	}
	return fmt.Sprintf("%v: %s", e.kind, text)
}

// named formats the error with names of its keys.
func (e *Error) named(name func(key string) string) error {
	format := inBraces.ReplaceAllStringFunc(e.format, func(s string) string {
		said := inBraces.FindStringSubmatch(s)
		if named := name(said[2]); named != "" {
			return strings.ReplaceAll(named, "%", "%%")
		}
		return said[1] + said[2]
	})
	args := slices.Clone(e.args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case Key:
			args[i] = cmp.Or(name(string(arg)), string(arg))
		case Keys:
			var names []string
			for _, key := range arg {
				names = append(names, cmp.Or(name(string(key)), string(key)))
			}
			args[i] = strings.Join(names, ", ")
		}
	}
	return fmt.Errorf(format, args...)
}

// All yields the errors about options that err is or wraps, outer ones first.
func All(err error) iter.Seq[*Error] {
	return func(yield func(*Error) bool) { walk(err, yield) }
}

func walk(err error, yield func(*Error) bool) bool {
	if e, ok := err.(*Error); ok && !yield(e) {
		return false
	}
	switch w := err.(type) {
	case interface{ Unwrap() error }:
		return walk(w.Unwrap(), yield)
	case interface{ Unwrap() []error }:
		for _, inner := range w.Unwrap() {
			if !walk(inner, yield) {
				return false
			}
		}
	}
	return true
}
