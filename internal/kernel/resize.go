package kernel

import "fmt"

// The two passes of a fixed-point resize, weights having 22 fractional bits. There is no plain Go here: package filter
// has its own, which works on two pixels in one word, and asks these first.

// ResizeRow sets every byte of dst to the sum over t of w[t]*src[t*stride+i], rounded half up from 22 fractional bits and
// clipped to 0..255, and reports true; or does nothing and reports false where there is no assembly for it.
func ResizeRow(dst, src []uint8, stride int, w []int32) bool {
	if len(dst) > 0 && (len(w) == 0 || (len(w)-1)*stride+len(dst) > len(src)) {
		panic(fmt.Sprintf("kernel: %d weights of rows %d apart from %d bytes into %d", len(w), stride, len(src), len(dst)))
	}
	return resizeRowVector(dst, src, stride, w)
}

// ColumnBlock is the number of output pixels whose weights stand together in the table of ResizeColumns.
const ColumnBlock = 16

// ResizeColumns makes each pixel i of a row of dst the sum over t of its weight times pixel start[i]+t of src, rounded and
// clipped as by ResizeRow, with a fourth byte of 255, and reports true; or does nothing and reports false where there is no
// assembly for it. Pixels come in blocks of ColumnBlock: weight t of pixel i of block b is w[(b*taps+t)*ColumnBlock+i].
// start and w are filled up to whole blocks with zeros; the caller answers for start[i]+taps being at most the number of
// pixels of src.
func ResizeColumns(dst, src []uint8, start, w []int32, taps int) bool {
	n := len(dst) / bytesPerPixel
	blocks := (n + ColumnBlock - 1) / ColumnBlock
	if taps < 1 || len(start) < blocks*ColumnBlock || len(w) < blocks*taps*ColumnBlock {
		panic(fmt.Sprintf("kernel: %d starts and %d weights of %d taps for %d pixels", len(start), len(w), taps, n))
	}
	return resizeColumnsVector(dst, src, start, w, taps)
}
