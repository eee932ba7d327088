package chart

import (
	"bytes"
	"encoding/base64"
	"image/color"
	"image/png"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// dense is a map of 4 by 3 cells, one of them missing.
func dense() *Map {
	return &Map{
		Title: "dense", Name: "model", Rows: 3, Cols: 4, FirstRow: -1, FirstCol: -2, RowLabel: "down", ColLabel: "across",
		Values: []float64{0, 1, 0.5, 0.25, math.NaN(), 0, 0, 0, 2, -1, 0, 0}, Max: 1, Percent: true, Label: "Error",
	}
}

// TestMapImage: the image in the drawing has the colors of the scale, cell by cell, and a hole where nothing was
// measured.
func TestMapImage(t *testing.T) {
	m := dense()
	svg := m.SVG("x")
	found := regexp.MustCompile(`href="data:image/png;base64,([^"]+)"`).FindStringSubmatch(svg)
	if found == nil {
		t.Fatal("no image")
	}
	file, err := base64.StdEncoding.DecodeString(found[1])
	if err != nil {
		t.Fatal(err)
	}
	p, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if p.Bounds().Dx() != 4 || p.Bounds().Dy() != 3 {
		t.Errorf("%v", p.Bounds())
	}
	for i, v := range m.Values {
		got := color.NRGBAModel.Convert(p.At(i%4, i/4)).(color.NRGBA)
		var want color.NRGBA
		if !math.IsNaN(v) {
			r, g, b := Ramp(v)
			want = color.NRGBA{r, g, b, 255}
		}
		if far := func(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) > 1 }; far(got.R, want.R) ||
			far(got.G, want.G) || far(got.B, want.B) || got.A != want.A {
			t.Errorf("cell %d of %v is %v, want %v", i, v, got, want)
		}
	}
	for _, want := range []string{">model</text>", ">Error (%)</text>", ">down</text>", ">across</text>", ">−2</text>"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
	m.NoKey = true
	if strings.Contains(m.SVG("x"), ">Error (%)</text>") || !strings.Contains(m.Key("k", 300), ">Error (%)</text>") {
		t.Error("the scale of the colors is where it should not be")
	}
}

// TestMapTicks: an axis names whole cells that it has, zero among them.
func TestMapTicks(t *testing.T) {
	m := &Map{}
	if got := m.Ticks(-16, 32); !slices.Equal(got, []int{-10, 0, 10}) {
		t.Errorf("%v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1024).Draw(t, "n")
		got := m.Ticks(-(n / 2), n)
		if !slices.Contains(got, 0) || !slices.IsSorted(got) || got[0] < -(n/2) || got[len(got)-1] >= n-n/2 || len(got) > 9 {
			t.Fatalf("%d cells: %v", n, got)
		}
	})
}

// TestColorsDiffer: no two of the eight colors are alike, in light and dark: their distance in Oklab (Ottosson 2020).
func TestColorsDiffer(t *testing.T) {
	for name, css := range map[string]string{"light": CSS[:strings.Index(CSS, "@media")], "dark": dark} {
		all := regexp.MustCompile(`--ch(\d):(#[0-9a-f]+)`).FindAllStringSubmatch(css, -1)
		for i := range all {
			for j := range i {
				a, b := oklab(t, all[i][2]), oklab(t, all[j][2])
				if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < 0.09 { // 0.02 is just seen
					t.Errorf("%s: colors %s and %s are %.3f apart", name, all[i][2], all[j][2], d)
				}
			}
		}
	}
}

func oklab(t *testing.T, hex string) [3]float64 {
	t.Helper()
	one := func(from int) float64 { // a channel, linear
		return luminance(t, "#"+strings.Repeat(hex[from:from+2], 3))
	}
	r, g, b := one(1), one(3), one(5)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}
