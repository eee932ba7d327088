package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// half is a register for 32-bit numbers, as many as the float64 of a register.
func (s isa) half() reg.VecVirtual {
	if s.lanes == 8 {
		return YMM()
	}
	return XMM()
}

// unit is whole numbers of 32 bits, 0…255, over 255 in float64.
func (s isa) unit(v reg.VecVirtual) reg.VecVirtual { return s.over(v, double(255), double(1.0/255)) }

// narrow rounds to float32.
func (s isa) narrow(v reg.VecVirtual) reg.VecVirtual {
	h := s.half()
	if s.lanes == 8 {
		VCVTPD2PS(v, h)
	} else {
		VCVTPD2PSY(v, h)
	}
	return h
}

func (s isa) widen(h Op) reg.VecVirtual {
	v := s.vec()
	VCVTPS2PD(h, v)
	return v
}

// truncate makes whole numbers of 32 bits.
func (s isa) truncate(v reg.VecVirtual) reg.VecVirtual {
	h := s.half()
	if s.lanes == 8 {
		VCVTTPD2DQ(v, h)
	} else {
		VCVTTPD2DQY(v, h)
	}
	return h
}

// pixels stores at dst the pixels of three channels of whole numbers, which it cuts to 0…255; registers are of one size.
func pixels(channels [3]reg.VecVirtual, dst Mem) {
	for c, v := range channels {
		VPMAXSD(lane32(0), v, v)
		VPMINSD(lane32(255), v, v)
		if c > 0 {
			VPSLLD(U8(8*c), v, v)
		}
	}
	out := channels[0]
	if out.Size() == 64 {
		VPORD(channels[1], out, out)
		VPORD(channels[2], out, out)
		VPORD(lane32(0xff000000), out, out)
		VMOVDQU32(out, dst)
		return
	}
	VPOR(channels[1], out, out)
	VPOR(channels[2], out, out)
	VPOR(lane32(0xff000000), out, out)
	VMOVDQU(out, dst)
}

