package main

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNamesOnTerminal: names of classes and files are shown, never obeyed.
func TestNamesOnTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can have such a name")
	}
	dir := filepath.Join(t.TempDir(), "set\x1b]0;title\x07")
	for i, class := range []string{"\x1b[31mred", "two\nlines"} {
		write(t, filepath.Join(dir, class, "good.png"), testImage(t, i, 8, 8))
		write(t, filepath.Join(dir, class, "bad\x1b[2J\n.png"), []byte("no image"))
	}
	for _, args := range [][]string{
		{"data", "info", dir},
		{"data", "verify", dir},
		{"augment", dir, "-o", filepath.Join(t.TempDir(), "out"), "--on-error", "skip"},
		{"augment", dir, "-o", filepath.Join(t.TempDir(), "out")},
		{"data", "info", dir + "/none"},
	} {
		o := augmixIn(t.Context(), nil, args...)
		if said := o.out + o.err; strings.ContainsAny(said, "\x1b\x07") || !strings.Contains(said, `\`) {
			t.Errorf("%q says %q", args[:2], said)
		}
		for _, line := range strings.Split(o.out+o.err, "\n") {
			if strings.HasPrefix(line, "lines") || strings.HasPrefix(line, ".png") {
				t.Errorf("%q breaks its lines: %q", args[:2], line)
			}
		}
	}
}
