package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/train"
)

// Libraries call options by their keys, and never speak of flags: here keys become the flags and arguments of the command.

// naming is what keys are called on the command line.
type naming struct {
	keys  map[string]string // those of the command
	typed map[string]bool   // those that are on the command line itself
}

// namingOf looks at a command.
func namingOf(ctx *kong.Context) naming {
	n := naming{map[string]string{}, map[string]bool{}}
	for _, f := range ctx.Flags() {
		n.keys[f.Name] = "--" + f.Name
	}
	for _, name := range typedNames(ctx) {
		n.typed[name] = true
	}
	if node := ctx.Selected(); node != nil {
		for _, p := range node.Positional {
			if key := p.Tag.Get("yaml"); key != "" {
				n.keys[key] = p.Name
			}
		}
	}
	return n
}

// error is what an error says: errors about options, which may stand within others, with the names of the command. Keys of a
// recipe, none of which is on the command line, stay keys.
func (n *naming) error(err error) string {
	said := err.Error()
	for e := range option.All(err) {
		inRecipe := errors.Is(e, train.ErrConfig) && !slices.ContainsFunc(e.Keys(), func(key string) bool { return n.typed[key] })
		if !inRecipe {
			said = strings.Replace(said, e.Error(), e.Text(n.of), 1)
		}
	}
	return said
}

// of is what a key is called, "" where the command does not have it.
func (n *naming) of(key string) string { return n.keys[key] }

// named are the arguments of a message, with what the command calls their keys.
func (n *naming) named(args []any) []any {
	out := slices.Clone(args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case option.Key:
			if name := n.keys[string(arg)]; name != "" {
				out[i] = name
			}
		case error:
			out[i] = plainError{arg, n.error(arg)}
		}
	}
	return out
}
