package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/nn/weights"
)

// Every method of the table augments a folder by its default; the bytes do not depend on the number of workers.
func TestAugmentByEveryMethod(t *testing.T) {
	in, style := photos(t, 9), styleFile(t)
	network := networkFile(t, image2imagetest.NetworkTensors(t, "b1.b1.body.0.weight", 64, 16, 3, 3))
	seen := map[string]string{}
	for _, e := range mix.Table() {
		t.Run(e.Name, func(t *testing.T) {
			var want map[string]string
			for _, jobs := range []string{"1", "3"} {
				out := filepath.Join(t.TempDir(), "out")
				args := []string{"augment", in, "-o", out, "--crop", "32", "--mix", e.Name, "-j", jobs}
				switch e.Name {
				case "pixmix", "ipmix":
					args = append(args, "--mixset", "fractals-n4")
				case "deepaugment":
					args = append(args, "--network", network)
				case "style":
					args = append(args, "--styles", "fractals-n3", "--style-weights", style)
				}
				augmix(t, exitDone, args...)
				got := tree(t, out)
				if want == nil {
					want = got
				}
				sameTree(t, got, want)
				if jobs == "1" && !strings.Contains(got["args.yaml"], "mix: "+e.Spec) {
					t.Errorf("args.yaml says %s", got["args.yaml"])
				}
				if _, soft := got["targets.jsonl"]; soft != (e.Name == "mixup" || e.Name == "cutmix") {
					t.Errorf("soft labels: %v", soft)
				}
			}
			var all strings.Builder // of one image alone, methods with a probability may make the same
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if strings.HasSuffix(name, ".png") {
					all.WriteString(want[name])
				}
			}
			image := all.String()
			if other, ok := seen[image]; ok {
				t.Errorf("%s makes the images that %s makes", e.Name, other)
			}
			seen[image] = e.Name
		})
	}
}

// styleFile writes the weights of a style transfer network, which are random.
func styleFile(t testing.TB) string {
	return networkFile(t, image2imagetest.StyleTensors(t))
}

func networkFile(t testing.TB, list []image2image.Tensor) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "net.safetensors")
	ts := make([]weights.Tensor, len(list))
	for i, x := range list {
		ts[i] = weights.Tensor(x)
	}
	if err := weights.WriteFile(path, ts, nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// What is wrong with networks and styles is one line that names the file and the tensor, or the option.
func TestStyleRefuses(t *testing.T) {
	in, out, good := photos(t, 3), filepath.Join(t.TempDir(), "out"), styleFile(t)
	bad := slices.Clone(image2imagetest.StyleTensors(t))
	bad[3].Data = slices.Clone(bad[3].Data)
	bad[3].Data[1] = float32(math.NaN())
	broken := networkFile(t, bad)
	empty := t.TempDir()
	for _, c := range []struct {
		status int
		says   []string
		args   []string
	}{
		{exitUsage, []string{"style-weights is missing"}, []string{"--mix", "style"}},
		{exitUsage, []string{"style-weights", "no method takes it (style does)"}, []string{"--mix", "augmix", "--style-weights", good}},
		{exitUsage, []string{"styles: fractals"}, []string{"--mix", "augmix", "--styles", "fractals"}},
		{exitFailed, []string{broken, bad[3].Name, "NaN"}, []string{"--mix", "style", "--style-weights", broken}},
		{exitUsage, []string{"network is missing", "deepaugment"}, []string{"--mix", "deepaugment"}},
		{exitUsage, []string{"network", "no method takes it (deepaugment does)"}, []string{"--mix", "noise2net", "--network", good}},
		{exitFailed, []string{good, "allowed: weights of CARN-M"}, []string{"--mix", "deepaugment", "--network", good}},
		{exitFailed, []string{"nowhere.npz"}, []string{"--mix", "style", "--style-weights", "nowhere.npz"}},
		{exitFailed, []string{empty, "no image"}, []string{"--mix", "style", "--style-weights", good, "--styles", empty}},
		{exitFailed, []string{"0000.png", "for a style"}, []string{"--mix", "style", "--style-weights", good, "--styles", smallImages(t)}},
	} {
		o := augmix(t, c.status, append([]string{"augment", in, "-o", out}, c.args...)...)
		for _, want := range c.says {
			if !strings.Contains(o.err, want) || strings.Count(strings.TrimSpace(o.err), "\n") > 0 {
				t.Errorf("%v says %q, want one line with %q", c.args, o.err, want)
			}
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%v wrote something", c.args)
		}
	}
}

// smallImages is a folder of an image that is too small to have a style.
func smallImages(t *testing.T) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "0000.png"), testImage(t, 1, 20, 40))
	return dir
}

type softRow struct {
	Key    string
	Target mix.Target
}

func softRows(t *testing.T, path string) (rows []softRow) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		var r softRow
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		var sum float64
		for _, w := range r.Target {
			sum += float64(w.Weight)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the weights of %s sum to %v", r.Key, sum)
		}
		rows = append(rows, r)
	}
	return rows
}

