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

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
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

// configFile is the flag --config, a [kong.ConfigFlag] of regular files.
type configFile string

// BeforeResolve is called by kong: what the file says goes before the flags' defaults.
func (configFile) BeforeResolve(k *kong.Kong, ctx *kong.Context, trace *kong.Path) error {
	if err := checkPlace("", "--config", []string{fmt.Sprint(ctx.FlagValue(trace.Flag))}); err != nil {
		return err
	}
	path := kong.ExpandPath(fmt.Sprint(ctx.FlagValue(trace.Flag)))
	f, err := data.OpenFile(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	_ = f.Close()
	r, err := k.LoadConfig(path)
	if err == nil {
		ctx.AddResolver(r)
	}
	return err
}

// withArguments appends the arguments of a command that are missing on the command line and that its --config has, such as
// the in of an args.yaml. What cannot be read here is left for the parser to report.
func withArguments(args []string) []string {
	if !configOf(args) {
		return args
	}
	ctx, err := kong.Trace(newParser(&cli{}, args), args)
	if err != nil || ctx.Selected() == nil {
		return args
	}
	path, given := "", 0
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "config" {
			path = kong.ExpandPath(fmt.Sprint(ctx.FlagValue(p.Flag)))
		}
		if p.Positional != nil {
			given = p.Positional.Position + 1
		}
	}
	f, err := data.OpenFile(path)
	if err != nil {
		return args
	}
	defer f.Close()
	r, err := loadConfig(f)
	if err != nil {
		return args
	}
	var more []string
	for _, p := range ctx.Selected().Positional[min(given, len(ctx.Selected().Positional)):] {
		switch v := r.(config).values[argumentKey(p)].(type) {
		case nil:
			return appendArguments(args, more)
		case []any:
			for _, e := range v {
				more = append(more, fmt.Sprint(e))
			}
		default:
			more = append(more, fmt.Sprint(v))
		}
	}
	return appendArguments(args, more)
}

// appendArguments puts arguments, whose names may begin with a dash, after those of the command line.
func appendArguments(args, more []string) []string {
	if len(more) > 0 && !slices.Contains(args, "--") {
		args = append(args, "--")
	}
	return append(args, more...)
}

// argumentKey is the name of an argument in files of flags: that of its field in args.yaml.
func argumentKey(p *kong.Positional) string {
	if key, _, _ := strings.Cut(p.Tag.Get("yaml"), ","); key != "" && key != "-" {
		return key
	}
	return strings.ToLower(p.Name)
}

// Validate implements [kong.Resolver]: a name that no command knows is a mistake.
func (c config) Validate(app *kong.Application) error {
	var known []string
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Flag:
			known = append(known, n.Name)
		case *kong.Positional:
			known = append(known, argumentKey(n))
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

// tellConfig says where --config has the options of another command: only flags that both have are taken.
func (a *app) tellConfig(ctx *kong.Context) {
	if a.Config == "" {
		return
	}
	text, err := data.ReadFile(nil, kong.ExpandPath(string(a.Config)), mostConfig)
	if err != nil {
		return // the parser has read it
	}
	command := ctx.Selected().Path()
	if of := generate.ArgsCommand(text); of != "" && of != command {
		a.say("--config %s: these are the options of %s; those that %s has too are taken", string(a.Config), of, command)
	}
}

// mostConfig bounds a file of flags as package recipe does.
const mostConfig = 1 << 16
