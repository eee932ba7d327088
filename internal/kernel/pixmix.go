package kernel

import (
	"fmt"
	"math"
)

// Values of images on their way through PixMix are float32 in [0, 1], in three planes of one length, in one slice.

// PixAdd is PixMix's additive mixing, clipped: for every value x of cur and byte v of other, the pixels in the layout
// of images,
//
//	min(max(a*x + b*v + c, 0), 1)
//
// summed from the left. cur holds 3 values for each pixel.
func PixAdd(cur []float32, other []uint8, a, b, c float32) {
	n := mustPlanes(cur, other)
	for i := pixAddVector(cur, other, a, b, c); i < n; i++ {
		for k := range 3 {
			v := float32(a*cur[k*n+i]) + float32(b*float32(other[4*i+k]))
			cur[k*n+i] = min(max(v+c, 0), 1)
		}
	}
}

// PixMultiply is PixMix's multiplicative mixing, clipped: for every value x of cur and byte v of other,
//
//	min((2x)^a * max(2v/255, 1e-37)^b / 2, 1)
//
// where 0 to the power of 0 is 1. It is computed in float32 as 2 to the power of a sum of logarithms, with an error of
// about 1e-6 for exponents of PixMix (up to 2). Results below 2^-126 are 0. The same bits on every machine.
func PixMultiply(cur []float32, other []uint8, a, b float32) {
	n := mustPlanes(cur, other)
	c := a - 1 // from the two factors 2
	for i := pixMultiplyVector(cur, other, a, b, c); i < n; i++ {
		for k := range 3 {
			t := float32(a*log2(cur[k*n+i])) + float32(b*pixLogs[other[4*i+k]])
			cur[k*n+i] = exp2(t + c)
		}
	}
}

func mustPlanes(planes []float32, pix []uint8) int {
	n := len(pix) / bytesPerPixel
	if len(pix)%bytesPerPixel != 0 || len(planes) != 3*n {
		panic(fmt.Sprintf("kernel: %d values in planes with an image of %d bytes", len(planes), len(pix)))
	}
	return n
}

// pixLogs is the logarithm of the floored second factor for every byte.
var pixLogs = func() (t [256]float32) {
	for v := range t {
		t[v] = log2(max(float32(float32(v)*pixDouble), pixFloor))
	}
	return t
}()

const (
	pixDouble = float32(2.0 / 255)
	pixFloor  = float32(1e-37) // PixMix's: keeps negative powers finite
	pixZero   = -0x1p100       // what stands for the logarithm of 0: any power but 0 of it vanishes
)

// Coefficients of log2(1+f)/f on [-0.3008, 0.3985] and of (2^f-1)/f on [-0.5, 0.5], nearly minimax for the absolute and
// the relative error (below 6e-8 and 1e-8 before rounding), from iteratively reweighted least squares.
const (
	logC0 float32 = 0x1.71546ep+0
	logC1 float32 = -0x1.71558p-1
	logC2 float32 = 0x1.ec81d2p-2
	logC3 float32 = -0x1.70d62cp-2
	logC4 float32 = 0x1.24e4b8p-2
	logC5 float32 = -0x1.fbd5b2p-3
	logC6 float32 = 0x1.ef5ac4p-3
	logC7 float32 = -0x1.46ad3p-3

	expC0 float32 = 0x1.62e43p-1
	expC1 float32 = 0x1.ebfbdcp-3
	expC2 float32 = 0x1.c6aee8p-5
	expC3 float32 = 0x1.3b2d4ap-7
	expC4 float32 = 0x1.5f3e2ep-10
	expC5 float32 = 0x1.41fdp-13
)

// log2Base is the bit pattern at which mantissas wrap around, 0.69921875: the logarithm is taken of a number in
// [0.699, 1.398), so that it is accurate around 1.
const log2Base = 0x3f330000

// log2 returns the binary logarithm of a positive normal number within about 1e-7, and pixZero for 0.
func log2(x float32) float32 {
	if x == 0 {
		return pixZero
	}
	i := int32(math.Float32bits(x)) - log2Base
	f := math.Float32frombits(uint32(i&0x7fffff+log2Base)) - 1
	p := float32(logC7*f) + logC6
	p = float32(p*f) + logC5
	p = float32(p*f) + logC4
	p = float32(p*f) + logC3
	p = float32(p*f) + logC2
	p = float32(p*f) + logC1
	p = float32(p*f) + logC0
	return float32(p*f) + float32(i>>23)
}

// exp2 returns 2 to the power of min(t, 0), 0 below t = -126.
func exp2(t float32) float32 {
	if t < -126 {
		return 0
	}
	const magic = 0x1.8p23 // adding it rounds to a whole number, which is then in the low bits
	t = min(t, 0)
	k := t + magic
	f := t - (k - magic)
	p := float32(expC5*f) + expC4
	p = float32(p*f) + expC3
	p = float32(p*f) + expC2
	p = float32(p*f) + expC1
	p = float32(p*f) + expC0
	return math.Float32frombits(math.Float32bits(float32(p*f)+1) + math.Float32bits(k)<<23)
}

// ScaleBias writes v*scale + bias for every value of src. dst has its length and may be src.
func ScaleBias(dst, src []float32, scale, bias float32) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("kernel: %d values into %d", len(src), len(dst)))
	}
	for i := scaleBiasVector(dst, src, scale, bias); i < len(src); i++ {
		dst[i] = float32(src[i]*scale) + bias
	}
}

// PlanesToBytes makes pixels of three planes of values in [0, 1]: every value times 255, plus 0.5, clipped to 0..255
// and truncated. The fourth byte becomes 255.
func PlanesToBytes(dst []uint8, src []float32) {
	n := mustPlanes(src, dst)
	r, g, b := src[:n], src[n:][:n], src[2*n:][:n]
	for i := planesToBytesVector(dst, src); i < n; i++ {
		d := dst[4*i:][:4:4]
		d[0], d[1], d[2], d[3] = roundByte(r[i]), roundByte(g[i]), roundByte(b[i]), 255
	}
}

func roundByte(v float32) uint8 { return uint8(min(max(float32(v*255)+0.5, 0), 255)) }

// Blend writes a*v + b*u for every value v of dst and u of other, which has its length.
func Blend(dst, v, u []float32, a, b float32) {
	if len(dst) != len(v) || len(dst) != len(u) {
		panic(fmt.Sprintf("kernel: blending %d and %d values into %d", len(v), len(u), len(dst)))
	}
	for i := blendVector(dst, v, u, a, b); i < len(dst); i++ {
		dst[i] = float32(a*v[i]) + float32(b*u[i])
	}
}
