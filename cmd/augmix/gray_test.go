package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// grayTree is a folder of a gray PNG, a gray JPEG and a color PNG; pixels are those of the first.
func grayTree(t *testing.T) (dir string, pixels []uint8) {
	t.Helper()
	dir = t.TempDir()
	m := raster.New(24, 20)
	for i := range m.Pix {
		m.Pix[i] = uint8(i / 4 * 5)
	}
	save := func(name string) {
		file, err := data.Encoding{JPEG: filepath.Ext(name) == ".jpg"}.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), file)
	}
	save("a/color.png")
	m.SetLuma(m)
	save("a/gray.png")
	save("b/gray.jpg")
	return dir, m.AppendPixels(nil)
}

// modelOf is the color model of a PNG file.
func modelOf(t *testing.T, path string) color.Model {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil {
		t.Fatal(err)
	}
	return c.ColorModel
}

func readArray(t *testing.T, path string) *npy.Array {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestGray: gray images come out gray from every command that writes, in files and arrays, and color ones in color.
func TestGray(t *testing.T) {
	in, pixels := grayTree(t)
	out := t.TempDir()
	at := func(name string) string { return filepath.Join(out, name) }
	augmix(t, exitDone, "augment", in, "-o", at("augmented"), "--gray", "--mix", "augmix-m1")
	augmix(t, exitDone, "augment", in, "-o", at("colored"), "--mix", "augmix-m1")
	augmix(t, exitDone, "corrupt", in, "-o", at("corrupted"), "--gray", "--image", "png", "--subset", "gaussian_noise,fog", "--severity", "3")
	augmix(t, exitDone, "data", "convert", in, "-o", at("same.npy"), "--gray", "--without", "color", "--without", "b/gray")
	for name, want := range map[string]color.Model{
		"augmented/a/gray.png": color.GrayModel, "augmented/a/color.png": color.RGBAModel, "augmented/b/gray.png": color.GrayModel,
		"colored/a/gray.png": color.RGBAModel, "corrupted/gaussian_noise/3/a/gray.png": color.GrayModel,
		"corrupted/fog/3/b/gray.png": color.GrayModel, "corrupted/fog/3/a/color.png": color.RGBAModel,
	} {
		if got := modelOf(t, at(name)); got != want {
			t.Errorf("%s: another color model", name)
		}
	}
	same := readArray(t, at("same.npy"))
	if !slices.Equal(same.Shape, []int{1, 20, 24}) || !slices.Equal(same.Data.([]uint8), pixels) {
		t.Errorf("an array of shape %v, or of other pixels", same.Shape)
	}
	augmix(t, exitDone, "corrupt", at("same.npy"), "-o", at("arrays"), "--gray", "--subset", "pixelate", "--severity", "1,2")
	augmix(t, exitDone, "perturb", at("same.npy"), "-o", at("frames"), "--gray", "--subset", "brightness")
	augmix(t, exitDone, "augment", at("same.npy"), "-o", at("views.npy"), "--gray", "--views", "2", "--view-axis")
	augmix(t, exitDone, "data", "convert", at("views.npy"), "-o", at("again.npy"), "--gray")
	augmix(t, exitDone, "stream", at("same.npy"), "-o", at("stream.npy"), "--gray", "--subset", "fog,contrast")
	for name, shape := range map[string][]int{
		"arrays/pixelate.npy": {2, 20, 24}, "frames/brightness.npy": {1, 31, 20, 24, 1}, "views.npy": {1, 2, 20, 24, 1}, "again.npy": {2, 20, 24},
		"stream.npy": {2, 20, 24},
	} {
		if a := readArray(t, at(name)); !slices.Equal(a.Shape, shape) {
			t.Errorf("%s: shape %v, want %v", name, a.Shape, shape)
		}
	}
	if o := augmix(t, exitFailed, "data", "convert", in, "-o", at("mixed.npy"), "--gray"); !strings.Contains(o.err, "a/gray") || !strings.Contains(o.err, "holds color images") {
		t.Errorf("gray and color in one array: %s", o.err)
	}
}

// TestWindow: 16-bit gray is read by a window, and without one the error names the file and the option.
func TestWindow(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	deep := image.NewGray16(image.Rect(0, 0, 3, 1))
	copy(deep.Pix, []uint8{0, 0, 8, 0, 15, 255}) // 0, 2048, 4095
	var file bytes.Buffer
	if err := png.Encode(&file, deep); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(in, "a", "ct.png"), file.Bytes())
	array := filepath.Join(out, "x.npy")
	o := augmix(t, exitFailed, "data", "convert", in, "-o", array)
	if !strings.Contains(o.err, "ct.png") || !strings.Contains(o.err, "--window LO:HI") {
		t.Errorf("no window: %s", o.err)
	}
	if o := augmix(t, exitFailed, "data", "convert", in, "-o", array, "--window", "5000:6000"); !strings.Contains(o.err, "ct.png") ||
		!strings.Contains(o.err, "5000:6000 clips all") {
		t.Errorf("a window above all values: %s", o.err)
	}
	augmix(t, exitDone, "data", "convert", in, "-o", array, "--window", "0:4095", "--gray")
	if a := readArray(t, array); !slices.Equal(a.Data.([]uint8), []uint8{0, 128, 255}) {
		t.Errorf("levels %v", a.Data)
	}
	if err := npy.WriteFile(filepath.Join(in, "f.npy"), &npy.Array{Shape: []int{1, 1, 2}, Data: []float32{0.25, 1}}); err != nil {
		t.Fatal(err)
	}
	if o := augmix(t, exitFailed, "corrupt", filepath.Join(in, "f.npy"), "-o", filepath.Join(out, "c")); !strings.Contains(o.err, "f.npy") ||
		!strings.Contains(o.err, "--window LO:HI") {
		t.Errorf("floats without a window: %s", o.err)
	}
}

