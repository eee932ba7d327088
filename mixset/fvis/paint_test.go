package fvis

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/rng"
)

// TestHartley: the transform is the sum of its definition and its own inverse, at sides of all kinds of factors.
func TestHartley(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 6, 7, 8, 9, 10, 12, 13} {
		h := newHartley(n)
		s := h.scratch()
		r := rng.New(uint64(n))
		a, b := make([]float64, n*n), make([]float64, n*n)
		r.FillNormal(a)
		r.FillNormal(b)
		alone := append([]float64(nil), a...)
		was := [2][]float64{append([]float64(nil), a...), append([]float64(nil), b...)}
		h.pair(s, a, b)
		h.pair(s, alone, nil)
		for i, got := range [2][]float64{a, b} {
			for k := range n * n {
				sum := 0.0
				for j, v := range was[i] {
					at := 2 * math.Pi * float64(k%n*(j%n)+k/n*(j/n)) / float64(n)
					sum += v * (math.Cos(at) + math.Sin(at))
				}
				if math.Abs(sum/float64(n)-got[k]) > 1e-11 {
					t.Fatalf("side %d: coefficient %d is %v, want %v", n, k, got[k], sum/float64(n))
				}
			}
		}
		h.pair(s, a, b)
		for k := range a {
			if math.Abs(a[k]-was[0][k]) > 1e-11 || math.Abs(b[k]-was[1][k]) > 1e-11 {
				t.Fatalf("side %d is not its own inverse", n)
			}
			if n > 2 && alone[k] == was[0][k] {
				t.Fatalf("side %d: one image alone is not transformed", n)
			}
		}
	}
}

func TestHartleyTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(t, "side")
		h := newHartley(n)
		a, b := make([]float64, n*n), make([]float64, n*n)
		rng.New(rapid.Uint64().Draw(t, "seed")).FillNormal(a)
		copy(b, a)
		s := h.scratch()
		h.pair(s, b, nil)
		energy := 0.0
		for i := range a {
			energy += a[i]*a[i] - b[i]*b[i]
		}
		h.pair(s, b, nil)
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-10 || math.Abs(energy) > 1e-8*float64(n*n) {
				t.Fatalf("side %d: %v comes back as %v, energy off by %v", n, a[i], b[i], energy)
			}
		}
	})
}

// TestWarp: each pixel is made of pixels of the source with weights that sum to 1, of all places about equally.
func TestWarp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(MinSide, 40).Draw(t, "side")
		w := drawWarp(rng.New(rapid.Uint64().Draw(t, "seed")), n)
		if area := w.a*w.d - w.b*w.c; area < 1/(maxScale*maxScale)-1e-9 || area > maxScale*maxScale+1e-9 {
			t.Fatalf("scales areas by %v", area)
		}
		count := 0
		w.each(func(i int, at *[4]int, weight *[4]float64) {
			if i != count {
				t.Fatalf("pixel %d comes as number %d", i, count)
			}
			count++
			sum := 0.0
			for k := range 4 {
				if at[k] < 0 || at[k] >= n*n || weight[k] < 0 {
					t.Fatalf("pixel %d reads %d with weight %v", i, at[k], weight[k])
				}
				sum += weight[k]
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("weights sum to %v", sum)
			}
		})
		if count != n*n {
			t.Fatalf("%d pixels", count)
		}
	})
}

// TestShiftOnly: a warp without turn and scale is a shift of the image on the torus.
func TestShiftOnly(t *testing.T) {
	const n = 16
	w := warp{n: n, a: 1, d: 1, shiftX: 3, shiftY: 14}
	w.each(func(i int, at *[4]int, weight *[4]float64) {
		want := (i/n+14)%n*n + (i%n+3)%n
		if at[0] != want || weight[0] != 1 {
			t.Fatalf("pixel %d is %v by %v, want %d", i, at, weight, want)
		}
	})
}

// TestGradient: the gradient by the coefficients is what changing them does.
func TestGradient(t *testing.T) {
	const n = 16
	p := newImage(newHartley(n), scales(n))
	p.start(rng.NewKey(4))
	grad := make([]float32, 3*n*n)
	x := make([]float32, len(grad))
	rng.New(9).FillNormal32(grad)
	at := p.rand
	// The sum of the planes times grad, under the same warp each time.
	value := func() float64 {
		p.rand = at
		p.draw()
		p.input(x, norm.Mean, norm.Std)
		sum := 0.0
		n2 := n * n
		p.warp.each(func(i int, at *[4]int, w *[4]float64) { // in float64, where input rounds
			for c := range 3 {
				v := 0.0
				for k := range 4 {
					v += w[k] * p.rgb[c][at[k]]
				}
				v = (v - float64(norm.Mean[c])) / float64(norm.Std[c])
				if math.Abs(v-float64(x[c*n2+i])) > 1e-5 {
					t.Fatalf("plane %d at %d is %v, want %v", c, i, x[c*n2+i], v)
				}
				sum += v * float64(grad[c*n2+i])
			}
		})
		return sum
	}
	value()
	p.gradient(grad, norm.Std)
	var got [3][]float64
	for c := range 3 {
		got[c] = append([]float64(nil), p.plane[c]...)
	}
	for c := range 3 {
		for _, k := range []int{0, 1, n - 1, n, 5*n + 3, 8*n + 8, n*n - 1} {
			const d = 1e-4
			was := p.theta[c][k]
			p.theta[c][k] = was + d
			up := value()
			p.theta[c][k] = was - d
			down := value()
			p.theta[c][k] = was
			want := (up - down) / (2 * d)
			if math.Abs(want-got[c][k]) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("channel %d, coefficient %d: %v, want %v", c, k, got[c][k], want)
			}
		}
	}
}

// TestAdam: the first step is the rate in the direction of the gradient's sign, and a zero gradient moves nothing.
func TestAdam(t *testing.T) {
	const n = 16
	p := newImage(newHartley(n), scales(n))
	for i := range p.plane[0] {
		p.plane[0][i] = float64(i%3-1) * 1e-3
	}
	p.adam(0, 10)
	for i, v := range p.theta[0] {
		if want := rate * float64(i%3-1); math.Abs(v-want) > 1e-6 {
			t.Fatalf("coefficient %d moves by %v, want %v", i, v, want)
		}
	}
	if p.theta[1][5] != 0 {
		t.Error("a coefficient moves without gradient")
	}
}
