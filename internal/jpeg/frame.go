package jpeg

import (
	"encoding/binary"
	"image"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// colors says how the components of a frame become red, green and blue.
type colors uint8

const (
	gray colors = iota
	ycc
	rgb
	cmyk
	ycck
)

// upsampling is the way a component is brought to the size of the image (jdsample.c).
type upsampling uint8

const (
	upNone      upsampling = iota
	upReplicate            // every sample hx by vx times
	upH2V1                 // triangle filter along rows
	upH1V2                 // triangle filter along columns
	upH2V2                 // triangle filter along both
)

// plane holds the samples of one component of a frame, of the two rows of MCUs last decoded: row r of the component
// is at row r modulo rows of pix.
type plane struct {
	h, v   int // sampling factors
	w, ht  int // size of the component in samples
	bw, bh int // blocks that hold samples of the image
	pw, ph int // blocks that whole MCUs hold
	up     upsampling
	hx, vx int // the image's samples per sample of the component

	x0, y0, x1, y1 int // the samples that are needed: those of the wanted part and their neighbors

	pix    []byte
	stride int
	rows   int
	wide   []byte // upH2V1 and upH2V2: the needed part of pix as 16-bit numbers; see widen
}

// frame knows the geometry of an image of up to four components and turns decoded samples into pixels, a row of MCUs
// at a time.
type frame struct {
	w, h       int
	crop       image.Rectangle
	n          int
	colors     colors
	maxH, maxV int
	mcuW, mcuH int // MCUs across and down
	planes     [4]plane
	next       int // the next row of the image to render
	line       [4][]byte
}

// setSize fixes the geometry for an image of w by h pixels from f.n, f.planes[].h and .v.
func (f *frame) setSize(w, h int) error {
	f.w, f.h = w, h
	if f.n == 1 { // the factors of a lone component have no meaning; its scan is never interleaved
		f.planes[0].h, f.planes[0].v = 1, 1
	}
	f.maxH, f.maxV = 1, 1
	for i := range f.n {
		f.maxH = max(f.maxH, f.planes[i].h)
		f.maxV = max(f.maxV, f.planes[i].v)
	}
	f.mcuW, f.mcuH = ceilDiv(w, 8*f.maxH), ceilDiv(h, 8*f.maxV)
	for i := range f.n {
		p := &f.planes[i]
		if f.maxH%p.h != 0 || f.maxV%p.v != 0 {
			return unsupportedErr("component %d has %dx%d samples where the largest has %dx%d",
				i, p.h, p.v, f.maxH, f.maxV)
		}
		p.w, p.ht = ceilDiv(w*p.h, f.maxH), ceilDiv(h*p.v, f.maxV)
		p.bw, p.bh = ceilDiv(p.w, 8), ceilDiv(p.ht, 8)
		p.pw, p.ph = f.mcuW*p.h, f.mcuH*p.v
		p.hx, p.vx = f.maxH/p.h, f.maxV/p.v
		p.up = chooseUpsampling(p.hx, p.vx, p.w)
	}
	return nil
}

// chooseUpsampling is libjpeg-turbo's choice with fancy upsampling on: the triangle filters need three samples across,
// except the vertical one.
func chooseUpsampling(hx, vx, width int) upsampling {
	switch {
	case hx == 1 && vx == 1:
		return upNone
	case hx == 2 && vx == 1 && width > 2:
		return upH2V1
	case hx == 1 && vx == 2:
		return upH1V2
	case hx == 2 && vx == 2 && width > 2:
		return upH2V2
	}
	return upReplicate
}

// setCrop fixes the wanted part of the image, takes the memory for it and makes the frame ready for its first row
// of MCUs.
func (f *frame) setCrop(r image.Rectangle) {
	f.crop, f.next = r, r.Min.Y
	for i := range f.n {
		p := &f.planes[i]
		p.x0, p.x1 = r.Min.X/p.hx, (r.Max.X-1)/p.hx+1
		p.y0, p.y1 = r.Min.Y/p.vx, (r.Max.Y-1)/p.vx+1
		if p.up == upH2V1 || p.up == upH2V2 {
			p.x0, p.x1 = max(p.x0-1, 0), min(p.x1+1, p.w)
		}
		if p.up == upH1V2 || p.up == upH2V2 {
			p.y0, p.y1 = max(p.y0-1, 0), min(p.y1+1, p.ht)
		}
		p.stride, p.rows = 8*p.pw, 16*p.v
		p.pix = buffer.Resize(p.pix, p.stride*p.rows)
		p.wide = p.wide[:0]
		if p.up == upH2V1 || p.up == upH2V2 {
			p.wide = buffer.Resize(p.wide, f.wideStride(p)*p.rows)
		}
		if p.up != upNone {
			f.line[i] = buffer.Resize(f.line[i], p.hx*p.stride+16)
		}
	}
}

// A wide row holds sample x as a 16-bit number at byte 2*(x+widePad), the first sample once more before it and the
// last once more after it: with these copies the triangle filters need no cases for the ends, because (3*s+s+8)>>4 is
// what libjpeg computes there.
const widePad = 4

func (f *frame) wideStride(p *plane) int { return 2 * (p.stride + 2*widePad) }

func (p *plane) row(y int) []byte {
	i := y % p.rows * p.stride
	return p.pix[i : i+p.stride]
}

func (f *frame) wideRow(p *plane, y int) []byte {
	n := f.wideStride(p)
	i := y % p.rows * n
	return p.wide[i : i+n]
}

// render writes the rows of the image that are complete once row my of the MCUs is decoded into the matching rows
// of dst, which has the size of the crop.
func (f *frame) render(dst *raster.Image, my int) {
	ready := f.h
	if my < f.mcuH-1 { // the rows next to the MCU row that follows may need its samples
		ready = (my+1)*8*f.maxV - f.maxV
	}
	for i := range f.n {
		p := &f.planes[i]
		if len(p.wide) == 0 {
			continue
		}
		for y := max(my*8*p.v, p.y0); y < min((my+1)*8*p.v, p.y1); y++ {
			widen(f.wideRow(p, y), p.row(y), p)
		}
	}
	x0, x1 := f.crop.Min.X, f.crop.Max.X
	for ; f.next < min(ready, f.crop.Max.Y); f.next++ {
		var src [4][]byte
		for i := range f.n {
			src[i] = f.upsampled(i, f.next)[x0:x1]
		}
		out := dst.Pix[4*(f.next-f.crop.Min.Y)*dst.W:][:4*dst.W]
		switch f.colors {
		case gray:
			fromGray(out, src[0])
		case ycc:
			fromYCC(out, src[0], src[1], src[2])
		case rgb:
			fromRGB(out, src[0], src[1], src[2])
		case cmyk:
			fromCMYK(out, src[0], src[1], src[2], src[3])
		case ycck:
			fromYCC(out, src[0], src[1], src[2])
			fromYCCK(out, src[3])
		}
	}
}

// upsampled returns row y of the image in component i. Only the columns of the crop are valid.
func (f *frame) upsampled(i, y int) []byte {
	p := &f.planes[i]
	if p.up == upNone {
		return p.row(y)
	}
	out := f.line[i]
	near := y / p.vx
	far := near - 1 // of the triangle filters along columns
	if y&1 == 1 {
		far = near + 1
	}
	far = min(max(far, 0), p.ht-1)
	lo, hi := f.crop.Min.X/p.hx, (f.crop.Max.X-1)/p.hx+1
	switch p.up {
	case upReplicate:
		replicate(out, p.row(near), p.hx, lo, hi)
	case upH1V2:
		h1v2(out[lo:hi], p.row(near)[lo:hi], p.row(far)[lo:hi], y&1)
	case upH2V1:
		h2v1(out, f.wideRow(p, near), lo, hi)
	case upH2V2:
		h2v2(out, f.wideRow(p, near), f.wideRow(p, far), lo, hi)
	}
	return out
}

func replicate(out, in []byte, hx, lo, hi int) {
	for x := lo; x < hi; x++ {
		for k := range hx {
			out[x*hx+k] = in[x]
		}
	}
}

// h1v2 is the triangle filter along columns: three quarters of the near row and one of the far row, with roundings that
// alternate between the two output rows of a row.
func h1v2(out, near, far []byte, odd int) {
	near, far = near[:len(out)], far[:len(out)]
	bias := uint(1 + odd)
	for x := range out {
		out[x] = uint8((uint(near[x])*3 + uint(far[x]) + bias) >> 2)
	}
}

// widen copies the needed samples of a row to a wide row, with the copies at the ends of the component.
func widen(wide, row []byte, p *plane) {
	const m1, m2 = 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF
	lo, hi := p.x0&^7, p.x1
	out := wide[2*(lo+widePad):]
	for i := 0; i < hi-lo; i += 8 {
		v := binary.LittleEndian.Uint64(row[lo+i : lo+i+8 : lo+i+8])
		a, b := v&low32, v>>32
		a, b = (a|a<<16)&m2, (b|b<<16)&m2
		to := (*[16]byte)(out[2*i : 2*i+16 : 2*i+16])
		binary.LittleEndian.PutUint64(to[:8], (a|a<<8)&m1)
		binary.LittleEndian.PutUint64(to[8:], (b|b<<8)&m1)
	}
	if lo == 0 {
		wide[2*(widePad-1)] = row[0]
		wide[2*(widePad-1)+1] = 0
	}
	if hi == p.w {
		wide[2*(hi+widePad)] = row[hi-1]
		wide[2*(hi+widePad)+1] = 0
	}
}

const lanes16 = 0x0001000100010001 // four 16-bit lanes of one

// h2v1 is the triangle filter along rows, (3*near+far) with roundings 1 to the left and 2 to the right, over 4.
func h2v1(out, in []byte, lo, hi int) {
	const m = 0xFF * lanes16
	for x := lo; x < hi; x += 4 {
		s := in[2*(x+widePad-1):][:12]
		left, mid := binary.LittleEndian.Uint64(s), binary.LittleEndian.Uint64(s[2:])
		right := binary.LittleEndian.Uint64(s[4:])
		even := (3*mid + left + 1*lanes16) >> 2 & m
		odd := (3*mid + right + 2*lanes16) >> 2 & m
		binary.LittleEndian.PutUint64(out[2*x:], even|odd<<8)
	}
}

// h2v2 is the triangle filter along both: the same weights along columns, without rounding, then along rows with
// roundings 8 to the left and 7 to the right, over 16.
func h2v2(out, near, far []byte, lo, hi int) {
	const m = 0xFF * lanes16
	lo &^= 3
	lo += kernel.Triangle(out[2*lo:], near, far, lo+widePad, hi-lo)
	if lo >= hi {
		return
	}
	at := 2 * (lo + widePad)
	prev := 3*binary.LittleEndian.Uint64(near[at-8:]) + binary.LittleEndian.Uint64(far[at-8:])
	mid := 3*binary.LittleEndian.Uint64(near[at:]) + binary.LittleEndian.Uint64(far[at:])
	near, far, out = near[at+8:], far[at+8:], out[2*lo:]
	for i := 0; i < 2*(hi-lo); i += 8 {
		n, f := (*[8]byte)(near[i:i+8:i+8]), (*[8]byte)(far[i:i+8:i+8])
		next := 3*binary.LittleEndian.Uint64(n[:]) + binary.LittleEndian.Uint64(f[:])
		t := 3 * mid
		even := (t + (mid<<16 | prev>>48) + 8*lanes16) >> 4 & m
		odd := (t + (mid>>16 | next<<48) + 7*lanes16) >> 4 & m
		binary.LittleEndian.PutUint64((*[8]byte)(out[i : i+8 : i+8])[:], even|odd<<8)
		prev, mid = mid, next
	}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
