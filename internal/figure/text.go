package figure

import (
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/augmix-go/augmix/internal/chart"
)

var (
	regular = sync.OnceValue(func() *sfnt.Font { return parse(goregular.TTF) })
	bold    = sync.OnceValue(func() *sfnt.Font { return parse(gobold.TTF) })
)

func parse(ttf []byte) *sfnt.Font {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic("figure: the built-in font: " + err.Error())
	}
	return f
}

// text implements surface: text is outlines, its stroke below it.
func (c *canvas) text(t chart.Text) {
	l := textLook(&t)
	f := regular()
	if l.bold {
		f = bold()
	}
	outlines, width := c.outlines(f, t.S)
	left := 0.0
	switch t.Anchor {
	case chart.Middle:
		left = -width / 2
	case chart.End:
		left = -width
	}
	sin, cos := math.Sincos(t.Turn * math.Pi / 180)
	for _, run := range outlines {
		for i, p := range run {
			x, y := (p.X+left)*l.size, p.Y*l.size
			run[i] = chart.Point{X: t.X + cos*x - sin*y, Y: t.Y + sin*x + cos*y}
		}
	}
	c.stroke(l, outlines, true)
	c.fill(l.fill, outlines)
}

// macron is the combining character of C-bar, which the fonts do not have: a bar over the letter before it.
const macron = '\u0304'

// bar is a macron over the letter that lies between two places, as high as capitals need it. A font's own is about as thick.
func bar(from, to float64) []chart.Point {
	const low, high, inset = 0.80, 0.86, 0.06 // of the size, above the line
	from, to = from+inset, to-inset
	return []chart.Point{{X: from, Y: -low}, {X: to, Y: -low}, {X: to, Y: -high}, {X: from, Y: -high}}
}

// Lacking returns the texts of a figure with characters that the built-in fonts do not have, each once: files in PDF and PNG have
// boxes there.
func Lacking(f chart.Figure) (texts []string) {
	var glyphs sfnt.Buffer
	for _, p := range f.Alone(true).Parts {
		for _, s := range p.Drawing.Shapes {
			t, ok := s.(chart.Text)
			if ok && !slices.Contains(texts, t.S) && strings.ContainsFunc(t.S, func(r rune) bool {
				glyph, err := regular().GlyphIndex(&glyphs, r)
				return r != macron && (err != nil || glyph == 0)
			}) {
				texts = append(texts, t.S)
			}
		}
	}
	return texts
}

// outlines returns the outlines of a line of text from the origin to the right, and its width, for a size of 1. What the
// font does not have is the box that it has for that.
func (c *canvas) outlines(f *sfnt.Font, s string) (runs [][]chart.Point, width float64) {
	units := f.UnitsPerEm()
	em := fixed.I(int(units))
	at := func(p fixed.Point26_6) chart.Point {
		return chart.Point{X: width + float64(p.X)/float64(em), Y: float64(p.Y) / float64(em)}
	}
	last := 0.0 // where the letter before begins
	for _, r := range s {
		if r == macron {
			runs = append(runs, bar(last, width))
			continue
		}
		last = width
		glyph, err := f.GlyphIndex(&c.glyphs, r)
		if err != nil {
			continue // only a broken font
		}
		segments, err := f.LoadGlyph(&c.glyphs, glyph, em, nil)
		if err != nil {
			continue
		}
		for _, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				runs = append(runs, []chart.Point{at(s.Args[0])})
			case sfnt.SegmentOpLineTo:
				runs[len(runs)-1] = append(runs[len(runs)-1], at(s.Args[0]))
			case sfnt.SegmentOpQuadTo: // the fonts are TrueType: nothing else is curved
				runs[len(runs)-1] = bend(runs[len(runs)-1], at(s.Args[0]), at(s.Args[1]))
			}
		}
		if advance, err := f.GlyphAdvance(&c.glyphs, glyph, em, font.HintingNone); err == nil {
			width += float64(advance) / float64(em)
		}
	}
	return runs, width
}

// bend adds a quadratic curve to a run.
func bend(run []chart.Point, control, end chart.Point) []chart.Point {
	const n = 6
	start := run[len(run)-1]
	for i := 1; i <= n; i++ {
		t := float64(i) / n
		a, b, c := (1-t)*(1-t), 2*t*(1-t), t*t
		run = append(run, chart.Point{X: a*start.X + b*control.X + c*end.X, Y: a*start.Y + b*control.Y + c*end.Y})
	}
	return run
}
