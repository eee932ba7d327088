//go:build !noasm

package conv

import (
	"unsafe"

	"github.com/augmix-go/augmix/internal/cpu"
)

// level is the instruction set New and Gemm take. Tests lower it.
var level = cpu.Select("convolution", cpu.AVX2, cpu.AVX512)

var avx2ISA = isa{level: cpu.AVX2, lanes: 8, vectors: 2, fours: true, strips: true}

var isas = [...]*isa{
	cpu.Plain:  &plainISA,
	cpu.AVX2:   &avx2ISA,
	cpu.AVX512: {level: cpu.AVX512, lanes: 16, vectors: 3, half: &avx2ISA, fours: true, strips: true},
}

func runTile(isa *isa, t *tile) {
	switch isa.level {
	case cpu.AVX512:
		tileAVX512(t)
	case cpu.AVX2:
		tileAVX2(t)
	default:
		tilePlain(t)
	}
}

func runOuter(isa *isa, o *outer) {
	switch isa.level {
	case cpu.AVX512:
		outerAVX512(o)
	case cpu.AVX2:
		outerAVX2(o)
	default:
		outerPlain(o)
	}
}

// asm converts a tile of full vectors of the given number of lanes. There is at least one pixel, tap and column.
func (t *tile) asm(lanes int) tileArgs {
	args := tileArgs{
		a: &t.a[0], aOff: &t.aOff[0], cOff: &t.cOff[0], taps: &t.taps[0], kc: t.kc,
		last: &t.taps[len(t.taps)-1], ahead: t.ahead.or(t.a), aheadStep: t.ahead.step,
		b: &t.b[0], c: &t.c[0], n: len(t.aOff),
	}
	if t.bias != nil {
		args.bias = &t.bias[0]
	}
	if t.add {
		args.add = 1
	}
	args.mask, args.lanes = lastLanes(t.cols, t.vectors, lanes)
	return args
}

// or is where to fetch from; where nothing is wanted, something that is there anyway, as looking for address 0 takes
// long.
func (a ahead) or(s []float32) uintptr {
	if a.at == 0 {
		return uintptr(unsafe.Pointer(&s[0]))
	}
	return a.at
}

// lastLanes returns which lanes of the last vector of some columns are in use, as bits and as integers.
func lastLanes(cols, vectors, lanes int) (bits uint64, ints [8]int32) {
	used := cols - (vectors-1)*lanes
	for i := range min(used, len(ints)) {
		ints[i] = -1
	}
	return 1<<used - 1, ints
}

func tileAVX512(t *tile) {
	args := t.asm(16)
	switch {
	case t.fours:
		foursAVX512(&args)
	case t.vectors == 1:
		tile1AVX512(&args)
	case t.vectors == 2:
		tile2AVX512(&args)
	default:
		tile3AVX512(&args)
	}
	t.ahead.at = args.ahead
}

func tileAVX2(t *tile) {
	args := t.asm(8)
	switch {
	case t.fours:
		foursAVX2(&args)
	case t.vectors == 1:
		tile1AVX2(&args)
	default:
		tile2AVX2(&args)
	}
	t.ahead.at = args.ahead
}

func runStrip(isa *isa, s *strip) {
	args := stripArgs{
		a: &s.a[0], off: s.off, runs: &s.runs[0], last: &s.runs[len(s.runs)-1], pitch: 4 * s.pitch, b: &s.b[0], c: &s.sums[0],
	}
	if isa.level == cpu.AVX512 {
		stripAVX512(&args)
	} else {
		stripAVX2(&args)
	}
}

func (o *outer) asm(lanes int) outerArgs {
	args := outerArgs{
		a: &o.a[0], b: &o.b[0], c: &o.c[0], n: o.n, rows: o.rows, images: o.images,
		aStep: 4 * o.aStep, aRow: 4 * (o.aRow - o.n*o.aStep), aPic: 4 * (o.aPic - o.rows*o.aRow),
		bStep: 4 * o.bStep, bRow: 4 * (o.bRow - o.n*o.bStep), bPic: 4 * (o.bPic - o.rows*o.bRow),
		m: o.m, ldc: 4 * o.ldc,
		aheadA: o.aheadA.or(o.a), aheadStepA: o.aheadA.step, aheadB: o.aheadB.or(o.b), aheadStepB: o.aheadB.step,
	}
	args.mask, args.lanes = lastLanes(o.cols, o.vectors, lanes)
	return args
}

func outerAVX512(o *outer) {
	args := o.asm(16)
	switch o.vectors {
	case 1:
		outer1AVX512(&args)
	case 2:
		outer2AVX512(&args)
	default:
		outer3AVX512(&args)
	}
	o.aheadA.at, o.aheadB.at = args.aheadA, args.aheadB
}

func outerAVX2(o *outer) {
	args := o.asm(8)
	if o.vectors == 1 {
		outer1AVX2(&args)
	} else {
		outer2AVX2(&args)
	}
	o.aheadA.at, o.aheadB.at = args.aheadA, args.aheadB
}
