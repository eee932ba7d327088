//go:build !noasm

package kernel

import (
	"math"
	"math/bits"
	"sync"

	"github.com/augmix-go/augmix/internal/cpu"
)

// maskWords is the size of the buffer for undecided pixels; images are done in slices of rows that fit.
const maskWords = 1024

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	if level == cpu.Plain || w < 2 || h < 2 || w >= 1<<14 || h >= 1<<14 || !m.finite() {
		return false
	}
	switch {
	case m.A == 1 && m.C == 0 && m.D == 0 && m.E == 1 && m.F == 0 && shearRows(dst, src, w, h, m, fill),
		m.A == 1 && m.B == 0 && m.C == 0 && m.E == 1 && m.F == 0 && shearColumns(dst, src, w, h, m, fill):
		return true
	case level < cpu.AVX512:
		return warpGeneral8(dst, src, w, h, m, fill)
	}
	return warpGeneral(dst, src, w, h, m, fill)
}

// maxUndecided is how many rows or columns of a shear may be left to the exact code before the general warp does the image: a
// factor like 0.06 puts whole numbers into every row.
const maxUndecided = 3

// shearBy splits a shift by t pixels into whole pixels and the factor for the fraction, twice in a 32-bit word, unless the exact
// fraction would have to decide. near reports that the border pixel is nearer than its neighbor inside.
func (c *shearCells) shearBy(t float64) (whole int, factor uint32, near, ok bool) {
	floor := math.Floor(t)
	f := t - floor
	factor = c.factor(uint32(math.Round(f * (1 << 24))))
	return int(floor), factor * 0x10001, f > 0.5, factor != undecided
}

const undecided = math.MaxUint32

// shearCells has a cell for every 2^-16 of a fraction q/2^24. It holds the denominator b of the one fraction a/b, b <= 255, that
// is in the cell or has a q within 160/b in it; 0 where there is none.
type shearCells [1 << 16]uint8

// cells computes the table when the first shear asks for it.
var cells = sync.OnceValue(func() *shearCells {
	c := new(shearCells)
	c[0], c[len(c)-1] = 1, 1
	for a, b, nextA, nextB := 0, 1, 1, 255; nextB > 1; { // the fractions from 0 to 1 in order
		k := (255 + b) / nextB
		a, b, nextA, nextB = nextA, nextB, k*nextA-a, k*nextB-b
		c[(a<<24-160)/b>>8], c[(a<<24+160)/b>>8] = uint8(b), uint8(b)
	}
	return c
})

// factor returns a number m for which floor(d*m/2^16) is floor(d*f) for all d from 0 to 255, where q = round(f*2^24); or
// undecided where a d*f is so close to a whole number that q could be on its other side: d*q/2^24 is off by at most 127.5 units
// of 2^-24, and whatever lies within 160 of them is left undecided.
//
// m is the whole part of f*2^16 or that plus 1. Two neighbors of f among the fractions with denominators up to 255 are more
// than 1/2^16 apart, as 255*254 < 2^16, and d*x has one floor for all x from the lower to below the upper one. If the whole
// part is below the lower one, then adding 1 leads to between them.
func (c *shearCells) factor(q uint32) uint32 {
	if q >= 1<<24 {
		return undecided
	}
	m := q >> 8
	b := uint32(c[m])
	above := b * q & (1<<24 - 1) // b times how far q is above the fraction
	switch {
	case b > 0 && (above+160)&(1<<24-1) < 320:
		return undecided
	case above < b*(q&255): // the fraction lies between
		return m + 1
	}
	return m
}

// shearRows does the map (1, B, 0, 0, 1, 0): each row moves sideways by one amount. It gives up and returns false, with dst
// half done, when too many rows are undecided.
func shearRows(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	stride, left, table := 4*w, 0, cells()
	for y := range h {
		out, in := dst[y*stride:][:stride], src[y*stride:][:stride]
		t := m.B * (float64(y) + 0.5)
		if math.Abs(t) > float64(w+1) {
			fillPixels(out, fill)
			continue
		}
		i, factor, near, ok := table.shearBy(t)
		first, end := max(-i, 0), min(w-1-i, w) // those between two pixels
		if !ok || end-first < 8 {
			if left++; left > maxUndecided {
				return false
			}
			warpSpan(dst, src, w, h, m, fill, y, 0, w)
			continue
		}
		fillPixels(out[:4*first], fill)
		shearRowAVX2(&out[4*first], &in[4*(first+i)], end-first, factor)
		fillPixels(out[4*end:], fill)
		if first > 0 && near {
			copy(out[4*first-4:], in[:4])
		}
		if end < w && !near {
			copy(out[4*end:], in[stride-4:])
		}
	}
	return true
}

