package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A link to a folder is an output like the folder: the same files, once more, extended, from scratch and in shards.
func TestOutputBehindLink(t *testing.T) {
	in := photos(t, 6)
	for name, runs := range map[string][][]string{
		"folder":      {{"augment", in}, {"augment", in}, {"augment", in, "--seed", "2", "--force"}},
		"tar files":   {{"augment", in, "--output-format", "wds", "--per-shard", "4"}},
		"epochs":      {{"augment", in, "--epochs", "2"}},
		"corruptions": {{"corrupt", in, "--subset", "fog", "--severity", "1"}, {"corrupt", in, "--subset", "fog", "--severity", "1,2"}},
		"arrays":      {{"corrupt", in, "--crop", "32", "--output-format", "npy", "--subset", "fog"}},
		"sequences":   {{"perturb", in, "--size", "36", "--crop", "32", "--subset", "tilt"}},
		"convert":     {{"data", "convert", in}},
		"shards":      {{"augment", in, "--shard", "1/2"}, {"augment", in, "--shard", "0/2"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plain, real, link := filepath.Join(dir, "plain"), filepath.Join(dir, "real"), filepath.Join(dir, "link")
			if err := os.Mkdir(real, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("real", link); err != nil {
				t.Skip("this system has no links:", err)
			}
			for _, args := range runs {
				augmix(t, exitDone, slices.Concat(args, []string{"-o", plain})...)
				augmix(t, exitDone, slices.Concat(args, []string{"-o", link})...)
			}
			sameTree(t, tree(t, real), tree(t, plain))
			augmix(t, exitDone, "verify", link)
		})
	}
}