// TestMedMNIST: a file in MedMNIST's layout is augmented into one, and corrupted into those of MedMNIST-C.
func TestMedMNIST(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "chestmnist.npz"), t.TempDir()
	z, err := npy.CreateZip(in, false)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][]uint8{"train": {0, 1, 1, 0}, "test": {1, 1, 0, 1, 0, 0}}
	for _, part := range []string{"train", "test"} {
		n := len(labels[part]) / 2
		pixels := make([]uint8, n*8*8)
		for i := range pixels {
			pixels[i] = uint8(7 * i)
		}
		err = errors.Join(err, z.Write(part+"_images", &npy.Array{Shape: []int{n, 8, 8}, Data: pixels}),
			z.Write(part+"_labels", &npy.Array{Shape: []int{n, 2}, Data: labels[part]}))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	read := func(name string) map[string]*npy.Array {
		z, err := npy.OpenZip(name)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		arrays := map[string]*npy.Array{}
		for _, name := range z.Names() {
			if arrays[name], err = z.Read(name); err != nil {
				t.Fatal(err)
			}
		}
		return arrays
	}
	was := read(in)
	mixed := filepath.Join(out, "mixed.npz")
	augmix(t, exitDone, "augment", in, "-o", mixed, "--split", "train", "--mix", "augmix-m1")
	for name, a := range read(mixed) {
		if same := reflect.DeepEqual(a, was[name]); same != (name != "train_images") || !slices.Equal(a.Shape, was[name].Shape) {
			t.Errorf("%s: shape %v, the same: %v", name, a.Shape, same)
		}
	}
	c := filepath.Join(out, "c")
	augmix(t, exitDone, "corrupt", in, "-o", c, "--subset", "contrast", "--severity", "1,3")
	augmix(t, exitDone, "corrupt", in, "-o", c, "--subset", "pixelate", "--severity", "1,3")
	augmix(t, exitDone, "verify", c)
	for _, name := range []string{"contrast", "pixelate"} {
		a := read(filepath.Join(c, name+".npz"))
		if len(a) != 2 || !slices.Equal(a["test_images"].Shape, []int{6, 8, 8}) || !slices.Equal(a["test_labels"].Shape, []int{6, 2}) ||
			!slices.Equal(a["test_labels"].Data.([]uint8), slices.Repeat(labels["test"], 2)) {
			t.Errorf("%s: %v", name, a)
		}
	}
	if o := augmix(t, exitFailed, "data", "convert", in, "-o", filepath.Join(out, "x.npz")); !strings.Contains(o.err, "train, test; say --split PART") {
		t.Errorf("no part: %s", o.err)
	}
}

