package eval

import (
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestOrder: the order of classes is told whatever their numbers are.
func TestOrder(t *testing.T) {
	sum := func(labels ...int) string {
		var o order
		for _, l := range labels {
			o.add(l)
		}
		var r results.Row
		o.mark(&r)
		return r.Versions[results.VersionOrder]
	}
	if a, b := sum(3, 7, 3, 0), sum(1, 0, 1, 2); a != b || a == "" {
		t.Errorf("other numbers: %s, %s", a, b)
	}
	for _, other := range [][]int{{3, 3, 7, 0}, {3, 7, 3}, {3, 7, 3, 0, 0}} {
		if sum(other...) == sum(3, 7, 3, 0) {
			t.Errorf("%v has the order of others", other)
		}
	}
	if sum() != "" {
		t.Error("no images have an order")
	}
}
