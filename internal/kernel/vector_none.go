//go:build (!amd64 && !arm64) || noasm

package kernel

import "github.com/augmix-go/augmix/internal/cpu"

var _ = cpu.Select("pixels") // there is no assembly in this build

// EachLevel runs f, in this build once: there is no assembly.
func EachLevel(f func(name string)) { f(cpu.Plain.String()) }

func lookupVector(dst, src []uint8, t *Table) int { return 0 }
