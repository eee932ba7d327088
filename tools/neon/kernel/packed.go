package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func runs(file *File) {
	f := file.Func("runsNEON", "(dst, sums *uint64, from, to *int, count, n int)",
		"runsNEON is the loop of Runs for n numbers, a multiple of 2, and at least one run.")
	r := f.Loads("dst", "sums", "from", "to", "count", "n")
	dst, sums, n := r[0], r[1], r[5]
	k, p, q, from, to := f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg()
	acc, x, y := f.Vecs(4), f.Vecs(4), f.Vecs(4)
	rows(f, n, func(count int) {
		for _, v := range acc[:count] {
			f.ZERO(v)
		}
		f.Go("MOVD %v, %v", r[2], from)
		f.Go("MOVD %v, %v", r[3], to)
		f.Go("MOVD %v, %v", r[4], k)
		f.Loop(k, 1, func() {
			window(f, p, sums, from, 8)
			window(f, q, sums, to, 8)
			f.LD1(D2s(x[:count]), Ptr(p, 0))
			f.LD1(D2s(y[:count]), Ptr(q, 0))
			for i, v := range acc[:count] {
				f.ADD(v.D2(), v.D2(), y[i].D2())
				f.SUB(v.D2(), v.D2(), x[i].D2())
			}
		})
		f.ST1(D2s(acc[:count]), Post(dst, 16*count))
		f.Go("ADD $%d, %v", 16*count, sums)
	})
}

// addBits: a shift by a register goes to the left.
func addBits(file *File) {
	f := file.Func("addBitsNEON", "(dst *float64, src *uint64, n int, left int, mask uint64, weight float64)",
		"addBitsNEON is AddBits for n numbers, a multiple of 2; left is the shift, negative.")
	r, left, mask, weight, x, sum := f.Loads("dst", "src", "n"), f.Fill("left"), f.Fill("mask"), f.Fill("weight"), f.Vecs(4), f.Vecs(4)
	rows(f, r[2], func(count int) {
		f.LD1(D2s(x[:count]), Post(r[1], 16*count))
		f.LD1(D2s(sum[:count]), Ptr(r[0], 0))
		for i, v := range x[:count] {
			f.USHL(v.D2(), v.D2(), left.D2())
			f.AND(v, v, mask)
			f.SCVTF(v.D2(), v.D2())
			f.FMUL(v.D2(), v.D2(), weight.D2())
			f.FADD(sum[i].D2(), sum[i].D2(), v.D2())
		}
		f.ST1(D2s(sum[:count]), Post(r[0], 16*count))
	})
}