// TestMedicalProfile: a profile of MedMNIST-C makes its own corruptions, of gray images too, and a stream has them.
func TestMedicalProfile(t *testing.T) {
	in, _ := grayTree(t)
	out := t.TempDir()
	c := filepath.Join(out, "c")
	augmix(t, exitDone, "corrupt", in, "-o", c, "--gray", "--image", "png", "--profile", "medmnist-c/pathmnist", "--severity", "2")
	entries, err := os.ReadDir(c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if want := []string{
		"brightness_down", "brightness_up", "bubble", "contrast_down", "contrast_up", "defocus_blur", "jpeg_compression", "motion_blur", "pixelate",
		"saturate", "stain_deposit",
	}; !slices.Equal(names, want) {
		t.Errorf("corruptions %q, want %q", names, want)
	}
	if modelOf(t, filepath.Join(c, "bubble", "2", "a", "gray.png")) != color.GrayModel {
		t.Error("bubbles have made a gray image one of color")
	}
	augmix(t, exitDone, "corrupt", in, "-o", c, "--gray", "--image", "png", "--profile", "medmnist-c/pathmnist", "--severity", "2", "--subset", "bubble,fog")
	if o := augmix(t, exitFailed, "corrupt", in, "-o", c, "--gray", "--image", "png", "--profile", "medmnist-c/octmnist", "--severity", "2"); !strings.Contains(o.err, "another --profile") ||
		strings.Contains(o.err, "adding") {
		t.Error(o.err)
	}
	if o := augmix(t, exitFailed, "corrupt", in, "-o", c, "--gray", "--image", "png", "--profile", "medmnist-c/bloodmnist", "--severity", "2"); !strings.Contains(o.err, "parameters: was") {
		t.Errorf("other parameters: %s", o.err)
	}
	// The same profile in a file makes the same.
	mine, own := filepath.Join(out, "my.yaml"), filepath.Join(out, "own")
	write(t, mine, []byte(augmix(t, exitDone, "list", "corruptions", "--profile", "medmnist-c/pathmnist").out))
	augmix(t, exitDone, "corrupt", in, "-o", own, "--gray", "--image", "png", "--profile", mine, "--severity", "2")
	for _, name := range names {
		sameTree(t, tree(t, filepath.Join(own, name)), tree(t, filepath.Join(c, name)))
	}
	if _, err := os.Stat(filepath.Join(own, "fog")); err == nil {
		t.Error("a file of MedMNIST-C's parameters makes a corruption that it does not name")
	}
	augmix(t, exitDone, "stream", in, "-o", filepath.Join(out, "s"), "--profile", "medmnist-c/dermamnist", "--subset", "characters,black_corner")
	if o := augmix(t, exitUsage, "corrupt", in, "-o", filepath.Join(out, "x"), "--subset", "bubble"); !strings.Contains(o.err, "bubble") {
		t.Errorf("bubble without parameters: %s", o.err)
	}
	if o := augmix(t, exitDone, "list", "profiles"); !strings.Contains(o.out, "medmnist-c/pathmnist: PathMNIST-C") || !strings.Contains(o.out, "stain_deposit") {
		t.Errorf("the list of profiles: %s", o.out)
	}
	if o := augmix(t, exitDone, "list", "corruptions", "--profile", "medmnist-c/octmnist"); !strings.Contains(o.out, "base: 224") {
		t.Errorf("a profile as a file: %s", o.out)
	}
}

// TestAlpha: what loses its alpha channel is counted, and can be refused.
func TestAlpha(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	m := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	for i := range 3 {
		m.Pix[4*i] = uint8(i)
		var file bytes.Buffer
		if err := png.Encode(&file, m); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(in, "a", string(rune('a'+i))+".png"), file.Bytes())
	}
	write(t, filepath.Join(in, "b", "x.png"), testImage(t, 1, 8, 8))
	if o := augmix(t, exitDone, "augment", in, "-o", filepath.Join(out, "1"), "--views", "2"); !strings.Contains(o.err, "3 images had an alpha channel, which was dropped") {
		t.Errorf("three of four images lose it: %s", o.err)
	}
	if o := augmix(t, exitRejected, "corrupt", in, "-o", filepath.Join(out, "2"), "--subset", "contrast", "--alpha", "refuse", "--on-error", "skip"); strings.Count(o.err,
		"transparent pixels") != 3 || strings.Contains(o.err, "which was dropped") {
		t.Errorf("refused: %s", o.err)
	}
	if o := augmix(t, exitFailed, "data", "convert", in, "-o", filepath.Join(out, "3"), "--alpha", "refuse"); !strings.Contains(o.err, "a.png: ") {
		t.Errorf("refused: %s", o.err)
	}
}

