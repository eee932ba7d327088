package main

import (
	"encoding/json"
	"fmt"
	"os"
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

// Of an output that holds data sets, which is none itself, each is decoded.
func TestVerifySets(t *testing.T) {
	in, dir := photos(t, 2), t.TempDir()
	corrupted, epochs := filepath.Join(dir, "c"), filepath.Join(dir, "e")
	augmix(t, exitDone, "corrupt", in, "-o", corrupted, "--subset", "fog", "--severity", "1,2")
	augmix(t, exitDone, "augment", in, "-o", epochs, "--mix", "none", "--epochs", "2", "--output-format", "wds")
	for path, sets := range map[string][]string{corrupted: {"fog/1", "fog/2"}, epochs: {"epoch-001", "epoch-002"}} {
		want := ""
		for _, set := range sets {
			want += filepath.Join(path, set) + ": good (2 samples decoded)\n"
		}
		if o := augmix(t, exitDone, "verify", path, "--decode"); o.out != want {
			t.Errorf("%s, want %s", o.out, want)
		}
		if o := augmix(t, exitFailed, "data", "info", path); !strings.Contains(o.err, filepath.Join(path, sets[0])) {
			t.Error(o.err)
		}
	}
}

// A sample without a label among others, which no command takes, is not good.
func TestVerifyLabels(t *testing.T) {
	dir := t.TempDir()
	augmix(t, exitDone, "data", "convert", photos(t, 2), "-o", filepath.Join(dir, "a"), "--output-format", "wds")
	shard := tree(t, filepath.Join(dir, "a"))["data-000000.tar"]
	at := strings.LastIndex(shard, ".cls\x00")
	header := []byte(shard[at-at%512 : at-at%512+512])
	copy(header[at%512:], ".txt")
	sum := 0
	for i, c := range header {
		if i >= 148 && i < 156 {
			c = ' '
		}
		sum += int(c)
	}
	copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
	half := filepath.Join(dir, "half.tar")
	write(t, half, []byte(shard[:at-at%512]+string(header)+shard[at-at%512+512:]))
	if o := augmix(t, exitFailed, "verify", half); !strings.Contains(o.out, "has no label, the samples before it have\n") || !strings.Contains(o.out, "damaged (2 samples decoded)") {
		t.Error(o.out + o.err)
	}
}

// The parts of epochs, which tasks on machines of their own have made, are put together as those of one output are, and one that is not done
// is named.
func TestVerifyJoinsEpochs(t *testing.T) {
	in, dir := photos(t, 4), t.TempDir()
	args := func(out, shard string) []string {
		return []string{"augment", in, "-o", filepath.Join(dir, out), "--mix", "none", "--epochs", "2", "--output-format", "folder", "--shard", shard}
	}
	augmix(t, exitDone, args("out", "0/2")...)
	augmix(t, exitDone, args("other", "1/2")...)
	out := filepath.Join(dir, "out")
	state := func(epoch string) string { return filepath.Join(epoch, ".augmix", "shard-1-of-2") }
	for i, epoch := range []string{"epoch-001", "epoch-002"} {
		if err := os.CopyFS(state(filepath.Join(out, epoch)), os.DirFS(state(filepath.Join(dir, "other", epoch)))); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			break
		}
		o := augmix(t, exitFailed, "verify", out)
		if !strings.Contains(o.err, "epoch-001: put together 4 samples") || !strings.Contains(o.err, "epoch-002 is shards incomplete: parts that are not done: 1/2") {
			t.Errorf("%s%s", o.out, o.err)
		}
	}
	o := augmix(t, exitDone, "verify", out)
	if !strings.Contains(o.err, "epoch-002: put together 4 samples") || strings.Count(o.out, ": good (") != 2 {
		t.Errorf("%s%s", o.out, o.err)
	}
}

// A flag that says what to read is refused where nothing is read but the files' bytes, or no masks are there to compare.
func TestVerifyFlags(t *testing.T) {
	dir := t.TempDir()
	out, board := filepath.Join(dir, "out"), filepath.Join(dir, "board")
	augmix(t, exitDone, "data", "convert", photos(t, 2), "-o", out)
	write(t, filepath.Join(board, "model_info", "cifar10", "corruptions", "x.json"), []byte("{}"))
	const beside = " has no effect (it needs --decode where a manifest is)"
	for line, want := range map[string]string{
		out + " --mask-labels 0-20,255":   "--mask-labels 0-20,255" + beside,
		out + " --only class:nope":        "--only class:nope" + beside,
		out + " --window 5:9":             "--window 5:9" + beside,
		out + " --labels " + dir:          "--labels " + dir + beside,
		out + " --coarse":                 "--coarse" + beside,
		out + " --decode --mask-labels 0": "--mask-labels 0 has no effect (it needs annotated images)",
		board + " --split test":           "--split test has no effect (it needs a data set)",
		board + " --decode":               "--decode has no effect (it needs a data set)",
	} {
		if o := augmix(t, exitUsage, append([]string{"verify"}, strings.Fields(line)...)...); o.out != "" || !strings.Contains(o.err, want) {
			t.Errorf("%s: %s%s, want %s", line, o.out, o.err, want)
		}
	}
	augmix(t, exitDone, "verify", out, "--decode", "--only", "class:dog", "--workers", "1")
	augmix(t, exitDone, "verify", out, "--workers", "1")
}
