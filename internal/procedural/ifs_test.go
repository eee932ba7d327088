package procedural

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/rng"
)

// TestSingular: whatever the number of maps and alpha in its range, the values satisfy the constraint of Anderson and
// Farrell: 0 <= s2 <= s1 <= 1 for every map, and s1 + 2*s2 adds up to alpha.
func TestSingular(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "n")
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		lo, hi := alphaRange(n)
		alpha := r.Uniform(lo, hi)
		sv := make([][2]float64, n)
		singular(r, sv, alpha)
		sum := 0.0
		const eps = 1e-12
		for i, s := range sv {
			if !(s[1] >= -eps && s[1] <= s[0]+eps && s[0] <= 1+eps) {
				t.Errorf("map %d of %d has singular values %v", i, n, s)
			}
			sum += s[0] + 2*s[1]
		}
		if math.Abs(sum-alpha) > eps {
			t.Errorf("sum %v, want alpha %v", sum, alpha)
		}
	})
}

// TestSingularSpread: the first map's larger value is uniform between its bounds, 0 (or q/3) and 1, as its law says.
func TestSingularSpread(t *testing.T) {
	r := rng.New(1)
	const n, draws, bins = 4, 20000, 10
	alpha := 4.75
	q := alpha - 3*n + 3 // negative here: the lower bound is 0
	if q > 0 {
		t.Fatal("the test needs a lower bound of 0")
	}
	var hist [bins]float64
	sv := make([][2]float64, n)
	for range draws {
		singular(r, sv, alpha)
		hist[min(int(sv[0][0]*bins), bins-1)]++
	}
	chi2 := 0.0
	for _, c := range hist {
		d := c - draws/bins
		chi2 += d * d / (draws / bins)
	}
	if chi2 > 27.9 { // the 99.9 % point for 9 degrees of freedom
		t.Errorf("chi-square %.1f: %v", chi2, hist)
	}
}

// TestDrawIFS: the singular values of the maps, by the invariants of a 2x2 matrix, obey the constraint; translations
// lie in the square and angles point everywhere.
func TestDrawIFS(t *testing.T) {
	r := rng.New(2)
	quadrants := map[[2]bool]int{}
	for range 500 {
		n := 2 + r.IntN(3)
		maps := make([]affine, n)
		drawIFS(r, maps)
		sum := 0.0
		for _, m := range maps {
			frob := m.a*m.a + m.b*m.b + m.c*m.c + m.d*m.d // s1^2 + s2^2
			det := math.Abs(m.det())                      // s1 s2
			plus, minus := math.Sqrt(frob+2*det), math.Sqrt(max(frob-2*det, 0))
			s1, s2 := (plus+minus)/2, (plus-minus)/2
			if s1 > 1+1e-9 {
				t.Fatalf("singular value %v", s1)
			}
			sum += s1 + 2*s2
			if math.Abs(m.e) > 1 || math.Abs(m.f) > 1 {
				t.Fatalf("translation %v, %v", m.e, m.f)
			}
			quadrants[[2]bool{m.a > 0, m.c > 0}]++
		}
		if lo, hi := alphaRange(n); sum < lo-1e-6 || sum > hi+1e-6 {
			t.Fatalf("%d maps: sum %v outside %v to %v", n, sum, lo, hi)
		}
	}
	for q, c := range quadrants {
		if c < 250 {
			t.Errorf("quadrant %v has %d of 1500 maps", q, c)
		}
	}
}

// TestSelector: every map has at least one place, and the shares follow the weights.
func TestSelector(t *testing.T) {
	var s selector
	s.set([]float64{1, 0, 2, 1})
	var got [4]int
	for _, m := range s {
		got[m]++
	}
	want := [4]int{1024, 1, 2047, 1024}
	for i := range got {
		if d := got[i] - want[i]; d < -2 || d > 2 {
			t.Errorf("shares %v, want about %v", got, want)
		}
	}
}

