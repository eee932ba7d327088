package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// over is whole numbers of 32 bits over white: a product with 1/white, corrected by what it leaves of the number. That is the
// quotient for all of 0…255 and white 1 or 255.
func (s isa) over(v reg.VecVirtual, white, inverse Op) reg.VecVirtual {
	x := s.vec()
	VCVTDQ2PD(v, x)
	q := s.mul(inverse, x)
	VFNMADD231PD(white, q, x)
	VFMADD231PD(inverse, x, q)
	return q
}

func (s isa) bytesToNumbers() {
	TEXT("bytesToNumbers"+s.suffix, NOSPLIT, "func(dst *float64, src *byte, n int, white, inverse float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("bytesToNumbers%s is BytesToNumbers for n pixels, a multiple of %d.", s.suffix, s.unitPixels()))
	dst, src, n := load64("dst"), load64("src"), load64("n")
	white, inverse := s.fill("white"), s.fill("inverse")
	local := AllocLocal(64)
	i := GP64()
	XORQ(i, i)
	loop("numbers", i, n, uint64(s.unitPixels()), func() {
		s.pack(Mem{Base: src, Index: i, Scale: 4}, local)
		for j := 0; j < 3*s.unitPixels(); j += s.lanes {
			v := s.half()
			VPMOVZXBD(local.Offset(j), v)
			VMOVUPD(s.over(v, white, inverse), Mem{Base: dst, Disp: 8 * j})
		}
		ADDQ(U32(uint32(24*s.unitPixels())), dst)
	})
	VZEROUPPER()
	RET()
}

func (s isa) scaleAdd() {
	s.text("scaleAdd", "func(dst *float64, src *float32, n int, scale, add float64)", "is ScaleAdd")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale, add := s.fill("scale"), s.fill("add")
	i := GP64()
	XORQ(i, i)
	loop("scaleadd", i, n, uint64(s.lanes), func() {
		v := s.plus(add, s.mul(scale, s.widen(Mem{Base: src, Index: i, Scale: 4})))
		VMOVUPD(v, s.at(dst, i, 0))
	})
	VZEROUPPER()
	RET()
}

func (s isa) round32() {
	s.text("round32", "func(dst *float32, src *float64, n int, scale float64)", "is Round32")
	dst, src, n, scale := load64("dst"), load64("src"), load64("n"), s.fill("scale")
	i := GP64()
	XORQ(i, i)
	loop("round", i, n, uint64(s.lanes), func() {
		VMOVUPS(s.narrow(s.mul(s.at(src, i, 0), scale)), Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (s single) uniforms() {
	s.text("uniforms", "func(dst *float32, words *uint64, n int)", "is Uniforms for n numbers, a multiple of {lanes}.")
	dst, words, n := load64("dst"), load64("words"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("uniforms", i, n, uint64(s.lanes), func() {
		v := s.load(Mem{Base: words, Index: i, Scale: 4})
		VPSRLD(U8(8), v, v)
		VCVTDQ2PS(v, v)
		VMULPS(float(0x1p-24), v, v)
		s.mov(v, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (s isa) quantumToBytes() {
	TEXT("quantumToBytes"+s.suffix, NOSPLIT, "func(dst *byte, src *float64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("quantumToBytes%s is QuantumToBytes for n pixels, a multiple of %d.", s.suffix, s.unitPixels()))
	dst, src, n := load64("dst"), load64("src"), load64("n")
	store, half := s.unitStore(), s.vec()
	VMOVUPD(double(0.5), half)
	i := GP64()
	XORQ(i, i)
	loop("quantum", i, n, uint64(s.unitPixels()), func() {
		store(func(j int) reg.VecVirtual {
			q, t := s.truncate(s.plus(Mem{Base: src, Disp: 8 * j}, half)), s.half()
			VPMINSD(lane32(65535), q, q)
			VPADDD(lane32(128), q, q)
			VPSRLD(U8(8), q, t)
			VPSUBD(t, q, q)
			VPSRLD(U8(8), q, q)
			return q
		}, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U32(uint32(24*s.unitPixels())), src)
	})
	VZEROUPPER()
	RET()
}

func (s isa) tonePlanes() {
	s.text("tonePlanes", "func(dst *float64, src *byte, n, plane int)", "is TonePlanes, planes being plane bytes apart,")
	dst, src, n, plane := load64("dst"), load64("src"), load64("n"), load64("plane")
	white := s.half()
	VMOVDQU(float(255), white)
	i := GP64()
	XORQ(i, i)
	loop("toneplanes", i, n, uint64(s.lanes), func() {
		out := GP64()
		MOVQ(dst, out)
		for c := range 3 {
			v := s.half()
			VMOVDQU(Mem{Base: src, Index: i, Scale: 4}, v)
			VPSHUFB(channelShuffle8(c), v, v)
			VMOVUPD(s.widen(tone(v, white)), s.at(out, i, 0))
			if c < 2 {
				ADDQ(plane, out)
			}
		}
	})
	VZEROUPPER()
	RET()
}

func (s isa) meanToBytes() {
	s.text("meanToBytes", "func(dst *byte, x *float64, sums *float32, n, plane int, count float32)",
		"is MeanToBytes, planes being plane numbers apart,")
	dst, x, sums, n, plane := load64("dst"), load64("x"), load64("sums"), load64("n"), load64("plane")
	count := s.fillHalf("count")
	i := GP64()
	XORQ(i, i)
	loop("mean", i, n, uint64(s.lanes), func() {
		var out [3]reg.VecVirtual
		at, t := GP64(), s.vec()
		MOVQ(i, at)
		for c := range out {
			VMOVUPD(s.at(x, at, 0), t)
			out[c] = s.narrow(t)
			VADDPS(Mem{Base: sums, Index: at, Scale: 4}, out[c], out[c])
			VDIVPS(count, out[c], out[c])
			tone255(out[c])
			if c < 2 {
				ADDQ(plane, at)
			}
		}
		pixels(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
