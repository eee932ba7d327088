package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mixBytes sums with fused multiply-add into 256.5 and a margin: the mantissa of a sum then is eight bits of the result and
// fifteen of the fraction, in which the estimate is decided where they are not all 0 from twice the margin on. Values of green
// and blue stay where they are in a pixel, as whole numbers 2^8 and 2^16 times as large. Pixels of a register with any
// undecided value are summed as MixBytes says.
func (s single) mixBytes() {
	s.text("mixBytes", "func(dst *byte, n int, srcs *[]uint8, weights *float32, count int, start *[3]float32, decided uint32)",
		"is the loop of MixBytes for n bytes, a multiple of {bytes}. start is what sums begin with, decided see mixMargin.")
	name := "mixbytes" + s.suffix
	dst, n, srcs, weights, count := load64("dst"), load64("n"), load64("srcs"), load64("weights"), load64("count")
	var start, bytes [3]reg.VecVirtual
	p := load64("start")
	for c := range start {
		start[c], bytes[c] = s.vec(), s.load(lane32(0xff<<(8*c)))
		VBROADCASTSS(Mem{Base: p, Disp: 4 * c}, start[c])
	}
	decided := s.fill("decided")
	zero := s.zero()
	pack, ctl := s.newPacker(), s.shuffles()
	i := GP64()
	XORQ(i, i)
	loop(name, i, n, s.bytes(), func() {
		var sums [3]reg.VecVirtual
		for c := range sums {
			sums[c] = s.vec()
			VMOVAPS(start[c], sums[c])
		}
		s.eachSource(name+"_one", srcs, weights, count, i, func(x reg.VecVirtual, weight Mem) {
			w, t := s.vec(), s.vec()
			if !s.wide() {
				VBROADCASTSS(weight, w)
			}
			for c := range sums {
				s.and(bytes[c], x, t)
				VCVTDQ2PS(t, t)
				if s.wide() {
					VFMADD231PS_BCST(weight, t, sums[c])
				} else {
					VFMADD231PS(w, t, sums[c])
				}
			}
		})
		out := s.vec()
		pack.mantissas(sums, out)
		s.jumpIfDecided(sums, decided, zero, name+"_store")
		s.unfused(name+"_exact", srcs, weights, count, i, ctl, sums)
		s.mov(lane32(0xff000000), out)
		for c := range sums {
			VADDPS(float(0.5), sums[c], sums[c])
			VMAXPS(zero, sums[c], sums[c])
			VMINPS(float(255), sums[c], sums[c])
			VCVTTPS2DQ(sums[c], sums[c])
			if c > 0 {
				VPSLLD(U8(8*c), sums[c], sums[c])
			}
			s.or(sums[c], out, out)
		}
		Label(name + "_store")
		s.mov(out, Mem{Base: dst, Index: i, Scale: 1})
	})
	VZEROUPPER()
	RET()
}

// eachSource calls body with a register of pixels at byte i of every source and where its weight is. srcs points at slice
// headers of 24 bytes.
func (s single) eachSource(label string, srcs, weights, count, i reg.GPVirtual, body func(x reg.VecVirtual, weight Mem)) {
	p, hdr, wp, k := GP64(), GP64(), GP64(), GP64()
	MOVQ(srcs, hdr)
	MOVQ(weights, wp)
	MOVQ(count, k)
	Label(label)
	MOVQ(Mem{Base: hdr}, p)
	body(s.load(Mem{Base: p, Index: i, Scale: 1}), Mem{Base: wp})
	ADDQ(U8(24), hdr)
	ADDQ(U8(4), wp)
	DECQ(k)
	JNZ(LabelRef(label))
}

// shuffles is channelShuffles, in registers where there are enough.
func (s single) shuffles() (ctl [3]Op) {
	for c := range ctl {
		if ctl[c] = channelShuffle8(c); s.wide() {
			ctl[c] = s.load(channelShuffle8(c))
		}
	}
	return ctl
}

