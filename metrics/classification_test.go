package metrics

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveScore is the definition with the standard library's functions.
func naiveScore(z []float64, label int) (conf, nll, brier float64, rank int) {
	top := slices.Max(z)
	var sum float64
	for _, v := range z {
		sum += math.Exp(v - top)
	}
	rank = 1
	for j, v := range z {
		p := math.Exp(v-top) / sum
		conf = max(conf, p)
		y := 0.0
		if j == label {
			y = 1
		}
		brier += (p - y) * (p - y)
		if v > z[label] || v == z[label] && j < label {
			rank++
		}
	}
	return conf, math.Log(sum) - (z[label] - top), brier, rank
}

func TestScoreDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(1, 33).Draw(t, "classes")
		scale := rapid.SampledFrom([]float64{0.1, 3, 40, 1e4, 1e30}).Draw(t, "scale")
		ints := rapid.SliceOfN(rapid.IntRange(-20, 20), classes, classes).Draw(t, "logits")
		label := rapid.IntRange(0, classes-1).Draw(t, "label")
		z := make([]float64, classes)
		z32 := make([]float32, classes)
		for i, v := range ints {
			z32[i] = float32(scale * float64(v) / 20)
			z[i] = float64(z32[i])
		}
		conf, nll, brier, rank := naiveScore(z, label)
		o, err := Score(7, z32, label)
		if err != nil {
			t.Fatal(err)
		}
		o64, err := Score(7, z, label)
		if err != nil || o64 != o {
			t.Fatalf("float32 %+v, float64 %+v, %v", o, o64, err)
		}
		rel := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
		rel("confidence", o.Conf, conf)
		rel("NLL", o.NLL, nll)
		rel("Brier", o.Brier, brier)
		if o.Rank != rank || o.Correct() != (o.Pred == label) || o.MaxLogit != slices.Max(z) || o.Row != 7 {
			t.Fatalf("%+v, want rank %d", o, rank)
		}
		if o.Brier < 0 || o.NLL < 0 || o.Conf > 1 {
			t.Fatalf("out of range: %+v", o)
		}
	})
}

func TestScoreTies(t *testing.T) {
	z := []float32{1, 3, 3, 0, 3}
	for label, want := range []int{4, 1, 2, 5, 3} {
		o, err := Score(0, z, label)
		if err != nil || o.Rank != want || o.Pred != 1 {
			t.Errorf("label %d: rank %d, prediction %d, %v, want rank %d", label, o.Rank, o.Pred, err, want)
		}
	}
}

func TestScoreConfident(t *testing.T) {
	o, err := Score(0, []float64{30, 0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "NLL", o.NLL, math.Log1p(math.Exp(-30)), 1e-25) // not log of a rounded sum
	if want := 2 * math.Exp(-60); math.Abs(o.Brier-want) > 1e-12*want {
		t.Errorf("Brier %v, want %v", o.Brier, want)
	}
}

func TestScoreProbs(t *testing.T) {
	o, err := ScoreProbs(3, []float32{0.25, 0.5, 0.25}, 2)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "NLL", o.NLL, math.Log(4), 1e-15)
	near(t, "Brier", o.Brier, 0.0625+0.25+0.5625, 1e-15)
	if o.Pred != 1 || o.Rank != 3 || o.Conf != 0.5 {
		t.Errorf("%+v", o)
	}
	if v, err := MSP.Of(&o); v != -0.5 || err != nil {
		t.Errorf("MSP %v, %v", v, err)
	}
	for _, s := range []OODScore{MaxLogit, Energy, XentUniform} {
		if _, err := s.Of(&o); !errors.Is(err, ErrNotComputable) || !strings.Contains(err.Error(), "row 3") {
			t.Errorf("%s of probabilities: %v", s, err)
		}
	}
	if _, err := OODScore("mahalanobis").Of(&o); !errors.Is(err, ErrName) {
		t.Errorf("unknown score: %v", err)
	}
}

func TestOODScores(t *testing.T) {
	row := []float64{math.Log(1), math.Log(2), math.Log(5)}
	o, err := Score(0, row, NoLabel)
	if err != nil {
		t.Fatal(err)
	}
	want := map[OODScore]float64{
		MSP: -5. / 8, MaxLogit: -math.Log(5), Energy: -math.Log(8), XentUniform: math.Log(10)/3 - math.Log(8),
		// p is 1/8, 2/8, 5/8.
		Entropy: (math.Log(8) + 2*math.Log(4) + 5*math.Log(1.6)) / 8,
		GEN:     math.Pow(7./64, 0.1) + math.Pow(12./64, 0.1) + math.Pow(15./64, 0.1),
	}
	for _, s := range OODScores() {
		v, err := OODScoreOf(s, &o, row)
		if err != nil {
			t.Fatal(err)
		}
		near(t, string(s), v, want[s], 1e-13)
	}
	if o.Rank != 0 || !math.IsNaN(o.NLL) || !math.IsNaN(o.Brier) {
		t.Errorf("a row without label has %+v", o)
	}
}

func TestScoreRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		z     []float64
		label int
		want  error
		class int
	}{
		{[]float64{0, nan, 1}, 0, ErrLogit, 1},
		{[]float64{nan}, 0, ErrLogit, 0},
		{[]float64{0, 0, 0, 0, 0, inf}, 0, ErrLogit, 5},
		{[]float64{0, -inf}, 0, ErrLogit, 1},
		{[]float64{inf, -inf}, 0, ErrLogit, 0},
		{[]float64{0, 1e200, -1e200}, 0, ErrLogit, 1},
		{[]float64{0, 1}, 2, ErrLabel, -1},
		{[]float64{0, 1}, -2, ErrLabel, -1},
	} {
		_, err := Score(41, c.z, c.label)
		var row *RowError
		if !errors.Is(err, c.want) || !errors.As(err, &row) || row.Row != 41 || row.Class != c.class {
			t.Errorf("Score(%v, %d): %v", c.z, c.label, err)
		}
	}
	if _, err := Score(0, []float32{float32(inf)}, 0); !errors.Is(err, ErrLogit) {
		t.Errorf("infinite float32: %v", err)
	}
	if _, err := Score(0, []float32{}, 0); !errors.Is(err, ErrLength) {
		t.Errorf("empty row: %v", err)
	}
	if _, err := Score(0, []float32{math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32, math.MaxFloat32},
		1); err != nil {
		t.Errorf("largest float32: %v", err)
	}
	for _, p := range [][]float64{{0.5, 0.4}, {nan, 1}, {-0.1, 1.1}, {1.2, 0}, {0.50006, 0.50006}} {
		if _, err := ScoreProbs(5, p, 0); !errors.Is(err, ErrProb) || !strings.Contains(err.Error(), "row 5") {
			t.Errorf("ScoreProbs(%v): %v", p, err)
		}
	}
	if _, err := ScoreProbs(5, []float64{0.50004, 0.50004}, 0); err != nil {
		t.Errorf("within the tolerance: %v", err)
	}
}