// shearColumns does the map (1, 0, 0, D, 1, 0) where eight neighboring columns move by at most one row against each other. It
// gives up and returns false, with dst half done, when too many columns are undecided.
func shearColumns(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	if math.Abs(m.D) >= 1./7 || w < 8 || math.Abs(m.D)*float64(w) >= float64(h) {
		return false
	}
	left, stride, table := 0, 4*w, cells()
	for x := 0; x < w; x += 8 {
		x = min(x, w-8) // the last strip ends with the row
		var c shearedColumns
		c.shift(table, m.D, x)
		if left += c.left; left > maxUndecided {
			return false
		}
		first := min(max(-c.base-2, 0), h) // with a source in some column
		end := max(min(h-c.base, h), first)
		c.strip.at, c.strip.last = (first+c.base)*stride, (h-1)*stride
		if end > first {
			shearColumnsAVX2(&dst[first*stride+4*x], &src[4*x], stride, end-first, &c.strip)
		}
		c.fillOutside(dst[4*x:], stride, h, fill)
		for _, column := range c.exact[:c.left] {
			for y := range h {
				warpSpan(dst, src, w, h, m, fill, y, column, column+1)
			}
		}
	}
	return true
}

// shearedColumns is how eight columns move: column i shows the rows from off[i] on, which is base or base+1.
type shearedColumns struct {
	strip shearStrip
	base  int
	off   [8]int
	near  [8]bool
	exact [8]int // the columns that are undecided, left of them
	left  int
}

// shift sets c for the columns from x on.
func (c *shearedColumns) shift(table *shearCells, d float64, x int) {
	c.base = math.MaxInt
	for j := range 8 {
		var ok bool
		c.off[j], c.strip.factor[j], c.near[j], ok = table.shearBy(d * (float64(x+j) + 0.5))
		c.base = min(c.base, c.off[j])
		if !ok {
			c.exact[c.left] = x + j
			c.left++
		}
	}
	for j := range 8 {
		c.strip.lower[j] = -uint32(c.off[j] - c.base)
	}
}

// fillOutside fills the eight columns at dst where they have no source.
func (c *shearedColumns) fillOutside(dst []uint8, stride, h int, fill [4]uint8) {
	for j, off := range c.off {
		lo, hi := -off, h-off
		if c.near[j] {
			lo, hi = lo-1, hi-1
		}
		for y := range min(lo, h) {
			copy(dst[y*stride+4*j:], fill[:])
		}
		for y := max(hi, 0); y < h; y++ {
			copy(dst[y*stride+4*j:], fill[:])
		}
	}
}

// warpGeneral does any affine map whose source positions fit fixed point, and reports whether they do.
func warpGeneral(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	s, ok := fixedPoint(w, h, m)
	if !ok {
		return false
	}
	var a warpArgs
	a.setMap(w, h, m, s)
	a.fill = word(fill)
	var masks [maskWords]uint16
	perRow := (w + 15) / 16
	a.src, a.below, a.mask, a.w = &src[0], &src[4*w], &masks[0], w
	x0, y0 := a.x0, a.y0
	for y := 0; y < h; y += maskWords / perRow {
		a.rows = min(maskWords/perRow, h-y)
		a.dst = &dst[4*y*w]
		a.x0, a.y0 = x0+int64(y)*a.xRow, y0+int64(y)*a.yRow
		warpAVX512(&a)
		for j, bad := range masks[:a.rows*perRow] {
			if bad != 0 {
				fixPixels(dst, src, w, h, m, fill, y+j/perRow, j%perRow*16, bad)
			}
		}
	}
	return true
}

// fixedPoint returns the number of fraction bits, at most 22, with which every source position of the image, sixteen
// pixels beyond its right side included, fits 32 bits; and false when fewer than 14 are left.
func fixedPoint(w, h int, m *Affine) (s int, ok bool) {
	var far float64
	for _, x := range [...]float64{0, float64(w + 16)} {
		for _, y := range [...]float64{0, float64(h)} {
			far = max(far, math.Abs(m.A*x+m.B*y+m.C), math.Abs(m.D*x+m.E*y+m.F))
		}
	}
	far = max(far, float64(w), float64(h)) + 2
	if far >= 1<<16 {
		return 0, false
	}
	s = min(22, 31-bits.Len(uint(far)))
	return s, s >= 14
}

