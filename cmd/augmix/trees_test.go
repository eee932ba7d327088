package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/golden"
)

// The real subset of COCO becomes trees: everything but the images byte for byte, and images of the same names and sizes.
func TestCorruptCOCO(t *testing.T) {
	in, out := golden.NeedBeside(t, "coco"), filepath.Join(t.TempDir(), "out")
	o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "brightness,glass_blur", "--severity", "2", "--limit", "3", "--carry", "link")
	for _, want := range []string{
		"layout coco: 52 images, 52 masks, 54 other files", "49 images left out", "pixels move with glass_blur (",
	} {
		if !strings.Contains(o.err, want) {
			t.Errorf("it does not say %q:\n%s", want, o.err)
		}
	}
	got, want := tree(t, filepath.Join(out, "brightness", "2")), tree(t, in)
	images := 0
	for name, text := range want {
		if strings.HasPrefix(name, "images/") {
			if got[name] != "" {
				images++
			}
		} else if got[name] != text {
			t.Errorf("%s is not carried", name)
		}
	}
	if images != 3 || len(got) != len(want)-49 {
		t.Errorf("%d images, %d files", images, len(got))
	}
	augmix(t, exitDone, "verify", out)
	if o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "brightness,glass_blur,contrast", "--severity", "2", "--limit", "3"); !strings.Contains(o.err, "adding contrast/2") {
		t.Error(o.err)
	}
}

// Made-up sets of the other layouts come through, images changed and all else as it was.
func TestCorruptLayouts(t *testing.T) {
	image := testImage(t, 1, 48, 40)
	for layout, files := range map[string][]string{
		"voc": {
			"VOC2012/JPEGImages/a.png", "VOC2012/Annotations/a.xml", "VOC2012/SegmentationClass/a.png", "VOC2012/SegmentationObject/a.png",
			"VOC2012/ImageSets/Main/val.txt",
		},
		"cityscapes": {
			"leftImg8bit/val/ulm/ulm_1_leftImg8bit.png", "gtFine/val/ulm/ulm_1_gtFine_labelIds.png", "gtFine/val/ulm/ulm_1_gtFine_polygons.json",
		},
		"yolo": {"train/images/a.png", "train/labels/a.txt", "valid/images/b.png", "valid/labels/b.txt", "data.yaml"},
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		for _, name := range files {
			text := map[string]string{".xml": "<annotation/>", ".json": "{}", ".txt": "0 0.5 0.5 0.1 0.1\n", ".yaml": "nc: 1\n"}[filepath.Ext(name)]
			if text == "" {
				text = string(image)
			}
			write(t, filepath.Join(in, name), []byte(text))
		}
		o := augmix(t, exitDone, "corrupt", in, "-o", out, "--subset", "fog", "--severity", "5")
		if !strings.Contains(o.err, "layout "+layout) {
			t.Error(o.err)
		}
		was, is := tree(t, in), tree(t, filepath.Join(out, "fog", "5"))
		for name, text := range was {
			isImage := strings.Contains(name, "mages/") || strings.HasPrefix(name, "left")
			if _, ok := is[name]; !ok || (is[name] == text) == isImage {
				t.Errorf("%s: %s: there %v, the same %v", layout, name, ok, is[name] == text)
			}
		}
		augmix(t, exitDone, "verify", filepath.Join(out, "fog", "5"))
		if len(is) != len(was) {
			t.Errorf("%s: %d files of %d", layout, len(is), len(was))
		}
	}
}

// Annotations of an image that cannot be read are carried, and a line says so.
func TestTreeSkips(t *testing.T) {
	in, out := filepath.Join(t.TempDir(), "set"), filepath.Join(t.TempDir(), "out")
	for _, name := range []string{"a", "b"} {
		write(t, filepath.Join(in, "images", name+".png"), testImage(t, 1, 40, 40))
		write(t, filepath.Join(in, "labels", name+".txt"), []byte("0 0.5 0.5 0.1 0.1\n"))
	}
	write(t, filepath.Join(in, "images", "b.png"), []byte("no image"))
	o := augmix(t, exitRejected, "corrupt", in, "-o", out, "--subset", "fog", "--severity", "1", "--on-error", "skip")
	if !strings.Contains(o.err, "1 image left out; annotations of them are carried all the same") {
		t.Error(o.err)
	}
	if got := tree(t, filepath.Join(out, "fog", "1")); got["labels/b.txt"] == "" || got["images/b.png"] != "" {
		t.Errorf("%d files", len(got))
	}
	o = augmix(t, exitRejected, "augment", in, "-o", out+"-mixed", "--mix", "augmix-photometric", "--on-error", "skip")
	if !strings.Contains(o.err, "1 image left out; annotations of them are carried all the same") {
		t.Error(o.err)
	}
}

