package kernel

import (
	"encoding/binary"
	"slices"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// cosines are the sums of libjpeg's constants by which the inverse transform multiplies odd inputs, a row for each odd part, and
// inputs 2 and 6; the last is 1. All have 13 fractional bits. Products of sums are sums of products, as nothing overflows.
var cosines = func() [7][4]int {
	const all = 9633 // of the inputs together
	const a, b, c, d = -7373, -20995, -16069, -3196
	return [7][4]int{
		{all + a, all + c, all, 2446 + all + a + c}, // inputs 1, 3, 5, 7
		{all + d, all + b, 16819 + all + b + d, all},
		{all, 25172 + all + b + c, all + b, all + c},
		{12299 + all + a + d, all, all + d, all + a},
		{4433 + 6270, 4433}, // inputs 2, 6
		{4433, 4433 - 15137},
		{1 << 13, -1 << 13},
	}
}()

// idct is one pass of the inverse transform: eight lanes of eight registers, sixteen bits each.
type idct struct {
	f        *Func
	constant func(v int) Element
	e        []Vec
	odd, sum Vec
}

func newIDCT(f *Func) *idct {
	var list []int
	for _, row := range cosines {
		list = append(list, row[:]...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	bytes := make([]byte, 48)
	for i, v := range list {
		binary.LittleEndian.PutUint16(bytes[2*i:], uint16(v))
	}
	p, held := f.Constant("cosines", bytes), f.Vecs(3)
	f.LD1(H8s(held), Ptr(p, 0))
	f.Free(p)
	constant := func(v int) Element {
		i := slices.Index(list, v)
		return held[i/8].At(H, i%8)
	}
	return &idct{f, constant, f.Vecs(4), f.Vec(), f.Vec()}
}

// dot is the sum of products with constants.
func (t *idct) dot(d Vec, in []Lanes, by []int) {
	for i, x := range in {
		if i == 0 {
			t.f.SMULLE(d.S4(), x, t.constant(by[i]))
		} else {
			t.f.SMLALE(d.S4(), x, t.constant(by[i]))
		}
	}
}

// pass leaves the rounded results in out: narrow takes those of four lanes. bias is added to the sums.
func (t *idct) pass(out, in []Vec, bias *Vec, narrow func(to Lanes, sum Lanes)) {
	f, one := t.f, cosines[6]
	for _, half := range []func(Vec) Lanes{Vec.H4, Vec.H8} {
		at := func(list ...int) (l []Lanes) {
			for _, i := range list {
				l = append(l, half(in[i]))
			}
			return l
		}
		e := t.e
		t.dot(e[0], at(0, 4), []int{one[0], one[0]})
		t.dot(e[1], at(0, 4), one[:2])
		if bias != nil {
			f.ADD(e[0].S4(), e[0].S4(), bias.S4())
			f.ADD(e[1].S4(), e[1].S4(), bias.S4())
		}
		for i := range 2 {
			t.dot(t.sum, at(2, 6), cosines[4+i][:2])
			f.SUB(e[3-i].S4(), e[i].S4(), t.sum.S4())
			f.ADD(e[i].S4(), e[i].S4(), t.sum.S4())
		}
		for i, even := range e {
			t.dot(t.odd, at(1, 3, 5, 7), cosines[3-i][:])
			f.ADD(t.sum.S4(), even.S4(), t.odd.S4())
			narrow(half(out[i]), t.sum.S4())
			f.SUB(t.sum.S4(), even.S4(), t.odd.S4())
			narrow(half(out[7-i]), t.sum.S4())
		}
	}
}

// transpose swaps rows and columns of eight registers of eight lanes, leaving them in to.
func transpose(f *Func, to, v []Vec) {
	for i := 0; i < 8; i += 2 {
		f.TRN1(to[i].H8(), v[i].H8(), v[i+1].H8())
		f.TRN2(to[i+1].H8(), v[i].H8(), v[i+1].H8())
	}
	for _, i := range []int{0, 1, 4, 5} {
		f.TRN1(v[i].S4(), to[i].S4(), to[i+2].S4())
		f.TRN2(v[i+2].S4(), to[i].S4(), to[i+2].S4())
	}
	for i := range 4 {
		f.TRN1(to[i].D2(), v[i].D2(), v[i+4].D2())
		f.TRN2(to[i+4].D2(), v[i].D2(), v[i+4].D2())
	}
}

// inverseBlock: even columns come before odd ones until they are registers.
func inverseBlock(file *File) {
	f := file.Func("inverseBlockNEON", "(dst *byte, stride int, w *[32]int64) (far uint64)",
		"inverseBlockNEON is InverseBlock. far is 2^14 more than the largest result of the first pass; where it exceeds 2^15, dst is untouched.")
	dst, stride, w, far, done := f.Load("dst"), f.Load("stride"), f.Load("w"), f.Reg(), f.NewLabel()
	t, a, b := newIDCT(f), f.Vecs(8), f.Vecs(8)
	borrow, x, y := f.FillWith(D, 1<<31), f.Vec(), f.Vec()
	for _, v := range a {
		f.LDP(x, y, Post(w, 32))
		f.UZP1(v.S4(), x.S4(), y.S4())
		f.ADD(x.D2(), x.D2(), borrow.D2()) // a negative lower half has borrowed from the upper one
		f.ADD(y.D2(), y.D2(), borrow.D2())
		f.UZP2(x.S4(), x.S4(), y.S4())
		f.UZP1(v.H8(), v.H8(), x.H8())
	}
	f.Free(borrow, x, y)
	t.inverse(a, b, dst, stride, far, [8]int{0, 4, 1, 5, 2, 6, 3, 7}, func() {
		f.Return("far", far)
		f.Go("CMP $0x8000, %v", far)
		f.Go("BHI %s", done)
	})
	f.Label(done)
}

// inverse is the inverse transform of a block of coefficients, the rows a, whose columns 0 to 7 come at the places columns, into
// rows of bytes from dst on, which moves by them. far is then 2^14 more than the largest result of the first pass: check leaves
// where that is too much. b is lost.
func (t *idct) inverse(a, b []Vec, dst, stride, far Reg, columns [8]int, check func()) {
	f := t.f
	t.pass(b, a, nil, func(to, sum Lanes) { f.SQRSHRN(to, sum, 11) })
	bound, most, v := f.FillWith(H, 1<<14), f.Vec(), f.Vec()
	f.ZERO(most)
	for _, row := range b {
		f.ADD(v.H8(), row.H8(), bound.H8())
		f.UMAX(most.H8(), most.H8(), v.H8())
	}
	f.UMAXV(most, most.H8())
	f.UMOV(far, most.At(H, 0))
	check()
	f.Free(bound, most, v)
	transpose(f, a, b)
	bias, ordered := f.FillWith(S, 128<<18+1<<17), make([]Vec, 8)
	for c, place := range columns {
		ordered[c] = a[place]
	}
	t.pass(b, ordered, &bias, func(to, sum Lanes) { f.SQSHRUN(to, sum, 16) })
	f.Free(bias)
	for _, column := range b {
		f.UQSHRN(column.B8(), column.H8(), 2)
	}
	for i := range 4 {
		f.ZIP1(a[i].B16(), b[i].B16(), b[i+4].B16())
	}
	for i := range 2 {
		f.ZIP1(b[i].B16(), a[i].B16(), a[i+2].B16())
		f.ZIP2(b[i+2].B16(), a[i].B16(), a[i+2].B16())
	}
	for i := 0; i < 4; i += 2 {
		f.ZIP1(a[i].B16(), b[i].B16(), b[i+1].B16())
		f.ZIP2(a[i+1].B16(), b[i].B16(), b[i+1].B16())
	}
	for row := range 8 {
		f.ST1E(a[row/2].At(D, row%2), Ptr(dst, 0))
		f.Go("ADD %v, %v", stride, dst)
	}
}
