package kernel

import "fmt"

// BytesToNumbers sets dst to the bytes of the pixels src over white, which is 1 or 255: three numbers for each pixel.
func BytesToNumbers(dst []float64, src []uint8, white float64) {
	n := len(src) / bytesPerPixel
	if len(dst) != 3*n || white != 1 && white != 255 {
		panic(fmt.Sprintf("kernel: %d bytes of pixels over %v into %d numbers", len(src), white, len(dst)))
	}
	for i := bytesToNumbersVector(dst, src, white); i < n; i++ {
		d, p := dst[3*i:][:3:3], src[4*i:][:3:3]
		d[0], d[1], d[2] = float64(p[0])/white, float64(p[1])/white, float64(p[2])/white
	}
}

// ScaleAdd sets dst[i] = scale·src[i] + add in float64. The slices have one length.
func ScaleAdd(dst []float64, src []float32, scale, add float64) {
	src = src[:len(dst)]
	for i := scaleAddVector(dst, src, scale, add); i < len(dst); i++ {
		dst[i] = float64(scale*float64(src[i])) + add
	}
}

// Round32 sets dst[i] = scale·src[i], rounded to float32. The slices have one length.
func Round32(dst []float32, src []float64, scale float64) {
	src = src[:len(dst)]
	for i := round32Vector(dst, src, scale); i < len(dst); i++ {
		dst[i] = float32(float64(scale * src[i]))
	}
}

// Uniforms sets dst, two numbers for each word, to the upper 24 bits of each half over 2^24, the low half first.
func Uniforms(dst []float32, words []uint64) {
	if len(dst) != 2*len(words) {
		panic(fmt.Sprintf("kernel: %d words into %d numbers", len(words), len(dst)))
	}
	for i := uniformsVector(dst, words); i < len(words); i++ {
		w := words[i]
		dst[2*i], dst[2*i+1] = float32(uint32(w)>>8)*0x1p-24, float32(w>>40)*0x1p-24
	}
}

// QuantumToBytes makes pixels of numbers in 0…65535, three for each pixel: each is rounded to the nearest whole number and that,
// over 257, to the nearest byte, as ImageMagick 6 does.
func QuantumToBytes(dst []uint8, src []float64) {
	n := len(dst) / bytesPerPixel
	if len(src) != 3*n || len(dst) != 4*n {
		panic(fmt.Sprintf("kernel: %d numbers into %d bytes of pixels", len(src), len(dst)))
	}
	for i := quantumToBytesVector(dst, src); i < n; i++ {
		d, s := dst[4*i:][:4:4], src[3*i:][:3:3]
		d[0], d[1], d[2], d[3] = QuantumToByte(s[0]), QuantumToByte(s[1]), QuantumToByte(s[2]), 255
	}
}

// QuantumToByte is QuantumToBytes for one number.
func QuantumToByte(v float64) uint8 {
	q := min(uint32(v+0.5), 65535) + 128
	return uint8((q - q>>8) >> 8)
}

// TonePlanes sets dst to the red, green and blue planes of src, every byte v as float32(v)/255.
func TonePlanes(dst []float64, src []uint8) {
	n := len(src) / bytesPerPixel
	if len(dst) != 3*n {
		panic(fmt.Sprintf("kernel: %d bytes of pixels into %d numbers", len(src), len(dst)))
	}
	for i := tonePlanesVector(dst, src); i < n; i++ {
		p := src[4*i:][:3:3]
		dst[i], dst[n+i], dst[2*n+i] = float64(Unit32[p[0]]), float64(Unit32[p[1]]), float64(Unit32[p[2]])
	}
}

// MeanToBytes makes pixels of planes: every (x + sum)/count times 255, all in float32, truncated and cut to 0…255.
func MeanToBytes(dst []uint8, x []float64, sums []float32, count float32) {
	n := len(dst) / bytesPerPixel
	if len(x) != 3*n || len(sums) != 3*n || len(dst) != 4*n {
		panic(fmt.Sprintf("kernel: %d and %d numbers into %d bytes of pixels", len(x), len(sums), len(dst)))
	}
	for i := meanToBytesVector(dst, x, sums, count); i < n; i++ {
		d := dst[4*i:][:4:4]
		for c := range 3 {
			at := c*n + i
			d[c] = toneToByte((float32(x[at]) + sums[at]) / count)
		}
		d[3] = 255
	}
}
