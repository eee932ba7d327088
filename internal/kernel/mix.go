package kernel

import "fmt"

// MaxMix is the largest number of images one call of MixBytes or MixPlanes blends.
const MaxMix = 64

// MixBytes writes the weighted sum of images: for every value, weights[0]*srcs[0] + weights[1]*srcs[1] + ... summed in
// that order in float32, plus 0.5, clipped to 0..255 and truncated. All images have the length of dst; dst may be one of
// them. The fourth byte becomes 255.
func MixBytes(dst []uint8, srcs [][]uint8, weights []float32) {
	mustMix(len(dst), srcs, weights)
	var sums blockSums
	for i := mixBytesVector(dst, srcs, weights); i < len(dst); i += 4 * blockPixels {
		out := dst[i:min(i+4*blockPixels, len(dst))]
		sums.add(srcs, weights, i, len(out))
		for j := 0; j+3 < len(out); j += 4 {
			s := sums[j : j+4 : j+4]
			out[j] = uint8(min(max(s[0]+0.5, 0), 255))
			out[j+1] = uint8(min(max(s[1]+0.5, 0), 255))
			out[j+2] = uint8(min(max(s[2]+0.5, 0), 255))
			out[j+3] = 255
		}
	}
}

// blockSums holds weighted sums of a block of pixels, laid out as the pixels are.
type blockSums [4 * blockPixels]float32

const blockPixels = 64

// add sets the sums to those of n bytes of every image from byte i on.
func (b *blockSums) add(srcs [][]uint8, weights []float32, i, n int) {
	clear(b[:n])
	for k, s := range srcs {
		w, in := weights[k], s[i:i+n]
		for j, v := range in {
			b[j] += float32(w * float32(v))
		}
	}
}

// MixPlanes writes the weighted sum of images as three planes of float32 (red, green, blue; the CHW layout networks
// take): for every value, weights[0]*srcs[0] + weights[1]*srcs[1] + ... summed in that order in float32, then times
// scale[channel] plus bias[channel]. dst holds 3 values for each pixel.
func MixPlanes(dst []float32, srcs [][]uint8, weights []float32, scale, bias *[3]float32) {
	n := len(dst) / 3
	if len(dst)%3 != 0 {
		panic(fmt.Sprintf("kernel: %d values are not three planes", len(dst)))
	}
	mustMix(n*bytesPerPixel, srcs, weights)
	from := mixPlanesVector(dst, srcs, weights, scale, bias)
	var sums blockSums
	for i := from; i < n; i += blockPixels {
		count := min(blockPixels, n-i)
		sums.add(srcs, weights, 4*i, 4*count)
		for c := range 3 {
			for j := range dst[c*n+i:][:count] {
				dst[c*n+i+j] = float32(sums[4*j+c]*scale[c]) + bias[c]
			}
		}
	}
}

func mustMix(n int, srcs [][]uint8, weights []float32) {
	if len(srcs) == 0 || len(srcs) > MaxMix || len(srcs) != len(weights) {
		panic(fmt.Sprintf("kernel: %d images with %d weights (allowed: 1 to %d, as many of each)", len(srcs), len(weights), MaxMix))
	}
	for _, s := range srcs {
		if len(s) != n {
			panic(fmt.Sprintf("kernel: mixing an image of %d bytes into %d", len(s), n))
		}
	}
}
