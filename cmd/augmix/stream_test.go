package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// streamed makes a stream and returns its images and its manifest.
func streamed(t *testing.T, dir, name string, args ...string) (images []uint8, manifest string) {
	t.Helper()
	path := filepath.Join(dir, name+".npy")
	augmix(t, exitDone, slices.Concat([]string{"stream"}, args, []string{"-o", path, "-q"})...)
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path + ".stream.csv")
	if err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, "verify", path)
	return a.Data.([]uint8), string(text)
}

// A stream replayed from its manifest has the same bytes, and a feed gives the same images in the same order.
func TestStream(t *testing.T) {
	set, dir := cifarFolder(t, 40), t.TempDir() // 20 test images
	for _, order := range []string{"continual", "gradual", "mixed-s2.5", "correlated-d0.1", "walk-s1-l3-n50"} {
		t.Run(order, func(t *testing.T) {
			args := []string{set, "--order", order, "--subset", "contrast,brightness,pixelate", "--seed", "5"}
			images, manifest := streamed(t, dir, order, args...)
			file := filepath.Join(dir, order+".csv")
			augmix(t, exitDone, slices.Concat([]string{"stream"}, args, []string{"--manifest-only", "-o", file})...)
			alone, err := os.ReadFile(file)
			if err != nil || string(alone) != manifest {
				t.Error("another manifest with --manifest-only")
			}
			replayed, again := streamed(t, dir, order+"-again", set, "--from", file)
			if !bytes.Equal(replayed, images) || again != manifest {
				t.Error("replayed, it is another stream")
			}
			rows, err := csv.NewReader(strings.NewReader(manifest)).ReadAll()
			if err != nil || len(images) != (len(rows)-1)*32*32*3 {
				t.Fatalf("%d lines, %d bytes of images, %v", len(rows), len(images), err)
			}
			for _, text := range []string{order, file} {
				f := feedAll(t, false, nil, set, "--stream", text, "--corrupt", "contrast,brightness,pixelate", "--seed", "5", "--batch", "16",
					"--tail", "short", "--output-layout", "nhwc", "--no-shuffle")
				if f.code != exitDone || !bytes.Equal(f.array("images"), images) {
					t.Errorf("--stream %s: another stream, or exit code %d: %s", text, f.code, f.errs.String())
				}
			}
			f := feedAll(t, false, nil, set, "--stream", order, "--corrupt", "contrast,brightness,pixelate", "--seed", "5", "--batch", "16",
				"--tail", "short", "--output-layout", "nhwc", "--from", "0:32")
			if !bytes.Equal(f.array("images"), images[32*32*32*3:]) {
				t.Error("from position 32 on it is another stream")
			}
		})
	}
}

// The same command again finds the stream complete; another seed is another one.
func TestStreamAgain(t *testing.T) {
	args := []string{"stream", cifarFolder(t, 10), "-o", filepath.Join(t.TempDir(), "out.npy"), "--subset", "frost,contrast"}
	augmix(t, exitDone, args...)
	if o := augmix(t, exitDone, args...); !strings.Contains(o.err, "nothing to do") {
		t.Error(o.err)
	}
	if o := augmix(t, exitFailed, append(args, "--seed", "1")...); !strings.Contains(o.err, "seed: was 0, now 1") {
		t.Error(o.err)
	}
	// The CSV alone says which image is what: without it, or with another, the stream is damaged.
	manifest := args[3] + ".stream.csv"
	write(t, manifest, []byte(strings.ReplaceAll(tree(t, manifest)["."], "frost", "contrast")))
	for _, verdict := range []string{"changed: out.npy.stream.csv", "missing: out.npy.stream.csv"} {
		if o := augmix(t, exitFailed, "verify", args[3]); !strings.Contains(o.out, verdict) {
			t.Error(o.out)
		}
		want := "out.npy.stream.csv is missing or not what was written\n  (--force starts over)"
		if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, want) {
			t.Error(o.err)
		}
		_ = os.Remove(manifest)
	}
	augmix(t, exitDone, append(args, "--force")...)
	augmix(t, exitDone, "verify", args[3])
}

