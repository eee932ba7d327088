//go:build !noasm

package kernel

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

func warpVector(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	if level < cpu.NEON || w < 4 || h < 2 || w >= maxWarp || h >= maxWarp || !m.finite() {
		return false
	}
	return m.A == 1 && m.C == 0 && m.D == 0 && m.E == 1 && m.F == 0 && shearRows(dst, src, w, h, m, fill) ||
		m.A == 1 && m.B == 0 && m.C == 0 && m.E == 1 && m.F == 0 && shearColumns(dst, src, w, h, m, fill) ||
		warpGeneral(dst, src, w, h, m, fill)
}

func shearRow(dst, src *byte, n int, factor uint32) { shearRowNEON(dst, src, 4*n, uint16(factor)) }

func shearStripRows(dst, src *byte, stride, rows int, a *shearStrip) {
	shearColumnsNEON(dst, src, stride, rows, a.at, a.last, &a.factor, &a.lower)
}

// warpLanes are constants of warpNEON, each in four equal lanes but for the offsets of four pixels and the bits of a mask.
type warpLanes struct {
	offX, offY, nearX, nearY, wEnd, hEnd, wMax, hMax, fill, bits [4]uint32
	slack, nearMask, half, one, left, right, margin              [4]uint32
}

// groups is the size of the buffer for the masks of four pixels each: the widest row fits. Images are done in slices of rows that fit.
const groups = maxWarp / 4

// warpGeneral does any affine map whose source positions fit fixed point, and reports whether they do.
func warpGeneral(dst, src []uint8, w, h int, m *Affine, fill [4]uint8) bool {
	s, ok := fixedPoint(w, h, m)
	if !ok {
		return false
	}
	var a warpArgs
	a.setMap(w, h, m, s)
	a.fill = word(fill)
	lanes := a.lanes()
	var masks [groups]uint8
	perRow := w / 4
	for y := 0; y < h; y += groups / perRow {
		rows := min(groups/perRow, h-y)
		warpNEON(&dst[4*y*w], &src[0], &src[4*w], &masks[0], rows, w&^3, 4*(w&3), a.x0+int64(y)*a.xRow, a.y0+int64(y)*a.yRow,
			a.xStep/4, a.yStep/4, a.xRow, a.yRow, a.pitch, a.scale, &lanes)
		for j, bad := range masks[:rows*perRow] {
			if bad != 0 {
				fixPixels(dst, src, w, h, m, fill, y+j/perRow, j%perRow*4, uint16(bad))
			}
		}
	}
	for y := range h {
		warpSpan(dst, src, w, h, m, fill, y, w&^3, w)
	}
	return true
}

func (a *warpArgs) lanes() (l warpLanes) {
	for i := range 4 {
		l.offX[i], l.offY[i], l.bits[i] = uint32(a.offX[i]), uint32(a.offY[i]), 1<<i
		l.nearX[i], l.nearY[i], l.slack[i], l.nearMask[i] = uint32(a.nearX), uint32(a.nearY), a.slack, a.nearMask
		l.wEnd[i], l.hEnd[i], l.wMax[i], l.hMax[i] = a.wEnd, a.hEnd, uint32(a.wMax), uint32(a.hMax)
		l.half[i], l.one[i], l.left[i], l.right[i] = a.half, a.one, uint32(a.shift), -uint32(a.shift)
		l.fill[i], l.margin[i] = a.fill, math.Float32bits(a.margin)
	}
	return l
}
