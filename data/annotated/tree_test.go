package annotated

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// lay writes files, whose content is given or, for names of images, an image of 6 by 4 pixels.
func lay(t testing.TB, root string, files map[string]string) string {
	t.Helper()
	image, err := imagefile.EncodePNG(nil, raster.New(6, 4), imagefile.LevelDefault)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if text == "" && data.IsImageName(name) {
			text = string(image)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const cocoText = `{"info": {"a": [1]}, "licenses": [], "images": [{"id": 1, "file_name": "1.jpg", "width": 6, "height": 4}]}`

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		layout        string
		files         map[string]string
		images, masks []string
		others        int
	}{
		{COCO, map[string]string{
			"annotations/instances_val2017.json": cocoText, "val2017/1.jpg": "", "val2017/2.jpg": "",
			"annotations/panoptic_val2017/1.png": "", "README": "x",
		}, []string{"val2017/1.jpg", "val2017/2.jpg"}, []string{"annotations/panoptic_val2017/1.png"}, 2},
		{
			COCO,
			map[string]string{"train/_annotations.coco.json": cocoText, "train/1.jpg": "", "valid/1.jpg": ""},
			[]string{"train/1.jpg", "valid/1.jpg"},
			nil, 1,
		},
		{YOLO, map[string]string{
			"images/train/a.jpg": "", "images/b.png": "", "labels/train/a.txt": "0 .5 .5 1 1", "data.yaml": "x", "results.png": "",
		}, []string{"images/b.png", "images/train/a.jpg"}, nil, 3},
		{YOLO, map[string]string{"train/images/a.jpg": "", "train/labels/a.txt": ""}, []string{"train/images/a.jpg"}, nil, 1},
		{
			VOC,
			map[string]string{
				"VOCdevkit/VOC2012/JPEGImages/a.jpg": "", "VOCdevkit/VOC2012/Annotations/a.xml": "<x/>", "VOCdevkit/VOC2012/SegmentationClass/a.png": "",
				"VOCdevkit/VOC2012/SegmentationObject/a.png": "", "VOCdevkit/VOC2012/ImageSets/Main/val.txt": "a",
			},
			[]string{"VOCdevkit/VOC2012/JPEGImages/a.jpg"},
			[]string{"VOCdevkit/VOC2012/SegmentationClass/a.png", "VOCdevkit/VOC2012/SegmentationObject/a.png"},
			2,
		},
		{Cityscapes, map[string]string{
			"leftImg8bit/val/ulm/ulm_1_leftImg8bit.png": "", "gtFine/val/ulm/ulm_1_gtFine_labelIds.png": "",
			"gtFine/val/ulm/ulm_1_gtFine_polygons.json": "{}",
		}, []string{"leftImg8bit/val/ulm/ulm_1_leftImg8bit.png"}, []string{"gtFine/val/ulm/ulm_1_gtFine_labelIds.png"}, 1},
		{COCO, map[string]string{"annotations/a.json": byteOrderMark + cocoText, "train/1.jpg": ""}, []string{"train/1.jpg"}, nil, 1},
		{"", map[string]string{"images/banded/a.jpg": "", "labels/train1.txt": "banded/a.jpg"}, nil, nil, 0}, // textures
		{"", map[string]string{"cat/1.jpg": "", "dog/1.jpg": "", "info.json": `{"images": 3}`, "list.json": "[1]", "cut.json": `{"images": [{"file`}, nil, nil, 0},
	} {
		root := lay(t, t.TempDir(), c.files)
		if got := Detect(root); got != c.layout {
			t.Errorf("%v: layout %q, want %q", c.files, got, c.layout)
		}
		tree, err := Open(root, nil)
		if c.layout == "" {
			if err == nil {
				t.Errorf("%v is opened", c.files)
			}
			continue
		}
		if err != nil || !slices.Equal(tree.Images, c.images) || !slices.Equal(tree.Masks, c.masks) || len(tree.Others) != c.others {
			t.Errorf("%s: %+v (%v), want %v, %v and %d others", c.layout, tree, err, c.images, c.masks, c.others)
			continue
		}
		for _, m := range tree.Masks {
			if Stem(m) != Stem(tree.Images[0]) {
				t.Errorf("%s is of %s, and %s of %s", m, Stem(m), tree.Images[0], Stem(tree.Images[0]))
			}
		}
	}
}

