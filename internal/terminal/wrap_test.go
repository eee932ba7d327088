package terminal

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("x", 90)
	for _, c := range []struct{ first, indent, text, want string }{
		{"a: ", "  ", "b  c", "a: b c\n"},
		{"", "  ", strings.Repeat("é", 79) + " b " + long + " c", strings.Repeat("é", 79) + "\n  b\n  " + long + "\n  c\n"},
		{"a", "  ", "", "a\n"},
		{"", "", strings.Repeat("x ", 41), strings.TrimSpace(strings.Repeat("x ", 40)) + "\nx\n"},
	} {
		if got := Wrap(c.first, c.indent, c.text); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
