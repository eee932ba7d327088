package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// An output that a run has begun and not completed is not good, whatever of it can be decoded.
func TestVerifyUnfinished(t *testing.T) {
	in, dir := photos(t, 4), t.TempDir()
	write(t, filepath.Join(in, "fish", "0009.png"), []byte("no image"))
	folder, array := filepath.Join(dir, "out"), filepath.Join(dir, "out.npy")
	for path, args := range map[string][]string{
		folder: {"corrupt", in, "-o", folder, "--subset", "fog", "--severity", "1"},
		array:  {"augment", in, "-o", array, "--crop", "32"},
	} {
		augmix(t, exitFailed, args...)
		for _, flags := range [][]string{nil, {"--decode"}} {
			o := augmix(t, exitFailed, append([]string{"verify", path}, flags...)...)
			want := path + " is unfinished: it has no manifest.json (the command that began it goes on when it is given again"
			if o.out != path+": unfinished\n" || !strings.Contains(o.err, want) {
				t.Errorf("%q: %s%s", flags, o.out, o.err)
			}
		}
		var r verifyResult
		o := augmix(t, exitFailed, "verify", path, "--json")
		if err := json.Unmarshal([]byte(o.out), &r); err != nil || r.OK || r.How != "journal" || r.Path != path {
			t.Errorf("%+v, %v", r, err)
		}
		augmix(t, exitRejected, append(args, "--on-error", "skip")...)
		augmix(t, exitDone, "verify", path)
	}
}

// One unfinished epoch among finished ones is named.
func TestVerifyUnfinishedEpoch(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, "augment", photos(t, 2), "-o", out, "--crop", "32", "--epochs", "2")
	remove(t, filepath.Join(out, "epoch-002", "manifest.json"))
	write(t, filepath.Join(out, "epoch-002", ".augmix", "journal.json"), []byte("{}"))
	o := augmix(t, exitFailed, "verify", out)
	if !strings.Contains(o.out, "epoch-001: good") || !strings.Contains(o.out, "epoch-002: unfinished") || !strings.Contains(o.err, "epoch-002 is unfinished") {
		t.Errorf("%s%s", o.out, o.err)
	}
}
