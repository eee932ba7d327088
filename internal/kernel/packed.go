package kernel

import "fmt"

// Runs sets dst[i] to the sum over k of sums[to[k]+i] - sums[from[k]+i]: where sums are running sums of numbers, that is the
// sum of several runs of them. Whatever is packed into the numbers, differences come out right as long as results fit.
func Runs(dst, sums []uint64, from, to []int) {
	if len(from) != len(to) {
		panic(fmt.Sprintf("kernel: %d starts and %d ends of runs", len(from), len(to)))
	}
	for k := range from {
		for _, at := range []int{from[k], to[k]} {
			if at < 0 || at > len(sums)-len(dst) {
				panic(fmt.Sprintf("kernel: a window of %d numbers at %d in %d", len(dst), at, len(sums)))
			}
		}
	}
	for i := runsVector(dst, sums, from, to); i < len(dst); i++ {
		var s uint64
		for k, at := range to {
			s += sums[at+i] - sums[from[k]+i]
		}
		dst[i] = s
	}
}

// AddBits adds to every dst[i] weight times the number in the bits shift…shift+width-1 of src[i], width at most 52, rounding
// the product and the sum. The slices have one length.
func AddBits(dst []float64, src []uint64, shift, width uint, weight float64) {
	if width > 52 || len(dst) != len(src) {
		panic(fmt.Sprintf("kernel: %d bits of each of %d words into %d numbers", width, len(src), len(dst)))
	}
	mask := uint64(1)<<width - 1
	for i := addBitsVector(dst, src, uint64(shift), mask, weight); i < len(dst); i++ {
		dst[i] += float64(float64(int64(src[i]>>shift&mask)) * weight)
	}
}
