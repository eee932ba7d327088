package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func checkGemm(m, n, k int, transA, transB, add bool) error {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	dst, ok1 := guarded(r, m*n)
	a, ok2 := guarded(r, m*k)
	b, ok3 := guarded(r, k*n)
	want, size := make([]float64, m*n), make([]float64, m*n)
	for i := range m {
		for j := range n {
			s, z := 0.0, 0.0
			if add {
				s = float64(dst[i*n+j])
				z = math.Abs(s)
			}
			for l := range k {
				x, y := i*k+l, l*n+j
				if transA {
					x = l*m + i
				}
				if transB {
					y = j*k + l
				}
				p := float64(a[x]) * float64(b[y])
				s += p
				z += math.Abs(p)
			}
			want[i*n+j], size[i*n+j] = s, z
		}
	}
	Gemm(dst, a, b, m, n, k, transA, transB, add)
	if err := closeTo(dst, want, size); err != nil {
		return err
	}
	if !ok1() || !ok2() || !ok3() {
		return fmt.Errorf("a buffer was written outside its bounds")
	}
	return nil
}

func TestGemm(t *testing.T) {
	sizes := [][3]int{
		{1, 1, 1}, {128, 10, 128}, {10, 128, 128}, {3, 1000, 700}, {65, 49, 300}, {0, 3, 2}, {3, 0, 2}, {3, 2, 0},
	}
	eachLevel(t, func(t *testing.T) {
		for bits := range 8 {
			for _, s := range sizes {
				if err := checkGemm(s[0], s[1], s[2], bits&1 > 0, bits&2 > 0, bits&4 > 0); err != nil {
					t.Errorf("%v, flags %03b: %v", s, bits, err)
				}
			}
		}
		rapid.Check(t, func(r *rapid.T) {
			size := rapid.IntRange(0, 100)
			m, n, k := size.Draw(r, "m"), size.Draw(r, "n"), rapid.IntRange(0, 600).Draw(r, "k")
			flag := rapid.Bool()
			transA, transB, add := flag.Draw(r, "transA"), flag.Draw(r, "transB"), flag.Draw(r, "add")
			if err := checkGemm(m, n, k, transA, transB, add); err != nil {
				r.Fatal(err)
			}
		})
	})
}

// A row of a product has the same bits alone as among others, whichever way the product is computed.
func TestGemmRows(t *testing.T) {
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for bits := range 4 {
			const m, n, k = 70, 60, 600
			transB, add := bits&1 > 0, bits&2 > 0
			all, _ := guarded(r, m*n)
			a, _ := guarded(r, m*k)
			b, _ := guarded(r, k*n)
			some := slices.Clone(all)
			Gemm(all, a, b, m, n, k, false, transB, add)
			Gemm(some[:20*n], a[:20*k], b, 20, n, k, false, transB, add)
			Gemm(some[20*n:], a[20*k:], b, 50, n, k, false, transB, add)
			if !slices.Equal(all, some) {
				t.Errorf("transB %v, add %v: rows in parts have other bits", transB, add)
			}
		}
	})
}
