package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// drawnRecords are n made-up outcomes, of which many share a confidence.
func drawnRecords(r *rand.Rand, n, distinct int) *Records {
	rec := &Records{classes: 10}
	for range n {
		rec.conf = append(rec.conf, float64(1+r.IntN(distinct))/float64(distinct))
		rec.rank = append(rec.rank, uint32(1+r.IntN(3)))
		rec.nll = append(rec.nll, r.ExpFloat64())
		rec.brier = append(rec.brier, r.Float64())
	}
	return rec
}

// TestResampleIsBootstrap: several statistics together give, bit for bit, what each gives alone.
func TestResampleIsBootstrap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 130, 2500} {
		var stats, alone []Statistic
		for i := range 5 {
			rec := drawnRecords(r, n, 7+1000*i)
			for _, list := range []*[]Statistic{&stats, &alone} {
				s, err := rec.Calibration(RMS, Adaptive{Size: min(n, 100)})
				if err != nil {
					t.Fatal(err)
				}
				nll, err := rec.NLL()
				if err != nil {
					t.Fatal(err)
				}
				*list = append(*list, s, nll)
			}
		}
		opt := func() BootstrapOptions {
			return BootstrapOptions{Source: rand.NewPCG(3, 4), Replicates: 333, Centered: true}
		}
		all, err := Resample(opt(), stats...)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range alone {
			want, err := Bootstrap(s, opt())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // asking does not change it
				if got, err := all[i].Interval(); err != nil || got != want {
					t.Errorf("%d rows, statistic %d: %+v (%v), want %+v", n, i, got, err, want)
				}
			}
			want, err = BootstrapDifference(s, alone[0], opt())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := all[i].Minus(all[0]); err != nil || got != want {
				t.Errorf("%d rows, statistic %d minus 0: %+v (%v), want %+v", n, i, got, err, want)
			}
		}
	}
}

// stubStatistic is undefined once a row is drawn more often than most.
type stubStatistic struct {
	n    int
	most uint32
}

func (s stubStatistic) Strata() []int { return []int{s.n} }

func (s stubStatistic) Weighted(w []uint32) float64 {
	for _, v := range w {
		if v > s.most {
			return math.NaN()
		}
	}
	return 1
}

func TestResampleErrors(t *testing.T) {
	opt := BootstrapOptions{Source: rand.NewPCG(1, 1), Replicates: 100}
	for name, c := range map[string]struct {
		opt   BootstrapOptions
		stats []Statistic
		want  error
	}{
		"strata":     {opt, []Statistic{stubStatistic{5, 9}, stubStatistic{6, 9}}, ErrLength},
		"no rows":    {opt, []Statistic{stubStatistic{0, 9}}, ErrUndefined},
		"no source":  {BootstrapOptions{}, []Statistic{stubStatistic{5, 9}}, ErrOption},
		"replicates": {BootstrapOptions{Source: opt.Source, Replicates: 1}, []Statistic{stubStatistic{5, 9}}, ErrOption},
	} {
		if _, err := Resample(c.opt, c.stats...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	all, err := Resample(opt, stubStatistic{50, 1000}, stubStatistic{50, 1}, stubStatistic{50, 0})
	if err != nil {
		t.Fatal(err)
	}
	if iv, err := all[0].Interval(); err != nil || iv.Lo != 1 || iv.Replicates != 100 {
		t.Errorf("%+v, %v", iv, err)
	}
	for i, r := range all[1:] {
		_, own := r.Interval()
		_, minus := all[0].Minus(r)
		_, plus := r.Minus(all[0])
		for _, err := range []error{own, minus, plus} {
			if !errors.Is(err, ErrUndefined) {
				t.Errorf("statistic %d: %v", i+1, err)
			}
		}
	}
	fewer, err := Resample(BootstrapOptions{Source: opt.Source, Replicates: 10}, stubStatistic{50, 1000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all[0].Minus(fewer[0]); !errors.Is(err, ErrLength) {
		t.Errorf("other replicates: %v", err)
	}
}

// TestCalibrationStatistic: one pass over sorted rows gives, bit for bit, what groups of equal confidence give.
func TestCalibrationStatistic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		n := rapid.IntRange(1, 300).Draw(t, "rows")
		rec := drawnRecords(r, n, rapid.SampledFrom([]int{1, 5, 200, 1e6}).Draw(t, "confidences"))
		a := Adaptive{Size: rapid.IntRange(1, n).Draw(t, "size"), SkipLast: rapid.Bool().Draw(t, "skip")}
		norm := rapid.SampledFrom([]Norm{RMS, MAD, Max}).Draw(t, "norm")
		one, err := rec.Calibration(norm, a)
		if err != nil {
			t.Fatal(err)
		}
		groups, err := rec.grouped(func(g *groups) float64 { return g.calibration(norm, a) })
		if err != nil {
			t.Fatal(err)
		}
		w := make([]uint32, n)
		for range 3 {
			(&drawer{src: r}).draw(w, []int{n})
			if got, want := one.Weighted(w), groups.Weighted(w); got != want {
				t.Fatalf("%v, want %v", got, want)
			}
		}
	})
}

func BenchmarkResample(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var stats []Statistic
	for range 8 {
		s, err := drawnRecords(r, 10000, 1e9).Calibration(RMS, Adaptive{})
		if err != nil {
			b.Fatal(err)
		}
		stats = append(stats, s)
	}
	for b.Loop() {
		if _, err := Resample(BootstrapOptions{Source: rand.NewPCG(3, 4), Replicates: 100}, stats...); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(8*100*float64(b.N)/b.Elapsed().Seconds(), "replicates/s")
}