func (a *warpArgs) setMap(w, h int, m *Affine, s int) {
	unit := math.Ldexp(1, s)
	long := math.Ldexp(1, s+32)
	fix := func(v float64) int64 { return int64(math.Round(v * long)) }
	const nearest = 1 << 31 // the vector code drops the low half; this makes that rounding
	a.x0, a.y0 = fix(m.A*0.5+m.B*0.5+m.C-0.5)+nearest, fix(m.D*0.5+m.E*0.5+m.F-0.5)+nearest
	a.xStep, a.yStep = fix(16*m.A), fix(16*m.D)
	a.xRow, a.yRow = fix(m.B), fix(m.E)
	for i := range a.offX {
		a.offX[i], a.offY[i] = int32(math.Round(float64(i)*m.A*unit)), int32(math.Round(float64(i)*m.D*unit))
	}
	a.shift = uint64(s)
	a.wMax, a.hMax = int32(w-2), int32(h-2)
	a.wEnd, a.hEnd = uint32(w)<<s, uint32(h)<<s
	a.one, a.half = 1<<s, 1<<(s-1)
	a.slack, a.nearMask = 2, 1<<(s-1)-1
	a.nearX, a.nearY = 4, 4
	if m.A == 1 && m.B == 0 && m.C == math.Trunc(m.C) {
		a.nearX = -1
	}
	if m.D == 0 && m.E == 1 && m.F == math.Trunc(m.F) {
		a.nearY = -1
	}
	a.pitch = uint32(w)
	a.scale = float32(1 / unit)
	a.margin = float32(math.Ldexp(1, 10-s))
	a.margin2 = 2 * a.margin
}

// warpGeneral8 is warpGeneral with AVX2.
func warpGeneral8(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	s, ok := fixedPoint(w, h, m)
	if !ok {
		return false
	}
	var wide warpArgs
	wide.setMap(w, h, m, s)
	var a warpArgs8
	a.setMap(&wide, word(fill))
	var masks [maskWords]uint8
	perRow := (w + 7) / 8
	a.src, a.below, a.mask, a.w = &src[0], &src[4*w], &masks[0], w
	x0, y0 := a.x0, a.y0
	for y := 0; y < h; y += maskWords / perRow {
		a.rows = min(maskWords/perRow, h-y)
		a.dst = &dst[4*y*w]
		a.x0, a.y0 = x0+int64(y)*a.xRow, y0+int64(y)*a.yRow
		warpAVX2(&a)
		for j, bad := range masks[:a.rows*perRow] {
			if bad != 0 {
				fixPixels(dst, src, w, h, m, fill, y+j/perRow, j%perRow*8, uint16(bad))
			}
		}
	}
	return true
}

// setMap copies what setMap of warpArgs computed.
func (a *warpArgs8) setMap(m *warpArgs, fill uint32) {
	a.x0, a.y0, a.xRow, a.yRow = m.x0, m.y0, m.xRow, m.yRow
	a.xStep, a.yStep = m.xStep/2, m.yStep/2
	a.shift = m.shift
	for i := range 8 {
		a.offX[i], a.offY[i] = m.offX[i], m.offY[i]
		a.wMax[i], a.hMax[i] = m.wMax, m.hMax
		a.wEnd[i], a.hEnd[i] = int32(m.wEnd), int32(m.hEnd)
		a.half[i], a.one[i], a.slack[i] = int32(m.half), int32(m.one), int32(m.slack)
		a.nearMask[i], a.nearX[i], a.nearY[i] = int32(m.nearMask), m.nearX, m.nearY
		a.pitch[i] = int32(m.pitch)
		a.fill[i], a.alpha[i] = fill, 0xff000000
		a.scale[i], a.margin[i], a.margin2[i] = m.scale, m.margin, m.margin2
	}
}

// fixPixels does the pixels x+i of row y exactly for every bit i of bad.
func fixPixels(dst, src []uint8, w, h int, m *Affine, fill [4]uint8, y, x int, bad uint16) {
	for ; bad != 0; bad &= bad - 1 {
		i := x + bits.TrailingZeros16(bad)
		warpSpan(dst, src, w, h, m, fill, y, i, i+1)
	}
}

func word(c [4]uint8) uint32 {
	return uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16 | uint32(c[3])<<24
}
