package cbar

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
)

// BenchmarkApply corrupts one image at all five severities in turn; ms/image is the mean over them. "sum" at the end
// is one image through all ten of the profile.
func BenchmarkApply(b *testing.B) {
	for _, p := range []Profile{CIFAR, ImageNet} {
		size := map[Profile]int{CIFAR: 32, ImageNet: 224}[p]
		src := testImage(size, size)
		all := ops(b, p)
		for _, c := range all {
			b.Run(fmt.Sprintf("%s/%d", c.Name(), size), func(b *testing.B) { corruptiontest.Benchmark[corrupt.Scratch](b, []Op{c}, src) })
		}
		b.Run(fmt.Sprintf("sum/%d", size), func(b *testing.B) { corruptiontest.Benchmark[corrupt.Scratch](b, all, src) })
	}
}
