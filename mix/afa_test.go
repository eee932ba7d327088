package mix

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/rng"
)

// The formula of the wave, and its length, where nothing is clipped.
func TestWave(t *testing.T) {
	var s Scratch
	for _, size := range [][2]int{{1, 1}, {5, 5}, {32, 32}, {9, 4}, {3, 17}} {
		w, h := size[0], size[1]
		r := rng.New(1)
		for range 40 {
			wave := (&AFA{Strength: 10}).draw(w, h, r)
			wave.length = 0.25
			got, want, squares := make([]float32, w*h), make([]float64, w*h), 0.0
			for i := range got {
				got[i] = 0.5
				want[i] = math.Sin(wave.x*float64(i%w) + wave.y*float64(i/w) - math.Pi/4)
				squares += want[i] * want[i]
			}
			s.addWave(got, w, wave)
			for i := range got {
				if e := 0.5 + 0.25*want[i]/math.Sqrt(squares); math.Abs(float64(got[i])-e) > 1e-6 {
					t.Fatalf("%dx%d, %+v: value %d is %v, want %v", w, h, wave, i, got[i], e)
				}
			}
		}
	}
	black := make([]float32, 64)
	s.addWave(black, 8, planeWave{1, 0.5, 100})
	for i, v := range black {
		if v < 0 || v > 1 {
			t.Errorf("value %d is %v, not clipped", i, v)
		}
	}
}

func TestWaveDistributions(t *testing.T) {
	const n, side = 20000, 10
	r := rng.New(2)
	m := &AFA{Prob: 1, Strength: 10}
	frequencies := map[int]int{}
	var directions, lengths []float64
	for range n {
		wave := m.draw(side, 6, r)
		f := math.Hypot(wave.x, wave.y) * side / (2 * math.Pi)
		frequencies[int(math.Round(f))-1]++
		if math.Abs(f-math.Round(f)) > 1e-9 {
			t.Fatalf("frequency %v is not whole", f)
		}
		directions = append(directions, math.Atan2(wave.y, wave.x))
		lengths = append(lengths, wave.length/(side/32.0))
	}
	chiSquare(t, "frequencies", frequencies, side)
	ks(t, "directions", directions, distuv.Uniform{Min: 0, Max: math.Pi})
	ks(t, "lengths", lengths, distuv.Exponential{Rate: 0.1})
}
