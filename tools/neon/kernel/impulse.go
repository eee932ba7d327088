package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func impulses(file *File) {
	f := file.Func("impulsesNEON", "(dst *byte, words *uint64, n int, cut uint32)", "impulsesNEON is Impulses for n bytes, a multiple of 16.")
	r, cut, one, u, hit := f.Loads("dst", "words", "n"), f.Fill("cut"), f.FillWith(B, 1), f.Vecs(4), f.Vecs(4)
	narrow := func(v []Vec) { // into bytes, of which only the lowest bit matters
		f.UZP1(v[0].H8(), v[0].H8(), v[1].H8())
		f.UZP1(v[2].H8(), v[2].H8(), v[3].H8())
		f.UZP1(v[0].B16(), v[0].B16(), v[2].B16())
	}
	f.Loop(r[2], 16, func() {
		f.LD1(S4s(u), Post(r[1], 64))
		for i, h := range hit {
			f.USHR(h.S4(), u[i].S4(), 1)
			f.CMHI(h.S4(), cut.S4(), h.S4())
		}
		narrow(u)
		narrow(hit)
		f.AND(u[0], u[0], one)
		f.ADD(u[0].B16(), u[0].B16(), one.B16())
		f.AND(u[0], u[0], hit[0])
		f.STR(Q, u[0], Post(r[0], 16))
	})
}

func addImpulses(file *File) {
	f := file.Func("addImpulsesNEON", "(dst, src, impulses *byte, n int)", "addImpulsesNEON is AddImpulses for n pixels, a multiple of 16.")
	r, one, pixels, m, white := f.Loads("dst", "src", "impulses", "n"), f.FillWith(B, 1), f.Vecs(4), f.Vecs(3), f.Vec()
	f.Loop(r[3], 16, func() {
		f.LD4(B16s(pixels), Post(r[1], 64))
		f.LD3(B16s(m), Post(r[2], 48))
		for c, v := range m {
			f.CMEQ(white.B16(), v.B16(), one.B16())
			f.CMEQ0(v.B16(), v.B16())
			f.AND(pixels[c], pixels[c], v)
			f.ORR(pixels[c], pixels[c], white)
		}
		f.CMEQ(pixels[3].B16(), pixels[3].B16(), pixels[3].B16())
		f.ST4(B16s(pixels), Post(r[0], 64))
	})
}
