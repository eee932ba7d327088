package jpeg

import (
	"encoding/binary"
	"fmt"

	"github.com/augmix-go/augmix/raster"
)

// Marker codes (T.81 table B.1).
const (
	mSOF0  = 0xC0
	mSOF1  = 0xC1
	mSOF2  = 0xC2
	mDHT   = 0xC4
	mSOF9  = 0xC9
	mSOF10 = 0xCA
	mDAC   = 0xCC
	mSOF15 = 0xCF
	mRST0  = 0xD0
	mRST7  = 0xD7
	mSOI   = 0xD8
	mEOI   = 0xD9
	mSOS   = 0xDA
	mDQT   = 0xDB
	mDNL   = 0xDC
	mDRI   = 0xDD
	mAPP0  = 0xE0
	mAPP1  = 0xE1
	mAPP14 = 0xEE
	mAPP15 = 0xEF
	mCOM   = 0xFE
	mTEM   = 0x01
)

// maxSide is the largest width or height, libjpeg's JPEG_MAX_DIMENSION.
const maxSide = 65500

// scanSpec is what a start-of-scan marker says.
type scanSpec struct {
	n              int
	comp           [4]int // index of the component
	ss, se, ah, al int
}

// component is what the headers say about a component.
type component struct {
	id, tq  uint8
	dc, ac  uint8 // Huffman tables of the current scan
	latched bool  // scale is set; a quantization table counts as it is when the component's first scan starts
	quant   [64]uint16
	scale   scale
	pred    int32
	sent    [10]int8 // bits by which the first coefficients are still too coarse, -1 for not sent; progressive files
	coef    []int16  // 64 in zigzag order for each block of the padded plane; multi-scan files
}

// readHeader reads data up to its first start-of-scan marker, into d.scan.
func (d *Decoder) readHeader(data []byte) error {
	d.data, d.pos = data, 0
	d.cfg = Config{}
	d.warnings, d.marker, d.restart, d.odd = 0, 0, 0, false
	d.sof, d.jfif, d.adobe, d.exif = false, false, -1, false
	for i := range 4 {
		d.quantSet[i] = false
		d.huff[0][i].set, d.huff[1][i].set = false, false
	}
	if len(data) < 2 && (len(data) == 0 || data[0] == 0xFF) {
		return truncatedErr("%d bytes", len(data))
	}
	if data[0] != 0xFF || data[1] != mSOI {
		return formatErr("no start-of-image marker at the start")
	}
	d.pos = 2
	more, err := d.nextScan()
	if err == nil && !more {
		return formatErr("no scan")
	}
	if err == nil && d.multi() {
		d.cfg.Coefficients = int64(d.coefficients())
	}
	return err
}

// nextMarker skips to the next marker, past it, and returns its code.
func (d *Decoder) nextMarker() (uint8, error) {
	if m := d.marker; m != 0 { // the one that ended the last entropy-coded segment
		d.marker = 0
		return m, nil
	}
	skipped := false
	for p := d.pos; p < len(d.data); p++ {
		if d.data[p] != 0xFF {
			skipped = true
			continue
		}
		for p < len(d.data) && d.data[p] == 0xFF {
			p++
		}
		if p == len(d.data) {
			break
		}
		if m := d.data[p]; m != 0 {
			d.pos = p + 1
			if skipped {
				d.warnings++
			}
			return m, nil
		}
		skipped = true
	}
	d.pos = len(d.data)
	return 0, truncatedErr("end of file where a marker is due")
}

