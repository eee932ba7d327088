package jpeg

import (
	"encoding/binary"

	"github.com/augmix-go/augmix/internal/kernel"
)

// The transforms below are libjpeg's "slow integer" ones (jfdctint.c, jidctint.c: the scheme of Loeffler, Ligtenberg
// and Moschytz with 12 multiplications and 13-bit constants). Both are linear but for one rounding after each pass,
// and that makes it possible to carry two columns (or two rows) in one 64-bit integer: the pair (lo, hi) is the
// number lo + hi<<32, where a negative lo borrows from the upper half. Sums, differences and products with constants
// of such numbers are the pairs of the sums, differences and products, as long as the final lanes fit 32 bits; only
// the rounding takes the pair apart.

// block holds 8x8 coefficients or samples as 32 pairs: pair p of row r, at 4*r+p, is (column 2p, column 2p+1).
type block [32]int64

// 13-bit fixed-point constants of the transforms: round(c * 8192).
const (
	fix0_298631336 = 2446
	fix0_390180644 = 3196
	fix0_541196100 = 4433
	fix0_765366865 = 6270
	fix0_899976223 = 7373
	fix1_175875602 = 9633
	fix1_501321110 = 12299
	fix1_847759065 = 15137
	fix1_961570560 = 16069
	fix2_053119869 = 16819
	fix2_562915447 = 20995
	fix3_072711026 = 25172

	constBits = 13 // fraction bits of the constants
	passBits  = 2  // fraction bits that the first pass leaves for the second
)

// both returns the pair (v, v).
const pairOf1 = 1 + 1<<32

const (
	low32 = 1<<32 - 1
	half  = 1 << 31 // added before the upper lane is shifted down: undoes the borrow of a negative lower lane

	// rounding of the first pass of either transform: half of 2^(constBits-passBits), in both lanes
	roundPass1 = 1 << (constBits - passBits - 1) * pairOf1

	// what the inverse transform adds to the first input of a row in its second pass: the rounding of the final shift
	// by 18 and the level shift of 128, both divided by 2^13 because the input is yet to be scaled by it
	roundPass2 = (1<<(constBits+passBits+3-1) + 128<<(constBits+passBits+3)) >> constBits * pairOf1

	// bits that are set in a pair of final sums unless both lanes are in 0..255 before the shift by 18
	outside = 0xFC000000 * pairOf1
)

// maxTame is the largest magnitude of a dequantized coefficient that the fast inverse transforms take. No sum of two
// such numbers wraps in 16 bits, nor does four times one of them, which is where the vector code starts from; and no
// sum of the first pass, at most 8 * maxTame * 1.387 * 2^13, overflows a 32-bit lane. The coefficients of 8-bit
// samples stay below 1300 even with the error of the coarsest quantization.
const maxTame = 1<<13 - 1

// maxPass is the bound on the results of the first pass under which the second cannot overflow a lane (8 * maxPass *
// 1.387 * 2^13 < 2^31), and under which the vector code of libjpeg-turbo neither saturates nor wraps its 16-bit
// numbers. The fast transforms note in a word whether one of the sums before the rounding, which [beyond] biases, has
// left the range.
const maxPass = 1 << 14

// beyond collects bits of the sums of a first pass; none of the bits of outside is set if all are within maxPass.
func beyond(v0, v1, v2, v3, v4, v5, v6, v7 int64) int64 {
	const b = maxPass << (constBits - passBits) * pairOf1
	return (v0 + b) | (v1 + b) | (v2 + b) | (v3 + b) | (v4 + b) | (v5 + b) | (v6 + b) | (v7 + b)
}

// idct1D is the one-dimensional inverse transform of two lanes. The outputs are scaled by 2^13 and not yet rounded;
// round is added to each.
func idct1D(i0, i1, i2, i3, i4, i5, i6, i7, round int64) (o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	z1 := (i2 + i6) * fix0_541196100
	t2 := z1 - i6*fix1_847759065
	t3 := z1 + i2*fix0_765366865
	t0 := (i0+i4)<<constBits + round
	t1 := (i0-i4)<<constBits + round
	e0, e3 := t0+t3, t0-t3
	e1, e2 := t1+t2, t1-t2

	z5 := (i7 + i3 + i5 + i1) * fix1_175875602
	z3 := z5 - (i7+i3)*fix1_961570560
	z4 := z5 - (i5+i1)*fix0_390180644
	z1 = (i7 + i1) * fix0_899976223
	z2 := (i5 + i3) * fix2_562915447
	a0 := i7*fix0_298631336 - z1 + z3
	a1 := i5*fix2_053119869 - z2 + z4
	a2 := i3*fix3_072711026 - z2 + z3
	a3 := i1*fix1_501321110 - z1 + z4
	return e0 + a3, e1 + a2, e2 + a1, e3 + a0, e3 - a0, e2 - a1, e1 - a2, e0 - a3
}

