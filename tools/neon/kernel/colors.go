package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func tones(file *File) {
	f := file.Func("tonesNEON", "(dst *float32, src *byte, n int)", "tonesNEON is Tones for n bytes, a multiple of 16.")
	r, white, inverse, pixels, x, q := f.Loads("dst", "src", "n"), single(f, 255), single(f, float32(1)/255), f.Vec(), f.Vecs(4), f.Vecs(4)
	f.Loop(r[2], 16, func() {
		f.LDR(Q, pixels, Post(r[1], 16))
		widen(f, pixels, x)
		for i, v := range x {
			over(f, q[i].S4(), v.S4(), white.S4(), inverse.S4())
		}
		f.ST1(S4s(q), Post(r[0], 64))
	})
}

func colorsToBytes(file *File) {
	f := file.Func("colorsToBytesNEON", "(dst *byte, src *float32, n int)", "colorsToBytesNEON is ColorsToBytes for n colors, a multiple of 4.")
	r, top, alpha, x, out := f.Loads("dst", "src", "n"), single(f, 255), f.FillWith(S, 0xff000000), f.Vecs(4), f.Vec()
	f.Loop(r[2], 4, func() {
		f.LD1(S4s(x), Post(r[1], 64))
		for _, v := range x {
			f.FMUL(v.S4(), v.S4(), top.S4())
		}
		toBytes(f, out, x)
		f.ORR(out, out, alpha)
		f.STR(Q, out, Post(r[0], 16))
	})
}

// moveColors: places and weights of four pixels at a time, then pixel by pixel, whose samples lie side by side.
func moveColors(file *File) {
	f := file.Func("moveColorsNEON", "(dst, src *float32, xs, ys *int32, n int, x, y, right, bottom, width int32) (done int)",
		"moveColorsNEON is MoveColors for n colors, a multiple of 4; it stops before four of which one cannot be done.")
	r, x, y, right, bottom, width := f.Loads("dst", "src", "xs", "ys", "n"), f.Fill("x"), f.Fill("y"), f.Fill("right"), f.Fill("bottom"), f.Fill("width")
	dst, src, n, pitch, i, above, below := r[0], r[1], r[4], f.Load("width"), f.Reg(), f.Reg(), f.Reg()
	low, step, one := f.FillWith(S, 31), single(f, 1./32), single(f, 1)
	u, v, px, py, e, d, t := f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec()
	w, q, p, sums := f.Vecs(4), f.Vecs(4), f.Vec(), f.Vecs(4)
	// place leaves the whole pixels in at and the fraction in part.
	place := func(at, part, start Vec, from Reg) {
		f.LDR(Q, at, Post(from, 16))
		f.ADD(at.S4(), at.S4(), start.S4())
		f.SSHR(at.S4(), at.S4(), 5)
		f.AND(part, at, low)
		f.SSHR(at.S4(), at.S4(), 5)
		f.UCVTF(part.S4(), part.S4())
		f.FMUL(part.S4(), part.S4(), step.S4())
	}
	top, end := f.NewLabel(), f.NewLabel()
	f.Go("MOVD $0, %v", i)
	f.Label(top)
	f.Go("CMP %v, %v", n, i)
	f.Go("BGE %s", end)
	place(px, u, x, r[2])
	place(py, v, y, r[3])
	f.CMHS(t.S4(), px.S4(), right.S4()) // negative ones are large without a sign
	f.CMHS(p.S4(), py.S4(), bottom.S4())
	f.ORR(t, t, p)
	f.UMAXV(t, t.S4())
	f.UMOV(above, t.At(S, 0))
	f.Go("CBNZ %v, %s", above, end)
	f.MLA(px.S4(), py.S4(), width.S4())
	f.FSUB(e.S4(), one.S4(), u.S4())
	f.FSUB(d.S4(), one.S4(), v.S4())
	for k, by := range [][2]Vec{{d, e}, {d, u}, {v, e}, {v, u}} {
		f.FMUL(w[k].S4(), by[0].S4(), by[1].S4())
	}
	for j, sum := range sums {
		f.UMOV(above, px.At(S, j))
		f.Go("ADD %v<<4, %v, %v", above, src, above)
		f.Go("ADD %v<<4, %v, %v", pitch, above, below)
		f.LDP(q[0], q[1], Ptr(above, 0))
		f.LDP(q[2], q[3], Ptr(below, 0))
		f.FMULE(sum.S4(), q[0].S4(), w[0].At(S, j))
		for k := 1; k < 4; k++ {
			f.FMULE(p.S4(), q[k].S4(), w[k].At(S, j))
			f.FADD(sum.S4(), sum.S4(), p.S4())
		}
	}
	f.ST1(S4s(sums), Post(dst, 64))
	f.Go("ADD $4, %v", i)
	f.Go("B %s", top)
	f.Label(end)
	f.Return("done", i)
}

