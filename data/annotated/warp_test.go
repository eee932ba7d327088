package annotated

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// shift is the map that moves everything to the right and down.
func shift(dx, dy, w, h int) Warp {
	return NewWarp([6]float64{1, 0, -float64(dx), 0, 1, -float64(dy)}, w, h)
}

// warped opens a tree and warps what is said of its image images/1.png, or of the only one.
func warped(t *testing.T, files map[string]string, g Warp, o WarpOptions) (map[string]string, *Annotations, error) {
	t.Helper()
	tree, err := Open(lay(t, t.TempDir(), files), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := tree.Annotations(nil)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(tree.File(tree.Images[0]))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	list, err := a.Warped(tree.Images[0], file, g, o)
	for _, f := range list {
		out[f.Name] = string(f.Data)
	}
	if err != nil {
		return out, a, err
	}
	for _, name := range a.Shared() {
		var b bytes.Buffer
		if err := a.WarpShared(&b, name, o, func(image string, w, h int) (Warp, bool) { return g, image == tree.Images[0] }); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	return out, a, err
}

var options = WarpOptions{MinVisible: 0.25, MaskFill: -1}

// Two pixels to the right and one down: what is left of boxes and polygons, and what is lost.
func TestWarpText(t *testing.T) {
	out, a, err := warped(t, map[string]string{
		"JPEGImages/1.png": "", "Annotations/1.xml": voc(6, vocCat+"\t<object><bndbox><xmin>6</xmin><ymin>1</ymin><xmax>6</xmax><ymax>2</ymax></bndbox></object>\n<end/>"),
	}, shift(2, 1, 6, 4), options)
	want := strings.NewReplacer("<xmin>1<", "<xmin>3<", "<ymin>1<", "<ymin>2<", "<xmin>2<", "<xmin>4<", "<xmax>3<", "<xmax>5<", "<ymin>2<", "<ymin>3<", "<ymax>3<", "<ymax>4<").Replace(voc(6, vocCat+"<end/>"))
	if err != nil || out["Annotations/1.xml"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out["Annotations/1.xml"], want)
	}
	if a.Tally() != "voc: 1 kept, 1 dropped" {
		t.Error(a.Tally())
	}
	out, a, err = warped(t, map[string]string{
		"images/1.png": "", "labels/1.txt": "7 0.5 0.5 0.333333 0.5\n\n0 0.916667 0.125 0.1 0.25\n3 0 0 0.5 0 0.5 0.5 0 0.5\n1 .9 0 1 0 1 1\n2 0.5 0.5 0.333333 0.5 0.9\n",
	}, shift(2, 1, 6, 4), options)
	want = "7 0.833333 0.750000 0.333333 0.500000\n\n3 0.333333 0.250000 0.833333 0.250000 0.833333 0.750000 0.333333 0.750000\n2 0.833333 0.750000 0.333333 0.500000 0.9\n"
	if err != nil || out["labels/1.txt"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out["labels/1.txt"], want)
	}
	if a.Tally() != "yolo: 3 kept, 2 dropped" {
		t.Error(a.Tally())
	}
	out, _, err = warped(t, map[string]string{
		"leftImg8bit/a/a_leftImg8bit.png": "",
		"gtFine/a/a_gtFine_polygons.json": `{"imgHeight": 4, "objects": [{"label": "car", "polygon": [[0,0],[4,0],[4,2]], "id": 1}, {"polygon": [[5,0],[6,0],[6,4]]}], "z": {}}`,
	}, shift(2, 0, 6, 4), options)
	if got := out["gtFine/a/a_gtFine_polygons.json"]; err != nil || got != `{"imgHeight":4,"objects":[{"label":"car","polygon":[[2,0],[6,0],[6,2]],"id":1}],"z":{}}` {
		t.Errorf("%v %s", err, got)
	}
}