// TestAlphaKeep: alpha channels are written beside the colors where the output can hold them, said once where pixels move under them, and
// otherwise refused before anything is written.
func TestAlphaKeep(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	m := image.NewNRGBA(image.Rect(0, 0, 16, 12))
	for i := range m.Pix {
		m.Pix[i] = uint8(3 * i)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(in, "a", "clear.png"), file.Bytes())
	write(t, filepath.Join(in, "a", "plain.png"), testImage(t, 1, 16, 12))
	for name, c := range map[string]struct {
		args  []string
		moves string // what the warning names, "" for none
	}{
		"augment/a/clear.png":                     {[]string{"augment", "--op", "flip"}, "flip, rotate, shear_x, shear_y, translate_x, translate_y"},
		"convert/a/clear.png":                     {[]string{"data", "convert"}, ""},
		"corrupt/fog/2.5/a/clear.png":             {[]string{"corrupt", "--image", "png", "--subset", "fog,ripple", "--severity", "2.5"}, "ripple"},
		"perturb/brightness/a/clear/frame-03.png": {[]string{"perturb", "--subset", "brightness"}, ""},
	} {
		dir, _, _ := strings.Cut(name, "/")
		args := append(c.args, "--alpha", "keep", in, "-o", filepath.Join(out, dir))
		if dir == "augment" {
			args = append(args, "--mix", "augmix-m1")
		}
		o := augmix(t, exitDone, args...)
		if want := "alpha channels stay where they are, and pixels move with " + c.moves + "\n"; strings.Count(o.err, "alpha channel") != strings.Count(o.err, want) ||
			strings.Contains(o.err, want) != (c.moves != "") {
			t.Errorf("%s: %s", dir, o.err)
		}
		if modelOf(t, filepath.Join(out, name)) != color.NRGBAModel {
			t.Errorf("%s: no alpha channel", name)
		}
		if modelOf(t, strings.Replace(filepath.Join(out, name), "clear", "plain", 1)) != color.RGBAModel {
			t.Errorf("%s: an alpha channel that the image had not", name)
		}
	}
	refused := filepath.Join(out, "refused")
	for _, args := range [][]string{
		{"augment", "-o", refused + ".npy"},
		{"augment", "-o", refused, "--image", "jpeg"},
		{"augment", "-o", refused + ".jpg"},
		{"data", "convert", "-o", refused, "--output-format", "cifar10"},
		{"corrupt", "-o", refused},
		{"corrupt", "-o", refused, "--output-format", "npy"},
		{"perturb", "-o", refused, "--output-format", "apng"},
		{"perturb", "-o", refused, "--profile", "224"},
		{"stream", "-o", refused},
	} {
		o := augmix(t, exitUsage, append(args, in, "--alpha", "keep")...)
		if strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "alpha") || !strings.Contains(o.err, "(allowed") {
			t.Errorf("%v: %s", args, o.err)
		}
	}
	if left, _ := filepath.Glob(refused + "*"); left != nil {
		t.Errorf("refused, and there are %v", left)
	}
	if o := augmix(t, exitUsage, "augment", in, "-o", refused, "--alpha", "no"); strings.Contains(o.err, `""`) || !strings.Contains(o.err, "keep") {
		t.Errorf("an unknown rule: %s", o.err)
	}
}