func TestAugmentSoftLabels(t *testing.T) {
	in, dir := photos(t, 12), t.TempDir()
	folder, array := filepath.Join(dir, "set"), filepath.Join(dir, "set.npy")
	augmix(t, exitDone, "augment", in, "-o", folder, "--size", "32", "--crop", "random:32", "--mix", "pixmix-input+cutmix", "--views", "3")
	rows := softRows(t, filepath.Join(folder, "targets.jsonl"))
	if len(rows) != 36 || rows[0].Key != "cat/0000-v0" || len(rows[0].Target) != 1 {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	augmix(t, exitDone, "data", "verify", folder)
	augmix(t, exitDone, "augment", in, "-o", array, "--crop", "32", "--mix", "mixup-a1")
	if rows := softRows(t, filepath.Join(dir, "set_targets.jsonl")); len(rows) != 12 {
		t.Errorf("%d rows beside the array", len(rows))
	}
	augmix(t, exitDone, "data", "verify", array)
	// The array is read back, and mixed again with itself.
	augmix(t, exitDone, "augment", array, "-o", filepath.Join(dir, "twice.npy"), "--mix", "cutmix-each", "--epochs", "2")
	for _, name := range []string{"twice-epoch-001_targets.jsonl", "twice-epoch-002_targets.jsonl"} {
		if rows := softRows(t, filepath.Join(dir, name)); len(rows) != 12 {
			t.Errorf("%s has %d rows", name, len(rows))
		}
	}
	// The same command again finds it complete, another is refused.
	if o := augmix(t, exitDone, "augment", in, "-o", array, "--crop", "32", "--mix", "mixup-a1"); !strings.Contains(o.err, "complete") {
		t.Errorf("the second run says %s", o.err)
	}
	augmix(t, exitFailed, "augment", in, "-o", array, "--crop", "32", "--mix", "mixup-a2")
}

// An image larger than mixing sets are made for gets them continued by reflection, where no flag says its size.
func TestMixsetOfLargeImages(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.png"), filepath.Join(dir, "out.png")
	write(t, in, testImage(t, 1, 2060, 24))
	augmix(t, exitDone, "augment", in, "-o", out, "--mix", "pixmix-k1", "--mixset", "fractals-n1")
	o := augmix(t, exitUsage, "augment", in, "-o", out, "--mix", "pixmix", "--crop", "2060", "--force")
	if !strings.Contains(o.err, "size 2060 (allowed: 8 to 2048)") {
		t.Error(o.err)
	}
}

func TestAugmentMixingRefuses(t *testing.T) {
	in, out := photos(t, 6), filepath.Join(t.TempDir(), "out")
	empty, small := t.TempDir(), t.TempDir()
	write(t, filepath.Join(small, "a", "tiny.png"), testImage(t, 1, 9, 9))
	packed := filepath.Join(t.TempDir(), "set.npz")
	augmix(t, exitDone, "augment", in, "-o", packed, "--crop", "16", "--deflate", "--mix", "none")
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "no method of --mix mixes images in", []string{in, "-o", out, "--mix", "cutout", "--mixset", "fractals"}},
		{exitUsage, "neither a kind nor a file", []string{in, "-o", out, "--crop", "16", "--mix", "pixmix", "--mixset", "fractalz"}},
		{exitUsage, "drawn from a network in training", []string{in, "-o", out, "--crop", "16", "--mix", "pixmix", "--mixset", "iterative-fvis-n9"}},
		{exitFailed, "empty", []string{in, "-o", out, "--crop", "16", "--mix", "pixmix", "--mixset", empty}},
		{exitFailed, "too small", []string{in, "-o", out, "--crop", "16", "--mix", "pixmix", "--mixset", small}},
		{exitUsage, "allowed: 1 to 32 rounds", []string{in, "-o", out, "--mix", "pixmix-k-1"}},
		{exitUsage, "beta b0 (allowed", []string{in, "-o", out, "--mix", "pixmix-b0"}},
		{exitUsage, "there are: cifar10, cifar10full, imagenet, svhn", []string{in, "-o", out, "--mix", "autoaugment-mnist"}},
		{exitUsage, "--crop N", []string{"-", "-o", out, "--output-format", "folder", "--mix", "pixmix"}},
		{exitUsage, "standard output cannot hold", []string{in, "-o", "-", "--mix", "mixup"}},
		{exitUsage, "cannot be read at random", []string{"-", "-o", out, "--output-format", "folder", "--mix", "mixup"}},
		{exitFailed, "cannot be read at random", []string{packed, "-o", out, "--mix", "mixup"}},
		{exitFailed, "crop or resize first", []string{in, "-o", out, "--mix", "cutmix"}},
	} {
		o := augmix(t, c.code, append([]string{"augment"}, c.args...)...)
		if !strings.Contains(o.err, c.says) {
			t.Errorf("%v says %q, want %q", c.args, o.err, c.says)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSheetOfMethods(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		write(t, filepath.Join(dir, "p", string(rune('a'+i))+".png"), testImage(t, i, 32, 32+4*i))
	}
	out := filepath.Join(dir, "sheet.png")
	augmix(t, exitDone, "sheet", filepath.Join(dir, "p"), "-o", out, "--samples", "5", "--tile", "64",
		"--mix", "pixmix", "--mix", "cutmix", "--mix", "standard+mixup", "--mix", "autoaugment-svhn", "--mixset", "fractals-n9")
	file, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(file)); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(file, []byte("mixset: fractals-n9")) || !bytes.Contains(file, []byte("standard-p4+mixup-a1")) {
		t.Error("the options are not recorded in the file")
	}
	again := filepath.Join(dir, "again.png")
	augmix(t, exitDone, "sheet", filepath.Join(dir, "p"), "-o", again, "--samples", "5", "--tile", "64",
		"--mix", "pixmix", "--mix", "cutmix", "--mix", "standard+mixup", "--mix", "autoaugment-svhn", "--mixset", "fractals-n9")
	if file2, err := os.ReadFile(again); err != nil || !bytes.Equal(file, file2) {
		t.Errorf("the same seed draws another sheet (%v)", err)
	}
	augmix(t, exitDone, "sheet", filepath.Join(dir, "p", "a.png"), "-o", out, "--mix", "cutmix", "--samples", "4") // with its mirror image
	augmix(t, exitUsage, "sheet", "-o", out, "--mix", "cutout", "--mixset", "fractals")
}

