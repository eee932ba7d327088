//go:build !noasm

package softmax

import "github.com/augmix-go/augmix/internal/cpu"

// level is the instruction set in use. Tests lower it.
var level = cpu.Select("softmax", cpu.NEON)

func scanVector[F Float](row []F, a *scanned) int {
	n := whole(row)
	if n == 0 {
		return 0
	}
	if p, q := pointers(row); wide[F]() {
		scan64NEON(q, n, a)
	} else {
		scan32NEON(p, n, a)
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
	case wide[F]() && near:
		near64NEON(q, n, skip, top, a)
	case wide[F]():
		exp64NEON(q, n, skip, top, a)
	case near:
		near32NEON(p, n, skip, top, a)
	default:
		exp32NEON(p, n, skip, top, a)
	}
	return true
}

func countVector[F Float](row []F, v float64) (n, count int) {
	n = whole(row)
	if n == 0 {
		return 0, 0
	}
	if p, q := pointers(row); wide[F]() {
		count = count64NEON(q, n, v)
	} else {
		count = count32NEON(p, n, v)
	}
	return n, count
}

// firstVector returns the index of what was found, or how many elements were searched.
func firstVector[F Float](row []F, v float64) (n int, found bool) {
	n = whole(row)
	if n == 0 {
		return 0, false
	}
	i := 0
	if p, q := pointers(row); wide[F]() {
		i = first64NEON(q, n, v)
	} else {
		i = first32NEON(p, n, v)
	}
	return i, i < n
}

// peakVector does blocks of sixteen.
func peakVector(row []float32, a *peaked) int {
	n := len(row) &^ (2*lanes - 1)
	if level == cpu.Plain || n == 0 {
		return 0
	}
	peak32NEON(&row[0], n, a)
	return n
}
