package mix

import (
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// TestPrimeFilterLaw: values of filters are about the identity, with the mean square of a deviation that is uniform.
func TestPrimeFilterLaw(t *testing.T) {
	var p primeScratch
	r := rng.New(1)
	sum, squares, middle := 0.0, 0.0, 0.0
	const n = 2000
	for range n {
		f := p.drawFilter(4, r)
		middle += f[4]
		for i, v := range f {
			if i == 4 {
				v--
			}
			sum, squares = sum+v, squares+v*v
		}
	}
	if mean, std := sum/(9*n), math.Sqrt(squares/(9*n)); math.Abs(mean) > 0.1 || math.Abs(std-4/math.Sqrt(3)) > 0.06 || math.Abs(middle/n-1) > 0.2 {
		t.Errorf("mean %g, deviation %g, middle %g; want 0, 2.31, 1", mean, std, middle/n)
	}
}

// TestPrimeFilter: the identity changes nothing; another filter gives the sums of its nine products, borders repeated.
func TestPrimeFilter(t *testing.T) {
	w, h := 4, 3
	p := primeScratch{chain: make([]float32, 3*w*h)}
	for i := range p.chain {
		p.chain[i] = float32(i) / 128
	}
	before := slices.Clone(p.chain)
	p.filter(w, h, &[9]float64{4: 1})
	if !slices.Equal(p.chain, before) {
		t.Error("the identity is none")
	}
	f := [9]float64{0.5, -1, 0.25, 2, 1, -0.5, 0.125, 0, -2}
	p.filter(w, h, &f)
	for c := range 3 {
		for y := range h {
			for x := range w {
				want := 0.0
				for i, k := range f {
					yy, xx := min(max(y+i/3-1, 0), h-1), min(max(x+i%3-1, 0), w-1)
					want += k * float64(before[(c*h+yy)*w+xx])
				}
				if got := p.chain[(c*h+y)*w+x]; math.Abs(float64(got)-min(max(want, 0), 1)) > 1e-6 {
					t.Errorf("channel %d at %d, %d: %g, want %g", c, x, y, got, want)
				}
			}
		}
	}
}

// TestPrimeColors: maps fix 0 and 1, and move the middle by the variance of the waves that are not 0 there.
func TestPrimeColors(t *testing.T) {
	var p primeScratch
	r := rng.New(1)
	squares, want := 0.0, 0.0
	const n, temperature = 3000, 0.01
	for range n {
		for _, m := range p.drawColors(temperature, r) {
			if m[0] != 0 || m[255] != 1 {
				t.Fatalf("0 becomes %g and 1 becomes %g", m[0], m[255])
			}
			d := float64(m[85]) - 1./3 // sin(nπ/3)² is 3/4, but 0 for multiples of three
			squares += d * d
		}
	}
	for cut := 1; cut <= maxCut; cut++ {
		want += 0.75 * temperature / 2 * float64(cut-cut/3) / maxCut
	}
	if got := squares / (3 * n); math.Abs(got/want-1) > 0.1 {
		t.Errorf("variance at 1/3 is %g, want %g", got, want)
	}
	for c := range p.colors { // the map v to 1-v, between its points too
		for i := range p.colors[c] {
			p.colors[c][i] = float32(255-i) / 255
		}
	}
	p.chain = []float32{0, 0.3, 1, 0.25, 0.5, 0.75}
	p.recolor(&p.colors)
	for i, want := range []float64{1, 0.7, 0, 0.75, 0.5, 0.25} {
		if math.Abs(float64(p.chain[i])-want) > 1e-6 {
			t.Errorf("value %d: %g, want %g", i, p.chain[i], want)
		}
	}
}

// TestPrimeDisplacementEnergy: the mean square of a field is the one asked for, at every cut-off and in images that are not
// square, and the border hardly moves.
func TestPrimeDisplacementEnergy(t *testing.T) {
	w, h := 32, 21
	for _, cut := range []int{2, 7, 20} {
		var p primeScratch
		p.sines(w, h)
		r := rng.New(uint64(cut))
		squares := 0.0
		const n, length = 1500, 1.7
		for range n {
			p.displacement(w, h, cut, length, r)
			for i := range w * h {
				squares += p.dx[i]*p.dx[i] + p.dy[i]*p.dy[i]
			}
		}
		if got := math.Sqrt(squares / float64(2*n*w*h)); math.Abs(got/length-1) > 0.04 {
			t.Errorf("cut %d: root mean square %g, want %g", cut, got, length)
		}
	}
	var p primeScratch
	p.sines(w, h)
	p.displacement(w, h, 2, 1, rng.New(1)) // one wave: sin(πx)sin(πy)
	ratio := p.dx[10*w+16] / p.dx[0]
	want := math.Sin(math.Pi*16.5/32) * math.Sin(math.Pi*10.5/21) / (math.Sin(math.Pi*0.5/32) * math.Sin(math.Pi*0.5/21))
	if math.Abs(ratio/want-1) > 1e-9 {
		t.Errorf("ratio %g, want %g", ratio, want)
	}
}

// TestPrimeDisplace: whole steps move pixels, half steps take the mean of two, and beyond the border it repeats.
func TestPrimeDisplace(t *testing.T) {
	p := primeScratch{dx: []float64{1, 0.5, 9}, dy: []float64{0, 0, -3}}
	p.chain = []float32{0, 0.5, 1, 0, 0.25, 0.5, 1, 0.5, 0}
	p.displace(3, 1)
	if want := []float32{0.5, 0.75, 1, 0.25, 0.375, 0.5, 0.5, 0.25, 0}; !slices.Equal(p.chain, want) {
		t.Errorf("%v, want %v", p.chain, want)
	}
	if p.drawDisplacement(40, 2, rng.New(1)) {
		t.Error("an image two pixels high is displaced")
	}
}
