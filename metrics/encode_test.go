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
