package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// single is an instruction set for float32 loops.
type single struct {
	suffix string
	lanes  int
	vec    func() reg.VecVirtual
}

var singles = []single{{"AVX512", 16, ZMM}, {"AVX2", 8, YMM}}

func (s single) wide() bool { return s.lanes == 16 }

// bytes is the size of a register.
func (s single) bytes() uint64 { return uint64(4 * s.lanes) }

// text starts the function of that name. doc continues the name; {lanes} in it is how many 32-bit lanes a register has, {words}
// and {bytes} how many of those.
func (s single) text(name, signature, doc string) {
	TEXT(name+s.suffix, NOSPLIT, signature)
	Pragma("noescape")
	sizes := strings.NewReplacer("{lanes}", strconv.Itoa(s.lanes), "{words}", strconv.Itoa(2*s.lanes), "{bytes}", strconv.Itoa(4*s.lanes))
	Doc(name + s.suffix + " " + sizes.Replace(doc))
}

func (s single) mov(from, to Op) {
	if s.wide() {
		VMOVDQU32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (s single) load(m Mem) reg.VecVirtual {
	v := s.vec()
	s.mov(m, v)
	return v
}

// lane32 is a 32-bit constant for all lanes, in memory.
func lane32(v uint32) Mem {
	return constant(fmt.Sprintf("all%08x", v), func(int) uint32 { return v })
}

func float(v float32) Mem { return lane32(math.Float32bits(v)) }

// fill loads a parameter into all lanes.
func (s single) fill(name string) reg.VecVirtual {
	v := s.vec()
	addr, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSS(addr.Addr, v)
	return v
}

func (s single) zero() reg.VecVirtual {
	v := s.vec()
	if s.wide() {
		VPXORD(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
	return v
}

func (s single) and(m Op, a, dst reg.VecVirtual) {
	if s.wide() {
		VPANDD(m, a, dst)
	} else {
		VPAND(m, a, dst)
	}
}

func (s single) or(a Op, b, dst reg.VecVirtual) {
	if s.wide() {
		VPORD(a, b, dst)
	} else {
		VPOR(a, b, dst)
	}
}

// channel takes the bytes of channel c of the pixels in pix to float32.
func (s single) channel(c int, pix reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	VPSHUFB(channelShuffle8(c), pix, v)
	VCVTDQ2PS(v, v)
	return v
}

// horner evaluates the polynomial with the coefficients c, the constant first, unfused, of every f in step: each waits for
// itself only.
func (s single) horner(f []reg.VecVirtual, c []float32) (p []reg.VecVirtual) {
	for range f {
		p = append(p, s.vec())
	}
	for i := len(c) - 1; i >= 0; i-- {
		for k := range p {
			if i == len(c)-1 {
				VMULPS(float(c[i]), f[k], p[k])
				continue
			}
			VADDPS(float(c[i]), p[k], p[k])
			if i > 0 {
				VMULPS(f[k], p[k], p[k])
			}
		}
	}
	return p
}

// The constants of package kernel's log2 and exp2.
var (
	logC = []float32{
		0x1.71546ep+0, -0x1.71558p-1, 0x1.ec81d2p-2, -0x1.70d62cp-2, 0x1.24e4b8p-2, -0x1.fbd5b2p-3, 0x1.ef5ac4p-3, -0x1.46ad3p-3,
	}
	expC = []float32{
		0x1.62e43p-1, 0x1.ebfbdcp-3, 0x1.c6aee8p-5, 0x1.3b2d4ap-7, 0x1.5f3e2ep-10, 0x1.41fdp-13,
	}
)

const logBase = 0x3f330000

// log2 is kernel.log2 for numbers that are not 0. The numbers are lost.
func (s single) log2(x []reg.VecVirtual) []reg.VecVirtual {
	exponents := AllocLocal(len(x) * int(s.bytes())) // there are not enough registers
	base, mantissa, one := s.load(lane32(logBase)), s.load(lane32(0x7fffff)), s.load(float(1))
	for i, v := range x {
		e := s.vec()
		VPSUBD(base, v, v)
		VPSRAD(U8(23), v, e)
		VCVTDQ2PS(e, e)
		VMOVUPS(e, exponents.Offset(i*int(s.bytes())))
		s.and(mantissa, v, v)
		VPADDD(base, v, v)
		VSUBPS(one, v, v)
	}
	p := s.horner(x, logC)
	for i, v := range x {
		VMULPS(v, p[i], p[i])
		VADDPS(exponents.Offset(i*int(s.bytes())), p[i], p[i])
	}
	return p
}

// zeroLog puts into p what stands for the logarithm of 0 where x is 0.
func (s single) zeroLog(x Mem, zero, p reg.VecVirtual) {
	if s.wide() {
		k := K()
		VCMPPS(U8(0), x, zero, k) // equal
		VMOVUPS(float(-0x1p100), k, p)
		return
	}
	m := s.vec()
	VCMPPS(U8(0), x, zero, m)
	VBLENDVPS(m, float(-0x1p100), p, p)
}

// exp2 is kernel.exp2; t is lost.
func (s single) exp2(t []reg.VecVirtual, zero reg.VecVirtual) []reg.VecVirtual {
	var k, keep []reg.VecVirtual
	var masks []reg.OpmaskVirtual
	for i, v := range t {
		k = append(k, s.vec())
		if s.wide() {
			masks = append(masks, K())
			VCMPPS(U8(13), float(-126), v, masks[i]) // at least
		} else {
			keep = append(keep, s.vec())
			VCMPPS(U8(13), float(-126), v, keep[i])
		}
		VMINPS(zero, v, v)
		VADDPS(float(0x1.8p23), v, k[i])
		f := s.vec()
		VSUBPS(float(0x1.8p23), k[i], f)
		VSUBPS(f, v, v)
	}
	p := s.horner(t, expC)
	for i, v := range t {
		VMULPS(v, p[i], p[i])
		VADDPS(float(1), p[i], p[i])
		VPSLLD(U8(23), k[i], k[i])
		if s.wide() {
			VPADDD_Z(k[i], p[i], masks[i], p[i])
		} else {
			VPADDD(k[i], p[i], p[i])
			VPAND(keep[i], p[i], p[i])
		}
	}
	return p
}

// eachChannel loops over n pixels of other and calls body with the address of cur's values and the bytes of each
// channel.
func (s single) eachChannel(name string, body func(at Mem, c int, pix reg.VecVirtual)) {
	cur, other, n, plane := load64("cur"), load64("other"), load64("n"), load64("plane")
	name += s.suffix
	i := GP64()
	XORQ(i, i)
	loop(name, i, n, uint64(s.lanes), func() {
		pix := s.load(Mem{Base: other, Index: i, Scale: 4})
		p := GP64()
		MOVQ(cur, p)
		for c := range 3 {
			body(Mem{Base: p, Index: i, Scale: 4}, c, pix)
			if c < 2 {
				ADDQ(plane, p)
			}
		}
	})
	VZEROUPPER()
	RET()
}

func (s single) pixAdd() {
	TEXT("pixAdd"+s.suffix, NOSPLIT, "func(cur *float32, other *byte, n, plane int, a, b, c float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("pixAdd%s is PixAdd for n pixels, a multiple of %d; planes are plane bytes apart.", s.suffix, s.lanes))
	a, b, c := s.fill("a"), s.fill("b"), s.fill("c")
	zero := s.zero()
	s.eachChannel("pixadd", func(at Mem, ch int, pix reg.VecVirtual) {
		v, x := s.channel(ch, pix), s.vec()
		VMULPS(b, v, v)
		VMULPS(at, a, x)
		VADDPS(v, x, x)
		VADDPS(c, x, x)
		VMAXPS(zero, x, x)
		VMINPS(float(1), x, x)
		VMOVUPS(x, at)
	})
}

func (s single) pixMultiply() {
	TEXT("pixMultiply"+s.suffix, NOSPLIT, "func(cur *float32, other *byte, n, plane int, a, b, c float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("pixMultiply%s is PixMultiply for n pixels, a multiple of %d, with c as there; planes are plane bytes apart.",
		s.suffix, s.lanes))
	cur, other, n, plane := load64("cur"), load64("other"), load64("n"), load64("plane")
	i, second, third := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: cur, Index: plane, Scale: 1}, second)
	LEAQ(Mem{Base: second, Index: plane, Scale: 1}, third)
	var at [3]Mem
	for c, base := range []reg.GPVirtual{cur, second, third} {
		at[c] = Mem{Base: base, Index: i, Scale: 4}
	}
	zero, a, b, d := s.zero(), s.fill("a"), s.fill("b"), s.fill("c")
	XORQ(i, i)
	loop("pixlogarithms"+s.suffix, i, n, uint64(s.lanes), func() {
		pix := s.load(Mem{Base: other, Index: i, Scale: 4})
		var x []reg.VecVirtual // of the image, then of the other
		for c := range at {
			x = append(x, s.load(at[c]))
		}
		for c := range at {
			v := s.channel(c, pix)
			VMULPS(float(2.0/255), v, v)
			VMAXPS(float(1e-37), v, v)
			x = append(x, v)
		}
		p := s.log2(x)
		for c := range at {
			s.zeroLog(at[c], zero, p[c])
			VMULPS(a, p[c], p[c])
			VMULPS(b, p[3+c], p[3+c])
			VADDPS(p[3+c], p[c], p[c])
			VADDPS(d, p[c], p[c])
			VMOVUPS(p[c], at[c])
		}
	})
	XORQ(i, i)
	loop("pixpowers"+s.suffix, i, n, uint64(s.lanes), func() {
		var t []reg.VecVirtual
		for c := range at {
			t = append(t, s.load(at[c]))
		}
		for c, v := range s.exp2(t, zero) {
			VMOVUPS(v, at[c])
		}
	})
	VZEROUPPER()
	RET()
}

func (s single) scaleBias() {
	TEXT("scaleBias"+s.suffix, NOSPLIT, "func(dst, src *float32, n int, scale, bias float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("scaleBias%s is ScaleBias for n numbers, a multiple of %d.", s.suffix, s.lanes))
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale, bias := s.fill("scale"), s.fill("bias")
	i := GP64()
	XORQ(i, i)
	loop("scalebias"+s.suffix, i, n, uint64(s.lanes), func() {
		x := s.vec()
		VMULPS(Mem{Base: src, Index: i, Scale: 4}, scale, x)
		VADDPS(bias, x, x)
		VMOVUPS(x, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (s single) blend() {
	TEXT("blend"+s.suffix, NOSPLIT, "func(dst, v, u *float32, n int, a, b float32)")
	Pragma("noescape")
	Doc(fmt.Sprintf("blend%s is Blend for n numbers, a multiple of %d.", s.suffix, s.lanes))
	dst, v, u, n := load64("dst"), load64("v"), load64("u"), load64("n")
	a, b := s.fill("a"), s.fill("b")
	i := GP64()
	XORQ(i, i)
	loop("blend"+s.suffix, i, n, uint64(s.lanes), func() {
		x, y := s.vec(), s.vec()
		VMULPS(Mem{Base: v, Index: i, Scale: 4}, a, x)
		VMULPS(Mem{Base: u, Index: i, Scale: 4}, b, y)
		VADDPS(y, x, x)
		VMOVUPS(x, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

func (s single) planesToBytes() {
	TEXT("planesToBytes"+s.suffix, NOSPLIT, "func(dst *byte, src *float32, n, plane int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("planesToBytes%s is PlanesToBytes for n pixels, a multiple of %d; planes are plane bytes apart.",
		s.suffix, s.lanes))
	dst, src, n, plane := load64("dst"), load64("src"), load64("n"), load64("plane")
	zero := s.zero()
	i := GP64()
	XORQ(i, i)
	loop("planestobytes"+s.suffix, i, n, uint64(s.lanes), func() {
		out, p := s.load(lane32(0xff000000)), GP64()
		MOVQ(src, p)
		for c := range 3 {
			x := s.vec()
			VMOVUPS(Mem{Base: p, Index: i, Scale: 4}, x)
			VMULPS(float(255), x, x)
			VADDPS(float(0.5), x, x)
			VMAXPS(zero, x, x)
			VMINPS(float(255), x, x)
			VCVTTPS2DQ(x, x)
			if c > 0 {
				VPSLLD(U8(8*c), x, x)
			}
			s.or(x, out, out)
			if c < 2 {
				ADDQ(plane, p)
			}
		}
		s.mov(out, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}
