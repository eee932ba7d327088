package rng

import "math"

// Sign returns -1 or +1, each with probability one half.
func (r *Rand) Sign() float64 {
	// No branch, which would be mispredicted half of the time.
	return math.Float64frombits(math.Float64bits(1) | ^r.Uint64()&(1<<63))
}

// Perm fills dst with the numbers 0 to len(dst)-1 in an order that is uniform among all.
func (r *Rand) Perm(dst []int) {
	for i := range dst {
		j := r.IntN(i + 1)
		dst[i] = dst[j]
		dst[j] = i
	}
}

// Shuffle brings n elements into an order that is uniform among all; swap exchanges elements i and j. It panics for a
// negative n.
func (r *Rand) Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic("rng: Shuffle of a negative number of elements")
	}
	for i := n - 1; i > 0; i-- {
		swap(i, r.IntN(i+1))
	}
}
