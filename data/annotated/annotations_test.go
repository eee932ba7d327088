package annotated

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// indexed is a PNG file of a mask of w by h pixels, whose index at (x, y) is (x+y)%n of n colors.
func indexed(t testing.TB, w, h, n int) string {
	t.Helper()
	var palette color.Palette
	for i := range n {
		palette = append(palette, color.NRGBA{R: uint8(7 * i), G: uint8(i), A: 255})
	}
	m := image.NewPaletted(image.Rect(0, 0, w, h), palette)
	for i := range m.Pix {
		m.Pix[i] = uint8((i%w + i/w) % n)
	}
	return pngText(t, m)
}

func pngText(t testing.TB, m image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// coco is a file with two images and the annotations given.
func coco(annotations string) string {
	return `{"annotations": [` + annotations + `], "info": {"x": [[1], {}]},
 "images": [{"id": 1, "file_name": "1.png", "width": 6, "height": 4, "extra": 1}, {"id": 2, "file_name": "2.png", "width": 6, "height": 4}],
 "categories": [{"id": 3, "name": "cat"}]}`
}

func voc(w int, object string) string {
	return fmt.Sprintf("<annotation>\n<size><width>%d</width><height>4</height></size>\n%s</annotation>\n", w, object)
}

const vocCat = "<object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>6</xmax><ymax>4</ymax></bndbox>" +
	"<part><bndbox><xmin>2</xmin><ymin>2</ymin><xmax>3</xmax><ymax>3</ymax></bndbox></part></object>\n"

// Images that share an id are wrong, each of them: nobody can say whose the annotations are.
func TestSharedID(t *testing.T) {
	text := strings.Replace(coco(`{"image_id": 1, "category_id": 3, "bbox": [0, 0, 2, 2]}`), `{"id": 2,`, `{"id": 1,`, 1)
	tree, err := Open(lay(t, t.TempDir(), map[string]string{
		"images/1.png": "", "images/2.png": "", "images/3.png": "", "annotations/a.json": strings.Replace(text, `"height": 4}],`,
			`"height": 4}, {"id": 3, "file_name": "3.png", "width": 6, "height": 4}],`, 1),
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tree.Annotations(nil)
	if err != nil {
		t.Fatal(err)
	}
	file := []byte(pngText(t, image.NewGray(image.Rect(0, 0, 6, 4))))
	for i, want := range []string{"images[0].id: 1 is the id of two images", "images[1].id: 1 is the id of two images", ""} {
		found := a.Check(fmt.Sprintf("images/%d.png", i+1), file)
		var said []string
		for _, p := range found {
			said = append(said, p.Error())
		}
		if got := strings.Join(said, "|"); (got == "") != (want == "") || !strings.Contains(got, want) || len(found) > 1 {
			t.Errorf("%d.png: %q, want %q", i+1, got, want)
		}
	}
	if loose := a.Loose(); len(loose) != 0 {
		t.Errorf("%v", loose)
	}
}

// A file that is cut between two of its fields lacks annotations, and does not pass for one without.
func TestCutCOCO(t *testing.T) {
	text := `{"images": [{"id": 1, "file_name": "1.png", "width": 6, "height": 4}], "annotations": []}`
	for _, cut := range []int{len(text) - 1, strings.Index(text, ", \"annotations")} {
		tree, err := Open(lay(t, t.TempDir(), map[string]string{"images/1.png": "", "annotations/a.json": text[:cut]}), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Annotations(nil); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), "a.json: ") {
			t.Errorf("%s: %v", text[:cut], err)
		}
	}
}

// A file that is damaged before its first image is an error that names it, also beside a sound one, and no folder of classes.
func TestDamagedCOCO(t *testing.T) {
	for what, text := range map[string]string{
		"cut in info":        `{"info": {"description": "x`,
		"cut in annotations": `{"annotations": [{"image_id": 1, "bbox": [1, 2`,
		"cut before images":  `{"annotations": [{"image_id": 1}], "categories": [{"id": 1}],`,
		"cut in images":      byteOrderMark + `{"info": {}, "images": [{"id": 1, "file_na`,
		"no json":            `{"annotations": [{"image_id": 1, "area": NaN}], "images": []}`,
	} {
		for _, name := range []string{"annotations/b.json", "train/_annotations.coco.json"} {
			root := lay(t, t.TempDir(), map[string]string{"train/1.jpg": "", name: text})
			if got := Detect(root); got != COCO {
				t.Errorf("%s, %s: layout %q", what, name, got)
			}
			if _, err := Open(root, nil); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), filepath.Base(name)+" begins as") {
				t.Errorf("%s, %s: %v", what, name, err)
			}
			lay(t, root, map[string]string{"annotations/a.json": cocoText})
			tree, err := Open(root, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tree.Annotations(nil); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), filepath.Base(name)+" begins as") {
				t.Errorf("%s, %s beside a sound one: %v", what, name, err)
			}
		}
	}
	for _, text := range []string{
		"", "{", "[1", `{"cat": ["1.jpg"`, `{"images": ["1.jpg", `, `{"annotations": [{"file": "1.jpg"}, `, `{"annotations": [], "info": {}}`, `{"cat": [], "images": [{"`,
		`{"categories": ["cat", "dog"], "annotations": `,
	} {
		if got := Detect(lay(t, t.TempDir(), map[string]string{"cat/1.jpg": "", "dog/1.jpg": "", "annotations/a.json": text})); got != "" {
			t.Errorf("%s in annotations beside folders of classes: layout %q", text, got)
		}
	}
}

