//go:build !noasm

package kernel

import (
	"math"
	"math/bits"

	"github.com/augmix-go/augmix/internal/cpu"
)

// maskWords is the size of the buffer for undecided pixels; images are done in slices of rows that fit.
const maskWords = 1024

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	if level == cpu.Plain || w < 2 || h < 2 || w >= 1<<14 || h >= 1<<14 || !m.finite() {
		return false
	}
	switch {
	case level < cpu.AVX512:
		return warpGeneral8(dst, src, w, h, m, fill)
	case m.A == 1 && m.C == 0 && m.D == 0 && m.E == 1 && m.F == 0:
		return shearRows(dst, src, w, h, m, fill) || warpGeneral(dst, src, w, h, m, fill)
	case m.A == 1 && m.B == 0 && m.C == 0 && m.E == 1 && m.F == 0 && math.Abs(m.D) < 0.12:
		shearColumns(dst, src, w, h, m, fill)
		return true
	}
	return warpGeneral(dst, src, w, h, m, fill)
}

// shearRows does the map (1, B, 0, 0, 1, 0): each row moves sideways by one amount. It gives up and returns false, with dst
// half done, when more than a few rows are undecided: a factor like 0.06 puts whole numbers into every row's table.
func shearRows(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	stride := 4 * w
	undecided := 0
	for y := range h {
		out, in := dst[y*stride:][:stride], src[y*stride:][:stride]
		t := m.B * (float64(y) + 0.5)
		whole := math.Floor(t)
		if math.Abs(whole) > float64(w+1) {
			fillPixels(out, fill)
			continue
		}
		i := int(whole)
		lo, hi := min(max(-1-i, 0), w), max(min(w-i, w), 0) // all pixels that may be inside
		fillPixels(out[:4*lo], fill)
		fillPixels(out[4*max(hi, lo):], fill)
		if hi <= lo {
			continue
		}
		first, end := max(-i, 0), min(w-1-i, w) // those between two pixels
		q := uint32(math.Round((t - whole) * (1 << 24)))
		if end <= first || q >= 1<<24 || shearRowAVX512(&out[4*first], &in[4*(first+i)], end-first, q) != 0 {
			if undecided++; undecided > 3 {
				return false
			}
			warpSpan(dst, src, w, h, m, fill, y, lo, hi)
			continue
		}
		warpSpan(dst, src, w, h, m, fill, y, lo, first)
		warpSpan(dst, src, w, h, m, fill, y, end, hi)
	}
	return true
}

// shearColumns does the map (1, 0, 0, D, 1, 0) for |D| < 0.12, where sixteen neighboring columns move by at most two
// rows against each other: each column moves up or down by one amount.
func shearColumns(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) {
	var masks [maskWords]uint16
	for x := 0; x < w; x += 16 {
		var a shearArgs
		n := min(16, w-x)
		undecided := a.columns(m.D, x, n, h)
		a.last, a.stride = h-1, 4*w
		a.kt = 1<<n - 1
		a.fill = word(fill)
		a.src, a.mask = &src[4*x], &masks[0]
		base := a.row
		for y := 0; y < h; y += maskWords {
			a.dst = &dst[4*(y*w+x)]
			a.y, a.yEnd, a.row = y, min(y+maskWords, h), base+y
			shearColumnsAVX512(&a)
			for j, bad := range masks[:a.yEnd-y] {
				fixPixels(dst, src, w, h, m, fill, y+j, x, bad&^undecided)
			}
		}
		for ; undecided != 0; undecided &= undecided - 1 {
			col := x + bits.TrailingZeros16(undecided)
			for y := range h {
				warpSpan(dst, src, w, h, m, fill, y, col, col+1)
			}
		}
	}
}

// columns sets the offsets, fractions and bounds of n columns from x on, and row to the offset of lanes outside k1 and k2.
// It returns the columns whose fraction is so close to 0, a half or 1 that the exact code has to do them.
func (a *shearArgs) columns(d float64, x, n, h int) (undecided uint16) {
	var off [16]int
	lowest := math.MaxInt
	for j := range n {
		t := d * (float64(x+j) + 0.5)
		whole := math.Floor(t)
		f := t - whole
		off[j] = int(whole)
		lowest = min(lowest, off[j])
		a.q[j] = uint32(math.Round(f * (1 << 22)))
		if r := math.Abs(f - 0.5); r < 0x1p-20 || r > 0.5-0x1p-20 {
			undecided |= 1 << j
		}
		lo, hi := -off[j], h-off[j]
		if f > 0.5 {
			lo, hi = lo-1, hi-1
		}
		a.yMin[j], a.yMax[j] = int32(lo), int32(hi)
	}
	a.row, a.k1, a.k2 = lowest, 0, 0
	for j := range n {
		switch off[j] - lowest {
		case 1:
			a.k1 |= 1 << j
		case 2:
			a.k2 |= 1 << j
		}
	}
	return undecided
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
