package rng

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/kernel"
)

// TestFill: Fill and FillNormal32, which run ahead of the stream, give what single draws give and leave the stream where those
// leave it.
func TestFill(t *testing.T) {
	const block = kernel.PCGBlock
	kernel.EachLevel(func(name string) {
		for _, n := range []int{0, 1, 2, 7, 2*block - 1, 2 * block, 2*block + 2, 40000} {
			a, b := New(uint64(n)), New(uint64(n))
			got, want := make([]uint64, n), make([]uint64, n)
			a.Fill(got)
			for i := range want {
				want[i] = b.Uint64()
			}
			if !slices.Equal(got, want) || *a != *b {
				t.Errorf("%s: %d words differ from single ones", name, n)
			}
			numbers, single := make([]float32, n), make([]float32, n)
			a.FillNormal32(numbers)
			for i := 0; i < n; i += 2 {
				u := b.Uint64()
				single[i] = b.normal32(uint32(u))
				if i+1 < n {
					single[i+1] = b.normal32(uint32(u >> 32))
				}
			}
			if !slices.Equal(numbers, single) || *a != *b {
				t.Errorf("%s: %d normal numbers differ from single ones", name, n)
			}
		}
	})
}
