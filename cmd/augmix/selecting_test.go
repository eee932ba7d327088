package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/npy"
)

// arrayOf returns the rows of an array of bytes, each as text.
func arrayOf(t *testing.T, path string) []string {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	switch d := a.Data.(type) {
	case []uint8:
		for row := range slices.Chunk(d, len(d)/a.Shape[0]) {
			rows = append(rows, string(row))
		}
	case []int64:
		for _, v := range d {
			rows = append(rows, fmt.Sprint(v))
		}
	}
	return rows
}

// --limit takes evenly spaced samples, for every command that writes.
func TestLimit(t *testing.T) {
	in, dir := photos(t, 12), t.TempDir()
	for i, c := range []struct {
		args []string
		file string // the first image of the last sample
	}{
		{[]string{"augment", in, "--mix", "none"}, "fish/0002.png"},
		{[]string{"data", "convert", in}, "fish/0002.png"},
		{[]string{"corrupt", in, "--subset", "fog", "--severity", "2"}, "fog/2/fish/0002.jpg"},
		{[]string{"perturb", in, "--subset", "tilt", "--size", "40", "--crop", "32"}, "tilt/fish/0002/frame-00.png"},
	} {
		out := filepath.Join(dir, fmt.Sprint(i))
		o := augmix(t, exitDone, append(c.args, "-o", out, "--limit", "3")...)
		if !strings.Contains(o.err, "3 samples, ") {
			t.Errorf("%q says %q", c.args, o.err)
		}
		if files := tree(t, out); files[c.file] == "" {
			t.Errorf("%q: no %s", c.args, c.file)
		}
	}
	augmix(t, exitUsage, "data", "convert", in, "-o", filepath.Join(dir, "x"), "--limit", "-1")
}

