//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/augmix-go/augmix/internal/cpu"
)

// FuzzResizeTwins compares the passes of a resize with sums written out. Weights add up to about 1, some are negative.
func FuzzResizeTwins(f *testing.F) {
	for n := range uint16(101) {
		f.Add(uint64(n), n, uint8(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, count uint8) {
		r := rand.New(rand.NewPCG(seed, 11))
		n, taps := int(size%700), 1+int(count%20)
		weight := func() int32 { return r.Int32N(3<<22/int32(taps)) - 1<<22/int32(taps) }
		value := func(sum int32) uint8 { return uint8(min(max((sum+1<<21)>>22, 0), 255)) }

		stride := n + r.IntN(5)
		src := make([]uint8, taps*stride+n)
		for i := range src {
			src[i] = uint8(r.Uint32())
		}
		w, want := make([]int32, taps), make([]uint8, n)
		for i := range w {
			w[i] = weight()
		}
		for i := range want {
			var sum int32
			for k, f := range w {
				sum += f * int32(src[k*stride+i])
			}
			want[i] = value(sum)
		}
		compare := func(what string, want []uint8, f func(dst []uint8) bool) {
			for _, l := range cpu.Levels()[1:] {
				atLevel(l, func() {
					dst := make([]uint8, len(want)+1)
					if f(dst[:len(want)]) && !bytes.Equal(dst[:len(want)], want) || dst[len(want)] != 0 {
						t.Fatalf("%s of %d bytes, %d taps differs with %v", what, len(want), taps, l)
					}
				})
			}
		}
		compare("ResizeRow", want, func(dst []uint8) bool { return ResizeRow(dst, src, stride, w) })

		pixels := testImage(r, taps+n/2, 1)
		blocks := (n + ColumnBlock - 1) / ColumnBlock
		start, table := make([]int32, blocks*ColumnBlock), make([]int32, blocks*ColumnBlock*taps)
		out := make([]uint8, 4*n)
		for i := range n {
			start[i] = r.Int32N(int32(n/2) + 1)
			var sums [3]int32
			for k := range taps {
				f := weight()
				table[(i/ColumnBlock*taps+k)*ColumnBlock+i%ColumnBlock] = f
				for c := range sums {
					sums[c] += f * int32(pixels[4*(int(start[i])+k)+c])
				}
			}
			copy(out[4*i:], []uint8{value(sums[0]), value(sums[1]), value(sums[2]), 255})
		}
		compare("ResizeColumns", out, func(dst []uint8) bool { return ResizeColumns(dst, pixels, start, table, taps) })
	})
}