// COCO's fields are mapped, those that are not known stay, and what is of an image that is left out is left out.
func TestWarpCOCO(t *testing.T) {
	in := coco(`{"id": 12345678901234567, "image_id": 1, "bbox": [0, 0, 5, 4], "area": 20, "iscrowd": 0, "more": {"x": [1.50]}},
		{"image_id": 1, "bbox": [5, 0, 1, 1], "area": 1}, {"image_id": 2, "bbox": [0, 0, 1, 1]},
		{"image_id": 1, "num_keypoints": 2, "keypoints": [1, 1, 2, 5, 1, 1, 0, 0, 0], "segmentation": [[0,0, 2,0, 2,2, 0,2], [5,0, 6,0, 6,4]], "area": 9, "bbox": [0,0,6,4]},
		{"image_id": 1, "segmentation": {"size": [4, 6], "counts": [0, 4, 20]}, "iscrowd": 1, "area": 4},
		{"image_id": 1, "segmentation": {"counts": "` + packRuns([]int{0, 4, 20}) + `", "size": [4, 6]}}`)
	out, a, err := warped(t, map[string]string{"images/1.png": "", "images/2.png": "", "a.json": in}, shift(2, 1, 6, 4), options)
	want := `{"annotations":[{"id":12345678901234567,"image_id":1,"bbox":[2,1,4,3],"area":12,"iscrowd":0,"more":{"x": [1.50]}},` +
		`{"image_id":1,"num_keypoints":1,"keypoints":[3,2,2,0,0,0,0,0,0],"segmentation":[[2,1,4,1,4,3,2,3]],"area":4,"bbox":[2,1,4,3]},` +
		`{"image_id":1,"segmentation":{"size":[4,6],"counts":[9,3,12]},"iscrowd":1,"area":3},` +
		`{"image_id":1,"segmentation":{"size":[4,6],"counts":"` + packRuns([]int{9, 3, 12}) + `"}}],` +
		`"info":{"x": [[1], {}]},"images":[{"id": 1, "file_name": "1.png", "width": 6, "height": 4, "extra": 1}],"categories":[{"id": 3, "name": "cat"}]}` + "\n"
	if err != nil || out["a.json"] != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out["a.json"], want)
	}
	if a.Tally() != "coco: 4 kept, 1 dropped" {
		t.Error(a.Tally())
	}
}

// Palettes with their transparency, indices, and values above 255 come through exactly.
func TestWarpMasks(t *testing.T) {
	palette := color.Palette{color.NRGBA{A: 255}, color.NRGBA{R: 1, G: 2, B: 3, A: 9}, color.NRGBA{R: 200, A: 255}}
	for len(palette) < 256 {
		palette = append(palette, color.NRGBA{R: uint8(len(palette)), A: 255})
	}
	r := image.Rect(0, 0, 6, 4)
	index, gray, wide, truth := image.NewPaletted(r, palette), image.NewGray(r), image.NewGray16(r), image.NewNRGBA(r)
	for i := range index.Pix {
		index.Pix[i], gray.Pix[i], wide.Pix[2*i], wide.Pix[2*i+1] = uint8(i), uint8(9*i), uint8(i), uint8(3*i)
		copy(truth.Pix[4*i:], []uint8{uint8(i), 1, 2, 255})
	}
	files := map[string]string{
		"images/1.png": "", "a.json": coco(""), "masks/1.png": pngText(t, index), "mask/1.png": pngText(t, gray), "stuffthingmaps/1.png": pngText(t, wide),
		"gtFine/1.png": pngText(t, truth), "labels/1.png": pngText(t, translucent{truth}),
	}
	out, _, err := warped(t, files, shift(1, 0, 6, 4), WarpOptions{MinVisible: 0.1, MaskFill: 77})
	if err != nil {
		t.Fatal(err)
	}
	for name, fill := range map[string]uint32{"masks/1.png": 77, "mask/1.png": 77 * 257, "stuffthingmaps/1.png": 77, "gtFine/1.png": 0, "labels/1.png": 0} {
		was, err1 := png.Decode(strings.NewReader(files[name]))
		is, err2 := png.Decode(strings.NewReader(out[name]))
		if err1 != nil || err2 != nil || fmt.Sprintf("%T", was) != fmt.Sprintf("%T", is) {
			t.Fatalf("%s: %T of %T (%v, %v)", name, is, was, err1, err2)
		}
		for y := range 4 {
			for x := 1; x < 6; x++ {
				if was.At(x-1, y) != is.At(x, y) {
					t.Errorf("%s: (%d,%d) is %v, was %v", name, x, y, is.At(x, y), was.At(x-1, y))
				}
			}
		}
		if m, ok := is.(*image.Paletted); ok {
			if m.ColorIndexAt(0, 1) != 77 || !slices.Equal(m.Palette, was.(*image.Paletted).Palette) || chunk(out[name], "PLTE") != chunk(files[name], "PLTE") || chunk(out[name], "tRNS") != chunk(files[name], "tRNS") {
				t.Errorf("%s: another palette, or %d outside", name, m.ColorIndexAt(0, 1))
			}
		} else if red, _, _, _ := is.At(0, 1).RGBA(); red != fill {
			t.Errorf("%s: %d outside, want %d", name, red, fill)
		}
	}
	files["masks/1.png"] = indexed(t, 6, 4, 3)
	if _, _, err := warped(t, files, shift(1, 0, 6, 4), options); err == nil || err.Error() != "masks/1.png: it cannot hold the value 255 for what comes from outside of the image (allowed: 0 to 2)" {
		t.Error(err)
	}
}

