package main

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

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

// What texts of errors say of keys. A key of two words, which is no word of a sentence, is known wherever it stands.
var (
	keyed  = regexp.MustCompile(`(?:bad option|configuration): ([a-z0-9-]+(?:, [a-z0-9-]+)*): `) // those that an error begins with
	valued = regexp.MustCompile(`bad option: ([a-z-]+) (["0-9])`)                                // a key and its value
	oneKey = regexp.MustCompile(`the option ([a-z-]+)`)                                          // a key within a text
	tokens = regexp.MustCompile(`[^\s,:;()"']+`)
)

// error is what an error says. A key of a recipe, which is not on the command line, stays one.
func (n *naming) error(err error) string {
	var idle *train.EffectError
	if errors.As(err, &idle) && n.typed[idle.Key] {
		return idle.Text(n.of)
	}
	said := n.text(plain(err).Error())
	if !isUsage(err) {
		return said
	}
	known := n.keys
	if errors.Is(err, train.ErrConfig) {
		known = map[string]string{}
		for key := range n.typed {
			known[key] = n.keys[key]
		}
	}
	said = keyed.ReplaceAllStringFunc(said, func(s string) string {
		names := strings.Split(keyed.FindStringSubmatch(s)[1], ", ")
		for i, key := range names {
			if names[i] = known[key]; names[i] == "" {
				return s
			}
		}
		return strings.Join(names, ", ") + ": "
	})
	said = replaceKeys(said, valued, known, " $2")
	said = tokens.ReplaceAllStringFunc(said, func(s string) string {
		if name := known[s]; name != "" && strings.Contains(s, "-") {
			return name
		}
		return s
	})
	return strings.ReplaceAll(said, "bad option: --", "--")
}

// text names the keys that a text calls options.
func (n *naming) text(said string) string { return replaceKeys(said, oneKey, n.keys, "") }

// replaceKeys puts a name, and what goes behind it, in the place of what an expression finds, whose first group is the key.
func replaceKeys(said string, find *regexp.Regexp, names map[string]string, behind string) string {
	return find.ReplaceAllStringFunc(said, func(s string) string {
		name := names[find.FindStringSubmatch(s)[1]]
		if name == "" {
			return s
		}
		return find.ReplaceAllString(s, name+behind)
	})
}

// of is what a key is called.
func (n *naming) of(key string) string {
	if name := n.keys[key]; name != "" {
		return name
	}
	return key
}
