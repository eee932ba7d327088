package metrics

import (
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// recordStatistics are all statistics of Records, beside the accumulator's value of the same metric.
func recordStatistics(r *Records) (map[string]Statistic, error) {
	out := map[string]Statistic{}
	var errs []error
	add := func(name string, s Statistic, err error) {
		out[name] = s
		errs = append(errs, err)
	}
	for k := 1; k <= 2; k++ {
		s, err := r.TopKError(k)
		add([]string{"error", "top2"}[k-1], s, err)
	}
	s, err := r.NLL()
	add("nll", s, err)
	s, err = r.Brier()
	add("brier", s, err)
	s, err = r.BrierBinary()
	add("binary", s, err)
	for n := RMS; n <= Max; n++ {
		s, err = r.Calibration(n, Adaptive{Size: 3})
		add(n.String(), s, err)
	}
	s, err = r.AURRA()
	add("aurra", s, err)
	s, err = r.SoftF1()
	add("soft_f1", s, err)
	s, err = r.AURC()
	add("aurc", s, err)
	s, err = r.ExcessAURC()
	add("e_aurc", s, err)
	s, err = r.ECE(DefaultWidthBins)
	add("ece", s, err)
	s, err = r.MaxCalibration(DefaultWidthBins)
	add("mce", s, err)
	return out, errors.Join(errs...)
}

func accumulated(c *Classification) (map[string]float64, error) {
	v, err := all(c)
	names := []string{"error", "top2", "nll", "brier", "rms", "mad", "max", "aurra", "soft_f1", "aurc", "e_aurc", "binary", "ece", "mce"}
	out := map[string]float64{}
	for i, n := range names {
		out[n] = v[i]
	}
	return out, err
}

// TestWeightsAreRepetitions: a statistic under weights is the metric of rows repeated that often.
func TestWeightsAreRepetitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const classes = 3
		logits, labels := rows(t, classes)
		w := make([]uint32, len(labels))
		for range labels {
			w[rapid.IntRange(0, len(labels)-1).Draw(t, "drawn")]++
		}
		var rec Records
		var repeated Classification
		for i, label := range labels {
			o, err := Score(i, logits[i*classes:][:classes], label)
			if err != nil {
				t.Fatal(err)
			}
			if err := rec.Add(&o); err != nil {
				t.Fatal(err)
			}
			for range w[i] {
				if err := repeated.Add(&o); err != nil {
					t.Fatal(err)
				}
			}
		}
		stats, err := recordStatistics(&rec)
		if err != nil {
			t.Fatal(err)
		}
		want, err := accumulated(&repeated)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range stats {
			if got := s.Weighted(w); math.Abs(got-want[name]) > 1e-12 {
				t.Fatalf("%s: %v, want %v", name, got, want[name])
			}
		}
	})
}

func TestDetectionWeightsAreRepetitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, neg := scores(t, "pos", 1), scores(t, "neg", 1)
		w := make([]uint32, len(pos)+len(neg))
		for range pos {
			w[rapid.IntRange(0, len(pos)-1).Draw(t, "p")]++
		}
		for range neg {
			w[len(pos)+rapid.IntRange(0, len(neg)-1).Draw(t, "q")]++
		}
		var d, repeated Detection
		if err := errors.Join(d.AddAll(pos, true), d.AddAll(neg, false)); err != nil {
			t.Fatal(err)
		}
		for i, s := range slices.Concat(pos, neg) {
			for range w[i] {
				if err := repeated.Add(s, i < len(pos)); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := map[DetectionMetric]func() (float64, error){
			AUROC: repeated.AUROC, AveragePrecision: repeated.AveragePrecision, AUPRTrapezoid: repeated.AUPRTrapezoid,
			FPR95:        func() (float64, error) { return repeated.FPR(DefaultRecall, AtLeast) },
			FPR95Nearest: func() (float64, error) { return repeated.FPR(DefaultRecall, Nearest) },
		}
		for m, f := range want {
			s, err := d.Statistic(m)
			if err != nil {
				t.Fatal(err)
			}
			v, err := f()
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Weighted(w); math.Abs(got-v) > 1e-12 {
				t.Fatalf("metric %d: %v, want %v", m, got, v)
			}
		}
	})
}

