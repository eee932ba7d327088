package filter

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestBorderAt(t *testing.T) {
	tests := []struct {
		border Border
		n      int
		want   []int // for i = -7…7
	}{
		{Nearest, 3, []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2}},
		{Reflect, 3, []int{0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1}},
		{Reflect101, 3, []int{1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
		{Nearest, 1, make([]int, 15)},
		{Reflect, 1, make([]int, 15)},
		{Reflect101, 1, make([]int, 15)},
	}
	for _, tt := range tests {
		var got []int
		for i := -7; i <= 7; i++ {
			got = append(got, tt.border.At(i, tt.n))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("border %d of %d: %v, want %v", tt.border, tt.n, got, tt.want)
		}
	}
}

// A zoom of 5 samples by 2 takes the middle c = ceil(5/2) = 3 of them, from (5-3) div 2 = 1 on, and stretches them onto
// o = 6 outputs, positions k·2/5; (6-5) div 2 = 0 are trimmed.
func TestZoomAxis(t *testing.T) {
	var a ZoomAxis
	a.Set(5, 2)
	for k, want := range []float64{1, 1.4, 1.8, 2.2, 2.6} {
		if got := float64(a.Index[k]) + a.Frac[k]; math.Abs(got-want) > 1e-15 {
			t.Errorf("output %d at %v, want %v", k, got, want)
		}
	}
}

// The factor that decides a tie: 26 samples times 1.2500000000000002 round up to 33, times 1.25 to 32.
func TestZoomAxisTie(t *testing.T) {
	var a, b ZoomAxis
	one, step := 1.0, .01 // variables: constants would be exact
	step = (one + step) - one
	a.Set(32, 1+25*step)
	b.Set(32, 1.25)
	if a.Frac[1] != 25.0/32 || b.Frac[1] != 25.0/31 {
		t.Errorf("steps %v and %v, want 25/32 and 25/31", a.Frac[1], b.Frac[1])
	}
}

func TestZoomProperties(t *testing.T) {
	var ax, ay ZoomAxis
	rapid.Check(t, func(t *rapid.T) {
		src := drawField(t, 20, 1)
		if src.W < 2 || src.H < 2 {
			return
		}
		z := rapid.Float64Range(1, 25).Draw(t, "z")
		var dst Field
		Zoom(&dst, src, z, &ax, &ay)
		lo, hi := slices.Min(src.Pix), slices.Max(src.Pix)
		for i, v := range dst.Pix {
			if v < lo-1e-12 || v > hi+1e-12 {
				t.Fatalf("sample %d is %v, outside %v…%v", i, v, lo, hi)
			}
		}
		Zoom(&dst, src, 1, &ax, &ay)
		if !slices.Equal(dst.Pix, src.Pix) {
			t.Fatal("a zoom by 1 changed the field")
		}
	})
}

func TestAffineFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		num := rapid.Float64Range(-20, 20)
		p := [3]Point{{186, 186}, {186, 38}, {38, 38}}
		q := p
		for i := range q {
			q[i].X += num.Draw(t, "x")
			q[i].Y += num.Draw(t, "y")
		}
		a := AffineFrom(p, q)
		inv := a.invert()
		for i := range p {
			x, y := a[0]*p[i].X+a[1]*p[i].Y+a[2], a[3]*p[i].X+a[4]*p[i].Y+a[5]
			if math.Hypot(x-q[i].X, y-q[i].Y) > 1e-9 {
				t.Fatalf("point %d goes to (%v, %v), want %v", i, x, y, q[i])
			}
			x, y = inv[0]*q[i].X+inv[1]*q[i].Y+inv[2], inv[3]*q[i].X+inv[4]*q[i].Y+inv[5]
			if math.Hypot(x-p[i].X, y-p[i].Y) > 1e-9 {
				t.Fatalf("point %d comes back to (%v, %v), want %v", i, x, y, p[i])
			}
		}
	})
}

// colors returns a row of pixels with the given red channel.
func colors(v ...float32) []Color {
	c := make([]Color, len(v))
	for i := range v {
		c[i][0] = v[i]
	}
	return c
}

func TestWarpAffine(t *testing.T) {
	tests := []struct {
		name  string
		shift float64 // to the right
		want  []float32
	}{
		{"identity", 0, []float32{0, 1, 2, 4}},
		{"one to the left", -1, []float32{1, 2, 4, 2}},
		{"one to the right", 1, []float32{1, 0, 1, 2}},
		{"half to the left", -0.5, []float32{.5, 1.5, 3, 3}},
		{"a 64th rounds up to a 32nd", -1.0 / 64, []float32{1.0 / 32, 1 + 1.0/32, 2 + 2.0/32, 4 - 2.0/32}},
		{"less than a 64th is dropped", -1.0 / 70, []float32{0, 1, 2, 4}},
	}
	for _, tt := range tests {
		src := append(colors(0, 1, 2, 4), colors(0, 1, 2, 4)...)
		dst := make([]Color, len(src))
		WarpAffine(dst, src, 4, 2, Affine{1, 0, tt.shift, 0, 1, 0}, nil)
		for i, c := range dst {
			if c[0] != tt.want[i%4] {
				t.Errorf("%s: pixel %d is %v, want %v", tt.name, i, c[0], tt.want[i%4])
			}
		}
	}
}

// Positions and taps worked by hand from SciPy 1.0's rule; -0.3 is the example whose taps are 1 and 0 with weights .7,
// .3.
func TestTaps(t *testing.T) {
	tests := []struct {
		p    float64
		a, b int
		frac float64
	}{
		{0, 0, 1, 0},
		{2.25, 2, 3, .25},
		{4, 4, 3, 0},       // the last sample: its neighbor is mirrored and has no weight
		{4.5, 4, 3, .5},    // above n-1 but below n: not folded
		{5.25, 3, 4, .75},  // 10-5.25-1 = 3.75
		{-.3, 1, 0, .3},    // -(-.3)-1 = -.7: taps -1 (mirrored to 1) and 0
		{-1.25, 0, 1, .25}, // 1.25-1
		{-6, 4, 3, 0},      // below -n: -6+10
		{12.5, 2, 3, .5},   // modulo 10
		{-12.5, 1, 2, .5},  // plus 10: -2.5, then 2.5-1
	}
	for _, tt := range tests {
		a, b, frac := taps(tt.p, 5)
		if a != tt.a || b != tt.b || math.Abs(frac-tt.frac) > 1e-12 {
			t.Errorf("position %v: taps %d, %d, weight %v; want %d, %d, %v", tt.p, a, b, frac, tt.a, tt.b, tt.frac)
		}
	}
}

// Whatever the displacement, taps stay inside and results within the range of the image.
func TestDisplaceRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(2, 9).Draw(t, "w"), rapid.IntRange(2, 9).Draw(t, "h")
		src, dst := make([]Color, w*h), make([]Color, w*h)
		dx, dy := make([]float32, w*h), make([]float32, w*h)
		for i := range src {
			src[i][0] = float32(i % 3)
			dx[i] = rapid.Float32Range(-50, 50).Draw(t, "dx")
			dy[i] = rapid.Float32Range(-50, 50).Draw(t, "dy")
		}
		for y := range h {
			Displace(dst[y*w:][:w], src, w, h, y, dx[y*w:][:w], dy[y*w:][:w])
		}
		for i, c := range dst {
			if !(c[0] >= 0 && c[0] <= 2) {
				t.Fatalf("pixel %d is %v", i, c[0])
			}
		}
	})
}
