package main

import (
	"strings"
	"testing"
)

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