// nextScan reads markers up to and including the next start of a scan. It returns false at the end of the image.
func (d *Decoder) nextScan() (bool, error) {
	for {
		m, err := d.nextMarker()
		if err != nil {
			return false, err
		}
		switch {
		case m == mEOI:
			return false, nil
		case m >= mRST0 && m <= mRST7, m == mTEM: // no parameters
			continue
		case m == mSOI:
			return false, formatErr("second start-of-image marker")
		case m < mSOF0 || m > mAPP15 && m != mCOM || m > mDRI && m < mAPP0:
			return false, formatErr("unknown marker %#02x", m)
		}
		p, err := d.segment(m)
		if err != nil {
			return false, err
		}
		switch m {
		case mSOF0, mSOF1, mSOF2:
			err = d.readFrame(p, m == mSOF2)
		case mDHT:
			err = d.readHuffman(p)
		case mDQT:
			err = d.readQuant(p)
		case mSOS:
			return true, d.readScan(p)
		case mDRI:
			if len(p) != 2 {
				return false, formatErr("restart interval of %d bytes", len(p))
			}
			d.restart = int(binary.BigEndian.Uint16(p))
		case mAPP0:
			d.jfif = d.jfif || len(p) >= 12 && string(p[:5]) == "JFIF\x00"
		case mAPP1:
			if !d.exif && len(p) > 6 && string(p[:6]) == "Exif\x00\x00" {
				d.exif = true
				d.cfg.Orientation = exifOrientation(p[6:])
			}
		case mAPP14:
			if len(p) >= 12 && string(p[:5]) == "Adobe" {
				d.adobe = int(p[11])
			}
		case mSOF9, mSOF10:
			err = unsupportedErr("arithmetic coding")
		default:
			if m <= mSOF15 && m != mDAC {
				err = unsupportedErr("lossless or hierarchical coding (marker %#02x)", m)
			}
		}
		if err != nil {
			return false, err
		}
	}
}

// segment returns the parameters of the marker m, without their length.
func (d *Decoder) segment(m uint8) ([]byte, error) {
	rest := d.data[d.pos:]
	if len(rest) < 2 {
		return nil, truncatedErr("in marker %#02x", m)
	}
	n := int(binary.BigEndian.Uint16(rest))
	if n < 2 {
		return nil, formatErr("marker %#02x of %d bytes", m, n)
	}
	if n > len(rest) {
		return nil, truncatedErr("in marker %#02x", m)
	}
	d.pos += n
	return rest[2:n], nil
}

func (d *Decoder) readFrame(p []byte, progressive bool) error {
	if d.sof {
		return formatErr("second frame header")
	}
	if len(p) < 6 || len(p) != 6+3*int(p[5]) {
		return formatErr("frame header of %d bytes", len(p))
	}
	h, w, n := int(binary.BigEndian.Uint16(p[1:])), int(binary.BigEndian.Uint16(p[3:])), int(p[5])
	switch {
	case p[0] != 8:
		return unsupportedErr("%d-bit samples", p[0])
	case h == 0 && w > 0:
		return unsupportedErr("height given after the first scan")
	case n != 1 && n != 3 && n != 4:
		return unsupportedErr("%d components", n)
	}
	if err := raster.CheckSize(w, h); err != nil {
		return err
	}
	if max(w, h) > maxSide {
		return fmt.Errorf("%w: %dx%d (allowed: at most %d a side)", raster.ErrSize, w, h, maxSide)
	}
	d.sof = true
	d.cfg.Width, d.cfg.Height, d.cfg.Components, d.cfg.Progressive = w, h, n, progressive
	d.frame.n = n
	for i := range n {
		q := p[6+3*i:]
		pl, c := &d.frame.planes[i], &d.comps[i]
		c.id, c.tq, c.latched = q[0], q[2], false
		pl.h, pl.v = int(q[1]>>4), int(q[1]&15)
		if pl.h < 1 || pl.h > 4 || pl.v < 1 || pl.v > 4 {
			return formatErr("sampling factors %dx%d", pl.h, pl.v)
		}
		for k := range c.sent {
			c.sent[k] = -1
		}
	}
	return d.frame.setSize(w, h)
}

