// Package softmax writes the NEON assembly of package metrics/internal/softmax. Every function does n elements, a multiple of
// eight, in lanes of two, and gives the bits of the plain Go loop that its comment names.
package softmax

import (
	"encoding/binary"
	"fmt"
	"math"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// Generate returns all functions.
func Generate() *File {
	f := NewFile("softmax")
	for _, s := range []Size{S, D} {
		scan(f, row{s})
		exp(f, row{s}, "exp", true)
		exp(f, row{s}, "near", false)
		count(f, row{s})
		first(f, row{s})
	}
	peak(f)
	return f
}

// parts are the vectors of a block of eight numbers.
const parts = 4

// row says how long the elements of a row are.
type row struct{ size Size }

// begin starts a function; rest is what follows the row in its signature.
func (r row) begin(file *File, name, rest, doc string) (f *Func, src, n Reg) {
	bits := 8 << r.size
	name = fmt.Sprintf("%s%dNEON", name, bits)
	f = file.Func(name, fmt.Sprintf("(src *float%d, n int%s", bits, rest), name+" is "+doc)
	return f, f.Load("src"), f.Load("n")
}

// load reads the next two elements as float64.
func (r row) load(f *Func, v Vec, src Reg) {
	if r.size == D {
		f.LDR(Q, v, Post(src, 16))
		return
	}
	f.LDR(D, v, Post(src, 8))
	f.FCVTL(v.D2(), v.S2())
}

// fields reads a struct of arrays of eight numbers.
func fields(f *Func, p Reg, count int) [][]Vec {
	all := make([][]Vec, count)
	for k := range all {
		all[k] = f.Vecs(parts)
		for i, v := range all[k] {
			f.LDR(Q, v, Ptr(p, 64*k+16*i))
		}
	}
	return all
}

func storeFields(f *Func, p Reg, all [][]Vec) {
	for k := range all {
		for i, v := range all[k] {
			f.STR(Q, v, Ptr(p, 64*k+16*i))
		}
	}
}

func scan(file *File, r row) {
	f, src, n := r.begin(file, "scan", ", acc *scanned)", "the loop of Scan.")
	acc := f.Load("acc")
	a, v, t := fields(f, acc, 4), f.Vec(), f.Vec()
	f.Loop(n, 8, func() {
		for i := range parts {
			r.load(f, v, src)
			f.FCMGT(t.D2(), v.D2(), a[0][i].D2()) // a maximum would take NaN
			f.BIT(a[0][i], v, t)
			f.FCMGT(t.D2(), a[1][i].D2(), v.D2())
			f.BIT(a[1][i], v, t)
			f.FADD(a[2][i].D2(), a[2][i].D2(), v.D2())
			f.FMUL(t.D2(), v.D2(), v.D2())
			f.FADD(a[3][i].D2(), a[3][i].D2(), t.D2())
		}
	})
	storeFields(f, acc, a)
}

// peak does sixteen elements in a turn.
func peak(file *File) {
	f, src, n := row{S}.begin(file, "peak", ", acc *peaked)", "the loop of Peak for a multiple of 16 elements.")
	acc := f.Load("acc")
	a, v, t := fields(f, acc, 2), f.Vec(), f.Vec() // float32 and uint32, four of a vector
	f.Loop(n, 16, func() {
		for i, top := range a[0] {
			f.LDR(Q, v, Post(src, 16))
			f.FCMGT(t.S4(), v.S4(), top.S4()) // a maximum would take NaN
			f.BIT(top, v, t)
			f.FABS(v.S4(), v.S4())
			f.UMAX(a[1][i].S4(), a[1][i].S4(), v.S4())
		}
	})
	storeFields(f, acc, a)
}

// constants loads numbers two by two, and says where each is.
func constants(f *Func, name string, values ...uint64) []Element {
	var bytes []byte
	for _, v := range values {
		bytes = binary.LittleEndian.AppendUint64(bytes, v)
	}
	p := f.Constant(name, bytes)
	var all []Element
	for range len(values) / 2 {
		v := f.Vec()
		f.LDR(Q, v, Post(p, 16))
		all = append(all, v.At(D, 0), v.At(D, 1))
	}
	f.Free(p)
	return all
}

func bits(values ...float64) []uint64 {
	var all []uint64
	for _, v := range values {
		all = append(all, math.Float64bits(v))
	}
	return all
}

const steps = 8

// exp writes a loop with a floor or without.
func exp(file *File, r row, name string, floored bool) {
	doc := "the loop of expBlocks."
	if !floored {
		doc = "the loop of expBlocks where no term lies below the floor."
	}
	f, src, n := r.begin(file, name, ", skip int, top float64, acc *summed)", doc)
	acc := f.Load("acc")
	r.total(f, src, n, acc)
	f.Free(src, n)
	src, n = f.Load("src"), f.Load("n")
	f.Go("ADD $64, %v", acc)
	top, skip := f.Fill("top"), f.Fill("skip")
	index, two := f.Vec(), f.FillWith(D, 2)
	first := f.Constant("first", binary.LittleEndian.AppendUint64(make([]byte, 8), 1))
	f.LDR(Q, index, Ptr(first, 0))
	f.Free(first)
	fill := func(v float64) Vec { return f.FillWith(D, math.Float64bits(v)) }
	var floor Vec
	if floored {
		floor = fill(-345)
	}
	round := fill(0x1.8p52)
	c := constants(f, "exp", bits(
		1, 0x1.00000000000b9p+0, 0x1.000000000002ep-1, 0x1.55555547d35f6p-3, 0x1.5555554e945dbp-5, 0x1.1115c09afc4f5p-7,
		0x1.6c1b70f434f0fp-10, 0, steps/math.Ln2, math.Ln2/steps)...)
	scale, step := c[8], c[9]
	power := powers(f)
	a := fields(f, acc, 2)
	x, above, k, t, u := f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec()
	f.Loop(n, 8, func() {
		for i := range parts {
			r.load(f, x, src)
			f.FSUB(x.D2(), x.D2(), top.D2())
			if floored {
				f.FCMGE(above.D2(), x.D2(), floor.D2())
			}
			f.MOV(k, round)
			f.FMLAE(k.D2(), x.D2(), scale)
			f.FSUB(t.D2(), round.D2(), k.D2()) // minus n
			f.FMLAE(x.D2(), t.D2(), step)
			p, next := t, u
			f.DUP(p.D2(), c[5])
			f.FMLAE(p.D2(), x.D2(), c[6])
			for j := 4; j >= 0; j-- {
				f.DUP(next.D2(), c[j])
				f.FMLA(next.D2(), x.D2(), p.D2())
				p, next = next, p
			}
			power(k, next)
			f.FMUL(p.D2(), p.D2(), k.D2())
			if floored {
				f.AND(p, p, above)
			}
			f.CMEQ(k.D2(), index.D2(), skip.D2())
			f.BIC(p, p, k)
			f.ADD(index.D2(), index.D2(), two.D2())
			f.FADD(a[0][i].D2(), a[0][i].D2(), p.D2())
			f.FMLA(a[1][i].D2(), p.D2(), p.D2())
		}
	})
	storeFields(f, acc, a)
}

// total adds the elements to the first field, in a loop of its own: registers are too few for all three.
func (r row) total(f *Func, src, n, acc Reg) {
	a, v := fields(f, acc, 1), f.Vec()
	f.Loop(n, 8, func() {
		for _, sum := range a[0] {
			r.load(f, v, src)
			f.FADD(sum.D2(), sum.D2(), v.D2())
		}
	})
	storeFields(f, acc, a)
	f.Free(a[0], v)
}

// powers returns what replaces k, which holds n in its low bits, by 2^(n/8). t is working memory.
func powers(f *Func) func(k, t Vec) {
	p, table := f.Constant("roots", rootBytes()), f.Vecs(4)
	for _, v := range table {
		f.LDR(Q, v, Post(p, 16))
	}
	f.Free(p)
	// The bytes of a root are looked up each: its first byte is at eight times the lowest three bits of n.
	const each = 0x0101010101010101
	lowest, seven, byteOf := f.Vec(), f.FillWith(B, 7), f.FillWith(D, 0x0706050403020100)
	p = f.Constant("lowest", binary.LittleEndian.AppendUint64(make([]byte, 8), 8*each))
	f.LDR(Q, lowest, Ptr(p, 0))
	f.Free(p)
	return func(k, t Vec) {
		f.TBL(t, []Vec{k}, lowest)
		f.AND(t, t, seven)
		f.SHL(t.B16(), t.B16(), 3)
		f.ORR(t, t, byteOf)
		f.TBL(t, table, t)
		f.SHL(k.D2(), k.D2(), 49)
		f.ADD(k.D2(), k.D2(), t.D2())
	}
}

// rootBytes are 2^(i/8), correctly rounded, less i<<49: adding n<<49, of which i<<49 is a part, makes 2^(n/8).
func rootBytes() []byte {
	var b []byte
	for i, v := range []float64{
		1, 0x1.172b83c7d517bp0, 0x1.306fe0a31b715p0, 0x1.4bfdad5362a27p0, 0x1.6a09e667f3bcdp0, 0x1.8ace5422aa0dbp0,
		0x1.ae89f995ad3adp0, 0x1.d5818dcfba487p0,
	} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v)-uint64(i)<<49)
	}
	return b
}

