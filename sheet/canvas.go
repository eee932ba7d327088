package sheet

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"sync"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/augmix-go/augmix/raster"
)

// Colors of the sheet.
var (
	paper   = color.RGBA{0xfb, 0xfa, 0xf7, 0xff}
	ink     = color.RGBA{0x1d, 0x1e, 0x22, 0xff}
	muted   = color.RGBA{0x6a, 0x6d, 0x75, 0xff}
	hair    = color.RGBA{0xd9, 0xd6, 0xcd, 0xff}
	panel   = color.RGBA{0xf1, 0xef, 0xe8, 0xff}
	accent  = color.RGBA{0x1f, 0x6f, 0xb2, 0xff}
	outline = color.RGBA{0x00, 0x00, 0x00, 0x24} // premultiplied, as all of them
)

// style is a text style; sizes are in pixels of the sheet, which is drawn for display at half its size.
type style struct {
	bold bool
	size float64
	col  color.RGBA
}

var (
	styleTitle   = style{true, 52, ink}
	styleSection = style{true, 32, ink}
	styleLabel   = style{false, 24, ink}
	styleStrong  = style{true, 24, ink}
	styleSmall   = style{false, 21, muted}
)

// align places text about its anchor.
type align uint8

const (
	left align = iota
	center
	right
)

// canvas is an image being drawn.
type canvas struct{ *image.RGBA }

func newCanvas(w, h int) *canvas {
	c := &canvas{image.NewRGBA(image.Rect(0, 0, w, h))}
	c.rect(0, 0, w, h, paper)
	return c
}

func (c *canvas) rect(x, y, w, h int, col color.RGBA) {
	draw.Draw(c.RGBA, image.Rect(x, y, x+w, y+h), image.NewUniform(col), image.Point{}, draw.Over)
}

// text writes one line whose baseline starts, is centered or ends at (x, y), and returns its width.
func (c *canvas) text(x, y int, s string, st style, a align) int {
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(st.col), Face: face(st)}
	w := d.MeasureString(s)
	at := fixed.P(x, y)
	switch a {
	case center:
		at.X -= w / 2
	case right:
		at.X -= w
	}
	d.Dot = at
	d.DrawString(s)
	return w.Ceil()
}

