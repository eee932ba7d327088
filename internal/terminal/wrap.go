package terminal

import (
	"strings"
	"unicode/utf8"
)

// Columns is the width that text is wrapped at.
const Columns = 80

// Wrap breaks text at spaces into lines of at most [Columns] characters. The first begins with first, the others with
// indent; a word that is longer stays whole. The result ends with a newline.
func Wrap(first, indent, text string) string {
	var b strings.Builder
	b.WriteString(first)
	at, empty := utf8.RuneCountInString(first), true
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		if !empty && at+1+n > Columns {
			b.WriteString("\n" + indent)
			at, empty = utf8.RuneCountInString(indent), true
		}
		if !empty {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at, empty = at+n, false
	}
	b.WriteByte('\n')
	return b.String()
}