// sierpinski is the system of the gasket with corners (0,0), (1,0), (0,1).
func sierpinski() *game {
	g := &game{n: 3, flat: true}
	for i, c := range [3][2]float32{{0, 0}, {0.5, 0}, {0, 0.5}} {
		g.step[i] = step{a: 0.5, d: 0.5, e: c[0], f: c[1], keep: 0.5, push: float32(i) * 63}
	}
	g.sel.set([]float64{1, 1, 1})
	g.cx, g.cy, g.half = 0.5, 0.5, 0.5
	g.seedOrbits(rng.New(3))
	return g
}

// TestChaos: the gasket of a chaos game, by either loop, has points in no hole of the first four levels, the points
// of each third are as many, and the colors stay in the palette.
func TestChaos(t *testing.T) {
	for _, flat := range []bool{true, false} {
		g := sierpinski()
		g.flat = flat
		const side, n = 64, 300000
		cells := make([]cell, side*side)
		var k ink
		var p palette
		for i := range p {
			p[i] = rgb{1, float32(i) / 255, 0}
		}
		k.set(&p)
		g.frameTo(side)
		g.play(cells, side, n, &k)
		total, quarter := 0, [4]int{}
		for i, c := range cells {
			x, y, visits := i%side, i/side, int(c.bn>>32)
			total += visits
			quarter[y/32*2+x/32] += visits
			// In the gasket no two binary digits of x and y at the same place are both 1.
			if visits > 0 && x>>2&(y>>2) != 0 {
				t.Fatalf("flat %v: a point at %d,%d", flat, x, y)
			}
			if uint64(visits)*255 != c.rg&math.MaxUint32 {
				t.Fatalf("flat %v: red %d of %d visits", flat, c.rg&math.MaxUint32, visits)
			}
			if a := c.average(); a.g < 0 || a.g > 1 {
				t.Fatalf("green %v", a.g)
			}
		}
		if total < n || total > n+orbits {
			t.Errorf("flat %v: %d points in the image, want %d", flat, total, n)
		}
		for q, v := range quarter[:3] {
			if d := float64(v) - float64(total)/3; math.Abs(d) > 5*math.Sqrt(float64(total)*2/9) {
				t.Errorf("flat %v: quarter %d has %d of %d points", flat, q, v, total)
			}
		}
	}
}

// TestFolds: every fold moves finite points to finite points, and the sine is what it says.
func TestFolds(t *testing.T) {
	for x := float32(-10); x < 10; x += 0.01 {
		if got, want := float64(sine(x)), math.Sin(float64(x)); math.Abs(got-want) > 4e-4 {
			t.Fatalf("sine(%v) = %v, want %v", x, got, want)
		}
	}
	r := rng.New(4)
	px, py := make([]float32, 200), make([]float32, 200)
	for i := range px {
		px[i], py[i] = float32(r.Uniform(-3, 3)), float32(r.Uniform(-3, 3))
	}
	px[0], py[0] = 0, 0
	u, v := make([]float32, 200), make([]float32, 200)
	for kind := uint8(1); kind < foldCount; kind++ {
		f := fold{kind: kind, amount: 1}
		f.bend(u, v, px, py, 1)
		moved := false
		for i := range u {
			if s := u[i] + v[i]; s-s != 0 {
				t.Fatalf("fold %d sends %v,%v to %v,%v", kind, px[i], py[i], u[i], v[i])
			}
			moved = moved || u[i] != px[i]
		}
		if !moved {
			t.Errorf("fold %d does nothing", kind)
		}
	}
}

// TestRootFold: the square of the fold's result is the point.
func TestRootFold(t *testing.T) {
	px, py := []float32{3, -3, 0, -1, 0.3}, []float32{4, 4, -2, -0.5, 0}
	u, v := make([]float32, 5), make([]float32, 5)
	f := fold{kind: foldRoot, amount: 1}
	f.bend(u, v, px, py, 1)
	for i := range u {
		re, im := u[i]*u[i]-v[i]*v[i], 2*u[i]*v[i]
		if math.Abs(float64(re-px[i])) > 1e-5 || math.Abs(float64(im-py[i])) > 1e-5 {
			t.Errorf("root of %v,%v squared is %v,%v", px[i], py[i], re, im)
		}
	}
	if u[0]*u[1] > 0 {
		t.Error("the sign does not alternate")
	}
}
