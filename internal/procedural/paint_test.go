package procedural

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestPalette: all colors are in range, neighbors are near each other, round the end too, and the tones are kept
// but for what a curve overshoots.
func TestPalette(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		var p palette
		p.draw(r, r.Float64(), glowing)
		for i, c := range p {
			d := p[(i+1)%paletteSize]
			for _, v := range [][2]float32{{c.r, d.r}, {c.g, d.g}, {c.b, d.b}} {
				if v[0] < 0 || v[0] > 1 || math.Abs(float64(v[0]-v[1])) > 0.25 {
					t.Fatalf("color %d is %v, the next %v", i, c, d)
				}
			}
		}
		if p.at(0.25) != p[64] || p.at(-0.75) != p[64] || p.at(1) != p[0] {
			t.Error("at() does not go round")
		}
	})
}

// TestOklab: white, black and the primaries by Ottosson's published values.
func TestOklab(t *testing.T) {
	for _, tt := range []struct {
		c    lab
		want rgb
	}{
		{lab{1, 0, 0}, rgb{1, 1, 1}},
		{lab{0, 0, 0}, rgb{}},
		{lab{0.62796, 0.22486, 0.12585}, rgb{1, 0, 0}},
		{lab{0.86644, -0.23389, 0.17950}, rgb{0, 1, 0}},
		{lab{0.45201, -0.03246, -0.31153}, rgb{0, 0, 1}},
	} {
		got := tt.c.rgb()
		dr, dg, db := float64(got.r-tt.want.r), float64(got.g-tt.want.g), float64(got.b-tt.want.b)
		if max(math.Abs(dr), math.Abs(dg), math.Abs(db)) > 0.01 {
			t.Errorf("%v is %v, want %v", tt.c, got, tt.want)
		}
	}
	for x := 0.0; x <= 1; x += 0.001 {
		want := 12.92 * x
		if x > 0.0031308 {
			want = 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		if got := float64(encode(x)); math.Abs(got-want) > 1e-3 {
			t.Fatalf("encode(%v) = %v, want %v", x, got, want)
		}
	}
	if c := oklch(0.7, 0.5, 0.3); !c.inGamut() || math.Hypot(c.a, c.b) < 0.1 {
		t.Errorf("a chroma beyond sRGB became %v", c)
	}
}

// TestHSI: the primaries at full saturation, gray at none, and the published colors' common intensity.
func TestHSI(t *testing.T) {
	near := func(a, b rgb) bool {
		return math.Abs(float64(a.r-b.r))+math.Abs(float64(a.g-b.g))+math.Abs(float64(a.b-b.b)) < 1e-6
	}
	for i, want := range []rgb{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
		if got := hsi(float64(i)/3, 1, 1./3); !near(got, want) {
			t.Errorf("hue %d/3 is %v, want %v", i, got, want)
		}
	}
	if got := hsi(0.4, 0, 0.6); !near(got, rgb{0.6, 0.6, 0.6}) {
		t.Errorf("no saturation gives %v", got)
	}
	for i := range 128 {
		c := hsi(float64(i)/128, 0.75, 0.75)
		if mean := (c.r + c.g + c.b) / 3; math.Abs(float64(mean-0.75)) > 1e-6 {
			t.Errorf("hue %d/128 has intensity %v", i, mean)
		}
	}
}

// TestRadius: the share of leaves below r follows r^-3 between the bounds: 1 - (least/r)^2 but for the upper end.
func TestRadius(t *testing.T) {
	const least, most = 0.02, 0.4
	if a, b := radius(least, most, 0), radius(least, most, 1); math.Abs(a-least) > 1e-12 || math.Abs(b-most) > 1e-12 {
		t.Errorf("from %v to %v", a, b)
	}
	for u := 0.05; u < 1; u += 0.05 {
		r := radius(least, most, u)
		got := (1/(least*least) - 1/(r*r)) / (1/(least*least) - 1/(most*most))
		if math.Abs(got-u) > 1e-9 {
			t.Errorf("share %v below %v, want %v", got, r, u)
		}
	}
}

// TestLeavesCover: no pixel stays bare, and upright squares give images with long straight edges only.
func TestLeavesCover(t *testing.T) {
	for _, squares := range []bool{true, false} {
		k := &leaves{squares: squares}
		for seed := range uint64(8) {
			m := raster.New(72, 72)
			for i := range m.Pix {
				m.Pix[i] = 7 // also the fourth byte, which a painted pixel has at 255
			}
			k.paint(m, rng.New(seed))
			for i := 3; i < len(m.Pix); i += 4 {
				if m.Pix[i] != 255 {
					t.Fatalf("squares %v, seed %d: pixel %d is bare", squares, seed, i/4)
				}
			}
		}
	}
}

// TestLeafShapes: the area that a leaf covers is the area of the shape.
func TestLeafShapes(t *testing.T) {
	r := rng.New(8)
	const side, radius = 400, 120.0
	for shape, area := range map[int]float64{
		leafSquare: 2 * radius * radius, leafTurned: 2 * radius * radius, leafCircle: math.Pi * radius * radius,
	} {
		l := leaf{x: side / 2, y: side / 2, r: radius}
		l.form(shape, r)
		k := &leaves{next: make([]int32, side*side+1), bare: side * side}
		for i := range k.next {
			k.next[i] = int32(i)
		}
		k.lay(raster.New(side, side), &l)
		if got := float64(side*side - k.bare); math.Abs(got/area-1) > 0.01 {
			t.Errorf("shape %d covers %v pixels, want %v", shape, got, area)
		}
	}
}

// TestPlasma: stretched to 0 to 1, joined at the borders, and smoother for a faster decay.
func TestPlasma(t *testing.T) {
	rough := func(decay float64) float64 {
		var p plane
		p.plasma(rng.New(1), decay)
		lo, hi, sum := float32(1), float32(0), 0.0
		for i, v := range p.v {
			lo, hi = min(lo, v), max(hi, v)
			next := p.v[i/p.w*p.w+(i+1)%p.w]
			sum += math.Abs(float64(v - next))
		}
		if lo != 0 || hi < 0.999 || hi > 1.001 {
			t.Errorf("from %v to %v", lo, hi)
		}
		return sum / float64(len(p.v))
	}
	if a, b := rough(0.4), rough(0.8); a <= b || a > 0.1 {
		t.Errorf("roughness %v at decay 0.4, %v at 0.8", a, b)
	}
}

// TestTone: dark where nothing is, 1 at the reference, rising between, the table and the formula one curve.
func TestTone(t *testing.T) {
	var c tone
	c.set(5, 40, 3, 1.5)
	if c.at(0) != 0 {
		t.Errorf("0 visits are %v", c.at(0))
	}
	if v := c.at(40 * toneUnit); math.Abs(float64(v-1)) > 1e-6 {
		t.Errorf("the reference is %v", v)
	}
	last := float32(0)
	for n := 1; n < 3*toneSteps; n += 97 {
		v := c.at(n)
		if v < last || v != c.exact(n) || v > 1.6 {
			t.Fatalf("%d: %v after %v", n, v, last)
		}
		last = v
	}
}

// TestEscape: places whose fate is known.
func TestEscape(t *testing.T) {
	var tr trap
	tr.draw(rng.New(1))
	run := func(m escapeMap, x, y float64) orbit { return m.run(x, y, 500, &tr) }
	m := escapeMap{kind: mapPower, degree: 2}
	for _, c := range [][2]float64{{0, 0}, {-1, 0}, {-1.99, 0}, {0.25, 0}, {-0.12, 0.75}} {
		if o := run(m, c[0], c[1]); !o.inside {
			t.Errorf("%v escapes after %v", c, o.count)
		}
	}
	for _, c := range [][2]float64{{1, 0}, {0.5, 0.5}, {-2.01, 0}, {0, 1.1}} {
		if o := run(m, c[0], c[1]); o.inside || o.count > 60 {
			t.Errorf("%v does not escape: %+v", c, o)
		}
	}
	// The filled Julia set of z^2 is the disc.
	j := escapeMap{kind: mapPower, degree: 2, julia: true}
	if !run(j, 0.99, 0).inside || run(j, 1.01, 0).inside {
		t.Error("the Julia set of z^2 is not the unit disc")
	}
	// Degree d through the general loop agrees with the powers written out.
	for d := 3; d <= 6; d++ {
		m := escapeMap{kind: mapPower, degree: d, julia: true, cx: 0.3, cy: 0.2}
		z := complex(0.7, 0.4)
		p := complex(1, 0)
		for range d {
			p *= z
		}
		p += complex(0.3, 0.2)
		near := trap{x: real(p), y: imag(p)} // the distance to where the first step should lead
		if o := m.run(0.7, 0.4, 1, &near); o.trap > 1e-20 {
			t.Errorf("degree %d: the first step misses by %v", d, math.Sqrt(o.trap))
		}
	}
	// The smooth count has no steps: it changes little between neighbors outside.
	for x := 0.6; x < 2; x += 0.001 {
		a, b := run(m, x, 0.1).count, run(m, x+0.001, 0.1).count
		if math.Abs(a-b) > 0.1 {
			t.Fatalf("count jumps from %v to %v at %v", a, b, x)
		}
	}
}

// TestBoundary: places on the boundary have both fates nearby.
func TestBoundary(t *testing.T) {
	e := &escape{m: escapeMap{kind: mapPower, degree: 2}}
	r := rng.New(2)
	e.trap.draw(r)
	for range 20 {
		x, y := e.boundary(r)
		slow, fast := 0, 0
		for i := range 64 {
			a := float64(i) * math.Pi / 32
			if e.m.run(x+0.01*math.Cos(a), y+0.01*math.Sin(a), 300, &e.trap).count >= 60 {
				slow++
			} else {
				fast++
			}
		}
		if slow == 0 && fast == 64 {
			// Hairs are thinner than the circle; the place itself must be slow then.
			if e.m.run(x, y, 300, &e.trap).count < 55 {
				t.Errorf("%v,%v is not on the boundary", x, y)
			}
		}
		if fast == 0 {
			t.Errorf("%v,%v is inside", x, y)
		}
	}
}

// TestFractalDB: the filling rate is the share of pixels with points, systems below 0.2 are no categories, and an
// image is painted in the published gray.
func TestFractalDB(t *testing.T) {
	k := new(fractalDB)
	// A gasket fills little, the square all.
	half := func(e, f float64) affine { return affine{a: 0.5, d: 0.5, e: e, f: f} }
	gasket := []affine{half(0, 0), half(0.5, 0), half(0, 0.5)}
	square := append(gasket[:3:3], half(0.5, 0.5))
	if got := k.rate(gasket, rng.New(1)); got < 0.03 || got > 0.16 {
		t.Errorf("gasket fills %v", got)
	}
	// 100 000 points in 500 x 500 pixels leave each bare with probability exp(-0.4).
	want := (1 - math.Exp(-0.4)) * 500 * 500 / (512 * 512)
	if got := k.rate(square, rng.New(1)); math.Abs(got-want) > 0.01 {
		t.Errorf("square fills %v, want %v", got, want)
	}
	if got := k.rate([]affine{{a: 1.5, d: 1.5, e: 1, f: 1}, {a: -1.2, d: 1.1}}, rng.New(1)); got != 0 {
		t.Errorf("a system that runs away fills %v", got)
	}
	m := raster.New(dbRender, dbRender)
	for seed := range uint64(3) {
		k.paint(m, rng.New(seed))
		gray, edge := 0, 0
		for i := 0; i < len(m.Pix); i += 4 {
			switch v := m.Pix[i]; v {
			case dbGray:
				gray++
				if x := i / 4 % dbRender; x < 2 || x > dbRender-3 {
					edge++
				}
			case 0:
			default:
				t.Fatalf("seed %d: gray level %d", seed, v)
			}
		}
		if gray < dbRender*dbRender/100 || edge > 0 {
			t.Errorf("seed %d: %d gray pixels, %d in the margin", seed, gray, edge)
		}
	}
}