func TestClassificationByHand(t *testing.T) {
	// Four rows of probabilities, chosen so that every figure can be worked out on paper.
	probs := []float64{
		0.5, 0.25, 0.25,
		0.1, 0.8, 0.1,
		0.2, 0.2, 0.6,
		0.7, 0.2, 0.1,
	}
	var c Classification
	if err := AddProbRows(&c, 0, probs, []int{0, 1, 1, 2}); err != nil {
		t.Fatal(err)
	}
	get := value(t)
	near(t, "error", get(c.Error()), 0.5, 0)
	near(t, "top-2", get(c.TopKError(2)), 0.5, 0) // row 2: classes 2, 0, 1 (tie by class)
	near(t, "top-3", get(c.TopKError(3)), 0, 0)
	near(t, "NLL", get(c.NLL()), -(math.Log(.5)+math.Log(.8)+math.Log(.2)+math.Log(.1))/4, 1e-15)
	near(t, "Brier", get(c.Brier()), (0.375+0.06+(0.04+0.64+0.36)+(0.49+0.04+0.81))/4, 1e-15)
	cal := c.Calibration()
	near(t, "binary", get(cal.BrierBinary()), (0.25+0.04+0.36+0.49)/4, 1e-15)
	// Sorted: .5 right, .6 wrong | .7 wrong, .8 right.
	near(t, "RMS", get(cal.Error(RMS, Adaptive{Size: 2})), math.Sqrt((0.05*0.05+0.25*0.25)/2), 1e-14)
	near(t, "RMS, last skipped", get(cal.Error(RMS, Adaptive{Size: 2, SkipLast: true})), math.Sqrt(0.05*0.05/2), 1e-14)
	near(t, "MAD", get(cal.Error(MAD, Adaptive{Size: 2})), 0.15, 1e-14)
	near(t, "max", get(cal.Error(Max, Adaptive{Size: 2})), 0.25, 1e-14)
	near(t, "one bin of 3 takes all", get(cal.Error(MAD, Adaptive{Size: 3})), 0.15, 1e-14)
	// Descending: right 1/1, wrong 1/2, wrong 1/3, right 2/4.
	near(t, "AURRA", get(cal.AURRA()), (1+0.5+1./3+0.5)/4, 1e-15)
	tp, fp, fn := 0.4+0.3, 0.5+0.2, 0.6+0.7
	near(t, "soft F1", get(cal.SoftF1()), 2*tp/(2*tp+fp+fn), 1e-15)
	parts, err := cal.BrierParts(Adaptive{Size: 2, SkipLast: true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "score", parts.Score, parts.Calibration+parts.Refinement, 1e-15)
	near(t, "calibration", parts.Calibration, (0.05*0.05+0.25*0.25)/2, 1e-14)
	// Gaps -.5, .6 and .7, -.2: variances .3025 and .2025.
	near(t, "refinement", parts.Refinement, (0.3025+0.2025)/2, 1e-14)
	w := c.EqualWidth()
	near(t, "ECE", get(w.ECE()), (0.5+0.6+0.7+0.2)/4, 1e-15)
	near(t, "MaxCalibration", get(w.MaxCalibration()), 0.7, 1e-15)
	bins, err := cal.Bins(Adaptive{Size: 2})
	if err != nil || len(bins) != 2 || bins[0].N != 2 || math.Abs(bins[1].Confidence-0.75) > 1e-15 ||
		bins[1].Accuracy != 0.5 {
		t.Errorf("bins %+v, %v", bins, err)
	}
}

func TestEqualWidthEdges(t *testing.T) {
	e, err := NewEqualWidth(10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []float64{0, 0.1, 0.3, math.Nextafter(0.3, 1), 0.7, 1} {
		if err := e.Add(c, true); err != nil {
			t.Fatal(err)
		}
	}
	var counts []uint64
	for _, b := range e.Bins() {
		counts = append(counts, b.N)
	}
	if want := []uint64{2, 0, 1, 1, 0, 0, 1, 0, 0, 1}; !slices.Equal(counts, want) {
		t.Errorf("counts %v, want %v", counts, want)
	}
}

func TestWidthIndex(t *testing.T) {
	for bins := 1; bins <= 200; bins++ {
		for m := 1; m <= bins; m++ {
			edge := float64(m) / float64(bins)
			if got := widthIndex(edge, bins); got != m-1 {
				t.Fatalf("bin of %d/%d: %d, want %d", m, bins, got, m-1)
			}
			if got, want := widthIndex(math.Nextafter(edge, 2), bins), min(m, bins-1); got != want {
				t.Fatalf("bin just above %d/%d: %d, want %d", m, bins, got, want)
			}
		}
	}
}

func TestAURRATiesAreTheMeanOverOrders(t *testing.T) {
	// Five rows of one confidence, two right: the mean over the 10 orders.
	var c Calibration
	for i := range 5 {
		if err := c.Add(0.5, i < 2); err != nil {
			t.Fatal(err)
		}
	}
	var sum float64
	orders := 0
	for mask := range 32 {
		var right, area float64
		for i := range 5 {
			right += float64(mask >> i & 1)
			area += right / float64(i+1)
		}
		if right == 2 {
			sum += area / 5
			orders++
		}
	}
	near(t, "AURRA", value(t)(c.AURRA()), sum/float64(orders), 1e-15)
}

// naiveCalibration is the authors' algorithm on rows already sorted.
func naiveCalibration(conf []float64, correct []bool, size int, skip bool) float64 {
	bins := len(conf) / size
	var sum float64
	for b := range bins {
		if skip && b == bins-1 {
			break
		}
		end := (b + 1) * size
		if b == bins-1 {
			end = len(conf)
		}
		var gap float64
		for i := b * size; i < end; i++ {
			gap += conf[i]
			if correct[i] {
				gap--
			}
		}
		n := float64(end - b*size)
		sum += n / float64(len(conf)) * (gap / n) * (gap / n)
	}
	return math.Sqrt(sum)
}

func TestCalibrationDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(t, "n")
		size := rapid.IntRange(1, n).Draw(t, "size")
		skip := rapid.Bool().Draw(t, "skip")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		conf, correct := make([]float64, n), make([]bool, n)
		for i := range conf {
			conf[i], correct[i] = (float64(i)+r.Float64())/float64(n), r.IntN(2) == 0
		}
		var c Calibration
		for _, i := range r.Perm(n) {
			if err := c.Add(conf[i], correct[i]); err != nil {
				t.Fatal(err)
			}
		}
		got, err := c.Error(RMS, Adaptive{Size: size, SkipLast: skip})
		want := naiveCalibration(conf, correct, size, skip)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		parts, err := c.BrierParts(Adaptive{Size: size})
		if err != nil || math.Abs(parts.Score-parts.Calibration-parts.Refinement) > 1e-12 {
			t.Fatalf("%+v, %v", parts, err)
		}
	})
}

