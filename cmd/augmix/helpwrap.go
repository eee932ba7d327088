package main

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/augmix-go/augmix/internal/progress"
)

// The texts below the flags are written for lines of helpColumns. leastColumns is a width below which nothing is wrapped.
const (
	helpColumns  = 104
	leastColumns = 40
)

// columnsOf returns how many characters a line of w has: the environment's COLUMNS, or the terminal's; 0 where w is none.
func columnsOf(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil {
		return n
	}
	return progress.Columns(w)
}

// wrapHelp fits the text of sections to lines of so many columns: paragraphs are filled anew, rows of a name and what it means keep
// their second column, and commands go on in another line after a backslash.
func wrapHelp(text string, columns int) string {
	if columns < leastColumns || columns >= helpColumns {
		return text
	}
	var out []string
	var p paragraph
	commands := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		words := strings.TrimLeft(line, " ")
		indent := len(line) - len(words)
		switch {
		case line == "":
			out = append(p.end(out, columns), line)
		case indent == 0 && line == strings.ToUpper(line): // a heading
			out = append(p.end(out, columns), line)
			commands = line == "EXAMPLES"
		case commands && indent == 2:
			out = command(p.end(out, columns), line, columns)
		case p.goesOn(indent, words):
			p.add(words, len(line))
		default:
			out = p.end(out, columns)
			p = begin(line, indent)
		}
	}
	return strings.Join(p.end(out, columns), "\n")
}

// paragraph is text that is filled: the first line begins with lead, the others are indented by hang.
type paragraph struct {
	lead  string
	hang  int
	words []string
	full  int // characters of the last line of the source
}

// begin returns the paragraph that a line begins. Where there is a gap in it the text behind that is the paragraph.
func begin(line string, indent int) paragraph {
	p := paragraph{lead: line[:indent], hang: indent}
	if gap := strings.LastIndex(line, "  "); gap > indent {
		p.lead, p.hang = line[:gap+2], utf8.RuneCountInString(line[:gap+2])
	}
	p.add(line[len(p.lead):], len(line))
	return p
}

func (p *paragraph) add(text string, full int) {
	p.words, p.full = append(p.words, strings.Fields(text)...), full
}

// goesOn reports whether a line goes on with the paragraph: it is indented alike, and its first word had no room in the line before.
func (p *paragraph) goesOn(indent int, text string) bool {
	first, _, _ := strings.Cut(text, " ")
	const slack = 6 // lines of the source are not all as long as they could be
	return len(p.words) > 0 && indent == p.hang && !strings.Contains(text, "  ") && p.full+1+len(first) > helpColumns-4-slack
}

// end appends the lines of the paragraph, which is empty then.
func (p *paragraph) end(out []string, columns int) []string {
	if len(p.words) == 0 {
		return out
	}
	line, n := p.lead, utf8.RuneCountInString(p.lead)
	empty := true
	for _, w := range p.words {
		long := utf8.RuneCountInString(w)
		if !empty && n+1+long > columns {
			out = append(out, line)
			line, n, empty = strings.Repeat(" ", p.hang), p.hang, true
		}
		if !empty {
			line, n = line+" ", n+1
		}
		line, n, empty = line+w, n+long, false
	}
	*p = paragraph{}
	return append(out, line)
}

// command appends the lines of a command that can be typed as it stands.
func command(out []string, line string, columns int) []string {
	for len(line) > columns {
		cut := strings.LastIndex(line[:columns-1], " -") // an option stays with its value
		if cut < columns/2 {
			cut = strings.LastIndex(line[:columns-1], " ")
		}
		if cut <= 4 { // a word that is longer than a line
			break
		}
		out = append(out, line[:cut]+` \`)
		line = "    " + line[cut+1:]
	}
	return append(out, line)
}
