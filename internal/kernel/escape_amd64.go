//go:build !noasm

package kernel

import (
	"math"
	"math/bits"

	"github.com/augmix-go/augmix/internal/cpu"
)

// orbitLanes is how many orbits are on their way at a time, orbitBlocks how often they make 8 steps until new ones take the place of
// those that have ended.
const (
	orbitLanes  = 32
	orbitBlocks = 2
)

// orbitState is orbits on their way: where they are, c, where they may come back to, their least distance from the lines of a cross
// or from a circle, and the steps they have made.
type orbitState struct {
	x, y, cx, cy, backX, backY, near [orbitLanes]float64
	n                                [orbitLanes]int64
}

func escapeVector(m *EscapeMap, o *Orbits) bool {
	if level < cpu.AVX2 {
		return false
	}
	var s orbitState
	var index [orbitLanes]int
	next, running := 0, uint32(0)
	for {
		for idle := ^running; idle != 0 && next < len(o.X); idle &= idle - 1 {
			i := bits.TrailingZeros32(idle)
			s.x[i], s.y[i], s.cx[i], s.cy[i] = o.X[next], o.Y[next], o.CX[next], o.CY[next]
			s.backX[i], s.backY[i], s.near[i], s.n[i] = s.x[i], s.y[i], math.MaxFloat64, 0
			index[i] = next
			running |= 1 << i
			next++
		}
		if running == 0 {
			return true
		}
		before := running
		if level >= cpu.AVX512 {
			running = escapeAVX512(m, &s, running, orbitBlocks)
		} else {
			running = escapeAVX2(m, &s, running, orbitBlocks)
		}
		for ended := before &^ running; ended != 0; ended &= ended - 1 {
			i := bits.TrailingZeros32(ended)
			at, near := index[i], s.near[i]
			if m.Cross != 0 {
				near *= near
			}
			o.X[at], o.Y[at], o.Near[at], o.Steps[at] = s.x[i], s.y[i], near, float64(s.n[i])
		}
	}
}
