package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// labeled is a data set of classes of the given sizes whose samples come in the given order.
func labeled(sizes []int, backwards bool) *dataset {
	d := &dataset{}
	for label, n := range sizes {
		for i := range n {
			d.samples = append(d.samples, held{key: fmt.Sprintf("%d/%d", label, i), label: label})
		}
	}
	if backwards {
		slices.Reverse(d.samples)
	}
	d.n = len(d.samples)
	return d
}

func keysOf(d *dataset) map[string]int {
	keys := map[string]int{}
	for i := range d.samples {
		keys[d.samples[i].key] = d.samples[i].label
	}
	return keys
}

func TestHoldOutShares(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		share float64
	}{
		{[]int{100, 50, 10}, 0.1}, {[]int{3, 3, 3, 3, 3, 3}, 0.1}, {[]int{1, 1, 40}, 0.25}, {[]int{5, 2}, 0.99}, {[]int{7, 7, 7}, 0.5},
	} {
		d := labeled(c.sizes, false)
		train, val, err := d.holdOut(t.Context(), c.share, 0)
		if err != nil {
			t.Fatal(c, err)
		}
		if train.n+val.n != d.n || len(keysOf(train))+len(keysOf(val)) != d.n {
			t.Errorf("%v: %d and %d of %d", c, train.n, val.n, d.n)
		}
		counts := make([]int, len(c.sizes))
		for _, label := range keysOf(val) {
			counts[label]++
		}
		for label, n := range c.sizes {
			want := c.share * float64(n)
			if counts[label] >= n || math.Abs(float64(counts[label])-want) > 1 && counts[label] < n-1 {
				t.Errorf("%v: %d of %d samples of class %d", c, counts[label], n, label)
			}
		}
	}
}

// TestHoldOutKeyed: who is held out depends on the seed and the keys, not on the order, and is the same where the set is
// not in memory.
func TestHoldOutKeyed(t *testing.T) {
	sizes := []int{40, 30, 20}
	held := func(d *dataset, seed uint64) map[string]int {
		_, val, err := d.holdOut(t.Context(), 0.2, seed)
		if err != nil {
			t.Fatal(err)
		}
		return keysOf(val)
	}
	one := held(labeled(sizes, false), 1)
	if two := held(labeled(sizes, true), 1); !maps.Equal(one, two) {
		t.Errorf("another order holds out %v, not %v", two, one)
	}
	if two := held(labeled(sizes, false), 2); maps.Equal(one, two) {
		t.Error("another seed holds out the same")
	}

	memory, err := load(t.Context(), newImages(60, 8, 4), math.MaxInt64, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := memory.holdOut(t.Context(), 0.25, 3)
	if err != nil {
		t.Fatal(err)
	}
	src := newImages(60, 8, 4)
	_, got, err := (&dataset{info: src.Info(), n: src.Len(), source: src}).holdOut(t.Context(), 0.25, 3)
	if err != nil || got.n != 15 {
		t.Fatal(got.n, err)
	}
	var s data.Sample
	for i := range got.n {
		if err := got.source.Read(i, &s); err != nil || s.Key != want.samples[i].key {
			t.Fatalf("sample %d is %s, not %s (%v)", i, s.Key, want.samples[i].key, err)
		}
	}
}

func TestHoldOutNothing(t *testing.T) {
	if _, _, err := labeled([]int{1, 1, 1}, false).holdOut(t.Context(), 0.5, 0); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, _, err := labeled([]int{9, 9}, false).holdOut(ctx, 0.5, 0); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// TestValFraction: a run validates on what it does not train on, writes its best weights, and resumes with the same parts.
func TestValFraction(t *testing.T) {
	c := small()
	c.ValFraction, c.Epochs = 0.2, 2
	var plan Plan
	o := Options{Train: newImages(100, 8, 4), OnBegin: func(p *Plan) { plan = *p }}
	whole := t.TempDir()
	o.Dir = whole
	res, err := Run(t.Context(), c, o)
	if err != nil || plan.Samples != 80 || plan.Val != 20 || res.BestEpoch == 0 || math.IsNaN(res.Error) {
		t.Fatalf("%+v, %d and %d samples, %v", res, plan.Samples, plan.Val, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Dir, o.Train, o.Resume = t.TempDir(), newImages(100, 8, 4), true
	o.OnStep = func(s *Step) {
		if s.Epoch == 1 {
			cancel()
		}
	}
	if _, err := Run(ctx, c, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.OnStep, o.Train = nil, newImages(100, 8, 4)
	if _, err := Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, finalFiles(t, o.Dir), finalFiles(t, whole))
	if _, ok := finalFiles(t, whole)[BestName]; !ok {
		t.Errorf("no %s in %s", BestName, filepath.Base(whole))
	}

	o.Dir, o.Train, o.Val = t.TempDir(), newImages(100, 8, 4), valSet()
	if _, err := Run(t.Context(), c, o); !errors.Is(err, ErrConfig) {
		t.Errorf("with validation data too: %v", err)
	}
	c.Val = "x"
	if err := c.Check(); !errors.Is(err, ErrConfig) {
		t.Errorf("with val too: %v", err)
	}
}
