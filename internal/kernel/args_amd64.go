//go:build !noasm

package kernel

// warpArgs is what warpAVX512 works on. Coordinates of a pixel's source, less half a pixel, are fixed point: Q s in 32
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

// shearStrip says how shearColumnsAVX2 interpolates eight columns between the rows of an image and those below: by which
// factor, twice in a 32-bit word, and, all bits set, in which of them one row further down. The first row starts at byte at of
// the image, the last one at byte last; the rows at the border stand for those outside.
type shearStrip struct {
	at, last      int
	factor, lower [8]uint32
}

// warpArgs8 is warpArgs for warpAVX2, which has no registers to spare: constants are arrays of equal lanes, and a mask is
// a byte for eight pixels.
type warpArgs8 struct {
	dst, src, below               *byte
	mask                          *uint8
	rows, w                       int
	x0, y0                        int64
	xStep, yStep                  int64 // eight pixels to the right
	xRow, yRow                    int64
	shift                         uint64
	offX, offY                    [8]int32
	wMax, hMax, wEnd, hEnd        [8]int32
	half, one, slack              [8]int32
	nearMask, nearX, nearY, pitch [8]int32
	fill, alpha                   [8]uint32
	scale, margin, margin2        [8]float32
}
