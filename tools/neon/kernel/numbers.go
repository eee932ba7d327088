package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// shuffle is a register of places for TBL.
func shuffle(f *Func, name string, place func(i int) int) Vec {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(place(i))
	}
	p, v := f.Constant(name, b), f.Vec()
	f.LDR(Q, v, Ptr(p, 0))
	f.Free(p)
	return v
}

// beyond is a place of no table: its byte becomes 0.
const beyond = 255

// threes are the places of the channels of four pixels, two to a register of 64-bit lanes, without the fourth bytes.
func threes(f *Func) []Vec {
	var all []Vec
	for _, name := range []string{"threes0", "threes2", "threes4", "threes6", "threes8", "threes10"} {
		n := 2 * len(all)
		all = append(all, shuffle(f, name, func(i int) int {
			if i%8 > 0 {
				return beyond
			}
			k := n + i/8
			return k/3*4 + k%3
		}))
	}
	return all
}

// over is whole numbers over white as AVX2 divides: a product with 1/white, corrected by what it leaves of the number. That is the
// quotient for all of 0…255 and white 1 or 255. q and x are lanes of float64, or of float32 for 255; x is lost.
func over(f *Func, q, x, white, inverse Lanes) {
	f.UCVTF(x, x)
	f.FMUL(q, x, inverse)
	f.FMLS(x, q, white)
	f.FMLA(q, x, inverse)
}

func bytesToNumbers(file *File) {
	f := file.Func("bytesToNumbersNEON", "(dst *float64, src *byte, n int, white, inverse float64)",
		"bytesToNumbersNEON is BytesToNumbers for n pixels, a multiple of 4.")
	r, white, inverse, places := f.Loads("dst", "src", "n"), f.Fill("white"), f.Fill("inverse"), threes(f)
	pixels, x, out := f.Vec(), f.Vec(), f.Vecs(6)
	f.Loop(r[2], 4, func() {
		f.LDR(Q, pixels, Post(r[1], 16))
		for i, p := range places {
			f.TBL(x, []Vec{pixels}, p)
			over(f, out[i].D2(), x.D2(), white.D2(), inverse.D2())
		}
		f.ST1(D2s(out[:3]), Post(r[0], 48))
		f.ST1(D2s(out[3:]), Post(r[0], 48))
	})
}

func scaleAdd(file *File) {
	f := file.Func("scaleAddNEON", "(dst *float64, src *float32, n int, scale, add float64)",
		"scaleAddNEON is ScaleAdd for n numbers, a multiple of 8.")
	r, scale, add, x, y := f.Loads("dst", "src", "n"), f.Fill("scale"), f.Fill("add"), f.Vecs(2), f.Vecs(4)
	f.Loop(r[2], 8, func() {
		f.LD1(S4s(x), Post(r[1], 32))
		for i, v := range y {
			f.FCVTL(v.D2(), []Lanes{x[i/2].S2(), x[i/2].S4()}[i%2])
			f.FMUL(v.D2(), v.D2(), scale.D2())
			f.FADD(v.D2(), v.D2(), add.D2())
		}
		f.ST1(D2s(y), Post(r[0], 64))
	})
}

func round32(file *File) {
	f := file.Func("round32NEON", "(dst *float32, src *float64, n int, scale float64)", "round32NEON is Round32 for n numbers, a multiple of 8.")
	r, scale, x, y := f.Loads("dst", "src", "n"), f.Fill("scale"), f.Vecs(4), f.Vecs(2)
	f.Loop(r[2], 8, func() {
		f.LD1(D2s(x), Post(r[1], 64))
		for _, v := range x {
			f.FMUL(v.D2(), v.D2(), scale.D2())
		}
		singlesOf(f, y, x)
		f.ST1(S4s(y), Post(r[0], 32))
	})
}

// singlesOf rounds float64 to float32, two registers into one.
func singlesOf(f *Func, out, x []Vec) {
	for i, v := range out {
		f.FCVTN(v.S2(), x[2*i].D2())
		f.FCVTN(v.S4(), x[2*i+1].D2())
	}
}

func uniforms(file *File) {
	f := file.Func("uniformsNEON", "(dst *float32, words *uint64, n int)", "uniformsNEON is Uniforms for n numbers, a multiple of 16.")
	r, unit, x := f.Loads("dst", "words", "n"), single(f, 0x1p-24), f.Vecs(4)
	f.Loop(r[2], 16, func() {
		f.LD1(S4s(x), Post(r[1], 64))
		for _, v := range x {
			f.USHR(v.S4(), v.S4(), 8)
			f.UCVTF(v.S4(), v.S4())
			f.FMUL(v.S4(), v.S4(), unit.S4())
		}
		f.ST1(S4s(x), Post(r[0], 64))
	})
}

