package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (s single) tones() {
	s.text("tones", "func(dst *float32, src *byte, n int)", "is Tones for n bytes, a multiple of {lanes}.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	white := s.vec()
	s.mov(float(255), white)
	i := GP64()
	XORQ(i, i)
	loop("tones", i, n, uint64(s.lanes), func() {
		v := s.vec()
		VPMOVZXBD(Mem{Base: src, Index: i, Scale: 1}, v)
		VCVTDQ2PS(v, v)
		VDIVPS(white, v, v)
		s.mov(v, Mem{Base: dst, Index: i, Scale: 4})
	})
	VZEROUPPER()
	RET()
}

// colorsToBytes: packing cuts to 0…255.
func colorsToBytes() {
	TEXT("colorsToBytesAVX2", NOSPLIT, "func(dst *byte, src *float32, n int)")
	Pragma("noescape")
	Doc("colorsToBytesAVX2 is ColorsToBytes for n colors, a multiple of 4.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	scale, alpha := YMM(), XMM()
	VMOVDQU(float(255), scale)
	VMOVDQU(lane32(0xff000000), alpha)
	i := GP64()
	XORQ(i, i)
	loop("colors", i, n, 4, func() {
		a, b, hi := YMM(), YMM(), YMM()
		VMULPS(Mem{Base: src}, scale, a)
		VMULPS(Mem{Base: src, Disp: 32}, scale, b)
		VCVTTPS2DQ(a, a)
		VCVTTPS2DQ(b, b)
		VPACKSSDW(b, a, a) // pixels 0 2, 1 3
		VEXTRACTI128(U8(1), a, hi.AsX())
		VPACKUSWB(hi.AsX(), a.AsX(), a.AsX())
		VPSHUFD(U8(0xd8), a.AsX(), a.AsX())
		VPOR(alpha, a.AsX(), a.AsX())
		VMOVDQU(a.AsX(), Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U8(64), src)
	})
	VZEROUPPER()
	RET()
}

// neighbors takes the offsets of n places, in pixels, from memory and calls body with the upper left neighbor of each and the
// one below it.
func neighbors(src, pitch reg.GPVirtual, offsets Mem, n int, body func(j int, above, below reg.GPVirtual)) {
	for j := range n {
		above, below := GP64(), GP64()
		MOVLQSX(offsets.Offset(4*j), above)
		SHLQ(U8(4), above)
		ADDQ(src, above)
		LEAQ(Mem{Base: above, Index: pitch, Scale: 1}, below)
		body(j, above, below)
	}
}

// moveColors: places and weights of eight pixels at a time, then pixel by pixel, whose samples lie side by side.
func moveColors() {
	TEXT("moveColorsAVX2", NOSPLIT,
		"func(dst, src *float32, xs, ys *int32, n int, x, y, right, bottom, width int32) int")
	Pragma("noescape")
	Doc("moveColorsAVX2 is MoveColors for n colors, a multiple of 8; it stops before eight of which one cannot be done.")
	dst, src, xs, ys, n := load64("dst"), load64("src"), load64("xs"), load64("ys"), load64("n")
	all := func(name string) reg.VecVirtual {
		v := YMM()
		addr, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSS(addr.Addr, v)
		return v
	}
	x, y, right, bottom, width := all("x"), all("y"), all("right"), all("bottom"), all("width")
	one := YMM()
	VMOVDQU(float(1), one)
	pitch := GP64()
	Load(Param("width"), pitch.As32())
	MOVLQSX(pitch.As32(), pitch)
	SHLQ(U8(4), pitch)
	offsets, weights := AllocLocal(32), AllocLocal(128)
	i := GP64()
	XORQ(i, i)
	Label("move")
	CMPQ(i, n)
	JGE(LabelRef("move_done"))
	// place leaves the whole pixels in v and returns the fraction.
	place := func(at reg.GPVirtual, from, v reg.VecVirtual) reg.VecVirtual {
		f := YMM()
		VPADDD(Mem{Base: at, Index: i, Scale: 4}, from, v)
		VPSRAD(U8(5), v, v)
		VPAND(lane32(31), v, f)
		VPSRAD(U8(5), v, v)
		VCVTDQ2PS(f, f)
		VMULPS(float(1.0/32), f, f)
		return f
	}
	px, py, ok, t := YMM(), YMM(), YMM(), YMM()
	u, v := place(xs, x, px), place(ys, y, py)
	VPCMPGTD(px, right, ok)
	VPCMPGTD(py, bottom, t)
	VPAND(t, ok, ok)
	VPOR(px, py, t) // negative where one is
	VPSRAD(U8(31), t, t)
	VPANDN(ok, t, ok)
	mask := GP32()
	VMOVMSKPS(ok, mask)
	CMPL(mask, U32(255))
	JNE(LabelRef("move_done"))
	VPMULLD(width, py, py)
	VPADDD(py, px, px)
	VMOVDQU(px, offsets)
	e, f, w := YMM(), YMM(), YMM()
	VSUBPS(u, one, e)
	VSUBPS(v, one, f)
	for k, p := range [][2]reg.VecVirtual{{f, e}, {f, u}, {v, e}, {v, u}} {
		VMULPS(p[1], p[0], w)
		VMOVUPS(w, weights.Offset(32*k))
	}
	neighbors(src, pitch, offsets, 8, func(j int, above, below reg.GPVirtual) {
		sum, p := XMM(), XMM()
		for k, m := range []Mem{{Base: above}, {Base: above, Disp: 16}, {Base: below}, {Base: below, Disp: 16}} {
			q := p
			if k == 0 {
				q = sum
			}
			VBROADCASTSS(weights.Offset(32*k+4*j), q)
			VMULPS(m, q, q)
			if k > 0 {
				VADDPS(q, sum, sum)
			}
		}
		VMOVUPS(sum, Mem{Base: dst, Disp: 16 * j})
	})
	ADDQ(U32(128), dst)
	ADDQ(U8(8), i)
	JMP(LabelRef("move"))
	Label("move_done")
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// displace: as moveColors, four pixels at a time.
func displace() {
	TEXT("displaceAVX2", NOSPLIT, "func(dst, src, dx, dy *float32, n int, at *colorPlace) int")
	Pragma("noescape")
	Doc("displaceAVX2 is Displace for n colors, a multiple of 4; it stops before four of which one cannot be done.")
	dst, src, dx, dy, n := load64("dst"), load64("src"), load64("dx"), load64("dy"), load64("n")
	at := Dereference(Param("at"))
	all := func(name string) reg.VecVirtual {
		v := YMM()
		addr, err := at.Field(name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSD(addr.Addr, v)
		return v
	}
	x, y, right, bottom := all("x"), all("y"), all("right"), all("bottom")
	steps := constant("steps64", func(i int) uint32 { // 0, 1, 2, 3
		return [8]uint32{1: 0, 3: 0x3ff00000, 5: 0x40000000, 7: 0x40080000}[i%8]
	})
	VADDPD(steps, x, x)
	pitch, width := Load(at.Field("width"), GP64()).(reg.GPVirtual), XMM()
	VMOVD(pitch.As32(), width)
	VPBROADCASTD(width, width)
	SHLQ(U8(4), pitch)
	one, zero := YMM(), YMM()
	VMOVUPD(double(1), one)
	VXORPD(zero, zero, zero)
	offsets, weights := AllocLocal(16), AllocLocal(128)
	i := GP64()
	XORQ(i, i)
	Label("displace")
	CMPQ(i, n)
	JGE(LabelRef("displace_done"))
	sx, sy, ok, t := YMM(), YMM(), YMM(), YMM()
	VCVTPS2PD(Mem{Base: dx, Index: i, Scale: 4}, sx)
	VCVTPS2PD(Mem{Base: dy, Index: i, Scale: 4}, sy)
	VADDPD(x, sx, sx)
	VADDPD(y, sy, sy)
	VCMPPD(U8(13), zero, sx, ok) // at least
	VCMPPD(U8(13), zero, sy, t)
	VANDPD(t, ok, ok)
	VCMPPD(U8(1), right, sx, t) // below
	VANDPD(t, ok, ok)
	VCMPPD(U8(1), bottom, sy, t)
	VANDPD(t, ok, ok)
	mask := GP32()
	VMOVMSKPD(ok, mask)
	CMPL(mask, U32(15))
	JNE(LabelRef("displace_done"))
	px, py := XMM(), XMM()
	VCVTTPD2DQY(sx, px)
	VCVTTPD2DQY(sy, py)
	VCVTDQ2PD(px, t)
	VSUBPD(t, sx, sx)
	VCVTDQ2PD(py, t)
	VSUBPD(t, sy, sy)
	VPMULLD(width, py, py)
	VPADDD(py, px, px)
	VMOVDQU(px, offsets)
	VSUBPD(sx, one, t)
	VMOVUPD(t, weights) // of the left column
	VMOVUPD(sx, weights.Offset(32))
	VSUBPD(sy, one, t)
	VMOVUPD(t, weights.Offset(64)) // of the upper row
	VMOVUPD(sy, weights.Offset(96))
	neighbors(src, pitch, offsets, 4, func(j int, above, below reg.GPVirtual) {
		sum, p, left, rightW, row := YMM(), YMM(), YMM(), YMM(), YMM()
		VBROADCASTSD(weights.Offset(8*j), left)
		VBROADCASTSD(weights.Offset(32+8*j), rightW)
		for k, line := range []reg.GPVirtual{above, below} {
			VBROADCASTSD(weights.Offset(64+32*k+8*j), row)
			for l, column := range []reg.VecVirtual{left, rightW} {
				q := p
				if k+l == 0 {
					q = sum
				}
				VCVTPS2PD(Mem{Base: line, Disp: 16 * l}, q)
				VMULPD(row, q, q)
				VMULPD(column, q, q)
				if k+l > 0 {
					VADDPD(q, sum, sum)
				}
			}
		}
		VCVTPD2PSY(sum, sum.AsX())
		VMOVUPS(sum.AsX(), Mem{Base: dst, Disp: 16 * j})
	})
	VADDPD(double(4), x, x)
	ADDQ(U8(64), dst)
	ADDQ(U8(4), i)
	JMP(LabelRef("displace"))
	Label("displace_done")
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
