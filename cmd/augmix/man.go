package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/internal/manpage"
	"github.com/augmix-go/augmix/internal/sbom"
)

// manCmd writes manual pages made from the command line's own tables.
type manCmd struct {
	Out string `required:"" short:"o" placeholder:"DIR" help:"Folder to write augmix.1 and a page for every command to."`
}

// Help is the end of "augmix man --help".
func (manCmd) Help() string {
	return `EXAMPLES
  augmix man -o ~/.local/share/man/man1
  man augmix-train`
}

// Run writes the pages.
func (c *manCmd) Run(a *app) error {
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	pages := manPages(newParser(&cli{}, nil).Model)
	for _, p := range pages {
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(c.Out, p.File()), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	a.say("%s: %d pages", c.Out, len(pages))
	return nil
}

// manPages makes a page for every command, the program itself first.
func manPages(model *kong.Application) []*manpage.Page {
	base := manpage.Page{Program: "augmix " + build().Version}
	if info, ok := debug.ReadBuildInfo(); ok {
		base.Date = sbom.Time(info)
	}
	var pages []*manpage.Page
	var walk func(n *kong.Node, name, parent string)
	walk = func(n *kong.Node, name, parent string) {
		p := base
		fillPage(&p, n, name)
		if parent != "" {
			p.See = append(p.See, parent)
		}
		pages = append(pages, &p)
		for _, k := range n.Children {
			if !k.Hidden {
				walk(k, name+" "+k.Name, name)
			}
		}
	}
	walk(model.Node, model.Name, "")
	return pages
}

// fillPage takes over what the help of a command says.
func fillPage(p *manpage.Page, n *kong.Node, name string) {
	p.Name, p.Summary = name, n.Help
	p.Details = strings.TrimSpace(n.Detail + "\n\n" + exitStatusOf(n))
	if n.Parent == nil {
		p.Details = appHelp + "\n\n" + exitStatus
	}
	for _, a := range n.Positional {
		arg := manpage.Arg{Name: strings.ToUpper(a.Name), Optional: !a.Required, Many: a.IsCumulative(), Text: a.Help}
		p.Args = append(p.Args, arg)
	}
	for _, k := range n.Children {
		if !k.Hidden {
			p.Commands = append(p.Commands, manpage.Command{Name: name + " " + k.Name, Text: k.Help})
		}
	}
	for ; n != nil; n = n.Parent {
		p.Options = append(p.Options, optionGroups(n)...)
	}
}

// optionGroups returns the flags of a command: those without a group, then the groups.
func optionGroups(n *kong.Node) []manpage.Group {
	var groups []manpage.Group
	at := map[string]int{}
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		title := ""
		if f.Group != nil {
			title = f.Group.Title
		} else if n.Parent == nil {
			title = "Common"
		}
		i, known := at[title]
		if !known {
			i = len(groups)
			at[title] = i
			groups = append(groups, manpage.Group{Title: title})
		}
		groups[i].Options = append(groups[i].Options, optionOf(f))
	}
	return groups
}

func optionOf(f *kong.Flag) manpage.Option {
	o := manpage.Option{Long: f.Name, Required: f.Required, Text: f.Help}
	if f.Short != 0 {
		o.Short = string(f.Short)
	}
	switch {
	case f.Tag != nil && f.Tag.Negatable != "":
		o.Long = "[no-]" + f.Name
	case !f.IsBool() && !f.IsCounter():
		o.Value = strings.Trim(f.FormatPlaceHolder(), `"`)
	}
	return o
}
