package annotated

import (
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// TestMaskFillOfCityscapes: what comes from outside of the image is what training leaves out, in each kind of mask.
func TestMaskFillOfCityscapes(t *testing.T) {
	g := image.NewGray(image.Rect(0, 0, 6, 4))
	for i := range g.Pix {
		g.Pix[i] = []uint8{0, 255}[i%2] // of training ids road and ignored: no mask of an object by 255
	}
	const city = "train/aachen/aachen_000000_000019_gtFine_"
	files := map[string]string{
		"leftImg8bit/train/aachen/aachen_000000_000019_leftImg8bit.png": "",
		"gtFine/" + city + "labelTrainIds.png":                          pngText(t, g),
		"gtFine/" + city + "labelIds.png":                               pngText(t, g),
	}
	out, _, err := warped(t, files, shift(1, 0, 6, 4), WarpOptions{MinVisible: 0.1, MaskFill: -1})
	if err != nil {
		t.Fatal(err)
	}
	for kind, fill := range map[string]uint8{"labelTrainIds": 255, "labelIds": 0} {
		m, err := png.Decode(strings.NewReader(out["gtFine/"+city+kind+".png"]))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(*image.Gray).GrayAt(0, 2).Y; got != fill {
			t.Errorf("%s: %d outside, want %d", kind, got, fill)
		}
	}
}

// TestMaskFillOfObjects: where values are numbers of objects, a class that is chosen for what comes from outside becomes none of them.
func TestMaskFillOfObjects(t *testing.T) {
	const frame = "train/aachen/aachen_000000_000019_"
	number := pngText(t, image.NewGray16(image.Rect(0, 0, 6, 4)))
	for name, c := range map[string]struct {
		image string
		fills map[int]uint16 // by what is chosen
	}{
		"SegmentationClass/1.png":                         {"JPEGImages/1.png", map[int]uint16{-1: 255, 0: 0, 7: 7, 255: 255}},
		"SegmentationObject/1.png":                        {"JPEGImages/1.png", map[int]uint16{-1: 255, 0: 0, 7: 255, 255: 255}},
		"gtFine/" + frame + "gtFine_instanceIds.png":      {"leftImg8bit/" + frame + "leftImg8bit.png", map[int]uint16{-1: 0, 0: 0, 255: 0}},
		"gtFine/" + frame + "gtFine_instanceTrainIds.png": {"leftImg8bit/" + frame + "leftImg8bit.png", map[int]uint16{-1: 255, 0: 0, 7: 255}},
		"masks/instances/1.png":                           {"images/instances/1.png", map[int]uint16{-1: 0, 7: 0, 255: 0}},
	} {
		for chosen, fill := range c.fills {
			files := map[string]string{c.image: "", name: number, "a.json": coco("")}
			out, _, err := warped(t, files, shift(1, 0, 6, 4), WarpOptions{MinVisible: 0.1, MaskFill: chosen})
			if err != nil {
				t.Fatal(err)
			}
			m, err := png.Decode(strings.NewReader(out[name]))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.(*image.Gray16).Gray16At(0, 2).Y; got != fill {
				t.Errorf("%s, %d chosen: %d outside, want %d", name, chosen, got, fill)
			}
		}
	}
}

// TestUnknown: files that are named after an image and that nothing rewrites are told.
func TestUnknown(t *testing.T) {
	const frame = "train/aachen/aachen_000000_000019_"
	files := map[string]string{
		"leftImg8bit/" + frame + "leftImg8bit.png":              "",
		"gtFine/" + frame + "gtFine_labelIds.png":               indexed(t, 6, 4, 3),
		"gtFine/" + frame + "gtFine_polygons.json":              `{"imgHeight": 4, "imgWidth": 6, "objects": []}`,
		"disparity/" + frame + "disparity.png":                  indexed(t, 6, 4, 3),
		"gtBboxCityPersons/" + frame + "gtBboxCityPersons.json": `{}`,
		"README": "",
	}
	a := listed(t, files, nil)
	want := []string{"disparity/" + frame + "disparity.png", "gtBboxCityPersons/" + frame + "gtBboxCityPersons.json"}
	if got := a.Unknown(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWarpRefusesPoints: coordinates in Pascal VOC's files that would stay where they are.
func TestWarpRefusesPoints(t *testing.T) {
	for element, says := range map[string]string{"point": "objects with a point are not rewritten", "polygon": "with a polygon", "points2d": ""} {
		object := voc(6, strings.Replace(vocCat, "</object>", "<"+element+"><x>1</x><y>2</y></"+element+"></object>", 1))
		_, _, err := warped(t, map[string]string{"JPEGImages/1.png": "", "Annotations/1.xml": object}, shift(1, 0, 6, 4), WarpOptions{MinVisible: 0.1, MaskFill: -1})
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", element, err)
		}
	}
}

// TestOwnMaskNames: a mask's extension may be in capitals.
func TestOwnMaskNames(t *testing.T) {
	tree, err := Open(lay(t, t.TempDir(), map[string]string{"imgs/1.png": "", "segs/1.PNG": ""}), []string{"imgs/*.png"})
	if err != nil || !slices.Equal(tree.Masks, []string{"segs/1.PNG"}) {
		t.Errorf("%v, %v", tree, err)
	}
}