// TestDeepChannels: train, eval, predict and feed read arrays of five channels of 16 bits by --channels and --window, which runs and
// rows remember, and what corrupts gray images gives the numbers of the gray files of augmix corrupt.
func TestDeepChannels(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, side = 6, 32
	deep, labels, gray := make([]uint16, n*side*side*5), make([]int64, n), make([]uint8, n*side*side)
	r := rng.New(1)
	for i := range deep {
		deep[i] = uint16(r.IntN(3000))
	}
	for i := range gray {
		gray[i] = uint8(i % 251)
	}
	for i := range labels {
		labels[i] = int64(i % 2)
	}
	for name, a := range map[string]*npy.Array{
		"deep/x.npy": {Shape: []int{n, side, side, 5}, Data: deep}, "deep/labels.npy": {Shape: []int{n}, Data: labels},
		"gray/x.npy": {Shape: []int{n, side, side}, Data: gray}, "gray/labels.npy": {Shape: []int{n}, Data: labels},
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o777), npy.WriteFile(at(name), a)); err != nil {
			t.Fatal(err)
		}
	}
	same := []string{"--channels", "4,3,2", "--window", "0:3000"}
	augmix(t, exitDone, slices.Concat([]string{"data", "convert", at("deep/x.npy"), "-o", at("rgb/x.npy")}, same)...)
	for _, set := range []string{"deep", "rgb"} {
		args := slices.Concat([]string{"train", "--data", at(set + "/x.npy"), "--val", "none", "-o", at("net-" + set)}, smallTraining, []string{"--epochs", "1"})
		if set == "deep" {
			args = append(args, same...)
		}
		augmix(t, exitDone, args...)
	}
	weights := func(set string) string {
		b, err := os.ReadFile(at("net-" + set + "/model.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b[len(b)-4*16*27:]) // behind what the header says of names
	}
	if weights("deep") != weights("rgb") {
		t.Error("training on the channels of an array is not training on what data convert makes of them")
	}
	model := at("net-deep/model.safetensors")
	for _, c := range []struct {
		status int
		words  string
		args   []string
	}{
		{exitFailed, "window was 0:3000, now 0:2000", []string{"train", "--resume", "-o", at("net-deep"), "--window", "0:2000"}},
		{exitFailed, "channels was [4 3 2], now [1 2 3]", []string{"train", "--resume", "-o", at("net-deep"), "--channels", "1,2,3"}},
		{exitFailed, "gray was false, now true", []string{"train", "--resume", "-o", at("net-deep"), "--gray"}},
		{exitUsage, `window "9:1"`, slices.Concat([]string{"train", "--data", at("deep/x.npy"), "-o", at("no"), "--window", "9:1"}, smallTraining)},
		{exitFailed, "--window LO:HI", slices.Concat([]string{"train", "--data", at("deep/x.npy"), "-o", at("no")}, smallTraining)},
		{exitFailed, "channel 6 (allowed: 1 to 5)", []string{"eval", model, at("deep/x.npy"), "--channels", "6,1,2", "--window", "0:3000"}},
		{exitUsage, `window "9:1"`, []string{"eval", model, at("deep/x.npy"), "--window", "9:1"}},
		{exitFailed, "--window LO:HI", []string{"predict", model, at("deep/x.npy"), "--channels", "4,3,2"}},
		{exitUsage, `window "9:1"`, []string{"feed", at("deep/x.npy"), "--window", "9:1"}},
	} {
		if o := augmix(t, c.status, c.args...); !strings.Contains(o.err, c.words) {
			t.Errorf("%v: %s", c.args, o.err)
		}
	}
	// With somebody's standard input, whose end would end the feed before it finds these.
	for words, args := range map[string][]string{
		"--alpha keep":                {"--alpha", "keep"},
		"channel 9 (allowed: 1 to 5)": {"--window", "0:9", "--channels", "9"},
	} {
		if f := feedAll(t, false, nil, append([]string{at("deep/x.npy")}, args...)...); f.code == exitDone || !strings.Contains(f.errs.String(), words) {
			t.Errorf("%v: exit code %d, %s", args, f.code, f.errs.String())
		}
	}
	said := augmix(t, exitDone, append([]string{"predict", model, at("deep/x.npy"), "--json", "-q"}, same...)...)
	if want := augmix(t, exitDone, "predict", model, at("rgb/x.npy"), "--json", "-q"); strings.ReplaceAll(said.out, "deep", "rgb") != want.out {
		t.Error("other predictions of the channels of an array")
	}
	fed := feedAll(t, false, nil, at("gray/x.npy"), "--gray", "--corrupt", "spatter", "--severity", "5", "--epochs", "1", "--no-shuffle", "--tail", "short", "--output-layout", "nhwc")
	images := fed.array("images")
	common := []string{"eval", model, at("gray/x.npy"), "--suite", "c,p", "--subset", "gaussian_noise,spatter", "--perturbation", "speckle_noise", "--gray", "-q"}
	augmix(t, exitDone, "corrupt", at("gray/x.npy"), "-o", at("c"), "--gray", "--subset", "gaussian_noise,spatter", "-q")
	for i, v := range readArray(t, at("c/spatter.npy")).Data.([]uint8)[4*n*side*side:] {
		if images[3*i] != v || images[3*i+1] != v || images[3*i+2] != v {
			t.Fatalf("feed: pixel %d is %v, want %d", i, images[3*i:][:3], v)
		}
	}
	augmix(t, exitDone, "perturb", at("gray/x.npy"), "-o", at("p"), "--gray", "--subset", "speckle_noise", "-q")
	augmix(t, exitDone, append(common, "-o", at("way"))...)
	augmix(t, exitDone, append(common, "-o", at("disk"), "--c", at("c"), "--p", at("p"))...)
	way, disk := byKey(t, at("way/results.jsonl")), byKey(t, at("disk/results.jsonl"))
	for k, w := range way {
		if d, ok := disk[k]; !ok || d.Value != w.Value && !math.IsNaN(w.Value) {
			t.Errorf("%+v: %v on the fly, %v from disk", k, w.Value, d.Value)
		}
	}
	again := slices.DeleteFunc(append(slices.Clone(common), "-o", at("way")), func(arg string) bool { return arg == "--gray" })
	if o := augmix(t, exitUsage, again...); !strings.Contains(o.err, "gray") {
		t.Errorf("resumed with colored noise: %s", o.err)
	}
}

// TestEveryChannel: each channel of an array becomes what it becomes alone, as a gray image, but for noise, which is new in each; one channel
// gives the bytes of --gray.
func TestEveryChannel(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, side, c = 2, 16, 5
	pixels, planes := make([]uint8, n*side*side*c), make([]uint8, n*side*side*c)
	r := rng.New(1)
	for i := range pixels {
		pixels[i] = uint8(r.IntN(256))
		planes[i/(side*side*c)*side*side*c+i%c*side*side+i/c%(side*side)] = pixels[i]
	}
	for name, a := range map[string]*npy.Array{
		"x.npy": {Shape: []int{n, side, side, c}, Data: pixels}, "planes.npy": {Shape: []int{n, c, side, side}, Data: planes},
		"one.npy": {Shape: []int{n, side, side, 1}, Data: pixels[:n*side*side]},
	} {
		if err := npy.WriteFile(at(name), a); err != nil {
			t.Fatal(err)
		}
	}
	corrupt := []string{"--subset", "gaussian_noise,impulse_noise,fog,frost,elastic_transform,glass_blur,contrast", "--severity", "3,4", "-q"}
	perturb := []string{"--subset", "shot_noise,snow,tilt", "-q"}
	for out, args := range map[string][]string{
		"all": {at("x.npy"), "--channels", "all"}, "nchw": {at("planes.npy"), "--layout", "nchw", "--channels", "all"},
		"third": {at("x.npy"), "--gray", "--channels", "3"}, "first": {at("x.npy"), "--gray", "--channels", "1"},
		"one": {at("one.npy"), "--channels", "all"}, "gray": {at("one.npy"), "--gray"},
	} {
		augmix(t, exitDone, slices.Concat([]string{"corrupt", "-o", at(out)}, args, corrupt)...)
		augmix(t, exitDone, slices.Concat([]string{"perturb", "-o", at(out + "-p")}, args, perturb)...)
	}
	for _, name := range []string{"/fog", "/frost", "/elastic_transform", "/glass_blur", "/contrast", "/gaussian_noise", "/impulse_noise", "-p/shot_noise", "-p/snow", "-p/tilt"} {
		read := func(out string) ([]uint8, []int) {
			a := readArray(t, at(out+name+".npy"))
			return a.Data.([]uint8), a.Shape
		}
		all, shape := read("all")
		if shape[len(shape)-1] != c {
			t.Fatalf("%s: shape %v", name, shape)
		}
		if nchw, _ := read("nchw"); !slices.Equal(nchw, all) {
			t.Errorf("%s: other bytes of planes", name)
		}
		one, _ := read("one")
		if gray, _ := read("gray"); !slices.Equal(one, gray) {
			t.Errorf("%s: one channel is not --gray", name)
		}
		first, _ := read("first")
		third, _ := read("third")
		noise := strings.Contains(name, "noise")
		same := true
		for i := range first {
			if all[i*c] != first[i] {
				t.Fatalf("%s: value %d of the first channel is %d, alone %d", name, i, all[i*c], first[i])
			}
			same = same && all[i*c+2] == third[i]
		}
		if same == noise {
			t.Errorf("%s: the third channel is as it is alone: %v", name, same)
		}
	}
	folder, _ := grayTree(t)
	for words, args := range map[string][]string{
		"saturate mixes":       {"corrupt", at("x.npy"), "--channels", "all"},
		"saturate mixes the":   {"augment", at("x.npy"), "--channels", "all", "--output-format", "npy", "--mix", "corrupt"},
		"output, folder":       {"corrupt", at("x.npy"), "--channels", "all", "--output-format", "folder"},
		"output, wds":          {"augment", at("x.npy"), "--channels", "all", "--output-format", "wds"},
		"takes a second image": {"augment", at("x.npy"), "--channels", "all", "--mix", "cutmix"},
		`channel "0"`:          {"corrupt", at("x.npy"), "--channels", "0"},
	} {
		if o := augmix(t, exitUsage, append(args, "-o", at("no"))...); !strings.Contains(o.err, words) {
			t.Errorf("%v: %s", args, o.err)
		}
	}
	if o := augmix(t, exitFailed, "corrupt", at("x.npy"), "-o", at("no")); !strings.Contains(o.err, "(--channels LIST says which are taken") {
		t.Errorf("five channels: %s", o.err)
	}
	if o := augmix(t, exitFailed, "corrupt", folder, "-o", at("no"), "--profile", at("none.yaml")); !strings.Contains(o.err, "--profile: stat "+at("none.yaml")) {
		t.Errorf("no profile: %s", o.err)
	}
	for _, channels := range []string{"all", "3,2,1"} { // would go unnoticed
		o := augmix(t, exitFailed, "perturb", folder, "--channels", channels, "--output-format", "npy", "-o", at("no"))
		if !strings.Contains(o.err, "for the format folder (allowed with: npy") {
			t.Errorf("channels %s of a folder: %s", channels, o.err)
		}
	}
}

// TestAugmentEveryChannel: each channel becomes what it becomes alone, views too, and in an archive.
func TestAugmentEveryChannel(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const n, side, c, crop = 3, 12, 5, 10
	pixels := make([]uint8, n*side*side*c)
	r := rng.New(1)
	for i := range pixels {
		pixels[i] = uint8(r.IntN(256))
	}
	if err := npy.WriteFile(at("x.npy"), &npy.Array{Shape: []int{n, side, side, c}, Data: pixels}); err != nil {
		t.Fatal(err)
	}
	run := func(out, channels string, more ...string) []string {
		return slices.Concat([]string{"augment", at("x.npy"), "-o", at(out), "--channels", channels, "--mix", "augmix-m1+pixmix", "--crop", fmt.Sprint("pad2:", crop), "--flip", "-q"}, more)
	}
	augmix(t, exitDone, run("all/x.npy", "all", "--views", "3", "--view-axis")...)
	augmix(t, exitDone, run("flat/x.npy", "all", "--views", "3")...)
	augmix(t, exitDone, run("zip/x.npz", "all", "--views", "3")...)
	all, flat := readArray(t, at("all/x.npy")), readArray(t, at("flat/x.npy"))
	if !slices.Equal(all.Shape, []int{n, 3, crop, crop, c}) || !slices.Equal(flat.Shape, []int{3 * n, crop, crop, c}) || !slices.Equal(all.Data.([]uint8), flat.Data.([]uint8)) {
		t.Errorf("shapes %v and %v", all.Shape, flat.Shape)
	}
	z, err := npy.OpenZip(at("zip/x.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if packed, err := z.Read("images"); err != nil || !reflect.DeepEqual(packed, flat) {
		t.Errorf("the archive holds something else: %v", err)
	}
	for k := range c {
		out := fmt.Sprintf("one%d/x.npy", k)
		augmix(t, exitDone, run(out, fmt.Sprint(k+1), "--views", "3", "--gray")...)
		one := readArray(t, at(out)).Data.([]uint8)
		for i, v := range one {
			if got := flat.Data.([]uint8)[i*c+k]; got != v {
				t.Fatalf("channel %d, value %d: %d, alone %d", k, i, got, v)
			}
		}
	}
	if o := augmix(t, exitDone, run("plan/x.npy", "all", "--plan")...); !strings.Contains(o.out, "2 files, 1.8 kB") { // 3*10*10*5, headers and labels
		t.Errorf("plan: %s", o.out)
	}
}