// A byte order mark is read past in files of all kinds, and stays in those that are rewritten.
func TestByteOrderMark(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a.json":                        {"images/1.png": "", "a.json": coco(`{"image_id": 1, "bbox": [0, 0, 6, 4]}`)},
		"labels/1.txt":                  {"images/1.png": "", "labels/1.txt": "0 0.5 0.5 1 1\n"},
		"Annotations/1.xml":             {"JPEGImages/1.png": "", "Annotations/1.xml": voc(6, vocCat)},
		"gtFine/a_gtFine_polygons.json": {"leftImg8bit/a_leftImg8bit.png": "", "gtFine/a_gtFine_polygons.json": `{"objects":[{"polygon":[[0,0],[4,0],[4,2]]}]}`},
	} {
		want, _, err := warped(t, files, shift(1, 0, 6, 4), options)
		if err != nil {
			t.Fatal(name, err)
		}
		files[name] = byteOrderMark + files[name]
		got, _, err := warped(t, files, shift(1, 0, 6, 4), options)
		if err != nil || got[name] != byteOrderMark+want[name] {
			t.Errorf("%s: %v %q, want the mark and %q", name, err, got[name], want[name])
		}
	}
	expect(t, "classes", map[string]string{"images/1.png": "", "labels/1.txt": "9 .5 .5 1 1\n", "d.yaml": byteOrderMark + "names: [a, b]\n"}, nil, []string{"class 9 of 2"})
}

