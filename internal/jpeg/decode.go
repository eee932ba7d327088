package jpeg

import (
	"bytes"
	"errors"
	"fmt"
	"image"

	"github.com/augmix-go/augmix/raster"
)

// maxScans bounds the scans of a file, and visits the work that they may ask for: so many for every byte of the file. A
// visit is a look at a block, or at sixteen of its coefficients. An image of one color, which has the fewest bytes for
// its blocks, costs at least one bit a block and, in the ten scans that libjpeg writes, fourteen visits: 112 a byte. Any file
// may ask for freeVisits.
const (
	maxScans      = 1000
	visitsPerByte = 256
	freeVisits    = 1 << 21
)

// maxCoefs bounds the coefficients that a multi-scan image keeps, two bytes each.
const maxCoefs = raster.MaxPixels

// Decoder decodes files. Its zero value is ready for use; it keeps its memory from file to file, so that decoding
// images of like size allocates nothing. A decoder may not be used by several goroutines at once.
type Decoder struct {
	data []byte
	pos  int // next byte of data

	cfg      Config
	sof      bool
	jfif     bool
	exif     bool
	adobe    int // the color transform of an Adobe marker, -1 without one
	restart  int // MCUs between restart markers, 0 for none
	quant    [4][64]uint16
	quantSet [4]bool
	huff     [2][4]huffSpec // class, table
	comps    [4]component
	scan     scanSpec
	frame    frame
	warnings int

	// the state of the scan in hand
	tables  [2][4]huffTable
	bits    bitReader
	clean   []byte // the entropy-coded segment in hand, without stuffing
	marker  uint8  // the marker that ended it, 0 at the end of the file
	empty   bool   // the segment is exhausted: what is left until the next restart is not there
	toGo    int    // MCUs to the next restart
	nextRST uint8
	odd     bool // progressive: the scan sends again what was sent, and may leave bytes
	eobRun  int  // progressive: blocks that are still covered by the last end-of-band run
}

// Warnings returns the number of places at which the last file was damaged and read on as libjpeg does: skipped bytes,
// bytes left over, cut-off segments, restart markers out of order. After DecodeCrop damage below the part is not counted.
func (d *Decoder) Warnings() int { return d.warnings }

// Config describes the last file that Decode or DecodeCrop was given.
func (d *Decoder) Config() Config { return d.cfg }

// release drops the reference to the caller's data.
func (d *Decoder) release() { d.data = nil }

// Decode decodes the file data into dst. It returns an error that wraps [ErrFormat], [ErrUnsupported], [ErrTruncated]
// or [raster.ErrSize]; dst then holds nothing useful.
func (d *Decoder) Decode(dst *raster.Image, data []byte) error {
	defer d.release()
	if err := d.readHeader(data); err != nil {
		return err
	}
	return d.decode(dst, image.Rect(0, 0, d.cfg.Width, d.cfg.Height))
}

// DecodeCrop decodes the part r of the file data into dst, the same pixels as cutting r from the whole image. It
// reads a sequential file only to the last row of blocks that r needs (what is wrong below goes unnoticed) and
// transforms only the blocks that reach into r. Errors are those of Decode; a part that is empty or not inside the
// image wraps [raster.ErrSize].
func (d *Decoder) DecodeCrop(dst *raster.Image, data []byte, r image.Rectangle) error {
	defer d.release()
	if err := d.readHeader(data); err != nil {
		return err
	}
	if r.Empty() || !r.In(image.Rect(0, 0, d.cfg.Width, d.cfg.Height)) {
		return fmt.Errorf("%w: part %v of an image of %dx%d", raster.ErrSize, r, d.cfg.Width, d.cfg.Height)
	}
	return d.decode(dst, r)
}

