package figure

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

func draw1(t *testing.T, f chart.Figure) (file []byte, colors map[color.NRGBA]int) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, PNG, Options{Title: true}); err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	colors = map[color.NRGBA]int{}
	r := m.Bounds()
	if r.Dx() < 300 || r.Dy() < 100 || r.Dx() > 4000 || r.Dy() > 4000 {
		t.Errorf("%v", r)
	}
	opaque, ok := m.(*image.RGBA)
	if !ok || !opaque.Opaque() {
		t.Fatalf("a %T, not opaque", m)
	}
	run := 0 // of pixels of one color
	for p := opaque.Pix; len(p) > 0; p = p[4:] {
		if run++; len(p) < 8 || [4]byte(p) != [4]byte(p[4:]) {
			colors[color.NRGBA{p[0], p[1], p[2], p[3]}] += run
			run = 0
		}
	}
	return b.Bytes(), colors
}

// TestBarsHaveTheirArea: the pixels of a color are as its values are, and a missing value has none.
func TestBarsHaveTheirArea(t *testing.T) {
	nan := math.NaN()
	p := &chart.Plot{
		Title: "T", Kind: chart.Bars, X: chart.Axis{Categories: []string{"a", "b"}},
		Series: []chart.Series{
			{Name: "one", Y: []float64{0.2, 0.4}, Color: 0},
			{Name: "two", Y: []float64{0.3, nan}, Color: 1},
		},
	}
	_, c := draw1(t, p)
	one, two := float64(c[palette[0]]), float64(c[palette[1]])
	if r := two / one; math.Abs(r-0.5) > 0.03 {
		t.Errorf("%v and %v pixels: ratio %v, want 0.5", one, two, r)
	}
	if c[color.NRGBA{255, 255, 255, 255}] == 0 {
		t.Error("the background is not white")
	}
}

// kinds is a chart of every kind.
func kinds() []chart.Figure {
	nan := math.NaN()
	return []chart.Figure{
		&chart.Plot{
			Title: "lines", Diagonal: true,
			Series: []chart.Series{
				{Name: "s", Y: []float64{1, nan, 3}, Lo: []float64{0.5, nan, nan}, Hi: []float64{2, nan, nan}},
				{Name: "p", Published: true, Color: 3, Y: []float64{2, 2, 2}},
			},
		},
		&chart.Plot{
			Title: "points", Kind: chart.Points, X: chart.Axis{Categories: []string{"a", "b"}},
			Series: []chart.Series{{Name: "s", Y: []float64{-1, 2}}},
		},
		&chart.Plot{Title: "nothing"},
		&chart.Heat{
			Title: "heat", Rows: []string{"a", "b"}, Cols: []string{"1", "2", "3"},
			Values: [][]float64{{0, 0.5, 1}, {nan, 1, 0}}, Percent: true,
		},
		&chart.Heat{Title: "bare", Rows: []string{"a"}, Cols: []string{"1"}, Values: [][]float64{{1}}, Bare: true, Max: 1},
		&chart.Parallel{
			Title: "three measures", Measures: []chart.Measure{{Name: "a", Worst: 1}, {Name: "b", Best: 1}, {Name: "c", Worst: 2}},
			Series: []chart.ParallelSeries{{Name: "s", Values: []float64{0.1, nan, 1}}},
		},
		&chart.Parallel{
			Title: "two measures", Measures: []chart.Measure{{Name: "a", Worst: 1}, {Name: "b", Best: 1}},
			Series: []chart.ParallelSeries{{Name: "s", Values: []float64{0.1, 0.2}, Published: true}},
		},
	}
}

func TestEveryKind(t *testing.T) {
	for _, f := range kinds() {
		a, colors := draw1(t, f)
		b, _ := draw1(t, f)
		if !bytes.Equal(a, b) {
			title, _ := f.Head()
			t.Errorf("%s: two drawings differ", title)
		}
		if len(colors) < 3 {
			title, _ := f.Head()
			t.Errorf("%s: %d colors", title, len(colors))
		}
	}
}

// TestHeatColors: the cells have the colors of the scale, and a missing one has none.
func TestHeatColors(t *testing.T) {
	_, c := draw1(
		t,
		&chart.Heat{
			Title:  "h",
			Rows:   []string{"a"},
			Cols:   []string{"1", "2"},
			Values: [][]float64{{0.5, math.NaN()}},
			Bare:   true,
			Max:    1,
		},
	)
	r, g, b := chart.Ramp(0.5)
	if n := c[color.NRGBA{r, g, b, 255}]; n < 20000 {
		t.Errorf("%d pixels of the color of 0.5", n)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestErrors(t *testing.T) {
	if err := Write(full{}, &chart.Plot{}, PNG, Options{Title: true}); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}

// TestMacron: the bar of C-bar, which the fonts do not have, is drawn over its letter and takes no room.
func TestMacron(t *testing.T) {
	c := &canvas{}
	plain, width := c.outlines(regular(), "C")
	barred, wide := c.outlines(regular(), "C\u0304")
	if wide != width || len(barred) != len(plain)+1 {
		t.Fatalf("%d outlines of width %v, want %d of %v", len(barred), wide, len(plain)+1, width)
	}
	top := 0.0
	for _, p := range slices.Concat(plain...) {
		top = min(top, p.Y)
	}
	for _, p := range barred[len(plain)] {
		if p.X < 0 || p.X > width || p.Y > top {
			t.Errorf("the bar has a corner at %v, the letter ends at %v", p, top)
		}
	}
}
