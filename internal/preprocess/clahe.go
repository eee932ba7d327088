package preprocess

import (
	"fmt"
	"math"
	"strconv"

	"github.com/augmix-go/augmix/raster"
)

// CLAHE equalizes the histogram of the lightness (CIELAB L) tile by tile, the contrast limited by clipping the
// histograms, and interpolates between the tiles. Parity class: lightness and its equalization exact with OpenCV; the
// conversion back to RGB within 6 gray levels of OpenCV's 8-bit one, 0.15 on average (goldens of group "preprocess").
type CLAHE struct {
	// Clip is the clip limit in times the mean count of a bin; 0 is no limit.
	Clip float64
	// Tiles is the number of tiles along each side.
	Tiles int
}

// NewCLAHE returns OpenCV users' usual parameters: clip limit 2, 8 x 8 tiles.
func NewCLAHE() CLAHE { return CLAHE{Clip: 2, Tiles: 8} }

// Check returns an error that wraps ErrSpec and says what is allowed.
func (m CLAHE) Check() error {
	switch {
	case !(m.Clip >= 0 && m.Clip <= 256):
		return fmt.Errorf("%w: clip limit %v (allowed: 0 to 256)", ErrSpec, m.Clip)
	case m.Tiles < 1 || m.Tiles > 64:
		return fmt.Errorf("%w: %d tiles along a side (allowed: 1 to 64)", ErrSpec, m.Tiles)
	}
	return nil
}

func (m CLAHE) String() string { return "clahe-c" + number(m.Clip) + "-t" + strconv.Itoa(m.Tiles) }

func parseCLAHE(options []string) (Method, error) {
	m := NewCLAHE()
	for _, o := range options {
		letter, value, err := option(o)
		if err == nil {
			switch letter {
			case 'c':
				m.Clip = value
			case 't':
				m.Tiles, err = integer(letter, value)
			default:
				err = fmt.Errorf("%w: clahe has no option %q (there are: c, t)", ErrSpec, o)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return m, m.Check()
}

type claheScratch struct {
	light, equal []uint8
	tables       [][256]uint8
	lab          []labPixel
}

// Apply implements Method.
func (m CLAHE) Apply(dst, src *raster.Image, s *Scratch) {
	c := &s.clahe
	n := src.W * src.H
	if cap(c.light) < n {
		c.light, c.equal, c.lab = make([]uint8, n), make([]uint8, n), make([]labPixel, n)
	}
	c.light, c.equal, c.lab = c.light[:n], c.equal[:n], c.lab[:n]
	for i := range n {
		l, a, b := bytesToLab(src.Pix[4*i], src.Pix[4*i+1], src.Pix[4*i+2])
		c.light[i], c.lab[i] = l, labPixel{a: float64(a) - 128, b: float64(b) - 128}
	}
	m.equalize(c.equal, c.light, src.W, src.H, c)
	dst.Reset(src.W, src.H)
	for i := range n {
		p := c.lab[i]
		p.light = float64(c.equal[i]) / 2.55
		r, g, b := p.rgb()
		dst.Pix[4*i], dst.Pix[4*i+1], dst.Pix[4*i+2], dst.Pix[4*i+3] = r, g, b, 255
	}
}

// equalize is OpenCV's CLAHE of one channel: the image is extended by reflection (without the edge) to complete tiles,
// each tile's clipped histogram gives a table, and a pixel interpolates between the tables of the four tiles around it.
func (m CLAHE) equalize(dst, src []uint8, w, h int, s *claheScratch) {
	tw, th := (w+m.Tiles-1)/m.Tiles, (h+m.Tiles-1)/m.Tiles
	if w%m.Tiles == 0 && h%m.Tiles != 0 {
		tw++ // OpenCV extends both axes as soon as one needs it, a side that fits by a full tile's share
	} else if h%m.Tiles == 0 && w%m.Tiles != 0 {
		th++
	}
	s.tables = s.tables[:0]
	for ty := range m.Tiles {
		for tx := range m.Tiles {
			var hist [256]int32
			for y := ty * th; y < (ty+1)*th; y++ {
				row := src[reflect(y, h)*w:][:w]
				for x := tx * tw; x < (tx+1)*tw; x++ {
					hist[row[reflect(x, w)]]++
				}
			}
			s.tables = append(s.tables, m.table(&hist, tw*th))
		}
	}
	for y := range h {
		y1, y2, fy := m.between(y, th)
		for x := range w {
			x1, x2, fx := m.between(x, tw)
			v := src[y*w+x]
			at := func(ty, tx int) float32 { return float32(s.tables[ty*m.Tiles+tx][v]) }
			top := float32(at(y1, x1)*(1-fx)) + float32(at(y1, x2)*fx)
			bottom := float32(at(y2, x1)*(1-fx)) + float32(at(y2, x2)*fx)
			dst[y*w+x] = uint8(math.RoundToEven(float64(float32(top*(1-fy)) + float32(bottom*fy))))
		}
	}
}

// between returns the tiles on both sides of a pixel along one axis and how far it is towards the second.
func (m CLAHE) between(i, side int) (a, b int, frac float32) {
	f := float32(float32(i)*(1/float32(side))) - 0.5
	a = int(math.Floor(float64(f)))
	frac = f - float32(a)
	return max(a, 0), min(a+1, m.Tiles-1), frac
}

// table clips the histogram of a tile, spreads the clipped part evenly, and accumulates.
func (m CLAHE) table(hist *[256]int32, size int) (t [256]uint8) {
	if m.Clip > 0 {
		limit := max(int32(m.Clip*float64(size)/256), 1)
		clipped := int32(0)
		for i, n := range hist {
			if n > limit {
				clipped += n - limit
				hist[i] = limit
			}
		}
		each, rest := clipped/256, clipped%256
		for i := range hist {
			hist[i] += each
		}
		if rest > 0 {
			for i, step := int32(0), max(256/rest, 1); i < 256 && rest > 0; i, rest = i+step, rest-1 {
				hist[i]++
			}
		}
	}
	scale, sum := 255/float32(size), int32(0)
	for i, n := range hist {
		sum += n
		t[i] = uint8(min(max(math.RoundToEven(float64(float32(sum)*scale)), 0), 255))
	}
	return t
}

// reflect mirrors an index at the border without repeating the edge.
func reflect(i, n int) int {
	if i < n {
		return i
	}
	if n == 1 {
		return 0
	}
	i %= 2*n - 2
	return min(i, 2*n-2-i)
}
