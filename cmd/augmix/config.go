package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/recipe"
)

// loadConfig reads a YAML file of flags, such as an args.yaml: names as on the command line.
func loadConfig(r io.Reader) (kong.Resolver, error) {
	c := config{name: "--config", values: map[string]any{}}
	if f, ok := r.(interface{ Name() string }); ok {
		c.name = f.Name()
	}
	text, err := recipe.ReadText(r)
	if err == nil {
		err = yaml.NewDecoder(bytes.NewReader(text)).Decode(&c.values)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is not a YAML file of flags: %w", c.name, err)
	}
	return c, nil
}

// config is a file of flags.
type config struct {
	name   string
	values map[string]any // by the names of the flags
}

// Resolve implements [kong.Resolver].
func (c config) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	v, ok := c.values[flag.Name]
	if !ok || v == nil {
		return nil, nil
	}
	if m, ok := v.(map[string]any); ok {
		return joinMap(m, flag.Tag.MapSep), nil
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v), nil
	}
	if len(list) == 0 {
		return nil, nil
	}
	// kong takes lists as text with its own separator.
	text := make([]string, len(list))
	for i, e := range list {
		text[i] = fmt.Sprint(e)
	}
	return kong.JoinEscaped(text, flag.Tag.Sep), nil
}

// joinMap writes a map as kong takes it, nil if it is empty.
func joinMap(m map[string]any, sep rune) any {
	if len(m) == 0 {
		return nil
	}
	var pairs []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, fmt.Sprint(k, "=", m[k]))
	}
	return kong.JoinEscaped(pairs, sep)
}

// Validate implements [kong.Resolver]: a name that no command knows is a mistake. Arguments, such as in, may be there,
// because an args.yaml records them, and have no effect.
func (c config) Validate(app *kong.Application) error {
	known := []string{"file"} // the MODEL of augmix eval, which has a flag of that name too
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Flag:
			known = append(known, n.Name)
		case *kong.Positional:
			known = append(known, strings.ToLower(n.Name))
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	for name := range c.values {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s sets %q, which is no flag", c.name, name)
		}
	}
	return nil
}
