package dataset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// labeled is a data set of classes of the given sizes whose samples come in the given order.
func labeled(sizes []int, backwards bool) *Set {
	d := &Set{}
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

func keysOf(d *Set) map[string]int {
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
		{[]int{100, 50, 10}, 0.1},
		{[]int{3, 3, 3, 3, 3, 3}, 0.1},
		{[]int{1, 1, 40}, 0.25},
		{[]int{5, 2}, 0.99},
		{[]int{7, 7, 7}, 0.5},
		{append(slices.Repeat([]int{1}, 40), 30), 0.1},
		{append(slices.Repeat([]int{1}, 200), 30), 0.1},
		{append(slices.Repeat([]int{1}, 100), 50, 34, 3), 0.5},
		{append(slices.Repeat([]int{1}, 9), 4), 0.1},
	} {
		d := labeled(c.sizes, false)
		train, val, err := d.HoldOut(t.Context(), c.share, 0)
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
	held := func(d *Set, seed uint64) map[string]int {
		_, val, err := d.HoldOut(t.Context(), 0.2, seed)
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

	memory, err := Load(t.Context(), newFiles(t, 60), math.MaxInt64, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := memory.HoldOut(t.Context(), 0.25, 3)
	if err != nil {
		t.Fatal(err)
	}
	src := newFiles(t, 60)
	_, got, err := (&Set{info: src.Info(), n: src.Len(), source: src}).HoldOut(t.Context(), 0.25, 3)
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
	if _, _, err := labeled([]int{1, 1, 1}, false).HoldOut(t.Context(), 0.5, 0); !errors.Is(err, ErrShare) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, _, err := labeled([]int{9, 9}, false).HoldOut(ctx, 0.5, 0); !errors.Is(err, cause) {
		t.Error(err)
	}
}
