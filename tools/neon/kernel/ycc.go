package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// words makes registers of the same 16-bit number in each lane.
func words(f *Func, list ...int) []Vec {
	var all []Vec
	for _, v := range list {
		all = append(all, f.FillWith(H, uint64(uint16(v))))
	}
	return all
}

// yccToRGB: what weights have beyond 16 bits, a whole number of times 65536, is added to the products' upper halves.
func yccToRGB(file *File) {
	f := file.Func("yccToRGBNEON", "(dst, y, cb, cr *byte, n int)", "yccToRGBNEON is YCCToRGB for n pixels, a multiple of 16.")
	r := f.Loads("dst", "y", "cb", "cr", "n")
	middle, w := f.FillWith(B, 128), words(f, 91881-65536, 65536-46802, -22554, 116130-131072)
	luma, cb8, cr8, cb, cr, out, sum, t := f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vecs(4), f.Vecs(2), f.Vec()
	f.CMEQ(out[3].B16(), out[3].B16(), out[3].B16())
	f.Loop(r[4], 16, func() {
		for i, v := range []Vec{luma, cb8, cr8} {
			f.LDR(Q, v, Post(r[1+i], 16))
		}
		for _, part := range []func(Vec) Lanes{Vec.B8, Vec.B16} {
			f.USUBL(cb.H8(), part(cb8), part(middle))
			f.USUBL(cr.H8(), part(cr8), part(middle))
			channel := func(c int, chroma, weight Vec, rest func()) {
				f.SMULL(sum[0].S4(), chroma.H4(), weight.H4())
				f.SMULL(sum[1].S4(), chroma.H8(), weight.H8())
				if c == 1 {
					f.SMLAL(sum[0].S4(), cb.H4(), w[2].H4())
					f.SMLAL(sum[1].S4(), cb.H8(), w[2].H8())
				}
				f.RSHRN(t.H4(), sum[0].S4(), 16)
				f.RSHRN(t.H8(), sum[1].S4(), 16)
				rest()
				f.UADDW(t.H8(), t.H8(), part(luma))
				f.SQXTUN(part(out[c]), t.H8())
			}
			channel(0, cr, w[0], func() { f.ADD(t.H8(), t.H8(), cr.H8()) })
			channel(1, cr, w[1], func() { f.SUB(t.H8(), t.H8(), cr.H8()) })
			channel(2, cb, w[3], func() {
				f.ADD(t.H8(), t.H8(), cb.H8())
				f.ADD(t.H8(), t.H8(), cb.H8())
			})
		}
		f.ST4(B16s(out), Post(r[0], 64))
	})
}

func rgbToYCC(file *File) {
	f := file.Func("rgbToYCCNEON", "(y, cb, cr, pix *byte, n int)", "rgbToYCCNEON is RGBToYCC for n pixels, a multiple of 16.")
	r := f.Loads("y", "cb", "cr", "pix", "n")
	l, w, offset := newLuma(f), words(f, 11059, 21709, 27439, 5329), f.FillWith(S, 128<<16+1<<15-1)
	pixels, out, wide, sum := f.Vecs(4), f.Vec(), f.Vecs(3), f.Vecs(2)
	f.Loop(r[4], 16, func() {
		f.LD4(B16s(pixels), Post(r[3], 64))
		l.of(out, pixels)
		f.STR(Q, out, Post(r[0], 16))
		// Half of one channel less parts of the two others.
		for i, c := range [][3]int{{2, 0, 1}, {0, 1, 2}} {
			for _, part := range []func(Vec) Lanes{Vec.B8, Vec.B16} {
				for k, from := range c {
					f.USHLL(wide[k].H8(), part(pixels[from]), 0)
				}
				for h, half := range []func(Vec) Lanes{Vec.H4, Vec.H8} {
					s := sum[h].S4()
					f.USHLL(s, half(wide[0]), 15)
					f.ADD(s, s, offset.S4())
					f.UMLSL(s, half(wide[1]), half(w[2*i]))
					f.UMLSL(s, half(wide[2]), half(w[2*i+1]))
				}
				f.UZP2(sum[0].H8(), sum[0].H8(), sum[1].H8()) // the upper halves
				f.XTN(part(out), sum[0].H8())
			}
			f.STR(Q, out, Post(r[1+i], 16))
		}
	})
}

func halveRows(file *File) {
	f := file.Func("halveRowsNEON", "(dst, a, b *byte, n int)", "halveRowsNEON is HalveRows for n results, a multiple of 16.")
	r, round, x, y, out := f.Loads("dst", "a", "b", "n"), f.FillWith(S, 2<<16|1), f.Vecs(2), f.Vecs(2), f.Vec()
	f.Loop(r[3], 16, func() {
		f.LD1(B16s(x), Post(r[1], 32))
		f.LD1(B16s(y), Post(r[2], 32))
		for i, part := range []func(Vec) Lanes{Vec.B8, Vec.B16} {
			f.UADDLP(x[i].H8(), x[i].B16())
			f.UADALP(x[i].H8(), y[i].B16())
			f.ADD(x[i].H8(), x[i].H8(), round.H8())
			f.SHRN(part(out), x[i].H8(), 2)
		}
		f.STR(Q, out, Post(r[0], 16))
	})
}

func triangle(file *File) {
	f := file.Func("triangleNEON", "(dst, near, far *byte, n int)", "triangleNEON is Triangle for n samples, a multiple of 8.")
	r, w := f.Loads("dst", "near", "far", "n"), words(f, 3, 8, 7)
	columns, near := f.Vecs(3), f.Vec()
	f.Loop(r[3], 8, func() {
		for i, v := range columns {
			f.LDR(Q, near, Ptr(r[1], 2*i-2))
			f.LDR(Q, v, Ptr(r[2], 2*i-2))
			f.MLA(v.H8(), near.H8(), w[0].H8())
		}
		for i, v := range []Vec{columns[0], columns[2]} {
			f.MLA(v.H8(), columns[1].H8(), w[0].H8())
			f.ADD(v.H8(), v.H8(), w[1+i].H8())
			f.USHR(v.H8(), v.H8(), 4)
		}
		f.SLI(columns[0].H8(), columns[2].H8(), 8)
		f.STR(Q, columns[0], Post(r[0], 16))
		f.Go("ADD $16, %v", r[1])
		f.Go("ADD $16, %v", r[2])
	})
}