// Trees are not added to, nor called complete, once what lies beside the images is another; the message names the file.
func TestTreeChangedAnnotations(t *testing.T) {
	const (
		coco  = `{"images":[{"id":1,"file_name":"a.png","width":40,"height":40}],"annotations":[{"id":1,"image_id":1,"category_id":1,"bbox":[9,9,12,12],"area":144}],"categories":[{"id":1,"name":"x"}]}`
		label = "0 0.5 0.5 0.1 0.1\n"
	)
	dir := t.TempDir()
	in := filepath.Join(dir, "set")
	files := map[string]string{"annotations/val.json": coco, "labels/a.txt": label, "readme.md": "mine", "val.txt": "./images/a.png 0.5\n"}
	lay := func(name string) {
		write(t, filepath.Join(in, filepath.FromSlash(name)), []byte(files[name]))
	}
	write(t, filepath.Join(in, "images", "a.png"), testImage(t, 1, 40, 40))
	for name := range files {
		lay(name)
	}
	more := filepath.Join(in, "labels", "more.txt")
	for name, args := range map[string][]string{
		"copied":  {"corrupt", in, "--severity", "3", "--subset", "fog"},
		"linked":  {"corrupt", in, "--severity", "3", "--carry", "link", "--subset", "fog"},
		"frames":  {"perturb", in, "--subset", "tilt"},
		"mixed":   {"augment", in, "--mix", "augmix-photometric"},
		"moved":   {"augment", in, "--mix", "none", "--geometry", "shared"},
		"sharded": {"corrupt", in, "--severity", "3", "--shard", "0/2", "--subset", "fog"},
	} {
		if args = append(args, "-o", filepath.Join(dir, name)); name == "sharded" {
			augmix(t, exitDone, slices.Replace(slices.Clone(args), 5, 6, "1/2")...)
		}
		augmix(t, exitDone, args...)
		commands := [][]string{args}
		if i := slices.Index(args, "fog"); i > 0 && name != "sharded" {
			commands = append(commands, slices.Replace(slices.Clone(args), i, i+1, "fog,brightness"))
		}
		before := tree(t, filepath.Join(dir, name))
		for _, args := range commands {
			refused := func(want string) {
				t.Helper()
				o := augmix(t, exitFailed, args...)
				if !strings.Contains(o.err, "input changed since "+filepath.Join(dir, name)+" was made") || !strings.Contains(o.err, want) {
					t.Errorf("%s: %s", name, o.err)
				}
			}
			for file, text := range files {
				write(t, filepath.Join(in, file), []byte(strings.NewReplacer("12", "13", "0.5", "0.4", "mine", "mime").Replace(text)))
				refused(file + ": other bytes")
				lay(file)
			}
			remove(t, filepath.Join(in, "readme.md"))
			refused("readme.md: is not there any more")
			lay("readme.md")
			write(t, more, nil)
			refused("labels/more.txt: was not there")
			remove(t, more)
		}
		sameTree(t, tree(t, filepath.Join(dir, name)), before)
		for i := range commands {
			augmix(t, exitDone, commands[len(commands)-1-i]...)
		}
		augmix(t, exitDone, "verify", filepath.Join(dir, name))
	}
}

