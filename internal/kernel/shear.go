//go:build (amd64 || arm64) && !noasm

package kernel

import (
	"math"
	"sync"
)

// shearStrip says how shearStripRows interpolates eight columns between the rows of an image and those below: by which
// factor, twice in a 32-bit word, and, all bits set, in which of them one row further down. The first row starts at byte at of
// the image, the last one at byte last; the rows at the border stand for those outside.
type shearStrip struct {
	at, last      int
	factor, lower [8]uint32
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
		t := float64(m.B * (float64(y) + 0.5))
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
		shearRow(&out[4*first], &in[4*(first+i)], end-first, factor)
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
			shearStripRows(&dst[first*stride+4*x], &src[4*x], stride, end-first, &c.strip)
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
		c.off[j], c.strip.factor[j], c.near[j], ok = table.shearBy(float64(d * (float64(x+j) + 0.5)))
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
