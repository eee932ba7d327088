//go:build !noasm

package kernel

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

// The sizes of buffers for masks of undecided pixels, of 16 and of 8 lanes each: the widest row fits. Images are done in slices of
// rows that fit.
const (
	masksOf16 = maxWarp / 16
	masksOf8  = maxWarp / 8
)

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	if level == cpu.Plain || w < 2 || h < 2 || w >= maxWarp || h >= maxWarp || !m.finite() {
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

func shearRow(dst, src *byte, n int, factor uint32) { shearRowAVX2(dst, src, n, factor) }

func shearStripRows(dst, src *byte, stride, rows int, a *shearStrip) {
	shearColumnsAVX2(dst, src, stride, rows, a)
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
	in := a.inner(src, w, h, s, 16)
	var masks [masksOf16]uint16
	perRow := (w + 15) / 16
	a.src, a.below, a.mask, a.w = &src[0], &src[4*w], &masks[0], w
	for y := 0; y < h; y += masksOf16 / perRow {
		rows := min(masksOf16/perRow, h-y)
		a.dst, a.rows = &dst[4*y*w], rows
		warpAVX512(&a, &in)
		for j, bad := range masks[:rows*perRow] {
			if bad != 0 {
				fixPixels(dst, src, w, h, m, fill, y+j/perRow, j%perRow*16, bad)
			}
		}
	}
	return true
}

// windowRows is in how many rows the upper neighbors of a register of pixels are at most where windows are used, as in the
// generator: sixteen pixels of a rotation by 30 degrees, the most that AugMix draws, are in nine.
const windowRows = 9

// inner makes the other arguments of warpAVX512 and warpAVX2, with that many lanes, for the w by h image src.
func (a *warpArgs) inner(src []uint8, w, h, s, lanes int) (in warpInner) {
	in.lastX, in.lastY = int64(a.offX[lanes-1]), int64(a.offY[lanes-1])
	in.lowX, in.lowY = min(in.lastX, 0), min(in.lastY, 0)
	in.endX, in.endY = uint64(w-1)<<s-4, uint64(h-1)<<s-4
	in.fraction, in.decided = 1<<s-1, 1<<15-1<<(26-s)
	for c := range in.start {
		in.start[c] = float32(math.Ldexp(256+float64(a.margin), 8*c))
	}
	// The pixels may come from windows where they are no further apart in the source.
	in.rows, in.windows = int(max(in.lastY, -in.lastY)>>s)+2, -1
	if in.lastX > 0 && in.lastX < int64(lanes-1)<<s && in.rows <= windowRows {
		in.windows = len(src) - 4*w*in.rows - 4*(lanes+1)
	}
	return in
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
	in := wide.inner(src, w, h, s, 8)
	var masks [masksOf8]uint8
	perRow := (w + 7) / 8
	a.src, a.below, a.mask, a.w = &src[0], &src[4*w], &masks[0], w
	for y := 0; y < h; y += masksOf8 / perRow {
		rows := min(masksOf8/perRow, h-y)
		a.dst, a.rows = &dst[4*y*w], rows
		warpAVX2(&a, &in)
		for j, bad := range masks[:rows*perRow] {
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
