package jpeg

import (
	"encoding/binary"

	"github.com/augmix-go/augmix/internal/kernel"
)

// A pixel under conversion from YCbCr is one 64-bit number: green with 16 fraction bits in bits 0-31, red in bits
// 32-47, blue in bits 48-63. A channel outside 0..255 sets one of the upper eight bits of its lane, a negative one by
// the borrow that it takes from the lanes above.
const (
	laneG   = 1 << 16
	laneR   = 1 << 32
	laneB   = 1 << 48
	laneAll = laneR | laneB | laneG
	laneOut = 0xFF00 * laneAll
)

// crLane and cbLane are the contributions of Cr and Cb (JFIF 1.02): R = Y + 1.402 Cr, G = Y - 0.344136 Cb - 0.714136
// Cr, B = Y + 1.772 Cb, in 16-bit fixed point with the decimals that libjpeg uses, each term rounded to nearest but
// green's, which is rounded once after both.
var crLane, cbLane = yccLanes()

func yccLanes() (cr, cb [256]uint64) {
	const (
		rCr = 91881  // round(1.40200 * 65536)
		gCb = 22554  // round(0.34414 * 65536)
		gCr = 46802  // round(0.71414 * 65536)
		bCb = 116130 // round(1.77200 * 65536)
		one = 1 << 15
	)
	for i := range 256 {
		x := int64(i) - 128
		cr[i] = uint64((rCr*x+one)>>16)*laneR - uint64(gCr*x)
		cb[i] = uint64((bCb*x+one)>>16)*laneB + uint64(one-gCb*x)
	}
	return cr, cb
}

// opaque is the fourth byte of two pixels. It is a variable because the compiler tears a store apart of which it knows
// some bytes.
var opaque uint64 = 0xFF000000FF000000

// fromYCC converts a row.
func fromYCC(dst, y, cb, cr []byte) {
	i, x := kernel.YCCToRGB(dst, y, cb, cr), opaque
	for ; i <= len(y)-4; i += 4 {
		y, cb, cr := (*[4]byte)(y[i:i+4:i+4]), (*[4]byte)(cb[i:i+4:i+4]), (*[4]byte)(cr[i:i+4:i+4])
		out := (*[16]byte)(dst[4*i : 4*i+16 : 4*i+16])
		p := uint64(y[0])*laneAll + crLane[cr[0]] + cbLane[cb[0]]
		q := uint64(y[1])*laneAll + crLane[cr[1]] + cbLane[cb[1]]
		if (p|q)&laneOut != 0 {
			p, q = clampLanes(p), clampLanes(q)
		}
		binary.LittleEndian.PutUint64(out[:8], packLanes(p, q)|x)
		p = uint64(y[2])*laneAll + crLane[cr[2]] + cbLane[cb[2]]
		q = uint64(y[3])*laneAll + crLane[cr[3]] + cbLane[cb[3]]
		if (p|q)&laneOut != 0 {
			p, q = clampLanes(p), clampLanes(q)
		}
		binary.LittleEndian.PutUint64(out[8:], packLanes(p, q)|x)
	}
	for ; i < len(y); i++ {
		p := clampLanes(uint64(y[i])*laneAll + crLane[cr[i]] + cbLane[cb[i]])
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(packLanes(p, 0)|x))
	}
}

// packLanes moves the channels of p and q, which are in 0..255, to the bytes of two pixels.
func packLanes(p, q uint64) uint64 {
	return p>>32 | p>>8&0xFF00 | q&^low32 | q<<24&(0xFF00<<32)
}

// clampLanes limits each channel of p to 0..255.
func clampLanes(p uint64) uint64 {
	p += 0x100 * laneAll                   // now no lane is negative
	high := p >> 9 & laneAll               // too large
	low := (p>>8&laneAll | high) ^ laneAll // negative
	return (p&^laneOut | high*0xFF) &^ (low * 0xFF)
}

func fromGray(dst, y []byte) {
	dst = dst[:4*len(y)]
	for i, v := range y {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(v)*0x010101|0xFF000000)
	}
}

func fromRGB(dst, r, g, b []byte) {
	g, b = g[:len(r)], b[:len(r)]
	dst = dst[:4*len(r)]
	for i, v := range r {
		binary.LittleEndian.PutUint32(dst[4*i:], uint32(v)|uint32(g[i])<<8|uint32(b[i])<<16|0xFF000000)
	}
}

// fromCMYK converts a row of inverted CMYK as Pillow does: the file's values are 255 minus the ink, so they multiply.
func fromCMYK(dst, c, m, y, k []byte) {
	fromRGB(dst, c, m, y)
	for i, v := range k {
		scalePixel(dst[4*i:], v)
	}
}

// fromYCCK finishes a row of inverted YCCK whose first three components have been converted as YCbCr. That gives the
// inks' red, green and blue; libjpeg takes them from 255 to obtain the CMY that the file means, and Pillow inverts
// them.
func fromYCCK(dst, k []byte) {
	for i, v := range k {
		p := dst[4*i:][:3]
		p[0], p[1], p[2] = 255-p[0], 255-p[1], 255-p[2]
		scalePixel(p, v)
	}
}

// scalePixel replaces each channel c by k - (255-c)*k/255, rounded as Pillow's MULDIV255 rounds.
func scalePixel(p []byte, k uint8) {
	for j, c := range p[:3] {
		t := uint(255-c)*uint(k) + 128
		p[j] = uint8(max(int(k)-int((t>>8+t)>>8), 0))
	}
}

// toYCC returns the luma and chroma of a pixel (JFIF 1.02): Y = 0.299 R + 0.587 G + 0.114 B, Cb and Cr likewise around
// 128, in 16-bit fixed point. Chroma is rounded with 2^15-1 so that it cannot reach 256, as libjpeg does.
func toYCC(r, g, b uint64) (y, cb, cr uint8) {
	// y and cb together, in the two halves of a number; every half is positive in the end
	const (
		yR, yG, yB    = 19595, 38470, 7471    // round(65536 * 0.29900, 0.58700, 0.11400)
		cbR, cbG, cbB = -11059, -21709, 32768 // round(65536 * -0.16874, -0.33126, 0.50000)
		crR, crG, crB = 32768, -27439, -5329  // round(65536 * 0.50000, -0.41869, -0.08131)
		chroma        = 128<<16 + 1<<15 - 1
	)
	t := int64(r)*(yR+cbR<<32) + int64(g)*(yG+cbG<<32) + int64(b)*(yB+cbB<<32) + 1<<15 + chroma<<32
	u := int64(r)*crR + int64(g)*crG + int64(b)*crB + chroma
	return uint8(t >> 16), uint8(t >> 48), uint8(u >> 16)
}
