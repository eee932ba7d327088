package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// resizeRow widens bytes to 32 bits, times the weight of their row.
func resizeRow(file *File) {
	f := file.Func("resizeRowNEON", "(dst, src *byte, stride int, w *int32, taps, n int)",
		"resizeRowNEON is the loop of ResizeRow for n bytes, at least 32.")
	r := f.Loads("dst", "src", "stride", "w", "taps", "n")
	p, wp, k := f.Reg(), f.Reg(), f.Reg()
	half, weight, x, sums, t := f.FillWith(S, 1<<21), f.Vec(), f.Vecs(2), [][]Vec{f.Vecs(4), f.Vecs(4)}, f.Vecs(4)
	overlapping(f, r[5], 32, r[:2], func() {
		for _, s := range append(sums[0], sums[1]...) {
			f.MOV(s, half)
		}
		f.Go("MOVD %v, %v", r[1], p)
		f.Go("MOVD %v, %v", r[3], wp)
		f.Go("MOVD %v, %v", r[4], k)
		f.Loop(k, 1, func() {
			f.LD1(B16s(x), Ptr(p, 0))
			f.LDR(S, weight, Post(wp, 4))
			f.Go("ADD %v, %v", r[2], p)
			for i, v := range x {
				widen(f, v, t)
				for j, s := range sums[i] {
					f.MLAE(s.S4(), t[j].S4(), weight.At(S, 0))
				}
			}
		})
		for i, v := range x {
			for _, s := range sums[i] {
				f.SSHR(s.S4(), s.S4(), 22)
			}
			clip(f, v, sums[i])
		}
		f.ST1(B16s(x), Post(r[0], 32))
		f.Go("ADD $32, %v", r[1])
	})
}

// resizeColumns does four pixels at a time, two weights of each; the channels of a pixel are the lanes of its sums.
func resizeColumns(file *File) {
	f := file.Func("resizeColumnsNEON", "(dst, src *byte, start, w *int32, taps, n int)",
		"resizeColumnsNEON is the loop of ResizeColumns for one row of n pixels, at least one.")
	r := f.Loads("dst", "src", "start", "w", "taps", "n")
	dst, src, start, w, taps, n := r[0], r[1], r[2], r[3], r[4], r[5]
	p, wp, from, group, k := []Reg{f.Reg(), f.Reg(), f.Reg(), f.Reg()}, f.Reg(), f.Reg(), f.Reg(), f.Reg()
	half, alpha, weights, sums, x, t := f.FillWith(S, 1<<21), f.FillWith(S, 0xff000000), f.Vecs(2), f.Vecs(4), f.Vec(), f.Vec()
	block, four, odd, store, part, done := f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel(), f.NewLabel()
	f.Label(block)
	f.Go("MOVD %v, %v", w, from)
	f.Go("MOVD $4, %v", group) // of the sixteen pixels of a block
	f.Label(four)
	for i, s := range sums {
		f.Go("MOVW.P 4(%v), %v", start, p[i])
		f.Go("ADD %v<<2, %v, %v", p[i], src, p[i])
		f.MOV(s, half)
	}
	f.Go("MOVD %v, %v", from, wp)
	f.Go("SUBS $2, %v, %v", taps, k)
	f.Go("BLT %s", odd)
	pairs := f.NewLabel()
	f.Label(pairs)
	f.LDR(Q, weights[0], Post(wp, 64))
	f.LDR(Q, weights[1], Post(wp, 64))
	for i, s := range sums {
		f.LDR(D, x, Post(p[i], 8))
		f.USHLL(x.H8(), x.B8(), 0)
		f.USHLL(t.S4(), x.H4(), 0)
		f.USHLL(x.S4(), x.H8(), 0)
		f.MLAE(s.S4(), t.S4(), weights[0].At(S, i))
		f.MLAE(s.S4(), x.S4(), weights[1].At(S, i))
	}
	f.Go("SUBS $2, %v, %v", k, k)
	f.Go("BGE %s", pairs)
	f.Label(odd)
	f.Go("TBZ $0, %v, %s", k, store)
	f.LDR(Q, weights[0], Ptr(wp, 0))
	for i, s := range sums {
		f.LDR(S, x, Ptr(p[i], 0))
		f.USHLL(x.H8(), x.B8(), 0)
		f.USHLL(x.S4(), x.H4(), 0)
		f.MLAE(s.S4(), x.S4(), weights[0].At(S, i))
	}
	f.Label(store)
	for _, s := range sums {
		f.SSHR(s.S4(), s.S4(), 22)
	}
	clip(f, x, sums)
	f.ORR(x, x, alpha)
	f.Go("CMP $4, %v", n)
	f.Go("BLT %s", part)
	f.STR(Q, x, Post(dst, 16))
	f.Go("SUBS $4, %v, %v", n, n)
	f.Go("BEQ %s", done)
	f.Go("ADD $16, %v", from)
	f.Go("SUBS $1, %v, %v", group, group)
	f.Go("BNE %s", four)
	f.Go("ADD %v<<6, %v", taps, w)
	f.Go("B %s", block)
	f.Label(part)
	for i := range 3 {
		f.ST1E(x.At(S, i), Post(dst, 4))
		f.Go("SUBS $1, %v, %v", n, n)
		f.Go("BEQ %s", done)
	}
	f.Label(done)
}
