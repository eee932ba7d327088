package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// forwardCosines are what the forward transform multiplies the differences of inputs 3 and 4, 2 and 5, 1 and 6, 0 and 7 by, a row
// for each of the outputs 1, 3, 5, 7: the odd part of the inverse transform turned around.
var forwardCosines = func() (w [4][4]int) {
	for o := range w {
		for i := range 4 {
			w[o][i] = cosines[i][o]
		}
	}
	return w
}()

// forward is one pass of the forward transform of in, which is lost, that leaves the results, rounded, in out: sums are shifted to
// the right by so many bits.
func (t *idct) forward(out, in []Vec, by int) {
	f, e := t.f, t.e
	for i, s := range e {
		f.ADD(s.H8(), in[i].H8(), in[7-i].H8())
		f.SUB(in[7-i].H8(), in[i].H8(), in[7-i].H8())
	}
	f.ADD(in[0].H8(), e[0].H8(), e[3].H8())
	f.SUB(in[3].H8(), e[0].H8(), e[3].H8())
	f.ADD(in[1].H8(), e[1].H8(), e[2].H8())
	f.SUB(in[2].H8(), e[1].H8(), e[2].H8())
	for _, half := range []func(Vec) Lanes{Vec.H4, Vec.H8} {
		output := func(o int, by2 []int, from ...int) {
			var list []Lanes
			for _, i := range from {
				list = append(list, half(in[i]))
			}
			t.dot(t.sum, list, by2)
			f.SQRSHRN(half(out[o]), t.sum.S4(), by)
		}
		output(0, []int{cosines[6][0], cosines[6][0]}, 0, 1)
		output(4, cosines[6][:2], 0, 1)
		output(2, cosines[4][:2], 3, 2)
		output(6, cosines[5][:2], 3, 2)
		for o, w := range forwardCosines {
			output(2*o+1, w[:], 4, 5, 6, 7)
		}
	}
}

// requantize divides rows of coefficients by eight times the quantizers at table, halves away from zero, and multiplies by them.
func requantize(f *Func, rows []Vec, table Reg) {
	p, sign, q := f.Reg(), f.Vec(), f.Vec()
	x, by := f.Vecs(2), f.Vecs(2)
	f.Go("MOVD %v, %v", table, p)
	for _, v := range rows {
		f.SSHR(sign.H8(), v.H8(), 15)
		f.EOR(v, v, sign)
		f.SUB(v.H8(), v.H8(), sign.H8())
		f.USHLL(x[0].S4(), v.H4(), 0)
		f.USHLL(x[1].S4(), v.H8(), 0)
		f.LDP(by[0], by[1], Ptr(p, 0))
		for i, v := range x {
			f.UCVTF(v.S4(), v.S4())
			f.FADD(v.S4(), v.S4(), by[i].S4())
		}
		f.LDP(by[0], by[1], Ptr(p, 256))
		for i, v := range x {
			f.FMUL(v.S4(), v.S4(), by[i].S4())
			f.FCVTZS(v.S4(), v.S4())
		}
		f.LDP(by[0], by[1], Ptr(p, 512))
		f.UZP1(v.H8(), x[0].H8(), x[1].H8())
		f.UZP1(q.H8(), by[0].H8(), by[1].H8())
		f.MUL(v.H8(), v.H8(), q.H8())
		f.EOR(v, v, sign)
		f.SUB(v.H8(), v.H8(), sign.H8())
		f.Go("ADD $32, %v", p)
	}
	f.Free(p, sign, q, x, by)
}

// jpegBlocks: eight lanes of 16 bits are a row or a column of one block. No result of the forward transform needs more: those of
// the first pass are at most 2^12, sums of four of them 2^14, and the coefficients 2^13.
func jpegBlocks(file *File) {
	f := file.Func("jpegBlocksNEON", "(dst *byte, dstStride int, src *byte, srcStride, n int, t *JPEGTable) (far uint64)",
		"jpegBlocksNEON is JPEGBlocks for n blocks, at least one. far is that of inverseBlockNEON, for the last block or that with which it ends.")
	r := f.Loads("dst", "dstStride", "src", "srcStride", "n", "t")
	from, to, far, done := f.Reg(), f.Reg(), f.Reg(), f.NewLabel()
	t, a, b := newIDCT(f), f.Vecs(8), f.Vecs(8)
	f.Loop(r[4], 1, func() {
		f.Go("MOVD %v, %v", r[2], from)
		middle := f.FillWith(B, 128)
		for _, v := range a {
			f.LDR(D, v, Ptr(from, 0))
			f.USUBL(v.H8(), v.B8(), middle.B8())
			f.Go("ADD %v, %v", r[3], from)
		}
		f.Free(middle)
		transpose(f, b, a)
		t.forward(a, b, 11)
		transpose(f, b, a)
		t.forward(a, b, 15)
		requantize(f, a, r[5])
		f.Go("MOVD %v, %v", r[0], to)
		t.inverse(a, b, to, r[1], far, [8]int{0, 1, 2, 3, 4, 5, 6, 7}, func() {
			f.Go("CMP $0x8000, %v", far)
			f.Go("BHI %s", done)
		})
		f.Go("ADD $8, %v", r[0])
		f.Go("ADD $8, %v", r[2])
	})
	f.Label(done)
	f.Return("far", far)
}