// A tree is refused where it could not be one.
func TestTreeOptions(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "set")
	write(t, filepath.Join(in, "images", "a.png"), testImage(t, 1, 40, 40))
	write(t, filepath.Join(in, "labels", "a.txt"), []byte("0 0.5 0.5 0.1 0.1\n"))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"annotations would not fit", []string{"corrupt", in, "-o", dir + "/o", "--size", "32"}},
		{"lies in", []string{"corrupt", in, "-o", in + "/o"}},
		{"resizes and crops", []string{"perturb", in, "-o", dir + "/o", "--profile", "224"}},
		{"--images PATTERN", []string{"corrupt", photos(t, 2), "-o", dir + "/o", "--output-format", "tree"}},
		{"--shard does not go", []string{"perturb", in, "-o", dir + "/o", "--shard", "0/2"}},
		{"--quality 0", []string{"perturb", in, "-o", dir + "/o", "--quality", "0"}},
	} {
		if o := augmix(t, exitUsage, c.args...); !strings.Contains(o.err, c.want) {
			t.Errorf("%v: %s", c.args, o.err)
		}
	}
	if o := augmix(t, exitFailed, "corrupt", in, "-o", dir+"/o", "--split", "val"); !strings.Contains(o.err, "tree of annotated images") {
		t.Error(o.err)
	}
	o := augmix(t, exitDone, "corrupt", in, "-o", dir+"/o", "--plan", "--subset", "fog", "--severity", "1")
	if !strings.Contains(o.out, "1 sample, 1 image, 2 files") || !strings.Contains(o.out, "\nof these, 1 file beside the images\n") {
		t.Error(o.out)
	}
	augmix(t, exitDone, "corrupt", photos(t, 2), "-o", dir+"/own", "--images", "cat/*", "--subset", "fog", "--severity", "1")
	if got := tree(t, dir+"/own/fog/1"); len(got) != 2 || got["cat/0000.png"] == "" || got["dog/0001.png"] == "" {
		t.Errorf("%d files", len(got))
	}
}

// A plan of trees counts what is carried with each of them, of annotations that are rewritten those of the images that are taken, and what
// links save.
func TestPlanTrees(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "set")
	for i, name := range []string{"a", "b", "c", "d"} {
		write(t, filepath.Join(in, "images", name+".png"), testImage(t, i, 40, 40))
		write(t, filepath.Join(in, "labels", name+".txt"), bytes.Repeat([]byte("0 0.5 0.5 0.1 0.1\n"), 1000))
	}
	const beside = 4 * 18 * 1000 // bytes in a tree
	corrupt := []string{"corrupt", in, "--subset", "fog,contrast", "--severity", "1,2"}
	for i, c := range []struct {
		args    []string
		carried int
		saved   int64
	}{
		{corrupt, 4 * 4, 0},
		{append(slices.Clone(corrupt), "--carry", "link"), 4 * 4, 3 * beside},
		{[]string{"perturb", in, "--subset", "tilt", "--carry", "link"}, 4 * 31, 30 * beside},
		{[]string{"augment", in, "--mix", "augmix-photometric"}, 4, 0},
		{[]string{"augment", in, "--mix", "none", "--geometry", "shared", "--limit", "2"}, 2, 0},
		{append(slices.Clone(corrupt), "--shard", "1/2"), 0, 0},
	} {
		out := filepath.Join(dir, fmt.Sprint(i))
		args := append(c.args, "-o", out)
		o := augmix(t, exitDone, append(args, "--plan", "--json")...)
		var plan planResult
		if err := json.Unmarshal([]byte(o.out), &plan); err != nil {
			t.Fatalf("%q: %v: %s", args, err, o.out)
		}
		if plan.Carried != c.carried || plan.Saved != c.saved || strings.Contains(o.err, "objects") {
			t.Errorf("%q: %d files carried, %d bytes saved, want %d and %d: %s", args, plan.Carried, plan.Saved, c.carried, c.saved, o.err)
		}
		if c.carried == 0 {
			continue
		}
		augmix(t, exitDone, args...)
		m, err := generate.ReadManifest(generate.Output{Path: out})
		if err != nil {
			t.Fatal(err)
		}
		// A manifest counts a link as the file it is one to.
		if whole := plan.Bytes + plan.Saved; plan.Files != len(m.Files) || float64(whole) < 0.9*float64(m.Bytes) || float64(whole) > 1.1*float64(m.Bytes) {
			t.Errorf("%q: planned %d files, %d bytes, wrote %d, %d", args, plan.Files, whole, len(m.Files), m.Bytes)
		}
	}
}

