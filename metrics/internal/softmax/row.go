package softmax

import (
	"math"
	"slices"
	"unsafe"
)

// Float is the element type of a row.
type Float interface{ ~float32 | ~float64 }

const lanes = 8

// Stats says what a pass over a row found. With a NaN in the row Sum and Squares are NaN, and Max and Min are those
// of the rest.
type Stats struct{ Max, Min, Sum, Squares float64 }

// scanned holds a Stats for each lane.
type scanned struct{ max, min, sum, squares [lanes]float64 }

// Peak returns the largest element of a row (minus infinity of an empty one), and least, below which there is none. ok says that no
// element is NaN or beyond the range of float32.
func Peak[F Float](row []F) (top, least float64, ok bool) {
	if wide[F]() {
		s := Scan(row)
		return s.Max, s.Min, s.Max <= math.MaxFloat32 && s.Min >= -math.MaxFloat32 && !math.IsNaN(s.Sum)
	}
	return peak32(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(row))), len(row)))
}

func peak32(row []float32) (top, least float64, ok bool) {
	var a peaked
	for j := range a.max {
		a.max[j] = float32(math.Inf(-1))
	}
	n := peakVector(row, &a)
	for j, v := range row[n:] {
		if v > a.max[j%lanes] {
			a.max[j%lanes] = v
		}
		a.size[j%lanes] = max(a.size[j%lanes], size(v))
	}
	m := a.max[0]
	for _, v := range a.max {
		if v > m {
			m = v
		}
	}
	largest := slices.Max(a.size[:])
	return float64(m), -float64(math.Float32frombits(largest)), largest <= size(math.MaxFloat32)
}

// size orders float32 by their distance from zero: then infinity, then NaN.
func size(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) }

// peaked holds the largest element and the largest size of each lane.
type peaked struct {
	max  [2 * lanes]float32
	size [2 * lanes]uint32
}

// Scan returns the extremes of a row (minus and plus infinity of an empty one), its sum and its sum of squares.
func Scan[F Float](row []F) Stats {
	var a scanned
	for j := range lanes {
		a.max[j], a.min[j] = math.Inf(-1), math.Inf(1)
	}
	n := scanVector(row, &a)
	for j, f := range row[n:] {
		v, j := float64(f), j%lanes
		if v > a.max[j] {
			a.max[j] = v
		}
		if v < a.min[j] {
			a.min[j] = v
		}
		a.sum[j] += v
		a.squares[j] += float64(v * v)
	}
	s := Stats{a.max[0], a.min[0], fold(&a.sum), fold(&a.squares)}
	for j := range lanes {
		if a.max[j] > s.Max {
			s.Max = a.max[j]
		}
		if a.min[j] < s.Min {
			s.Min = a.min[j]
		}
	}
	return s
}

// fold adds up lanes in the order of a tree.
func fold(s *[lanes]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// summed holds sums of elements, of exponentials and of their squares for each lane.
type summed struct{ total, sum, squares [lanes]float64 }

// ExpSums returns the sum of a row, and the sums of [Exp] of v-top and of its square over all v but the one at index skip. top is
// at least every v, and least at most, as [Peak] says; minus infinity always is. skip is an index of the row.
func ExpSums[F Float](row []F, skip int, top, least float64) (total, sum, squares float64) {
	var a summed
	whole := len(row) &^ (lanes - 1)
	expBlocks(row[:whole], skip, top, least, &a)
	if whole < len(row) {
		expPart(row[whole:], skip-whole, top, &a)
	}
	return fold(&a.total), fold(&a.sum), fold(&a.squares)
}

// expPart adds less than a block. Minus infinity, whose exponential counts as 0, fills the gap.
func expPart[F Float](part []F, skip int, top float64, a *summed) {
	none := F(math.Inf(-1))
	block := [lanes]F{none, none, none, none, none, none, none, none}
	copy(block[:], part)
	total := a.total
	expBlocks(block[:], skip, top, math.Inf(-1), a)
	for j, v := range part {
		total[j] += float64(v)
	}
	a.total = total
}

// expBlocks adds whole blocks. An index skip that is none of the row's skips nothing.
func expBlocks[F Float](row []F, skip int, top, least float64, a *summed) {
	if expVector(row, skip, top, least-top >= Floor, a) {
		return
	}
	for i, v := range row {
		j := i % lanes
		a.total[j] += float64(v)
		if i != skip {
			e := Exp(float64(v) - top)
			a.sum[j] += e
			a.squares[j] = math.FMA(e, e, a.squares[j])
		}
	}
}

// CountFrom returns how many elements of a row are at least v.
func CountFrom[F Float](row []F, v float64) int {
	n, count := countVector(row, v)
	for _, f := range row[n:] {
		if float64(f) >= v {
			count++
		}
	}
	return count
}

// First returns the index of the first element that is at least v, or the length of the row.
func First[F Float](row []F, v float64) int {
	n, found := firstVector(row, v)
	if found {
		return n
	}
	for i, f := range row[n:] {
		if float64(f) >= v {
			return n + i
		}
	}
	return len(row)
}

// wide reports whether F has 64 bits.
func wide[F Float]() bool {
	var v F
	return unsafe.Sizeof(v) == 8
}
