package metrics

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// TestScoresNumPy: p = softmax(z), -(p*np.log(p)).sum(), and q = np.sort(p)[::-1][:100], (q**.1*(1-q)**.1).sum().
func TestScoresNumPy(t *testing.T) {
	z := make([]float64, 1000)
	for k := range z {
		z[k] = float64((k*k*7+3*k)%997) / 100
	}
	for range 2 {
		o, err := Score(0, z, NoLabel)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "entropy", value(t)(OODScoreOf(Entropy, &o, z)), 5.555897170779125, 1e-12)
		near(t, "GEN", value(t)(OODScoreOf(GEN, &o, z)), 60.2241132640272, 1e-12)
		slices.Reverse(z) // the order of the classes has no part
	}
}

// TestScoresOfSureRows: where 1-p rounds to 0, GEN still tells how sure a row is; probabilities give what logits give.
func TestScoresOfSureRows(t *testing.T) {
	last := math.Inf(1)
	for _, gap := range []float64{5, 30, 40, 100, 600} {
		row := []float64{0, -gap}
		o, err := Score(0, row, NoLabel)
		if err != nil {
			t.Fatal(err)
		}
		gen := value(t)(OODScoreOf(GEN, &o, row))
		p := math.Exp(-gap)
		near(t, "GEN", gen, 2*math.Pow(p, 0.1)/math.Pow(1+p, 0.2), 1e-12)
		near(t, "entropy", value(t)(OODScoreOf(Entropy, &o, row)), math.Log1p(p)+gap*p/(1+p), 1e-15)
		if gen >= last {
			t.Errorf("GEN %v after %v", gen, last)
		}
		last = gen
	}
	probs := []float64{0.5, 0.5, 0}
	o, err := ScoreProbs(0, probs, NoLabel)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "entropy of probabilities", value(t)(OODScoreOf(Entropy, &o, probs)), math.Ln2, 1e-15)
	near(t, "GEN of probabilities", value(t)(OODScoreOf(GEN, &o, probs)), 2*math.Pow(0.25, 0.1), 1e-15)
	if _, err := OODScoreOf(Energy, &o, probs); !errors.Is(err, ErrNotComputable) {
		t.Errorf("energy of probabilities: %v", err)
	}
	if _, err := OODScoreOf(GEN, &o, probs[:2]); !errors.Is(err, ErrLength) {
		t.Errorf("a row of another outcome: %v", err)
	}
	if _, err := GEN.Of(&o); !errors.Is(err, ErrNotComputable) {
		t.Errorf("GEN of an outcome alone: %v", err)
	}
	if _, err := OODScoreOf("odin", &o, probs); !errors.Is(err, ErrName) {
		t.Errorf("unknown score: %v", err)
	}
}

// TestShiftedScores: rows that differ by a constant are ties, by every score that does not look at the size of logits.
func TestShiftedScores(t *testing.T) {
	for _, classes := range []int{2, 3, 10, 100} {
		row, shifted := make([]float32, classes), make([]float32, classes)
		for _, constant := range []float32{-7, 1, 3, 12} {
			for k := range row {
				row[k] = float32(k * k % 11)
				shifted[k] = row[k] + constant
			}
			x, err := Score(0, row, NoLabel)
			y, other := Score(1, shifted, NoLabel)
			if err != nil || other != nil {
				t.Fatal(err, other)
			}
			for _, s := range []OODScore{MSP, XentUniform, Entropy, GEN} {
				if a, b := value(t)(OODScoreOf(s, &x, row)), value(t)(OODScoreOf(s, &y, shifted)); a != b {
					t.Errorf("%s of %d classes: %v, and %v with %v more", s, classes, a, b, constant)
				}
			}
		}
	}
}
