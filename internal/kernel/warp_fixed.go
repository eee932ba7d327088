//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"math"
	"math/bits"
)

// warpArgs is what warpAVX512 works on, and what the arguments of the others are made of. Coordinates of a pixel's source, less half a pixel, are fixed point: Q s in 32
// bits for a lane, Q s+32 in 64 bits for the first lane of a vector, so that stepping along rows and columns loses
// nothing.
//
// Error bound. A lane's coordinate is off by at most half a unit of 2^-s from rounding the 64-bit position and half a
// unit from offX, plus less than 2^-10 units from stepping (each step is exact to 2^-33 units, and no image has 2^20
// steps). A unit in each coordinate moves the interpolated value by at most 255 * 2^-s each, together less than
// 2^(9.01-s). Float32 adds the roundings of two differences, three multiply-adds and one addition below 256, each at most
// 2^-17: less than 2^-14 in all. For s <= 22 the sum stays below margin = 2^(10-s). An estimate that lies further than
// margin from every whole number therefore truncates as the exact value does. Coordinates within two units of a whole or
// half pixel are not decided either, because the neighbors or the inside test could differ; unless the map keeps that
// coordinate (a shear, a translation), which is then exact.
type warpArgs struct {
	dst, src, below *byte   // below is src one row down
	mask            *uint16 // one word for every sixteen pixels: bit i set when pixel i is undecided
	rows, w         int
	x0, y0          int64 // first pixel of the first row, Q s+32
	xStep, yStep    int64 // sixteen pixels to the right
	xRow, yRow      int64 // one row down
	offX, offY      [16]int32
	shift           uint64 // s
	wMax, hMax      int32  // w-2, h-2: the last left and upper neighbors
	wEnd, hEnd      uint32 // w, h in Q s
	half, one       uint32 // half a pixel and a pixel in Q s
	slack           uint32 // 2 units
	nearMask        uint32 // half-1
	nearX, nearY    int32  // 2*slack, or -1 where every coordinate is exact
	pitch           uint32 // w
	fill            uint32
	scale           float32 // 2^-s
	margin, margin2 float32 // 2^(10-s) and twice that
}

// fixedPoint returns the number of fraction bits, at most 22, with which every source position of the image, sixteen
// pixels beyond its right side included, fits 32 bits; and false when fewer than 14 are left.
func fixedPoint(w, h int, m *Affine) (s int, ok bool) {
	var far float64
	for _, x := range [...]float64{0, float64(w + 16)} {
		for _, y := range [...]float64{0, float64(h)} {
			far = max(far, math.Abs(m.A*x+m.B*y+m.C), math.Abs(m.D*x+m.E*y+m.F))
		}
	}
	far = max(far, float64(w), float64(h)) + 2
	if far >= 1<<16 {
		return 0, false
	}
	s = min(22, 31-bits.Len(uint(far)))
	return s, s >= 14
}

func (a *warpArgs) setMap(w, h int, m *Affine, s int) {
	unit := math.Ldexp(1, s)
	long := math.Ldexp(1, s+32)
	fix := func(v float64) int64 { return int64(math.Round(v * long)) }
	const nearest = 1 << 31 // the vector code drops the low half; this makes that rounding
	a.x0, a.y0 = fix(m.A*0.5+m.B*0.5+m.C-0.5)+nearest, fix(m.D*0.5+m.E*0.5+m.F-0.5)+nearest
	a.xStep, a.yStep = fix(16*m.A), fix(16*m.D)
	a.xRow, a.yRow = fix(m.B), fix(m.E)
	for i := range a.offX {
		a.offX[i], a.offY[i] = int32(math.Round(float64(i)*m.A*unit)), int32(math.Round(float64(i)*m.D*unit))
	}
	a.shift = uint64(s)
	a.wMax, a.hMax = int32(w-2), int32(h-2)
	a.wEnd, a.hEnd = uint32(w)<<s, uint32(h)<<s
	a.one, a.half = 1<<s, 1<<(s-1)
	a.slack, a.nearMask = 2, 1<<(s-1)-1
	a.nearX, a.nearY = 4, 4
	if m.A == 1 && m.B == 0 && m.C == math.Trunc(m.C) {
		a.nearX = -1
	}
	if m.D == 0 && m.E == 1 && m.F == math.Trunc(m.F) {
		a.nearY = -1
	}
	a.pitch = uint32(w)
	a.scale = float32(1 / unit)
	a.margin = float32(math.Ldexp(1, 10-s))
	a.margin2 = 2 * a.margin
}

// fixPixels does the pixels x+i of row y exactly for every bit i of bad.
func fixPixels(dst, src []uint8, w, h int, m *Affine, fill [4]uint8, y, x int, bad uint16) {
	for ; bad != 0; bad &= bad - 1 {
		i := x + bits.TrailingZeros16(bad)
		warpSpan(dst, src, w, h, m, fill, y, i, i+1)
	}
}

func word(c [4]uint8) uint32 {
	return uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24
}
