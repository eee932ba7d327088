package sheet

import (
	"errors"
	"image"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestCascade: a chain stands step by step beside AugMix of the same operations.
func TestCascade(t *testing.T) {
	src := noisy(1, 128, 128)
	page := draw1(t, Sheet{Images: []Image{{"p", src}}, Cascade: true, Seed: 2})
	a := mix.NewAugMix()
	a.Width, a.Depth = 1, 10
	var d mix.Draw
	var scratch mix.Scratch
	r := rng.NewKey(2).Str("p").Str("sheet").Str("cascade").Uint(0).Rand()
	a.DrawTo(&d, 128, 128, &r, &scratch)
	last := image.Point{}
	cur := src
	for i, st := range d.Steps {
		out, mixed := new(raster.Image), new(raster.Image)
		st.Op.Apply(out, cur, st.Value, a.Fill)
		at := find(page, out) // several, where an operation changes nothing
		next := slices.IndexFunc(at, func(q image.Point) bool { return q.X > last.X && (i == 0 || q.Y == last.Y) })
		if next < 0 {
			t.Fatalf("step %d, %s: at %v after %v", i, st.Op.Name, at, last)
		}
		last, cur = at[next], out
		// By hand: chains of every third operation.
		var three mix.Draw
		for c := range 3 {
			for j := c; j <= i; j += 3 {
				three.Steps = append(three.Steps, d.Steps[j])
			}
			three.Ends, three.Weights = append(three.Ends, len(three.Steps)), append(three.Weights, 1./3)
		}
		three.M = 0.5
		a.Replay(mixed, src, &three, &scratch)
		if at := find(page, mixed); len(at) == 0 || at[0].Y <= last.Y {
			t.Errorf("mixture of %d operations: at %v", i+1, at)
		}
	}
	few := Sheet{Images: []Image{{"p", src}, {"q", noisy(2, 128, 128)}}, Cascade: true, Samples: 2, Seed: 2}
	m, err := mix.NewMethod(mix.NewAugMix())
	if err != nil {
		t.Fatal(err)
	}
	few.Methods = []*mix.Method{m}
	if len(find(draw1(t, few), cur)) == 0 {
		t.Error("the end of the chain is cut off beside few samples")
	}
	if len(d.Steps) != 10 {
		t.Errorf("%d steps", len(d.Steps))
	}
}

// gray is an image of one row whose channels have these values.
func gray(values ...uint8) *raster.Image {
	m := raster.New(len(values), 1)
	for x, v := range values {
		m.Set(x, 0, raster.RGB{R: v, G: v, B: 255 - v})
	}
	return m
}

// TestWithColors: values go to those of the same rank, of equal ones together; an image keeps its own colors.
func TestWithColors(t *testing.T) {
	for _, c := range []struct{ src, of, want *raster.Image }{
		{gray(9, 3, 5, 1), gray(10, 20, 30, 40), gray(40, 20, 30, 10)},
		{gray(0, 50, 100, 150), gray(7, 200), gray(7, 7, 200, 200)},
		{gray(5, 5, 5), gray(0, 100, 250), gray(100, 100, 100)},
		{gray(1, 2), gray(9, 9, 9, 9, 90, 90, 90, 90), gray(9, 90)},
	} {
		got := new(raster.Image)
		withColors(got, c.src, c.of)
		if string(got.Pix) != string(c.want.Pix) {
			t.Errorf("%v with the colors of %v: %v, want %v", c.src.Pix, c.of.Pix, got.Pix, c.want.Pix)
		}
	}
	src, got := noisy(3, 40, 30), new(raster.Image)
	withColors(got, src, src)
	if string(got.Pix) != string(src.Pix) {
		t.Error("an image does not keep its own colors")
	}
}

// TestColorSwap: of each pair of images the sheet has both swaps, and each original.
func TestColorSwap(t *testing.T) {
	images := []Image{{"a", noisy(1, 64, 64)}, {"b", gradient(64)}}
	page := draw1(t, Sheet{Images: images, ColorSwap: true, Side: 64})
	for _, of := range images {
		for _, shape := range images {
			m := new(raster.Image)
			withColors(m, shape.Image, of.Image)
			if len(find(page, m)) == 0 {
				t.Errorf("no %s with the colors of %s", shape.Name, of.Name)
			}
		}
	}
	one := Sheet{Images: images[:1], ColorSwap: true}
	if _, err := one.Draw(); !errors.Is(err, ErrSheet) {
		t.Errorf("one image: %v", err)
	}
}

func gradient(side int) *raster.Image {
	m := raster.New(side, side)
	for y := range side {
		for x := range side {
			m.Set(x, y, raster.RGB{R: uint8(x), G: uint8(2 * y), B: uint8(x + y)})
		}
	}
	return m
}

// TestGrid: images stand in their rows and columns.
func TestGrid(t *testing.T) {
	m := []*raster.Image{noisy(1, 64, 64), noisy(2, 64, 64), noisy(3, 64, 64)}
	g := &Grid{Title: "t", Columns: []string{"x", "y"}, Rows: []GridRow{{"a", m[:2]}, {"b", []*raster.Image{nil, m[2]}}}}
	page := draw1(t, Sheet{Grid: g, Side: 64})
	at := make([]image.Point, 3)
	for i := range m {
		places := find(page, m[i])
		if len(places) != 1 {
			t.Fatalf("image %d at %v", i, places)
		}
		at[i] = places[0]
	}
	if at[0].Y != at[1].Y || at[0].X >= at[1].X || at[2].X != at[1].X || at[2].Y <= at[1].Y {
		t.Errorf("at %v", at)
	}
	for _, bad := range []*Grid{{}, {Columns: make([]string, 21), Rows: g.Rows}, {Columns: []string{"x"}, Rows: g.Rows}} {
		if _, err := (&Sheet{Grid: bad}).Draw(); !errors.Is(err, ErrSheet) {
			t.Errorf("%d columns: %v", len(bad.Columns), err)
		}
	}
}
