//go:build !noasm

package softmax

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

// level is the instruction set in use. Tests lower it.
var level = cpu.Select("softmax", cpu.AVX2, cpu.AVX512)

func scanVector[F Float](row []F, a *scanned) int {
	n := whole(row)
	if n == 0 {
		return 0
	}
	switch p, q := pointers(row); {
	case level == cpu.AVX512 && wide[F]():
		scan64AVX512(q, n, a)
	case level == cpu.AVX512:
		scan32AVX512(p, n, a)
	case wide[F]():
		scan64AVX2(q, n, a)
	default:
		scan32AVX2(p, n, a)
	}
	return n
}

// expVector adds all of a row or nothing. near says that no term lies below the floor.
func expVector[F Float](row []F, skip int, top float64, near bool, a *summed) bool {
	n := whole(row)
	if n == 0 {
		return len(row) == 0
	}
	switch p, q := pointers(row); {
	case level == cpu.AVX512 && wide[F]() && near:
		near64AVX512(q, n, skip, top, a)
	case level == cpu.AVX512 && wide[F]():
		exp64AVX512(q, n, skip, top, a)
	case level == cpu.AVX512 && near:
		near32AVX512(p, n, skip, top, a)
	case level == cpu.AVX512:
		exp32AVX512(p, n, skip, top, a)
	case wide[F]() && near:
		near64AVX2(q, n, skip, top, a)
	case wide[F]():
		exp64AVX2(q, n, skip, top, a)
	case near:
		near32AVX2(p, n, skip, top, a)
	default:
		exp32AVX2(p, n, skip, top, a)
	}
	return true
}

func countVector[F Float](row []F, v float64) (n, count int) {
	n = whole(row)
	if n == 0 {
		return 0, 0
	}
	switch p, q := pointers(row); {
	case !wide[F]():
		count = count32AVX2(p, n, narrowed(v))
	case level == cpu.AVX512:
		count = count64AVX512(q, n, v)
	default:
		count = count64AVX2(q, n, v)
	}
	return n, count
}

// firstVector returns the index of what was found, or how many elements were searched.
func firstVector[F Float](row []F, v float64) (n int, found bool) {
	n = whole(row)
	if n == 0 {
		return 0, false
	}
	var i int
	switch p, q := pointers(row); {
	case !wide[F]():
		i = first32AVX2(p, n, narrowed(v))
	case level == cpu.AVX512:
		i = first64AVX512(q, n, v)
	default:
		i = first64AVX2(q, n, v)
	}
	return i, i < n
}

// narrowed returns the smallest float32 that is at least v: as many float32 values are at least the one as the other.
func narrowed(v float64) float32 {
	f := float32(v)
	if float64(f) < v {
		f = math.Nextafter32(f, float32(math.Inf(1)))
	}
	return f
}

// peakVector does blocks of sixteen. The last one may overlap the one before it, as an element that comes twice changes nothing.
func peakVector(row []float32, a *peaked) int {
	n := len(row) &^ (2*lanes - 1)
	if level == cpu.Plain || n == 0 {
		return 0
	}
	peakBlocks(row[:n], a)
	if n < len(row) {
		peakBlocks(row[len(row)-2*lanes:], a)
	}
	return len(row)
}

func peakBlocks(row []float32, a *peaked) {
	if level == cpu.AVX512 {
		peak32AVX512(&row[0], len(row), a)
	} else {
		peak32AVX2(&row[0], len(row), a)
	}
}