func TestRefinementOfEqualConfidences(t *testing.T) {
	var c Calibration
	for i := range 30 {
		if err := c.Add([]float64{0.25, 0.5, 1}[i/10], i%10 < 3*(i/10)); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := c.BrierParts(Adaptive{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "refinement", parts.Refinement, (0+0.3*0.7+0.6*0.4)/3, 1e-15)
}

// rows draws rows of coarse logits, so that ties in confidence abound.
func rows(t *rapid.T, classes int) (logits []float32, labels []int) {
	labels = rapid.SliceOfN(rapid.IntRange(0, classes-1), 4, 40).Draw(t, "labels")
	for _, v := range rapid.SliceOfN(rapid.IntRange(-3, 3), len(labels)*classes, len(labels)*classes).Draw(t,
		"logits") {
		logits = append(logits, float32(v))
	}
	return logits, labels
}

// all returns every metric.
func all(c *Classification) (v []float64, err error) {
	add := func(x float64, e error) {
		v = append(v, x)
		err = errors.Join(err, e)
	}
	cal, a := c.Calibration(), Adaptive{Size: 3}
	add(c.Error())
	add(c.TopKError(2))
	add(c.NLL())
	add(c.Brier())
	for n := RMS; n <= Max; n++ {
		add(cal.Error(n, a))
	}
	add(cal.AURRA())
	add(cal.SoftF1())
	add(cal.AURC())
	add(cal.ExcessAURC())
	add(cal.BrierBinary())
	add(c.EqualWidth().ECE())
	add(c.EqualWidth().MaxCalibration())
	return v, err
}

func TestMergeEqualsOnePass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const classes = 3
		logits, labels := rows(t, classes)
		var one Classification
		if err := AddRows(&one, 0, logits, labels); err != nil {
			t.Fatal(err)
		}
		shards := make([]Classification, rapid.IntRange(1, 5).Draw(t, "shards"))
		for i, label := range labels {
			o, err := Score(i, logits[i*classes:][:classes], label)
			if err != nil {
				t.Fatal(err)
			}
			if err := shards[rapid.IntRange(0, len(shards)-1).Draw(t, "shard")].Add(&o); err != nil {
				t.Fatal(err)
			}
		}
		var merged Classification
		for i := range shards {
			if err := merged.Merge(&shards[i]); err != nil {
				t.Fatal(err)
			}
		}
		want, err := all(&one)
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(&merged)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("merged %v, %v\none pass %v", got, err, want)
		}
	})
}

func TestMeanIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64(), 1, 50).Draw(t, "xs")
		var m, other Mean
		want := new(big.Rat)
		for i, x := range xs {
			if !finite(x) {
				continue
			}
			want.Add(want, new(big.Rat).SetFloat64(x))
			part := &m
			if i%3 == 0 {
				part = &other
			}
			if err := part.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		m.Merge(&other)
		if m.N() == 0 {
			return
		}
		got, err := m.Value()
		exact, _ := want.Quo(want, new(big.Rat).SetInt64(int64(m.N()))).Float64()
		if err != nil || got != exact {
			t.Fatalf("%v, %v, want %v", got, err, exact)
		}
	})
	var m Mean
	if err := m.Add(math.Inf(1)); !errors.Is(err, ErrScore) || m.N() != 0 {
		t.Errorf("infinite addend: %v", err)
	}
	if _, err := m.Value(); !errors.Is(err, ErrUndefined) {
		t.Errorf("empty mean: %v", err)
	}
}

func TestExactSumCarries(t *testing.T) {
	var s exactSum
	for i := range 1000 {
		s.add(math.MaxFloat64)
		s.add(-math.MaxFloat64)
		s.add(0x1p-1074)
		s.add(-0.75)
		if i%10 == 0 {
			s.carry()
		}
	}
	if got := s.over(1000); got != -0.75 {
		t.Errorf("%v, want -0.75", got)
	}
	full := exactSum{pending: maxAdds - 1}
	full.add(-3)
	if full.pending != 0 || full.over(2) != -1.5 {
		t.Errorf("after %d additions: %d pending, %v", maxAdds, full.pending, full.over(2))
	}
	var tiny exactSum
	for range 6 {
		tiny.add(0x1p-1074)
	}
	if got := tiny.over(2); got != 0x3p-1074 {
		t.Errorf("%v, want 3 times the smallest number", got)
	}
}