// quantumToBytes: q+128 would not fit 16 bits, which roundings of shifts do not mind. Narrowing cuts to 0…65535.
func quantumToBytes(file *File) {
	f := file.Func("quantumToBytesNEON", "(dst *byte, src *float64, n int)", "quantumToBytesNEON is QuantumToBytes for n pixels, a multiple of 8.")
	r, half, x, out, t := f.Loads("dst", "src", "n"), double(f, 0.5), f.Vecs(12), f.Vecs(4), f.Vec()
	f.CMEQ(out[3].B16(), out[3].B16(), out[3].B16())
	f.Loop(r[2], 8, func() {
		for i := 0; i < 12; i += 3 { // two pixels each
			f.LD3(D2s(x[i:i+3]), Post(r[1], 48))
		}
		for _, v := range x {
			f.FADD(v.D2(), v.D2(), half.D2())
			f.FCVTZS(v.D2(), v.D2())
		}
		for c, v := range out[:3] {
			f.UZP1(x[c].S4(), x[c].S4(), x[c+3].S4()) // the lower halves
			f.UZP1(x[c+6].S4(), x[c+6].S4(), x[c+9].S4())
			f.SQXTUN(v.H4(), x[c].S4())
			f.SQXTUN(v.H8(), x[c+6].S4())
			f.URSHR(t.H8(), v.H8(), 8)
			f.SUB(v.H8(), v.H8(), t.H8())
			f.RSHRN(v.B8(), v.H8(), 8)
		}
		f.ST4([]Lanes{out[0].B8(), out[1].B8(), out[2].B8(), out[3].B8()}, Post(r[0], 32))
	})
}

func tonePlanes(file *File) {
	f := file.Func("tonePlanesNEON", "(dst *float64, src *byte, n, plane int)",
		"tonePlanesNEON is TonePlanes for n pixels, a multiple of 16; planes are plane bytes apart.")
	planes, src, n := planesOf(f, "dst"), f.Load("src"), f.Load("n")
	white, inverse := single(f, 255), single(f, float32(1)/255)
	pixels, x, q, out := f.Vecs(4), f.Vecs(4), f.Vec(), f.Vecs(2)
	f.Loop(n, 16, func() {
		f.LD4(B16s(pixels), Post(src, 64))
		for c, p := range planes {
			widen(f, pixels[c], x)
			for _, v := range x {
				over(f, q.S4(), v.S4(), white.S4(), inverse.S4())
				f.FCVTL(out[0].D2(), q.S2())
				f.FCVTL(out[1].D2(), q.S4())
				f.ST1(D2s(out), Post(p, 32))
			}
		}
	})
}

func meanToBytes(file *File) {
	f := file.Func("meanToBytesNEON", "(dst *byte, x *float64, sums *float32, n, xPlane, plane int, count float32)",
		"meanToBytesNEON is MeanToBytes for n pixels, a multiple of 16; planes of x are xPlane bytes apart, those of sums plane.")
	dst, sums, n, plane := f.Load("dst"), f.Load("sums"), f.Load("n"), f.Load("plane")
	from := []Reg{f.Load("x"), f.Reg(), f.Reg()}
	step := f.Load("xPlane")
	f.Go("ADD %v, %v, %v", step, from[0], from[1])
	f.Go("ADD %v, %v, %v", step, from[1], from[2])
	to := []Reg{sums, f.Reg(), f.Reg()}
	f.Go("ADD %v, %v, %v", plane, to[0], to[1])
	f.Go("ADD %v, %v, %v", plane, to[1], to[2])
	count, top, x, v, s, pixels := f.Fill("count"), single(f, 255), f.Vecs(4), f.Vecs(4), f.Vecs(4), f.Vecs(4)
	f.CMEQ(pixels[3].B16(), pixels[3].B16(), pixels[3].B16())
	f.Loop(n, 16, func() {
		for c := range 3 {
			for h := 0; h < 4; h += 2 {
				f.LD1(D2s(x), Post(from[c], 64))
				singlesOf(f, v[h:h+2], x)
			}
			f.LD1(S4s(s), Post(to[c], 64))
			for i, v := range v {
				f.FADD(v.S4(), v.S4(), s[i].S4())
				f.FDIV(v.S4(), v.S4(), count.S4())
				f.FMUL(v.S4(), v.S4(), top.S4())
			}
			toBytes(f, pixels[c], v)
		}
		f.ST4(B16s(pixels), Post(dst, 64))
	})
}