// TestWarpNull: fields that are null stay null beside those that are mapped, and the file stays one of json.
func TestWarpNull(t *testing.T) {
	const nulls = `"segmentation":null,"segments_info":null,"area":null,"keypoints":null,"num_keypoints":null`
	files := map[string]string{"1.png": "", "a.json": coco(`{"image_id": 1, "bbox": [1, 1, 2, 2], ` + nulls + `}, {"image_id": 1, "bbox": null, "area": 2}`)}
	out, _, err := warped(t, files, shift(1, 0, 6, 4), options)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Annotations json.RawMessage }
	if err := json.Unmarshal([]byte(out["a.json"]), &got); err != nil {
		t.Fatalf("%v\n%s", err, out["a.json"])
	}
	if want := `[{"image_id":1,"bbox":[2,1,2,2],` + nulls + `},{"image_id":1,"bbox":null,"area":2}]`; string(got.Annotations) != want {
		t.Errorf("%s\nwant\n%s", got.Annotations, want)
	}
}

// TestWarpSmallGray: masks of 1, 2 and 4 bits gray, which Go's encoder does not write, keep the values that Pillow reads: of 1 bit false and
// true, the others spread over 0 to 255.
func TestWarpSmallGray(t *testing.T) {
	by := map[byte]uint8{1: 1, 2: 85, 4: 17}
	for bits, row := range map[byte][]byte{1: {0b01011000}, 2: {0b00011011, 0b11100000}, 4: {0x01, 0x7f, 0x2e}} {
		var values []uint8
		for i := range 6 {
			per := 8 / int(bits)
			values = append(values, by[bits]*(row[i/per]>>(8-int(bits)*(i%per+1))&(1<<bits-1)))
		}
		files := map[string]string{"images/1.png": "", "a.json": coco(""), "masks/1.png": grayPNG(6, 4, bits, row)}
		out, _, err := warped(t, files, shift(1, 0, 6, 4), options)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(strings.NewReader(out["masks/1.png"]))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(*image.Gray).Pix[:6]; got[0] != 255 || !slices.Equal(got[1:], values[:5]) {
			t.Errorf("%d bits: %v, want 255 and %v", bits, got, values[:5])
		}
	}
}