// Each fault is named by file and field, and a sound tree has none.
func TestVerify(t *testing.T) {
	two := map[string]string{"images/1.png": "", "images/2.png": ""}
	for _, c := range []struct {
		what  string
		files map[string]string
		want  []string
	}{
		{"a sound COCO", map[string]string{
			"a.json":         coco(`{"image_id": 1, "category_id": 3, "bbox": [0, 0, 6, 4], "segmentation": [[0,0, 6,0, 6,4]]}, {"image_id": 2, "bbox": [1, 1, 2, 2.4], "segmentation": {"size": [4, 6], "counts": [4, 10, 10]}}`),
			"masks/1.png":    indexed(t, 6, 4, 3),
			"labels/2.txt":   "0 0.5 0.5 1 1\n\n1 0 0 1 0 1 1\n2 .5 .5 .1 .1 .99\n",
			"labels/skip.md": "x",
		}, nil},
		{"boxes", map[string]string{"a.json": coco(`{"image_id": 1, "bbox": [0, 0, 9, 4]}, {"image_id": 1, "bbox": [0, 0, 0, 4]}, {"image_id": 2, "bbox": [1, 2]}`)}, []string{
			"a.json: annotations[0].bbox: [0 0 9 4] of images/1.png, which is 6x4", "a.json: annotations[1].bbox: [0 0 0 4]", "a.json: annotations[2].bbox: [1 2] (allowed: x, y, width, height)",
		}},
		{"ids", map[string]string{"a.json": coco(`{"image_id": 9}, {"image_id": 1, "category_id": 4}, {"image_id": "x"}`)}, []string{
			"annotations[1].category_id: 4", "annotations[0].image_id: 9", "annotations[2]: no image_id",
		}},
		{"types", map[string]string{"a.json": coco(`{"image_id": 1, "bbox": "x"}, {"image_id": 1, "bbox": [1, null, 2, 2], "category_id": 1.5}, {"image_id": 2, "area": "4"},
			{"image_id": 2, "keypoints": {}}, {"bbox": "x"}, {"image_id": [1], "area": []}, {"image_id": 2, "bbox": null, "keypoints": null, "area": null, "category_id": null, "segmentation": null, "segments_info": null}, 7`)}, []string{
			"a.json: annotations[0].bbox: no list of numbers (allowed: x, y, width, height)", "annotations[1].category_id: no whole number", "annotations[1].bbox: no list",
			"annotations[2].area: no number", "annotations[3].keypoints: no list",
			"annotations[4]: no image_id, or one that is no whole number", "annotations[5]: no image_id,", "annotations[7]: no image_id,",
		}},
		{"types of images", map[string]string{"a.json": `{"images": [{"id": "x", "file_name": "1.png"}, {"id": 2, "file_name": "2.png", "width": "6", "height": [4]}, {"id": 3, "file_name": 3}],
			"annotations": [{"image_id": 2, "bbox": [0, 0, 6, 4]}]}`}, []string{
			"a.json: images[0]: no id, or one that is no whole number", "images[1].width: no number", "images[1].height: no number", `images[2].file_name: "" is no image`,
		}},
		{"segmentations", map[string]string{"a.json": coco(`{"image_id": 1, "segmentation": [[0, 0, 1]]}, {"image_id": 1, "segmentation": [[0,0,20,0,0,4]]},
			{"image_id": 1, "segmentation": {"size": [6, 4], "counts": [24]}}, {"image_id": 1, "segmentation": {"size": [4, 6], "counts": [25]}},
			{"image_id": 1, "segmentation": {"size": [4, 6], "counts": [23]}}, {"image_id": 1, "segmentation": 4}`)}, []string{
			"annotations[0].segmentation: polygon 0 has 3", "annotations[1].segmentation: polygon 0 reaches to (20, 0)", "annotations[2].segmentation: size [6 4]",
			"a run that cannot be", "add up to 23 of 24", "neither polygons",
		}},
		{"images of a file", map[string]string{"a.json": `{"images": [{"id": 1, "file_name": "1.png", "width": 5, "height": 4}, {"id": 1, "file_name": "none.png"}, {"file_name": "2.png"}]}`}, []string{
			"a.json: images[0]: 5x4, and images/1.png is 6x4", "images[0].id: 1 is", "images[1].id: 1 is", `images[1].file_name: "none.png"`, "images[2]: no id",
		}},
		{"masks", map[string]string{"a.json": coco(""), "masks/1.png": indexed(t, 5, 4, 3), "masks/2.png": "no png", "masks/3.png": indexed(t, 6, 4, 3)}, []string{
			"masks/1.png: 5x4, and its image is 6x4", "masks/2.png: unexpected EOF", "masks/3.png: there is no image of it",
		}},
		{"labels", map[string]string{
			"labels/1.txt": "0 0.5 0.5 1.2 1\nx 0 0 1 1\n0 1\n0 a 0 1 1\n2 0.5 0.5 1 1\n0 0 0 1 1 0 3\n", "data.yaml": "names:\n  0: cat\n  1: dog # two\nother: 1\n", "labels/4.txt": "",
		}, []string{
			"labels/1.txt: line 1: box", "line 2: class \"x\"", "line 3: 2 values", "line 4: \"a\"", "line 5: class 2 of 2 (allowed: 0 to 1)", "line 6: a point",
			"labels/4.txt: there is no image",
		}},
	} {
		files := map[string]string{}
		for _, m := range []map[string]string{two, c.files} {
			for name, text := range m {
				files[name] = text
			}
		}
		expect(t, c.what, files, nil, c.want)
	}
	expect(t, "two of a kind", map[string]string{"images/1.png": "", "labels/1.txt": "", "labels/masks/1.txt": "", "labels/classes.txt": "cat"}, nil, []string{
		"labels/masks/1.txt: labels/1.txt is of the same image",
	})
	expect(t, "one name twice", map[string]string{"images/1.png": "", "images/1.jpg": "", "labels/1.txt": ""}, nil, []string{"images/1.jpg: images/1.png has the same annotations"})
	expect(t, "keypoints", map[string]string{"images/1.png": "", "labels/1.txt": "0 .5 .5 1 1 .2 .2 2\n0 2 2 1 1 0 0 0\n", "d.yaml": "nc: 1\nkpt_shape: [1, 3]\nnames: [a, b]\n"}, nil, []string{
		"labels/1.txt: line 2: box",
	})
	for names, classes := range map[string]int{
		"names: [a, b]\n": 2, "names: ['a, b', \"c\", d]\n": 3, "names: [\n  a, # one\n  b,\n  'c d',\n]\nother: [1, 2, 3, 4]\n": 3, "names: []\n": 0,
		"names:\n- a\n- b\n": 2, "names: [a\n": 0,
	} {
		var want []string
		if classes > 0 {
			want = []string{fmt.Sprintf("labels/1.txt: line 1: class 9 of %d", classes)}
		}
		expect(t, names, map[string]string{"images/1.png": "", "labels/1.txt": "9 .5 .5 1 1\n", "d.yaml": names}, nil, want)
	}
	expect(t, "Cityscapes", map[string]string{
		"leftImg8bit/a_leftImg8bit.png": "", "gtFine/a_gtFine_polygons.json": `{"imgWidth": 5, "imgHeight": 4}`, "leftImg8bit/b_leftImg8bit.png": "",
		"gtFine/b_gtFine_polygons.json": `{"objects": [{"polygon": [1]}]}`,
	}, nil, []string{"gtFine/a_gtFine_polygons.json: imgWidth, imgHeight: 5x4", "gtFine/b_gtFine_polygons.json: json: "})
	expect(t, "VOC", map[string]string{
		"JPEGImages/1.png": "", "Annotations/1.xml": voc(6, vocCat), "SegmentationClass/1.png": indexed(t, 6, 4, 3), "SegmentationObject/1.png": indexed(t, 6, 4, 5),
		"JPEGImages/2.png": "", "Annotations/2.xml": voc(7, strings.Replace(vocCat, ">6<", ">9<", 1)+strings.Replace(vocCat, "<ymin>1</ymin>", "", 1)), "SegmentationClass/2.png": indexed(t, 6, 4, 4),
		"JPEGImages/3.png": "", "Annotations/3.xml": "<annotation><object>",
	}, []int{0, 1, 2, 255}, []string{
		"Annotations/2.xml: size: 7x4, and its image is 6x4", "Annotations/2.xml: object[0].bndbox: [1 1 9 4] of an image of 6x4", "Annotations/2.xml: object[1].bndbox: it lacks",
		"SegmentationClass/2.png: label 3", "Annotations/3.xml: XML syntax error",
	})
}

