package figure

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

func rows(kind chart.Kind) *chart.Plot {
	return &chart.Plot{
		Title: "across", Kind: kind, Across: true, Values: true, X: chart.Axis{Categories: []string{"a", "b", "c"}},
		Series: []chart.Series{
			{Name: "one", Y: []float64{0.2, 0.4, math.NaN()}, Lo: []float64{0.1, math.NaN(), 0}, Hi: []float64{0.3, 0.5, 0}},
			{Name: "two", Y: []float64{0.3, math.NaN(), 0.1}, Color: 1, Tick: kind == chart.Bars},
		},
	}
}

func half(n int) *chart.Map {
	m := &chart.Map{Title: "dense", Name: "name", Rows: n, Cols: n, Values: make([]float64, n*n), Max: 1, NoKey: true}
	for i := range m.Values {
		m.Values[i] = 0.5
		if i < n*n/2 {
			m.Values[i] = math.NaN()
		}
	}
	return m
}

// TestMore: the kinds of charts that have files of their own, with and without anything in them, twice the same.
func TestMore(t *testing.T) {
	draw := func(f chart.Figure) []byte {
		var b bytes.Buffer
		if err := Write(&b, f, PNG, Options{Title: true}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, f := range map[string]chart.Figure{
		"points": rows(chart.Points), "no map": &chart.Map{}, "no rows": &chart.Plot{Across: true}, "none": &chart.Panels{},
		"panels": &chart.Panels{Title: "panels", Charts: []chart.Figure{rows(chart.Bars), half(3), &chart.Plot{}}},
	} {
		a := draw(f)
		if _, err := png.DecodeConfig(bytes.NewReader(a)); err != nil || !bytes.Equal(a, draw(f)) {
			t.Errorf("%s: two drawings differ, %v", name, err)
		}
	}
	// A panel alone is its chart.
	if !bytes.Equal(draw(&chart.Panels{Charts: []chart.Figure{rows(chart.Bars)}}), draw(rows(chart.Bars))) {
		t.Error("a panel alone is not its chart")
	}
}

// TestAcrossArea: the bars have areas as their values, each in its color.
func TestAcrossArea(t *testing.T) {
	p := &chart.Plot{
		Kind: chart.Bars, Across: true, X: chart.Axis{Categories: []string{"a", "b"}},
		Series: []chart.Series{{Name: "one", Y: []float64{0.2, 0.4}, Colors: []int{2, 3}}},
	}
	_, c := draw1(t, p)
	if r := float64(c[palette[2]]) / float64(c[palette[3]]); math.Abs(r-0.5) > 0.03 {
		t.Errorf("%d and %d pixels", c[palette[2]], c[palette[3]])
	}
}

// TestMapArea: half of a map is measured and has the color of its value, the other half is white; in panels too, and
// there its scale of colors is drawn once.
func TestMapArea(t *testing.T) {
	r, g, b := chart.Ramp(127.0 / 254)
	mid := color.NRGBA{r, g, b, 255}
	_, one := draw1(t, half(4))
	_, two := draw1(t, &chart.Panels{Charts: []chart.Figure{half(4), half(4)}})
	side := 198 * zoom
	if got := float64(one[mid]); math.Abs(got-side*side/2) > 0.03*side*side {
		t.Errorf("%v pixels of a map of %v", got, side*side)
	}
	if ratio := float64(two[mid]) / float64(one[mid]); math.Abs(ratio-2) > 0.05 {
		t.Errorf("two maps have %v times the pixels of one", ratio)
	}
}

// TestMapsOfOneSize: a figure of several maps is the same file each time.
func TestMapsOfOneSize(t *testing.T) {
	p := &chart.Panels{}
	for i := range 6 {
		m := half(8)
		m.Values = slices.Clone(m.Values)
		m.Values[i] = 0.5
		p.Charts = append(p.Charts, m)
	}
	var first []byte
	for range 10 {
		var b bytes.Buffer
		if err := Write(&b, p, PDF, Options{}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), first) {
			t.Fatal("two files differ")
		}
	}
}
