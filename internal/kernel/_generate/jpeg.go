package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The transforms of libjpeg's slow integer method on sixteen blocks at once, one in each 32-bit lane. The expressions are
// those of package internal/jpeg, which explains them.

type vec = reg.VecVirtual

// lane makes the registers of the arithmetic below: ZMM for sixteen lanes, YMM for eight.
var lane = ZMM

func add(a, b vec) vec {
	z := lane()
	VPADDD(b, a, z)
	return z
}

func sub(a, b vec) vec {
	z := lane()
	VPSUBD(b, a, z)
	return z
}

func times(a vec, c int32) vec {
	z := lane()
	VPMULLD(lane32(uint32(c)), a, z)
	return z
}

func plus(a vec, c int32) vec {
	z := lane()
	VPADDD(lane32(uint32(c)), a, z)
	return z
}

func left(a vec, n uint8) vec {
	z := lane()
	VPSLLD(U8(n), a, z)
	return z
}

func shiftRight(a vec, n uint8) { VPSRAD(U8(n), a, a) }

const (
	fix0_298631336 = 2446
	fix0_390180644 = 3196
	fix0_541196100 = 4433
	fix0_765366865 = 6270
	fix0_899976223 = 7373
	fix1_175875602 = 9633
	fix1_501321110 = 12299
	fix1_847759065 = 15137
	fix1_961570560 = 16069
	fix2_053119869 = 16819
	fix2_562915447 = 20995
	fix3_072711026 = 25172
)

func fdct1D(d [8]vec, round int32) (o [8]vec) {
	t0, t7 := add(d[0], d[7]), sub(d[0], d[7])
	t1, t6 := add(d[1], d[6]), sub(d[1], d[6])
	t2, t5 := add(d[2], d[5]), sub(d[2], d[5])
	t3, t4 := add(d[3], d[4]), sub(d[3], d[4])
	e0, e3 := add(t0, t3), sub(t0, t3)
	e1, e2 := add(t1, t2), sub(t1, t2)
	z1 := plus(times(add(e2, e3), fix0_541196100), round)
	o[0] = plus(left(add(e0, e1), 13), round)
	o[4] = plus(left(sub(e0, e1), 13), round)
	o[2] = add(z1, times(e3, fix0_765366865))
	o[6] = sub(z1, times(e2, fix1_847759065))
	s46, s57 := add(t4, t6), add(t5, t7)
	z5 := plus(times(add(s46, s57), fix1_175875602), round)
	z3 := sub(z5, times(s46, fix1_961570560))
	z4 := sub(z5, times(s57, fix0_390180644))
	z1 = times(add(t4, t7), fix0_899976223)
	z2 := times(add(t5, t6), fix2_562915447)
	o[7] = add(sub(times(t4, fix0_298631336), z1), z3)
	o[5] = add(sub(times(t5, fix2_053119869), z2), z4)
	o[3] = add(sub(times(t6, fix3_072711026), z2), z3)
	o[1] = add(sub(times(t7, fix1_501321110), z1), z4)
	return o
}

func idct1D(i [8]vec, round int32) [8]vec {
	z1 := times(add(i[2], i[6]), fix0_541196100)
	t2 := sub(z1, times(i[6], fix1_847759065))
	t3 := add(z1, times(i[2], fix0_765366865))
	t0 := plus(left(add(i[0], i[4]), 13), round)
	t1 := plus(left(sub(i[0], i[4]), 13), round)
	e0, e3 := add(t0, t3), sub(t0, t3)
	e1, e2 := add(t1, t2), sub(t1, t2)
	s73, s51 := add(i[7], i[3]), add(i[5], i[1])
	z5 := times(add(s73, s51), fix1_175875602)
	z3 := sub(z5, times(s73, fix1_961570560))
	z4 := sub(z5, times(s51, fix0_390180644))
	z1 = times(add(i[7], i[1]), fix0_899976223)
	z2 := times(add(i[5], i[3]), fix2_562915447)
	a0 := add(sub(times(i[7], fix0_298631336), z1), z3)
	a1 := add(sub(times(i[5], fix2_053119869), z2), z4)
	a2 := add(sub(times(i[3], fix3_072711026), z2), z3)
	a3 := add(sub(times(i[1], fix1_501321110), z1), z4)
	return [8]vec{add(e0, a3), add(e1, a2), add(e2, a1), add(e3, a0), sub(e3, a0), sub(e2, a1), sub(e1, a2), sub(e0, a3)}
}

