//go:build !noasm

package kernel

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

// warpInner is what warpAVX512 and warpAVX2 need besides for the pixels of a register all of whose neighbors are in the
// source, in the units of warpArgs.
//
// Weights of the neighbors are products of fractions, each rounded by at most 2^-25, which moves a value by less than
// 1275/2^25; adding the four products to 256 rounds by at most 2^-16 each. That is less than 2^-13 in all, so that the margin
// holds here too. Coordinates near a whole pixel are decided: interpolation is continuous, a neighboring cell gives the same
// within the bound. Only where four equal neighbors would decide they have to be the right ones.
type warpInner struct {
	lastX, lastY int64      // from the first pixel to the last
	lowX, lowY   int64      // the same where it is negative, else 0
	endX, endY   uint64     // coordinates of the first and the last, less the slack, are below
	windows      int        // last byte of the source from which windows of rows+1 rows can be read, a pixel wider than a register, or -1
	rows         int        // in how many rows the upper neighbors can be
	fraction     uint32     // of a coordinate
	decided      uint32     // the bits of a sum of which one is set where the estimate is decided
	start        [3]float32 // 256 and the margin, times 2^8 for green and 2^16 for blue
}
