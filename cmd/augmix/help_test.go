package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// What a crop of a smaller image is, and how far the limit of pixels goes, cannot be found by trying a few images.
func TestHelpSays(t *testing.T) {
	for _, command := range []string{"augment", "corrupt", "perturb", "data convert", "stream", "eval", "predict", "train", "feed"} {
		o := augmix(t, exitDone, strings.Fields(command+" --help")...)
		text := strings.Join(strings.Fields(o.out), " ")
		for _, want := range []string{"A smaller image is padded with black", "in pixels, up to 268435456 (134217728)"} {
			if !strings.Contains(text, want) {
				t.Errorf("the help of %s does not say %q", command, want)
			}
		}
	}
}

// What people type elsewhere works here.
func TestCustomary(t *testing.T) {
	for line, want := range map[string]string{
		"":               "Usage: augmix <command>",
		"help":           "Usage: augmix <command>",
		"help train":     "Usage: augmix train",
		"help data info": "Usage: augmix data info",
		"list":           "list corruptions",
		"data":           "data info",
		"--version":      "cpu features:",
	} {
		if o := augmix(t, exitDone, strings.Fields(line)...); !strings.Contains(o.out, want) || o.err != "" {
			t.Errorf("augmix %s says %q and %q, want %q", line, o.out, o.err, want)
		}
	}
	if o := augmix(t, exitUsage, "augment", "x", "-o", "y", "--mix", "agumix"); !strings.Contains(o.err, `did you mean "augmix"?`) {
		t.Errorf("a mistyped method: %s", o.err)
	}
}

// TestWrapHelp: on a narrow terminal no line of the texts is longer than it, but for words that are, and every word stands where it
// stood; commands can be typed.
func TestWrapHelp(t *testing.T) {
	for _, p := range manPages(newParser(&cli{}, nil).Model) {
		text := p.Details
		for _, columns := range []int{60, 80, 100, 104, 0} {
			got := wrapHelp(text, columns)
			if (columns == 0 || columns >= helpColumns) && got != text {
				t.Errorf("%s: the text is another one at %d columns", p.Name, columns)
			}
			for line := range strings.Lines(got) {
				line = strings.TrimRight(line, "\n")
				words := strings.Fields(line)
				if n := utf8.RuneCountInString(line); columns > 0 && columns < helpColumns && n > columns && len(words[len(words)-1]) < columns/2 {
					t.Errorf("%s: at %d columns a line of %d: %q", p.Name, columns, n, line)
				}
			}
			if was, is := strings.Fields(text), strings.Fields(strings.ReplaceAll(got, " \\\n", "\n")); !slices.Equal(was, is) {
				t.Errorf("%s: other words at %d columns", p.Name, columns)
			}
		}
	}
	const text = "ROWS\n  a      is\n         more than that\n  longer  one\n  Two lines of prose\n  that end early.\n\nEXAMPLES\n  augmix report runs/standard runs/augmix -o report.html --digits 2"
	want := "ROWS\n  a      is\n         more than that\n  longer  one\n  Two lines of prose\n  that end early.\n\nEXAMPLES\n  augmix report runs/standard runs/augmix \\\n    -o report.html --digits 2"
	if got := wrapHelp(text, 45); got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	t.Setenv("COLUMNS", "80")
	o := augmix(t, exitDone, "report", "--help")
	for line := range strings.Lines(o.out) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}
