package kernel

import (
	"math/rand/v2"
	"testing"
)

// FuzzPCG compares words and states at every level with the generator of the standard library.
func FuzzPCG(f *testing.F) {
	f.Add(uint64(0), uint64(0), uint8(0))
	f.Add(uint64(1), ^uint64(0), uint8(7))
	f.Add(^uint64(0), ^uint64(0), uint8(200))
	f.Fuzz(func(t *testing.T, hi, lo uint64, less uint8) {
		n := PCGBlock - int(less)%PCGBlock
		EachLevel(func(name string) {
			src := rand.NewPCG(hi, lo)
			var p PCG
			p.Start(hi, lo)
			p.Next(PCGBlock)
			state := [2]uint64{hi, lo}
			for round := range 2 {
				for i := range p.Word[:n] {
					state[0], state[1] = PCGStep(state[0], state[1])
					if want := src.Uint64(); p.Word[i] != want || p.Hi[i] != state[0] || p.Lo[i] != state[1] {
						t.Fatalf("%s, call %d, word %d: %#x after %#x %#x, want %#x after %#x", name, round, i, p.Word[i], p.Hi[i], p.Lo[i], want, state)
					}
				}
				if n == PCGBlock {
					p.Next(n)
				} else {
					p.Start(state[0], state[1])
					p.Next(n)
				}
			}
		})
	})
}

func BenchmarkPCG(b *testing.B) {
	var p PCG
	p.Start(1, 2)
	for b.Loop() {
		p.Next(PCGBlock)
	}
}
