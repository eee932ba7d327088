package kernel

import (
	"math"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// single puts a float32 into all lanes of a register.
func single(f *Func, v float32) Vec { return f.FillWith(S, uint64(math.Float32bits(v))) }

func pixAdd(file *File) {
	f := file.Func("pixAddNEON", "(cur *float32, other *byte, n, plane int, a, b, c float32)",
		"pixAddNEON is the loop of PixAdd for n pixels, a multiple of 16; planes are plane bytes apart.")
	planes, other, n := planesOf(f, "cur"), f.Load("other"), f.Load("n")
	a, b, c, zero, one := f.Fill("a"), f.Fill("b"), f.Fill("c"), f.Vec(), single(f, 1)
	pixels, x, y := f.Vecs(4), f.Vecs(4), f.Vecs(4)
	f.ZERO(zero)
	f.Loop(n, 16, func() {
		f.LD4(B16s(pixels), Post(other, 64))
		for k, p := range planes {
			f.LD1(S4s(x), Ptr(p, 0))
			floats(f, pixels[k], y)
			for i, v := range x {
				f.FMUL(v.S4(), v.S4(), a.S4())
				f.FMUL(y[i].S4(), y[i].S4(), b.S4())
				f.FADD(v.S4(), v.S4(), y[i].S4())
				f.FADD(v.S4(), v.S4(), c.S4())
				f.FMAX(v.S4(), v.S4(), zero.S4())
				f.FMIN(v.S4(), v.S4(), one.S4())
			}
			f.ST1(S4s(x), Post(p, 64))
		}
	})
}

// Coefficients of log2 and exp2 of package kernel, from the highest power down.
var (
	logC = []float32{
		-0x1.46ad3p-3, 0x1.ef5ac4p-3, -0x1.fbd5b2p-3, 0x1.24e4b8p-2, -0x1.70d62cp-2, 0x1.ec81d2p-2, -0x1.71558p-1, 0x1.71546ep+0,
	}
	expC = []float32{0x1.41fdp-13, 0x1.5f3e2ep-10, 0x1.3b2d4ap-7, 0x1.c6aee8p-5, 0x1.ebfbdcp-3, 0x1.62e43p-1}
)

// singles puts each number into all lanes of a register of its own.
func singles(f *Func, list []float32) []Vec {
	var all []Vec
	for _, v := range list {
		all = append(all, single(f, v))
	}
	return all
}

// pixMultiply: the logarithms of the other image's bytes come from their table, one by one.
func pixMultiply(file *File) {
	f := file.Func("pixMultiplyNEON", "(cur *float32, other *byte, n, plane int, a, b, c float32, logs *[256]float32)",
		"pixMultiplyNEON is the loop of PixMultiply for n pixels, a multiple of 4; planes are plane bytes apart.")
	planes, other, n, logs := planesOf(f, "cur"), f.Load("other"), f.Load("n"), f.Load("logs")
	a, b, c := f.Fill("a"), f.Fill("b"), f.Fill("c")
	base, mantissa, one, pixZero := f.FillWith(S, 0x3f330000), f.FillWith(S, 0x7fffff), single(f, 1), single(f, -0x1p100)
	floor, magic, zero := single(f, -126), single(f, 0x1.8p23), f.Vec()
	logs2, exps := singles(f, logC), singles(f, expC)
	x, t, p, y := f.Vec(), f.Vec(), f.Vec(), f.Vec()
	value, at := f.Reg(), f.Reg()
	f.ZERO(zero)
	horner := func(coefficients []Vec) { // of t into p
		for i, k := range coefficients {
			if i == 0 {
				f.FMUL(p.S4(), t.S4(), k.S4())
				continue
			}
			f.FADD(p.S4(), p.S4(), k.S4())
			f.FMUL(p.S4(), p.S4(), t.S4())
		}
	}
	f.Loop(n, 4, func() {
		for k, plane := range planes {
			for i := range 4 {
				f.Go("MOVBU %d(%v), %v", 4*i+k, other, value)
				f.Go("ADD %v<<2, %v, %v", value, logs, at)
				f.LD1E(y.At(S, i), Ptr(at, 0))
			}
			f.LDR(Q, x, Ptr(plane, 0))
			// log2
			f.SUB(p.S4(), x.S4(), base.S4())
			f.AND(t, p, mantissa)
			f.ADD(t.S4(), t.S4(), base.S4())
			f.FSUB(t.S4(), t.S4(), one.S4())
			f.FCMEQ0(x.S4(), x.S4())
			whole := f.Vec()
			f.SSHR(whole.S4(), p.S4(), 23)
			f.SCVTF(whole.S4(), whole.S4())
			horner(logs2)
			f.FADD(p.S4(), p.S4(), whole.S4())
			f.BIT(p, pixZero, x)
			f.FMUL(t.S4(), p.S4(), a.S4())
			f.FMUL(y.S4(), y.S4(), b.S4())
			f.FADD(t.S4(), t.S4(), y.S4())
			f.FADD(t.S4(), t.S4(), c.S4())
			// exp2
			below := x
			f.FCMGT(below.S4(), floor.S4(), t.S4())
			f.FMIN(t.S4(), t.S4(), zero.S4())
			f.FADD(whole.S4(), t.S4(), magic.S4())
			f.FSUB(p.S4(), whole.S4(), magic.S4())
			f.FSUB(t.S4(), t.S4(), p.S4())
			horner(exps)
			f.FADD(p.S4(), p.S4(), one.S4())
			f.SHL(whole.S4(), whole.S4(), 23)
			f.ADD(p.S4(), p.S4(), whole.S4())
			f.BIC(p, p, below)
			f.STR(Q, p, Post(plane, 16))
			f.Free(whole)
		}
		f.Go("ADD $16, %v", other)
	})
}

func scaleBias(file *File) {
	f := file.Func("scaleBiasNEON", "(dst, src *float32, n int, scale, bias float32)",
		"scaleBiasNEON is the loop of ScaleBias for n values, a multiple of 16.")
	r, scale, bias, x := f.Loads("dst", "src", "n"), f.Fill("scale"), f.Fill("bias"), f.Vecs(4)
	f.Loop(r[2], 16, func() {
		f.LD1(S4s(x), Post(r[1], 64))
		for _, v := range x {
			f.FMUL(v.S4(), v.S4(), scale.S4())
			f.FADD(v.S4(), v.S4(), bias.S4())
		}
		f.ST1(S4s(x), Post(r[0], 64))
	})
}

func blend(file *File) {
	f := file.Func("blendNEON", "(dst, v, u *float32, n int, a, b float32)", "blendNEON is the loop of Blend for n values, a multiple of 16.")
	r, a, b, x, y := f.Loads("dst", "v", "u", "n"), f.Fill("a"), f.Fill("b"), f.Vecs(4), f.Vecs(4)
	f.Loop(r[3], 16, func() {
		f.LD1(S4s(x), Post(r[1], 64))
		f.LD1(S4s(y), Post(r[2], 64))
		for i, v := range x {
			f.FMUL(v.S4(), v.S4(), a.S4())
			f.FMUL(y[i].S4(), y[i].S4(), b.S4())
			f.FADD(v.S4(), v.S4(), y[i].S4())
		}
		f.ST1(S4s(x), Post(r[0], 64))
	})
}

func planesToBytes(file *File) {
	f := file.Func("planesToBytesNEON", "(dst *byte, src *float32, n, plane int)",
		"planesToBytesNEON is the loop of PlanesToBytes for n pixels, a multiple of 16; planes are plane bytes apart.")
	dst, planes, n := f.Load("dst"), planesOf(f, "src"), f.Load("n")
	top, half, x, pixels := single(f, 255), single(f, 0.5), f.Vecs(4), f.Vecs(4)
	f.CMEQ(pixels[3].B16(), pixels[3].B16(), pixels[3].B16())
	f.Loop(n, 16, func() {
		for k, p := range planes {
			f.LD1(S4s(x), Post(p, 64))
			for _, v := range x {
				f.FMUL(v.S4(), v.S4(), top.S4())
				f.FADD(v.S4(), v.S4(), half.S4())
			}
			toBytes(f, pixels[k], x)
		}
		f.ST4(B16s(pixels), Post(dst, 64))
	})
}
