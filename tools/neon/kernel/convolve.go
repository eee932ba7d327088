package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// rows does the float64 numbers 0 to n-1, n a multiple of 2: body does as many registers as it is given, first four at a time.
func rows(f *Func, n Reg, body func(count int)) {
	for _, count := range []int{4, 1} {
		top, next := f.NewLabel(), f.NewLabel()
		f.Label(top)
		f.Go("CMP $%d, %v", 2*count, n)
		f.Go("BLT %s", next)
		body(count)
		f.Go("SUB $%d, %v", 2*count, n)
		f.Go("B %s", top)
		f.Label(next)
	}
}

// taps adds to the sums the numbers at p times the weight: rounded products, not fused.
func taps(f *Func, sums, x []Vec, weight Vec) {
	for i, s := range sums {
		f.FMULE(x[i].D2(), x[i].D2(), weight.At(D, 0))
		f.FADD(s.D2(), s.D2(), x[i].D2())
	}
}

// window points p at number at[0] of src and moves at on by step bytes.
func window(f *Func, p, src, at Reg, step int) {
	f.Go("MOVD.P %d(%v), %v", step, at, p)
	f.Go("ADD %v<<3, %v, %v", p, src, p)
}

func sumPairs(file *File) {
	f := file.Func("sumPairsNEON", "(dst, src *float64, lo, hi *int, w *float64, taps, n int)",
		"sumPairsNEON is the loop of SumPairs for n numbers, a multiple of 2.")
	r := f.Loads("dst", "src", "lo", "hi", "w", "taps", "n")
	dst, src, n := r[0], r[1], r[6]
	k, p, q, at := f.Reg(), f.Reg(), f.Reg(), []Reg{f.Reg(), f.Reg(), f.Reg()}
	sums, x, y, weight := f.Vecs(4), f.Vecs(4), f.Vecs(4), f.Vec()
	rows(f, n, func(count int) {
		done := f.NewLabel()
		f.Go("MOVD (%v), %v", r[2], p)
		f.Go("ADD %v<<3, %v, %v", p, src, p)
		f.LDR(D, weight, Ptr(r[4], 0))
		f.LD1(D2s(sums[:count]), Ptr(p, 0))
		for _, s := range sums[:count] {
			f.FMULE(s.D2(), s.D2(), weight.At(D, 0))
		}
		f.Go("SUBS $1, %v, %v", r[5], k)
		f.Go("BEQ %s", done)
		for i, a := range at { // from the last weight down
			f.Go("ADD %v<<3, %v, %v", k, r[2+i], a)
		}
		f.Loop(k, 1, func() {
			window(f, p, src, at[0], -8)
			window(f, q, src, at[1], -8)
			f.LDR(D, weight, Post(at[2], -8))
			f.LD1(D2s(x[:count]), Ptr(p, 0))
			f.LD1(D2s(y[:count]), Ptr(q, 0))
			for i, v := range x[:count] {
				f.FADD(v.D2(), v.D2(), y[i].D2())
			}
			taps(f, sums[:count], x, weight)
		})
		f.Label(done)
		f.ST1(D2s(sums[:count]), Post(dst, 16*count))
		f.Go("ADD $%d, %v", 16*count, src)
	})
}

func sumTaps(file *File) {
	f := file.Func("sumTapsNEON", "(dst, src *float64, off *int, w *float64, taps, n int)",
		"sumTapsNEON is the loop of SumTaps for n numbers, a multiple of 2, and at least one tap.")
	r := f.Loads("dst", "src", "off", "w", "taps", "n")
	dst, src, n := r[0], r[1], r[5]
	k, p, off, w := f.Reg(), f.Reg(), f.Reg(), f.Reg()
	sums, x, weight := f.Vecs(4), f.Vecs(4), f.Vec()
	rows(f, n, func(count int) {
		for _, s := range sums[:count] {
			f.ZERO(s)
		}
		f.Go("MOVD %v, %v", r[2], off)
		f.Go("MOVD %v, %v", r[3], w)
		f.Go("MOVD %v, %v", r[4], k)
		f.Loop(k, 1, func() {
			window(f, p, src, off, 8)
			f.LDR(D, weight, Post(w, 8))
			f.LD1(D2s(x[:count]), Ptr(p, 0))
			taps(f, sums[:count], x, weight)
		})
		f.ST1(D2s(sums[:count]), Post(dst, 16*count))
		f.Go("ADD $%d, %v", 16*count, src)
	})
}

