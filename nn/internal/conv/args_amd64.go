//go:build !noasm

package conv

// tileArgs is a tile as assembly reads it: offsets count floats, rows of b are whole vectors. The assembly changes
// aOff, cOff and n.
type tileArgs struct {
	a          *float32
	aOff, cOff *int32
	taps, last *tap // first and last tap
	kc         int
	b          *float32
	c          *float32
	bias       *float32 // nil: none
	n          int      // pixels
	add        int      // 1: add to c
	ahead      uintptr  // memory to fetch for later
	aheadStep  int      // bytes of it for every four terms
	mask       uint64   // AVX-512: which lanes of the last vector are columns
	lanes      [8]int32 // AVX2: the same, -1 for a column
}

// outerArgs is an outer as assembly reads it: steps and ldc count bytes. The steps of rows and images lead from
// behind the last pixel of one to the first of the next. The assembly changes a, c and m.
type outerArgs struct {
	a, b, c           *float32
	n, rows, images   int
	aStep, aRow, aPic int
	bStep, bRow, bPic int
	m, ldc            int
	mask              uint64
	lanes             [8]int32

	aheadA, aheadB         uintptr // memory to fetch for later
	aheadStepA, aheadStepB int     // bytes of it for every pixel
}

// stripArgs is a strip as assembly reads it. Offsets count floats; sums are [stripChannels][stripVectors][lanes].
type stripArgs struct {
	a          *float32
	off        [stripVectors]int
	runs, last *run // first and last run
	pitch      int  // bytes from a channel to the next
	b          *float32
	c          *float32
}