// grayPNG is a PNG file of w by h gray pixels of few bits, all rows alike, with more chunks, names and contents, after the header.
func grayPNG(w, h uint32, bits byte, row []byte, more ...[2]string) string {
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for range h {
		_, _ = z.Write(append([]byte{0}, row...))
	}
	_ = z.Close()
	file := []byte("\x89PNG\r\n\x1a\n")
	header := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h), bits, 0, 0, 0, 0)
	for _, c := range slices.Concat([][2]string{{"IHDR", string(header)}}, more, [][2]string{{"IDAT", pixels.String()}, {"IEND", ""}}) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(c[1])))
		body := []byte(c[0] + c[1])
		file = binary.BigEndian.AppendUint32(append(file, body...), crc32.ChecksumIEEE(body))
	}
	return string(file)
}

// TestWarpBinaryMasks: where 255 is the object, what comes from outside does not become one unless it is asked for.
func TestWarpBinaryMasks(t *testing.T) {
	object, void := image.NewGray(image.Rect(0, 0, 6, 4)), image.NewGray(image.Rect(0, 0, 6, 4))
	object.Pix[7], void.Pix[7], void.Pix[8] = 255, 255, 3
	files := map[string]string{"images/1.png": "", "a.json": coco(""), "masks/1.png": pngText(t, object)}
	if _, _, err := warped(t, files, shift(1, 0, 6, 4), options); err == nil || !strings.Contains(err.Error(), "masks/1.png: its values are 0 and 255") ||
		!strings.Contains(err.Error(), "allowed: another mask-fill, such as 0") {
		t.Error(err)
	}
	for _, fill := range []int{0, 255} {
		if _, _, err := warped(t, files, shift(1, 0, 6, 4), WarpOptions{MinVisible: 0.1, MaskFill: fill}); err != nil {
			t.Errorf("%d was asked for: %v", fill, err)
		}
	}
	files["masks/1.png"] = pngText(t, void)
	if _, _, err := warped(t, files, shift(1, 0, 6, 4), options); err != nil {
		t.Errorf("255 is void: %v", err)
	}
}

// TestWarpEmptyMask: a mask of 0 alone is of the kind that others in its folder are of.
func TestWarpEmptyMask(t *testing.T) {
	empty, marked := image.NewGray(image.Rect(0, 0, 6, 4)), image.NewGray(image.Rect(0, 0, 6, 4))
	marked.Pix[7] = 255
	files := map[string]string{
		"images/1.png": "", "images/2.png": "", "a.json": coco(""), "masks/1.png": pngText(t, empty), "masks/2.png": "no mask", "masks/3.png": pngText(t, marked),
	}
	if _, _, err := warped(t, files, shift(1, 0, 6, 4), options); err == nil || !strings.HasPrefix(err.Error(), "masks/1.png: its values are 0 and 255, or 0 beside") {
		t.Errorf("beside one of 0 and 255: %v", err)
	}
	marked.Pix[8] = 3
	files["masks/3.png"] = pngText(t, marked)
	for _, others := range []string{"masks/3.png", ""} {
		out, _, err := warped(t, files, shift(1, 0, 6, 4), options)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := png.Decode(strings.NewReader(out["masks/1.png"])); err != nil || m.(*image.Gray).Pix[0] != 255 {
			t.Errorf("beside %q: no 255 outside (%v)", others, err)
		}
		delete(files, "masks/3.png")
	}
}