func TestBootstrapCovers(t *testing.T) {
	// 400 samples of 100 coin flips: a 90 % interval should cover the truth in about 360; 5 standard deviations are
	// 30. The percentile interval of a proportion is known to cover a little less.
	r := rand.New(rand.NewPCG(11, 12))
	const truth = 0.3
	covered, auc := 0, 0
	for range 400 {
		v := make([]float64, 100)
		for i := range v {
			if r.Float64() < truth {
				v[i] = 1
			}
		}
		s, err := MeanStatistic(v)
		if err != nil {
			t.Fatal(err)
		}
		iv, err := Bootstrap(s, BootstrapOptions{Source: rand.NewPCG(r.Uint64(), 0), Replicates: 400, Level: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if iv.Lo <= truth && truth <= iv.Hi {
			covered++
		}
		// Scores of variance 1 whose means differ by 1: the true AUROC is Phi(1/sqrt 2).
		var d Detection
		for range 40 {
			if err := errors.Join(d.Add(r.NormFloat64()+1, true), d.Add(r.NormFloat64(), false)); err != nil {
				t.Fatal(err)
			}
		}
		ds, err := d.Statistic(AUROC)
		if err != nil {
			t.Fatal(err)
		}
		iv, err = Bootstrap(ds, BootstrapOptions{Source: rand.NewPCG(r.Uint64(), 0), Replicates: 400, Level: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if want := 0.5 * math.Erfc(-0.5); iv.Lo <= want && want <= iv.Hi {
			auc++
		}
	}
	if covered < 325 || covered > 390 {
		t.Errorf("the 90 %% interval of a proportion covers %d of 400", covered)
	}
	if auc < 325 || auc > 390 {
		t.Errorf("the 90 %% interval of AUROC covers %d of 400", auc)
	}
}

func TestBootstrapIsSeeded(t *testing.T) {
	v := make([]float64, 50)
	for i := range v {
		v[i] = float64(i * i % 17)
	}
	s, err := MeanStatistic(v)
	if err != nil {
		t.Fatal(err)
	}
	run := func(seed uint64) Interval {
		iv, err := Bootstrap(s, BootstrapOptions{Source: rand.NewPCG(seed, 0), Replicates: 200})
		if err != nil {
			t.Fatal(err)
		}
		return iv
	}
	a, b, c := run(1), run(1), run(2)
	if a != b || a == c {
		t.Errorf("seed 1: %v and %v, seed 2: %v", a, b, c)
	}
	if a.Level != 0.95 || a.Replicates != 200 || !(a.Lo < a.Estimate && a.Estimate < a.Hi) {
		t.Errorf("%+v", a)
	}
	// The central limit theorem gives the width.
	var mean, sq float64
	for _, x := range v {
		mean += x / 50
		sq += x * x / 50
	}
	width := 2 * 1.96 * math.Sqrt((sq-mean*mean)/50)
	if w := a.Hi - a.Lo; w < 0.75*width || w > 1.25*width {
		t.Errorf("width %v, want about %v", w, width)
	}
}

// A centered interval is the percentile interval moved by the replicates' bias: about nothing for a mean, and enough to
// hold the estimate for a binned calibration error.
func TestBootstrapCentered(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	var rec Records
	values := make([]float64, 1000)
	for i := range values {
		// A calibrated model of two classes: right as often as it says.
		conf := 0.5 + 0.5*random.Float64()
		o := Outcome{Row: i, Classes: 2, Rank: 1, Conf: conf}
		if random.Float64() > conf {
			o.Rank, values[i] = 2, 1
		}
		if err := rec.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	mean, err1 := MeanStatistic(values)
	rms, err2 := rec.Calibration(RMS, Adaptive{})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	both := func(s Statistic) (plain, centered Interval) {
		t.Helper()
		var err1, err2 error
		plain, err1 = Bootstrap(s, BootstrapOptions{Source: rand.NewPCG(3, 4)})
		centered, err2 = Bootstrap(s, BootstrapOptions{Source: rand.NewPCG(3, 4), Centered: true})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		near(t, "width", centered.Hi-centered.Lo, plain.Hi-plain.Lo, 1e-12)
		near(t, "estimate", centered.Estimate, plain.Estimate, 0)
		return plain, centered
	}
	plain, centered := both(mean)
	near(t, "lower end of a mean's interval", centered.Lo, plain.Lo, 2e-3)
	plain, centered = both(rms)
	off := func(iv Interval) float64 { return math.Abs((iv.Lo+iv.Hi)/2 - iv.Estimate) }
	if off(plain) < 5*off(centered) || !(centered.Lo < centered.Estimate && centered.Estimate < centered.Hi) {
		t.Errorf("plain %+v, centered %+v", plain, centered)
	}
}

func TestBootstrapDifference(t *testing.T) {
	// Model B errs on every row that A errs on and on ten more: the difference scatters far less than either error.
	a, b := make([]float64, 200), make([]float64, 200)
	for i := range a {
		if i < 80 {
			a[i] = 1
		}
		if i < 90 {
			b[i] = 1
		}
	}
	sa, errA := MeanStatistic(a)
	sb, errB := MeanStatistic(b)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	iv, err := BootstrapDifference(sb, sa, BootstrapOptions{Source: rand.NewPCG(5, 6), Replicates: 2000})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "difference", iv.Estimate, 0.05, 1e-15)
	sd := math.Sqrt(0.05 * 0.95 / 200)
	if iv.Lo <= 0 || math.Abs(iv.Hi-iv.Lo-2*1.96*sd) > 0.3*2*1.96*sd {
		t.Errorf("%+v, want a width of about %v", iv, 2*1.96*sd)
	}
	same, err := BootstrapDifference(sa, sa, BootstrapOptions{Source: rand.NewPCG(5, 6)})
	if err != nil || same.Lo != 0 || same.Hi != 0 {
		t.Errorf("a model against itself: %+v, %v", same, err)
	}
	short, err := MeanStatistic(a[:100])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := BootstrapDifference(sa, short, BootstrapOptions{Source: rand.NewPCG(5, 6)}); !errors.Is(err,
		ErrLength) {
		t.Errorf("unequal rows: %v", err)
	}
}

// oddStrata is a statistic of a user's who counted wrong.
type oddStrata struct{}

func (oddStrata) Strata() []int { return []int{3, -1} }

func (oddStrata) Weighted([]uint32) float64 { return 1 }

func TestBootstrapRefuses(t *testing.T) {
	s, err := MeanStatistic([]float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	src := rand.NewPCG(1, 1)
	for _, o := range []BootstrapOptions{
		{},
		{Source: src, Replicates: 1},
		{Source: src, Replicates: -5},
		{Source: src, Replicates: 1e8},
		{Source: src, Level: 1},
		{Source: src, Level: -0.5},
		{Source: src, Level: math.NaN()},
	} {
		if _, err := Bootstrap(s, o); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := MeanStatistic(nil); !errors.Is(err, ErrUndefined) {
		t.Errorf("no rows: %v", err)
	}
	if _, err := MeanStatistic([]float64{0, math.Inf(1)}); !errors.Is(err, ErrScore) ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("infinite: %v", err)
	}
	if _, err := Bootstrap(meanStatistic(nil), BootstrapOptions{Source: src}); !errors.Is(err, ErrUndefined) {
		t.Errorf("no rows: %v", err)
	}
	if v, err := Value(oddStrata{}); !errors.Is(err, ErrUndefined) {
		t.Errorf("a stratum of -1 rows: %v, %v", v, err)
	}
	// Sure of every row, and one is wrong: replicates without it have no soft F1.
	var r Records
	for i := range 2 {
		o, err := ScoreProbs(i, []float64{1, 0}, i)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	f1, err := r.SoftF1()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Bootstrap(f1, BootstrapOptions{Source: src}); !errors.Is(err, ErrUndefined) ||
		!strings.Contains(err.Error(), "replicate") {
		t.Errorf("undefined replicates: %v", err)
	}
	if _, err := r.NLL(); !errors.Is(err, ErrScore) {
		t.Errorf("infinite NLL: %v", err)
	}
	var none Records
	for _, f := range []func() (Statistic, error){
		none.NLL, none.Brier, none.BrierBinary, none.AURRA, none.SoftF1,
		func() (Statistic, error) { return none.TopKError(1) },
		func() (Statistic, error) { return none.ECE(15) },
		func() (Statistic, error) { return none.Calibration(RMS, Adaptive{}) },
	} {
		if _, err := f(); !errors.Is(err, ErrUndefined) {
			t.Errorf("statistic of no rows: %v", err)
		}
	}
	for _, f := range []func() (Statistic, error){
		func() (Statistic, error) { return r.TopKError(3) },
		func() (Statistic, error) { return r.ECE(0) },
		func() (Statistic, error) { return r.Calibration(RMS, Adaptive{Size: 3}) },
		func() (Statistic, error) { return r.Calibration(Max+1, Adaptive{Size: 1}) },
	} {
		if _, err := f(); !errors.Is(err, ErrOption) {
			t.Errorf("bad option: %v", err)
		}
	}
}

func TestRecordsMerge(t *testing.T) {
	logits, labels := benchLogits(30, 5)
	var one, a, b Records
	for i, l := range labels {
		o, err := Score(i, logits[i*5:][:5], l)
		if err != nil {
			t.Fatal(err)
		}
		part := &a
		if i >= 10 {
			part = &b
		}
		if err := errors.Join(one.Add(&o), part.Add(&o)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Merge(&b); err != nil {
		t.Fatal(err)
	}
	if a.N() != 30 || !slices.Equal(a.conf, one.conf) || !slices.Equal(a.rank, one.rank) ||
		!slices.Equal(a.nll, one.nll) {
		t.Error("merged records differ")
	}
	o, err := Score(0, []float64{1, 2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(&o); !errors.Is(err, ErrLength) {
		t.Errorf("another number of classes: %v", err)
	}
}

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 4, 8}
	for q, want := range map[float64]float64{0: 1, 0.5: 3, 1: 8, 0.25: 1.75} {
		near(t, "quantile", quantile(v, q), want, 1e-15)
	}
}

// matrix yields rows of logits with labels.
func matrix(z []float64, classes int, labels []int) iter.Seq2[[]float64, int] {
	return func(yield func([]float64, int) bool) {
		for i, l := range labels {
			if !yield(z[i*classes:][:classes], l) {
				return
			}
		}
	}
}

func TestFitTemperature(t *testing.T) {
	// Labels drawn from the softmax of z; logits are z times 2.5: the temperature is 2.5.
	r := rand.New(rand.NewPCG(8, 9))
	const n, classes = 4000, 6
	z, labels := make([]float64, n*classes), make([]int, n)
	for i := range labels {
		row := z[i*classes:][:classes]
		var sum float64
		for j := range row {
			row[j] = 1.5 * r.NormFloat64()
			sum += math.Exp(row[j])
		}
		u := r.Float64() * sum
		for j, v := range row {
			if u -= math.Exp(v); u < 0 {
				labels[i] = j
				break
			}
		}
		for j := range row {
			row[j] *= 2.5
		}
	}
	got, err := FitTemperature(matrix(z, classes, labels))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.T-2.5) > 0.15 || got.Passes > 25 || got.After >= got.Before {
		t.Errorf("%+v", got)
	}
	// It is the minimum: the mean NLL of scaled logits, by the other code, is higher on both sides.
	loss := func(temp float64) float64 {
		var c Classification
		scaled := make([]float64, len(z))
		ScaleLogits(scaled, z, temp)
		if err := AddRows(&c, 0, scaled, labels); err != nil {
			t.Fatal(err)
		}
		return value(t)(c.NLL())
	}
	near(t, "loss before", got.Before, loss(1), 1e-12)
	near(t, "loss after", got.After, loss(got.T), 1e-12)
	for _, f := range []float64{0.999, 1.001} {
		if loss(got.T*f) <= loss(got.T) {
			t.Errorf("the loss at %v times T is not higher", f)
		}
	}
	slope := (loss(got.T*1.0001) - loss(got.T*0.9999)) / 2e-4
	if math.Abs(slope) > 1e-7 {
		t.Errorf("slope %v at the minimum", slope)
	}
	// Ten times smaller logits have a tenth of the temperature, up to the ends of what is looked at.
	scaled := make([]float64, len(z))
	for _, by := range []float64{10, math.Exp(12.9), math.Exp(-11)} {
		ScaleLogits(scaled, z, by)
		part, err := FitTemperature(matrix(scaled, classes, labels))
		if err != nil || math.Abs(part.T*by-got.T) > 1e-8 {
			t.Errorf("logits by %v: %+v, %v, want %v by that", by, part, err, got.T)
		}
	}
	ScaleLogits(scaled, z, math.Exp(13))
	if part, err := FitTemperature(matrix(scaled, classes, labels)); !errors.Is(err, ErrUndefined) {
		t.Errorf("beyond e^-12: %+v, %v", part, err)
	}
}

func TestFitTemperatureRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		z       []float64
		classes int
		labels  []int
		want    error
		words   string
	}{
		{"all right", []float64{2, 0, 0, 3}, 2, []int{0, 1}, ErrUndefined, "right"},
		{"all right by far", []float64{200, 0, 0, 300}, 2, []int{0, 1}, ErrUndefined, "right"},
		{"all wrong", []float64{2, 0, 0, 3}, 2, []int{1, 0}, ErrUndefined, "chance"},
		{"flat", []float64{1, 1, 2, 2}, 2, []int{1, 0}, ErrUndefined, "equal logits"},
		{"no rows", nil, 2, nil, ErrUndefined, "no rows"},
		{"no label", []float64{2, 0}, 2, []int{NoLabel}, ErrLabel, "row 0"},
		{"bad label", []float64{2, 0}, 2, []int{2}, ErrLabel, "row 0"},
		{"NaN", []float64{2, 0, math.NaN(), 1}, 2, []int{0, 1}, ErrLogit, "row 1"},
	} {
		got, err := FitTemperature(matrix(c.z, c.classes, c.labels))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

// sumStatistic is the sum of its numbers, whatever is drawn.
type sumStatistic []float64

func (sumStatistic) Strata() []int { return []int{10} }

func (s sumStatistic) Weighted([]uint32) (sum float64) {
	for _, v := range s {
		sum += v
	}
	return sum
}

// TestDifferenceOfEquals: numbers that are equal but for their rounding have no difference, and its interval does not exclude 0.
func TestDifferenceOfEquals(t *testing.T) {
	a, b := sumStatistic{0.1, 0.2}, sumStatistic{0.3}
	if a.Weighted(nil) == b.Weighted(nil) {
		t.Fatal("the sums are equal to the last bit")
	}
	opt := BootstrapOptions{Source: rand.NewPCG(1, 2), Replicates: 100}
	alone, err := BootstrapDifference(a, b, opt)
	if err != nil {
		t.Fatal(err)
	}
	both, err := Resample(opt, a, b)
	if err != nil {
		t.Fatal(err)
	}
	together, err := both[0].Minus(both[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, iv := range []Interval{alone, together} {
		if iv.Estimate != 0 || iv.Lo != 0 || iv.Hi != 0 {
			t.Errorf("%+v, want 0", iv)
		}
	}
}
