package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// resizeRow: sixteen bytes at a time, widened to 32 bits, times the weight of their row.
func resizeRow() {
	TEXT("resizeRowAVX512", NOSPLIT, "func(dst, src *byte, stride int, w *int32, taps, n int)")
	Pragma("noescape")
	Doc("resizeRowAVX512 is the loop of ResizeRow for n bytes.")
	dst, src, stride, w := load64("dst"), load64("src"), load64("stride"), load64("w")
	taps, n := load64("taps"), load64("n")
	half, zero := broadcast(1<<21), ZMM()
	VPXORD(zero, zero, zero)
	acc := [4]reg.VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	t := [4]reg.VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	k, p, wp := GP64(), GP64(), GP64()
	kt := K()
	f := ZMM()
	block := func(name string, count int) {
		for j := range count {
			VMOVDQA64(half, acc[j])
		}
		MOVQ(src, p)
		MOVQ(w, wp)
		MOVQ(taps, k)
		Label(name + "_tap")
		VPBROADCASTD(Mem{Base: wp}, f)
		for j := range count {
			if count == 1 {
				VPMOVZXBD_Z(Mem{Base: p}, kt, t[j])
			} else {
				VPMOVZXBD(Mem{Base: p, Disp: 16 * j}, t[j])
			}
			VPMULLD(f, t[j], t[j])
			VPADDD(t[j], acc[j], acc[j])
		}
		ADDQ(stride, p)
		ADDQ(U8(4), wp)
		DECQ(k)
		JNZ(LabelRef(name + "_tap"))
		for j := range count {
			VPSRAD(U8(22), acc[j], acc[j])
			VPMAXSD(zero, acc[j], acc[j])
			if count == 1 {
				VPMOVUSDB(acc[j], kt, Mem{Base: dst})
			} else {
				VPMOVUSDB(acc[j], Mem{Base: dst, Disp: 16 * j})
			}
		}
	}
	Label("sixtyfour")
	CMPQ(n, U8(64))
	JLT(LabelRef("sixteen"))
	block("four", 4)
	ADDQ(U8(64), src)
	ADDQ(U8(64), dst)
	SUBQ(U8(64), n)
	JMP(LabelRef("sixtyfour"))
	Label("sixteen")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	g := GP32()
	MOVL(U32(0xffff), g)
	CMPQ(n, U8(16))
	JGE(LabelRef("full"))
	BZHIL(n.As32(), g, g)
	Label("full")
	KMOVW(g, kt)
	block("one", 1)
	ADDQ(U8(16), src)
	ADDQ(U8(16), dst)
	SUBQ(U8(16), n)
	JMP(LabelRef("sixteen"))
	Label("done")
	VZEROUPPER()
	RET()
}

// resizeColumns: sixteen output pixels at a time; a tap gathers one source pixel for each.
func resizeColumns() {
	TEXT("resizeColumnsAVX512", NOSPLIT, "func(dst, src *byte, start, w *int32, taps, n int)")
	Pragma("noescape")
	Doc("resizeColumnsAVX512 is the loop of ResizeColumns for one row of n pixels.")
	dst, src, start, w := load64("dst"), load64("src"), load64("start"), load64("w")
	taps, n := load64("taps"), load64("n")
	half, zero, top, one, alpha := broadcast(1<<21), ZMM(), broadcast(255), broadcast(1), broadcast(0xff000000)
	VPXORD(zero, zero, zero)
	ctl := channelShuffles()
	at, px, t, f := ZMM(), ZMM(), ZMM(), ZMM()
	acc := [3]reg.VecVirtual{ZMM(), ZMM(), ZMM()}
	k := GP64()
	kt, kg := K(), K()
	KXNORW(kt, kt, kt)
	Label("sixteen")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	CMPQ(n, U8(16))
	JGE(LabelRef("full"))
	g := GP32()
	MOVL(U32(0xffff), g)
	BZHIL(n.As32(), g, g)
	KMOVW(g, kt)
	Label("full")
	VMOVDQU64(Mem{Base: start}, at)
	for _, a := range acc {
		VMOVDQA64(half, a)
	}
	MOVQ(taps, k)
	Label("tap")
	KMOVW(kt, kg)
	VPXORD(px, px, px)
	VPGATHERDD(Mem{Base: src, Index: at, Scale: 4}, kg, px)
	VMOVDQU64(Mem{Base: w}, f)
	for c, a := range acc {
		VPSHUFB(ctl[c], px, t)
		VPMULLD(f, t, t)
		VPADDD(t, a, a)
	}
	VPADDD(one, at, at)
	ADDQ(U8(64), w)
	DECQ(k)
	JNZ(LabelRef("tap"))
	out := ZMM()
	VMOVDQA64(alpha, out)
	for c, a := range acc {
		VPSRAD(U8(22), a, a)
		VPMAXSD(zero, a, a)
		VPMINSD(top, a, a)
		if c > 0 {
			VPSLLD(U8(8*c), a, a)
		}
		VPORD(a, out, out)
	}
	VMOVDQU32(out, kt, Mem{Base: dst})
	ADDQ(U8(64), dst)
	ADDQ(U8(64), start)
	SUBQ(U8(16), n)
	JMP(LabelRef("sixteen"))
	Label("done")
	VZEROUPPER()
	RET()
}

