package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// targets are outputs of every format that holds labeled images of one size.
var targets = []struct {
	name  string
	out   string
	flags []string
}{
	{"folder", "set", nil},
	{"folder of JPEG", "set", []string{"--image", "jpeg", "--quality", "90"}},
	{"npy", "set.npy", nil},
	{"npz", "set.npz", nil},
	{"cifar10", "set", []string{"--output-format", "cifar10"}},
	{"wds", "set", []string{"--output-format", "wds", "--per-shard", "20"}},
}

func target(in, dir string, i int, more ...string) []string {
	args := []string{
		"augment", in, "-o", filepath.Join(dir, targets[i].out), "--size", "36", "--crop", "pad4:32", "--flip", "--views", "2",
		"--seed", "11",
	}
	return append(append(args, targets[i].flags...), more...)
}

// journalOf is where such a run keeps its journal.
func journalOf(dir string, i int) string {
	out := filepath.Join(dir, targets[i].out)
	if filepath.Ext(out) != "" {
		return filepath.Join(out+".augmix-state", "journal.json")
	}
	return filepath.Join(out, ".augmix", "journal.json")
}

// Same bytes for 1, 2 and 7 workers, in every format.
func TestAugmentWorkers(t *testing.T) {
	in := photos(t, 24)
	for i, f := range targets {
		t.Run(f.name, func(t *testing.T) {
			var want map[string]string
			for _, jobs := range []string{"1", "2", "7"} {
				dir := t.TempDir()
				augmix(t, exitDone, target(in, dir, i, "-j", jobs)...)
				got := tree(t, dir)
				if want == nil {
					want = got
				}
				sameTree(t, got, want)
			}
		})
	}
}

// Same bytes in one run and in shards: views, soft labels, another order, several epochs.
func TestAugmentShards(t *testing.T) {
	in := photos(t, 14)
	write(t, filepath.Join(in, "cat", "bad.png"), []byte("no image"))
	for name, flags := range map[string][]string{
		"folder": {"--views", "3", "--mix", "augmix-m1+mixup", "--crop", "24", "--image", "jpeg"},
		"tars":   {"--views", "2", "--output-format", "wds", "--per-shard", "4", "--mix", "cutmix", "--crop", "24", "--shuffle"},
		"epochs": {"--epochs", "2", "--output-format", "wds", "--per-shard", "4", "--shuffle", "--crop", "random:24"},
	} {
		t.Run(name, func(t *testing.T) {
			whole, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
			at := func(out string, more ...string) []string {
				return slices.Concat([]string{"augment", in, "--on-error", "skip", "-o", out}, flags, more)
			}
			augmix(t, exitRejected, at(whole)...)
			for _, i := range []string{"2", "0", "1"} {
				if o := augmixIn(t.Context(), nil, at(out, "--shard", i+"/3")...); o.code != exitDone && o.code != exitRejected {
					t.Fatal(o.err)
				}
			}
			sameTree(t, tree(t, out), tree(t, whole))
		})
	}
	augmix(t, exitUsage, "augment", in, "-o", filepath.Join(t.TempDir(), "x.npy"), "--shard", "0/2")
}

// Same bytes in one run and in an interrupted and resumed one, in every format.
func TestAugmentInterrupted(t *testing.T) {
	in := photos(t, 100) // with 40 a run was over before it could be interrupted, once in many
	for i, f := range targets {
		t.Run(f.name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			augmix(t, exitDone, target(in, whole, i, "-j", "1")...)
			amidst := 0 // interruptions of a run at work
			for runs, n := 0, 0; ; runs, n = runs+1, max(1, 2*n) {
				journal := watch(journalOf(dir, i))
				ctx, cancel := context.WithCancelCause(t.Context())
				if n == 0 { // before anything is done
					cancel(errInterrupted)
				}
				go func() {
					journal.await(ctx, n)
					cancel(errInterrupted)
				}()
				o := augmixIn(ctx, nil, target(in, dir, i, "-j", fmt.Sprint(1+runs%3), "--checkpoint", "1ms")...)
				cancel(nil)
				if o.code == exitDone {
					break
				}
				if o.code != exitInterrupted {
					t.Fatalf("exit code %d: %s", o.code, o.err)
				}
				if !strings.Contains(o.err, "interrupted") {
					t.Errorf("interrupted without a word: %q", o.err)
				}
				if n > 0 {
					amidst++
				}
			}
			if amidst == 0 {
				t.Error("the run was not interrupted at work once")
			}
			sameTree(t, tree(t, dir), tree(t, whole))
		})
	}
}

