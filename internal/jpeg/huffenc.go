package jpeg

import (
	"encoding/binary"
)

// encTable holds for every symbol code<<8 | length.
type encTable [256]uint32

func (t *encTable) build(s *huffSpec) {
	*t = encTable{}
	err := s.codes(func(sym uint8, code, length int) { t[sym] = uint32(code)<<8 | uint32(length) })
	if err != nil {
		panic("jpeg: " + err.Error()) // the tables are ours
	}
}

// bitWriter appends bits, most significant first, to buf with the stuffing of entropy-coded data.
type bitWriter struct {
	buf []byte
	acc uint64
	n   uint // bits in acc that are not in buf yet, below 32
}

// put writes the low n bits of v, which has no others; n is at most 32.
func (b *bitWriter) put(v uint64, n uint) {
	b.acc = b.acc<<(n&63) | v
	if b.n += n; b.n < 32 {
		return
	}
	b.n -= 32
	word := uint32(b.acc >> (b.n & 63))
	if inv := ^word; (inv-0x01010101)&^inv&0x80808080 == 0 { // no byte of ones
		b.buf = binary.BigEndian.AppendUint32(b.buf, word)
		return
	}
	for s := 24; s >= 0; s -= 8 {
		b.byte(uint8(word >> s))
	}
}

func (b *bitWriter) byte(v uint8) {
	if b.buf = append(b.buf, v); v == 0xFF {
		b.buf = append(b.buf, 0)
	}
}

// value writes the code of the symbol run|size and the bits of v.
func (b *bitWriter) value(t *encTable, run, v int) {
	n := size(v)
	e := t[(run|n)&0xFF]
	if v < 0 {
		v += 1<<n - 1
	}
	b.put(uint64(e>>8)<<n|uint64(v), uint(e&0xFF)+uint(n))
}

// flush writes what is left, filled up with ones to a whole byte.
func (b *bitWriter) flush() {
	if fill := -b.n & 7; fill > 0 {
		b.put(1<<fill-1, fill)
	}
	for b.n > 0 {
		b.n -= 8
		b.byte(uint8(b.acc >> b.n))
	}
}

// optimalHuff is the table with the shortest codes for symbols that occur count times, none longer than 16 bits. It
// follows T.81 section K.2 with libjpeg's choice between equal counts (the larger symbol), which decides the bytes of
// the file. It changes count.
func optimalHuff(count *[257]int) huffSpec {
	const none = -1
	var length [257]int
	var next [257]int // the symbols that share a subtree, chained
	for i := range next {
		next[i] = none
	}
	count[256] = 1 // keeps a code free, so that none is all ones
	for {
		a, b := none, none // the two rarest symbols
		for i, c := range count {
			if c == 0 {
				continue
			}
			if a == none || c <= count[a] {
				a, b = i, a
			} else if b == none || c <= count[b] {
				b = i
			}
		}
		if b == none {
			break
		}
		count[a] += count[b]
		count[b] = 0
		deepen := func(i int) (end int) {
			for ; ; i = next[i] {
				length[i]++
				if next[i] == none {
					return i
				}
			}
		}
		end := deepen(a)
		deepen(b)
		next[end] = b
	}
	var n [64]int // codes of each length; the sum of all counts keeps them below
	for _, l := range length {
		n[l]++
	}
	n[0] = 0
	for i := len(n) - 1; i > 16; i-- { // K.2 figure K.3: a pair of codes too long makes one shorter and splits another
		for n[i] > 0 {
			j := i - 2
			for n[j] == 0 {
				j--
			}
			n[i] -= 2
			n[i-1]++
			n[j+1] += 2
			n[j]--
		}
	}
	h := huffSpec{set: true}
	for l := 16; l > 0; l-- {
		if n[l] > 0 {
			n[l]-- // the reserved code
			break
		}
	}
	at := 0
	for l := range n {
		for sym, m := range length[:256] {
			if m == l && l > 0 {
				h.vals[at] = uint8(sym)
				at++
			}
		}
		if l <= 16 {
			h.count[l] = uint8(n[l])
		}
	}
	return h
}
