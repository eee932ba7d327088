// Package terminal is between a program and the person at it: text that is safe to print, in which names of files and
// classes are shown and never obeyed, and sizes as people type them.
package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable writes what a terminal would obey rather than show, such as the escape sequences in the name of a file, as
// escapes of Go. New lines and tabs stay. Whatever this program says or prints as text goes through it.
func Printable(s string) string { return escape(s, "\n\t") }

// OneLine is Printable for a name that stands within a line or a cell of a table: new lines and tabs are escaped as well.
func OneLine(s string) string { return escape(s, "") }

func escape(s, keep string) string {
	shown := func(r rune) bool { return unicode.IsPrint(r) || strings.ContainsRune(keep, r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !shown(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case shown(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// Message formats what a program says, as fmt.Sprintf does. Strings are names and stay within the line; the lines after the first, which
// errors may have, are indented, so that no name can begin one of its own.
func Message(format string, args ...any) string {
	clean := make([]any, len(args))
	for i, a := range args {
		if s, ok := a.(string); ok {
			a = OneLine(s)
		}
		clean[i] = a
	}
	return strings.ReplaceAll(Printable(fmt.Sprintf(format, clean...)), "\n", "\n  ")
}
