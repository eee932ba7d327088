package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func unitToBytes(file *File) {
	f := file.Func("unitToBytesNEON", "(dst *byte, src *float64, n int)", "unitToBytesNEON is the loop of UnitToBytes for n pixels, a multiple of 8.")
	r, top, x, out := f.Loads("dst", "src", "n"), double(f, 255), f.Vecs(12), f.Vecs(4)
	f.CMEQ(out[3].B16(), out[3].B16(), out[3].B16())
	f.Loop(r[2], 8, func() {
		for i := 0; i < 12; i += 3 { // two pixels each
			f.LD3(D2s(x[i:i+3]), Post(r[1], 48))
		}
		for _, v := range x {
			f.FMUL(v.D2(), v.D2(), top.D2())
			f.FCVTZS(v.D2(), v.D2())
		}
		for c, v := range out[:3] {
			f.UZP1(x[c].S4(), x[c].S4(), x[c+3].S4()) // the lower halves
			f.UZP1(x[c+6].S4(), x[c+6].S4(), x[c+9].S4())
			f.SQXTN(v.H4(), x[c].S4())
			f.SQXTN(v.H8(), x[c+6].S4())
			f.SQXTUN(v.B8(), v.H8())
		}
		f.ST4([]Lanes{out[0].B8(), out[1].B8(), out[2].B8(), out[3].B8()}, Post(r[0], 32))
	})
}

func addFour(file *File) {
	f := file.Func("addFourNEON", "(dst, a, b, c, d *uint64, n int)", "addFourNEON is the loop of AddFour for n numbers, a multiple of 8.")
	r, sum, x := f.Loads("dst", "a", "b", "c", "d", "n"), f.Vecs(4), f.Vecs(4)
	f.Loop(r[5], 8, func() {
		f.LD1(D2s(sum), Ptr(r[0], 0))
		for _, p := range r[1:5] {
			f.LD1(D2s(x), Post(p, 64))
			for i, v := range x {
				f.ADD(sum[i].D2(), sum[i].D2(), v.D2())
			}
		}
		f.ST1(D2s(sum), Post(r[0], 64))
	})
}
