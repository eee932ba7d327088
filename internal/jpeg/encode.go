package jpeg

import (
	"encoding/binary"
	"fmt"
	"image"
	"math/bits"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"

	"github.com/augmix-go/augmix/raster"
)

// Subsampling is the resolution of the chroma components of an encoded file.
type Subsampling uint8

const (
	// S420 halves chroma in both directions, Pillow's default.
	S420 Subsampling = iota
	// S444 keeps it at full resolution.
	S444
)

// Options says how to encode. Quality must be given.
type Options struct {
	Quality     int         // 1 to 100; Pillow's default is 75
	Subsampling Subsampling // S420 or S444
	Optimize    bool        // Huffman tables made for the image, rather than the example tables
}

func (o Options) check() {
	if o.Quality < 1 || o.Quality > 100 {
		panic(fmt.Sprintf("jpeg: quality %d, allowed are 1 to 100", o.Quality))
	}
	if o.Subsampling > S444 {
		panic(fmt.Sprintf("jpeg: subsampling %d, allowed are S420 and S444", o.Subsampling))
	}
}

// Encoder encodes images. Its zero value is ready for use; it keeps its memory from image to image, so that
// encoding images of like size allocates nothing. An encoder may not be used by several goroutines at once.
type Encoder struct {
	frame   frame
	quality int           // of quant
	quant   [2]quantTable // luma, chroma
	strip   [3][]byte     // the samples of a row of MCUs
	full    [2][2][]byte  // two rows of full-resolution chroma: component, row
	coef    []coefs       // all blocks in the order of the file, for optimized tables
	huff    [2][2]encTable
	spec    [2][2]huffSpec
	count   [2][2][257]int
	out     bitWriter
}

// coefs are the quantized coefficients of a block in zigzag order; bit k of mask says that v[k] is not zero.
type coefs struct {
	v    [64]int16
	mask uint64
}

// quantTable divides by 8*q, rounding half away from zero: 8 is the scale of [fdct].
type quantTable struct {
	table kernel.JPEGTable
	q     [64]int64  // row by row
	recip [64]uint64 // ceil(2^32 / 8q): exact for the dividends below 2^16 that occur, because 2^16 * 8*255 < 2^32
}

func (t *quantTable) set(table, quality int) {
	for i, q := range scaledQuant(table, quality) {
		t.q[i] = int64(q)
		t.recip[i] = (1<<32 + 8*uint64(q) - 1) / (8 * uint64(q))
	}
	t.table.Set(&t.q)
}

// divide returns x over 8*q[i], rounded half away from zero.
func (t *quantTable) divide(x int64, i int) int64 {
	sign := x >> 63
	n := uint64((x^sign)-sign) + uint64(4*t.q[i])
	return int64(n*t.recip[i]>>32) ^ sign - sign
}

// positionOf is the inverse of zigzag: where in zigzag order the coefficient at 8*row+column is.
var positionOf = func() (p [64]uint8) {
	for k, i := range zigzag {
		p[i] = uint8(k)
	}
	return p
}()

// quantize turns the transform of a block into the coefficients of a file.
func (t *quantTable) quantize(c *coefs, w *block) {
	mask := uint64(0)
	for i, pair := range w {
		lo, hi := splitPair(pair, constBits+passBits)
		lo, hi = t.divide(lo, 2*i), t.divide(hi, 2*i+1)
		k, l := positionOf[2*i]&63, positionOf[2*i+1]&63
		c.v[k], c.v[l] = int16(lo), int16(hi)
		mask |= uint64(-lo|lo)>>63<<k | uint64(-hi|hi)>>63<<l
	}
	c.mask = mask
}

// requantize replaces the transform of a block by what a decoder makes of its quantized coefficients, and returns the
// zigzag index of the last that is not zero.
func (t *quantTable) requantize(w *block) (last int) {
	for i, pair := range w {
		lo, hi := splitPair(pair, constBits+passBits)
		q, r := t.q[2*i], t.q[2*i+1]
		if uint64(lo+4*q-1) < uint64(8*q-1) && uint64(hi+4*r-1) < uint64(8*r-1) { // both round to zero
			w[i] = 0
			continue
		}
		lo, hi = t.divide(lo, 2*i), t.divide(hi, 2*i+1)
		w[i] = lo*q + hi*r<<32
		if lo != 0 {
			last = max(last, int(positionOf[2*i]))
		}
		if hi != 0 {
			last = max(last, int(positionOf[2*i+1]))
		}
	}
	return last
}

