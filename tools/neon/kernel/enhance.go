package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// extrapolate is Extrapolate: a + f*(b-a) of sixteen bytes. a holds floats, diff those of b-a, which are lost.
func extrapolate(f *Func, out Vec, a, diff []Vec, factor Vec) {
	for i, d := range diff {
		f.FMULE(d.S4(), d.S4(), factor.At(S, 0))
		f.FADD(d.S4(), a[i].S4(), d.S4())
	}
	toBytes(f, out, diff)
}

func colorBlend(file *File) {
	f := file.Func("colorBlendNEON", "(dst, src *byte, n int, factor float32)",
		"colorBlendNEON is the loop of ColorBlend for n bytes, a multiple of 64.")
	r, factor := f.Loads("dst", "src", "n"), f.Fill("factor")
	l, pixels, gray, a, d := newLuma(f), f.Vecs(4), f.Vec(), f.Vecs(4), f.Vecs(4)
	f.Loop(r[2], 64, func() {
		f.LD4(B16s(pixels), Post(r[1], 64))
		l.of(gray, pixels)
		floats(f, gray, a)
		for _, v := range pixels[:3] {
			f.USUBL(d[0].H8(), v.B8(), gray.B8())
			f.USUBL(d[2].H8(), v.B16(), gray.B16())
			signedFloats(f, d)
			extrapolate(f, v, a, d, factor)
		}
		f.CMEQ(pixels[3].B16(), pixels[3].B16(), pixels[3].B16())
		f.ST4(B16s(pixels), Post(r[0], 64))
	})
}

// sharpen: the division by 26 with rounding is a multiplication by 2^19/26.
func sharpen(file *File) {
	f := file.Func("sharpenNEON", "(dst, up, row, down *byte, n int, factor float32)",
		"sharpenNEON is the inner loop of Sharpen for n bytes of a row, at least 16; the pixels before and after are read too.")
	r, factor := f.Loads("dst", "up", "row", "down", "n"), f.Fill("factor")
	five, half, by := f.FillWith(B, 5), f.FillWith(H, 13), f.FillWith(H, 20165)
	center, sum, x, a, d := f.Vec(), f.Vecs(2), f.Vecs(8), f.Vecs(4), f.Vecs(4)
	overlapping(f, r[4], 16, r[:4], func() {
		f.LDR(Q, center, Ptr(r[2], 0))
		for i, m := range []Mem{
			Ptr(r[1], -4), Ptr(r[1], 0), Ptr(r[1], 4), Ptr(r[2], -4), Ptr(r[2], 4), Ptr(r[3], -4), Ptr(r[3], 0), Ptr(r[3], 4),
		} {
			f.LDR(Q, x[i], m)
		}
		for i, part := range []func(Vec) Lanes{Vec.B8, Vec.B16} {
			s := sum[i].H8()
			f.UMULL(s, part(center), part(five))
			for _, v := range x {
				f.UADDW(s, s, part(v))
			}
			f.SHL(s, s, 1)
			f.ADD(s, s, half.H8())
			f.SQDMULH(s, s, by.H8()) // the upper half of twice the product
			f.USHR(s, s, 4)
		}
		smooth := x[0]
		f.UZP1(smooth.B16(), sum[0].B16(), sum[1].B16())
		floats(f, smooth, a)
		f.USUBL(d[0].H8(), center.B8(), smooth.B8())
		f.USUBL(d[2].H8(), center.B16(), smooth.B16())
		signedFloats(f, d)
		extrapolate(f, x[0], a, d, factor)
		f.STR(Q, x[0], Post(r[0], 16))
		for _, p := range r[1:4] {
			f.Go("ADD $16, %v", p)
		}
	})
}
