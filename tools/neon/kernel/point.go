package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// lookup: a table of 256 bytes is all of 16 registers, so that the channels take turns. Between their turns sixteen pixels lie
// in dst channel by channel.
func lookup(file *File) {
	f := file.Func("lookupNEON", "(dst, src *byte, n int, t *Table)",
		"lookupNEON is lookupScalar for n bytes, a multiple of 64; few enough that they stay in the nearest cache.")
	dst, src, n, t := f.Load("dst"), f.Load("src"), f.Load("n"), f.Load("t")
	out, count := f.Reg(), f.Reg()
	table, pixels, v := f.Vecs(16), f.Vecs(4), f.Vec()
	row := f.FillWith(B, 64)
	for c := range 3 {
		for k := 0; k < 16; k += 2 {
			f.LDP(table[k], table[k+1], Post(t, 32))
		}
		f.Go("MOVD %v, %v", dst, out)
		f.Go("MOVD %v, %v", n, count)
		f.Loop(count, 64, func() {
			x := pixels[c]
			switch c {
			case 0:
				f.LD4(B16s(pixels), Post(src, 64))
			case 1:
				f.LDR(Q, x, Ptr(out, 16))
			case 2:
				f.LD1(B16s(pixels), Ptr(out, 0))
			}
			f.SUB(v.B16(), x.B16(), row.B16())
			f.TBL(x, table[:4], x)
			for k := 4; k < 16; k += 4 {
				f.TBX(x, table[k:k+4], v)
				if k < 12 {
					f.SUB(v.B16(), v.B16(), row.B16())
				}
			}
			switch c {
			case 0:
				f.ST1(B16s(pixels), Post(out, 64))
			case 1:
				f.STR(Q, x, Ptr(out, 16))
				f.Go("ADD $64, %v", out)
			case 2:
				f.ST4(B16s(pixels), Post(out, 64))
			}
		})
	}
}

func minMax(file *File) {
	f := file.Func("minMaxNEON", "(src *byte, n int, lo, hi *[16]uint8)",
		"minMaxNEON is the loop of MinMax for n bytes, a multiple of 64: byte i of lo and hi covers the bytes i modulo 16.")
	r := f.Loads("src", "n", "lo", "hi")
	x, lo, hi := f.Vecs(4), f.Vecs(2), f.Vecs(2)
	for i := range 2 {
		f.CMEQ(lo[i].B16(), lo[i].B16(), lo[i].B16())
		f.ZERO(hi[i])
	}
	f.Loop(r[1], 64, func() {
		f.LD1(B16s(x), Post(r[0], 64))
		for i, v := range x {
			f.UMIN(lo[i%2].B16(), lo[i%2].B16(), v.B16())
			f.UMAX(hi[i%2].B16(), hi[i%2].B16(), v.B16())
		}
	})
	f.UMIN(lo[0].B16(), lo[0].B16(), lo[1].B16())
	f.UMAX(hi[0].B16(), hi[0].B16(), hi[1].B16())
	f.STR(Q, lo[0], Ptr(r[2], 0))
	f.STR(Q, hi[0], Ptr(r[3], 0))
}

// bytewise loads, changes and stores 64 bytes at a time.
func bytewise(f *Func, dst, src, n Reg, change func(v Vec)) {
	x := f.Vecs(4)
	f.Loop(n, 64, func() {
		f.LD1(B16s(x), Post(src, 64))
		for _, v := range x {
			change(v)
		}
		f.ST1(B16s(x), Post(dst, 64))
	})
}

func andMask(file *File) {
	f := file.Func("andNEON", "(dst, src *byte, n int, mask uint32)",
		"andNEON is the loop of And for n bytes, a multiple of 64; mask holds the bits to keep of a whole pixel.")
	r, mask := f.Loads("dst", "src", "n"), f.Fill("mask")
	bytewise(f, r[0], r[1], r[2], func(v Vec) { f.AND(v, v, mask) })
}

func invertFrom(file *File) {
	f := file.Func("invertFromNEON", "(dst, src *byte, n int, threshold uint8)",
		"invertFromNEON is the loop of InvertFrom for n bytes, a multiple of 64.")
	r, threshold, colors, from := f.Loads("dst", "src", "n"), f.Fill("threshold"), f.FillWith(S, 0x00ffffff), f.Vec()
	bytewise(f, r[0], r[1], r[2], func(v Vec) {
		f.CMHS(from.B16(), v.B16(), threshold.B16())
		f.AND(from, from, colors)
		f.EOR(v, v, from)
	})
}

// luma makes gray values of sixteen pixels: the weights 19595, 38470 and 7471, in 16 fractional bits, are upper and lower bytes.
// The lower sums add what they carry, and the rounding shift adds the half.
type luma struct {
	f            *Func
	weight       [2][]Vec
	upper, lower Vec
}

func newLuma(f *Func) *luma {
	l := &luma{f: f, upper: f.Vec(), lower: f.Vec()}
	for _, w := range []uint64{19595, 38470, 7471} {
		l.weight[0] = append(l.weight[0], f.FillWith(B, w>>8))
		l.weight[1] = append(l.weight[1], f.FillWith(B, w&255))
	}
	return l
}

func (l *luma) of(out Vec, pixels []Vec) {
	half := func(part func(Vec) Lanes) {
		for i, sum := range []Vec{l.upper, l.lower} {
			for c, w := range l.weight[i] {
				if c == 0 {
					l.f.UMULL(sum.H8(), part(pixels[c]), part(w))
				} else {
					l.f.UMLAL(sum.H8(), part(pixels[c]), part(w))
				}
			}
		}
		l.f.USRA(l.upper.H8(), l.lower.H8(), 8)
		l.f.RSHRN(part(out), l.upper.H8(), 8)
	}
	half(Vec.B8)
	half(Vec.B16)
}

func lumaSum(file *File) {
	f := file.Func("lumaSumNEON", "(src *byte, n int) (sum uint64)", "lumaSumNEON is the loop of LumaSum for n bytes, a multiple of 64.")
	src, n, l, pixels, sum := f.Load("src"), f.Load("n"), newLuma(f), f.Vecs(4), f.Vec()
	v := pixels[3]
	f.ZERO(sum)
	f.Loop(n, 64, func() {
		f.LD4(B16s(pixels), Post(src, 64))
		l.of(v, pixels)
		f.UADDLP(v.H8(), v.B16())
		f.UADDLP(v.S4(), v.H8())
		f.UADALP(sum.D2(), v.S4())
	})
	f.ADDP(sum.D2(), sum.D2(), sum.D2())
	f.UMOV(n, sum.At(D, 0))
	f.Return("sum", n)
}

func gray(file *File) {
	f := file.Func("grayNEON", "(dst, src *byte, n int)", "grayNEON is the loop of Gray for n bytes, a multiple of 64.")
	r, l, pixels, out := f.Loads("dst", "src", "n"), newLuma(f), f.Vecs(4), f.Vecs(4)
	f.CMEQ(out[3].B16(), out[3].B16(), out[3].B16())
	f.Loop(r[2], 64, func() {
		f.LD4(B16s(pixels), Post(r[1], 64))
		l.of(out[0], pixels)
		f.MOV(out[1], out[0])
		f.MOV(out[2], out[0])
		f.ST4(B16s(out), Post(r[0], 64))
	})
}
