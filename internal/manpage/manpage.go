// Package manpage writes manual pages of section 1 in mdoc, the language that mandoc and groff read.
//
// A page is plain data. Its details are text as a terminal shows it: a line of capitals at the left begins a section,
// and everything else keeps its lines.
package manpage

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Page is the manual page of one command.
type Page struct {
	Program  string // what all pages belong to, with its version
	Name     string // the command line up to the command, such as "augmix data info"
	Summary  string // one sentence
	Args     []Arg
	Options  []Group
	Commands []Command
	Details  string // may be empty
	See      []string
	Date     time.Time // of the text; zero: none is given
}

// Arg is an argument without a dash.
type Arg struct {
	Name     string
	Optional bool
	Many     bool
	Text     string
}

// Group is options under a heading; the heading may be empty.
type Group struct {
	Title   string
	Options []Option
}

// Option is an argument with dashes.
type Option struct {
	Long, Short string // without dashes; Short may be empty
	Value       string // what follows, empty for none
	Required    bool
	Text        string
}

// Command is a command below that of the page.
type Command struct {
	Name string // whole, such as "augmix data info"
	Text string
}

// File returns the name of the page's file.
func (p *Page) File() string { return title(p.Name) + ".1" }

// title is what a command line is called as a page: its words joined by hyphens.
func title(name string) string { return strings.ReplaceAll(name, " ", "-") }

// Write writes the page. Errors are those of w.
func (p *Page) Write(w io.Writer) error {
	b := &page{}
	if p.Date.IsZero() {
		b.macro("Dd")
	} else {
		b.WriteString(".Dd " + p.Date.Format("January 2, 2006") + "\n")
	}
	b.WriteString(".Dt " + strings.ToUpper(title(p.Name)) + " 1\n")
	b.macro("Os", p.Program)
	b.section("NAME")
	b.macro("Nm", title(p.Name))
	b.macro("Nd", strings.TrimSuffix(lower(p.Summary), "."))
	b.section("SYNOPSIS")
	b.synopsis(p)
	b.section("DESCRIPTION")
	b.prose(p.Summary)
	lead, sections := split(p.Details)
	b.literal(lead)
	b.arguments(p.Args)
	for _, g := range p.Options {
		b.options(g)
	}
	b.commands(p.Commands)
	slices.SortStableFunc(sections, func(a, b section) int { return rank(a.title) - rank(b.title) })
	for _, s := range sections {
		b.section(s.title)
		b.literal(s.lines)
	}
	b.see(p.See)
	_, err := io.WriteString(w, b.String())
	return err
}

// lower makes the first letter of a sentence small, unless the word is a name.
func lower(s string) string {
	r := []rune(s)
	if len(r) > 1 && unicode.IsUpper(r[0]) && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// section is a part of the details.
type section struct {
	title string
	lines []string
}

// rank orders sections: those that all manuals have come last, in the usual order.
func rank(title string) int { return 1 + slices.Index([]string{"EXIT STATUS", "EXAMPLES"}, title) }

var heading = regexp.MustCompile(`^[A-Z][A-Z0-9 ,:-]*$`)

// split takes the details apart at their headings. Parts under the same heading are one section.
func split(details string) (lead []string, sections []section) {
	into := &lead
	for _, line := range strings.Split(strings.Trim(details, "\n"), "\n") {
		if !heading.MatchString(line) {
			*into = append(*into, line)
			continue
		}
		i := slices.IndexFunc(sections, func(s section) bool { return s.title == line })
		if i < 0 {
			i = len(sections)
			sections = append(sections, section{title: line})
		}
		into = &sections[i].lines
	}
	return lead, sections
}

// page is text in mdoc.
type page struct{ strings.Builder }

// macro writes a line that calls a macro with words that are not macros themselves.
func (b *page) macro(name string, words ...string) {
	b.WriteString("." + name)
	for _, w := range words {
		b.WriteString(" " + word(w))
	}
	b.WriteString("\n")
}

func (b *page) section(title string) { b.WriteString(".Sh " + escape(title) + "\n") }

func (b *page) synopsis(p *Page) {
	b.macro("Nm", p.Name)
	if len(p.Commands) > 0 {
		b.macro("Ar", "command")
	}
	for _, g := range p.Options {
		for _, o := range g.Options {
			if o.Required {
				b.WriteString("." + flag(o) + "\n")
			}
		}
	}
	b.macro("Op", "options")
	for _, a := range p.Args {
		call := "Ar " + word(a.Name)
		if a.Many {
			call += " ..."
		}
		if a.Optional {
			call = "Op " + call
		}
		b.WriteString("." + call + "\n")
	}
}

// prose writes a paragraph: a sentence begins on a line of its own, and lines are short, as mdoc asks for.
func (b *page) prose(s string) {
	const most = 76
	row := ""
	flush := func() {
		if row != "" {
			b.WriteString(line(row))
		}
		row = ""
	}
	for _, w := range strings.Fields(s) {
		if len(row)+1+len(escape(w)) > most {
			flush()
		}
		row = strings.TrimPrefix(row+" "+w, " ")
		if strings.HasSuffix(w, ".") || strings.HasSuffix(w, ".)") {
			flush()
		}
	}
	flush()
}

// literal writes lines as they are, but for their common indentation.
func (b *page) literal(lines []string) {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		return
	}
	least := len(lines[0])
	for _, l := range lines {
		if t := strings.TrimLeft(l, " "); t != "" {
			least = min(least, len(l)-len(t))
		}
	}
	b.WriteString(".Bd -literal\n")
	for _, l := range lines {
		b.WriteString(line(strings.TrimRight(l[min(least, len(l)):], " ")))
	}
	b.WriteString(".Ed\n")
}