// byteTable is a table of 64 byte numbers.
func byteTable(name string, at func(i int) int) Mem {
	return constant(name, func(w int) (v uint32) {
		for j := 3; j >= 0; j-- {
			v = v<<8 | uint32(at(4*w+j))
		}
		return v
	})
}

func jpegBlocks() {
	TEXT("jpegBlocksAVX512", NOSPLIT,
		"func(dst *byte, dstStride int, src *byte, srcStride, n int, t *JPEGTable, scratch *[64][16]int32) uint32")
	Pragma("noescape")
	Doc("jpegBlocksAVX512 is JPEGBlocks for n <= 16 blocks. It returns a number other than 0, with dst spoiled, when a result",
		"of the first inverse pass exceeds the range that 16-bit arithmetic holds.")
	dst, dstStride, src, srcStride := load64("dst"), load64("dstStride"), load64("src"), load64("srcStride")
	n, table, scratch := load64("n"), load64("t"), load64("scratch")

	// Masks of the bytes of a row: 8n of 128.
	lowMask, highMask := K(), K()
	bits, g := GP64(), GP64()
	XORQ(g, g)
	MOVQ(I32(-1), bits)
	SHLQ(U8(3), n)
	CMPQ(n, U8(64))
	JGE(LabelRef("wide"))
	BZHIQ(n, bits, bits)
	JMP(LabelRef("masks"))
	Label("wide")
	SUBQ(U8(64), n)
	BZHIQ(n, bits, g)
	CMPQ(n, U8(64))
	JLT(LabelRef("masks"))
	MOVQ(I32(-1), g)
	Label("masks")
	KMOVQ(bits, lowMask)
	KMOVQ(g, highMask)

	// Rows: bytes to lanes, forward transform along the row.
	split := [2]vec{ZMM(), ZMM()}
	for h := range split {
		VMOVDQU64(byteTable([]string{"splitLow", "splitHigh"}[h], func(i int) int { return i%16*8 + i/16 + 4*h }), split[h])
	}
	row, at := GP64(), GP64()
	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("rows")
	lo, hi := ZMM(), ZMM()
	VMOVDQU8_Z(Mem{Base: src}, lowMask, lo)
	VMOVDQU8_Z(Mem{Base: src, Disp: 64}, highMask, hi)
	var d [8]vec
	for h := range split {
		b := ZMM()
		VMOVDQA64(split[h], b)
		VPERMI2B(hi, lo, b)
		for j := range 4 {
			z := ZMM()
			if j == 0 {
				VPMOVZXBD(b.AsX(), z)
			} else {
				x := XMM()
				VEXTRACTI32X4(U8(j), b, x)
				VPMOVZXBD(x, z)
			}
			d[4*h+j] = plus(z, -128)
		}
	}
	for c, o := range fdct1D(d, 1<<10) {
		shiftRight(o, 11)
		VMOVDQU64(o, Mem{Base: at, Disp: 64 * c})
	}
	ADDQ(srcStride, src)
	ADDQ(U32(512), at)
	DECQ(row)
	JNZ(LabelRef("rows"))

	// Columns: forward transform, quantization and back, inverse transform.
	far := K()
	KXORW(far, far, far)
	zero := ZMM()
	VPXORD(zero, zero, zero)
	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("columns")
	for r := range d {
		d[r] = ZMM()
		VMOVDQU64(Mem{Base: at, Disp: 512 * r}, d[r])
	}
	for r, x := range fdct1D(d, 1<<14) {
		shiftRight(x, 15)
		neg := K()
		VPMOVD2M(x, neg)
		VPABSD(x, x)
		VCVTDQ2PS(x, x)
		VADDPS_BCST(Mem{Base: table, Disp: 32 * r}, x, x)
		VMULPS_BCST(Mem{Base: table, Disp: 256 + 32*r}, x, x)
		VCVTTPS2DQ(x, x)
		VPMULLD_BCST(Mem{Base: table, Disp: 512 + 32*r}, x, x)
		VPSUBD(x, zero, neg, x)
		d[r] = x
	}
	kf := K()
	for r, o := range idct1D(d, 1<<10) {
		shiftRight(o, 11)
		VPCMPUD(U8(6), lane32(2<<14), plus(o, 1<<14), kf)
		KORW(kf, far, far)
		VMOVDQU64(o, Mem{Base: at, Disp: 512 * r})
	}
	ADDQ(U8(4), table)
	ADDQ(U8(64), at)
	DECQ(row)
	JNZ(LabelRef("columns"))
	ret := GP32()
	KMOVW(far, ret)
	TESTL(ret, ret)
	JNZ(LabelRef("done"))

	// Rows: inverse transform, lanes to bytes.
	join := [2]vec{ZMM(), ZMM()}
	for h := range join {
		VMOVDQU64(byteTable([]string{"joinLow", "joinHigh"}[h], func(i int) int { return i%8*16 + i/8 + 8*h }), join[h])
	}
	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("out")
	for c := range d {
		d[c] = ZMM()
		VMOVDQU64(Mem{Base: at, Disp: 64 * c}, d[c])
	}
	halves := [2]vec{ZMM(), ZMM()}
	for c, o := range idct1D(d, 1<<17) {
		shiftRight(o, 18)
		o = plus(o, 128)
		VPMAXSD(zero, o, o)
		x := XMM()
		VPMOVUSDB(o, x)
		if c%4 == 0 {
			VMOVDQA32(x, halves[c/4].AsX())
		} else {
			VINSERTI32X4(U8(c%4), x, halves[c/4], halves[c/4])
		}
	}
	VMOVDQA64(join[0], lo)
	VPERMI2B(halves[1], halves[0], lo)
	VMOVDQU8(lo, lowMask, Mem{Base: dst})
	VMOVDQA64(join[1], hi)
	VPERMI2B(halves[1], halves[0], hi)
	VMOVDQU8(hi, highMask, Mem{Base: dst, Disp: 64})
	ADDQ(dstStride, dst)
	ADDQ(U32(512), at)
	DECQ(row)
	JNZ(LabelRef("out"))
	Label("done")
	Store(ret, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// jpegBlocks8 is jpegBlocks for eight blocks, in the order 0 1 4 5 2 3 6 7: a shuffle takes the lower or upper halves of the
// blocks' rows into 32-bit lanes.
func jpegBlocks8() {
	TEXT("jpegBlocksAVX2", NOSPLIT,
		"func(dst *byte, dstStride int, src *byte, srcStride, n int, t *JPEGTable, scratch *[64][16]int32) uint32")
	Pragma("noescape")
	Doc("jpegBlocksAVX2 is JPEGBlocks for n <= 8 blocks. It returns a number other than 0, with dst spoiled, when a result of the",
		"first inverse pass exceeds the range that 16-bit arithmetic holds.")
	lane = YMM
	defer func() { lane = ZMM }()
	dst, dstStride, src, srcStride := load64("dst"), load64("dstStride"), load64("src"), load64("srcStride")
	n, table, scratch := load64("n"), load64("t"), load64("scratch")
	row, at := GP64(), GP64()

	keep := AllocLocal(64) // masks of the blocks in use
	for h := range 2 {
		count, first := YMM(), YMM()
		VMOVQ(n, count.AsX())
		VPBROADCASTQ(count.AsX(), count)
		VPMOVZXBQ(byteTable("numbers", func(i int) int { return i }).Offset(4*h), first)
		VPCMPGTQ(first, count, count)
		VMOVDQU(count, keep.Offset(32*h))
	}
	load := func(h int, m Mem) vec {
		mask, v := YMM(), YMM()
		VMOVDQU(keep.Offset(32*h), mask)
		VPMASKMOVQ(m, mask, v)
		return v
	}

	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("rows")
	lo, hi := load(0, Mem{Base: src}), load(1, Mem{Base: src, Disp: 32})
	var d [8]vec
	for h := range 2 {
		half := YMM()
		VSHUFPS(U8(0x88+0x55*h), hi, lo, half)
		for c := range 4 {
			b := YMM()
			VPSHUFB(channelShuffle8(c), half, b)
			d[4*h+c] = plus(b, -128)
		}
	}
	for c, o := range fdct1D(d, 1<<10) {
		shiftRight(o, 11)
		VMOVDQU(o, Mem{Base: at, Disp: 64 * c})
	}
	ADDQ(srcStride, src)
	ADDQ(U32(512), at)
	DECQ(row)
	JNZ(LabelRef("rows"))

	far := AllocLocal(32)
	t := YMM()
	VPXOR(t, t, t)
	VMOVDQU(t, far)
	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("columns")
	column := func(r int) Mem { return Mem{Base: at, Disp: 512 * r} }
	for r := range d {
		d[r] = YMM()
		VMOVDQU(column(r), d[r])
	}
	for r, x := range fdct1D(d, 1<<14) {
		shiftRight(x, 15)
		VMOVDQU(x, column(r))
	}
	for r := range d {
		x, q, v := YMM(), YMM(), YMM()
		VMOVDQU(column(r), x)
		VPABSD(x, v)
		VCVTDQ2PS(v, v)
		VBROADCASTSS(Mem{Base: table, Disp: 32 * r}, q)
		VADDPS(q, v, v)
		VBROADCASTSS(Mem{Base: table, Disp: 256 + 32*r}, q)
		VMULPS(q, v, v)
		VCVTTPS2DQ(v, v)
		VPBROADCASTD(Mem{Base: table, Disp: 512 + 32*r}, q)
		VPMULLD(q, v, v)
		VPSIGND(x, v, v)
		d[r] = v
	}
	for r, o := range idct1D(d, 1<<10) {
		shiftRight(o, 11)
		VMOVDQU(o, column(r))
	}
	VMOVDQU(far, t)
	for r := range d {
		x := YMM()
		VMOVDQU(column(r), x)
		VPMAXUD(plus(x, 1<<14), t, t)
	}
	VMOVDQU(t, far)
	ADDQ(U8(4), table)
	ADDQ(U8(64), at)
	DECQ(row)
	JNZ(LabelRef("columns"))
	VPMAXUD(lane32(2<<14), t, t)
	VPCMPEQD(lane32(2<<14), t, t)
	ret := GP32()
	VPMOVMSKB(t, ret)
	NOTL(ret)
	TESTL(ret, ret)
	JNZ(LabelRef("done"))

	MOVQ(U32(8), row)
	MOVQ(scratch, at)
	Label("out")
	for c := range d {
		d[c] = YMM()
		VMOVDQU(Mem{Base: at, Disp: 64 * c}, d[c])
	}
	lo, hi = joinBytes(idct1D(d, 1<<17))
	for h, v := range []vec{lo, hi} {
		VMOVDQU(keep.Offset(32*h), t)
		VPMASKMOVQ(v, t, Mem{Base: dst, Disp: 32 * h})
	}
	ADDQ(dstStride, dst)
	ADDQ(U32(512), at)
	DECQ(row)
	JNZ(LabelRef("out"))
	Label("done")
	Store(ret, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// joinBytes takes the results of the second pass of eight lanes to bytes, eight in a row for each lane: lanes 0, 1, 4 and 5
// in lo, the others in hi.
func joinBytes(d [8]vec) (lo, hi vec) {
	for h := range 2 {
		for c, o := range d[4*h : 4*h+4] {
			shiftRight(o, 18)
			VPADDD(lane32(128), o, o)
			VPMAXSD(lane32(0), o, o)
			VPMINSD(lane32(255), o, o)
			if c > 0 {
				VPSLLD(U8(8*c), o, o)
				VPOR(o, d[4*h], d[4*h])
			}
		}
	}
	lo, hi = YMM(), YMM()
	VPUNPCKLDQ(d[4], d[0], lo)
	VPUNPCKHDQ(d[4], d[0], hi)
	return lo, hi
}
