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
	parser, err := kong.New(c, append([]kong.Option{
		kong.Name("augmix"), kong.Description(description), kong.Help(printHelp), kong.Configuration(loadConfig),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: false, Compact: true, WrapUpperBound: 100}),
		kong.IgnoreFields(otherCommands(args)...), kong.TypeMapper(reflect.TypeFor[map[string]string](), namedOnce{}),
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

// otherCommands are patterns of the fields of [cli] that args do not need.
func otherCommands(args []string) []string {
	if len(args) == 0 || configOf(args) {
		return nil // a file of flags may set those of other commands too
	}
	var others []string
	found := false
	for f := range commandFields(reflect.TypeFor[cli]()) {
		if commandName(f) == args[0] {
			found = true
		} else {
			others = append(others, `^cli\.`+f.Name+`$`)
		}
	}
	if !found {
		return nil
	}
	return others
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