func (b *page) arguments(args []Arg) {
	if len(args) == 0 {
		return
	}
	b.section("ARGUMENTS")
	b.WriteString(".Bl -tag -width Ds\n")
	for _, a := range args {
		b.WriteString(".It Ar " + word(a.Name) + "\n")
		b.prose(a.Text)
	}
	b.WriteString(".El\n")
}

func (b *page) options(g Group) {
	title := strings.ToUpper(g.Title)
	if title == "" {
		title = "OPTIONS"
	} else {
		title = "OPTIONS: " + title
	}
	b.section(title)
	b.WriteString(".Bl -tag -width Ds\n")
	for _, o := range g.Options {
		call := flag(o)
		if o.Short != "" {
			call = "Fl " + word(o.Short) + " , " + call
		}
		b.WriteString(".It " + call + "\n")
		b.prose(o.Text)
	}
	b.WriteString(".El\n")
}

// flag is the call that prints an option by its long name.
func flag(o Option) string {
	call := "Fl " + word("-"+o.Long)
	if o.Value != "" {
		call += " Ns = Ns Ar " + word(o.Value)
	}
	return call
}

func (b *page) commands(list []Command) {
	if len(list) == 0 {
		return
	}
	b.section("COMMANDS")
	b.WriteString(".Bl -tag -width Ds\n")
	for _, c := range list {
		b.WriteString(".It Xr " + word(title(c.Name)) + " 1\n")
		b.prose(c.Text)
	}
	b.WriteString(".El\n")
}

func (b *page) see(names []string) {
	if len(names) == 0 {
		return
	}
	b.section("SEE ALSO")
	names = slices.Sorted(slices.Values(names))
	for i, n := range names {
		comma := " ,"
		if i == len(names)-1 {
			comma = ""
		}
		b.WriteString(".Xr " + word(title(n)) + " 1" + comma + "\n")
	}
}

// line is a line of text. One that begins as a macro does is told from it, and an empty one keeps its place.
func line(s string) string {
	s = escape(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s + "\n"
}

// word is an argument of a macro: never a macro itself, nor punctuation.
func word(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(escape(s), `"`, `\(dq`)
	if strings.Contains(s, " ") {
		return `"\&` + s + `"`
	}
	return `\&` + s
}

// escape writes text so that it is printed as it is: hyphens can be copied, and other characters are named.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '^' || r == '~' || r == '`' || r == '\'':
			b.WriteString(map[rune]string{'^': `\(ha`, '~': `\(ti`, '`': `\(ga`, '\'': `\(aq`}[r])
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		case r >= ' ':
			b.WriteRune(r)
		}
	}
	return b.String()
}
