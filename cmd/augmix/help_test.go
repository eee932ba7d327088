package main

import (
	"strings"
	"testing"
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