// unfused sums the channels of a register of pixels as MixBytes and MixPlanes say.
func (s single) unfused(label string, srcs, weights, count, i reg.GPVirtual, ctl [3]Op, sums [3]reg.VecVirtual) {
	for _, sum := range sums {
		VXORPS(sum, sum, sum)
	}
	s.eachSource(label, srcs, weights, count, i, func(x reg.VecVirtual, weight Mem) {
		w, t := s.vec(), s.vec()
		if !s.wide() {
			VBROADCASTSS(weight, w)
		}
		for c, sum := range sums {
			VPSHUFB(ctl[c], x, t)
			VCVTDQ2PS(t, t)
			if s.wide() {
				VMULPS_BCST(weight, t, t)
			} else {
				VMULPS(w, t, t)
			}
			VADDPS(t, sum, sum)
		}
	})
}

// jumpIfDecided jumps where every sum has one of the bits of decided.
func (s single) jumpIfDecided(sums [3]reg.VecVirtual, decided, zero reg.VecVirtual, label string) {
	if s.wide() {
		k, any := K(), K()
		VPTESTNMD(decided, sums[0], any)
		for _, sum := range sums[1:] {
			VPTESTNMD(decided, sum, k)
			KORW(k, any, any)
		}
		KORTESTW(any, any)
		JZ(LabelRef(label))
		return
	}
	t, least := YMM(), YMM()
	VPAND(decided, sums[0], least)
	for _, sum := range sums[1:] {
		VPAND(decided, sum, t)
		VPMINUD(t, least, least)
	}
	VPCMPEQD(zero, least, least)
	VPTEST(least, least)
	JZ(LabelRef(label))
}

// packer takes bits 15 to 22 of three registers into pixels.
type packer struct {
	single
	bits reg.VecVirtual
	pick [3]reg.OpmaskVirtual
}

func (s single) newPacker() (p packer) {
	p.single = s
	if s.wide() {
		p.bits = s.load(constant("mantissas", func(i int) uint32 { return 0x0f0f0f0f + uint32(i%2)*0x20202020 })) // bits 15 and 47
		for c := range p.pick {
			p.pick[c] = mask64(0x1111111111111111 << c)
		}
	}
	return p
}

func (p packer) mantissas(sums [3]reg.VecVirtual, out reg.VecVirtual) {
	p.mov(lane32(0xff000000), out)
	if p.wide() {
		for c, sum := range sums {
			VPMULTISHIFTQB(sum, p.bits, p.pick[c], out)
		}
		return
	}
	for c, sum := range sums {
		t := YMM()
		if c < 2 {
			VPSRLD(U8(15-8*c), sum, t)
		} else {
			VPSLLD(U8(1), sum, t)
		}
		VPAND(lane32(0xff<<(8*c)), t, t)
		VPOR(t, out, out)
	}
}

func (s single) mixPlanes() {
	s.text("mixPlanes", "func(dst *float32, n, plane int, srcs *[]uint8, weights *float32, count int, scale, bias *[3]float32)",
		"is the loop of MixPlanes for the pixels of n bytes, a multiple of {bytes}; planes are plane bytes apart.")
	name := "mixplanes" + s.suffix
	dst, n, plane := load64("dst"), load64("n"), load64("plane")
	srcs, weights, count := load64("srcs"), load64("weights"), load64("count")
	var scale, bias, sums [3]reg.VecVirtual
	sp, bp := load64("scale"), load64("bias")
	for c := range sums {
		scale[c], bias[c], sums[c] = s.vec(), s.vec(), s.vec()
		VBROADCASTSS(Mem{Base: sp, Disp: 4 * c}, scale[c])
		VBROADCASTSS(Mem{Base: bp, Disp: 4 * c}, bias[c])
	}
	ctl := s.shuffles()
	i := GP64()
	XORQ(i, i)
	loop(name, i, n, s.bytes(), func() {
		s.unfused(name+"_one", srcs, weights, count, i, ctl, sums)
		out := GP64()
		MOVQ(dst, out)
		for c, sum := range sums {
			VMULPS(scale[c], sum, sum)
			VADDPS(bias[c], sum, sum)
			VMOVUPS(sum, Mem{Base: out, Index: i, Scale: 1})
			if c < 2 {
				ADDQ(plane, out)
			}
		}
	})
	VZEROUPPER()
	RET()
}