// idct1D4 is idct1D for i4 to i7 zero.
func idct1D4(i0, i1, i2, i3, round int64) (o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	t2 := i2 * fix0_541196100
	t3 := i2 * (fix0_541196100 + fix0_765366865)
	t0 := i0<<constBits + round
	e0, e3 := t0+t3, t0-t3
	e1, e2 := t0+t2, t0-t2

	z5 := (i3 + i1) * fix1_175875602
	a0 := z5 - i3*fix1_961570560 - i1*fix0_899976223
	a1 := z5 - i1*fix0_390180644 - i3*fix2_562915447
	a2 := z5 + i3*(fix3_072711026-fix1_961570560-fix2_562915447)
	a3 := z5 + i1*(fix1_501321110-fix0_390180644-fix0_899976223)
	return e0 + a3, e1 + a2, e2 + a1, e3 + a0, e3 - a0, e2 - a1, e1 - a2, e0 - a3
}

// turn rounds the pairs a and b of two rows of the first pass, shifting by 11, and transposes: c is the pair of the
// lower lanes of a and b, d of the upper ones.
func turn(a, b int64) (c, d int64) {
	const s = constBits - passBits
	c = int64(int32(a))>>s + b<<32>>s&^low32
	d = (a+half)>>(32+s) + (b+half)>>s&^low32
	return c, d
}

// idct transforms the dequantized coefficients w and writes 8 rows of 8 samples at dst. last is an upper bound on the
// zigzag index of the last coefficient that is not zero; wild says that some magnitude may exceed maxTame.
func idct(dst []byte, stride int, w *block, last int, wild bool) {
	done := false
	switch {
	case wild:
	case last == 0:
		idctDC(dst, stride, w[0])
		return
	case kernel.InverseBlock(dst, stride, (*[32]int64)(w)):
		return
	case last <= 9: // zigzag 0..9 are the positions with row + column <= 3
		done = idct4(dst, stride, w)
	default:
		done = idct8(dst, stride, w)
	}
	if !done {
		idctSaturating(dst, stride, w)
	}
}

// idctDC is the transform of a lone DC coefficient: all samples are (dc+4)/8 + 128.
func idctDC(dst []byte, stride int, dc int64) {
	v := uint64(min(max((dc+4)>>3+128, 0), 255)) * 0x0101010101010101
	dst = dst[:7*stride+8]
	for r := range 8 {
		binary.LittleEndian.PutUint64(dst[r*stride:], v)
	}
}

// idct4 is [idct8] for a block whose coefficients are zero in rows and columns 4 to 7.
func idct4(dst []byte, stride int, w *block) bool {
	var u [4][4]int64 // row pair, column
	seen := int64(0)
	for p := range 2 {
		v0, v1, v2, v3, v4, v5, v6, v7 := idct1D4(w[p], w[p+4], w[p+8], w[p+12], roundPass1)
		seen |= beyond(v0, v1, v2, v3, v4, v5, v6, v7)
		u[0][2*p], u[0][2*p+1] = turn(v0, v1)
		u[1][2*p], u[1][2*p+1] = turn(v2, v3)
		u[2][2*p], u[2][2*p+1] = turn(v4, v5)
		u[3][2*p], u[3][2*p+1] = turn(v6, v7)
	}
	if uint64(seen)&outside != 0 {
		return false
	}
	for r := range u {
		i := &u[r]
		v0, v1, v2, v3, v4, v5, v6, v7 := idct1D4(i[0]+roundPass2, i[1], i[2], i[3], 0)
		storeRows(dst[2*r*stride:], stride, v0, v1, v2, v3, v4, v5, v6, v7)
	}
	return true
}