func (d *Decoder) readQuant(p []byte) error {
	for len(p) > 0 {
		wide, i := p[0]>>4 != 0, p[0]&15
		n := 64
		if wide {
			n = 128
		}
		if p = p[1:]; i > 3 || len(p) < n {
			return formatErr("quantization table %d", i)
		}
		for k := range 64 {
			if wide {
				d.quant[i][k] = binary.BigEndian.Uint16(p[2*k:])
			} else {
				d.quant[i][k] = uint16(p[k])
			}
		}
		d.quantSet[i] = true
		p = p[n:]
	}
	return nil
}

func (d *Decoder) readHuffman(p []byte) error {
	for len(p) >= 17 {
		class, i := p[0]>>4, p[0]&15
		if class > 1 || i > 3 {
			return formatErr("Huffman table %#02x", p[0])
		}
		h := &d.huff[class][i]
		*h = huffSpec{set: true}
		copy(h.count[1:], p[1:17])
		n := 0
		for _, c := range h.count {
			n += int(c)
		}
		if p = p[17:]; n > 256 || n > len(p) {
			return formatErr("Huffman table of %d codes", n)
		}
		copy(h.vals[:], p[:n])
		p = p[n:]
	}
	if len(p) != 0 {
		return formatErr("Huffman table of %d bytes", len(p))
	}
	return nil
}

func (d *Decoder) readScan(p []byte) error {
	if !d.sof {
		return formatErr("scan before the frame header")
	}
	if len(p) < 1 || p[0] < 1 || p[0] > 4 || len(p) != 4+2*int(p[0]) {
		return formatErr("scan header of %d bytes", len(p))
	}
	s := &d.scan
	s.n = int(p[0])
	used := [4]bool{}
	for i := range s.n {
		id, tables := p[1+2*i], p[2+2*i]
		c := 0
		for c < d.frame.n && (used[c] || d.comps[c].id != id) {
			c++
		}
		if c == d.frame.n {
			return formatErr("scan of an unknown component %d", id)
		}
		used[c] = true
		s.comp[i] = c
		d.comps[c].dc, d.comps[c].ac = tables>>4, tables&15
	}
	p = p[1+2*s.n:]
	s.ss, s.se, s.ah, s.al = int(p[0]), int(p[1]), int(p[2]>>4), int(p[2]&15)
	if s.n > 1 {
		blocks := 0
		for _, c := range s.comp[:s.n] {
			blocks += d.frame.planes[c].h * d.frame.planes[c].v
		}
		if blocks > 10 { // T.81 B.2.3
			return formatErr("%d blocks in an MCU", blocks)
		}
	}
	return nil
}

// setColors chooses as libjpeg does what the components mean, from the JFIF and Adobe markers and else from their
// names.
func (d *Decoder) setColors() {
	f := &d.frame
	switch f.n {
	case 1:
		f.colors = gray
	case 3:
		names := [3]uint8{d.comps[0].id, d.comps[1].id, d.comps[2].id}
		f.colors = ycc
		if !d.jfif && (d.adobe == 0 || d.adobe < 0 && names == [3]uint8{'R', 'G', 'B'}) {
			f.colors = rgb
		}
	case 4:
		f.colors = cmyk
		if d.adobe > 0 {
			f.colors = ycck
		}
	}
}

// exifOrientation finds the orientation (tag 0x0112) in the first directory of a TIFF structure; 0 without a valid one.
func exifOrientation(t []byte) int {
	if len(t) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(t[:2]) == "II" {
		order = binary.LittleEndian
	} else if string(t[:2]) != "MM" {
		return 0
	}
	at := int64(order.Uint32(t[4:]))
	if at+2 > int64(len(t)) {
		return 0
	}
	n := int(order.Uint16(t[at:]))
	dir := t[at+2:]
	for ; n > 0 && len(dir) >= 12; n, dir = n-1, dir[12:] {
		const short = 3
		if order.Uint16(dir) == 0x0112 && order.Uint16(dir[2:]) == short {
			if v := order.Uint16(dir[8:]); v >= 1 && v <= 8 {
				return int(v)
			}
			return 0
		}
	}
	return 0
}
