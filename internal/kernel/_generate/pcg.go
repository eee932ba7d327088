package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of package kernel's PCG, and those of eight steps at once.
const (
	pcgMulHi, pcgMulLo = 0x2360ed051fc65da4, 0x4385df649fccf645
	pcgAddHi, pcgAddLo = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	pcgOutput          = 0xda942042e4dd58b5
)

// pcgLeap returns the factor and the summand of eight steps.
func pcgLeap() (mul, add [2]uint64) {
	step := func(a [2]uint64) [2]uint64 {
		hi, lo := bits.Mul64(a[1], pcgMulLo)
		return [2]uint64{hi + a[0]*pcgMulLo + a[1]*pcgMulHi, lo}
	}
	mul[1] = 1
	for range 8 {
		mul, add = step(mul), step(add)
		var carry uint64
		add[1], carry = bits.Add64(add[1], pcgAddLo, 0)
		add[0] += pcgAddHi + carry
	}
	return mul, add
}

// word64 is a 64-bit constant for all lanes, in memory.
func word64(v uint64) Mem {
	return constant(fmt.Sprintf("word%016x", v), func(i int) uint32 { return uint32(v >> (i % 2 * 32)) })
}

// word64 is [word64], in a register if it is one of those kept.
func (s isa) word64(v uint64) Op {
	if c, ok := s.kept[v]; ok {
		return c
	}
	return word64(v)
}

// keep returns s with constants in registers, where there are enough.
func (s isa) keep(words ...uint64) isa {
	if s.lanes == 8 {
		s.kept = map[uint64]reg.VecVirtual{}
		for _, v := range words {
			s.kept[v] = s.vec()
			VMOVDQU64(word64(v), s.kept[v])
		}
	}
	return s
}

// product is the low half of a times the constant c.
func (s isa) product(a reg.VecVirtual, c uint64) reg.VecVirtual {
	v := s.vec()
	if s.lanes == 8 {
		VPMULLQ(s.word64(c), a, v)
		return v
	}
	high, cross := s.vec(), s.vec()
	VPSRLQ(U8(32), a, high)
	VPMULUDQ(s.word64(c), high, high)
	VPMULUDQ(s.word64(c>>32), a, cross)
	VPADDQ(cross, high, high)
	VPSLLQ(U8(32), high, high)
	VPMULUDQ(s.word64(c), a, v)
	VPADDQ(high, v, v)
	return v
}

// times is the low half of a times b.
func (s isa) times(a, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	if s.lanes == 8 {
		VPMULLQ(b, a, v)
		return v
	}
	high, cross := s.vec(), s.vec()
	VPSRLQ(U8(32), a, high)
	VPMULUDQ(b, high, high)
	VPSRLQ(U8(32), b, cross)
	VPMULUDQ(a, cross, cross)
	VPADDQ(cross, high, high)
	VPSLLQ(U8(32), high, high)
	VPMULUDQ(b, a, v)
	VPADDQ(high, v, v)
	return v
}

func (s isa) bits64(op string, a Op, b, dst reg.VecVirtual) {
	switch {
	case op == "and" && s.lanes == 8:
		VPANDQ(a, b, dst)
	case op == "and":
		VPAND(a, b, dst)
	case op == "or" && s.lanes == 8:
		VPORQ(a, b, dst)
	case op == "or":
		VPOR(a, b, dst)
	case s.lanes == 8:
		VPXORQ(a, b, dst)
	default:
		VPXOR(a, b, dst)
	}
}

