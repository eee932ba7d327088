package main

import (
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/internal/completion"
)

// completionCmd prints a completion script made from the command line's own tables.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the end of "augmix completion --help".
func (completionCmd) Help() string {
	return `EXAMPLES
  source <(augmix completion bash)
  augmix completion zsh > "${fpath[1]}/_augmix"
  augmix completion fish > ~/.config/fish/completions/augmix.fish`
}

// Run prints the script.
func (c *completionCmd) Run(a *app) error {
	scripts := map[string]func(io.Writer, []completion.Command){
		"bash": completion.Bash, "zsh": completion.Zsh, "fish": completion.Fish,
	}
	var b strings.Builder
	scripts[c.Shell](&b, completions(newParser(&cli{}, nil).Model))
	_, err := io.WriteString(a.out, b.String())
	return err
}

// completions lists every command, the program itself first.
func completions(app *kong.Application) []completion.Command {
	var out []completion.Command
	var walk func(n *kong.Node, path string, inherited []completion.Flag)
	walk = func(n *kong.Node, path string, inherited []completion.Flag) {
		c := completion.Command{Path: path, Help: n.Help, Flags: slices.Clone(inherited)}
		for _, f := range n.Flags {
			if !f.Hidden {
				info := flagOf(f)
				wordsOf(&info, path)
				c.Flags = append(c.Flags, info)
				if f.Tag.Negatable != "" {
					c.Flags = append(c.Flags, completion.Flag{Long: "no-" + f.Name, Help: "Not --" + f.Name + "."})
				}
			}
		}
		for _, p := range n.Positional {
			if p.Enum != "" {
				c.Values = p.EnumSlice()
				continue
			}
			if words := argumentWords[p.Name]; words != nil && c.Values == nil {
				c.Values = words()
			}
			c.Files = true
		}
		for _, k := range n.Children {
			if !k.Hidden {
				c.Children = append(c.Children, completion.Child{Name: k.Name, Help: k.Help})
			}
		}
		out = append(out, c)
		for _, k := range n.Children {
			if !k.Hidden {
				walk(k, strings.TrimSpace(path+" "+k.Name), c.Flags)
			}
		}
	}
	walk(app.Node, "", nil)
	return out
}

func flagOf(f *kong.Flag) completion.Flag {
	i := completion.Flag{Long: f.Name, Help: f.Help, Takes: !f.IsBool() && !f.IsCounter()}
	if f.Short != 0 {
		i.Short = string(f.Short)
	}
	if f.Enum != "" {
		i.Values = f.EnumSlice()
	}
	return i
}