// --shuffle: rows in another order, labels and keys with them, the same order for any number of workers, parts and pauses.
func TestShuffle(t *testing.T) {
	in, dir := photos(t, 20), t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	convert := []string{"data", "convert", in, "--size", "36", "--crop", "32"}
	augmix(t, exitDone, append(convert, "-o", path("plain/x.npy"))...)
	augmix(t, exitDone, append(convert, "-o", path("one/x.npy"), "--shuffle", "-j", "1")...)
	augmix(t, exitDone, append(convert, "-o", path("six/x.npy"), "--shuffle", "-j", "6")...)
	augmix(t, exitDone, append(convert, "-o", path("seed/x.npy"), "--shuffle", "--seed", "3")...)
	rows := func(name string) []string {
		images, labels := arrayOf(t, path(name+"/x.npy")), arrayOf(t, path(name+"/labels.npy"))
		for i := range images {
			images[i] += labels[i]
		}
		return images
	}
	plain, one := rows("plain"), rows("one")
	if !slices.Equal(one, rows("six")) || slices.Equal(one, plain) || slices.Equal(one, rows("seed")) {
		t.Error("the order depends on the workers, or not on the seed")
	}
	slices.Sort(plain)
	if slices.Sort(one); !slices.Equal(one, plain) {
		t.Error("other images, or labels that went elsewhere")
	}
	// Shards of a WebDataset, read back: every key with its label and its image.
	augmix(t, exitDone, append(convert, "-o", path("tar"), "--output-format", "wds", "--shuffle", "--per-shard", "7")...)
	src, err := formats.Open(path("tar"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	labels := map[string]int{"cat": 0, "dog": 1, "fish": 2}
	var keys []string
	for _, s := range samplesOf(t, src) {
		class, _, _ := strings.Cut(s.Key, "/")
		if s.Label != labels[class] {
			t.Errorf("%s has label %d", s.Key, s.Label)
		}
		keys = append(keys, s.Key)
	}
	if len(keys) != 20 || slices.IsSorted(keys) {
		t.Errorf("keys in the order %q", keys)
	}
	// Images are the same in any order, those mixed with partners too.
	for _, mix := range []string{"augmix", "cutmix"} {
		args := []string{"augment", path("plain/x.npy"), "--mix", mix}
		augmix(t, exitDone, append(args, "-o", path(mix+"/plain.npy"))...)
		augmix(t, exitDone, append(args, "-o", path(mix+"/other.npy"), "--shuffle")...)
		was, now := arrayOf(t, path(mix+"/plain.npy")), arrayOf(t, path(mix+"/other.npy"))
		if slices.Equal(was, now) {
			t.Errorf("%s: not shuffled", mix)
		}
		slices.Sort(was)
		if slices.Sort(now); !slices.Equal(was, now) {
			t.Errorf("%s: shuffling changes images", mix)
		}
	}
	o := augmix(t, exitUsage, append(convert, "-o", path("folder"), "--shuffle")...)
	if !strings.Contains(o.err, "have no order (allowed: outputs of the formats npy, medmnist, npz, cifar10, cifar100, wds)") {
		t.Error(o.err)
	}
	array, err := os.ReadFile(path("plain/x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	stream := augmixIn(t.Context(), array, "data", "convert", "-", "--shuffle", "-o", path("s.npy"))
	if stream.code != exitFailed || !strings.Contains(stream.err, "can only be read from front to end") {
		t.Errorf("standard input: %d %s", stream.code, stream.err)
	}
}

// samplesOf reads a source to its end.
func samplesOf(t *testing.T, src data.Source) []data.Sample {
	t.Helper()
	var out []data.Sample
	for range src.(data.Indexed).Len() {
		var s data.Sample
		if err := src.Next(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// Corrupted arrays keep labels beside their rows when they are shuffled, and parts join to the same bytes.
func TestShuffleShards(t *testing.T) {
	in, dir := photos(t, 11), t.TempDir()
	args := []string{"corrupt", in, "--subset", "fog,jpeg_compression", "--crop", "32", "--output-format", "npy", "--shuffle", "--limit", "9", "-o"}
	augmix(t, exitDone, append(args, filepath.Join(dir, "whole"))...)
	for _, i := range []string{"1", "0"} {
		augmix(t, exitDone, append(args, filepath.Join(dir, "parts"), "--shard", i+"/2")...)
	}
	sameTree(t, tree(t, filepath.Join(dir, "parts")), tree(t, filepath.Join(dir, "whole")))
	if l := arrayOf(t, filepath.Join(dir, "whole", "labels.npy")); len(l) != 45 || slices.IsSorted(l[:9]) {
		t.Errorf("labels %q", l)
	}
}

// Epochs that were deleted are left out where that is asked for, and the message says how.
func TestDeletedEpochs(t *testing.T) {
	in, dir := photos(t, 3), t.TempDir()
	args := []string{"augment", in, "--crop", "32", "--mix", "none", "-o", filepath.Join(dir, "e.npy"), "--epochs"}
	augmix(t, exitDone, append(args, "2")...)
	remove(t, filepath.Join(dir, "e-epoch-001.npy"))
	o := augmix(t, exitFailed, append(args, "3")...)
	if !strings.Contains(o.err, "--skip-deleted leaves out epochs that were deleted; --epoch 2 --epochs 2 begins after this one") {
		t.Error(o.err)
	}
	o = augmix(t, exitDone, append(args, "3", "--skip-deleted")...)
	if !strings.Contains(o.err, "e-epoch-001.npy: was made and deleted, left out") || !strings.Contains(o.err, "e-epoch-002.npy is complete") {
		t.Error(o.err)
	}
	if files := tree(t, dir); files["e-epoch-003.npy"] == "" || files["e-epoch-001.npy"] != "" {
		t.Error("the wrong epochs were made")
	}
	shuffled := append(args[:len(args):len(args)], "2", "--shuffle", "--force")
	augmix(t, exitDone, shuffled...)
}

// Many files where one data set is read, and paths elsewhere, are one clear line.
func TestForeignInput(t *testing.T) {
	in := photos(t, 2)
	a, b := filepath.Join(in, "cat", "0000.png"), filepath.Join(in, "dog", "0001.png")
	o := augmix(t, exitUsage, "corrupt", a, b, "-o", filepath.Join(t.TempDir(), "x"))
	if !strings.Contains(o.err, "one data set is read, not many files (allowed: the folder that holds them)") {
		t.Error(o.err)
	}
	o = augmix(t, exitUsage, "augment", "gs://bucket/val", "-o", filepath.Join(t.TempDir(), "x"))
	if strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "IN gs://bucket/val: remote paths of this kind are not read (allowed: s3://") {
		t.Error(o.err)
	}
}

// What is done is said with the right words.
func TestAmounts(t *testing.T) {
	in, dir := photos(t, 1), t.TempDir()
	if o := augmix(t, exitDone, "data", "convert", in, "-o", filepath.Join(dir, "a")); !strings.Contains(o.err, "1 sample, 1 image in ") {
		t.Error(o.err)
	}
	o := augmix(t, exitDone, "augment", in, "-o", filepath.Join(dir, "b"), "--views", "3")
	if !strings.Contains(o.err, "1 sample, 3 images in ") || !strings.Contains(o.err, " images/s)") {
		t.Error(o.err)
	}
}

// TestOnlyComma: a comma in a pattern is what the help says.
func TestOnlyComma(t *testing.T) {
	in := t.TempDir()
	for _, class := range []string{"cat", "dog, big"} {
		write(t, filepath.Join(in, class, "1.png"), testImage(t, 1, 8, 8))
	}
	if o := augmix(t, exitDone, "corrupt", "--help"); !strings.Contains(o.out, `A comma in PATTERN is \,.`) {
		t.Error(o.out)
	}
	for _, pattern := range []string{`class:dog\, big`, `*g\, b??/1`} {
		if o := augmix(t, exitDone, "verify", in, "--only", pattern); !strings.Contains(o.out, "(1 sample decoded)") {
			t.Errorf("%s: %s", pattern, o.out)
		}
	}
}
