package conv

import "unsafe"

// An ahead is memory that the next chunk will read, fetched into the second-level cache bit by bit while this one is
// computed: the processor's own prefetching does not see through the order in which the inner loops read. It may lie
// behind the end of an image, where the caller's next one most likely is; fetching never fails.
type ahead struct {
	at   uintptr
	step int // bytes for every four terms of a tile's sums, or for every pixel of an outer
}

// aheadOf fetches bytes, from float i on of s, in a number of steps.
func aheadOf(s []float32, i, bytes, steps int) ahead {
	return ahead{uintptr(unsafe.Pointer(&s[0])) + 4*uintptr(i), min(bytes/max(steps, 1)+1, 128)}
}
