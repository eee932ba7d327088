package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// lookBits is the number of bits that one look at a decoding table resolves. With 10 bits almost every coefficient of a
// photograph is resolved with its value, and the tables of a file still fit the first-level cache.
const lookBits = 10

// An entry of huffTable.look tells everything about the code that a run of lookBits bits starts with:
//
//	bits 0-4   how many bits to take; 0 when the code is longer than lookBits
//	bit  7     the value's bits are still to be read: bits 16-31 hold how many
//	bits 8-14  zero coefficients before this one; endRun for the end of the block
//	bits 16-31 the value, signed
const (
	takeMask  = 31
	valueNext = 1 << 7
	endRun    = 64
)

// huffTable is a Huffman table made ready for decoding.
type huffTable struct {
	look    [1 << lookBits]int32
	plain   [1 << lookBits]uint16 // length<<8 | symbol; 0 when the code is longer than lookBits
	maxCode [18]int32             // the largest code of each length, -1 without any; the last is above all codes
	offset  [17]int32             // what to add to a code of each length to find its symbol
	vals    [256]uint8
	made    tableKey // what the table was made from
}

// tableKey is everything that a decoding table depends on.
type tableKey struct {
	spec    huffSpec
	ac      bool
	maxSize int
}

// build makes the table for s. ac says that the symbols are (run, size) pairs, else they are sizes up to 15. Values of
// up to maxSize bits are put into look.
func (t *huffTable) build(s *huffSpec, ac bool, maxSize int) error {
	if t.made.maxSize == maxSize && t.made.ac == ac && t.made.spec == *s {
		return nil // files of one origin mostly have the same tables
	}
	t.made = tableKey{}
	clear(t.look[:])
	clear(t.plain[:])
	t.vals = s.vals
	for i := range t.maxCode {
		t.maxCode[i] = -1
	}
	t.maxCode[17] = 1 << 20
	bad := false
	i := int32(0)
	err := s.codes(func(sym uint8, code, n int) {
		if !ac && sym > 15 {
			bad = true
			return
		}
		if t.maxCode[n] < 0 {
			t.offset[n] = i - int32(code)
		}
		t.maxCode[n] = int32(code)
		i++
		if n <= lookBits && code < 1<<n {
			t.fill(sym, code, n, ac, maxSize)
		}
	})
	if bad {
		return formatErr("DC Huffman table with a symbol above 15")
	}
	if err == nil {
		t.made = tableKey{*s, ac, maxSize}
	}
	return err
}

func (t *huffTable) fill(sym uint8, code, n int, ac bool, maxSize int) {
	run, size := int32(0), int(sym)
	if ac {
		run, size = int32(sym>>4), int(sym&15)
		if size == 0 && run != 15 {
			run = endRun
		}
	}
	rest := lookBits - n
	for tail := range 1 << rest {
		i := code<<rest | tail
		t.plain[i] = uint16(n)<<8 | uint16(sym)
		if size <= rest && size <= maxSize {
			v := extend(uint64(tail>>(rest-size)), uint(size))
			t.look[i] = int32(v)<<16 | run<<8 | int32(n+size)
		} else {
			t.look[i] = int32(size)<<16 | run<<8 | valueNext | int32(n)
		}
	}
}

// extend is the signed value of a coefficient of n bits (T.81 figure F.12): a leading 0 means negative.
func extend(v uint64, n uint) int64 {
	if n == 0 {
		return 0
	}
	if v>>(n-1) == 0 {
		return int64(v) - 1<<n + 1
	}
	return int64(v)
}

// long finds the symbol of a code longer than lookBits at the top of acc, and its length. A run of bits that is no code
// counts as symbol 0 of 17 bits, as in libjpeg.
func (t *huffTable) long(acc uint64) (sym uint8, n uint) {
	n = lookBits + 1
	for n < 17 && int32(acc>>(64-n)) > t.maxCode[n] {
		n++
	}
	if n > 16 {
		return 0, 17
	}
	return t.vals[uint8(int32(acc>>(64-n))+t.offset[n])], n
}

// bitReader reads bits, most significant first, from entropy-coded data whose stuffing has been removed. Past its end
// it reads zeros.
type bitReader struct {
	acc uint64 // the next bits, from the top; below the top cnt bits lie copies of the bits that follow, or zeros
	cnt uint   // how many bits of acc are counted as read into it
	pos int    // bytes counted as read into acc; may exceed len(buf)
	buf []byte // the data and bitPad zeros
}

// bitPad is the number of zero bytes that must follow the data in bitReader.buf.
const bitPad = 8

// reset makes buf, which ends in bitPad zeros, the data.
func (b *bitReader) reset(buf []byte) { *b = bitReader{buf: buf} }

// left is the number of bits that have not been taken; negative after an overrun.
func (b *bitReader) left() int { return 8*(len(b.buf)-bitPad) - (8*b.pos - int(b.cnt)) }

// overrun says whether more bits have been taken than there are.
func (b *bitReader) overrun() bool { return 8*b.pos-int(b.cnt) > 8*(len(b.buf)-bitPad) }

// refill makes at least 56 bits available.
func (b *bitReader) refill() {
	if b.pos <= len(b.buf)-8 {
		b.acc |= binary.BigEndian.Uint64(b.buf[b.pos:]) >> (b.cnt & 63)
	}
	b.pos += int(63-b.cnt) >> 3
	b.cnt |= 56
}

// take returns the next n bits, 0 to 31, of which at least n must be available.
func (b *bitReader) take(n uint) uint64 {
	v := b.acc >> 32 >> (32 - n)
	b.acc <<= n & 63
	b.cnt -= n
	return v
}