// Same bytes when the process is killed again and again, in every format that is written piece by piece.
func TestAugmentKilled(t *testing.T) {
	in := photos(t, 30)
	for i, f := range targets {
		t.Run(f.name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			augmix(t, exitDone, target(in, whole, i)...)
			killedAtJournals(t, journalOf(dir, i), target(in, dir, i, "--checkpoint", "3ms")...)
			sameTree(t, tree(t, dir), tree(t, whole))
		})
	}
}

// Random access and streaming agree: the same samples as a file and on standard input.
func TestAugmentStream(t *testing.T) {
	dir := t.TempDir()
	npy := filepath.Join(dir, "in", "set.npy")
	if err := os.MkdirAll(filepath.Dir(npy), 0o755); err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, "data", "convert", photos(t, 50), "--crop", "32", "-o", npy)
	a, b := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
	augmix(t, exitDone, "augment", npy, "-o", a, "--flip", "--labels", filepath.Join(dir, "in", "labels.npy"))
	content, err := os.ReadFile(npy)
	if err != nil {
		t.Fatal(err)
	}
	if o := augmixIn(t.Context(), content, "augment", "-", "-o", b, "--flip"); o.code != exitDone {
		t.Fatal(o.err)
	}
	files := tree(t, dir)
	if files["a.npy"] == "" || files["a.npy"] != files["b.npy"] {
		t.Error("the images differ between a file and a stream")
	}
}

func TestAugmentRefused(t *testing.T) {
	in := photos(t, 12)
	bad := filepath.Join(in, "dog", "broken.png")
	write(t, bad, []byte("\x89PNG\r\n\x1a\nand then nothing"))
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"augment", in, "-o", out, "--crop", "32"}

	o := augmix(t, exitFailed, args...)
	if !strings.Contains(o.err, bad) || !strings.Contains(o.err, "the same command with --on-error skip resumes without it") {
		t.Errorf("the error does not name the file or the way on: %q", o.err)
	}
	first := photos(t, 2)
	write(t, filepath.Join(first, "bird", "0.png"), []byte("no image"))
	if o := augmix(t, exitFailed, "augment", first, "-o", out+"-first"); !strings.Contains(o.err, "(before any sample was done; with --on-error skip") {
		t.Errorf("where the first fails: %q", o.err)
	}
	for name := range tree(t, out) {
		if strings.HasSuffix(name, ".png") && strings.Contains(name, "broken") || name == "manifest.json" {
			t.Errorf("%s is there", name)
		}
	}
	o = augmix(t, exitRejected, append(args, "--on-error", "skip", "--json")...)
	if !strings.Contains(o.err, "rejected "+bad) {
		t.Errorf("the rejected file is not listed: %q", o.err)
	}
	var s summary
	if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Samples != 13 || s.Items != 12 || len(s.Rejected) != 1 || s.Rejected[0].Name != bad {
		t.Errorf("summary %+v (%v)", s, err)
	}
	augmix(t, exitDone, "data", "verify", out)
	augmix(t, exitRejected, append(args, "--on-error", "skip")...) // complete, and still without it
}

func TestAugmentDiffers(t *testing.T) {
	in, out := photos(t, 6), filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, "augment", in, "-o", out)
	before := tree(t, out)
	o := augmix(t, exitDone, "augment", in, "-o", out)
	if !strings.Contains(o.err, "is complete") {
		t.Errorf("said %q", o.err)
	}
	o = augmix(t, exitFailed, "augment", in, "-o", out, "--seed", "9", "--mix", "augmix-m1")
	for _, line := range []string{"seed: was 0, now 9", "mix: was augmix-m3-w3-d-1, now augmix-m1-w3-d-1", "--force"} {
		if !strings.Contains(o.err, line) {
			t.Errorf("%q lacks %q", o.err, line)
		}
	}
	sameTree(t, tree(t, out), before)
	augmix(t, exitDone, "augment", in, "-o", out, "--seed", "9", "--force")
	if fmt.Sprint(tree(t, out)) == fmt.Sprint(before) {
		t.Error("--force changed nothing")
	}
}

