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
