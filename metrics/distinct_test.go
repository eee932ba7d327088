package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Where all scores differ, one pass gives the bits of the curve, under draws, and where one row has all the weight.
func TestDistinctScores(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {20, 20}, {57, 140}, {400, 100}} {
		var d Detection
		for i, count := range n {
			for range count {
				if err := d.Add(r.NormFloat64()-float64(i), i == 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		for m := AUROC; m <= FPR95Nearest; m++ {
			s, err := d.Statistic(m)
			if err != nil {
				t.Fatal(err)
			}
			one, curved := s.(*detectionStatistic), *s.(*detectionStatistic)
			if (one.steps == nil) != (m == AUPRTrapezoid) {
				t.Fatalf("metric %d of %v: %d steps", m, n, len(one.steps))
			}
			curved.steps = nil
			curved.c.p, curved.c.q = make([]uint32, n[0]+n[1]), make([]uint32, n[0]+n[1])
			for k := range 60 {
				w := make([]uint32, n[0]+n[1])
				if k%3 > 0 {
					(&drawer{src: r}).draw(w, s.Strata())
				} else {
					w[r.IntN(n[0])], w[n[0]+r.IntN(n[1])] = uint32(n[0]), uint32(n[1])
				}
				if got, want := one.Weighted(w), curved.Weighted(w); math.Float64bits(got) != math.Float64bits(want) {
					t.Fatalf("metric %d of %v: %v, by the curve %v", m, n, got, want)
				}
			}
		}
	}
}

// Sums of whole numbers are those of any others.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	values := make([]float64, 301)
	for i := range values {
		values[i] = float64(r.IntN(5) * r.IntN(maxCount/4))
	}
	s, err := MeanStatistic(values)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.(countStatistic); !ok {
		t.Fatalf("whole numbers are summed as %T", s)
	}
	w := make([]uint32, len(values))
	for range 50 {
		(&drawer{src: r}).draw(w, s.Strata())
		if got, want := s.Weighted(w), meanStatistic(values).Weighted(w); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	for _, odd := range []float64{-1, 0.5, maxCount + 1} {
		s, err := MeanStatistic([]float64{1, odd})
		if err != nil {
			t.Fatal(err)
		}
		if v, err := Value(s); v != (1+odd)/2 || err != nil {
			t.Errorf("mean of 1 and %v: %v, %v", odd, v, err)
		}
	}
}