// resizeRow8: eight bytes at a time. The last step starts where it ends with the row and does some bytes again.
func resizeRow8() {
	TEXT("resizeRowAVX2", NOSPLIT, "func(dst, src *byte, stride int, w *int32, taps, n int)")
	Pragma("noescape")
	Doc("resizeRowAVX2 is the loop of ResizeRow for n bytes, at least 8.")
	dst, src, stride, w := load64("dst"), load64("src"), load64("stride"), load64("w")
	taps, n := load64("taps"), load64("n")
	acc := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	t := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	i, last, k, p, wp := GP64(), GP64(), GP64(), GP64(), GP64()
	f := YMM()
	block := func(name string, count int) {
		for j := range count {
			VMOVDQU(lane32(1<<21), acc[j])
		}
		LEAQ(Mem{Base: src, Index: i, Scale: 1}, p)
		MOVQ(w, wp)
		MOVQ(taps, k)
		Label(name + "_tap")
		VPBROADCASTD(Mem{Base: wp}, f)
		for j := range count {
			VPMOVZXBD(Mem{Base: p, Disp: 8 * j}, t[j])
			VPMULLD(f, t[j], t[j])
			VPADDD(t[j], acc[j], acc[j])
		}
		ADDQ(stride, p)
		ADDQ(U8(4), wp)
		DECQ(k)
		JNZ(LabelRef(name + "_tap"))
		for j := range count {
			VPSRAD(U8(22), acc[j], acc[j])
			singles[1].storeLow(acc[j], Mem{Base: dst, Index: i, Scale: 1, Disp: 8 * j})
		}
	}
	XORQ(i, i)
	LEAQ(Mem{Base: n, Disp: -32}, last)
	Label("thirtytwo")
	CMPQ(i, last)
	JGT(LabelRef("eights"))
	block("four", 4)
	ADDQ(U8(32), i)
	JMP(LabelRef("thirtytwo"))
	Label("eights")
	ADDQ(U8(24), last)
	CMPQ(i, n)
	JGE(LabelRef("done"))
	Label("eight")
	CMPQ(i, last)
	CMOVQGT(last, i)
	block("one", 1)
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JLT(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// resizeColumns8: eight output pixels at a time, the two halves of a block after each other.
func resizeColumns8() {
	TEXT("resizeColumnsAVX2", NOSPLIT, "func(dst, src *byte, start, w *int32, taps, n int)")
	Pragma("noescape")
	Doc("resizeColumnsAVX2 is the loop of ResizeColumns for one row of n pixels.")
	dst, src, start, w := load64("dst"), load64("src"), load64("start"), load64("w")
	taps, n := load64("taps"), load64("n")
	at, px, t, f, all, one := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	acc := [3]reg.VecVirtual{YMM(), YMM(), YMM()}
	VPCMPEQD(one, one, one)
	VPSRLD(U8(31), one, one)
	k, wp, next := GP64(), GP64(), GP64()
	MOVQ(U32(32), next) // bytes to the weights of the next half: 32, or past the other taps
	Label("eight")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	VMOVDQU(Mem{Base: start}, at)
	for _, a := range acc {
		VMOVDQU(lane32(1<<21), a)
	}
	MOVQ(taps, k)
	MOVQ(w, wp)
	Label("tap")
	VPCMPEQD(all, all, all)
	VPXOR(px, px, px)
	VPGATHERDD(all, Mem{Base: src, Index: at, Scale: 4}, px)
	VMOVDQU(Mem{Base: wp}, f)
	for c, a := range acc {
		VPSHUFB(channelShuffle8(c), px, t)
		VPMULLD(f, t, t)
		VPADDD(t, a, a)
	}
	VPADDD(one, at, at)
	ADDQ(U8(64), wp)
	DECQ(k)
	JNZ(LabelRef("tap"))
	out := YMM()
	VMOVDQU(lane32(0xff000000), out)
	VPXOR(px, px, px)
	for c, a := range acc {
		VPSRAD(U8(22), a, a)
		VPMAXSD(px, a, a)
		VPMINSD(lane32(255), a, a)
		if c > 0 {
			VPSLLD(U8(8*c), a, a)
		}
		VPOR(a, out, out)
	}
	VMOVD(n.As32(), t.AsX())
	VPBROADCASTD(t.AsX(), t)
	VPCMPGTD(constant("lanes", func(i int) uint32 { return uint32(i) }), t, t)
	VPMASKMOVD(out, t, Mem{Base: dst})
	ADDQ(U8(32), dst)
	ADDQ(U8(32), start)
	SUBQ(U8(8), n)
	ADDQ(next, w)
	MOVQ(taps, k)
	SHLQ(U8(6), k)
	SUBQ(next, k)
	MOVQ(k, next)
	JMP(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}
