package kernel

import "fmt"

// UnitToBytes makes pixels of numbers, three for each pixel: every number times 255, truncated and cut to 0..255. The fourth
// byte becomes 255. Numbers lie between -2^22 and 2^22.
func UnitToBytes(dst []uint8, src []float64) {
	n := len(dst) / bytesPerPixel
	if len(src) != 3*n || len(dst) != 4*n {
		panic(fmt.Sprintf("kernel: %d numbers into %d bytes of pixels", len(src), len(dst)))
	}
	for i := unitToBytesVector(dst, src); i < n; i++ {
		d, s := dst[4*i:][:4:4], src[3*i:][:3:3]
		d[0], d[1], d[2], d[3] = unitToByte(s[0]), unitToByte(s[1]), unitToByte(s[2]), 255
	}
}

func unitToByte(v float64) uint8 { return uint8(min(max(int32(v*255), 0), 255)) }

// AddFour adds to every number of dst those of the four others at its place. All have one length.
func AddFour(dst, a, b, c, d []uint64) {
	n := len(dst)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i := addFourVector(dst, a, b, c, d); i < n; i++ {
		dst[i] += a[i] + b[i] + c[i] + d[i]
	}
}
