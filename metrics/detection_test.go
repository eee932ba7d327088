package metrics

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

func newDetection(t *testing.T, pos, neg []float64) *Detection {
	t.Helper()
	d := new(Detection)
	if err := errors.Join(d.AddAll(pos, true), d.AddAll(neg, false)); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSklearn(t *testing.T) {
	b, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Detection []struct {
			Name               string
			Positive, Negative []float64
			AUROC              float64
			AP                 float64 `json:"average_precision"`
			Trapezoid          float64 `json:"aupr_trapezoid"`
			FPR95              float64
		}
		Classification []struct {
			Name              string
			Classes           int
			Logits            []float64
			Labels            []int
			Error, NLL, Brier float64
			Top3              float64 `json:"top3_error"`
			Binary            float64 `json:"brier_binary"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Detection) == 0 || len(file.Classification) == 0 {
		t.Fatal("sklearn.json is empty")
	}
	get := value(t)
	for _, c := range file.Detection {
		d := newDetection(t, c.Positive, c.Negative)
		near(t, c.Name+" AUROC", get(d.AUROC()), c.AUROC, 1e-12)
		near(t, c.Name+" AP", get(d.AveragePrecision()), c.AP, 1e-12)
		near(t, c.Name+" trapezoid", get(d.AUPRTrapezoid()), c.Trapezoid, 1e-12)
		near(t, c.Name+" FPR95", get(d.FPR(DefaultRecall, AtLeast)), c.FPR95, 1e-12)
	}
	for _, c := range file.Classification {
		var all Classification
		if err := AddRows(&all, 0, c.Logits, c.Labels); err != nil {
			t.Fatal(err)
		}
		near(t, c.Name+" error", get(all.Error()), c.Error, 1e-12)
		near(t, c.Name+" top-3", get(all.TopKError(3)), c.Top3, 1e-12)
		near(t, c.Name+" NLL", get(all.NLL()), c.NLL, 1e-9)
		near(t, c.Name+" Brier", get(all.Brier()), c.Brier, 1e-9)
		near(t, c.Name+" binary", get(all.Calibration().BrierBinary()), c.Binary, 1e-9)
	}
}

// scores draws scores with many ties.
func scores(t *rapid.T, name string, least int) []float64 {
	return rapid.SliceOfN(rapid.Map(rapid.IntRange(-8, 8), func(i int) float64 { return float64(i) / 4 }), least, 40).
		Draw(t, name)
}

// naive is the definition of each metric, by loops over thresholds and pairs.
type naive struct{ pos, neg []float64 }

func (n naive) auroc() float64 {
	var wins float64
	for _, p := range n.pos {
		for _, q := range n.neg {
			if p > q {
				wins++
			} else if p == q {
				wins += 0.5
			}
		}
	}
	return wins / float64(len(n.pos)*len(n.neg))
}

// points returns recall, precision and false-positive rate at every distinct score, the highest first.
func (n naive) points() (recall, precision, fpr []float64) {
	all := append(slices.Clone(n.pos), n.neg...)
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	for _, threshold := range all {
		var tp, fp float64
		for _, p := range n.pos {
			if p >= threshold {
				tp++
			}
		}
		for _, q := range n.neg {
			if q >= threshold {
				fp++
			}
		}
		recall = append(recall, tp/float64(len(n.pos)))
		precision = append(precision, tp/(tp+fp))
		fpr = append(fpr, fp/float64(len(n.neg)))
	}
	return recall, precision, fpr
}

func TestDetectionDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := naive{scores(t, "pos", 1), scores(t, "neg", 1)}
		level := rapid.SampledFrom([]float64{0.5, 0.8, 0.95, 1}).Draw(t, "level")
		var d Detection
		if err := errors.Join(d.AddAll(n.pos, true), d.AddAll(n.neg, false)); err != nil {
			t.Fatal(err)
		}
		check := func(what string, want float64) func(got float64, err error) {
			return func(got float64, err error) {
				t.Helper()
				if err != nil || math.Abs(got-want) > 1e-12 {
					t.Fatalf("%s: %v, %v, want %v", what, got, err, want)
				}
			}
		}
		check("AUROC", n.auroc())(d.AUROC())
		recall, precision, fpr := n.points()
		ap, trapezoid := 0.0, 0.0
		lastR, lastP := 0.0, 1.0
		atLeast := -1
		for i := range recall {
			ap += (recall[i] - lastR) * precision[i]
			trapezoid += (recall[i] - lastR) * (precision[i] + lastP) / 2
			lastR, lastP = recall[i], precision[i]
			if atLeast < 0 && recall[i] >= level {
				atLeast = i
			}
		}
		check("average precision", ap)(d.AveragePrecision())
		check("trapezoid", trapezoid)(d.AUPRTrapezoid())
		check("FPR at least", fpr[atLeast])(d.FPR(level, AtLeast))
		// The reference walks from the first threshold of full recall back to the highest, and takes the first of the
		// nearest.
		last := slices.Index(recall, 1)
		best := last
		for i := last; i >= 0; i-- {
			if math.Abs(recall[i]-level) < math.Abs(recall[best]-level) {
				best = i
			}
		}
		check("FPR nearest", fpr[best])(d.FPR(level, Nearest))
	})
}

func TestDetectionMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, neg := scores(t, "pos", 1), scores(t, "neg", 1)
		f := rapid.SampledFrom([]func(float64) float64{
			math.Exp, math.Atan, func(x float64) float64 { return 3*x - 100 }, math.Cbrt,
		}).Draw(t, "map")
		apply := func(xs []float64) []float64 {
			out := make([]float64, len(xs))
			for i, x := range xs {
				out[i] = f(x)
			}
			return out
		}
		var a, b Detection
		if err := errors.Join(a.AddAll(pos, true), a.AddAll(neg, false), b.AddAll(apply(pos), true),
			b.AddAll(apply(neg), false)); err != nil {
			t.Fatal(err)
		}
		for m := AUROC; m <= FPR95Nearest; m++ {
			sa, errA := a.Statistic(m)
			sb, errB := b.Statistic(m)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			va, errA := Value(sa)
			vb, errB := Value(sb)
			if errA != nil || errB != nil || va != vb {
				t.Fatalf("metric %d: %v and %v after a monotone map", m, va, vb)
			}
		}
	})
}

func TestDetectionMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos, neg := scores(t, "pos", 1), scores(t, "neg", 1)
		var one, two, other Detection
		for i, s := range pos {
			d := &two
			if rapid.Bool().Draw(t, "shard") {
				d = &other
			}
			if err := errors.Join(one.Add(s, true), d.Add(pos[i], true)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(one.AddAll(neg, false), other.AddAll(neg, false)); err != nil {
			t.Fatal(err)
		}
		other.Merge(&two)
		a, errA := one.AveragePrecision()
		b, errB := other.AveragePrecision()
		if errA != nil || errB != nil || a != b {
			t.Fatal(a, b, errA, errB)
		}
	})
}

func TestDetectionZeros(t *testing.T) {
	d := newDetection(t, []float64{math.Copysign(0, -1)}, []float64{0})
	if v := value(t)(d.AUROC()); v != 0.5 {
		t.Errorf("AUROC of -0 and 0: %v, want a tie", v)
	}
}

func TestDetectionRefuses(t *testing.T) {
	var d Detection
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := d.Add(v, true); !errors.Is(err, ErrScore) {
			t.Errorf("Add(%v): %v", v, err)
		}
		if err := d.AddAll([]float64{1, v}, false); !errors.Is(err, ErrScore) {
			t.Errorf("AddAll(%v): %v", v, err)
		}
	}
	if d.Positives()+d.Negatives() != 0 {
		t.Error("refused scores were kept")
	}
	if err := d.Add(1, true); err != nil {
		t.Fatal(err)
	}
	if _, err := d.AUROC(); !errors.Is(err, ErrUndefined) {
		t.Errorf("AUROC without negatives: %v", err)
	}
	if _, err := d.Statistic(AUROC); !errors.Is(err, ErrUndefined) {
		t.Errorf("statistic without negatives: %v", err)
	}
	if err := d.Add(0, false); err != nil {
		t.Fatal(err)
	}
	for _, level := range []float64{0, -1, 1.01, math.NaN()} {
		if _, err := d.FPR(level, AtLeast); !errors.Is(err, ErrOption) {
			t.Errorf("FPR at %v: %v", level, err)
		}
	}
	if _, err := d.Statistic(FPR95Nearest + 1); !errors.Is(err, ErrOption) {
		t.Errorf("unknown metric: %v", err)
	}
}

func TestSortKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 1500).Draw(t, "n")
		mask := rapid.SampledFrom([]uint64{0, 1, 0xFF, 0x8000000000000001, 0xFF00FF, math.MaxUint64, 0xFFFFFFFF00000000}).Draw(t, "mask")
		seed := rapid.Uint64().Draw(t, "seed")
		keys := make([]uint64, n)
		for i := range keys {
			seed = seed*6364136223846793005 + 1442695040888963407
			keys[i] = (seed ^ seed>>29) & mask
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		order := argsort(keys)
		for i, k := range order {
			if keys[k] != want[i] || i > 0 && keys[k] == keys[order[i-1]] && order[i-1] > k {
				t.Fatalf("argsort: position %d", i)
			}
		}
		if sortKeys(keys, make([]uint64, n)); !slices.Equal(keys, want) {
			t.Fatal("sortKeys")
		}
	})
}

func TestMergeKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.Uint64Range(0, 20))
		a, b := keys.Draw(t, "a"), keys.Draw(t, "b")
		slices.Sort(a)
		slices.Sort(b)
		want := slices.Concat(a, b)
		slices.Sort(want)
		if got := mergeKeys(a, b); !slices.Equal(got, want) {
			t.Fatalf("%v and %v: %v", a, b, got)
		}
	})
}

func TestFloatKey(t *testing.T) {
	order := []float64{
		math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1, 2,
	}
	for i := 1; i < len(order); i++ {
		if floatKey(order[i-1]) >= floatKey(order[i]) {
			t.Errorf("key of %v is not below that of %v", order[i-1], order[i])
		}
	}
	if floatKey(math.Copysign(0, -1)) != floatKey(0) {
		t.Error("the two zeros differ")
	}
}
