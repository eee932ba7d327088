package procedural

import "math"

// ranks says where a count is among those of the probe.
type ranks struct {
	count [65]float32 // levels, which divide those of the probe evenly
	// below holds, for each 64th of an octave from leastCount on, the last level below it, or 0. The bits of a float32 are
	// its logarithm, with straight lines between powers of two.
	below [16 * 64]uint8
}

// leastCount is below all counts.
const leastCount = 1. / 16

// set takes the levels from counts in order.
func (l *ranks) set(counts []float32) {
	for i := range l.count {
		l.count[i] = counts[i*(len(counts)-1)/(len(l.count)-1)]
	}
	k := 0
	for i := range l.below {
		least := math.Float32frombits(math.Float32bits(leastCount) + uint32(i)<<17)
		for k < len(l.count)-2 && l.count[k+1] < least {
			k++
		}
		l.below[i] = uint8(k)
	}
}

// rank returns the share of the probe's points that escape before a count. Laying the palette on by rank gives every image
// all of its colors, and lets them come to rest near the set, where counts grow without bound and any other law ends in
// noise.
func (l *ranks) rank(count float32) float32 {
	const last = len(l.count) - 1
	switch {
	case !(count > l.count[0]):
		return 0
	case count > l.count[last]:
		return 1
	}
	k := int(l.below[(math.Float32bits(count)-math.Float32bits(leastCount))>>17%uint32(len(l.below))])
	for l.count[k+1] < count {
		k++
	}
	a, b := l.count[k], l.count[k+1]
	return (float32(k) + (count-a)/max(b-a, 1e-9)) / float32(last)
}
