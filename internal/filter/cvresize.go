package filter

import (
	"math"

	"github.com/augmix-go/augmix/raster"
)

// CVResizeBilinear makes dst the image src in the size w by h as OpenCV's resize with INTER_LINEAR does for 8-bit
// images: each value from the four pixels around its place, without averaging when shrinking, in fixed point. Parity
// class: exact; TestCVResizeGolden replays OpenCV's own results. It panics if w or h is not positive or if dst is src.
//
// Output column i lies at the source column (i+0.5)*scale - 0.5 (rounded to float32), scale being the ratio of the
// widths; the weights of its two neighbors are rounded to 11 fractional bits, halves to even. Left and right of the
// image the edge column counts alone. Rows likewise, but outside the image both weights stay, with the edge row in
// place of the missing one. Sums along the row keep 7 of the 11 bits; each row's part loses 16 of the 18 bits that it
// has then, before the parts are added and rounded. An image shrunk to exactly half in both directions is averaged
// over squares of four pixels instead, halves rounded up.
func CVResizeBilinear(dst, src *raster.Image, w, h int) {
	cvResize(dst, src, w, h, 1/(float64(w)/float64(src.W)), 1/(float64(h)/float64(src.H)))
}

// CVScaleBilinear is [CVResizeBilinear] by factors instead of to a size: OpenCV's resize with fx and fy. The size is
// the source's times the factors, halves rounded to even, at least 1; the places follow the factors, not the rounded
// size. It panics if a factor is not positive or if dst is src.
func CVScaleBilinear(dst, src *raster.Image, fx, fy float64) {
	if !(fx > 0 && fy > 0) {
		panic("filter: CVScaleBilinear by a factor that is not positive")
	}
	w := int(math.RoundToEven(float64(float64(src.W) * fx)))
	h := int(math.RoundToEven(float64(float64(src.H) * fy)))
	cvResize(dst, src, max(w, 1), max(h, 1), 1/fx, 1/fy)
}

func cvResize(dst, src *raster.Image, w, h int, scaleX, scaleY float64) {
	if dst == src {
		panic("filter: resize onto the source")
	}
	if w == src.W && h == src.H {
		dst.CopyFrom(src)
		return
	}
	dst.Reset(w, h)
	if scaleX == 2 && scaleY == 2 {
		cvHalve(dst, src)
		return
	}
	for y := range h {
		row, v0, v1 := cvPlace(y, scaleY)
		s0 := src.Pix[4*src.W*min(max(row, 0), src.H-1):][:4*src.W]
		s1 := src.Pix[4*src.W*min(max(row+1, 0), src.H-1):][:4*src.W]
		d := dst.Pix[4*w*y:][:4*w]
		for x := range w {
			col, u0, u1 := cvPlace(x, scaleX)
			if col < 0 || col >= src.W-1 {
				col, u0, u1 = min(max(col, 0), src.W-1), cvOne, 0
			}
			next := min(col+1, src.W-1)
			for c := range 3 {
				a := int32(s0[4*col+c])*u0 + int32(s0[4*next+c])*u1
				b := int32(s1[4*col+c])*u0 + int32(s1[4*next+c])*u1
				d[4*x+c] = uint8((v0*(a>>4)>>16 + v1*(b>>4)>>16 + 2) >> 2)
			}
			d[4*x+3] = 255
		}
	}
}

// cvOne is the weight 1.
const cvOne = 1 << 11

// cvPlace returns the sample before the place of output sample i, and the weights of it and of the next one.
func cvPlace(i int, scale float64) (before int, w0, w1 int32) {
	at := float32(float64((float64(i)+0.5)*scale) - 0.5)
	floor := math.Floor(float64(at))
	f := at - float32(floor)
	return int(floor), int32(math.RoundToEven(float64((1 - f) * cvOne))), int32(math.RoundToEven(float64(f * cvOne)))
}

// cvHalve averages squares. Where the rounded size of the result makes the last square reach beyond the image, the
// mean of the part inside is rounded half to even instead.
func cvHalve(dst, src *raster.Image) {
	for y := range dst.H {
		for x := range dst.W {
			x1, y1 := min(2*x+2, src.W), min(2*y+2, src.H)
			n := (x1 - 2*x) * (y1 - 2*y)
			d := dst.Pix[4*(y*dst.W+x):][:4]
			for c := range 3 {
				sum := 0
				for sy := 2 * y; sy < y1; sy++ {
					for sx := 2 * x; sx < x1; sx++ {
						sum += int(src.Pix[4*(sy*src.W+sx)+c])
					}
				}
				if n == 4 {
					d[c] = uint8((sum + 2) >> 2)
				} else {
					d[c] = uint8(math.RoundToEven(float64(sum) / float64(n)))
				}
			}
			d[3] = 255
		}
	}
}