// idct8 transforms any block without wild coefficients. It returns false, with dst spoiled, when a result of the first
// pass exceeds maxPass.
func idct8(dst []byte, stride int, w *block) bool {
	var u [4][8]int64 // row pair, column
	var seen, right int64
	for p := range 4 {
		i4, i5, i6, i7 := w[p+16], w[p+20], w[p+24], w[p+28]
		var v0, v1, v2, v3, v4, v5, v6, v7 int64
		if tail := i4 | i5 | i6 | i7; tail == 0 {
			i0, i1, i2, i3 := w[p], w[p+4], w[p+8], w[p+12]
			if i0|i1|i2|i3 == 0 {
				continue
			}
			v0, v1, v2, v3, v4, v5, v6, v7 = idct1D4(i0, i1, i2, i3, roundPass1)
		} else {
			v0, v1, v2, v3, v4, v5, v6, v7 = idct1D(w[p], w[p+4], w[p+8], w[p+12], i4, i5, i6, i7, roundPass1)
		}
		right |= int64(p) // 2 or 3 when a column from 4 on is not zero
		seen |= beyond(v0, v1, v2, v3, v4, v5, v6, v7)
		u[0][2*p], u[0][2*p+1] = turn(v0, v1)
		u[1][2*p], u[1][2*p+1] = turn(v2, v3)
		u[2][2*p], u[2][2*p+1] = turn(v4, v5)
		u[3][2*p], u[3][2*p+1] = turn(v6, v7)
	}
	if uint64(seen)&outside != 0 {
		return false
	}
	for r := range u {
		i := &u[r]
		var v0, v1, v2, v3, v4, v5, v6, v7 int64
		if right < 2 {
			v0, v1, v2, v3, v4, v5, v6, v7 = idct1D4(i[0]+roundPass2, i[1], i[2], i[3], 0)
		} else {
			v0, v1, v2, v3, v4, v5, v6, v7 = idct1D(i[0]+roundPass2, i[1], i[2], i[3], i[4], i[5], i[6], i[7], 0)
		}
		storeRows(dst[2*r*stride:], stride, v0, v1, v2, v3, v4, v5, v6, v7)
	}
	return true
}

// storeRows shifts the final sums of two rows down by 18, clamps them to 0..255 and writes them to the rows at dst
// and dst[stride:].
func storeRows(dst []byte, stride int, v0, v1, v2, v3, v4, v5, v6, v7 int64) {
	if uint64(v0|v1|v2|v3|v4|v5|v6|v7)&outside != 0 {
		v0, v1, v2, v3 = clampPair(v0), clampPair(v1), clampPair(v2), clampPair(v3)
		v4, v5, v6, v7 = clampPair(v4), clampPair(v5), clampPair(v6), clampPair(v7)
	}
	const m = 0xFF * pairOf1
	a := v0>>18&m | v1>>10&(m<<8) | v2>>2&(m<<16) | int64(uint64(v3)<<6&(m<<24))
	b := v4>>18&m | v5>>10&(m<<8) | v6>>2&(m<<16) | int64(uint64(v7)<<6&(m<<24))
	binary.LittleEndian.PutUint64(dst, uint64(a)&low32|uint64(b)<<32)
	binary.LittleEndian.PutUint64(dst[stride:], uint64(a)>>32|uint64(b)&^low32)
}

// clampPair limits both lanes of a final sum to 0..255 before the shift by 18.
func clampPair(v int64) int64 {
	const top = 255 << 18
	lo := min(max(int64(int32(v)), 0), top)
	hi := min(max((v+half)>>32, 0), top)
	return lo + hi<<32
}

// idctSaturating is the inverse transform as libjpeg-turbo's SSE2 and AVX2 code computes it for any input:
// dequantized coefficients are 16-bit numbers that wrap, as do the sums that the even and odd parts start from; the
// results of both passes saturate. It is the specification of the fast transforms, which agree with it wherever they
// are used, and it decides what files with absurd coefficients look like.
func idctSaturating(dst []byte, stride int, w *block) {
	var x [8][8]int16
	flat := int16(0)
	for i, pair := range w {
		lo := int32(pair)
		hi := int32((pair + half) >> 32)
		r, c := i/4, i%4*2
		x[r][c], x[r][c+1] = int16(lo), int16(hi)
		if r > 0 {
			flat |= x[r][c] | x[r][c+1]
		}
	}
	for c := range 8 {
		if flat == 0 { // every column is constant: the vector code only shifts, and the shift wraps
			dc := x[0][c] << passBits
			for r := range 8 {
				x[r][c] = dc
			}
			continue
		}
		var col [8]int16
		for r := range 8 {
			col[r] = x[r][c]
		}
		for r, v := range saturating1D(&col, constBits-passBits) {
			x[r][c] = v
		}
	}
	for r := range 8 {
		row := dst[r*stride:][:8]
		for c, v := range saturating1D(&x[r], constBits+passBits+3) {
			row[c] = uint8(min(max(v, -128), 127) + 128)
		}
	}
}