func (s isa) mov(from, to Op) {
	if s.lanes == 8 {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// pcgWord stores the outputs of states and the states.
func (s isa) pcgWord(hi, lo reg.VecVirtual, word, his, los Mem) {
	s.mov(hi, his)
	s.mov(lo, los)
	v, odd := s.vec(), s.vec()
	VPSRLQ(U8(32), hi, v)
	s.bits64("xor", hi, v, v)
	v = s.product(v, pcgOutput)
	VPSRLQ(U8(48), v, odd)
	s.bits64("xor", odd, v, v)
	s.bits64("or", s.word64(1), lo, odd)
	s.mov(s.times(v, odd), word)
}

// pcgStep advances states by eight steps.
func (s isa) pcgStep(hi, lo reg.VecVirtual) {
	mul, add := pcgLeap()
	// The high half of lo·mul, from products of 32 bits.
	upper, low, mid, mid2, top := s.vec(), s.vec(), s.vec(), s.vec(), s.vec()
	VPSRLQ(U8(32), lo, upper)
	VPMULUDQ(s.word64(mul[1]), lo, low)
	VPMULUDQ(s.word64(mul[1]), upper, mid)
	VPMULUDQ(s.word64(mul[1]>>32), lo, mid2)
	VPMULUDQ(s.word64(mul[1]>>32), upper, top)
	carry := s.vec()
	VPSRLQ(U8(32), low, carry)
	VPADDQ(carry, mid, mid)
	s.bits64("and", s.word64(1<<32-1), mid, carry)
	VPADDQ(carry, mid2, mid2)
	VPSRLQ(U8(32), mid, mid)
	VPADDQ(mid, top, top)
	VPSRLQ(U8(32), mid2, carry)
	VPADDQ(carry, top, top)
	VPADDQ(s.product(hi, mul[1]), top, top)
	VPADDQ(s.product(lo, mul[0]), top, top)
	VPADDQ(s.word64(add[0]), top, hi)
	// The low half is that of low, with the low half of the middle products above it. The sum carries where it is below the
	// summand.
	VPSLLQ(U8(32), mid2, mid2)
	s.bits64("and", s.word64(1<<32-1), low, low)
	s.bits64("or", mid2, low, low)
	VPADDQ(s.word64(add[1]), low, lo)
	if s.lanes == 8 {
		k := K()
		VPCMPUQ(U8(1), s.word64(add[1]), lo, k)
		VPADDQ(s.word64(1), hi, k, hi)
		return
	}
	sign, limit := s.vec(), s.vec() // there are only signed comparisons
	s.bits64("xor", s.word64(1<<63), lo, sign)
	s.mov(s.word64(add[1]^1<<63), limit)
	VPCMPGTQ(sign, limit, sign)
	VPSUBQ(sign, hi, hi)
}

func (s isa) pcg() {
	TEXT("pcg"+s.suffix, NOSPLIT, "func(word, hi, lo *uint64, n int, lanes *pcgLanes)")
	Pragma("noescape")
	Doc("pcg" + s.suffix + " is PCG.Next for n words, a multiple of 8.")
	word, his, los, n, lanes := load64("word"), load64("hi"), load64("lo"), load64("n"), load64("lanes")
	parts := 8 / s.lanes
	hi, lo := s.vectors(parts), s.vectors(parts)
	for j := range parts {
		s.mov(Mem{Base: lanes, Disp: 8 * j * s.lanes}, hi[j])
		s.mov(Mem{Base: lanes, Disp: 64 + 8*j*s.lanes}, lo[j])
	}
	mul, add := pcgLeap()
	s = s.keep(pcgOutput, mul[0], mul[1], mul[1]>>32, add[0], add[1], 1<<32-1, 1)
	i := GP64()
	XORQ(i, i)
	loop("pcg", i, n, 8, func() {
		for j := range parts {
			s.pcgWord(hi[j], lo[j], s.at(word, i, j), s.at(his, i, j), s.at(los, i, j))
			s.pcgStep(hi[j], lo[j])
		}
	})
	for j := range parts {
		s.mov(hi[j], Mem{Base: lanes, Disp: 8 * j * s.lanes})
		s.mov(lo[j], Mem{Base: lanes, Disp: 64 + 8*j*s.lanes})
	}
	VZEROUPPER()
	RET()
}
