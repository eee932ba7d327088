package procedural

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/detmath"
)

// Counts are given in units of 1/toneUnit, for pixels where they are means over several cells. toneSteps is how many of
// them have their brightness in a table; that of larger ones, which are rare, is computed.
const (
	toneUnit  = 32
	toneSteps = 64 * toneUnit
)

// tone turns the number of visits of a cell into brightness: log(1 + gain*n/mean), 1 at the reference, to the power
// 1/gamma. The logarithm is what shows the thin parts of an attractor next to the dense ones (Draves 2003, section 4).
type tone struct {
	low        [toneSteps]float32 // 0: not computed yet
	gain, inv  float64
	scale, max float64
}

// set prepares for an image. ref is the count that becomes brightness 1.
func (t *tone) set(mean, ref, gain, gamma float64) {
	t.gain = gain / max(mean, 1e-9)
	t.scale = 1 / detmath.Log(1+float64(t.gain*max(ref, 1)))
	t.inv = 1 / gamma
	t.max = 1.6
	clear(t.low[:])
}

func (t *tone) exact(n int) float32 {
	if n == 0 {
		return 0
	}
	v := float64(detmath.Log(1+float64(t.gain*(float64(n)/toneUnit))) * t.scale)
	return float32(min(detmath.Pow(v, t.inv), t.max))
}

// at returns the brightness of n/toneUnit visits, 0 to 1.6.
func (t *tone) at(n int) float32 {
	if n >= len(t.low) {
		return t.exact(n)
	}
	if t.low[n] == 0 {
		t.low[n] = t.exact(n)
	}
	return t.low[n]
}

// exposure returns the mean of the counts above zero, the count that all but the share top of them stay below, and the
// share of cells that were visited at all. It looks at every seventh cell.
func exposure(cells []cell, top float64, buf []uint32) (mean, ref, fill float64, scratch []uint32) {
	buf = buf[:0]
	sum, seen := 0.0, 0
	for i := 0; i < len(cells); i += 7 {
		seen++
		if n := uint32(cells[i].bn >> 32); n > 0 {
			buf = append(buf, n)
			sum += float64(n)
		}
	}
	if len(buf) == 0 {
		return 1, 1, 0, buf
	}
	slices.Sort(buf)
	k := int(float64(float64(len(buf)-1) * (1 - top)))
	return sum / float64(len(buf)), float64(buf[k]), float64(len(buf)) / float64(seen), buf
}

// average returns the mean color of a cell's points.
func (c *cell) average() rgb {
	k := float32(1) / float32(255*float64(max(c.bn>>32, 1)))
	return rgb{
		float32(float32(float64(c.rg&math.MaxUint32)) * k),
		float32(float32(float64(c.rg>>32)) * k),
		float32(float32(float64(c.bn&math.MaxUint32)) * k),
	}
}
