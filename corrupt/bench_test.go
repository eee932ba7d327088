package corrupt

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
)

// BenchmarkApply corrupts one image at all five severities in turn; ms/image is the mean over them. "sum" at the end
// is one image through all 19.
func BenchmarkApply(b *testing.B) {
	for _, size := range []int{32, 224} {
		src := testImage(size, size)
		profile := map[int]Profile{32: P32, 224: P224}[size]
		for _, name := range allNames(b) {
			c := op(b, name).WithProfile(profile)
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) { corruptiontest.Benchmark[Scratch](b, []Op{c}, src) })
		}
		var all []Op
		for _, name := range allNames(b) {
			all = append(all, op(b, name).WithProfile(profile))
		}
		b.Run(fmt.Sprintf("sum/%d", size), func(b *testing.B) { corruptiontest.Benchmark[Scratch](b, all, src) })
	}
}
