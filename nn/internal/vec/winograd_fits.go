//go:build (amd64 || arm64) && !noasm

package vec

import "github.com/augmix-go/augmix/internal/cpu"

// winogradFits reports whether c channels are whole vectors, and checks that n tiles fit their arrays: sixteen values
// pos apart, and rows of 2n pixels and so many more.
func winogradFits(tiles []float32, pos int, pixels []float32, row, rows, more, n, c int) bool {
	if level == cpu.Plain || n < 1 || c < 1 || c%lanes() != 0 {
		return false
	}
	_, _ = tiles[:15*pos+n*c], pixels[:(rows-1)*row+(2*n+more)*c]
	return true
}