// fit shortens s with an ellipsis until it is at most width pixels wide.
func fit(s string, st style, width int) string {
	if textWidth(s, st) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 1 && textWidth(string(r)+"…", st) > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// leastSize is the smallest text: over narrow tiles it may be less than elsewhere, so that names stay whole.
const leastSize = 14

// shrunk returns s and a style in which it is at most width pixels wide: a smaller one, and shortened where that is not enough.
func shrunk(s string, st style, width int) (string, style) {
	for st.size > leastSize && textWidth(s, st) > width {
		st.size--
	}
	return fit(s, st, width), st
}

// within writes a line like text, at most width pixels wide.
func (c *canvas) within(x, y int, s string, st style, a align, width int) {
	s, st = shrunk(s, st, width)
	c.text(x, y, s, st, a)
}

func textWidth(s string, st style) int { return font.MeasureString(face(st), s).Ceil() }

// paragraph writes text broken into lines of at most width pixels and returns the baseline after the last one.
func (c *canvas) paragraph(x, y, width int, s string, st style) int {
	line := ""
	flush := func() {
		if line != "" {
			c.text(x, y, line, st, left)
			y += int(st.size * 1.4)
			line = ""
		}
	}
	for _, word := range fields(s) {
		if next := line + " " + word; line != "" && textWidth(next, st) > width {
			flush()
			line = word
		} else if line == "" {
			line = word
		} else {
			line = next
		}
	}
	flush()
	return y
}

func fields(s string) []string {
	var out []string
	start := -1
	for i, r := range s + " " {
		switch {
		case r == ' ' && start >= 0: // a non-breaking space stays inside its word
			out, start = append(out, s[start:i]), -1
		case r != ' ' && start < 0:
			start = i
		}
	}
	return out
}

// tile shows an image in a side by side square with a hairline about it. Small images are enlarged by whole factors
// with hard pixels, so that what is seen is what a network gets; others fill the square after a smooth reduction.
func (c *canvas) tile(x, y, side int, m *raster.Image) {
	place(c.RGBA, image.Rect(x, y, x+side, y+side), m)
	for i := range 2 {
		c.frame(x-1-i, y-1-i, side+2+2*i, side+2+2*i, color.RGBA{0, 0, 0, outline.A >> i})
	}
}

func (c *canvas) frame(x, y, w, h int, col color.RGBA) {
	c.rect(x, y, w, 1, col)
	c.rect(x, y+h-1, w, 1, col)
	c.rect(x, y+1, 1, h-2, col)
	c.rect(x+w-1, y+1, 1, h-2, col)
}

// place draws m into r, keeping its aspect.
func place(dst *image.RGBA, r image.Rectangle, m *raster.Image) {
	longest := max(m.W, m.H)
	w, h := max(m.W*r.Dx()/longest, 1), max(m.H*r.Dy()/longest, 1)
	x0, y0 := r.Min.X+(r.Dx()-w)/2, r.Min.Y+(r.Dy()-h)/2
	if w != r.Dx() || h != r.Dy() {
		draw.Draw(dst, r, image.NewUniform(panel), image.Point{}, draw.Src)
	}
	if w < m.W || h < m.H {
		xdraw.CatmullRom.Scale(dst, image.Rect(x0, y0, x0+w, y0+h), m.RGBA(), m.RGBA().Bounds(), draw.Src, nil)
		return
	}
	for y := range h {
		for x := range w {
			v := m.At(x*m.W/w, y*m.H/h)
			dst.SetRGBA(x0+x, y0+y, color.RGBA{v.R, v.G, v.B, 255})
		}
	}
}

// point is a place on the canvas.
type point struct{ x, y float64 }

// arrow draws a curve from a to b that leaves and arrives horizontally, with a head at b.
func (c *canvas) arrow(a, b point, width float64, col color.RGBA) {
	const head = 13
	end := point{b.x - head*0.8, b.y}
	bend := (end.x - a.x) * 0.5
	c1, c2 := point{a.x + bend, a.y}, point{end.x - bend, end.y}
	c.stroke(bezier(a, c1, c2, end), width, col)
	c.fill([]point{b, {b.x - head, b.y - head*0.55}, {b.x - head, b.y + head*0.55}}, col)
}

func bezier(p0, p1, p2, p3 point) []point {
	const n = 40
	out := make([]point, n+1)
	for i := range out {
		t := float64(i) / n
		u := 1 - t
		k0, k1, k2, k3 := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
		out[i] = point{k0*p0.x + k1*p1.x + k2*p2.x + k3*p3.x, k0*p0.y + k1*p1.y + k2*p2.y + k3*p3.y}
	}
	return out
}

// stroke draws a line through the points as the outline around it.
func (c *canvas) stroke(line []point, width float64, col color.RGBA) {
	n := len(line)
	outlinePts := make([]point, 0, 2*n)
	for side := range 2 {
		for i := range n {
			k := i
			if side == 1 {
				k = n - 1 - i
			}
			a, b := line[max(k-1, 0)], line[min(k+1, n-1)]
			dx, dy := b.x-a.x, b.y-a.y
			l := math.Hypot(dx, dy)
			s := width / 2 / l
			if side == 1 {
				s = -s
			}
			outlinePts = append(outlinePts, point{line[k].x - dy*s, line[k].y + dx*s})
		}
	}
	c.fill(outlinePts, col)
}

// fill paints a polygon, anti-aliased. Only its bounding box is rasterized.
func (c *canvas) fill(poly []point, col color.RGBA) {
	lo, hi := poly[0], poly[0]
	for _, p := range poly {
		lo = point{min(lo.x, p.x), min(lo.y, p.y)}
		hi = point{max(hi.x, p.x), max(hi.y, p.y)}
	}
	x0, y0 := int(math.Floor(lo.x)), int(math.Floor(lo.y))
	w, h := int(math.Ceil(hi.x))-x0+1, int(math.Ceil(hi.y))-y0+1
	r := vector.NewRasterizer(w, h)
	for i, p := range poly {
		x, y := float32(p.x-float64(x0)), float32(p.y-float64(y0))
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	// Through a mask, because the rasterizer does not clip at the canvas.
	mask := image.NewAlpha(image.Rect(0, 0, w, h))
	r.Draw(mask, mask.Bounds(), image.Opaque, image.Point{})
	at := image.Rect(x0, y0, x0+w, y0+h)
	draw.DrawMask(c.RGBA, at, image.NewUniform(col), image.Point{}, mask, image.Point{}, draw.Over)
}

// faces keeps one face for each size: making one costs more than a line of text. Faces are not safe for concurrent use,
// so that a sheet is drawn under the lock (see Draw).
var faces struct {
	sync.Mutex
	fonts [2]*opentype.Font
	made  map[style]font.Face
}

func face(st style) font.Face {
	st.col = color.RGBA{}
	if f, ok := faces.made[st]; ok {
		return f
	}
	i, ttf := 0, goregular.TTF
	if st.bold {
		i, ttf = 1, gobold.TTF
	}
	if faces.fonts[i] == nil {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic("sheet: the built-in font: " + err.Error())
		}
		faces.fonts[i] = f
	}
	f, err := opentype.NewFace(faces.fonts[i], &opentype.FaceOptions{Size: st.size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("sheet: the built-in font: " + err.Error())
	}
	if faces.made == nil {
		faces.made = make(map[style]font.Face)
	}
	faces.made[st] = f
	return f
}