// What moves pixels is said.
func TestListGeometry(t *testing.T) {
	o := augmix(t, exitDone, "list", "corruptions", "--geometry")
	for _, want := range []string{"elastic_transform  ", "C-bar  yes", "zoom_blur", "smears"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	augmix(t, exitUsage, "list", "corruptions", "--geometry", "fog")
}

// Annotations are compared with their images, and each problem has its line.
func TestVerifyAnnotations(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "images", "a.png"), testImage(t, 1, 40, 30))
	write(t, filepath.Join(dir, "masks", "a.png"), testImage(t, 1, 30, 40))
	write(t, filepath.Join(dir, "labels", "a.txt"), []byte("0 0.5 0.5 0.1 0.1\n1 0.9 0.9 0.4 0.1\n"))
	o := augmix(t, exitFailed, "data", "verify", dir)
	for _, want := range []string{"annotation: labels/a.txt: line 2: box", "annotation: masks/a.png: 30x40, and its image is 40x30"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if o := augmix(t, exitFailed, "verify", dir, "--json"); !strings.Contains(o.out, `"field": "line 2"`) {
		t.Error(o.out)
	}
	augmix(t, exitUsage, "verify", dir, "--mask-labels", "5-2")
	m := image.NewGray(image.Rect(0, 0, 40, 30))
	for i := range m.Pix {
		m.Pix[i] = byte(i % 24)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "masks", "a.png"), b.Bytes())
	for allowed, want := range map[string]string{
		"0-22": "masks/a.png: label 23, which is none of those that are allowed",
		"3-15": "masks/a.png: labels 0, 1, 2, 16, 17, 18, 19, 20, 21, 22 and 1 more, which are none of those that are allowed",
	} {
		if o := augmix(t, exitFailed, "verify", dir, "--mask-labels", allowed); !strings.Contains(o.out, want) {
			t.Errorf("%s: no %q in\n%s", allowed, want, o.out)
		}
	}
	augmix(t, exitDone, "verify", golden.NeedBeside(t, "coco"))
}

// Photometric methods leave annotations as they are; others are refused.
func TestAugmentTree(t *testing.T) {
	in, out := golden.NeedBeside(t, "coco"), filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, "augment", in, "-o", out, "--mix", "augmix-photometric-all", "--limit", "2")
	got, want := tree(t, out), tree(t, in)
	if got["instances.json"] != want["instances.json"] || got["masks/000000000030.png"] != want["masks/000000000030.png"] || got["images/000000000030.jpg"] == want["images/000000000030.jpg"] {
		t.Error("annotations differ, or images do not")
	}
	augmix(t, exitDone, "verify", out)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"--mix is missing, and the default, augmix-m3-w3-d-1, moves pixels", nil},
		{"--mix is missing, and the default, augmix-m3-w3-d-1, moves pixels", []string{"--geometry", "shared"}},
		{"--geometry shared moves boxes", []string{"--mix", "augmix"}},
		{"mixes them: glass_blur (allowed", []string{"--mix", "corrupt-blur"}},
		{"augmix-photometric", []string{"--mix", "augmix", "--geometry", "shared"}},
		{"mixes them", []string{"--mix", "mixup"}},
		{"--op rotate:3", []string{"--op", "rotate:3", "--mix", "none"}},
		{"keep size and number", []string{"--mix", "none", "--flip"}},
		{"without --geometry shared, which", []string{"--mix", "none", "--min-visible", "0.5"}},
		{"--mask-fill -1", []string{"--mask-fill=-1"}},
		{"--geometry-severity 0 (allowed: 0.1 to 10)", []string{"--geometry-severity", "0"}},
		{"--mask-fill 70000", []string{"--mix", "none", "--geometry", "shared", "--mask-fill", "70000"}},
		{"above 0 to 1", []string{"--mix", "none", "--geometry", "shared", "--min-visible", "2"}},
	} {
		if o := augmix(t, exitUsage, append([]string{"augment", in, "-o", out + "2"}, c.args...)...); !strings.Contains(o.err, c.want) {
			t.Errorf("%v: %s", c.args, o.err)
		}
	}
	for _, args := range [][]string{nil, {"--geometry", "shared"}} { // there is nothing to advise that is given already
		o := augmix(t, exitUsage, append([]string{"augment", in, "-o", out + "2", "--mix", "augmix"}, args...)...)
		if strings.Contains(o.err, "--geometry shared") != (args == nil) {
			t.Errorf("%v: %s", args, o.err)
		}
	}
	augmix(t, exitDone, "augment", in, "-o", out+"3", "--mix", "corrupt-fog-p1", "--limit", "1")
	if o := augmix(t, exitUsage, "augment", photos(t, 2), "-o", out+"2", "--geometry", "shared"); !strings.Contains(o.err, "IN with annotations") {
		t.Error(o.err)
	}
}