// symbol reads a Huffman code and leaves at least 32 bits available.
func (b *bitReader) symbol(t *huffTable) uint8 {
	b.refill()
	sym, n := uint8(0), uint(0)
	if e := t.plain[b.acc>>(64-lookBits)]; e != 0 {
		sym, n = uint8(e), uint(e>>8)
	} else {
		sym, n = t.long(b.acc)
	}
	b.acc <<= n & 63
	b.cnt -= n
	return sym
}

// difference reads the difference of a DC coefficient from its predecessor.
func (b *bitReader) difference(t *huffTable) int64 {
	if b.cnt < 32 {
		b.refill()
	}
	e := t.look[b.acc>>(64-lookBits)]
	if n := uint(uint8(e)); n-1 < takeMask {
		b.acc <<= n & 63
		b.cnt -= n
		return int64(e >> 16)
	}
	_, v := b.coefficient(t, e)
	return v
}

// tame is the largest number of bits that a coefficient may have so that its product with a quantizer of up to q
// stays within maxTame.
func tame(q int) int { return bits.Len(uint(maxTame/max(q, 1)+1)) - 1 }

// scale holds the quantizers of a component for the decoding of blocks.
type scale struct {
	step [64]step // in zigzag order
	wild bool     // quantizers of more than 8 bits: any block may be wild
}

// step is what to do with a coefficient: block[pair] += value*factor dequantizes it and puts it in its place, the
// factor being the quantizer in the lane of the coefficient's column.
type step struct {
	factor, quant int64
	pair          int
}

func (s *scale) set(quant *[64]uint16) {
	s.wild = false
	for k, q := range quant {
		s.step[k] = step{int64(q) << (32 * (zigzag[k] & 1)), int64(q), int(zigzag[k] / 2)}
		s.wild = s.wild || q > 255
	}
}

// block decodes a block of a sequential scan into w, which is zero on entry, and returns what [idct] wants to know.
// pred is the DC coefficient of the component's last block.
func (b *bitReader) block(w *block, s *scale, dc, ac *huffTable, pred *int32) (last int, wild bool) {
	*pred += int32(b.difference(dc))
	x := int64(int16(*pred)) * s.step[0].factor
	w[0] = x
	wild = s.wild || uint64(x+maxTame) > 2*maxTame

	look, step := &ac.look, &s.step
	acc, cnt, pos, buf := b.acc, b.cnt, b.pos, b.buf
	k := uint(1) // where the next coefficient goes, but for the zeros before it
	for {
		if pos <= len(buf)-8 {
			acc |= binary.BigEndian.Uint64(buf[pos:]) >> (cnt & 63)
		}
		pos += int(63-cnt) >> 3
		cnt |= 56
		var e int32
		n := uint(1)
		for range 56 / lookBits { // as many complete entries as the bits suffice for without another look
			e = look[acc>>(64-lookBits)]
			n = uint(uint8(e))
			if n-1 >= takeMask {
				break
			}
			acc <<= n & 63
			cnt -= n
			run := uint(uint8(e >> 8))
			k += run
			if k >= 63 {
				b.acc, b.cnt, b.pos = acc, cnt, pos
				if k > 63 && e>>16 == 0 {
					return int(k - run - 1), wild
				}
				w[31] += int64(e>>16) * step[63].factor // also what a run carries past the end, as in libjpeg
				return 63, wild
			}
			p := &step[k]
			w[p.pair&31] += int64(e>>16) * p.factor
			k++
		}
		if n-1 < takeMask {
			continue
		}
		b.acc, b.cnt, b.pos = acc, cnt, pos
		run, v := b.coefficient(ac, e)
		acc, cnt, pos = b.acc, b.cnt, b.pos
		k += run
		if v == 0 && k > 63 {
			k -= run + 1
			break
		}
		k = min(k, 63)
		p := &step[k]
		w[p.pair&31] += v * p.factor
		wild = wild || uint64(v*p.quant+maxTame) > 2*maxTame
		if k == 63 {
			break
		}
		k++
	}
	b.acc, b.cnt, b.pos = acc, cnt, pos
	return int(k), wild
}

// coefficient reads a coefficient for which the entry e of ac.look does not suffice: how many zeros come before it,
// and its value.
func (b *bitReader) coefficient(ac *huffTable, e int32) (run uint, v int64) {
	if b.cnt < 32 {
		b.refill()
	}
	n, size := uint(e)&takeMask, uint(e>>16)
	run = uint(e>>8) & 127
	if n == 0 {
		var sym uint8
		sym, n = ac.long(b.acc)
		run, size = uint(sym>>4), uint(sym&15)
		if size == 0 && run != 15 {
			run = endRun
		}
	}
	b.acc <<= n & 63
	b.cnt -= n
	return run, extend(b.take(size), size)
}

// skip reads a block without keeping it.
func (b *bitReader) skip(dc, ac *huffTable, pred *int32) {
	*pred += int32(b.difference(dc))
	for k := 1; k < 64; k++ {
		if b.cnt < 32 {
			b.refill()
		}
		e := ac.look[b.acc>>(64-lookBits)]
		n, run := uint(e)&takeMask, int(e>>8)&127
		if n == 0 {
			var sym uint8
			sym, n = ac.long(b.acc)
			run = int(sym >> 4)
			n += uint(sym & 15)
			if sym&15 == 0 && run != 15 {
				run = endRun
			}
		} else if e&valueNext != 0 {
			n += uint(e >> 16)
		}
		b.acc <<= n & 63
		b.cnt -= n
		k += run
	}
}