func count(file *File, r row) {
	f, src, n := r.begin(file, "count", ", v float64) (found int)", "the loop of CountFrom.")
	v, totals := f.Fill("v"), f.Vecs(parts)
	for _, t := range totals {
		f.ZERO(t)
	}
	x := f.Vec()
	f.Loop(n, 8, func() {
		for _, t := range totals {
			r.load(f, x, src)
			f.FCMGE(x.D2(), x.D2(), v.D2())
			f.SUB(t.D2(), t.D2(), x.D2())
		}
	})
	for _, t := range totals[1:] {
		f.ADD(totals[0].D2(), totals[0].D2(), t.D2())
	}
	found, odd := f.Reg(), f.Reg()
	f.UMOV(found, totals[0].At(D, 0))
	f.UMOV(odd, totals[0].At(D, 1))
	f.Go("ADD %v, %v", odd, found)
	f.Return("found", found)
}

func first(file *File, r row) {
	f, src, n := r.begin(file, "first", ", v float64) (at int)", "the loop of First; it returns n if there is none.")
	v, x, i, which := f.Fill("v"), f.Vecs(parts), f.Reg(), f.Reg()
	found, end := f.NewLabel(), f.NewLabel()
	f.Go("MOVD ZR, %v", i)
	f.Loop(n, 8, func() {
		for _, x := range x {
			r.load(f, x, src)
			f.FCMGE(x.D2(), x.D2(), v.D2())
		}
		// A byte for each of the eight.
		f.UZP1(x[0].S4(), x[0].S4(), x[1].S4())
		f.UZP1(x[2].S4(), x[2].S4(), x[3].S4())
		f.UZP1(x[0].H8(), x[0].H8(), x[2].H8())
		f.XTN(x[0].B8(), x[0].H8())
		f.UMOV(which, x[0].At(D, 0))
		f.Go("CBNZ %v, %s", which, found)
		f.Go("ADD $8, %v", i)
	})
	f.Go("B %s", end)
	f.Label(found)
	f.Go("RBIT %v, %v", which, which)
	f.Go("CLZ %v, %v", which, which)
	f.Go("ADD %v>>3, %v", which, i)
	f.Label(end)
	f.Return("at", i)
}
