package procedural

import (
	"testing"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestCriterion measures images whose structure is known.
func TestCriterion(t *testing.T) {
	noise := func(seed uint64) func(x, y int) float32 {
		r := rng.New(seed)
		return func(int, int) float32 { return float32(r.Float64()) }
	}
	// A carpet: squares in squares at every scale, in more grays than one.
	carpet := func(x, y int) float32 {
		v := float32(0)
		for s := 1; s < probeSide; s *= 2 {
			if (x/s+y/s)%2 == 0 {
				v += 1. / 6
			}
		}
		return v
	}
	for _, tt := range []struct {
		name string
		a, b func(x, y int) float32
		good bool
	}{
		{"gray", func(int, int) float32 { return 0.5 }, nil, false},
		{"ramp", func(x, _ int) float32 { return float32(x) / probeSide }, nil, false},
		{"checks of 2 pixels", func(x, y int) float32 { return float32((x + y) % 2) }, nil, false},
		{"dots in black", func(x, y int) float32 { return float32((x * y % 61) / 60) }, nil, false},
		{"carpet", carpet, nil, true},
		{"a cloud: grain that the probes do not share", noise(1), noise(2), false},
	} {
		var a, b probe
		for i := range a {
			a[i] = tt.a(i%probeSide, i/probeSide)
			b[i] = a[i]
		}
		if tt.b != nil {
			for i := range b {
				b[i] = tt.b(i%probeSide, i/probeSide)
			}
		}
		if s := measure(&a, &b); s.good() != tt.good || s.good() != (s.merit() >= 1) {
			t.Errorf("%s: %+v, merit %.2f", tt.name, s, s.merit())
		}
	}
}

// TestRejectionRate: the search ends with an image that passes nearly always, and costs the number of tries that the package
// comment states.
func TestRejectionRate(t *testing.T) {
	var g Generator
	var m raster.Image
	n := 100
	if testing.Short() {
		n = 40
	}
	for name, want := range map[string][2]float64{"fractals": {3.5, 7}, "escape": {2.5, 4.5}} {
		k, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		tries, given := 0, 0
		for i := range n {
			g.Generate(&m, k, 2, i, MinSide)
			switch p := g.painters[name].(type) {
			case *fractals:
				tries += p.fore.tries
				given += p.fore.tries / (maxTries + 1)
			case *escape:
				tries += p.tries
				given += p.tries / (escapeTries + 1)
			}
		}
		mean := float64(tries) / float64(n)
		t.Logf("%s: %.2f tries an image, %d of %d are the best of the rejected", name, mean, given, n)
		if mean < want[0] || mean > want[1] || given > n/50 {
			t.Errorf("%s: %.2f tries an image, %d of %d the best of the rejected; stated are %v and at most 2 %%", name, mean,
				given, n, want)
		}
	}
}

// TestRichness looks at finished images: hardly any has fewer than 3 bits of brightness or less than a few hues.
func TestRichness(t *testing.T) {
	var g Generator
	var m raster.Image
	for i := range table {
		k := &table[i]
		if k.Name == "fractaldb" || k.Name == "fractaldb-color" {
			continue // black with points, as published
		}
		poor := 0
		const n = 12
		for index := range n {
			g.Generate(&m, k, 9, index, probeSide)
			var a, b probe
			colorful := 0
			for p := range a {
				c := load(m.Pix[4*p:])
				a[p] = c.luma()
				if max(c.r, c.g, c.b)-min(c.r, c.g, c.b) > 0.1 {
					colorful++
				}
			}
			b = a
			if s := measure(&a, &b); s.entropy < 2 || colorful < len(a)/5 {
				poor++
			}
		}
		if poor > n/10 {
			t.Errorf("%s: %d of %d images are poor", k.Name, poor, n)
		}
	}
}
