package nn

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// slope checks dlogits against central differences of the loss. Logits are float32, so that the step is large and the
// tolerance is that of its third-order term.
func slope(t *testing.T, name string, logits []float32, loss func(d, z []float32) float64) {
	t.Helper()
	d := make([]float32, len(logits))
	first := loss(d, logits)
	if again := loss(nil, logits); again != first {
		t.Errorf("%s: %v with a gradient, %v without", name, first, again)
	}
	const h = 1.0 / 256
	for i, old := range logits {
		logits[i] = old + h
		up := loss(nil, logits)
		logits[i] = old - h
		down := loss(nil, logits)
		logits[i] = old
		if want := (up - down) / (2 * h); math.Abs(want-float64(d[i])) > 2e-5*(1+math.Abs(want)) {
			t.Fatalf("%s: gradient %d is %v, want %v", name, i, d[i], want)
		}
	}
}

func testLogits(n int) []float32 {
	r := rng.New(3)
	z := make([]float32, n)
	r.FillNormal32(z)
	for i := range z {
		z[i] = float32(math.Round(float64(z[i])*1024) / 1024) // so that a step of 1/256 is exact
	}
	return z
}

func TestLossGradients(t *testing.T) {
	const batch, classes = 4, 5
	labels := []int{0, 4, 2, 2}
	targets := make([]float32, batch*classes)
	r := rng.New(5)
	for i := range targets {
		targets[i] = float32(r.Float64())
	}
	z := testLogits(batch * classes)
	slope(t, "CrossEntropy", z, func(d, z []float32) float64 { return CrossEntropy(d, z, labels, classes, 0) })
	slope(t, "smoothed", z, func(d, z []float32) float64 { return CrossEntropy(d, z, labels, classes, 0.1) })
	slope(t, "SoftCrossEntropy", z, func(d, z []float32) float64 { return SoftCrossEntropy(d, z, targets, classes) })
	slope(t, "OutlierExposure", z, func(d, z []float32) float64 { return OutlierExposure(d, z, classes) })
	for _, views := range []int{1, 2, 3, 9} {
		z := testLogits(views * batch * classes)
		slope(t, "JSD", z, func(d, z []float32) float64 {
			l, _, _ := JSD(d, z, labels, classes, views, 1.5)
			return l
		})
		slope(t, "SoftJSD", z, func(d, z []float32) float64 {
			l, _, _ := SoftJSD(d, z, targets, classes, views, 1.5)
			return l
		})
	}
}

// TestLossValues are worked by hand: two classes with logits log 3 and 0 have probabilities 3/4 and 1/4.
func TestLossValues(t *testing.T) {
	z := []float32{float32(math.Log(3)), 0}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-7 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("cross-entropy", CrossEntropy(nil, z, []int{1}, 2, 0), math.Log(4))
	near("smoothed", CrossEntropy(nil, z, []int{1}, 2, 0.2), 0.9*math.Log(4)+0.1*math.Log(4./3))
	near("soft", SoftCrossEntropy(nil, z, []float32{0.5, 0.5}, 2), (math.Log(4)+math.Log(4./3))/2)
	near("outliers", OutlierExposure(nil, z, 2), math.Log(4)-math.Log(3)/2)
	// Views (3/4, 1/4) and (1/4, 3/4) have the mixture (1/2, 1/2): each divergence is 3/4 log(3/2) + 1/4 log(1/2).
	loss, ce, js := JSD(nil, append(z, 0, float32(math.Log(3))), []int{1}, 2, 2, 12)
	near("divergence", js, 0.75*math.Log(1.5)-0.25*math.Log(2))
	near("its cross-entropy", ce, math.Log(4))
	near("their sum", loss, ce+12*js)
}

// TestExtremeLogits has probabilities that are exactly 0, where PyTorch 1.13's gradient is NaN.
func TestExtremeLogits(t *testing.T) {
	z := []float32{2000, 0, -2000, -2000, 2000, 0, 0, 0, 0}
	d := make([]float32, len(z))
	loss, _, js := JSD(d, z, []int{0}, 3, 3, 12)
	if math.IsNaN(loss) || !(js > 0 && js <= math.Log(3)) {
		t.Errorf("loss %v, divergence %v", loss, js)
	}
	for i, v := range d {
		if v != v || math.IsInf(float64(v), 0) {
			t.Errorf("gradient %d is %v", i, v)
		}
	}
	// Logits that are no numbers must show in the loss.
	z[4] = float32(math.NaN())
	if loss, _, _ := JSD(d, z, []int{0}, 3, 3, 12); !math.IsNaN(loss) {
		t.Errorf("loss %v of logits with a NaN", loss)
	}
	loss = CrossEntropy(nil, []float32{float32(math.Inf(1)), 0}, []int{0}, 2, 0)
	if !math.IsNaN(loss) && !math.IsInf(loss, 0) {
		t.Errorf("loss %v of an infinite logit", loss)
	}
}

func TestLossPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"label":     func() { CrossEntropy(nil, make([]float32, 4), []int{0, 2}, 2, 0) },
		"negative":  func() { CrossEntropy(nil, make([]float32, 4), []int{0, -1}, 2, 0) },
		"length":    func() { CrossEntropy(nil, make([]float32, 5), []int{0, 1}, 2, 0) },
		"gradient":  func() { CrossEntropy(make([]float32, 3), make([]float32, 4), []int{0, 1}, 2, 0) },
		"targets":   func() { SoftCrossEntropy(nil, make([]float32, 4), make([]float32, 2), 2) },
		"views":     func() { JSD(nil, nil, []int{0}, 2, 0, 1) },
		"classes":   func() { OutlierExposure(nil, make([]float32, 4), 0) },
		"smoothing": func() { CrossEntropy(nil, make([]float32, 4), []int{0, 1}, 2, math.NaN()) },
		"smoother":  func() { CrossEntropy(nil, make([]float32, 4), []int{0, 1}, 2, 1.5) },
		"norm":      func() { ClipNorm(nil, -1) },
		"no labels": func() { CrossEntropy(nil, nil, nil, 2, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
