package conv

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestPageEnds puts the end of every image, weight and gradient at the end of a page that no readable one follows:
// what reads or writes beyond crashes.
func TestPageEnds(t *testing.T) {
	var maps [][]byte
	heap := allocate
	defer func() {
		allocate = heap
		for _, m := range maps {
			if err := unix.Munmap(m); err != nil {
				t.Error(err)
			}
		}
	}()
	page := unix.Getpagesize()
	allocate = func(guard, n int) (all []float32, behind int) {
		size := (4*(guard+n) + page - 1) / page * page
		m, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		maps = append(maps, m)
		if err := unix.Mprotect(m[size:], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		whole := unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), size/4)
		return whole[len(whole)-guard-n:], 0
	}
	eachLevel(t, func(t *testing.T) {
		for i, s := range shapes {
			if err := checkShape(s, uint64(i), i%2 == 1, i%3 == 1); err != nil {
				t.Errorf("%+v: %v", s, err)
			}
		}
		r := rand.New(rand.NewPCG(1, 1))
		for bits := range 8 {
			m, n, k := 1+r.IntN(30), 1+r.IntN(60), 1+r.IntN(300)
			if err := checkGemm(m, n, k, bits&1 > 0, bits&2 > 0, bits&4 > 0); err != nil {
				t.Errorf("Gemm, flags %03b: %v", bits, err)
			}
		}
	})
}
