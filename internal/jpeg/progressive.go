package jpeg

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
)

// readScans decodes all scans of a progressive file, or of a sequential one with several, into the coefficients of the
// components.
func (d *Decoder) readScans() error {
	f := &d.frame
	coefs := d.coefficients()
	if coefs > maxCoefs {
		return fmt.Errorf("%w: %dx%d with %d coefficients in several scans (allowed: %d)",
			raster.ErrSize, f.w, f.h, coefs, maxCoefs)
	}
	for i := range f.n {
		c := &d.comps[i]
		c.coef = buffer.Resize(c.coef, 64*f.planes[i].pw*f.planes[i].ph)
		clear(c.coef)
	}
	visits, allowed := int64(0), visitsPerByte*int64(len(d.data))+freeVisits
	for n := 1; ; n++ {
		if n > maxScans {
			return formatErr("more than %d scans", maxScans)
		}
		if visits += int64(d.visits()); visits > allowed {
			return formatErr("%d scans of %d coefficients in a file of %d bytes (allowed: %d visits of blocks)", n, coefs,
				len(d.data), allowed)
		}
		if err := d.readOneScan(); err != nil {
			return fmt.Errorf("scan %d: %w", n, err)
		}
		more, err := d.nextScan()
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if d.cfg.Progressive && d.smoothed() {
		return unsupportedErr("progressive file without all of its scans")
	}
	return nil
}

// coefficients is the number of those that whole MCUs hold.
func (d *Decoder) coefficients() int {
	n := 0
	for i := range d.frame.n {
		n += 64 * d.frame.planes[i].pw * d.frame.planes[i].ph
	}
	return n
}

// visits is the work of the scan in hand. Only a scan that refines looks at coefficients for which there is no bit.
func (d *Decoder) visits() int {
	s, n := &d.scan, 0
	for _, i := range s.comp[:s.n] {
		n += d.frame.planes[i].bw * d.frame.planes[i].bh
	}
	if d.cfg.Progressive && s.ss > 0 && s.ah > 0 {
		n *= 1 + max(s.se-s.ss+1, 0)/16
	}
	return n
}

// smoothed says whether libjpeg would smooth the blocks of the image, which it does where one of the first nine AC
// coefficients has not been sent in full while the DC coefficients are known.
func (d *Decoder) smoothed() bool {
	useful := false
	for i := range d.frame.n {
		c := &d.comps[i]
		if !c.latched || c.sent[0] < 0 {
			return false
		}
		for k, s := range c.sent {
			if c.quant[k] == 0 {
				return false
			}
			useful = useful || k > 0 && s != 0
		}
	}
	return useful
}

// blockCoder decodes the part of a block that the current scan holds.
type blockCoder func(d *Decoder, c *component, coef []int16)

func (d *Decoder) readOneScan() error {
	s := &d.scan
	code := blockCoder((*Decoder).sequentialBlock)
	d.odd = false
	if d.cfg.Progressive {
		dcScan := s.ss == 0
		switch {
		case dcScan && s.se != 0, !dcScan && (s.ss > s.se || s.se > 63 || s.n != 1),
			s.ah != 0 && s.al != s.ah-1, s.al > 13:
			return formatErr("progressive scan of coefficients %d to %d, bits %d to %d, components %d",
				s.ss, s.se, s.ah, s.al, s.n)
		case dcScan && s.ah == 0:
			code = (*Decoder).dcFirst
		case dcScan:
			code = (*Decoder).dcRefine
		case s.ah == 0:
			code = (*Decoder).acFirst
		default:
			code = (*Decoder).acRefine
		}
		for _, i := range s.comp[:s.n] {
			for k := s.ss; k <= min(s.se, len(d.comps[i].sent)-1); k++ {
				sent := &d.comps[i].sent[k]
				d.odd = d.odd || s.ah == 0 && *sent >= 0 || s.ah > 0 && int(*sent) != int(s.ah)
				*sent = int8(s.al)
			}
		}
	}
	if err := d.startScan(); err != nil {
		return err
	}
	f := &d.frame
	if s.n == 1 {
		i := s.comp[0]
		c, p := &d.comps[i], &f.planes[i]
		return d.eachMCU(p.bw, p.bh, func(x, y int) {
			code(d, c, c.coef[64*(y*p.pw+x):][:64])
		})
	}
	return d.eachMCU(f.mcuW, f.mcuH, func(x, y int) {
		for _, i := range s.comp[:s.n] {
			c, p := &d.comps[i], &f.planes[i]
			for v := range p.v {
				for h := range p.h {
					code(d, c, c.coef[64*((y*p.v+v)*p.pw+x*p.h+h):][:64])
				}
			}
		}
	})
}

// eachMCU calls f for every MCU of the scan for which there is data.
func (d *Decoder) eachMCU(w, h int, f func(x, y int)) error {
	for y := range h {
		for x := range w {
			if err := d.checkRestart(); err != nil {
				return err
			}
			if d.empty {
				if d.restart == 0 {
					return nil
				}
				continue
			}
			f(x, y)
			if err := d.checkOverrun(); err != nil {
				return err
			}
		}
	}
	d.checkRest()
	return nil
}

// sequentialBlock decodes a whole block.
func (d *Decoder) sequentialBlock(c *component, coef []int16) {
	b := &d.bits
	c.pred += int32(b.difference(&d.tables[0][c.dc&3]))
	coef[0] = int16(c.pred)
	ac := &d.tables[1][c.ac&3]
	for k := 1; k < 64; k++ {
		sym := b.symbol(ac)
		run, size := int(sym>>4), uint(sym&15)
		if size == 0 {
			if run != 15 {
				break
			}
			k += 15
			continue
		}
		k += run
		coef[min(k, 63)] = int16(extend(b.take(size), size))
	}
}

func (d *Decoder) dcFirst(c *component, coef []int16) {
	c.pred += int32(d.bits.difference(&d.tables[0][c.dc&3]))
	coef[0] = int16(c.pred << d.scan.al)
}

func (d *Decoder) dcRefine(_ *component, coef []int16) {
	d.bits.refill()
	if d.bits.take(1) != 0 {
		coef[0] |= 1 << d.scan.al
	}
}

func (d *Decoder) acFirst(c *component, coef []int16) {
	if d.eobRun > 0 {
		d.eobRun--
		return
	}
	b, ac, se := &d.bits, &d.tables[1][c.ac&3], d.scan.se
	for k := d.scan.ss; k <= se; k++ {
		sym := b.symbol(ac)
		run, size := int(sym>>4), uint(sym&15)
		if size != 0 {
			k += run
			coef[min(k, 63)] = int16(extend(b.take(size), size) << d.scan.al)
			continue
		}
		if run != 15 {
			d.eobRun = 1<<run + int(b.take(uint(run))) - 1
			return
		}
		k += 15
	}
}

// acRefine adds a bit to every coefficient of the band that is not zero yet, and puts in the new ones.
func (d *Decoder) acRefine(c *component, coef []int16) {
	b, ac, se := &d.bits, &d.tables[1][c.ac&3], d.scan.se
	plus := int16(1) << d.scan.al
	k := d.scan.ss
	if d.eobRun == 0 {
		for ; k <= se; k++ {
			sym := b.symbol(ac)
			run, size := int(sym>>4), sym&15
			value := int16(0)
			if size != 0 { // always 1 in a valid file
				if value = -plus; b.take(1) != 0 {
					value = plus
				}
			} else if run != 15 {
				d.eobRun = 1<<run + int(b.take(uint(run)))
				break
			}
			k = d.refine(coef, k, se, run, plus)
			if value != 0 {
				coef[min(k, 63)] = value
			}
		}
	}
	if d.eobRun > 0 {
		d.refine(coef, k, se, 64, plus)
		d.eobRun--
	}
}

// refine reads a correction bit for every coefficient from k to se that is not zero, until it has passed run zeros;
// it returns the position of the zero after them, or se+1.
func (d *Decoder) refine(coef []int16, k, se, run int, plus int16) int {
	b := &d.bits
	for ; k <= se; k++ {
		v := coef[k]
		if v == 0 {
			if run--; run < 0 {
				break
			}
			continue
		}
		if b.cnt == 0 {
			b.refill()
		}
		if b.take(1) != 0 && v&plus == 0 {
			if v >= 0 {
				coef[k] = v + plus
			} else {
				coef[k] = v - plus
			}
		}
	}
	return k
}

// transform turns the coefficients into dst.
func (d *Decoder) transform(dst *raster.Image) {
	f := &d.frame
	var w block
	for my := 0; my < f.mcuH && f.next < f.crop.Max.Y; my++ {
		for i := range f.n {
			c, p := &d.comps[i], &f.planes[i]
			for v := range p.v {
				by := my*p.v + v
				if 8*by >= p.y1 || 8*by+8 <= p.y0 {
					continue
				}
				for bx := p.x0 / 8; bx < ceilDiv(p.x1, 8); bx++ {
					last, wild := c.dequantize(&w, c.coef[64*(by*p.pw+bx):])
					idct(p.blockAt(bx, v, my), p.stride, &w, last, wild)
					w = block{}
				}
			}
		}
		f.render(dst, my)
	}
}

// dequantize adds the coefficients of a block, in zigzag order, to w, and returns what [idct] wants to know.
func (c *component) dequantize(w *block, coef []int16) (last int, wild bool) {
	coef = coef[:64]
	for k := 0; k < 64; k += 4 {
		if coef[k]|coef[k+1]|coef[k+2]|coef[k+3] == 0 {
			continue
		}
		for j := k; j < k+4; j++ {
			v := int64(coef[j])
			p := &c.scale.step[j]
			w[p.pair&31] += v * p.factor
			wild = wild || uint64(v*p.quant+maxTame) > 2*maxTame
		}
		last = k + 3
	}
	if last == 3 && coef[1]|coef[2]|coef[3] == 0 {
		last = 0
	}
	return last, wild
}