// decode decodes the scans, of which the first one's header has been read.
func (d *Decoder) decode(dst *raster.Image, r image.Rectangle) error {
	f := &d.frame
	d.setColors()
	multi := d.multi()
	blocks, least := 0, 2 // the fewest bits that a block can take: a DC difference and an end of block
	for i := range f.n {
		blocks += f.planes[i].bw * f.planes[i].bh
	}
	if multi {
		least = 1 // other coefficients can be covered by runs, or never come
	}
	if have := len(d.data) - d.pos; blocks > have*8/least {
		return truncatedErr("%d bytes of data for %d blocks", have, blocks)
	}
	if multi {
		if err := d.readScans(); err != nil {
			return err
		}
	}
	dst.Reset(r.Dx(), r.Dy())
	f.setCrop(r)
	if multi {
		d.transform(dst)
		return nil
	}
	if err := d.decodeOnly(dst); err != nil || r != image.Rect(0, 0, f.w, f.h) {
		return err
	}
	return d.finish()
}

// multi reports whether coefficients must be kept until the last scan, once the first one's header has been read.
func (d *Decoder) multi() bool { return d.cfg.Progressive || d.scan.n < d.frame.n }

// finish reads the markers after the only scan of a file as libjpeg does, and returns what it finds wrong there: a
// broken or unexpected marker mostly means that the scan was cut off in the middle. That the file ends is no error.
func (d *Decoder) finish() error {
	more, err := d.nextScan()
	if errors.Is(err, ErrTruncated) {
		return nil
	}
	if more && err == nil {
		return formatErr("second scan of a file whose first holds all components")
	}
	return err
}

// startScan makes the tables of the current scan ready, and its first segment.
func (d *Decoder) startScan() error {
	var used [2][4]bool
	maxQ := [4]int{} // the largest quantizer that a table's coefficients meet
	for _, i := range d.scan.comp[:d.scan.n] {
		c := &d.comps[i]
		c.pred = 0
		if !c.latched {
			if c.tq > 3 || !d.quantSet[c.tq] {
				return formatErr("no quantization table %d", c.tq)
			}
			c.quant = d.quant[c.tq]
			c.scale.set(&c.quant)
			c.latched = true
		}
		needDC, needAC := true, true
		if d.cfg.Progressive {
			needDC, needAC = d.scan.ss == 0 && d.scan.ah == 0, d.scan.ss > 0
		}
		if needDC && c.dc > 3 || needAC && c.ac > 3 {
			return formatErr("Huffman table above 3")
		}
		if needDC {
			used[0][c.dc] = true
		}
		if needAC {
			used[1][c.ac] = true
			for _, q := range c.quant {
				maxQ[c.ac] = max(maxQ[c.ac], int(q))
			}
		}
	}
	for class := range 2 {
		for i := range 4 {
			if !used[class][i] {
				continue
			}
			s := &d.huff[class][i]
			if !s.set {
				if d.cfg.Progressive || i > 1 {
					return formatErr("no Huffman table %d", i)
				}
				s = &exampleHuff[class][i] // Motion JPEG frames leave them out
			}
			maxSize := 15
			if class == 1 {
				maxSize = tame(maxQ[i])
			}
			if err := d.tables[class][i].build(s, class == 1, maxSize); err != nil {
				return err
			}
		}
	}
	d.empty, d.toGo, d.nextRST, d.eobRun = false, d.restart, 0, 0
	d.segmentData()
	return nil
}

// segmentData takes the entropy-coded data up to the next marker or the end of the file into d.bits.
func (d *Decoder) segmentData() {
	out, src := d.clean[:0], d.data[d.pos:]
	d.marker = 0
	for d.marker == 0 {
		i := bytes.IndexByte(src, 0xFF)
		if i < 0 {
			out, src = append(out, src...), nil
			break
		}
		out, src = append(out, src[:i]...), src[i:]
		for len(src) > 0 && src[0] == 0xFF {
			src = src[1:]
		}
		if len(src) == 0 {
			break
		}
		if src[0] == 0 {
			out = append(out, 0xFF)
		} else {
			d.marker = src[0]
		}
		src = src[1:]
	}
	d.pos = len(d.data) - len(src)
	d.clean = append(out, make([]byte, bitPad)...)
	d.bits.reset(d.clean)
}