// The options of a run, given back as a file, make the same run.
func TestConfig(t *testing.T) {
	in, dir := photos(t, 6), t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	augmix(t, exitDone, "augment", in, "-o", a, "--op", "rotate:15", "--op", "solarize@3", "--crop", "rrc:24", "--seed", "77", "--flip")
	augmix(t, exitDone, "augment", in, "-o", b, "--config", filepath.Join(a, "args.yaml"))
	sameTree(t, tree(t, b), tree(t, a))
	c := filepath.Join(dir, "c")
	augmix(t, exitDone, "augment", in, "-o", c, "--config", filepath.Join(a, "args.yaml"), "--seed", "78")
	if text := tree(t, c)["args.yaml"]; !strings.Contains(text, "seed: 78") || !strings.Contains(text, "crop: rrc:24") {
		t.Errorf("a flag does not win over the file:\n%s", text)
	}
	d, e := filepath.Join(dir, "d"), filepath.Join(dir, "e") // without operations: an empty list
	augmix(t, exitDone, "augment", in, "-o", d)
	augmix(t, exitDone, "augment", in, "-o", e, "--config", filepath.Join(d, "args.yaml"))
	sameTree(t, tree(t, e), tree(t, d))
	for text, says := range map[string]string{"seed: [\n": "bad.yaml", "veiws: 3\n": "veiws", "views: many\n": "views"} {
		write(t, filepath.Join(dir, "bad.yaml"), []byte(text))
		o := augmix(t, exitUsage, "augment", in, "-o", filepath.Join(dir, "f"), "--config", filepath.Join(dir, "bad.yaml"))
		if !strings.Contains(o.err, says) {
			t.Errorf("%q: %q lacks %q", text, o.err, says)
		}
	}
}