// TestWarpGrayKey: a mask of gray stays gray, and its values are looked at, where one of them is said to be transparent.
func TestWarpGrayKey(t *testing.T) {
	small := grayPNG(6, 4, 8, []byte{0, 7, 7, 7, 7, 7}, [2]string{"tRNS", "\x00\x07"})
	wide := grayPNG(6, 4, 16, []byte{0, 0, 1, 7, 1, 7, 1, 7, 1, 7, 1, 7}, [2]string{"tRNS", "\x01\x07"})
	files := map[string]string{"images/1.png": "", "a.json": coco(""), "masks/1.png": small, "mask/1.png": wide}
	out, a, err := warped(t, files, shift(1, 0, 6, 4), options)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]color.Color{"masks/1.png": {color.Gray{255}, color.Gray{0}, color.Gray{7}}, "mask/1.png": {color.Gray16{255}, color.Gray16{0}, color.Gray16{263}}} {
		m, err := png.Decode(strings.NewReader(out[name]))
		if err != nil {
			t.Fatal(err)
		}
		for x, v := range want {
			if got := m.At(x, 0); got != v {
				t.Errorf("%s: %v at %d, want %v", name, got, x, v)
			}
		}
	}
	a.ids = []bool{true}
	var found []*Problem
	a.checkMask("masks/1.png", 6, 4, func(p *Problem) { found = append(found, p) })
	if len(found) != 1 || found[0].Reason != "label 7, which is none of those that are allowed" {
		t.Errorf("%v", found)
	}
}

// TestMaskPixelLimit: a mask has the limit of images, whatever a small file declares.
func TestMaskPixelLimit(t *testing.T) {
	a := listed(t, map[string]string{"images/1.png": "", "a.json": coco(""), "masks/1.png": grayPNG(1<<14, 1<<13+1, 1, nil)}, nil)
	_, err := a.tree.readMask("masks/1.png")
	if err == nil || !strings.Contains(err.Error(), "16384x8193 (allowed: at most 134217728 pixels)") {
		t.Error(err)
	}
}

// chunk returns a chunk of a PNG file.
func chunk(file, name string) string {
	i := strings.Index(file, name)
	n := int(file[i-2])<<8 | int(file[i-1])
	return file[i : i+4+n]
}

// Problems are errors of one image, with file and field.
func TestWarpRejects(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"labels/1.txt: line 2: box":                {"labels/1.txt": "0 .5 .5 .1 .1\n0 2 2 1 1\n"},
		"a.json: annotations[0].bbox: [0 0 9 9]":   {"a.json": coco(`{"image_id": 1, "bbox": [0, 0, 9, 9]}`)},
		"a.json: annotations[1].bbox: no list of":  {"images/2.png": "", "a.json": coco(`{"image_id": 2, "bbox": [0, 0, 6, 4]}, {"image_id": 1, "bbox": "x"}`)},
		"a.json: images[0].width: no number":       {"a.json": strings.Replace(coco(""), `"width": 6`, `"width": "6"`, 1)},
		"masks/1.png: 3x3, and its image is 6x4 (": {"a.json": coco(""), "masks/1.png": indexed(t, 3, 3, 2)},
	} {
		files["images/1.png"] = ""
		if _, _, err := warped(t, files, shift(0, 0, 6, 4), options); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, element := range map[string]string{
		"annotations[0].segments_info": `{"image_id": 1, "segments_info": []}`,
		"annotations[0].bbox: no list": `{"image_id": 1, "bbox": "x"}`, // of an image that is not left out all the same
	} {
		tree, err := Open(lay(t, t.TempDir(), map[string]string{"images/1.png": "", "a.json": coco(element)}), nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := tree.Annotations(nil)
		if err != nil {
			t.Fatal(err)
		}
		err = a.WarpShared(new(bytes.Buffer), "a.json", options, func(string, int, int) (Warp, bool) { return shift(0, 0, 6, 4), true })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", element, err, want)
		}
	}
}

