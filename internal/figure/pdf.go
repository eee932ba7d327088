package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/augmix-go/augmix/internal/chart"
)

// pdfFile is a PDF of one page, as large as the figure. Text is text, in fonts of which the letters that occur are embedded,
// as conferences ask for.
type pdfFile struct {
	*fpdf.Fpdf
	x, y, size float64 // the corner; points of the page a point of the figure
	images     int
	widths     map[int]bool // of the images
}

// pdfDate stands for the time of writing, so that the same figure gives the same bytes.
var pdfDate = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func writePDF(w io.Writer, l chart.Layout, scale float64, title string) error {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: l.Width * scale, Ht: l.Height * scale}})
	f.SetMargins(0, 0, 0)
	f.SetAutoPageBreak(false, 0)
	f.SetCreationDate(pdfDate)
	f.SetModificationDate(pdfDate)
	f.SetCatalogSort(true)
	f.SetProducer("augmix", false)
	f.SetTitle(basic(title), true)
	f.AddUTF8FontFromBytes("go", "", goregular.TTF)
	f.AddUTF8FontFromBytes("go", "B", gobold.TTF)
	f.AddPage()
	f.SetLineJoinStyle("round")
	paintAll(&pdfFile{Fpdf: f, size: scale, widths: map[int]bool{}}, l)
	var out bytes.Buffer
	if err := f.Output(&out); err != nil {
		return fmt.Errorf("PDF: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// basic is text of the characters that a font of the PDF can have.
func basic(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xffff {
			return '\ufffd'
		}
		return r
	}, printable(s))
}

func (p *pdfFile) corner(x, y float64) { p.x, p.y = x, y }

func (p *pdfFile) at(x, y float64) (float64, float64) { return (p.x + x) * p.size, (p.y + y) * p.size }

func (p *pdfFile) trace(l look, runs [][]chart.Point, closed bool) {
	if l.fill.A > 0 {
		p.opacity(l.fill)
		p.SetFillColor(int(l.fill.R), int(l.fill.G), int(l.fill.B))
		p.path(runs, true)
		p.DrawPath("F")
	}
	if l.stroke.A > 0 {
		p.pen(&l)
		p.path(runs, closed)
		p.DrawPath("D")
	}
	p.SetAlpha(1, "Normal")
}

// pen sets color, width, dashes and ends of lines.
func (p *pdfFile) pen(l *look) {
	p.opacity(l.stroke)
	p.SetDrawColor(int(l.stroke.R), int(l.stroke.G), int(l.stroke.B))
	p.SetLineWidth(l.width * p.size)
	var dash []float64
	for _, d := range l.dash {
		dash = append(dash, d*p.size)
	}
	p.SetDashPattern(dash, 0)
	if l.round {
		p.SetLineCapStyle("round")
	} else {
		p.SetLineCapStyle("butt")
	}
}

func (p *pdfFile) opacity(c color.NRGBA) { p.SetAlpha(float64(c.A)/255, "Normal") }

func (p *pdfFile) path(runs [][]chart.Point, closed bool) {
	for _, run := range runs {
		for i, q := range run {
			if x, y := p.at(q.X, q.Y); i == 0 {
				p.MoveTo(x, y)
			} else {
				p.LineTo(x, y)
			}
		}
		if closed {
			p.ClosePath()
		}
	}
}

// Modes of text.
const (
	fillText   = 0
	strokeText = 1
	unseenText = 3
)

func (p *pdfFile) text(t chart.Text) {
	s := basic(t.S)
	if s == "" {
		return
	}
	l := textLook(&t)
	style := ""
	if l.bold {
		style = "B"
	}
	p.SetFont("go", style, 0)
	p.SetFontSize(l.size * p.size)
	x, y := p.at(t.X, t.Y)
	left := x - p.GetStringWidth(strings.ReplaceAll(s, string(macron), ""))*float64(t.Anchor)/2
	if t.Turn != 0 {
		p.TransformBegin()
		p.TransformRotate(-t.Turn, x, y) // there it is counterclockwise
		defer p.TransformEnd()
	}
	if l.stroke.A > 0 {
		p.pen(&l)
		p.SetTextRenderingMode(strokeText)
		p.line(left, y, s, strokeText)
		p.SetTextRenderingMode(fillText)
	}
	p.opacity(l.fill)
	p.SetTextColor(int(l.fill.R), int(l.fill.G), int(l.fill.B))
	p.SetFillColor(int(l.fill.R), int(l.fill.G), int(l.fill.B)) // of bars
	p.line(left, y, s, fillText)
}

// line writes text from left on, in a mode that is set. A macron, whose glyph the fonts lack, is drawn as a bar; it is there as text too,
// which is not seen, for those who search or copy it.
func (p *pdfFile) line(left, y float64, s string, mode int) {
	letter := 0.0 // width of the one before
	for i, piece := range strings.Split(s, string(macron)) {
		if i > 0 {
			p.SetTextRenderingMode(unseenText)
			p.Text(left, y, string(macron))
			p.SetTextRenderingMode(mode)
			p.overline(left-letter, left, y, mode)
		}
		if piece == "" {
			continue
		}
		p.Text(left, y, piece)
		left += p.GetStringWidth(piece)
		_, n := utf8.DecodeLastRuneInString(piece)
		letter = p.GetStringWidth(piece[len(piece)-n:])
	}
}

// overline draws the bar of a macron over what is written from left to right.
func (p *pdfFile) overline(left, right, y float64, mode int) {
	size, _ := p.GetFontSize()
	for i, q := range bar(left/size, right/size) {
		if i == 0 {
			p.MoveTo(q.X*size, y+q.Y*size)
		} else {
			p.LineTo(q.X*size, y+q.Y*size)
		}
	}
	p.ClosePath()
	if mode == strokeText {
		p.DrawPath("D")
	} else {
		p.DrawPath("F")
	}
}

// cells draws an image of a width of its own: fpdf writes images by their widths, and those of one width in the order of a map, which
// would give the same figure other bytes.
func (p *pdfFile) cells(c chart.Cells) {
	times := 1
	for p.widths[times*c.Image.Rect.Dx()] {
		times++
	}
	p.widths[times*c.Image.Rect.Dx()] = true
	var file bytes.Buffer
	if err := png.Encode(&file, repeated(c.Image, times)); err != nil {
		panic("figure: " + err.Error()) // into memory: no image that fits there is too large for PNG
	}
	p.images++
	name, opt := fmt.Sprint("cells ", p.images), fpdf.ImageOptions{ImageType: "png"}
	p.RegisterImageOptionsReader(name, opt, &file)
	x, y := p.at(c.X, c.Y)
	p.ImageOptions(name, x, y, c.Width*p.size, c.Height*p.size, false, opt, 0, "")
}

// repeated returns the image with every column so many times.
func repeated(m *image.Paletted, times int) *image.Paletted {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewPaletted(image.Rect(0, 0, times*w, h), m.Palette)
	for y := range h {
		for x := range times * w {
			out.Pix[y*out.Stride+x] = m.Pix[y*m.Stride+x/times]
		}
	}
	return out
}

func (p *pdfFile) scale(s chart.Scale) {
	x, y := p.at(s.X, s.Y)
	step := s.Width * p.size / rampStops
	for i := range rampStops {
		r1, g1, b1 := chart.Ramp(float64(i) / rampStops)
		r2, g2, b2 := chart.Ramp(float64(i+1) / rampStops)
		p.LinearGradient(x+step*float64(i), y, step, s.Height*p.size, int(r1), int(g1), int(b1), int(r2), int(g2), int(b2),
			0, 0, 1, 0)
	}
}
