// Command generate writes the assembly of package kernel. It is a module of its own so that the assembler library never
// reaches users of the project.
//
//	go run . -out ../kernel_amd64.s -stubs ../kernel_amd64.go -pkg kernel
//
// Every function names in its comment the plain Go function whose bytes it reproduces. Those named AVX512 need AVX-512 F,
// BW, VL, DQ and VBMI, and BMI2; those named AVX2 need AVX2 and FMA.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	Package("github.com/augmix-go/augmix/internal/kernel")
	ConstraintExpr("!noasm")
	lookup()
	lookup8()
	invertFrom()
	invertFrom8()
	shearRow()
	shearColumns()
	warp()
	warp8()
	for _, s := range isas {
		s.sumPairs()
		s.sumTaps()
		s.matMul()
		s.lerpRows()
		s.sin()
		s.sinCos()
		s.angle()
		s.scaleHSV()
		s.pcg()
		s.runs()
		s.addBits()
		s.unitToBytes()
		s.addNormals()
		s.bytesToNumbers()
		s.scaleAdd()
		s.round32()
		s.quantumToBytes()
		s.tonePlanes()
		s.meanToBytes()
		s.fft4()
		s.fftOdd()
		s.move()
		s.gather()
		s.snow()
		s.fog()
		s.mud()
	}
	escape8()
	escape4()
	addStretched()
	addStretched8()
	resizeRow()
	resizeRow8()
	resizeColumns()
	resizeColumns8()
	jpegBlocks()
	jpegBlocks8()
	inverseBlock()
	colorsToBytes()
	moveColors()
	displace()
	impulses()
	addImpulses()
	for _, s := range singles {
		s.mixBytes()
		s.mixPlanes()
		s.minMax()
		s.andMask()
		s.lumaSum()
		s.gray()
		s.colorBlend()
		s.sharpen()
		lane = s.vec
		s.yccToRGB()
		s.rgbToYCC()
		s.halveRows()
		s.triangle()
		s.addFour()
		s.pixAdd()
		s.pixMultiply()
		s.scaleBias()
		s.blend()
		s.planesToBytes()
		s.tones()
		s.water()
		s.uniforms()
		s.chamfer()
	}
	Generate()
}

// broadcast fills a register with a 32-bit constant.
func broadcast(v uint32) reg.VecVirtual {
	g, z := GP32(), ZMM()
	MOVL(U32(v), g)
	VPBROADCASTD(g, z)
	return z
}

// mask64 puts a constant into a mask register.
func mask64(v uint64) reg.OpmaskVirtual {
	g, k := GP64(), K()
	MOVQ(U64(v), g)
	KMOVQ(g, k)
	return k
}

// loop runs body while i < n, i going up by step.
func loop(name string, i, n reg.GPVirtual, step uint64, body func()) {
	Label(name)
	CMPQ(i, n)
	JGE(LabelRef(name + "_done"))
	body()
	ADDQ(U32(uint32(step)), i)
	JMP(LabelRef(name))
	Label(name + "_done")
}

func load64(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
