package manpage

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

func sample() *Page {
	return &Page{
		Program: "prog 1.0", Name: "prog do it", Summary: "Do it: once.", Date: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		Args: []Arg{{Name: "IN", Text: "What to read; - is standard input."}, {Name: "MORE", Optional: true, Many: true, Text: "T."}},
		Options: []Group{
			{Options: []Option{
				{Long: "out", Short: "o", Value: "FILE", Required: true, Text: "Where it goes. It's made."},
				{Long: "[no-]quick", Text: "At once."},
			}},
			{Title: "Common", Options: []Option{{Long: "help", Text: "Help."}}},
		},
		Commands: []Command{{Name: "prog do it now", Text: "Now."}},
		Details:  "Before.\n\nEXAMPLES\n  .prog --do\n    'it'\n\nNOTES\n  é\\n\n\nEXIT STATUS\n  0  done\n",
		See:      []string{"prog do", "prog"},
	}
}

const want = `.Dd January 2, 2026
.Dt PROG-DO-IT 1
.Os "\&prog 1.0"
.Sh NAME
.Nm \&prog\-do\-it
.Nd "\&do it: once"
.Sh SYNOPSIS
.Nm "\&prog do it"
.Ar \&command
.Fl \&\-out Ns = Ns Ar \&FILE
.Op \&options
.Ar \&IN
.Op Ar \&MORE ...
.Sh DESCRIPTION
Do it: once.
.Bd -literal
Before.
.Ed
.Sh ARGUMENTS
.Bl -tag -width Ds
.It Ar \&IN
What to read; \- is standard input.
.It Ar \&MORE
T.
.El
.Sh OPTIONS
.Bl -tag -width Ds
.It Fl \&o , Fl \&\-out Ns = Ns Ar \&FILE
Where it goes.
It\(aqs made.
.It Fl \&\-[no\-]quick
At once.
.El
.Sh OPTIONS: COMMON
.Bl -tag -width Ds
.It Fl \&\-help
Help.
.El
.Sh COMMANDS
.Bl -tag -width Ds
.It Xr \&prog\-do\-it\-now 1
Now.
.El
.Sh NOTES
.Bd -literal
\[u00E9]\en
.Ed
.Sh EXIT STATUS
.Bd -literal
0  done
.Ed
.Sh EXAMPLES
.Bd -literal
\&.prog \-\-do
  \(aqit\(aq
.Ed
.Sh SEE ALSO
.Xr \&prog 1 ,
.Xr \&prog\-do 1
`

func TestWrite(t *testing.T) {
	var b strings.Builder
	p := sample()
	if err := p.Write(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	if p.File() != "prog-do-it.1" {
		t.Errorf("file %q", p.File())
	}
	p.Date = time.Time{}
	b.Reset()
	if err := p.Write(&b); err != nil || !strings.HasPrefix(b.String(), ".Dd\n") {
		t.Errorf("%v, without a date: %.40q", err, b.String())
	}
}

// TestSections: parts under one heading are one section, the usual ones last.
func TestSections(t *testing.T) {
	p := &Page{Name: "prog", Details: "EXAMPLES\n  a\nEXIT STATUS\n  0\nWHY\n  b\nEXIT STATUS\n  1\nEXAMPLES\n  c"}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), ".Sh WHY\n")
	const after = ".Bd -literal\nb\n.Ed\n.Sh EXIT STATUS\n.Bd -literal\n0\n1\n.Ed\n.Sh EXAMPLES\n.Bd -literal\na\nc\n.Ed\n"
	if got != after {
		t.Errorf("%s", got)
	}
}

// TestAnyText: no text becomes a macro or breaks a line out of its place.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[.'"\\ A-Za-z-]{0,20}`), rapid.String()).Draw(t, "text")
		p := &Page{
			Name: "prog", Summary: s, Details: "  x\n  " + strings.ReplaceAll(s, "\n", " "),
			Options: []Group{{Options: []Option{{Long: "x", Value: s, Text: s}}}},
		}
		var b strings.Builder
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			name, _, _ := strings.Cut(line, " ")
			if strings.HasPrefix(line, "'") || strings.HasPrefix(name, ".") && !strings.Contains(macros, name+".") {
				t.Fatalf("%q makes the line %q", s, line)
			}
		}
	})
}

// macros are those that pages use.
const macros = ".Dd.Dt.Os.Sh.Nm.Nd.Op.Bd.Ed.Bl.It.El."

// TestLint: mandoc, where it is installed, finds nothing that it warns about.
func TestLint(t *testing.T) {
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc here")
	}
	var b strings.Builder
	if err := sample().Write(&b); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(mandoc, "-T", "lint", "-W", "warning")
	c.Stdin = strings.NewReader(b.String())
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
