package main

import (
	"bytes"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/results"
)

// A set of MedMNIST-C is measured as it lies there and as it is made, with the same numbers, over the list of its profile and no other;
// a feed sends the same images. The folder of a run stands for its weights.
func TestMedMNISTC(t *testing.T) {
	const profile = "medmnist-c/bloodmnist"
	set, err := tables.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	net := trainedNet(t, cifarFolder(t, 20))
	augmix(t, exitDone, "data", "convert", cifarFolder(t, 20), "-o", in("my.npz"), "--output-format", "medmnist", "--output-split", "test", "--split", "test")
	augmix(t, exitDone, "corrupt", in("my.npz"), "-o", in("c"), "--profile", profile, "--seed", "7")

	disk := []string{"eval", net, in("my.npz"), "--suite", "clean,c", "--c", in("c"), "--name", "a"}
	augmix(t, exitDone, append(disk, "-o", in("disk"))...)
	augmix(t, exitDone, "eval", filepath.Dir(net), in("my.npz"), "--suite", "clean,c", "--profile", profile, "--seed", "7", "--name", "a", "-o", in("made"))
	made := byKey(t, filepath.Join(in("made"), results.FileName))
	names := map[string]bool{}
	means := 0
	for k, w := range byKey(t, filepath.Join(in("disk"), results.FileName)) {
		if k.Dataset == "my-c" {
			k.Part = "parameters " + set.Sum()
			if k.Corruption == "" && k.Severity == 0 && k.Metric == results.Top1Error {
				means++
			}
			names[k.Corruption] = true
		}
		if m, ok := made[k]; !ok || m.Value != w.Value || m.N != w.N {
			t.Errorf("%v: %v of %d from disk, %v of %d on the fly", k, w.Value, w.N, m.Value, m.N)
		}
	}
	delete(names, "")
	if means != 1 || len(names) != len(set.Names) || slices.ContainsFunc(set.Names, func(name string) bool { return !names[name] }) {
		t.Errorf("%d means over %v, want one over %v", means, names, set.Names)
	}

	augmix(t, exitDone, "corrupt", in("my.npz"), "-o", in("arrays"), "--profile", profile, "--seed", "7", "--severity", "3", "--output-format", "npy")
	f := feedAll(t, false, nil, in("my.npz"), "--corrupt", "all", "--profile", profile, "--seed", "7", "--no-shuffle", "--epochs", "1", "--tail", "short",
		"--batch", "8", "--output-layout", "nhwc", "--severity", "3")
	if f.code != exitDone || len(f.Hello.Forms) != len(set.Names) {
		t.Fatalf("status %d, forms %v\n%s", f.code, f.Hello.Forms, &f.errs)
	}
	const size = 32 * 32 * 3
	fed := f.array("images")
	for k, form := range f.Hello.Forms {
		file := readNPY(t, filepath.Join(in("arrays"), form.Name+".npy"))
		for i := range f.Hello.Samples {
			if !bytes.Equal(fed[(i*len(set.Names)+k)*size:][:size], file[i*size:][:size]) {
				t.Fatalf("%s of image %d differs from that of augmix corrupt", form.Name, i)
			}
		}
	}

	some := augmix(t, exitDone, append(disk, "--subset", "stain_deposit,pixelate")...)
	if !strings.Contains(some.out, "stain_deposit") || strings.Contains(some.out, "bubble") {
		t.Errorf("of a list of names:\n%s", some.out)
	}
	for _, c := range []struct {
		code       int
		args, want string
	}{
		{exitFailed, "--c " + in("c") + " --subset bubble,fog", "fog.npy or .npz"},
		{exitUsage, "--subset bubble", "bubble is of MedMNIST-C, and the profile has no parameters of it"},
		{exitUsage, "--subset bubble --profile medmnist-c/octmnist", "bubble is of MedMNIST-C"},
	} {
		if o := augmix(t, c.code, append([]string{"eval", net, in("my.npz"), "--suite", "c"}, strings.Fields(c.args)...)...); !strings.Contains(o.err, c.want) {
			t.Errorf("%s: %s", c.args, o.err)
		}
	}
}

// A folder of color and gray images becomes a file in MedMNIST's layout, or a form of one, in color; --gray is for folders of gray images
// alone, and an array stays as it is.
func TestMedMNISTOfMixedImages(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "data", "convert", "scenes:n=2,size=32", "-o", in("mixed"), "--output-format", "folder")
	first, err := filepath.Glob(filepath.Join(in("mixed"), "*", "*", "*"))
	if err != nil || len(first) != 2 {
		t.Fatal(first, err)
	}
	gray := image.NewGray(image.Rect(0, 0, 32, 32))
	var file bytes.Buffer
	if err := png.Encode(&file, gray); err != nil {
		t.Fatal(err)
	}
	write(t, first[1], file.Bytes())
	augmix(t, exitDone, "data", "convert", in("mixed"), "-o", in("mixed.npz"), "--output-format", "medmnist", "--output-split", "test")
	augmix(t, exitDone, "corrupt", in("mixed"), "-o", in("c"), "--output-format", "medmnist", "--subset", "fog", "--severity", "3")
	if o := augmix(t, exitFailed, "corrupt", in("mixed"), "-o", in("g"), "--output-format", "medmnist", "--subset", "fog", "--gray"); !strings.Contains(o.err, "is gray, those before it are color") {
		t.Errorf("says %q", o.err)
	}
}