func TestClassificationRefuses(t *testing.T) {
	var c Classification
	if _, err := c.Error(); !errors.Is(err, ErrUndefined) {
		t.Errorf("error of no rows: %v", err)
	}
	if _, err := c.Calibration().AURRA(); !errors.Is(err, ErrUndefined) {
		t.Errorf("AURRA of no rows: %v", err)
	}
	if _, err := c.EqualWidth().ECE(); !errors.Is(err, ErrUndefined) {
		t.Errorf("ECE of no rows: %v", err)
	}
	if err := AddRows(&c, 0, []float32{1, 2, 3}, []int{0, 1}); !errors.Is(err, ErrLength) {
		t.Errorf("three logits of two rows: %v", err)
	}
	if err := AddRows(&c, 10, []float32{1, 2, 3, 4}, []int{0, 7}); !errors.Is(err, ErrLabel) ||
		!strings.Contains(err.Error(), "row 11") {
		t.Errorf("label 7: %v", err)
	}
	if err := AddRows(&c, 0, []float32{1, 2, 3}, []int{0}); !errors.Is(err, ErrLength) {
		t.Errorf("another number of classes: %v", err)
	}
	o, err := Score(3, []float32{1, 2}, NoLabel)
	if err != nil {
		t.Fatal(err)
	}
	var rec Records
	if err := c.Add(&o); !errors.Is(err, ErrLabel) {
		t.Errorf("row without label: %v", err)
	}
	if err := rec.Add(&o); !errors.Is(err, ErrLabel) {
		t.Errorf("record without label: %v", err)
	}
	if _, err := c.TopKError(3); !errors.Is(err, ErrOption) {
		t.Errorf("top-3 of two classes: %v", err)
	}
	if _, err := c.Calibration().Error(RMS, Adaptive{}); !errors.Is(err, ErrOption) {
		t.Errorf("bins of 100 for one row: %v", err)
	}
	if err := AddProbRows(&c, 20, []float64{1, 0, 0, 1, 1, 0}, []int{0, 0, 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.NLL(); !errors.Is(err, ErrUndefined) || !strings.Contains(err.Error(), "row 21") ||
		!strings.Contains(err.Error(), "2 rows") {
		t.Errorf("probability 0: %v", err)
	}
	var other Classification
	if err := AddRows(&other, 0, []float32{1, 2, 3}, []int{0}); err != nil {
		t.Fatal(err)
	}
	if err := c.Merge(&other); !errors.Is(err, ErrLength) {
		t.Errorf("merging 2 with 3 classes: %v", err)
	}
	var cal Calibration
	for _, v := range []float64{-0.1, 1.1, math.NaN()} {
		if err := cal.Add(v, true); !errors.Is(err, ErrScore) {
			t.Errorf("confidence %v: %v", v, err)
		}
	}
	if err := cal.Add(1, true); err != nil {
		t.Fatal(err)
	}
	if _, err := cal.SoftF1(); !errors.Is(err, ErrUndefined) {
		t.Errorf("soft F1 of one sure right row: %v", err)
	}
	if _, err := NewEqualWidth(0); !errors.Is(err, ErrOption) {
		t.Errorf("no bins: %v", err)
	}
}

func TestScoreDoesNotAllocate(t *testing.T) {
	logits, labels := benchLogits(4, 1000)
	var c Classification
	c.Calibration().Grow(5000)
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		o, err := Score(i, logits[i*1000:][:1000], labels[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Add(&o); err != nil {
			t.Fatal(err)
		}
		i = (i + 1) % 4
	}); n > 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestNewClassification(t *testing.T) {
	for _, bins := range []int{0, 10001} {
		if _, err := NewClassification(bins); !errors.Is(err, ErrOption) {
			t.Errorf("%d bins: %v", bins, err)
		}
	}
	c, err := NewClassification(2)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewClassification(2)
	if err != nil {
		t.Fatal(err)
	}
	logits := []float32{4, 0, 1, 0, 0, 3}
	if err := errors.Join(AddRows(c, 0, logits, []int{0, 1, 1}), d.Merge(c)); err != nil {
		t.Fatal(err)
	}
	if b := d.EqualWidth().Bins(); len(b) != 2 || b[1].N != 3 {
		t.Errorf("bins %v", b)
	}
	var fresh Classification
	if err := fresh.Merge(c); err != nil || len(fresh.EqualWidth().Bins()) != 2 {
		t.Errorf("merging into an empty one: %v", err)
	}
	if err := AddRows(&fresh, 3, logits[:2], []int{0}); err != nil || fresh.N() != 4 {
		t.Errorf("%d rows, %v", fresh.N(), err)
	}
	fifteen := new(Classification)
	if err := errors.Join(AddRows(fifteen, 0, logits, []int{0, 1, 1})); err != nil {
		t.Fatal(err)
	}
	if err := fifteen.Merge(c); !errors.Is(err, ErrLength) {
		t.Errorf("merging other bins: %v", err)
	}
	if e, err := fifteen.Error(); fifteen.N() != 3 || err != nil || e != 1./3 {
		t.Errorf("other bins that were refused left %d rows with the error %v, %v", fifteen.N(), e, err)
	}
	empty, err := NewClassification(3)
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Merge(c); !errors.Is(err, ErrLength) || empty.Classes() != 0 {
		t.Errorf("merging other bins into no rows: %v, %d classes", err, empty.Classes())
	}
}

// Sorted parts merge to the values of the whole, values that are held are those that are not, and rows after them count.
func TestCalibrationHeld(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var whole, parts Calibration
	for range 5 {
		var part Calibration
		for range 300 {
			conf, right := math.Sqrt(r.Float64()), r.IntN(3) > 0
			if r.IntN(4) == 0 {
				conf = 0.5
			}
			whole.add(conf, right)
			part.add(conf, right)
		}
		part.Sort()
		parts.Sort()
		parts.Merge(&part)
	}
	same := func(what string) {
		t.Helper()
		for i, f := range []func(*Calibration) (float64, error){
			(*Calibration).AURC, (*Calibration).SmoothECE, func(c *Calibration) (float64, error) { return c.Error(RMS, Adaptive{}) },
		} {
			want, err := f(&whole)
			got, err2 := f(&parts)
			if err != nil || err2 != nil || got != want {
				t.Errorf("%s, metric %d: %v, %v, want %v, %v", what, i, got, err2, want, err)
			}
		}
	}
	same("merged")
	release := parts.Hold()
	same("held")
	whole.add(0.25, true)
	parts.add(0.25, true)
	same("one more")
	parts.Hold()
	whole.Merge(&Calibration{keys: []uint64{7}})
	parts.Merge(&Calibration{keys: []uint64{7}})
	same("another part")
	release()
	same("released")
	var none Calibration
	none.Hold()()
	if _, err := none.AURC(); !errors.Is(err, ErrUndefined) {
		t.Errorf("nothing held: %v", err)
	}
}

// TestImpossibleOutcomes: an outcome that no row of logits can have is refused by whatever counts outcomes, and named.
func TestImpossibleOutcomes(t *testing.T) {
	good := Outcome{Row: 7, Classes: 2, Rank: 2, Conf: 0.5}
	nan := math.NaN()
	for says, change := range map[string]func(o *Outcome){
		"has no label":                       func(o *Outcome) { o.Rank = 0 },
		"rank 3 of 2 classes (allowed: 1 to": func(o *Outcome) { o.Rank = 3 },
		"rank -1 of 2 classes":               func(o *Outcome) { o.Rank = -1 },
		"confidence NaN (allowed: 0 to 1)":   func(o *Outcome) { o.Conf = nan },
		"confidence 1.5":                     func(o *Outcome) { o.Conf = 1.5 },
		"loss -1 and Brier score 0":          func(o *Outcome) { o.NLL = -1 },
		"loss NaN":                           func(o *Outcome) { o.NLL = nan },
		"Brier score NaN":                    func(o *Outcome) { o.Brier = nan },
	} {
		bad := good
		change(&bad)
		wise, err := NewClasswise(10)
		if err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"Classification": new(Classification).Add(&bad), "Records": new(Records).Add(&bad), "Confusion": new(Confusion).Add(&bad),
			"Classwise": AddClasswise(wise, &bad, []float64{0.5, 0.5}),
		} {
			if err == nil || !strings.Contains(err.Error(), "row 7 has ") || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: error %v, want %q", name, err, says)
			}
		}
	}
	if err := new(Classification).Add(&good); err != nil {
		t.Error(err)
	}
}
