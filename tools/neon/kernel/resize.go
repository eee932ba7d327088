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
