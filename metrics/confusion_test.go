package metrics_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/rng"
)

func ExampleConfusion() {
	var c metrics.Confusion
	for _, row := range []struct {
		logits []float64
		label  int
	}{{[]float64{2, 1, 0}, 0}, {[]float64{0, 3, 1}, 0}, {[]float64{0, 2, 5}, 2}} {
		o, err := metrics.Score(0, row.logits, row.label)
		if err == nil {
			err = c.Add(&o)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	e, _ := c.Error(0)
	fmt.Println(e, c.Confused(1))
	// Output: 0.5 [{0 1 1 0.5}]
}

// TestConfusion compares with a dense matrix, and parts that are merged with the whole.
func TestConfusion(t *testing.T) {
	const classes, n = 6, 500
	r := rng.New(3)
	var whole metrics.Confusion
	var parts [3]metrics.Confusion
	var dense [classes][classes]uint64
	wrong := uint64(0)
	for i := range n {
		logits := make([]float32, classes)
		for j := range logits {
			logits[j] = float32(r.IntN(4))
		}
		o, err := metrics.Score(i, logits, r.IntN(classes-1)) // the last class has no rows
		if err == nil {
			err = errors.Join(whole.Add(&o), parts[i%3].Add(&o))
		}
		if err != nil {
			t.Fatal(err)
		}
		dense[o.Label][o.Pred]++
		if !o.Correct() {
			wrong++
		}
	}
	var merged metrics.Confusion
	for i := range parts {
		if err := merged.Merge(&parts[2-i]); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(merged, whole) || whole.Classes() != classes {
		t.Error("the parts together are not the whole")
	}
	for label := range classes {
		rows := uint64(0)
		for pred := range classes {
			rows += dense[label][pred]
			if got := whole.Count(label, pred); got != dense[label][pred] {
				t.Errorf("%d for class %d taken for %d, want %d", got, label, pred, dense[label][pred])
			}
		}
		e, err := whole.Error(label)
		switch {
		case rows == 0 && !errors.Is(err, metrics.ErrUndefined):
			t.Errorf("class %d without rows: %v, %v", label, e, err)
		case rows > 0 && (err != nil || e != 1-float64(dense[label][label])/float64(rows) && e != float64(rows-dense[label][label])/float64(rows)):
			t.Errorf("class %d: error %v, %v", label, e, err)
		}
		if whole.Rows(label) != rows {
			t.Errorf("class %d: %d rows, want %d", label, whole.Rows(label), rows)
		}
	}
	all := whole.Confused(1000)
	sum := uint64(0)
	for i, x := range all {
		sum += x.N
		if i > 0 && x.Share > all[i-1].Share || x.Label == x.Pred {
			t.Errorf("entry %d is %+v after %+v", i, x, all[max(i-1, 0)])
		}
	}
	if sum != wrong || !reflect.DeepEqual(whole.Confused(3), all[:3]) {
		t.Errorf("%d confusions, %d rows are wrong", sum, wrong)
	}
}

func TestConfusionErrors(t *testing.T) {
	var a, b metrics.Confusion
	two, _ := metrics.Score(0, []float64{1, 2}, 1)
	three, _ := metrics.Score(0, []float64{1, 2, 3}, 1)
	none, _ := metrics.Score(0, []float64{1, 2}, metrics.NoLabel)
	if err := errors.Join(a.Add(&two), b.Add(&three), a.Merge(&metrics.Confusion{})); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(&three); !errors.Is(err, metrics.ErrLength) {
		t.Error(err)
	}
	if err := a.Add(&none); !errors.Is(err, metrics.ErrLabel) {
		t.Error(err)
	}
	if err := a.Merge(&b); !errors.Is(err, metrics.ErrLength) {
		t.Error(err)
	}
}

// A negative number of entries is none, and one that was made wide before its first row takes rows.
func TestConfusionEdges(t *testing.T) {
	var added, merged metrics.Confusion
	added.Widen(2)
	merged.Widen(2)
	o, err := metrics.Score(0, []float64{1, 2}, 0)
	if err := errors.Join(err, added.Add(&o), merged.Merge(&added)); err != nil {
		t.Fatal(err)
	}
	if got := merged.Confused(-1); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := merged.Confused(1); len(got) != 1 || got[0].N != 1 {
		t.Errorf("%v", got)
	}
}