// setup prepares for an image of w by h pixels and n components, 1 or 3.
func (e *Encoder) setup(w, h, n, quality int, sub Subsampling) {
	f := &e.frame
	f.n, f.colors = n, ycc
	for i := range n {
		f.planes[i].h, f.planes[i].v = 1, 1
	}
	if n == 3 && sub == S420 {
		f.planes[0].h, f.planes[0].v = 2, 2
	}
	if err := f.setSize(w, h); err != nil {
		panic("jpeg: " + err.Error())
	}
	if e.quality != quality {
		e.quality = quality
		e.quant[0].set(0, quality)
		e.quant[1].set(1, quality)
	}
	for i := range n {
		p := &f.planes[i]
		e.strip[i] = buffer.Resize(e.strip[i], 8*p.pw*8*p.v)
	}
	for i := range e.full {
		for j := range e.full[i] {
			e.full[i][j] = buffer.Resize(e.full[i][j], 8*f.planes[0].pw)
		}
	}
}

// fillStrip converts and down-samples the pixels of row my of the MCUs into e.strip. Beyond the right edge the last
// pixel is repeated; below the bottom edge the last row, of chroma the last row after down-sampling.
func (e *Encoder) fillStrip(img *raster.Image, my int) {
	f := &e.frame
	n := 8 * f.planes[0].pw
	y0, rows := my*8*f.maxV, 8*f.maxV
	if f.n == 1 {
		for r := range rows {
			y := e.strip[0][r*n:][:n]
			if y0+r >= img.H {
				copy(y, e.strip[0][(r-1)*n:])
				continue
			}
			for x := range n { // the last pixel is repeated
				y[x] = img.Pix[4*((y0+r)*img.W+min(x, img.W-1))]
			}
		}
		return
	}
	if f.maxV == 1 {
		for r := range rows {
			y := e.strip[0][r*n:][:n]
			cb, cr := e.strip[1][r*n:][:n], e.strip[2][r*n:][:n]
			if y0+r >= img.H {
				copy(y, e.strip[0][(r-1)*n:])
				copy(cb, e.strip[1][(r-1)*n:])
				copy(cr, e.strip[2][(r-1)*n:])
				continue
			}
			convertRow(y, cb, cr, img.Pix[4*(y0+r)*img.W:][:4*img.W])
		}
		return
	}
	m := n / 2
	for r := 0; r < rows; r += 2 {
		y := e.strip[0][r*n:][:2*n]
		cb, cr := e.strip[1][r/2*m:][:m], e.strip[2][r/2*m:][:m]
		if y0+r >= img.H {
			last := e.strip[0][(r-1)*n:][:n]
			copy(y, last)
			copy(y[n:], last)
			copy(cb, e.strip[1][(r/2-1)*m:])
			copy(cr, e.strip[2][(r/2-1)*m:])
			continue
		}
		convertRow(y[:n], e.full[0][0], e.full[1][0], img.Pix[4*(y0+r)*img.W:][:4*img.W])
		below := 0
		if y0+r+1 < img.H {
			below = 1
			convertRow(y[n:], e.full[0][1], e.full[1][1], img.Pix[4*(y0+r+1)*img.W:][:4*img.W])
		} else {
			copy(y[n:], y[:n])
		}
		halve(cb, e.full[0][0], e.full[0][below])
		halve(cr, e.full[1][0], e.full[1][below])
	}
}

// convertRow converts the pixels of a row and repeats the last to the end of y, cb and cr.
func convertRow(y, cb, cr, pix []byte) {
	n := len(pix) / 4
	a, b, c := y[:n], cb[:n], cr[:n]
	for i := kernel.RGBToYCC(a, b, c, pix[:4*n]); i < n; i++ {
		v := uint64(binary.LittleEndian.Uint32(pix[4*i:]))
		a[i], b[i], c[i] = toYCC(v&0xFF, v>>8&0xFF, v>>16&0xFF)
	}
	for _, row := range [3][]byte{y, cb, cr} {
		last := row[n-1]
		for i := n; i < len(row); i++ {
			row[i] = last
		}
	}
}