func expect(t *testing.T, what string, files map[string]string, ids []int, want []string) {
	t.Helper()
	tree, err := Open(lay(t, t.TempDir(), files), nil)
	if err != nil {
		t.Fatal(what, err)
	}
	a, err := tree.Annotations(ids)
	if err != nil {
		t.Fatal(what, err)
	}
	found, err := a.Verify(t.Context(), 2, nil)
	if err != nil || len(found) != len(want) {
		t.Errorf("%s: %d problems (%v), want %d", what, len(found), err, len(want))
	}
	var lines []string
	for _, p := range found {
		if lines = append(lines, p.Error()); !errors.Is(p, data.ErrFormat) {
			t.Errorf("%s: %v is no %v", what, p, data.ErrFormat)
		}
	}
	for _, text := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, text) }) {
			t.Errorf("%s: no %q in\n%s", what, text, strings.Join(lines, "\n"))
		}
	}
}

// What is of an image that a pattern says has its path but for the folders that the pattern names.
func TestOwnStems(t *testing.T) {
	for what, c := range map[string]struct {
		images []string
		files  []string
		want   map[string]string // the files of each image, and of "" the problems
	}{
		"a folder": {
			[]string{"frames/*"},
			[]string{"frames/a.jpg", "frames/s1/x.jpg", "masks/a.png", "masks/s1/x.png", "labels/a.txt", "Annotations/s1/x.xml"},
			map[string]string{"frames/a.jpg": "labels/a.txt masks/a.png", "frames/s1/x.jpg": "Annotations/s1/x.xml masks/s1/x.png"},
		},
		"folders": {
			[]string{"data/frames/*.jpg"},
			[]string{"data/frames/1.jpg", "data/frames/2.jpg", "data/frames/3.jpg", "data/masks/1.png", "masks/2.png", "masks/data/3.png"},
			map[string]string{"data/frames/1.jpg": "data/masks/1.png", "data/frames/2.jpg": "masks/2.png", "data/frames/3.jpg": "masks/data/3.png"},
		},
		"a folder further down": {
			[]string{"*/rgb/*"},
			[]string{"s1/rgb/1.jpg", "s2/rgb/1.jpg", "s1/masks/1.png", "s2/masks/1.png"},
			map[string]string{"s1/rgb/1.jpg": "s1/masks/1.png", "s2/rgb/1.jpg": "s2/masks/1.png"},
		},
		"the whole path": {
			[]string{"frames/*", "*.jpg"},
			[]string{"frames/a.jpg", "a.jpg", "masks/a.png", "masks/frames/a.png"},
			map[string]string{"frames/a.jpg": "masks/frames/a.png", "a.jpg": "masks/a.png"},
		},
		"parts": {
			[]string{"train/rgb/*", "val/rgb/*"},
			[]string{"train/rgb/a.jpg", "val/rgb/a.jpg", "train/masks/a.png", "val/masks/a.png"},
			map[string]string{"train/rgb/a.jpg": "train/masks/a.png", "val/rgb/a.jpg": "val/masks/a.png"},
		},
		"two images": {
			[]string{"left/*", "right/*"},
			[]string{"left/a.jpg", "right/a.jpg", "right/b.jpg", "masks/a.png", "masks/b.png", "masks/c.png"},
			map[string]string{"right/b.jpg": "masks/b.png", "": "masks/a.png: it may be of left/a.jpg and of right/a.jpg (allowed: one image)|masks/c.png: there is no image of it"},
		},
	} {
		files := map[string]string{}
		for _, name := range c.files {
			files[name] = ""
		}
		a := listed(t, files, c.images)
		for image, want := range c.want {
			if got := strings.Join(a.Files(image), " "); image != "" && got != want {
				t.Errorf("%s: of %s is %q, want %q", what, image, got, want)
			}
		}
		var loose []string
		for _, p := range a.Loose() {
			loose = append(loose, p.Error())
		}
		if got := strings.Join(loose, "|"); got != c.want[""] || a.Lost() != nil {
			t.Errorf("%s: %q, want %q; %v", what, got, c.want[""], a.Lost())
		}
	}
}

