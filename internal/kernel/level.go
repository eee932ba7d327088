//go:build (amd64 || arm64) && !noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

// level is the instruction set of the assembly in use. Tests lower it.
var level = cpu.Select("pixels", cpu.AVX2, cpu.AVX512, cpu.NEON)

// EachLevel runs f without assembly, then with that of every level in use, for tests that compare them. Nothing else of this
// package may run meanwhile.
func EachLevel(f func(name string)) {
	old := level
	defer func() { level = old }()
	for _, l := range cpu.Levels() {
		level = l
		f(l.String())
	}
}
