package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// scaleHSV: the sextants of the hue select with comparisons, as all numbers of a pixel are there.
func scaleHSV(file *File) {
	f := file.Func("scaleHSVNEON", "(dst, src *byte, n int, multiply, add, raise float64)", "scaleHSVNEON is ScaleHSV for n pixels, a multiple of 2.")
	r, multiply, add, raise := f.Loads("dst", "src", "n"), f.Fill("multiply"), f.Fill("add"), f.Fill("raise")
	zero, perTop, top, alpha, k := f.Vec(), double(f, 1./255), double(f, 255), f.FillWith(D, 0xff000000), doubles(f, []float64{1, 2, 3, 4, 5, 6})
	one, six := k[0], k[5]
	f.ZERO(zero)
	color, v, d, isG, isB, h, x := f.Vecs(3), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec()
	limit := func(x Vec) {
		f.FMAX(x.D2(), x.D2(), zero.D2())
		f.FMIN(x.D2(), x.D2(), one.D2())
	}
	f.Loop(r[2], 2, func() {
		// Channels of two pixels over 255: a product with 1/255 that one step of refinement rounds as the division does.
		f.LDR(D, x, Post(r[1], 8))
		f.USHLL(x.H8(), x.B8(), 0)
		f.USHLL(v.S4(), x.H4(), 0)
		f.USHLL(x.S4(), x.H8(), 0)
		f.ZIP1(d.S4(), v.S4(), x.S4())
		f.ZIP2(x.S4(), v.S4(), x.S4())
		for c, from := range []Lanes{d.S2(), d.S4(), x.S2()} {
			q := color[c].D2()
			f.USHLL(v.D2(), from, 0)
			f.UCVTF(v.D2(), v.D2())
			f.FMUL(q, v.D2(), perTop.D2())
			f.FMLS(v.D2(), q, top.D2()) // what is left
			f.FMLA(q, v.D2(), perTop.D2())
		}
		red, green, blue := color[0], color[1], color[2]
		f.FMAX(v.D2(), red.D2(), green.D2())
		f.FMAX(v.D2(), v.D2(), blue.D2())
		f.FMIN(d.D2(), red.D2(), green.D2())
		f.FMIN(d.D2(), d.D2(), blue.D2())
		f.FSUB(d.D2(), v.D2(), d.D2())
		f.FCMEQ(isG.D2(), v.D2(), green.D2())
		f.FCMEQ(isB.D2(), v.D2(), blue.D2())
		f.FSUB(h.D2(), green.D2(), blue.D2())
		f.FSUB(x.D2(), blue.D2(), red.D2())
		f.BIT(h, x, isG)
		f.FSUB(x.D2(), red.D2(), green.D2())
		f.BIT(h, x, isB)
		f.FDIV(h.D2(), h.D2(), d.D2())
		f.AND(isG, isG, k[1])
		f.BIT(isG, k[3], isB)
		f.FADD(h.D2(), isG.D2(), h.D2())
		f.FDIV(h.D2(), h.D2(), six.D2())
		f.FRINTM(x.D2(), h.D2())
		f.FSUB(h.D2(), h.D2(), x.D2())
		gray, s := isG, d
		f.FCMEQ0(gray.D2(), d.D2())
		f.FDIV(s.D2(), d.D2(), v.D2())
		f.BIC(h, h, gray)
		f.BIC(s, s, gray)
		f.FMUL(s.D2(), s.D2(), multiply.D2())
		f.FADD(s.D2(), s.D2(), add.D2())
		limit(s)
		f.FADD(v.D2(), v.D2(), raise.D2())
		limit(v)

		sextant, p, q, t := isB, f.Vec(), f.Vec(), f.Vec()
		f.FMUL(h.D2(), h.D2(), six.D2())
		f.FRINTM(sextant.D2(), h.D2())
		f.FSUB(h.D2(), h.D2(), sextant.D2())
		f.FSUB(t.D2(), one.D2(), h.D2())
		f.FMUL(q.D2(), h.D2(), s.D2())
		f.FMUL(t.D2(), t.D2(), s.D2())
		for _, w := range [][2]Vec{{p, s}, {q, q}, {t, t}} {
			f.FSUB(w[0].D2(), one.D2(), w[1].D2())
			f.FMUL(w[0].D2(), v.D2(), w[0].D2())
		}
		f.FCMGE(x.D2(), sextant.D2(), six.D2())
		f.BIC(sextant, sextant, x)
		f.MOV(red, v)
		f.MOV(green, t)
		f.MOV(blue, p)
		for i, change := range []map[Vec]Vec{{red: q, green: v}, {red: p, blue: t}, {green: q, blue: v}, {red: t, green: p}, {red: v, blue: q}} {
			f.FCMGE(x.D2(), sextant.D2(), k[i].D2())
			for _, c := range color {
				if to, ok := change[c]; ok {
					f.BIT(c, to, x)
				}
			}
		}
		for c, v := range color {
			f.FMUL(v.D2(), v.D2(), top.D2())
			f.FCVTZS(v.D2(), v.D2())
			if c > 0 {
				f.SLI(red.D2(), v.D2(), 8*c)
			}
		}
		f.ORR(red, red, alpha)
		f.XTN(red.S2(), red.D2())
		f.STR(D, red, Post(r[0], 8))
		f.Free(p, q, t)
	})
}
