package feed

import (
	"encoding/binary"
	"math"

	"github.com/augmix-go/augmix/raster"
)

// store writes an image to dst as the options say: m where numbers are uint8, else planes, float32 [3, H, W].
func (o *Options) store(dst []byte, m *raster.Image, planes []float32) {
	nhwc := o.Layout == NHWC
	switch {
	case o.DType == Uint8 && nhwc:
		m.AppendRGB(dst[:0])
	case o.DType == Uint8:
		m.AppendPlanar(dst[:0])
	case o.DType == Float32 && nhwc:
		interleave(floats(dst), planes)
	case o.DType == Float32:
		copy(floats(dst), planes)
	default:
		half(dst, planes, o.DType, nhwc)
	}
}

// interleave turns planes into pixels.
func interleave(dst, planes []float32) {
	n := len(planes) / 3
	r, g, b := planes[:n], planes[n:][:n], planes[2*n:][:n]
	for i := range r {
		d := dst[3*i:][:3]
		d[0], d[1], d[2] = r[i], g[i], b[i]
	}
}

// half writes planes in 16 bits a number.
func half(dst []byte, planes []float32, t DType, nhwc bool) {
	n := len(planes) / 3
	to := toFloat16
	if t == BFloat16 {
		to = toBFloat16
	}
	for c := range 3 {
		at, step := 2*c*n, 2
		if nhwc {
			at, step = 2*c, 6
		}
		for _, v := range planes[c*n:][:n] {
			binary.LittleEndian.PutUint16(dst[at:], to(v))
			at += step
		}
	}
}

// toBFloat16 rounds to the nearest bfloat16, ties to even. NaN stays NaN.
func toBFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// toFloat16 rounds to the nearest IEEE 754 binary16, ties to even. What is too large becomes infinite, NaN stays NaN.
func toFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00
	case b >= 0x477ff000: // rounds to 65536 or more
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: a multiple of 2^-24; adding a half rounds the mantissa there
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	return sign | uint16((b-0x38000000+0xfff+b>>13&1)>>13)
}
