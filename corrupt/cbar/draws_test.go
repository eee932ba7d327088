package cbar

import (
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// The seeds are fixed. A Kolmogorov distance beyond 2.2/√n, or a χ² more than 4.5 standard deviations high, has a
// probability of about 10^-4 or less.
const trials = 4000

// uniform checks that values are uniform in lo…hi.
func uniform(t *testing.T, name string, values []float64, lo, hi float64) {
	t.Helper()
	v := slices.Clone(values)
	slices.Sort(v)
	n := float64(len(v))
	if v[0] < lo || v[len(v)-1] > hi {
		t.Errorf("%s: %v…%v, want within %v…%v", name, v[0], v[len(v)-1], lo, hi)
	}
	worst := 0.0
	for i, x := range v {
		p := (x - lo) / (hi - lo)
		worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
	}
	if worst*math.Sqrt(n) > 2.2 {
		t.Errorf("%s: distance %.3f from uniform in %v…%v, allowed %.3f", name, worst, lo, hi, 2.2/math.Sqrt(n))
	}
}

// equal checks that all of counts have the same expectation.
func equal(t *testing.T, name string, counts []int) {
	t.Helper()
	n, stat := 0, 0.0
	for _, c := range counts {
		n += c
	}
	e := float64(n) / float64(len(counts))
	for _, c := range counts {
		stat += (float64(c) - e) * (float64(c) - e) / e
	}
	k := float64(len(counts) - 1)
	if z := (stat - k) / math.Sqrt(2*k); z > 4.5 {
		t.Errorf("%s: χ² is %.1f standard deviations high: %v", name, z, counts)
	}
}

// series gathers values by name over many draws.
type series map[string][]float64

func (s series) add(name string, v ...float64) { s[name] = append(s[name], v...) }

// Every drawn parameter against the published law, for an image of 60 columns and 40 rows (S = 40).
func TestParameterLaws(t *testing.T) {
	const w, h = 60, 40
	s, r := series{}, rng.New(21)
	var plasma PlasmaDraws
	var board CheckerboardDraws
	var rings CocentricDraws
	var wave SingleFrequencyDraws
	var water CausticDraws
	var ripple RippleDraws
	var lines LinesDraws
	iterations := make([]int, 3)
	for range trials {
		PlasmaNoise{}.Draw(&plasma, w, h, r)
		s.add("time", plasma.Time)
		s.add("sharpness", plasma.Sharpness)
		s.add("scale", plasma.Scale)
		iterations[plasma.Iterations-4]++
		CheckerboardCutout{}.Draw(&board, w, h, r)
		s.add("board angle", board.Angle)
		s.add("cell", board.Cell)
		if n := int(160 / board.Cell); len(board.Cells) != n*n {
			t.Fatalf("%d cells of %v pixels", len(board.Cells), board.Cell)
		}
		s.add("board", board.Cells[:5]...)
		CocentricSineWaves{}.Draw(&rings, w, h, r)
		s.add("center x", rings.X)
		s.add("center y", rings.Y)
		s.add("freq", rings.Freq)
		s.add("amplitude", rings.Amplitude)
		s.add("ring", rings.Ring)
		SingleFrequencyGreyscale{}.Draw(&wave, r)
		a, b := wave.FX, wave.FY
		if math.Abs(b) > math.Abs(a) {
			a, b = b, a
		}
		s.add("larger frequency", a)
		s.add("smaller frequency", b/math.Abs(a))
		s.add("phase", wave.Phase)
		CausticRefraction{}.Draw(&water, w, h, r)
		s.add("water time", water.Time)
		s.add("water size", water.Size)
		Ripple{}.Draw(&ripple, w, h, r)
		s.add("row wavelength", ripple.Wavelength[0])
		s.add("column wavelength", ripple.Wavelength[1])
		s.add("row phase", ripple.Phase[0])
		s.add("column phase", ripple.Phase[1])
		Lines{Count: 2}.Draw(&lines, r)
		s.add("line angle", lines.Angle)
		s.add("variation", lines.Variation)
		s.add("line numbers", lines.Numbers...)
	}
	equal(t, "iterations", iterations)
	for name, span := range map[string][2]float64{
		"time": {0, 6 * math.Pi}, "sharpness": {.5, 1}, "scale": {3, 8},
		"board angle": {0, 2 * math.Pi}, "cell": {4, 10}, "board": {0, 1},
		"center x": {0, 60}, "center y": {0, 40}, "freq": {0, 10}, "amplitude": {0, 4}, "ring": {0, 4},
		"larger frequency": {-math.Pi, math.Pi}, "smaller frequency": {-1, 1}, "phase": {0, 2 * math.Pi},
		"water time": {.5, 2}, "water size": {30, 50},
		"row wavelength": {4, 12}, "column wavelength": {4, 12}, "row phase": {0, 2 * math.Pi},
		"column phase": {0, 2 * math.Pi},
		"line angle":   {0, 2 * math.Pi}, "variation": {.1, 1}, "line numbers": {0, 1},
	} {
		uniform(t, name, s[name], span[0], span[1])
		delete(s, name)
	}
	if len(s) > 0 {
		t.Errorf("not checked: %v", s)
	}
}

// The larger of the two frequencies belongs to either axis.
func TestFrequencyOrder(t *testing.T) {
	var d SingleFrequencyDraws
	r := rng.New(22)
	larger := make([]int, 2)
	for range trials {
		SingleFrequencyGreyscale{}.Draw(&d, r)
		if math.Abs(d.FX) > math.Abs(d.FY) {
			larger[0]++
		} else {
			larger[1]++
		}
	}
	equal(t, "axis of the larger frequency", larger)
}

// A cell is at least a pixel, however small the image.
func TestSmallBoard(t *testing.T) {
	var d CheckerboardDraws
	CheckerboardCutout{}.Draw(&d, 3, 2, rng.New(1))
	if d.Cell != 1 || len(d.Cells) != 64 {
		t.Errorf("a cell of %v, %d cells", d.Cell, len(d.Cells))
	}
}

func TestStarLaws(t *testing.T) {
	const w, h = 60, 40
	s, r := series{}, rng.New(23)
	var stars SparklesDraws
	var star Star
	numbers := make([]int, 150)
	var z []float64
	for range trials / 4 {
		Sparkles{}.Draw(&stars, w, h, r)
		for _, d := range stars {
			s.add("row", d.Center.Row)
			s.add("col", d.Center.Col)
			numbers[len(d.Rays)-50]++
			z = append(z, d.Rays...)
		}
		InverseSparkles{}.Draw(&star, w, h, r)
		s.add("inverse row", star.Center.Row)
		s.add("inverse col", star.Center.Col)
		numbers[len(star.Rays)-50]++
	}
	uniform(t, "row", s["row"], 0, 40)
	uniform(t, "col", s["col"], 0, 60)
	uniform(t, "inverse row", s["inverse row"], 10, 30)
	uniform(t, "inverse col", s["inverse col"], 15, 45)
	equal(t, "rays", numbers)
	for i, v := range z { // the distribution function of normal numbers is uniform
		z[i] = 0.5 * math.Erfc(-v/math.Sqrt2)
	}
	uniform(t, "ray lengths", z, 0, 1)
}

// Gradients have unit length and no direction is preferred but that the grid is square; permutations are permutations,
// in which every element moves.
func TestPerlinDraws(t *testing.T) {
	var d PerlinDraws
	r := rng.New(24)
	quadrants := make([]int, 4)
	first := make([]int, 16)
	for range trials / 10 {
		PerlinNoise{}.Draw(&d, r)
		var seen [lattice]bool
		for i, p := range d.Permutation {
			if seen[p] {
				t.Fatalf("%d twice in a permutation", p)
			}
			seen[p] = true
			if i < 10 {
				first[p>>4]++
			}
		}
		for _, g := range d.Gradients {
			if n := math.Hypot(g[0], g[1]); math.Abs(n-1) > 1e-15 {
				t.Fatalf("a gradient of length %v", n)
			}
			q := 0
			if g[0] > 0 {
				q++
			}
			if g[1] > 0 {
				q += 2
			}
			quadrants[q]++
		}
	}
	// The grid has 256 of 512 coordinates below 0, one at 0 and 255 above.
	n := float64(quadrants[0] + quadrants[1] + quadrants[2] + quadrants[3])
	for q, share := range []float64{257. * 257, 255 * 257, 257 * 255, 255 * 255} {
		p := share / (512 * 512)
		if z := (float64(quadrants[q]) - n*p) / math.Sqrt(n*p*(1-p)); math.Abs(z) > 4.5 {
			t.Errorf("quadrant %d: %.1f standard deviations off", q, z)
		}
	}
	// Exchanging with any one of all is not quite uniform: within a fifth.
	for i, c := range first {
		if e := float64(trials) / 16; math.Abs(float64(c)-e) > e/5+4.5*math.Sqrt(e) {
			t.Errorf("elements from %d on come first %d times, want about %v", 16*i, c, e)
		}
	}
}

func TestTwirlsAndOrders(t *testing.T) {
	r := rng.New(25)
	var twirls Twirls
	var order Order
	turns, orders := make([]int, 2), make([]int, 6)
	for range trials {
		PinchAndTwirl{Blocks: 3}.Draw(&twirls, 33, 65, r)
		if len(twirls) != 3*5 { // 11 pixels a block
			t.Fatalf("%d discs", len(twirls))
		}
		for _, left := range twirls {
			if left {
				turns[1]++
			} else {
				turns[0]++
			}
		}
		TransverseChromaticAbberation{}.Draw(&order, r)
		code := 2 * order[0]
		if order[1] > order[2] {
			code++
		}
		orders[code]++
	}
	equal(t, "turns", turns)
	equal(t, "orders", orders)
}

func TestPhaseDraws(t *testing.T) {
	r := rng.New(26)
	var d Uniforms
	for _, tt := range []struct{ w, h, want int }{{32, 32, 512}, {5, 5, 12}, {6, 5, 15}, {5, 6, 15}, {2, 2, 2}} {
		BlueNoiseSample{}.Draw(&d, tt.w, tt.h, r)
		if len(d) != tt.want {
			t.Errorf("%dx%d: %d phases, want %d", tt.w, tt.h, len(d), tt.want)
		}
		BrownishNoise{}.Draw(&d, tt.w, tt.h, r)
		if len(d) != 3*tt.want {
			t.Errorf("%dx%d: %d phases in color, want %d", tt.w, tt.h, len(d), 3*tt.want)
		}
	}
	BlueNoiseSample{}.Draw(&d, 100, 100, r)
	uniform(t, "phases", d, 0, 1)
}