// Images of another tree are those that a pattern says. Links are followed, but not in circles; records of an output stay behind.
func TestOwnLayout(t *testing.T) {
	root := lay(t, t.TempDir(), map[string]string{
		"frames/a.jpg": "", "frames/deep/b.jpg": "", "truth/a.png": "", "sheet.jpg": "", "manifest.json": "{}", "args.yaml": "x", ".augmix/journal.json": "x",
		"a.png" + storage.TempSuffix: "x",
	})
	if err := os.Symlink("..", filepath.Join(root, "frames", "up")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	tree, err := Open(root, []string{"frames/*.jpg"})
	if err != nil || tree.String() != "layout own: 2 images, 1 masks, 1 other files" || tree.Path("frames/deep/b") != "frames/deep/b.jpg" || tree.Path("x") != "" {
		t.Errorf("%v, %v", tree, err)
	}
	if tree, err = Open(root, []string{"*.tif"}); err == nil {
		t.Errorf("without images: %v", tree)
	}
}

// An image replaces a file: format and orientation are those of the file, and the pixels are as stored.
func TestAppend(t *testing.T) {
	m := raster.New(6, 4)
	m.Fill(raster.RGB{R: 200, G: 100})
	upright, err := imagefile.EncodeJPEG(nil, m, 90)
	if err != nil {
		t.Fatal(err)
	}
	turned := slices.Concat(upright[:2], exifOf(6), upright[2:])
	for _, c := range []struct {
		ext  string
		file []byte
		want imagefile.Info
	}{
		{".JPG", upright, imagefile.Info{Format: "jpeg", W: 6, H: 4, Orientation: 1}},
		{".jpeg", turned, imagefile.Info{Format: "jpeg", W: 6, H: 4, Orientation: 6}},
		{".png", upright, imagefile.Info{Format: "png", W: 6, H: 4, Orientation: 1}},
	} {
		s := &data.Sample{Ext: c.ext, Data: c.file, AsStored: true}
		var src, back raster.Image
		if err := s.Decode(&src); err != nil || src.W != 6 {
			t.Fatalf("%s: %dx%d as stored (%v)", c.ext, src.W, src.H, err)
		}
		file, err := Append([]byte("before"), &src, s, 90)
		if err != nil || string(file[:6]) != "before" {
			t.Fatal(c.ext, err)
		}
		info, err := imagefile.Inspect(file[6:])
		if err != nil || info.Format != c.want.Format || info.W != c.want.W || info.H != c.want.H || info.Orientation != c.want.Orientation {
			t.Errorf("%s: %+v (%v), want %+v", c.ext, info, err, c.want)
		}
		if err := imagefile.Decode(&back, file[6:]); err != nil {
			t.Error(c.ext, err)
		}
	}
	for _, bad := range []data.Sample{{Ext: ".webp", Data: upright}, {Ext: ".png", Data: turned}} {
		if _, err := Append(nil, m, &bad, 90); err == nil {
			t.Errorf("%s is written", bad.Ext)
		}
	}
}

func ExampleOpen() {
	root, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	for _, name := range []string{"images/cat.jpg", "labels/cat.txt", "data.yaml"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			fmt.Println(err)
		}
		if err := os.WriteFile(path, []byte("0 0.5 0.5 0.2 0.2\n"), 0o666); err != nil {
			fmt.Println(err)
		}
	}
	tree, err := Open(root, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree)
	fmt.Println(tree.Images[0], Stem(tree.Images[0]) == Stem("labels/cat.txt"))
	// Output:
	// layout yolo: 1 images, 0 masks, 2 other files
	// images/cat.jpg true
}