// The manifest alone never takes the place of another file, and of another manifest only by --force.
func TestStreamManifestOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.csv")
	args := []string{"stream", cifarFolder(t, 10), "-o", file, "--subset", "fog,contrast", "--manifest-only", "--json"}
	for _, mine := range []string{"", "position,name\n1,my own\n", strings.Repeat("my own\n", 1000)} {
		write(t, file, []byte(mine))
		for _, force := range [][]string{nil, {"--force"}} {
			o := augmix(t, exitFailed, slices.Concat(args, force)...)
			if !strings.Contains(o.err, file+" is there already and is no manifest of a stream; choose another name or remove it") {
				t.Error(o.err)
			}
		}
		if text := tree(t, file)["."]; text != mine {
			t.Fatalf("overwritten: %q", text)
		}
		remove(t, file)
	}
	made := func(o outcome) (s summary) {
		t.Helper()
		if err := json.Unmarshal([]byte(o.out), &s); err != nil || s.Out != file || s.Samples != 10 || s.Items != 0 {
			t.Errorf("%q: %+v, %v", o.out, s, err)
		}
		return s
	}
	if made(augmix(t, exitDone, args...)).Already {
		t.Error("it was there before")
	}
	first := tree(t, file)["."]
	if o := augmix(t, exitDone, args...); !made(o).Already || !strings.Contains(o.err, "nothing to do") {
		t.Error(o.err)
	}
	args = append(args, "--seed", "1")
	if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, "the manifest of another stream (--force replaces it)") || tree(t, file)["."] != first {
		t.Error(o.err)
	}
	if o := augmix(t, exitDone, append(args, "--force")...); made(o).Already || tree(t, file)["."] == first {
		t.Error("not replaced")
	}
	if o := augmix(t, exitFailed, append(args[:2:2], append(args[4:], "-o", filepath.Dir(file))...)...); !strings.Contains(o.err, filepath.Dir(file)) {
		t.Error(o.err)
	}
}

func TestStreamErrors(t *testing.T) {
	set, dir := cifarFolder(t, 10), t.TempDir()
	manifest := filepath.Join(dir, "bad.csv")
	table := filepath.Join(dir, "table.csv")
	write(t, table, []byte("\ufeffcorruption1,severity1,corruption2,severity2,error\nfog,1,snow,1,0.4\n"))
	write(t, manifest, []byte("position,key,label,corruption,severity,corruption2,severity2,seed\n0,nothing,0,fog,3,,,1\n"))
	for want, args := range map[string][]string{
		"bad order: continual: option \"d1\"":               {"--order", "continual-d1"},
		"correlated of 9 windows: 5 samples":                {"--order", "correlated-w9"},
		"walk of 1 corruptions (allowed: at least 2)":       {"--order", "walk", "--subset", "fog"},
		"bad.csv: bad order: row 1: key \"nothing\"":        {"--from", manifest},
		"a table of errors, --difficulty, go together":      {"--order", "walk-e0.4"},
		"table.csv: bad order: the table of errors: no way": {"--order", "walk-e0.4", "--difficulty", table, "--subset", "fog,snow"},
		"--profile: bad parameters: profile \"33\"":         {"--profile", "33"},
		"--limit -1 (allowed: from 1":                       {"--limit=-1"},
		"with --order or --difficulty":                      {"--from", manifest, "--order", "gradual"},
		"--on-error skip with an output of format npy":      {"--on-error", "skip"},
		"bad order: \"\" (allowed: continual":               {"--order", ""},
		"walk with e0.4 and s2 (allowed: one of them":       {"--order", "walk-e0.4-s2"},
	} {
		if o := augmix(t, exitUsage, slices.Concat([]string{"stream", set, "-o", filepath.Join(dir, "out.npy")}, args)...); !strings.Contains(o.err, want) {
			t.Errorf("%q: %s", args, o.err)
		}
	}
	fog := filepath.Join(dir, "fog.csv")
	augmix(t, exitDone, "stream", set, "-o", fog, "--manifest-only", "--subset", "fog")
	for subset, status := range map[string]int{"fog": exitDone, "snow": exitUsage, "common": exitUsage} {
		o := augmix(t, status, "stream", set, "-o", filepath.Join(dir, "again.csv"), "--manifest-only", "--from", fog, "--subset", subset)
		if want := "fog.csv, whose corruptions are fog (allowed"; status == exitUsage && !strings.Contains(o.err, want) {
			t.Errorf("%s: %s", subset, o.err)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "out*")); err != nil || len(files) > 0 {
		t.Errorf("left: %q", files)
	}
}

// A manifest of corruptions of cbar gives the same images: their profile is that of its names and the images' size.
func TestStreamBarReplayed(t *testing.T) {
	const set = "scenes:n=3,size=96"
	dir := t.TempDir()
	images, _ := streamed(t, dir, "first", set, "--order", "mixed-s5", "--subset", "checkerboard_cutout,perlin_noise")
	file := filepath.Join(dir, "first.npy.stream.csv")
	if again, _ := streamed(t, dir, "again", set, "--from", file); !bytes.Equal(again, images) {
		t.Error("replayed, it is another stream")
	}
	f := feedAll(t, false, nil, set, "--stream", file, "--batch", "4", "--tail", "short", "--output-layout", "nhwc", "--no-shuffle")
	if f.code != exitDone || !bytes.Equal(f.array("images"), images) {
		t.Errorf("fed, it is another stream, or exit code %d: %s", f.code, f.errs.String())
	}
	if o := augmix(t, exitUsage, "stream", set, "--from", file, "--seed", "7", "-o", filepath.Join(dir, "x.npy")); !strings.Contains(o.err, "whose seed is 0") {
		t.Error(o.err)
	}
}

