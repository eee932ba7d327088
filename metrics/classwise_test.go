package metrics

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// classwiseOf adds rows of probabilities in the given order.
func classwiseOf(t testing.TB, bins, classes int, probs []float64, labels []int, order []int) *Classwise {
	t.Helper()
	c, err := NewClasswise(bins)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range order {
		row := probs[i*classes:][:classes]
		o, err := ScoreProbs(i, row, labels[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := AddClasswise(c, &o, row); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestClasswiseByHand(t *testing.T) {
	// Two bins. Class 0: .8-1 + .6 above, .3 below. Class 1: .2 + .4-1 below, .7-1 above. Together 1.4, of 2 classes and 3 rows.
	c := classwiseOf(t, 2, 2, []float64{.8, .2, .6, .4, .3, .7}, []int{0, 1, 1}, []int{0, 1, 2})
	near(t, "classwise ECE", value(t)(c.ECE()), 1.4/6, 1e-11)
	// Of four rows of .75 and .25 three are of the first class.
	c = classwiseOf(t, 15, 2, []float64{.75, .25, .75, .25, .75, .25, .75, .25}, []int{0, 0, 1, 0}, []int{0, 1, 2, 3})
	near(t, "classwise ECE of a calibrated model", value(t)(c.ECE()), 0, 0)
	// Always sure of the wrong class: 2/K.
	c = classwiseOf(t, 15, 2, []float64{1, 0, 0, 1}, []int{1, 0}, []int{0, 1})
	near(t, "classwise ECE of a model that is always wrong", value(t)(c.ECE()), 1, 0)
}

// TestClasswiseNumPy: p = softmax(z), t = Σ over k and m of abs((p[b==m,k] - (y[b==m]==k)).sum()) / 240 with
// b = ceil(p[:,k]*15) - 1.
func TestClasswiseNumPy(t *testing.T) {
	const rows, classes = 60, 4
	var parts [2]*Classwise
	for i := range parts {
		parts[i], _ = NewClasswise(DefaultWidthBins)
	}
	whole, _ := NewClasswise(DefaultWidthBins)
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(rows) {
		z := make([]float64, classes)
		for j := range z {
			z[j] = float64((7*i+13*j+i*j)%11) / 3
		}
		o, err := Score(i, z, (i*i+i/3)%classes)
		if err := errors.Join(err, AddClasswise(whole, &o, z), AddClasswise(parts[i%2], &o, z)); err != nil {
			t.Fatal(err)
		}
	}
	near(t, "classwise ECE", value(t)(whole.ECE()), 0.17552084151006075, 1e-11)
	if err := parts[0].Merge(parts[1]); err != nil {
		t.Fatal(err)
	}
	if a, b := value(t)(parts[0].ECE()), value(t)(whole.ECE()); a != b || parts[0].N() != rows {
		t.Errorf("merged %v of %d rows, in one pass %v", a, parts[0].N(), b)
	}
}

func TestClasswiseRefuses(t *testing.T) {
	if _, err := NewClasswise(0); !errors.Is(err, ErrOption) {
		t.Errorf("no bins: %v", err)
	}
	c, _ := NewClasswise(15)
	if _, err := c.ECE(); !errors.Is(err, ErrUndefined) {
		t.Errorf("no rows: %v", err)
	}
	row := []float64{1, 2, 3}
	none, _ := Score(0, row, NoLabel)
	o, _ := Score(0, row, 1)
	two, _ := Score(1, row[:2], 1)
	if err := AddClasswise(c, &none, row); !errors.Is(err, ErrLabel) {
		t.Errorf("no label: %v", err)
	}
	if err := AddClasswise(c, &o, row[:2]); !errors.Is(err, ErrLength) {
		t.Errorf("a row of another outcome: %v", err)
	}
	if err := AddClasswise(c, &o, row); err != nil {
		t.Fatal(err)
	}
	if err := AddClasswise(c, &two, row[:2]); !errors.Is(err, ErrLength) {
		t.Errorf("two classes after three: %v", err)
	}
	other, _ := NewClasswise(15)
	if err := AddClasswise(other, &two, row[:2]); err != nil {
		t.Fatal(err)
	}
	if err := c.Merge(other); !errors.Is(err, ErrLength) || c.N() != 1 {
		t.Errorf("merging three classes with two: %v", err)
	}
}

func BenchmarkClasswise(b *testing.B) {
	logits, labels := benchLogits(64, 1000)
	c, _ := NewClasswise(15)
	outcomes := make([]Outcome, len(labels))
	for i := range outcomes {
		outcomes[i], _ = Score(i, logits[i*1000:][:1000], labels[i])
	}
	for i := 0; b.Loop(); i = (i + 1) % 64 {
		if err := AddClasswise(c, &outcomes[i], logits[i*1000:][:1000]); err != nil {
			b.Fatal(err)
		}
	}
}