// checkRestart starts a new segment where a restart marker is due.
func (d *Decoder) checkRestart() error {
	if d.restart == 0 {
		return nil
	}
	if d.toGo > 0 {
		d.toGo--
		return nil
	}
	d.checkRest()
	d.toGo = d.restart - 1
	for _, i := range d.scan.comp[:d.scan.n] {
		d.comps[i].pred = 0
	}
	d.eobRun = 0
	m, err := d.nextMarker()
	if err != nil {
		return err
	}
	want := d.nextRST
	d.nextRST = (want + 1) & 7
	if m == mRST0+want {
		m = 0
	} else {
		d.warnings++
		if m, err = d.resync(m, want); err != nil {
			return err
		}
	}
	if d.marker = m; m != 0 { // this segment is missing altogether
		d.clean = append(d.clean[:0], make([]byte, bitPad)...)
		d.bits.reset(d.clean)
		return nil
	}
	d.empty = false
	d.segmentData()
	return nil
}

// resync decides where to go on after the marker m where restart marker want is due, by libjpeg's rules: a marker
// that is one or two ahead, or none of the restart markers, is left for later and returned; one or two behind is
// skipped over; others are taken for the one that is due, for which 0 is returned.
func (d *Decoder) resync(m, want uint8) (uint8, error) {
	for {
		skip := false
		switch {
		case m < mSOF0:
			skip = true
		case m < mRST0 || m > mRST7:
			return m, nil
		default:
			switch (m - mRST0 - want) & 7 {
			case 1, 2:
				return m, nil
			case 6, 7:
				skip = true
			}
		}
		if !skip {
			return 0, nil
		}
		var err error
		if m, err = d.nextMarker(); err != nil {
			return 0, err
		}
	}
}

// checkOverrun is called after every MCU: it notes that the segment is exhausted, which at the end of the file is an
// error.
func (d *Decoder) checkOverrun() error {
	if !d.bits.overrun() {
		return nil
	}
	if d.marker == 0 {
		return truncatedErr("%d bytes end in the middle of the image", len(d.data))
	}
	d.empty = true
	d.warnings++
	return nil
}

// decodeOnly decodes the only scan of a sequential file into dst.
func (d *Decoder) decodeOnly(dst *raster.Image) error {
	if s := &d.scan; s.ss != 0 || s.se != 63 || s.ah != 0 || s.al != 0 {
		d.warnings++
	}
	if err := d.startScan(); err != nil {
		return err
	}
	f := &d.frame
	my := 0
	for ; my < f.mcuH && f.next < f.crop.Max.Y; my++ {
		for mx := range f.mcuW {
			if err := d.checkRestart(); err != nil {
				return err
			}
			d.decodeMCU(mx, my)
			if d.empty {
				continue
			}
			if err := d.checkOverrun(); err != nil {
				return err
			}
		}
		f.render(dst, my)
	}
	if my == f.mcuH {
		d.checkRest()
	}
	return nil
}

// checkRest is called at the end of a segment: bytes that are left of it are damage that decoding did not notice before.
func (d *Decoder) checkRest() {
	if !d.empty && !d.odd && d.bits.left() >= 8 {
		d.warnings++
	}
}

// decodeMCU decodes the blocks of an MCU and transforms those that are needed.
func (d *Decoder) decodeMCU(mx, my int) {
	var w block
	for _, i := range d.scan.comp[:d.scan.n] {
		c, p := &d.comps[i], &d.frame.planes[i]
		dc, ac := &d.tables[0][c.dc&3], &d.tables[1][c.ac&3]
		for v := range p.v {
			for h := range p.h {
				bx, by := mx*p.h+h, my*p.v+v
				if !p.needs(bx, by) {
					if !d.empty {
						d.bits.skip(dc, ac, &c.pred)
					}
					continue
				}
				last, wild := 0, false
				if !d.empty {
					last, wild = d.bits.block(&w, &c.scale, dc, ac, &c.pred)
				}
				idct(p.blockAt(bx, v, my), p.stride, &w, last, wild)
				if last == 0 {
					w[0] = 0
				} else {
					w = block{}
				}
			}
		}
	}
}

// needs says whether the block reaches into the needed part of the plane.
func (p *plane) needs(bx, by int) bool {
	return 8*bx < p.x1 && 8*bx+8 > p.x0 && 8*by < p.y1 && 8*by+8 > p.y0
}

// blockAt returns the samples from the first of a block on, which lies in column bx and row v of row my of the MCUs.
func (p *plane) blockAt(bx, v, my int) []byte { return p.pix[8*((my&1*p.v+v)*p.stride+bx):] }
