package figure

import (
	"image/color"
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

// dark returns how many points of a canvas are black, a gray pixel being a part of one.
func dark(c *canvas) float64 {
	sum := 0.0
	for i := 0; i < len(c.dst.Pix); i += 4 {
		sum += 1 - float64(c.dst.Pix[i])/255
	}
	return sum / (zoom * zoom)
}

var black = color.NRGBA{A: 255}

// TestStroke: a line covers its length times its width, in any direction, dashed or not, and once where it meets itself.
func TestStroke(t *testing.T) {
	slanted := []chart.Point{{X: 10, Y: 10}, {X: 50, Y: 40}} // 50 long
	corner := []chart.Point{{X: 10, Y: 10}, {X: 60, Y: 10}, {X: 60, Y: 60}}
	for _, c := range []struct {
		name   string
		l      look
		run    []chart.Point
		closed bool
		want   float64
	}{
		{"slanted", look{stroke: black, width: 4}, slanted, false, 200},
		{"backward", look{stroke: black, width: 4}, []chart.Point{slanted[1], slanted[0]}, false, 200},
		{"round", look{stroke: black, width: 4, round: true}, slanted, false, 200 + math.Pi*4},
		{"dashed", look{stroke: black, width: 4, dash: []float64{5, 5}}, slanted, false, 100},
		{"dashed, ends in a gap", look{stroke: black, width: 4, dash: []float64{30, 30}}, slanted, false, 120},
		// The arms share a square of 2 by 2, and a quarter of the disc at the joint stands out.
		{"corner", look{stroke: black, width: 4}, corner, false, 400 - 4 + math.Pi},
		{"closed", look{stroke: black, width: 2}, []chart.Point{
			{X: 10, Y: 10}, {X: 60, Y: 10}, {X: 60, Y: 60}, {X: 10, Y: 60},
		}, true, 400 - 4 + math.Pi},
		{"nothing", look{stroke: black, width: 2}, []chart.Point{{X: 5, Y: 5}, {X: 5, Y: 5}}, false, 0},
		{"no color", look{width: 2}, slanted, false, 0},
		{"outside", look{stroke: black, width: 2}, []chart.Point{{X: -90, Y: -90}, {X: -20, Y: -30}}, false, 0},
		{"half outside", look{stroke: black, width: 2}, []chart.Point{{X: -30, Y: 50}, {X: 30, Y: 50}}, false, 60},
	} {
		p := newCanvas(80, 80, zoom)
		p.stroke(c.l, [][]chart.Point{c.run}, c.closed)
		if got := dark(p); math.Abs(got-c.want) > 0.02*c.want+0.5 {
			t.Errorf("%s: %.1f square points, want %.1f", c.name, got, c.want)
		}
	}
}

// TestPaleStroke: where the pieces of a pale line overlap, it is as pale as elsewhere.
func TestPaleStroke(t *testing.T) {
	c := newCanvas(60, 60, zoom)
	run := []chart.Point{{X: 10, Y: 10}, {X: 50, Y: 10}, {X: 30, Y: 10}, {X: 30, Y: 50}}
	c.stroke(look{stroke: color.NRGBA{A: 128}, width: 8}, [][]chart.Point{run}, false)
	for i := 0; i < len(c.dst.Pix); i += 4 {
		if c.dst.Pix[i] < 126 {
			t.Fatalf("a pixel is %d", c.dst.Pix[i])
		}
	}
}

// TestText: text stands where its anchor says, turned or not; letters have holes; and a halo is below them.
func TestText(t *testing.T) {
	at := func(anchor chart.Anchor, turn float64, s string) (lo, hi chart.Point, area float64) {
		c := newCanvas(200, 200, zoom)
		c.text(chart.Text{Fill: black, X: 100, Y: 100, Anchor: anchor, Turn: turn, S: s})
		lo, hi = chart.Point{X: 200, Y: 200}, chart.Point{}
		b := c.dst.Bounds()
		for y := range b.Max.Y {
			for x := range b.Max.X {
				if c.dst.RGBAAt(x, y).R < 128 {
					p := chart.Point{X: float64(x) / zoom, Y: float64(y) / zoom}
					lo = chart.Point{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
					hi = chart.Point{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
				}
			}
		}
		return lo, hi, dark(c)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1.5 {
			t.Errorf("%s: %.1f, want %.1f", what, got, want)
		}
	}
	lo, hi, area := at(chart.Start, 0, "HHHH")
	near("the start", lo.X, 100)
	near("the baseline", hi.Y, 100)
	width := hi.X - lo.X
	lo, hi, _ = at(chart.Middle, 0, "HHHH")
	near("the middle", (lo.X+hi.X)/2, 100)
	lo, hi, _ = at(chart.End, 0, "HHHH")
	near("the end", hi.X, 100)
	near("the width", hi.X-lo.X, width)
	lo, hi, turned := at(chart.Start, -90, "HHHH")
	near("upward, its start", hi.Y, 100)
	near("upward, its length", hi.Y-lo.Y, width)
	near("upward, its baseline", hi.X, 100)
	near("upward, its area", turned, area)

	_, _, ring := at(chart.Start, 0, "O")
	_, _, dash := at(chart.Start, 0, "—")
	if ring > 40 || ring < 10 || dash == 0 {
		t.Errorf("O has %.1f square points, a dash %.1f", ring, dash)
	}

	c := newCanvas(100, 100, zoom)
	c.fill(black, [][]chart.Point{{{X: 0, Y: 0}, {X: 100, Y: 0}, {X: 100, Y: 100}, {X: 0, Y: 100}}})
	before := dark(c)
	c.text(chart.Text{Class: chart.Class{Name: "tick"}, X: 10, Y: 50, S: "100"})
	if after := dark(c); after > before-100 {
		t.Errorf("no halo: %.1f square points after %.1f", after, before)
	}
}
