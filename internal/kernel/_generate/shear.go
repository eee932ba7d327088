package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The functions here do eight pixels at a time and serve AVX-512 too. A shear has one fraction f for a whole row or column;
// A + (B-A)*f truncated is A + floor(d*f) for d = B-A >= 0 and A - floor(-d*f) - 1 below. See shearCells of package kernel.

// shearStep interpolates eight pixels between a and b with factors for the lower and the upper half of the 128-bit lanes.
func shearStep(a, b, low, high, zero, ones, out reg.VecVirtual) {
	d, e, rising := YMM(), YMM(), YMM()
	VPSUBUSB(b, a, d)
	VPSUBUSB(a, b, e)
	VPOR(d, e, e)
	VPCMPEQB(zero, d, rising) // A <= B
	VPUNPCKLBW(zero, e, d)
	VPUNPCKHBW(zero, e, e)
	VPMULHUW(low, d, d)
	VPMULHUW(high, e, e)
	VPACKUSWB(e, d, d)
	VPXOR(rising, d, d)
	VPSUBB(d, a, out) // A + floor + 1 or A - floor
	VPADDB(ones, out, out)
}

func shearRow() {
	TEXT("shearRowAVX2", NOSPLIT, "func(dst, src *byte, n int, factor uint32)")
	Pragma("noescape")
	Doc("shearRowAVX2 interpolates n >= 8 pixels between src and its right neighbor with the factor that stands twice in",
		"factor: n+1 pixels of src are read.")
	dst, src, n := load64("dst"), load64("src"), load64("n")
	f, zero, ones := YMM(), YMM(), YMM()
	addr, err := Param("factor").Resolve()
	if err != nil {
		LogErr(err)
	}
	VBROADCASTSS(addr.Addr, f)
	VPXOR(zero, zero, zero)
	VPCMPEQB(ones, ones, ones)
	i, last := GP64(), GP64()
	LEAQ(Mem{Base: n, Disp: -8}, last)
	XORQ(i, i)
	a, b := YMM(), YMM()
	Label("eight")
	VMOVDQU(Mem{Base: src, Index: i, Scale: 4}, a)
	VMOVDQU(Mem{Base: src, Index: i, Scale: 4, Disp: 4}, b)
	shearStep(a, b, f, f, zero, ones, a)
	VMOVDQU(a, Mem{Base: dst, Index: i, Scale: 4})
	CMPQ(i, last)
	JGE(LabelRef("done"))
	ADDQ(U8(8), i)
	CMPQ(i, last)
	CMOVQGT(last, i) // the last step ends with the row
	JMP(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// shearColumns: rows stream downwards through three registers.
func shearColumns() {
	TEXT("shearColumnsAVX2", NOSPLIT, "func(dst, src *byte, stride, rows int, a *shearStrip)")
	Pragma("noescape")
	Doc("shearColumnsAVX2 interpolates some rows, at least one, of eight columns. src is the first row of the image.")
	dst, src, stride, n := load64("dst"), load64("src"), load64("stride"), load64("rows")
	args := Dereference(Param("a"))
	vec := func(name string) reg.VecVirtual {
		m, err := args.Field(name).Index(0).Resolve()
		if err != nil {
			LogErr(err)
		}
		v := YMM()
		VMOVDQU(m.Addr, v)
		return v
	}
	at, last := Load(args.Field("at"), GP64()).(reg.GPVirtual), Load(args.Field("last"), GP64()).(reg.GPVirtual)
	low, lower := vec("factor"), vec("lower")
	high, zero, ones := YMM(), YMM(), YMM()
	VPUNPCKHDQ(low, low, high)
	VPUNPCKLDQ(low, low, low)
	VPXOR(zero, zero, zero)
	VPCMPEQB(ones, ones, ones)
	p, none := GP64(), GP64()
	XORQ(none, none)
	next := func(v reg.VecVirtual) { // the border repeats
		MOVQ(at, p)
		CMPQ(p, last)
		CMOVQGT(last, p)
		TESTQ(p, p)
		CMOVQLT(none, p)
		VMOVDQU(Mem{Base: src, Index: p, Scale: 1}, v)
		ADDQ(stride, at)
	}
	rows := [3]reg.VecVirtual{YMM(), YMM(), YMM()}
	next(rows[0])
	next(rows[1])
	a, b := YMM(), YMM()
	Label("row")
	next(rows[2])
	VPBLENDVB(lower, rows[1], rows[0], a)
	VPBLENDVB(lower, rows[2], rows[1], b)
	shearStep(a, b, low, high, zero, ones, a)
	VMOVDQU(a, Mem{Base: dst})
	ADDQ(stride, dst)
	VMOVDQA(rows[1], rows[0])
	VMOVDQA(rows[2], rows[1])
	DECQ(n)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
