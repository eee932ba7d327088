package main

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// TestDecodeLimits: the flags hold for every command, and their error names them.
func TestDecodeLimits(t *testing.T) {
	t.Cleanup(func() {
		if err := data.SetDecodeLimits(data.DecodeLimits{}); err != nil {
			t.Error(err)
		}
	})
	in := photos(t, 3) // of 40 to 44 by 36 to 38 pixels
	augmix(t, exitDone, "data", "verify", in, "--max-pixels", "2000", "--max-memory", "1M")
	for _, args := range [][]string{{"--max-pixels", "1500"}, {"--max-memory", "4K"}} {
		o := augmix(t, exitFailed, append([]string{"augment", in, "-o", t.TempDir() + "/x.npy", "--size", "8"}, args...)...)
		if !strings.Contains(o.err, "allowed: at most") || !strings.Contains(o.err, "--max-memory") {
			t.Errorf("%q says %s", args, o.err)
		}
	}
}
