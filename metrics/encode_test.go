package metrics_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/metrics"
)

// A mean that was encoded halfway is that of all numbers, and has the bytes of any other order.
func TestMeanBinary(t *testing.T) {
	numbers := []float64{1e300, -3, 0.1, -1e300, math.SmallestNonzeroFloat64, 7e-20, -0.25}
	var forth, back metrics.Mean
	for i, x := range numbers {
		if err := errors.Join(forth.Add(x), back.Add(numbers[len(numbers)-1-i])); err != nil {
			t.Fatal(err)
		}
		text, err := forth.MarshalBinary()
		forth = metrics.Mean{}
		if err := errors.Join(err, forth.UnmarshalBinary(text)); err != nil {
			t.Fatal(err)
		}
	}
	a, err := forth.MarshalBinary()
	b, err2 := back.MarshalBinary()
	if err != nil || err2 != nil || !bytes.Equal(a, b) || forth.N() != 7 {
		t.Error("the bytes depend on the order")
	}
	x, _ := forth.Value()
	if y, _ := back.Value(); x != y {
		t.Errorf("%v, %v", x, y)
	}
	if err := forth.UnmarshalBinary(a[1:]); !errors.Is(err, metrics.ErrLength) {
		t.Error(err)
	}
	a[8+7] = 0x80 // a limb below 0
	if err := forth.UnmarshalBinary(a); !errors.Is(err, metrics.ErrScore) {
		t.Error(err)
	}
}

// A sum that so many numbers cannot have is refused, and the largest that they can have is not.
func TestMeanBinaryRefuses(t *testing.T) {
	encoded := func(numbers ...float64) []byte {
		var m metrics.Mean
		for _, x := range numbers {
			if err := m.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	most := encoded(math.MaxFloat64, math.MaxFloat64)
	for name, c := range map[string]struct {
		bytes []byte
		at    int
		value byte
	}{
		"a sum of no numbers":       {encoded(), 8 + 4*8, 7},
		"the sum of two is one's":   {most, 0, 1},
		"the negative one":          {encoded(-math.MaxFloat64, -math.MaxFloat64), 0, 1},
		"a last limb beyond bounds": {encoded(1), len(most) - 2, 0x7f},
		"a last limb far below 0":   {encoded(-1), len(most) - 1, 0x80},
	} {
		var m metrics.Mean
		if err := m.UnmarshalBinary(c.bytes); err != nil {
			t.Errorf("%s: before the change: %v", name, err)
		}
		n := m.N()
		c.bytes = bytes.Clone(c.bytes)
		c.bytes[c.at] = c.value
		if err := m.UnmarshalBinary(c.bytes); !errors.Is(err, metrics.ErrScore) || m.N() != n {
			t.Errorf("%s: %v, %d numbers", name, err, m.N())
		}
	}
}