// halve means two rows over 2x2 samples, rounding with 1 and 2 in turn.
func halve(dst, a, b []byte) {
	const m = 0xFF * lanes16
	for i := kernel.HalveRows(dst, a, b); i+4 <= len(dst); i += 4 {
		p, q := binary.LittleEndian.Uint64(a[2*i:]), binary.LittleEndian.Uint64(b[2*i:])
		s := p&m + p>>8&m + q&m + q>>8&m + 0x0002000100020001
		s = s >> 2 & m
		s = s | s>>8
		binary.LittleEndian.PutUint32(dst[i:], uint32(s&0xFFFF|s>>16&0xFFFF0000))
	}
}

// Encode appends the image img as a JPEG file to dst and returns the longer slice; one that is marked Gray has one component,
// its red channel. It panics on options out of range and on an image wider or higher than 65500 pixels.
func (e *Encoder) Encode(dst []byte, img *raster.Image, o Options) []byte {
	o.check()
	if max(img.W, img.H) > maxSide {
		panic(fmt.Sprintf("jpeg: image of %dx%d, allowed are %d a side", img.W, img.H, maxSide))
	}
	e.setup(img.W, img.H, img.Channels(), o.Quality, o.Subsampling)
	e.out = bitWriter{buf: dst}
	e.writeHeader()
	e.spec = exampleHuff
	if !o.Optimize {
		e.writeTables()
		e.eachBlock(img, false)
	} else {
		e.coef = e.coef[:0]
		e.count = [2][2][257]int{}
		e.eachBlock(img, true)
		for class := range 2 {
			for table := range e.tables() {
				e.spec[class][table] = optimalHuff(&e.count[class][table])
			}
		}
		e.writeTables()
		pred, i := [3]int16{}, 0
		for range e.frame.mcuW * e.frame.mcuH {
			for ci := range e.frame.n {
				p := &e.frame.planes[ci]
				for range p.h * p.v {
					e.writeBlock(&e.coef[i], min(ci, 1), &pred[ci])
					i++
				}
			}
		}
	}
	e.out.flush()
	out := append(e.out.buf, 0xFF, mEOI)
	e.out.buf = nil
	return out
}

// eachBlock transforms and quantizes the blocks of img in the order of the file, and keeps or writes them.
func (e *Encoder) eachBlock(img *raster.Image, keep bool) {
	var w block
	var c coefs
	pred := [3]int16{}
	for my := range e.frame.mcuH {
		e.fillStrip(img, my)
		for mx := range e.frame.mcuW {
			for ci := range e.frame.n {
				p := &e.frame.planes[ci]
				table := min(ci, 1)
				for b := range p.h * p.v {
					bx, v := mx*p.h+b%p.h, b/p.h
					if bx < p.bw && my*p.v+v < p.bh {
						fdct(&w, e.strip[ci][8*v*8*p.pw+8*bx:], 8*p.pw)
						e.quant[table].quantize(&c, &w)
					} else { // beyond the image: only the DC coefficient of the block before
						c = coefs{}
						c.v[0] = pred[ci]
					}
					if keep {
						e.keepBlock(&c, table, &pred[ci])
					} else {
						e.writeBlock(&c, table, &pred[ci])
					}
				}
			}
		}
	}
}

// keepBlock keeps a block for the second pass and counts its symbols.
func (e *Encoder) keepBlock(c *coefs, table int, pred *int16) {
	e.coef = append(e.coef, *c)
	dc, ac := &e.count[0][table], &e.count[1][table]
	dc[size(int(c.v[0])-int(*pred))]++
	*pred = c.v[0]
	at := 0
	for m := c.mask &^ 1; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m) & 63
		run := k - at - 1
		ac[0xF0] += run >> 4
		ac[run&15<<4|size(int(c.v[k]))]++
		at = k
	}
	if at < 63 {
		ac[0]++
	}
}

// size is the number of bits that the value v takes (T.81 table F.1).
func size(v int) int { return bits.Len(uint(max(v, -v))) }

