package data_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/rng"
)

// Shuffle gives every sample once, with its own label, in an order that depends on the key alone.
func TestShuffle(t *testing.T) {
	key := rng.NewKey(7).Str("shuffle")
	shuffled := func(key rng.Key) data.Source {
		t.Helper()
		src, err := data.Shuffle(&numbers{n: 100}, key)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	got := keys(t, shuffled(key))
	if !slices.Equal(got, keys(t, shuffled(key))) {
		t.Error("the same key gives another order")
	}
	if slices.Equal(got, keys(t, shuffled(key.Uint(1)))) || slices.IsSorted(got) {
		t.Error("another key gives the same order, or none is drawn")
	}
	var s data.Sample
	all := shuffled(key).(data.Indexed)
	for i, k := range got {
		if err := all.Read(i, &s); err != nil || s.Key != k || s.Index != i {
			t.Errorf("sample %d is %q at %d (%v), want %q", i, s.Key, s.Index, err, k)
		}
		n := 0
		if _, err := fmt.Sscanf(k, "k%d", &n); err != nil || s.Label != n%2 || s.Data[0] != byte(n) {
			t.Errorf("%s has label %d and pixel %d", k, s.Label, s.Data[0])
		}
	}
	if slices.Sort(got); !slices.Equal(got, keys(t, &numbers{n: 100})) {
		t.Error("not every sample comes once")
	}
	// Of a limited source the same samples, in another order.
	limited, err := data.Shuffle(data.Limit(&numbers{n: 100}, 10), key)
	if err != nil {
		t.Fatal(err)
	}
	got = keys(t, limited)
	if slices.Sort(got); !slices.Equal(got, keys(t, data.Limit(&numbers{n: 100}, 10))) {
		t.Errorf("of ten: %q", got)
	}
	if _, err := data.Shuffle(stream{&numbers{n: 3}}, key); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("a stream: %v", err)
	}
}