// Where all files of a kind are of no image there is another rule for their names, and the error says the one that was expected.
func TestLost(t *testing.T) {
	for want, c := range map[string][]string{
		"masks/a_seg.png: no mask is of an image (expected: masks/a.png of frames/a.jpg)":                                           {"frames/*", "frames/a.jpg", "masks/b_seg.png", "masks/a_seg.png"},
		"truth/a.png: no mask is of an image (expected: masks/left/a.png of left/a.jpg)":                                            {"*/*.jpg", "left/a.jpg", "right/a.jpg", "truth/a.png"},
		"labels/a_1.txt: no file of labels is of an image (expected: labels/a.txt of frames/a.jpg)":                                 {"frames/*", "frames/a.jpg", "masks/a.png", "labels/a_1.txt"},
		"Annotations/b.xml: no file of boxes is of an image (expected: Annotations/a.xml of JPEGImages/a.jpg)":                      {"", "JPEGImages/a.jpg", "Annotations/b.xml"},
		"gtFine/b_polygons.json: no file of polygons is of an image (expected: gtFine/a_gtFine_polygons.json of leftImg8bit/a.jpg)": {"", "leftImg8bit/a.jpg", "gtFine/b_polygons.json"},
		"": {"frames/*", "frames/a.jpg", "frames/b.jpg", "masks/a.png", "masks/c.png"},
	} {
		files := map[string]string{}
		for _, name := range c[1:] {
			files[name] = ""
		}
		err := listed(t, files, nonEmpty(c[0])).Lost()
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// listed returns the annotations of a tree of these files, whose images are those of the patterns.
func listed(t *testing.T, files map[string]string, images []string) *Annotations {
	t.Helper()
	tree, err := Open(lay(t, t.TempDir(), files), images)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tree.Annotations(nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// An image of a name that two folders have is the one beside the file or in the folder that it is named after.
func TestPick(t *testing.T) {
	images := []string{"train2017/1.jpg", "val2017/1.jpg", "more/deep/1.jpg"}
	for _, c := range []struct{ file, name, want string }{
		{"annotations/instances_val2017.json", "1.jpg", "val2017/1.jpg"},
		{"a.json", "train2017/1.jpg", "train2017/1.jpg"},
		{"more/deep/x.json", "1.jpg", "more/deep/1.jpg"},
		{"a.json", "1.jpg", ""},
		{"a.json", "2.jpg", ""},
	} {
		if got := pick(images, c.file, c.name); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.name, c.file, got, c.want)
		}
	}
}

// FuzzParsers: whatever a file holds, reading it ends, and what it gives lies within the file.
func FuzzParsers(f *testing.F) {
	f.Add(voc(6, vocCat), `{"size": [4, 6], "counts": "0e0b0"}`, "0 0.5 0.5 1 1")
	f.Add("<annotation><object><bndbox></object>", "[[1e308,2,3,4,5,6]]", "0 0 0 1 0 1 1 0")
	f.Fuzz(func(t *testing.T, xml, segment, line string) {
		boxes, _, _, _ := parseVOC([]byte(xml))
		for _, b := range boxes {
			if b.check(6, 4) == "" && (b.from < 0 || b.from >= b.to || b.to > len(xml)) {
				t.Errorf("box %+v of %d bytes", b, len(xml))
			}
		}
		s, reason := parseSegmentation([]byte(segment), 6, 4)
		sum := 0
		for _, n := range s.runs {
			sum += n
		}
		if reason == "" && s.polygons == nil && segment != "[]" && sum != 24 {
			t.Errorf("%s: %d pixels", segment, sum)
		}
		if strings.TrimSpace(line) != "" {
			parseYOLO(line)
		}
	})
}
