package procedural

import (
	"encoding/binary"
	"math"
)

// tint is a color in lanes of 16 bits: red, green and blue in 1/64 of a gray level. For a point of the image that is painted
// there is a fourth on top, the logarithm of its count in 1/512 of an octave, roughly; tintInside inside.
type tint uint64

const (
	tintFull   = 255 * 64
	tintWhite  = tintFull * 0x0001_0001_0001
	tintInside = 1<<14 - 1
	tintTops   = 0x8000_8000_8000_8000
)

// tint returns the color in lanes.
func (c rgb) tint() tint {
	lane := func(v float32) tint { return tint(int32(float32(v*tintFull) + 0.5)) }
	return lane(c.b)<<32 | lane(c.g)<<16 | lane(c.r)
}

// luma is that of a color.
func (a tint) luma() float32 {
	lane := func(v tint) float32 { return float32(v&0xffff) / tintFull }
	return rgb{lane(a), lane(a >> 16), lane(a >> 32)}.luma()
}

// ramp is a palette with so many colors that nothing need be blended.
type ramp [8 * paletteSize]tint

func (t *ramp) fill(p *palette) {
	for i := range t {
		t[i] = p.at((float64(i) + 0.5) / float64(len(t))).tint()
	}
}

// at returns the color at a position of at least 0, in turns.
func (t *ramp) at(x float64) tint { return t[int(x*float64(len(t)))%len(t)] }

// counted returns the tint of a point with a count, 0 inside.
func (a tint) counted(count float32) tint {
	if count > 0 {
		// The bits of a float32 are its logarithm, with straight lines between powers of two.
		return a | tint((math.Float32bits(count)-math.Float32bits(leastCount))>>14)<<48
	}
	return a | tintInside<<48
}

// alike reports whether what lies between two points can be told from them: both are inside or both outside, and their
// colors and counts differ little.
func (a tint) alike(b tint) bool {
	const most = 64<<48 | 20*64*(tintWhite/tintFull)
	return (a+most|tintTops-b)&(b+most|tintTops-a)&tintTops == tintTops
}

// mean returns what lies in the middle of two points.
func (a tint) mean(b tint) tint { return (a + b) >> 1 & 0x3fff_3fff_3fff_3fff }

// lit returns the color in light, or shadow, of strength d, -1 to 1.
func (a tint) lit(d float32) tint {
	if d > 0 {
		a &= 1<<48 - 1
		return a + (tintWhite - a).times(float32(0.45*d))
	}
	return a.times(1 + float32(0.6*d))
}

// times returns the color times a factor from 0 to 1.
func (a tint) times(k float32) tint {
	const redBlue, green = 0xffff_0000_ffff, 0xffff_0000
	f := tint(int32(float32(k*(1<<15)) + 0.5))
	return a&redBlue*f>>15&redBlue | a&green*f>>15&green
}

// store makes p the color.
func (a tint) store(p []uint8) {
	v := (a + 32*(tintWhite/tintFull)) >> 6
	binary.LittleEndian.PutUint32(p, uint32(v&0xff|v>>8&0xff00|v>>16&0xff0000|0xff000000))
}