// saturating1D is one row or column of idctSaturating: the result is shifted down by shift with rounding and limited
// to 16 bits.
func saturating1D(in *[8]int16, shift uint) (out [8]int16) {
	i1, i2, i3, i5, i6, i7 := int32(in[1]), int32(in[2]), int32(in[3]), int32(in[5]), int32(in[6]), int32(in[7])
	t0 := int32(in[0]+in[4])<<constBits + 1<<(shift-1)
	t1 := int32(in[0]-in[4])<<constBits + 1<<(shift-1)
	t2 := i2*fix0_541196100 + i6*(fix0_541196100-fix1_847759065)
	t3 := i2*(fix0_541196100+fix0_765366865) + i6*fix0_541196100
	even := [4]int32{t0 + t3, t1 + t2, t1 - t2, t0 - t3}

	z3, z4 := int32(in[7]+in[3]), int32(in[5]+in[1])
	z3, z4 = z3*(fix1_175875602-fix1_961570560)+z4*fix1_175875602, z3*fix1_175875602+z4*(fix1_175875602-fix0_390180644)
	odd := [4]int32{
		i1*(fix1_501321110-fix0_899976223) - i7*fix0_899976223 + z4,
		i3*(fix3_072711026-fix2_562915447) - i5*fix2_562915447 + z3,
		i5*(fix2_053119869-fix2_562915447) - i3*fix2_562915447 + z4,
		i7*(fix0_298631336-fix0_899976223) - i1*fix0_899976223 + z3,
	}
	for k := range 4 {
		out[k] = saturate16((even[k] + odd[k]) >> shift)
		out[7-k] = saturate16((even[k] - odd[k]) >> shift)
	}
	return out
}

func saturate16(v int32) int16 { return int16(min(max(v, -1<<15), 1<<15-1)) }

// fdct1D is the one-dimensional forward transform of two lanes. The outputs are scaled by 2^13 and not yet rounded;
// round is added to each.
func fdct1D(d0, d1, d2, d3, d4, d5, d6, d7, round int64) (o0, o1, o2, o3, o4, o5, o6, o7 int64) {
	t0, t7 := d0+d7, d0-d7
	t1, t6 := d1+d6, d1-d6
	t2, t5 := d2+d5, d2-d5
	t3, t4 := d3+d4, d3-d4

	e0, e3 := t0+t3, t0-t3
	e1, e2 := t1+t2, t1-t2
	z1 := (e2+e3)*fix0_541196100 + round
	o0 = (e0+e1)<<constBits + round
	o4 = (e0-e1)<<constBits + round
	o2 = z1 + e3*fix0_765366865
	o6 = z1 - e2*fix1_847759065

	z5 := (t4+t6+t5+t7)*fix1_175875602 + round
	z3 := z5 - (t4+t6)*fix1_961570560
	z4 := z5 - (t5+t7)*fix0_390180644
	z1 = (t4 + t7) * fix0_899976223
	z2 := (t5 + t6) * fix2_562915447
	o7 = t4*fix0_298631336 - z1 + z3
	o5 = t5*fix2_053119869 - z2 + z4
	o3 = t6*fix3_072711026 - z2 + z3
	o1 = t7*fix1_501321110 - z1 + z4
	return o0, o1, o2, o3, o4, o5, o6, o7
}

// fdct transforms the 8x8 samples at src. The result is scaled up by 8; its lanes need [splitPair] with a shift of 15.
func fdct(w *block, src []byte, stride int) {
	// 128 off every sample is 1024 off the first output of each row
	const level = 8 * 128 << constBits * pairOf1
	var u [4][8]int64 // column pair, row
	src = src[:7*stride+8]
	for r := range 4 {
		a := binary.LittleEndian.Uint64(src[2*r*stride:])
		b := binary.LittleEndian.Uint64(src[(2*r+1)*stride:])
		v0, v1, v2, v3, v4, v5, v6, v7 := fdct1D(
			int64(a&0xFF|b<<32&(0xFF<<32)), int64(a>>8&0xFF|b<<24&(0xFF<<32)),
			int64(a>>16&0xFF|b<<16&(0xFF<<32)), int64(a>>24&0xFF|b<<8&(0xFF<<32)),
			int64(a>>32&0xFF|b&(0xFF<<32)), int64(a>>40&0xFF|b>>8&(0xFF<<32)),
			int64(a>>48&0xFF|b>>16&(0xFF<<32)), int64(a>>56|b>>24&(0xFF<<32)),
			roundPass1)
		u[0][2*r], u[0][2*r+1] = turn(v0-level, v1)
		u[1][2*r], u[1][2*r+1] = turn(v2, v3)
		u[2][2*r], u[2][2*r+1] = turn(v4, v5)
		u[3][2*r], u[3][2*r+1] = turn(v6, v7)
	}
	const round = 1 << (constBits + passBits - 1) * pairOf1
	for p := range u {
		i := &u[p]
		w[p], w[p+4], w[p+8], w[p+12], w[p+16], w[p+20], w[p+24], w[p+28] = fdct1D(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], round)
	}
}

// splitPair returns the lanes of v, each shifted down by s.
func splitPair(v int64, s uint) (lo, hi int64) {
	return int64(int32(v)) >> s, (v + half) >> (32 + s)
}
