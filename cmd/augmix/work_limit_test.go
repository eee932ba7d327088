package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// TestWorkLimit: what a corruption takes of a large image counts into --max-memory too; one image after the other fits.
func TestWorkLimit(t *testing.T) {
	t.Cleanup(func() {
		if err := data.SetDecodeLimits(data.DecodeLimits{}); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	for _, name := range strings.Split("abcdefgh", "") {
		write(t, filepath.Join(in, "cat", name+".png"), testImage(t, 1, 300, 200))
	}
	// 300x200 pixels at 4 and 4 bytes, and 12 for each point of a map of 512x512: 3.46 MiB.
	fog := []string{"corrupt", in, "--subset", "fog", "--severity", "1", "-j", "3", "-o"}
	augmix(t, exitDone, append(fog, filepath.Join(dir, "out"), "--max-memory", "4M")...)
	o := augmix(t, exitFailed, append(fog, filepath.Join(dir, "none"), "--max-memory", "3M")...)
	if !strings.Contains(o.err, "300x200 takes 4 MiB to decode and to work on (allowed: at most 3 MiB)") || !strings.Contains(o.err, "--max-memory") {
		t.Error(o.err)
	}
	augmix(t, exitDone, append(fog, filepath.Join(dir, "small"), "--max-memory", "3M", "--size", "32")...)
	o = augmix(t, exitFailed, "sheet", filepath.Join(in, "cat"), "-o", filepath.Join(dir, "sheet.png"), "--max-memory", "1200K")
	if !strings.Contains(o.err, "the first 6 images of a sheet take 1 MiB together (allowed: at most 1 MiB)") {
		t.Error(o.err)
	}
}