// displace: as moveColors, two pixels at a time; a color is two registers of float64.
func displace(file *File) {
	f := file.Func("displaceNEON", "(dst, src, dx, dy *float32, n int, x, y, right, bottom float64, width int) (done int)",
		"displaceNEON is Displace for n colors, a multiple of 2; it stops before two of which one cannot be done.")
	r, x, y, right, bottom := f.Loads("dst", "src", "dx", "dy", "n"), f.Fill("x"), f.Fill("y"), f.Fill("right"), f.Fill("bottom")
	dst, src, n, width, i, above, below := r[0], r[1], r[4], f.Load("width"), f.Reg(), f.Reg(), f.Reg()
	one, two, t := double(f, 1), double(f, 2), f.Vec()
	f.ZERO(t)
	f.ZIP1(t.D2(), t.D2(), one.D2()) // 0, 1
	f.FADD(x.D2(), x.D2(), t.D2())
	sx, sy, px, py, ok, e, d := f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec()
	q, p, sum := f.Vecs(4), f.Vecs(2), f.Vecs(2)
	top, end := f.NewLabel(), f.NewLabel()
	f.Go("MOVD $0, %v", i)
	f.Label(top)
	f.Go("CMP %v, %v", n, i)
	f.Go("BGE %s", end)
	f.LDR(D, sx, Post(r[2], 8))
	f.LDR(D, sy, Post(r[3], 8))
	f.FCVTL(sx.D2(), sx.S2())
	f.FCVTL(sy.D2(), sy.S2())
	f.FADD(sx.D2(), sx.D2(), x.D2())
	f.FADD(sy.D2(), sy.D2(), y.D2())
	f.FCMGT(ok.D2(), right.D2(), sx.D2())
	f.FCMGT(t.D2(), bottom.D2(), sy.D2())
	f.AND(ok, ok, t)
	f.FCMLT0(t.D2(), sx.D2()) // what is not a number is not below the right
	f.BIC(ok, ok, t)
	f.FCMLT0(t.D2(), sy.D2())
	f.BIC(ok, ok, t)
	f.NOT(ok, ok)
	f.UMAXV(ok, ok.S4())
	f.UMOV(above, ok.At(S, 0))
	f.Go("CBNZ %v, %s", above, end)
	f.FCVTZS(px.D2(), sx.D2())
	f.FCVTZS(py.D2(), sy.D2())
	f.SCVTF(t.D2(), px.D2())
	f.FSUB(sx.D2(), sx.D2(), t.D2())
	f.SCVTF(t.D2(), py.D2())
	f.FSUB(sy.D2(), sy.D2(), t.D2())
	f.FSUB(e.D2(), one.D2(), sx.D2())
	f.FSUB(d.D2(), one.D2(), sy.D2())
	for j := range 2 {
		f.UMOV(above, px.At(D, j))
		f.UMOV(below, py.At(D, j))
		f.Go("MADD %v, %v, %v, %v", below, above, width, above)
		f.Go("ADD %v<<4, %v, %v", above, src, above)
		f.Go("ADD %v<<4, %v, %v", width, above, below)
		f.LDP(q[0], q[1], Ptr(above, 0))
		f.LDP(q[2], q[3], Ptr(below, 0))
		for k, from := range q {
			to := p
			if k == 0 {
				to = sum
			}
			f.FCVTL(to[0].D2(), from.S2())
			f.FCVTL(to[1].D2(), from.S4())
			for h, v := range to {
				f.FMULE(v.D2(), v.D2(), []Vec{d, sy}[k/2].At(D, j))
				f.FMULE(v.D2(), v.D2(), []Vec{e, sx}[k%2].At(D, j))
				if k > 0 {
					f.FADD(sum[h].D2(), sum[h].D2(), v.D2())
				}
			}
		}
		singlesOf(f, p[:1], sum)
		f.STR(Q, p[0], Post(dst, 16))
	}
	f.FADD(x.D2(), x.D2(), two.D2())
	f.Go("ADD $2, %v", i)
	f.Go("B %s", top)
	f.Label(end)
	f.Return("done", i)
}
