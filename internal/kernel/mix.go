package kernel

import "fmt"

// MaxMix is the largest number of pictures one call of MixBytes or MixPlanes blends.
const MaxMix = 64

// MixBytes writes the weighted sum of pictures: for every value, weights[0]*srcs[0] + weights[1]*srcs[1] + ... summed in
// that order in float32, plus 0.5, clipped to 0..255 and truncated. All pictures have the length of dst; dst may be one of
// them. The fourth byte becomes 255.
func MixBytes(dst []uint8, srcs [][]uint8, weights []float32) {
	mustMix(len(dst), srcs, weights)
	n := mixBytesVector(dst, srcs, weights)
	for i := n; i < len(dst); i++ {
		if i&3 == 3 {
			dst[i] = 255
			continue
		}
		var sum float32
		for k, s := range srcs {
			sum += float32(weights[k] * float32(s[i]))
		}
		dst[i] = uint8(min(max(sum+0.5, 0), 255))
	}
}

// MixPlanes writes the weighted sum of pictures as three planes of float32 (red, green, blue; the CHW layout networks
// take): for every value, weights[0]*srcs[0] + weights[1]*srcs[1] + ... summed in that order in float32, then times
// scale[channel] plus bias[channel]. dst holds 3 values for each pixel.
func MixPlanes(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) {
	n := len(dst) / 3
	if len(dst)%3 != 0 {
		panic(fmt.Sprintf("kernel: %d values are not three planes", len(dst)))
	}
	mustMix(n*bytesPerPixel, srcs, weights)
	from := mixPlanesVector(dst, srcs, weights, scale, bias)
	for c := range 3 {
		plane := dst[c*n:][:n]
		for i := from; i < n; i++ {
			var sum float32
			for k, s := range srcs {
				sum += float32(weights[k] * float32(s[4*i+c]))
			}
			plane[i] = float32(sum*scale[c]) + bias[c]
		}
	}
}

func mustMix(n int, srcs [][]uint8, weights []float32) {
	if len(srcs) == 0 || len(srcs) > MaxMix || len(srcs) != len(weights) {
		panic(fmt.Sprintf("kernel: %d pictures with %d weights (allowed: 1 to %d, as many of each)", len(srcs), len(weights), MaxMix))
	}
	for _, s := range srcs {
		if len(s) != n {
			panic(fmt.Sprintf("kernel: mixing a picture of %d bytes into %d", len(s), n))
		}
	}
}