func TestListMixes(t *testing.T) {
	var rows []mixRow
	if err := json.Unmarshal([]byte(augmix(t, exitDone, "list", "mixes", "--json").out), &rows); err != nil {
		t.Fatal(err)
	}
	text := augmix(t, exitDone, "list", "mixes").out
	for _, r := range rows {
		if r.Doc == "" || r.Paper == "" && r.Name != "none" || len(r.Options) == 0 && r.Name != "none" {
			t.Errorf("%+v lacks something", r)
		}
		if m, err := mix.ParseSpec(r.Spec); err != nil || m.String() != r.Spec || !strings.Contains(text, "default  "+r.Spec) {
			t.Errorf("the default %s of %s: %v, %v", r.Spec, r.Name, m, err)
		}
	}
	for _, name := range []string{
		"standard", "augmix", "pixmix", "mixup", "cutmix", "cutout", "patchgaussian", "patchuniform", "autoaugment",
		"randomautoaugment", "randaugment", "trivialaugment", "speckle", "gaussian", "randomerasing",
	} {
		if !strings.Contains(text, name+": ") {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if len([]rune(line)) > 120 {
			t.Errorf("a line of %d columns: %s", len([]rune(line)), line)
		}
	}
}

func TestSheetOfMixset(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png")
	augmix(t, exitDone, "sheet", "--mixset", "fractals-n6", "--tile", "64", "-o", a)
	augmix(t, exitDone, "sheet", "--mixset", "fractals-n6", "--tile", "64", "-o", b)
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := os.ReadFile(b); err != nil || !bytes.Equal(x, y) {
		t.Errorf("two sheets of one set differ (%v)", err)
	}
	if o := augmixIn(t.Context(), nil, "sheet", "--mixset", "fractures", "-o", a); o.code != exitUsage && o.code != exitFailed {
		t.Errorf("an unknown kind: %d %s", o.code, o.err)
	}
}

// Soft labels of an earlier augmentation are for the user's own loop: commands that read the images say that they do not take them.
func TestSoftLabelsAreSaid(t *testing.T) {
	dir := t.TempDir()
	for out, name := range map[string]string{"m.npz": "m_targets.jsonl", "folder": "targets.jsonl", "tar": "targets.jsonl"} {
		path := filepath.Join(dir, out)
		args := []string{"augment", "scenes:n=20,size=16", "-o", path, "--mix", "mixup"}
		if out == "tar" {
			args = append(args, "--output-format", "wds")
		}
		augmix(t, exitDone, args...)
		want := path + ": soft labels (" + name + ") are not read"
		for _, args := range [][]string{
			{"augment", path, "-o", filepath.Join(dir, out+"-2"), "--output-format", "folder"},
			{"data", "info", path},
			{"train", "--data", path, "--model", "densenet-7-2", "--epochs", "1", "--batch", "10", "-o", filepath.Join(dir, out+"-run")},
		} {
			if o := augmix(t, exitDone, args...); !strings.Contains(o.err, want) {
				t.Errorf("%s %s: says %q", args[0], out, o.err)
			}
		}
	}
	if o := augmix(t, exitDone, "data", "info", filepath.Join(dir, "m.npz-2")); strings.Contains(o.err, "soft labels") {
		t.Errorf("of a set without: says %q", o.err)
	}
}