func TestEpochs(t *testing.T) {
	in, dir := photos(t, 5), t.TempDir()
	one, three := filepath.Join(dir, "one"), filepath.Join(dir, "three")
	augmix(t, exitDone, "augment", in, "-o", one)
	augmix(t, exitDone, "augment", in, "-o", three, "--epochs", "3")
	got := tree(t, three)
	for name, text := range tree(t, one) {
		if got["epoch-001/"+name] != text {
			t.Errorf("%s of a single epoch is not that of the first of three", name)
		}
		if strings.HasSuffix(name, ".png") && got["epoch-002/"+name] == text {
			t.Errorf("%s is the same in the second epoch", name)
		}
	}
	// More epochs later: those that are there stay.
	augmix(t, exitDone, "augment", in, "-o", three, "--epochs", "4")
	if more := tree(t, three); len(more) != len(got)/3*4 {
		t.Errorf("%d files after a fourth epoch, %d before", len(more), len(got))
	}
	if o := augmix(t, exitDone, "data", "verify", three); strings.Count(o.out, "good") != 4 {
		t.Errorf("verify said %q", o.out)
	}
	augmix(t, exitDone, "augment", in, "-o", filepath.Join(dir, "x.npz"), "--epochs", "2", "--crop", "20")
	for _, name := range []string{"x-epoch-001.npz", "x-epoch-002.npz.manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestStandardStreams(t *testing.T) {
	file := testImage(t, 1, 30, 20)
	o := augmixIn(t.Context(), file, "augment", "-", "-o", "-", "--op", "flip", "--json")
	if o.code != exitDone {
		t.Fatal(o.err)
	}
	got, err := png.Decode(strings.NewReader(o.out))
	if err != nil {
		t.Fatalf("standard output is not a PNG file: %v", err)
	}
	want, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for y := range 20 {
		for x := range 30 {
			if got.At(x, y) != want.At(29-x, y) {
				t.Fatalf("pixel (%d,%d): %v, want %v", x, y, got.At(x, y), want.At(29-x, y))
			}
		}
	}
	if o := augmixIn(t.Context(), []byte("hello"), "augment", "-", "-o", "-"); o.code != exitFailed || o.out != "" {
		t.Errorf("words on standard input: exit code %d, output %q", o.code, o.out)
	}
}

// A wrong command line is exit code 2, says what is allowed and touches nothing.
func TestUsage(t *testing.T) {
	in, out := photos(t, 1), filepath.Join(t.TempDir(), "out")
	nested := filepath.Join(t.TempDir(), "nested.yaml")
	write(t, nested, []byte("ops: "+strings.Repeat("[", 2000)))
	for _, c := range []struct {
		says string
		args []string
	}{
		{"unexpected argument", []string{"frobnicate"}},
		{"--out", []string{"augment", in}},
		{"unknown flag", []string{"augment", in, "-o", out, "--colour"}},
		{"no method \"augmux\"", []string{"augment", in, "-o", out, "--mix", "augmux"}},
		{"no operation \"spin\"", []string{"augment", in, "-o", out, "--op", "spin:3"}},
		{"wants its degrees", []string{"augment", in, "-o", out, "--op", "rotate"}},
		{"0 to 10", []string{"augment", in, "-o", out, "--op", "rotate@11"}},
		{"rrc:N", []string{"augment", in, "-o", out, "--crop", "rrx:3"}},
		{"--views 0", []string{"augment", in, "-o", out, "--views", "0"}},
		{"more images than one file", []string{"augment", in, "-o", "-", "--views", "3"}},
		{"--size -1", []string{"augment", in, "-o", out, "--size=-1"}},
		{"--quality 101", []string{"augment", in, "-o", out, "--quality", "101"}},
		{"RRGGBB", []string{"augment", in, "-o", out, "--fill", "red"}},
		{"fail", []string{"augment", in, "-o", out, "--on-error", "ignore"}},
		{"--workers -2", []string{"augment", in, "-o", out, "--workers=-2"}},
		{"--checkpoint", []string{"augment", in, "-o", out, "--checkpoint", "0s"}},
		{"standard output", []string{"augment", in, "-o", "-", "--epochs", "2"}},
		{"standard input", []string{"augment", "-", "-o", out, "--epochs", "2"}},
		{"--output-format zip", []string{"augment", in, "-o", out, "--output-format", "zip"}},
		{"--output-format", []string{"augment", in, "-o", out + ".xyz"}},
		{"--quiet", []string{"augment", in, "-o", out, "-q", "-v"}},
		{"--max-pixels", []string{"augment", in, "-o", out, "--max-pixels=-1"}},
		{"--max-pixels", []string{"augment", in, "-o", out, "--max-pixels=268435457"}},
		{"such as 512M", []string{"augment", in, "-o", out, "--max-memory", "9999999999G"}},
		{"opening brackets", []string{"augment", in, "-o", out, "--config", nested}},
		{"bash", []string{"completion", "tcsh"}},
		{"--tile", []string{"sheet", "-o", out + ".png", "--tile", "ten"}},
		{"tiles of 9 pixels", []string{"sheet", "-o", out + ".png", "--tile", "9"}},
		{"--count 0", []string{"sheet", in, "-o", out + ".png", "--count", "0"}},
	} {
		o := augmix(t, exitUsage, c.args...)
		if !strings.Contains(o.err, c.says) || o.out != "" {
			t.Errorf("augmix %s\nsaid %q on standard error and %q on standard output, want %q on the former",
				strings.Join(c.args, " "), o.err, o.out, c.says)
		}
		if _, err := os.Stat(out); err == nil {
			t.Fatalf("augmix %s made %s", strings.Join(c.args, " "), out)
		}
	}
}

// Errors of files are exit code 1 and name the file.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	write(t, text, []byte("no image"))
	for _, args := range [][]string{
		{"augment", filepath.Join(dir, "nowhere"), "-o", filepath.Join(dir, "o")},
		{"augment", text, "-o", filepath.Join(dir, "o")},
		{"data", "info", text},
		{"data", "verify", filepath.Join(dir, "nowhere")},
		{"sheet", text, "-o", filepath.Join(dir, "o.png")},
		{"sheet", "-o", filepath.Join(text, "o.png")},
		{"augment", photos(t, 1), "-o", filepath.Join(text, "o")},
	} {
		o := augmix(t, exitFailed, args...)
		if !strings.Contains(o.err, "nowhere") && !strings.Contains(o.err, "notes.txt") {
			t.Errorf("augmix %s: %q does not name the file", strings.Join(args, " "), o.err)
		}
	}
	sameTree(t, tree(t, dir), map[string]string{"notes.txt": "no image"})
}

// Of a data set with a training and a test part the training part is augmented, and args.yaml says so.
func TestAugmentTakesTrainingPart(t *testing.T) {
	in, out := cifarFolder(t, 20), filepath.Join(t.TempDir(), "mixed")
	for _, args := range [][]string{{"--mix", "augmix"}, {"--mix", "pixmix", "--limit", "10"}} {
		o := augmix(t, exitDone, append([]string{"augment", in, "-o", out + args[1] + ".npy"}, args...)...)
		if !strings.Contains(o.err, "taking the train part") {
			t.Error(o.err)
		}
		if text, err := os.ReadFile(out + args[1] + ".npy.args.yaml"); err != nil || !strings.Contains(string(text), "split: train\n") {
			t.Errorf("args.yaml: %v, %s", err, text)
		}
	}
	if o := augmix(t, exitDone, "data", "info", out+"augmix.npy"); !strings.Contains(o.out, "20 samples") {
		t.Error(o.out)
	}
}
