package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestContentOfClasses: another list under the name of the first is another option, of a complete output, an unfinished one and parts.
func TestContentOfClasses(t *testing.T) {
	in, dir := photos(t, 9), t.TempDir()
	bad := filepath.Join(in, "fish", "9999.png") // the last
	list := filepath.Join(dir, "classes.txt")
	first, other := []byte("cat animal\ndog animal\nfish water\n"), []byte("cat animal\ndog water\nfish water\n")
	refused := func(args ...string) {
		t.Helper()
		write(t, list, other)
		if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "classes: was a list of SHA-256 ") {
			t.Error(o.err)
		}
		write(t, list, append([]byte("# the same\n"), first...))
	}
	write(t, list, first)
	convert := []string{"data", "convert", in, "--size", "32", "--crop", "32", "--classes", list, "-o", filepath.Join(dir, "x.npz")}
	augmix(t, exitDone, convert...)
	refused(convert...)
	augmix(t, exitDone, convert...)

	corrupt := []string{"corrupt", in, "--classes", list, "--subset", "fog", "--severity", "1", "-o"}
	parts := append(corrupt, filepath.Join(dir, "parts"), "--shard")
	augmix(t, exitDone, append(parts, "0/2")...)
	refused(append(parts, "1/2")...)

	write(t, bad, []byte("no image"))
	cut := append(corrupt, filepath.Join(dir, "cut"))
	augmix(t, exitFailed, cut...)
	refused(cut...)
	augmix(t, exitRejected, append(cut, "--on-error", "skip")...)
}

// TestContentOfLabels: an edited file of labels is an input that has changed, of a complete output too; one that was only touched is not.
func TestContentOfLabels(t *testing.T) {
	dir := t.TempDir()
	in, list, array, numbers := filepath.Join(dir, "flat"), filepath.Join(dir, "labels.txt"), filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	for i, name := range []string{"0.png", "1.png", "2.png"} {
		write(t, filepath.Join(in, name), testImage(t, i, 36, 34))
	}
	convert := func(labels, out string) []string {
		return []string{"data", "convert", in, "--size", "32", "--crop", "32", "--labels", labels, "-o", out}
	}
	other := filepath.Join(dir, "other.txt")
	write(t, list, []byte("0\n1\n2\n"))
	write(t, other, []byte("0\n2\n1\n"))
	augmix(t, exitDone, convert(list, array)...)
	augmix(t, exitDone, convert(other, filepath.Join(dir, "other", "x.npy"))...)
	write(t, numbers, []byte(tree(t, filepath.Join(dir, "labels.npy"))["."]))

	for _, tc := range []struct{ in, labels, other string }{{in, list, other}, {array, numbers, filepath.Join(dir, "other", "labels.npy")}} {
		all := [][]string{{"corrupt", tc.in, "--subset", "fog", "--severity", "1", "--labels", tc.labels, "-o", filepath.Join(dir, "C", filepath.Base(tc.in)+"-C")}}
		if tc.in == in {
			all = append(all, convert(list, array))
		}
		for _, args := range all {
			first := tree(t, tc.labels)["."]
			augmix(t, exitDone, args...)
			write(t, tc.labels, []byte(tree(t, tc.other)["."]))
			o := augmix(t, exitFailed, args...)
			if !strings.Contains(o.err, "input changed since ") || !strings.Contains(o.err, "labels: "+tc.labels+" has other bytes") {
				t.Errorf("%q: %s", args, o.err)
			}
			write(t, tc.labels, []byte(first))
			augmix(t, exitDone, args...)
		}
	}
}

// TestContentOfSets: another image of a mixing set or of styles is another option, of a complete output, an unfinished one and parts.
func TestContentOfSets(t *testing.T) {
	in, dir := photos(t, 4), t.TempDir()
	set := filepath.Join(dir, "set")
	image := filepath.Join(set, "1.png")
	write(t, filepath.Join(set, "0.png"), testImage(t, 0, 48, 40))
	write(t, image, testImage(t, 1, 48, 40))
	refused := func(option string, args ...string) {
		t.Helper()
		write(t, image, testImage(t, 2, 48, 40))
		if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, option+": was images of digest files:") {
			t.Error(o.err)
		}
		write(t, image, testImage(t, 1, 48, 40))
	}
	to := func(out string, more ...string) []string {
		return append([]string{"augment", in, "--crop", "32", "--mix", "pixmix", "--mixset", set, "-o", filepath.Join(dir, out)}, more...)
	}
	augmix(t, exitDone, to("whole")...)
	refused("mixset", to("whole")...)
	augmix(t, exitDone, to("whole")...)
	augmix(t, exitDone, to("parts", "--shard", "0/2")...)
	refused("mixset", to("parts", "--shard", "1/2")...)
	write(t, filepath.Join(in, "fish", "9999.png"), []byte("no image")) // the last
	augmix(t, exitFailed, to("cut")...)
	refused("mixset", to("cut")...)
	augmix(t, exitRejected, to("cut", "--on-error", "skip")...)

	styled := []string{
		"augment", photos(t, 1), "--crop", "32", "--mix", "style-p1", "--style-weights", styleFile(t), "--styles", set, "-o", filepath.Join(dir, "styled"),
	}
	augmix(t, exitDone, styled...)
	refused("styles", styled...)
}
