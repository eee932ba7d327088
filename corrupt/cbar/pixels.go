package cbar

import "github.com/augmix-go/augmix/internal/kernel"

// unitSingle holds v/255 rounded to float32, as float64: some corruptions were made from images in that type.
var unitSingle = func() (t [256]float64) {
	for v := range t {
		t[v] = float64(kernel.Unit32[v])
	}
	return t
}()

// level returns v, in gray levels and within ±2^31, truncated and cut to 0…255: the storage rule of the benchmark.
func level(v float64) uint8 { return uint8(min(max(int32(v), 0), 255)) }

// addGray sets dst[i] to src[i] plus gain·v[i] in each channel, the sum rounded down and cut to 0…255. |gain·v| must
// stay below 2^20. dst and src are rows of pixels.
//
// Rounding the summand down gives the same as truncating the cut sum, but where the sum in floating point reaches an
// integer by its own rounding.
func addGray(dst, src []uint8, v []float64, gain float64) {
	const bias = 1 << 20 // so that truncation rounds down
	for _, n := range v {
		if len(src) < 4 || len(dst) < 4 {
			return
		}
		d := int32(float64(gain*n)+bias) - bias
		dst[0] = cut(int32(src[0]) + d)
		dst[1] = cut(int32(src[1]) + d)
		dst[2] = cut(int32(src[2]) + d)
		dst[3] = 255
		dst, src = dst[4:], src[4:]
	}
}

func cut(v int32) uint8 { return uint8(min(max(v, 0), 255)) }