// reader reads a tree of COCO's with numpy and Pillow alone and compares it with the one that it was made of. For each image it
// prints the labels of the mask that are there before and after.
const reader = `
import collections, json, sys
import numpy as np
from PIL import Image
before, after = sys.argv[1:]
was, now = (json.load(open(root + "/instances.json")) for root in (before, after))
assert was["categories"] == now["categories"] and was["info"] == now["info"]
there = {m["id"] for m in now["images"]}
old = {a["id"]: a for a in was["annotations"] if a["image_id"] in there}
assert 0.9 * len(old) < len(now["annotations"]) <= len(old), len(now["annotations"])
boxes = collections.defaultdict(list)
for a in now["annotations"]:
    o = old[a["id"]]
    assert list(o) == list(a) and all(o[k] == a[k] for k in ("image_id", "category_id", "iscrowd"))
    boxes[a["image_id"]].append((a["category_id"], *a["bbox"]))
moved = 0
for m in now["images"]:
    assert m["extra_field"] == "kept as it is"
    stem = m["file_name"][:-4]
    image = Image.open(f"{after}/images/{stem}.jpg").convert("RGB")
    assert image.size == (m["width"], m["height"])
    lines = [line.split() for line in open(f"{after}/labels/{stem}.txt")]
    assert len(lines) == len(boxes[m["id"]]), stem
    for line, (c, x, y, w, h) in zip(lines, boxes[m["id"]]):
        u, v, s, t = (float(f) * n for f, n in zip(line[1:], image.size * 2))
        assert int(line[0]) == c and np.allclose((u - s / 2, v - t / 2, s, t), (x, y, w, h), atol=0.02), (line, x, y, w, h)
        assert 0 <= x and 0 <= y and x + w <= m["width"] + 0.01 and y + h <= m["height"] + 0.01
    a, b = (Image.open(f"{root}/masks/{stem}.png") for root in (before, after))
    assert a.mode == b.mode and a.size == b.size == image.size
    p, q = (np.bincount(np.asarray(k).ravel(), minlength=256) for k in (a, b))
    moved += int(np.any(p != q))
    gone = (p > 0) & (q == 0)
    assert not np.any((q > 0) & (p == 0) & (np.arange(256) != 255)), "a label that was not there"
    assert p[gone].sum() < 0.1 * p.sum(), (stem, p[gone])
    assert np.abs(p[:255] - q[:255]).sum() < 0.9 * p.sum()
    outside = np.asarray(b) == 255
    if not p[255] and outside.any():
        assert np.median(np.asarray(image)[outside].max(axis=1)) < 128, stem
assert moved > len(now["images"]) / 2
print(len(now["images"]), "images")
`

// One affine moves images, boxes and masks of the real subset; an independent program reads what comes of it.
func TestSharedGeometry(t *testing.T) {
	in, out := golden.NeedBeside(t, "coco"), filepath.Join(t.TempDir(), "out")
	o := augmix(t, exitDone, "augment", in, "-o", out, "--mix", "none", "--geometry", "shared", "--limit", "12")
	if !strings.Contains(o.err, "objects of this run: coco: ") || !strings.Contains(o.err, "; yolo: ") {
		t.Error(o.err)
	}
	augmix(t, exitDone, "verify", out, "--decode")
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import numpy, PIL").Run() != nil {
			continue
		}
		text, err := exec.Command(python, "-c", reader, in, out).CombinedOutput()
		if err != nil || string(text) != "12 images\n" {
			t.Errorf("%v\n%s", err, text)
		}
		return
	}
	t.Skip("no python3 with numpy and Pillow")
}
