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
