package terminal

import (
	"errors"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, text, line string }{
		{"plain, größer, 猫 a\\b", "plain, größer, 猫 a\\b", "plain, größer, 猫 a\\b"},
		{"\x1b[31mred\x07", `\x1b[31mred\a`, `\x1b[31mred\a`},
		{"a\tb\nc\rd", "a\tb\nc\\rd", `a\tb\nc\rd`},
		{"\u009b2J\u202e\x7f", `\u009b2J\u202e\x7f`, `\u009b2J\u202e\x7f`},
		{"\x9b\xff", `\x9b\xff`, `\x9b\xff`},
	} {
		if got := Printable(c.in); got != c.text {
			t.Errorf("Printable(%q) = %q, want %q", c.in, got, c.text)
		}
		if got := OneLine(c.in); got != c.line {
			t.Errorf("OneLine(%q) = %q, want %q", c.in, got, c.line)
		}
	}
	if got := Message("%s: %v", "a\nb", errors.New("c\nd\x1b")); got != "a\\nb: c\n  d\\x1b" {
		t.Errorf("message: %q", got)
	}
}