// TestStreamOtherSettings: a manifest is refused with flags that make other images, and the message names those that make its own.
func TestStreamOtherSettings(t *testing.T) {
	const set = "scenes:n=3,size=32"
	dir := t.TempDir()
	mine := filepath.Join(dir, "my.yaml")
	write(t, mine, []byte("corruptions: {contrast: {factor: [0.5, 0.4, 0.3, 0.2, 0.1]}}\n"))
	streamed(t, dir, "first", set, "--subset", "frost,contrast", "--size", "24", "--profile", mine)
	file, out := filepath.Join(dir, "first.npy.stream.csv"), filepath.Join(dir, "x.npy")
	for want, args := range map[string][]string{
		"(those of the manifest are made with no --crop)":       {"--size", "24", "--profile", mine, "--crop", "9"},
		"made with --profile FILE with the parameters of then)": {"--size", "24"},
		"--profile FILE with the parameters of then, --size 24": {"--profile", "32", "--filter", "lanczos"},
		"made with --filter bilinear)":                          {"--size", "24", "--profile", mine, "--filter", "box"},
		"made with --gray, --window and --channels as then)":    {"--size", "24", "--profile", mine, "--gray"},
	} {
		o := augmix(t, exitUsage, slices.Concat([]string{"stream", set, "-o", out, "--from", file}, args)...)
		if !strings.Contains(o.err, want) {
			t.Errorf("%q: %s", args, o.err)
		}
	}
	f := feedAll(t, false, nil, set, "--stream", file, "--size", "24")
	if f.code != exitUsage || !strings.Contains(f.errs.String(), "made with --profile FILE") {
		t.Errorf("fed, exit code %d: %s", f.code, f.errs.String())
	}
	streamed(t, dir, "medical", set, "--subset", "bubble", "--profile", "medmnist-c/pathmnist")
	medical := filepath.Join(dir, "medical.npy.stream.csv")
	if o := augmix(t, exitUsage, "stream", set, "--from", medical, "-o", out, "--profile", "medmnist-c/bloodmnist"); !strings.Contains(o.err, "with --profile medmnist-c/pathmnist)") {
		t.Error(o.err)
	}
}

// TestStreamPacked: of compressed arrays no stream can be made, and the message says why and what helps.
func TestStreamPacked(t *testing.T) {
	dir := t.TempDir()
	packed, plain := filepath.Join(dir, "packed.npz"), filepath.Join(dir, "plain.npz")
	augmix(t, exitDone, "data", "convert", "scenes:n=2,size=28", "-o", packed, "--output-format", "medmnist", "--deflate")
	want := "data of format medmnist, which is compressed, can only be read from front to end; convert it first (augmix data convert)"
	if o := augmix(t, exitFailed, "stream", packed, "-o", filepath.Join(dir, "out.npy")); !strings.Contains(o.err, want) {
		t.Error(o.err)
	}
	if f := feedAll(t, false, nil, packed, "--stream", "gradual"); !strings.Contains(f.errs.String(), want) {
		t.Error(f.errs.String())
	}
	augmix(t, exitDone, "data", "convert", packed, "-o", plain)
	streamed(t, dir, "out", plain, "--subset", "contrast")
}

// TestStreamBar: the ten corruptions of cbar are those for the images' size, as for a feed and for corrupt.
func TestStreamBar(t *testing.T) {
	set, dir := cifarFolder(t, 10), t.TempDir()
	corruptions := func(name string, args ...string) map[string]bool {
		file := filepath.Join(dir, name)
		augmix(t, exitDone, slices.Concat([]string{"stream", set, "--subset", "cbar", "--manifest-only", "-o", file, "-q"}, args)...)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(rows) != 51 {
			t.Fatalf("%d lines, %v", len(rows), err)
		}
		names := map[string]bool{}
		for _, r := range rows[1:] {
			names[r[slices.Index(rows[0], "corruption")]] = true
		}
		return names
	}
	small, large, asked := corruptions("small"), corruptions("large", "--size", "200", "--crop", "192"), corruptions("asked", "--bar-profile", "imagenet")
	if !small["pinch_and_twirl"] || small["plasma_noise"] || !large["plasma_noise"] || !maps.Equal(large, asked) {
		t.Errorf("of 32 pixels %v, of 192 %v, asked for %v", small, large, asked)
	}
	manifest := filepath.Join(dir, "small")
	images, _ := streamed(t, dir, "all", set, "--from", manifest)
	f := feedAll(t, false, nil, set, "--stream", "continual", "--corrupt", "cbar", "--batch", "16", "--tail", "short", "--output-layout", "nhwc", "--no-shuffle")
	if f.code != exitDone || !bytes.Equal(f.array("images"), images) {
		t.Errorf("a feed has another stream, or exit code %d: %s", f.code, f.errs.String())
	}
}

// TestFeedWithoutParent: a mistake that is found when nobody listens any more is said all the same.
func TestFeedWithoutParent(t *testing.T) {
	o := augmix(t, exitUsage, "feed", "scenes:n=5000,size=64", "--stream", "correlated-w9999") // its length is asked of every sample
	if !strings.Contains(o.err, "correlated of 9999 windows") {
		t.Error(o.err)
	}
}