// eachPixel goes through the pixels of src; value makes of channel c of some, whole numbers of 32 bits, what is to be stored
// times 255.
func (s isa) eachPixel(label string, value func(src, i reg.GPVirtual) func(c int, channel reg.VecVirtual) reg.VecVirtual) {
	dst, src, n := load64("dst"), load64("src"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop(label, i, n, uint64(s.lanes), func() {
		of := value(src, i)
		var out [3]reg.VecVirtual
		for c := range out {
			v := s.half()
			VMOVDQU(Mem{Base: src, Index: i, Scale: 4}, v)
			VPSHUFB(channelShuffle8(c), v, v)
			out[c] = of(c, v)
		}
		pixels(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// byte255 is the doubles times 255, truncated.
func (s isa) byte255(v reg.VecVirtual) reg.VecVirtual { return s.truncate(s.mul(double(255), v)) }

// tone255 is the same in float32.
func tone255(v reg.VecVirtual) reg.VecVirtual {
	VMULPS(float(255), v, v)
	VCVTTPS2DQ(v, v)
	return v
}

// tone is whole numbers over 255 in float32.
func tone(v, white reg.VecVirtual) reg.VecVirtual {
	VCVTDQ2PS(v, v)
	VDIVPS(white, v, v)
	return v
}

// fillHalf loads a float32 parameter into all lanes of half a register.
func (s isa) fillHalf(name string) reg.VecVirtual {
	v := s.half()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(addr.Addr, v)
	return v
}

func (s isa) fog() {
	s.text("fog", "func(dst, src *byte, cloud *float64, n int, amount, top, all float64)", "is Fog")
	cloud := load64("cloud")
	amount, top, all := s.fill("amount"), s.fill("top"), s.fill("all")
	s.eachPixel("fog", func(_, i reg.GPVirtual) func(int, reg.VecVirtual) reg.VecVirtual {
		add := s.mul(s.at(cloud, i, 0), amount)
		return func(_ int, v reg.VecVirtual) reg.VecVirtual {
			x := s.mul(s.plus(add, s.unit(v)), top)
			VDIVPD(all, x, x)
			return s.byte255(x)
		}
	})
}

func (s isa) mud() {
	s.text("mud", "func(dst, src *byte, weight *float64, n int, color *[3]float32)", "is Mud")
	weight, cp := load64("weight"), load64("color")
	var color [3]reg.VecVirtual
	for c := range color {
		color[c] = s.half()
		VBROADCASTSS(Mem{Base: cp, Disp: 4 * c}, color[c])
	}
	white, one := s.half(), s.vec()
	VMOVDQU(float(255), white)
	VMOVUPD(double(1), one)
	s.eachPixel("mud", func(_, i reg.GPVirtual) func(int, reg.VecVirtual) reg.VecVirtual {
		m := s.vec()
		VMOVUPD(s.at(weight, i, 0), m)
		rest := s.minus(one, m)
		return func(c int, v reg.VecVirtual) reg.VecVirtual {
			x := s.narrow(s.mul(rest, s.widen(tone(v, white))))
			VADDPS(s.narrow(s.mul(m, s.widen(color[c]))), x, x)
			return tone255(x)
		}
	})
}

// snow: the flakes from the end come reversed.
func (s isa) snow() {
	s.text("snow", "func(dst, src, flakes, last *byte, n int, mix, rest float32)",
		"is Snow, last being the flakes of the last register,")
	flakes, last := load64("flakes"), load64("last")
	mix, rest, white := s.fillHalf("mix"), s.fillHalf("rest"), s.half()
	VMOVDQU(float(255), white)
	reversed := byteTable("reversed8", func(i int) int { return 7 - i%8 })
	if s.lanes == 4 {
		reversed = byteTable("reversed4", func(i int) int { return 3 - i%4 })
	}
	s.eachPixel("snow", func(src, i reg.GPVirtual) func(int, reg.VecVirtual) reg.VecVirtual {
		there, turned, bytes := s.half(), s.half(), XMM()
		VPMOVZXBD(Mem{Base: flakes, Index: i, Scale: 1}, there)
		if s.lanes == 8 {
			VMOVQ(Mem{Base: last}, bytes)
		} else {
			VMOVD(Mem{Base: last}, bytes)
		}
		VPSHUFB(reversed, bytes, bytes)
		VPMOVZXBD(bytes, turned)
		SUBQ(U8(s.lanes), last)
		first, second := s.unit(there), s.unit(turned)
		t, gray := s.half(), s.half()
		for c, weight := range []float32{0.299, 0.587, 0.114} {
			VMOVDQU(Mem{Base: src, Index: i, Scale: 4}, t)
			VPSHUFB(channelShuffle8(c), t, t)
			tone(t, white)
			if c == 0 {
				VMULPS(float(weight), t, gray)
			} else {
				VMULPS(float(weight), t, t)
				VADDPS(t, gray, gray)
			}
		}
		VMULPS(float(1.5), gray, gray)
		VADDPS(float(0.5), gray, gray)
		return func(_ int, v reg.VecVirtual) reg.VecVirtual {
			x, y := tone(v, white), s.half()
			VMAXPS(gray, x, y)
			VMULPS(rest, y, y)
			VMULPS(mix, x, x)
			VADDPS(y, x, x)
			return s.byte255(s.plus(second, s.plus(first, s.widen(x))))
		}
	})
}

func (s single) water() {
	s.text("water", "func(dst, src, a, b *byte, n int, top, strength float32, color *[3]float32)",
		"is Water for n pixels, a multiple of {lanes}.")
	dst, src, a, b, n, cp := load64("dst"), load64("src"), load64("a"), load64("b"), load64("n"), load64("color")
	top, strength, white := s.fill("top"), s.fill("strength"), s.vec()
	s.mov(float(255), white)
	var color [3]reg.VecVirtual
	for c := range color {
		color[c] = s.vec()
		VBROADCASTSS(Mem{Base: cp, Disp: 4 * c}, color[c])
	}
	i := GP64()
	XORQ(i, i)
	loop("water", i, n, uint64(s.lanes), func() {
		m, t := s.vec(), s.vec()
		VPMOVZXBD(Mem{Base: a, Index: i, Scale: 1}, m)
		VPMOVZXBD(Mem{Base: b, Index: i, Scale: 1}, t)
		VPMULLD(t, m, m)
		VCVTDQ2PS(m, m)
		VDIVPS(top, m, m)
		VMULPS(strength, m, m)
		var out [3]reg.VecVirtual
		for c := range out {
			s.mov(Mem{Base: src, Index: i, Scale: 4}, t)
			v := s.channel(c, t)
			VDIVPS(white, v, v)
			VMULPS(color[c], m, t)
			VADDPS(t, v, v)
			out[c] = tone255(v)
		}
		pixels(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