// writeBlock writes a block with the tables of e.huff: table 0 for luma, 1 for chroma. pred is the DC coefficient of
// the component's last block, and becomes this one's.
func (e *Encoder) writeBlock(c *coefs, table int, pred *int16) {
	b, dc, ac := &e.out, &e.huff[0][table], &e.huff[1][table]
	b.value(dc, 0, int(c.v[0])-int(*pred))
	*pred = c.v[0]
	at := 0
	for m := c.mask &^ 1; m != 0; m &= m - 1 {
		k := bits.TrailingZeros64(m) & 63
		run := k - at - 1
		for ; run > 15; run -= 16 {
			b.put(uint64(ac[0xF0]>>8), uint(ac[0xF0]&0xFF))
		}
		b.value(ac, run<<4, int(c.v[k]))
		at = k
	}
	if at < 63 {
		b.put(uint64(ac[0]>>8), uint(ac[0]&0xFF))
	}
}

// tables is the number of tables of each kind: one for luma and, where there is any, one for chroma.
func (e *Encoder) tables() int { return min(e.frame.n, 2) }

// writeHeader writes everything up to the Huffman tables.
func (e *Encoder) writeHeader() {
	f := &e.frame
	b := append(e.out.buf, 0xFF, mSOI, 0xFF, mAPP0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0)
	for i := range e.tables() {
		b = append(b, 0xFF, mDQT, 0, 67, uint8(i))
		for _, at := range zigzag {
			b = append(b, uint8(e.quant[i].q[at]))
		}
	}
	b = append(b, 0xFF, mSOF0, 0, uint8(8+3*f.n), 8, uint8(f.h>>8), uint8(f.h), uint8(f.w>>8), uint8(f.w), uint8(f.n))
	for i := range f.n {
		b = append(b, uint8(i+1), uint8(f.planes[i].h<<4|f.planes[i].v), uint8(min(i, 1)))
	}
	e.out.buf = b
}

// writeTables writes the Huffman tables of e.spec and the header of the scan, and makes e.huff ready.
func (e *Encoder) writeTables() {
	b := e.out.buf
	for table := range e.tables() {
		for class := range 2 {
			s := &e.spec[class][table]
			n := 0
			for _, c := range s.count {
				n += int(c)
			}
			b = append(b, 0xFF, mDHT, uint8((19+n)>>8), uint8(19+n), uint8(class<<4|table))
			b = append(b, s.count[1:]...)
			b = append(b, s.vals[:n]...)
			e.huff[class][table].build(s)
		}
	}
	b = append(b, 0xFF, mSOS, 0, uint8(6+2*e.frame.n), uint8(e.frame.n))
	for i := range e.frame.n {
		b = append(b, uint8(i+1), 0x11*uint8(min(i, 1)))
	}
	e.out.buf = append(b, 0, 63, 0)
}

// RoundTrip sets dst to the image that encoding src with 4:2:0 subsampling and decoding the file gives, the same as
// Encode followed by [Decode], without the entropy coding. dst may be src. It panics on a quality outside 1 to 100.
// Parity: exact (Pillow's save with format JPEG and this quality, then open).
func (e *Encoder) RoundTrip(dst, src *raster.Image, quality int) {
	Options{Quality: quality}.check()
	w, h := src.W, src.H
	e.setup(w, h, 3, quality, S420)
	f := &e.frame
	f.setCrop(image.Rect(0, 0, w, h))
	dst.Reset(w, h)
	var b block
	for my := range f.mcuH {
		e.fillStrip(src, my)
		for ci := range 3 {
			p, q := &f.planes[ci], &e.quant[min(ci, 1)]
			for v := range min(p.v, p.bh-my*p.v) {
				strip := e.strip[ci][8*v*8*p.pw:]
				if kernel.JPEGBlocks(p.blockAt(0, v, my), p.stride, strip, 8*p.pw, p.bw, &q.table) {
					continue
				}
				for bx := range p.bw {
					fdct(&b, strip[8*bx:], 8*p.pw)
					last := q.requantize(&b)
					idct(p.blockAt(bx, v, my), p.stride, &b, last, false)
				}
			}
		}
		f.render(dst, my)
	}
}
