package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// unitPixels is how many pixels unitStore stores.
func (s isa) unitPixels() int { return s.lanes * s.lanes / 4 }

// unitStore returns what stores pixels of whole numbers of 32 bits, three for each pixel: number gives those from the j-th on.
// With AVX-512 48 of them become 48 bytes, which a permute spreads to four for each of sixteen pixels; with AVX2 twelve become
// four pixels. Packing cuts to 0..255.
func (s isa) unitStore() func(number func(j int) reg.VecVirtual, dst Mem) {
	if s.lanes == 4 {
		spread, alpha := XMM(), XMM()
		VMOVDQU(constant("spread8", func(i int) uint32 { return 0x80020100 + uint32(3*i)*0x010101 }), spread)
		VMOVDQU(lane32(0xff000000), alpha)
		return func(number func(j int) reg.VecVirtual, dst Mem) {
			var v [3]reg.VecVirtual
			for k := range v {
				v[k] = number(4 * k)
			}
			VPACKSSDW(v[1], v[0], v[0])
			VPACKSSDW(v[2], v[2], v[2])
			VPACKUSWB(v[2], v[0], v[0])
			VPSHUFB(spread, v[0], v[0])
			VPOR(alpha, v[0], v[0])
			VMOVDQU(v[0], dst)
		}
	}
	zero, alpha, spread := ZMM(), broadcast(0xff000000), ZMM()
	VPXORD(zero, zero, zero)
	VMOVDQU64(byteTable("spread", func(i int) int { return i/4*3 + i%4 }), spread)
	colors := mask64(colorBytes)
	return func(number func(j int) reg.VecVirtual, dst Mem) {
		all := ZMM()
		for k := range 3 {
			lo, x := ZMM(), XMM()
			first, second := number(16*k), number(16*k+8)
			VINSERTI64X4(U8(1), second, first.AsZ(), lo)
			VPMAXSD(zero, lo, lo)
			VPMOVUSDB(lo, x)
			if k == 0 {
				VMOVDQA32(x, all.AsX())
			} else {
				VINSERTI32X4(U8(k), x, all, all)
			}
		}
		out := ZMM()
		VMOVDQA64(alpha, out)
		VPERMB(all, spread, colors, out)
		VMOVDQU64(out, dst)
	}
}

func (s isa) unitToBytes() {
	TEXT("unitToBytes"+s.suffix, NOSPLIT, "func(dst *byte, src *float64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("unitToBytes%s is UnitToBytes for n pixels, a multiple of %d.", s.suffix, s.unitPixels()))
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale := s.vec()
	VMOVUPD(double(255), scale)
	store := s.unitStore()
	i := GP64()
	XORQ(i, i)
	loop("unit", i, n, uint64(s.unitPixels()), func() {
		store(func(j int) reg.VecVirtual { return s.truncate(s.mul(Mem{Base: src, Disp: 8 * j}, scale)) }, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U32(uint32(24*s.unitPixels())), src)
	})
	VZEROUPPER()
	RET()
}

// pack stores the bytes of unitPixels pixels without the fourth ones.
func (s isa) pack(from, to Mem) {
	order := byteTable("pack", func(i int) int { return i/3*4%64 + i%3 })
	if s.lanes == 8 {
		v := ZMM()
		VMOVDQU64(order, v)
		VPERMB(from, v, v)
		VMOVDQU64(v, to)
		return
	}
	v := XMM()
	VMOVDQU(from, v)
	VPSHUFB(order, v, v)
	VMOVDQU(v, to)
}

// addNormals packs the bytes of some pixels without the fourth ones and takes them from memory.
func (s isa) addNormals() {
	TEXT("addNormals"+s.suffix, NOSPLIT, "func(dst, src *byte, z *float32, n int, sigma, share float64)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addNormals%s is AddNormals for n pixels, a multiple of %d.", s.suffix, s.unitPixels()))
	dst, src, z, n := load64("dst"), load64("src"), load64("z"), load64("n")
	sigma, share := s.fill("sigma"), s.fill("share")
	store, local := s.unitStore(), AllocLocal(64)
	i := GP64()
	XORQ(i, i)
	loop("normals", i, n, uint64(s.unitPixels()), func() {
		s.pack(Mem{Base: src, Index: i, Scale: 4}, local)
		store(func(j int) reg.VecVirtual {
			v := s.half()
			VPMOVZXBD(local.Offset(j), v)
			x := s.unit(v)
			noise := s.mul(s.widen(Mem{Base: z, Disp: 4 * j}), s.plus(sigma, s.mul(x, share)))
			return s.byte255(s.plus(noise, x))
		}, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U32(uint32(12*s.unitPixels())), z)
	})
	VZEROUPPER()
	RET()
}

func (s single) addFour() {
	TEXT("addFour"+s.suffix, NOSPLIT, "func(dst, a, b, c, d *uint64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("addFour%s is AddFour for n numbers, a multiple of %d.", s.suffix, s.lanes/2))
	dst, a, b, c, d, n := load64("dst"), load64("a"), load64("b"), load64("c"), load64("d"), load64("n")
	i := GP64()
	XORQ(i, i)
	loop("four", i, n, uint64(s.lanes/2), func() {
		sum := s.load(Mem{Base: dst, Index: i, Scale: 8})
		for _, p := range []reg.GPVirtual{a, b, c, d} {
			VPADDQ(Mem{Base: p, Index: i, Scale: 8}, sum, sum)
		}
		s.mov(sum, Mem{Base: dst, Index: i, Scale: 8})
	})
	VZEROUPPER()
	RET()
}
