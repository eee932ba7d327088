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
// or from a circle, and the steps they have made, counted in paces.
type orbitState struct {
	x, y, cx, cy, backX, backY, near [orbitLanes]float64
	n                                [orbitLanes]int64
}

func escapeVector(m *EscapeMap, o *Orbits, n int) bool {
	if level < cpu.AVX2 {
		return false
	}
	pace := m.pace()
	with := *m
	with.Limit = max(m.Limit+orbitBlock-1, orbitBlock) / orbitBlock * (orbitBlock / pace)
	if level >= cpu.AVX512 {
		escapeAVX512(&with, o, n)
	} else {
		escapeLanes(&with, o, n, pace)
	}
	if m.Trap == TrapCross {
		for i, v := range o.Near[:n] {
			o.Near[i] = v * v
		}
	}
	return true
}

// escapeLanes runs the orbits with AVX2.
func escapeLanes(m *EscapeMap, o *Orbits, n int, pace int64) {
	var s orbitState
	var index [orbitLanes]int
	next, done, running := 0, 0, uint32(0)
	for {
		for idle := ^running; idle != 0 && next < n; idle &= idle - 1 {
			i := bits.TrailingZeros32(idle)
			s.x[i], s.y[i], s.cx[i], s.cy[i] = o.X[next], o.Y[next], o.CX[next], o.CY[next]
			s.backX[i], s.backY[i], s.near[i], s.n[i] = s.x[i], s.y[i], math.MaxFloat64, 0
			index[i] = next
			running |= 1 << i
			next++
		}
		if running == 0 {
			return
		}
		before := running
		running = escapeAVX2(m, &s, running, orbitBlocks)
		for ended := before &^ running; ended != 0; ended &= ended - 1 {
			i := bits.TrailingZeros32(ended)
			o.Square[done] = float64(s.x[i]*s.x[i]) + float64(s.y[i]*s.y[i])
			o.Near[done], o.Steps[done], o.Index[done] = s.near[i], float64(s.n[i]*pace), int64(index[i])
			done++
		}
	}
}