func matMul(file *File) {
	f := file.Func("matMulNEON", "(dst, p, q *float64, m, w, n int)",
		"matMulNEON is the loop of MatMul for the first n columns, a multiple of 2; m is at least 1.")
	r := f.Loads("dst", "p", "q", "m", "w", "n")
	dst, p, q, m, w := r[0], r[1], r[2], r[3], r[4]
	i, k, n, u, column, from, to := f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg()
	sums, x, weight := f.Vecs(4), f.Vecs(4), f.Vec()
	f.Go("LSL $3, %v, %v", w, w)
	f.Go("MOVD %v, %v", m, i)
	f.Loop(i, 1, func() {
		f.Go("MOVD %v, %v", r[5], n)
		f.Go("MOVD %v, %v", q, column)
		f.Go("MOVD %v, %v", dst, to)
		rows(f, n, func(count int) {
			for _, s := range sums[:count] {
				f.ZERO(s)
			}
			f.Go("MOVD %v, %v", p, u)
			f.Go("MOVD %v, %v", column, from)
			f.Go("MOVD %v, %v", m, k)
			f.Loop(k, 1, func() {
				f.LDR(D, weight, Post(u, 8))
				f.LD1(D2s(x[:count]), Ptr(from, 0))
				f.Go("ADD %v, %v", w, from)
				taps(f, sums[:count], x, weight)
			})
			f.ST1(D2s(sums[:count]), Post(to, 16*count))
			f.Go("ADD $%d, %v", 16*count, column)
		})
		f.Go("ADD %v<<3, %v", m, p)
		f.Go("ADD %v, %v", w, dst)
	})
}

func lerpRows(file *File) {
	f := file.Func("lerpRowsNEON", "(dst, a, b *float64, e, f float64, n int)",
		"lerpRowsNEON is the loop of LerpRows for n numbers, a multiple of 2, with e being 1-f.")
	r, e, by, x, y := f.Loads("dst", "a", "b", "n"), f.Fill("e"), f.Fill("f"), f.Vecs(4), f.Vecs(4)
	rows(f, r[3], func(count int) {
		f.LD1(D2s(x[:count]), Post(r[1], 16*count))
		f.LD1(D2s(y[:count]), Post(r[2], 16*count))
		for i, v := range x[:count] {
			f.FMUL(v.D2(), v.D2(), e.D2())
			f.FMUL(y[i].D2(), y[i].D2(), by.D2())
			f.FADD(v.D2(), v.D2(), y[i].D2())
		}
		f.ST1(D2s(x[:count]), Post(r[0], 16*count))
	})
}

// addStretched loads the two neighbors of a place together.
func addStretched(file *File) {
	f := file.Func("addStretchedNEON", "(sums *float32, line *float64, index *int32, frac *float64, n int)",
		"addStretchedNEON is the loop of AddStretched for n sums, a multiple of 4.")
	r := f.Loads("sums", "line", "index", "frac", "n")
	at, one := f.Reg(), f.FillWith(D, 0x3ff0000000000000)
	pair, u, e, left, right, sum := f.Vecs(4), f.Vecs(2), f.Vec(), f.Vec(), f.Vecs(2), f.Vec()
	f.Loop(r[4], 4, func() {
		for _, v := range pair {
			f.Go("MOVW.P 4(%v), %v", r[2], at)
			f.Go("ADD %v<<3, %v, %v", at, r[1], at)
			f.LDR(Q, v, Ptr(at, 0))
		}
		f.LD1(D2s(u), Post(r[3], 32))
		for i, v := range u {
			f.FSUB(e.D2(), one.D2(), v.D2())
			f.ZIP1(left.D2(), pair[2*i].D2(), pair[2*i+1].D2())
			f.ZIP2(right[i].D2(), pair[2*i].D2(), pair[2*i+1].D2())
			f.FMUL(left.D2(), left.D2(), e.D2())
			f.FMUL(right[i].D2(), right[i].D2(), v.D2())
			f.FADD(right[i].D2(), left.D2(), right[i].D2())
		}
		f.FCVTN(right[0].S2(), right[0].D2())
		f.FCVTN(right[0].S4(), right[1].D2())
		f.LDR(Q, sum, Ptr(r[0], 0))
		f.FADD(sum.S4(), sum.S4(), right[0].S4())
		f.STR(Q, sum, Post(r[0], 16))
	})
}
