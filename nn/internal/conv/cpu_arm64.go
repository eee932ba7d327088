//go:build !noasm

package conv

import "github.com/augmix-go/augmix/internal/cpu"

// level is the instruction set New and Gemm take. Tests lower it.
var level = cpu.Select("convolution", cpu.NEON)

var isas = [...]*isa{
	cpu.Plain: &plainISA,
	cpu.NEON:  {level: cpu.NEON, lanes: 4, vectors: 4},
}

func runTile(isa *isa, t *tile) {
	switch {
	case isa.level == cpu.Plain:
		tilePlain(t)
	case t.cols < isa.lanes:
		t.narrow()
	default:
		t.neon()
	}
}

func runOuter(isa *isa, o *outer) {
	if isa.level == cpu.NEON && o.cols >= isa.lanes {
		o.neon()
	} else {
		outerPlain(o)
	}
}

// The last vector of a row is moved back to end with the columns, where it overlaps the one before with the same sums. What is
// ahead is not fetched: whether that helps would have to be measured.

func (t *tile) neon() {
	var bias *float32
	if t.bias != nil {
		bias = &t.bias[0]
	}
	add := 0
	if t.add {
		add = 1
	}
	tail := 4 * (t.cols - 4)
	var shift [16]uint8
	for i := range shift {
		shift[i] = uint8(tail - 16*(t.vectors-2) + i)
	}
	tileNEON(&t.a[0], &t.aOff[0], &t.cOff[0], &t.taps[0], &t.taps[len(t.taps)-1], t.kc, &t.b[0], &t.c[0], bias,
		len(t.aOff), t.vectors, add, tail, &shift)
}

// narrow does a tile of less than a vector, some pixels at a time.
func (t *tile) narrow() {
	var sums [maxRows * 4]float32
	for p := 0; p < len(t.aOff); p += maxRows {
		n := min(maxRows, len(t.aOff)-p)
		whole := tile{
			a: t.a, aOff: t.aOff[p : p+n], taps: t.taps, kc: t.kc, b: t.b, c: sums[:], cOff: fours[:n], cols: 4, vectors: 1,
		}
		whole.neon()
		for i := range n {
			t.finish(p+i, (*[4]float32)(sums[4*i:]))
		}
	}
}

// fours is where vectors begin that follow each other.
var fours = func() (off [maxRows]int32) {
	for i := range off {
		off[i] = int32(4 * i)
	}
	return off
}()

func (o *outer) neon() {
	outerNEON(&o.a[0], &o.b[0], &o.c[0], o.n, o.rows, o.images,
		4*o.aStep, 4*(o.aRow-o.n*o.aStep), 4*(o.aPic-o.rows*o.aRow),
		4*o.bStep, 4*(o.bRow-o.n*o.bStep), 4*(o.bPic-o.rows*o.bRow),
		o.m, 4*o.ldc, o.vectors, 4*(o.cols-4))
}

// runStrip is not called here: no instruction set has strips.
func runStrip(*isa, *strip) {}
