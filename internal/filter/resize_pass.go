package filter

import (
	"encoding/binary"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

// The inner loops work on one channel of two pixels at once, one in each half of a 64-bit word: a byte in the low end
// of each half times the weight, summed over the taps. A half may become negative on the way; what it borrows from the
// upper half it gives back before the end, where both are positive. Three words serve red, green and blue.

const (
	byteOfHalves = 0x000000FF_000000FF
	alphas       = 0xFF000000_FF000000
	bothHalves   = 1<<32 | 1
)

// Sums start with one half, for rounding. Those with negative weights start with 128 more, so that they end positive;
// clipped takes the 128 off again and limits to 0 to 255. The sums end between -0.5 and 3 times 255, which
// TestResizeWeights shows: well within the -128 to 895 that 10 bits hold.
const (
	startPositive = 1 << (fractionBits - 1) * bothHalves
	startSigned   = startPositive + 128<<fractionBits*bothHalves
)

var clipped = func() (t [1024]uint8) {
	for i := range t {
		t[i] = uint8(min(max(i-128, 0), 255))
	}
	return t
}()

func (c *weights) begin() uint64 {
	if c.positive {
		return startPositive
	}
	return startSigned
}

// pack makes finished sums, three words for each pair of pixels, into pixels, one word for each pair, at the front.
func (c *weights) pack(sums []uint64) []uint64 {
	n := 0
	if c.positive {
		for s := sums; len(s) >= 3; s = s[3:] {
			sums[n] = whole(s[0], s[1], s[2])
			n++
		}
	} else {
		for s := sums; len(s) >= 3; s = s[3:] {
			sums[n] = clip(s[0]) | clip(s[1])<<8 | clip(s[2])<<16 | alphas
			n++
		}
	}
	return sums[:n]
}

// whole returns the pixels of sums that started with startPositive.
func whole(x, y, z uint64) uint64 {
	const f = fractionBits
	return x>>f&byteOfHalves | y>>(f-8)&(byteOfHalves<<8) | z>>(f-16)&(byteOfHalves<<16) | alphas
}

func clip(sum uint64) uint64 {
	return uint64(clipped[sum>>fractionBits&1023]) | uint64(clipped[sum>>(32+fractionBits)])<<32
}

// columns resizes every row of src to one of dst. The pixels of a pair are above each other: two rows are done at a
// time.
func (z *Resizer) columns(dst, src view) {
	c := &z.horizontal
	if kernel.ResizeColumns(dst.row(0), src.row(0), c.blockStart, c.blocks, c.taps) {
		for y := 1; y < src.h; y++ {
			kernel.ResizeColumns(dst.row(y), src.row(y), c.blockStart, c.blocks, c.taps)
		}
		return
	}
	z.split = buffer.Resize(z.split, 3*src.w)
	z.sums = buffer.Resize(z.sums, 3*dst.w)
	for y := 0; y < src.h; y += 2 {
		next := min(y+1, src.h-1)
		s0, s1 := src.row(y), src.row(next)
		d0, d1 := dst.row(y), dst.row(next)
		switch {
		case c.positive && c.taps == 2:
			c.columns2(z.sums, s0, s1)
			mergeRows(d0, d1, z.sums[:dst.w])
		case c.positive && c.taps == 3:
			c.columns3(z.sums, s0, s1)
			mergeRows(d0, d1, z.sums[:dst.w])
		default:
			splitRows(z.split, s0, s1)
			c.columnsAny(z.sums, z.split)
			mergeRows(d0, d1, c.pack(z.sums))
		}
	}
}

func pair(s0, s1 []uint8) uint64 {
	return uint64(binary.LittleEndian.Uint32(s0)) | uint64(binary.LittleEndian.Uint32(s1))<<32
}

// columns2 and columns3 do all at once for few weights that are not negative, the case of most shrinking.
func (c *weights) columns2(dst []uint64, s0, s1 []uint8) {
	w := c.w
	dst = dst[:len(c.start)]
	for i, p := range c.start {
		a, b, k := (*[8]uint8)(s0[4*p:]), (*[8]uint8)(s1[4*p:]), (*[2]uint64)(w[2*i:])
		x, y, z := tap(startPositive, startPositive, startPositive, pair(a[:4], b[:4]), k[0])
		dst[i] = whole(tap(x, y, z, pair(a[4:], b[4:]), k[1]))
	}
}

func (c *weights) columns3(dst []uint64, s0, s1 []uint8) {
	w := c.w
	dst = dst[:len(c.start)]
	for i, p := range c.start {
		a, b, k := (*[12]uint8)(s0[4*p:]), (*[12]uint8)(s1[4*p:]), (*[3]uint64)(w[3*i:])
		x, y, z := tap(startPositive, startPositive, startPositive, pair(a[:4], b[:4]), k[0])
		x, y, z = tap(x, y, z, pair(a[4:8], b[4:8]), k[1])
		dst[i] = whole(tap(x, y, z, pair(a[8:], b[8:]), k[2]))
	}
}

// splitRows sets dst to the channels of the pixels of s0 and s1, which pays when each is needed several times.
func splitRows(dst []uint64, s0, s1 []uint8) {
	for i := 0; i < len(s0)-3 && len(dst) >= 3; i += 4 {
		v := pair(s0[i:], s1[i:])
		dst[0], dst[1], dst[2] = v&byteOfHalves, v>>8&byteOfHalves, v>>16&byteOfHalves
		dst = dst[3:]
	}
}

func (c *weights) columnsAny(sums, src []uint64) {
	begin, w, n := c.begin(), c.w, c.taps
	for i, p := range c.start {
		s, k := src[3*p:][:3*n], w[n*i:][:n]
		x, y, z := begin, begin, begin
		for len(s) >= 6 && len(k) >= 2 {
			k0, k1 := k[0], k[1]
			x += s[0]*k0 + s[3]*k1
			y += s[1]*k0 + s[4]*k1
			z += s[2]*k0 + s[5]*k1
			s, k = s[6:], k[2:]
		}
		if len(s) >= 3 && len(k) >= 1 {
			x, y, z = x+s[0]*k[0], y+s[1]*k[0], z+s[2]*k[0]
		}
		d := (*[3]uint64)(sums[3*i:])
		d[0], d[1], d[2] = x, y, z
	}
}

// mergeRows sets d0 and d1 to the halves of the pairs.
func mergeRows(d0, d1 []uint8, pairs []uint64) {
	for _, v := range pairs {
		binary.LittleEndian.PutUint32(d0, uint32(v))
		binary.LittleEndian.PutUint32(d1, uint32(v>>32))
		d0, d1 = d0[4:], d1[4:]
	}
}

// rows resizes the columns of src, whose first row has the number first, to those of dst. The pixels of a pair are
// beside each other; in an image of odd width the last one has no partner.
func (z *Resizer) rows(dst, src view, first int) {
	c := &z.vertical
	z.sums = buffer.Resize(z.sums, 3*((src.w+1)/2))
	for y := range dst.h {
		s := view{src.pix[(c.start[y]-first)*src.stride:], src.stride, src.w, c.taps}
		if kernel.ResizeRow(dst.row(y), s.pix, s.stride, c.narrow[y*c.taps:][:c.taps]) {
			continue
		}
		k := c.w[y*c.taps:][:c.taps]
		switch {
		case c.positive && c.taps == 2:
			mixRows2(dst.row(y), s.row(0), s.row(1), k[0], k[1])
		case c.positive && c.taps == 3:
			mixRows3(dst.row(y), s.row(0), s.row(1), s.row(2), k[0], k[1], k[2])
		default:
			begin := c.begin()
			for i := range z.sums {
				z.sums[i] = begin
			}
			t := 0
			for ; t+1 < len(k); t += 2 {
				addRows2(z.sums, s.row(t), s.row(t+1), k[t], k[t+1])
			}
			if t < len(k) {
				addRows1(z.sums, s.row(t), k[t])
			}
			mergeRow(dst.row(y), c.pack(z.sums))
		}
	}
}

func mixRows2(d, s0, s1 []uint8, k0, k1 uint64) {
	const begin = startPositive
	n := len(d)
	s0, s1 = s0[:n], s1[:n]
	for i := 0; i < n-7; i += 8 {
		x, y, z := tap(begin, begin, begin, binary.LittleEndian.Uint64(s0[i:]), k0)
		binary.LittleEndian.PutUint64(d[i:], whole(tap(x, y, z, binary.LittleEndian.Uint64(s1[i:]), k1)))
	}
	if n%8 != 0 {
		x, y, z := tap(begin, begin, begin, half(s0), k0)
		binary.LittleEndian.PutUint32(d[n-4:], uint32(whole(tap(x, y, z, half(s1), k1))))
	}
}

func mixRows3(d, s0, s1, s2 []uint8, k0, k1, k2 uint64) {
	const begin = startPositive
	n := len(d)
	s0, s1, s2 = s0[:n], s1[:n], s2[:n]
	for i := 0; i < n-7; i += 8 {
		x, y, z := tap(begin, begin, begin, binary.LittleEndian.Uint64(s0[i:]), k0)
		x, y, z = tap(x, y, z, binary.LittleEndian.Uint64(s1[i:]), k1)
		binary.LittleEndian.PutUint64(d[i:], whole(tap(x, y, z, binary.LittleEndian.Uint64(s2[i:]), k2)))
	}
	if n%8 != 0 {
		x, y, z := tap(begin, begin, begin, half(s0), k0)
		x, y, z = tap(x, y, z, half(s1), k1)
		binary.LittleEndian.PutUint32(d[n-4:], uint32(whole(tap(x, y, z, half(s2), k2))))
	}
}

// mergeRow sets d to the pairs; of the last one only half may be needed.
func mergeRow(d []uint8, pairs []uint64) {
	for _, v := range pairs {
		if len(d) < 8 {
			binary.LittleEndian.PutUint32(d, uint32(v))
			return
		}
		binary.LittleEndian.PutUint64(d, v)
		d = d[8:]
	}
}

// tap adds the pixels of v, times k, to the sums.
func tap(x, y, z, v, k uint64) (uint64, uint64, uint64) {
	return x + v&byteOfHalves*k, y + v>>8&byteOfHalves*k, z + v>>16&byteOfHalves*k
}

func addRows1(sums []uint64, s0 []uint8, k0 uint64) {
	n := len(s0)
	for i := 0; i < n-7; i += 8 {
		d := (*[3]uint64)(sums)
		d[0], d[1], d[2] = tap(d[0], d[1], d[2], binary.LittleEndian.Uint64(s0[i:]), k0)
		sums = sums[3:]
	}
	if n%8 != 0 {
		sums[0], sums[1], sums[2] = tap(sums[0], sums[1], sums[2], half(s0), k0)
	}
}

func addRows2(sums []uint64, s0, s1 []uint8, k0, k1 uint64) {
	n := len(s0)
	s0, s1 = s0[:n], s1[:n]
	for i := 0; i < n-7; i += 8 {
		d := (*[3]uint64)(sums)
		x, y, z := tap(d[0], d[1], d[2], binary.LittleEndian.Uint64(s0[i:]), k0)
		d[0], d[1], d[2] = tap(x, y, z, binary.LittleEndian.Uint64(s1[i:]), k1)
		sums = sums[3:]
	}
	if n%8 != 0 {
		x, y, z := tap(sums[0], sums[1], sums[2], half(s0), k0)
		sums[0], sums[1], sums[2] = tap(x, y, z, half(s1), k1)
	}
}

// half returns the last pixel of a row as the lower one of a pair.
func half(s []uint8) uint64 { return uint64(binary.LittleEndian.Uint32(s[len(s)-4:])) }