// A rectangle as box, polygon, run lengths and mask goes one way in all four forms, whatever the map.
func TestFormsAgree(t *testing.T) {
	const w, h = 60, 40
	box := [4]float64{12, 9, 41, 30}
	inside := func(x, y int) bool { return x >= 12 && x < 41 && y >= 9 && y < 30 }
	s := segmentation{runs: []int{0}}
	last := false
	for x := range w {
		for y := range h {
			if inside(x, y) != last {
				s.runs, last = append(s.runs, 0), !last
			}
			s.runs[len(s.runs)-1]++
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		u := func(name string, most float64) float64 { return rapid.Float64Range(-most, most).Draw(t, name) }
		g := NewWarp([6]float64{1 + u("a", 0.3), u("b", 0.4), u("c", 30), u("d", 0.4), 1 + u("e", 0.3), u("f", 20)}, w, h)
		out, visible := g.box(box)
		p := g.polygon([]float64{12, 9, 41, 9, 41, 30, 12, 30})
		mask := s.warped(&g)
		if total := sum(mask.runs); total != w*h || !slices.Equal(unpackRuns(packRuns(mask.runs)), mask.runs) {
			t.Fatalf("%d pixels in %v", total, mask.runs)
		}
		at, pixels := 0, 0.0
		for i, n := range mask.runs {
			for range n {
				x, y := at/h, at%h
				at++
				if i%2 == 0 {
					continue
				}
				if q, ok := g.source(x, y); !ok || !inside(q.X, q.Y) {
					t.Fatalf("(%d,%d) is of the mask", x, y)
				}
				if pixels++; float64(x)+0.5 < out[0] || float64(y)+0.5 < out[1] || float64(x)+0.5 > out[2] || float64(y)+0.5 > out[3] {
					t.Fatalf("(%d,%d) is outside of the box %v", x, y, out)
				}
			}
		}
		for i := 0; i < len(p); i += 2 {
			const eps = 1e-9
			if p[i] < out[0]-eps || p[i] > out[2]+eps || p[i+1] < out[1]-eps || p[i+1] > out[3]+eps {
				t.Fatalf("(%v,%v) is outside of the box %v", p[i], p[i+1], out)
			}
		}
		if edge := 2 * float64(w+h) / 2; math.Abs(area(p)-pixels) > edge || visible < 0 || visible > 1+1e-9 || (visible == 0) != (p == nil) && area(p) > 1e-9 {
			t.Fatalf("polygon of %v, mask of %v pixels, %v visible", area(p), pixels, visible)
		}
	})
}

func sum(runs []int) (n int) {
	for _, r := range runs {
		n += r
	}
	return n
}

// The string form is that of pycocotools: worked by hand for small runs, differences and runs of several characters.
func TestRuns(t *testing.T) {
	for text, runs := range map[string][]int{
		"0": {0}, "64": {6, 4}, "`0": {16}, "?": {15}, "0P1": {0, 32}, "1234": {1, 2, 3, 6}, "54N": {5, 4, -2}, "`00@": {16, 0, -16},
	} {
		if got := unpackRuns(text); !slices.Equal(got, runs) || packRuns(runs) != text {
			t.Errorf("%s: %v, want %v; packed %q", text, got, runs, packRuns(runs))
		}
	}
}

func ExampleAnnotations_WarpShared() {
	tree, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(tree)
	if err := os.WriteFile(tree+"/1.jpg", nil, 0o666); err != nil {
		fmt.Println(err)
	}
	text := `{"images": [{"id": 7, "file_name": "1.jpg", "width": 100, "height": 50}], "annotations": [{"image_id": 7, "bbox": [10, 10, 30, 20], "score": 0.5}]}`
	if err := os.WriteFile(tree+"/boxes.json", []byte(text), 0o666); err != nil {
		fmt.Println(err)
	}
	found, err := Open(tree, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := found.Annotations(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	var out bytes.Buffer
	err = list.WarpShared(&out, "boxes.json", WarpOptions{MinVisible: 0.1}, func(string, int, int) (Warp, bool) {
		return NewWarp([6]float64{1, 0, 20, 0, 1, 0}, 100, 50), true // 20 pixels to the left
	})
	var got struct{ Annotations json.RawMessage }
	fmt.Println(err, json.Unmarshal(out.Bytes(), &got))
	fmt.Printf("%s\n", got.Annotations)
	// Output:
	// <nil> <nil>
	// [{"image_id":7,"bbox":[0,10,20,20],"score":0.5}]
}
