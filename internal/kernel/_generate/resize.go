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
