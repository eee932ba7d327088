package chart

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"strconv"
	"strings"
)

// svg writes an svg element.
type svg struct {
	strings.Builder
	id string
}

// svg returns the drawing as an svg element whose ids begin with id.
func (d *Drawing) svg(id string) string {
	b := &svg{id: id}
	fmt.Fprintf(b, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" `+
		`role="img" aria-labelledby="%s--t %s--d"><title id="%s--t">%s</title><desc id="%s--d">%s</desc>`,
		num(d.Width), num(d.Height), num(d.Width), num(d.Height), id, id, id, esc(d.Title), id, esc(d.Desc))
	for _, s := range d.Shapes {
		s.svg(b)
	}
	b.WriteString("</svg>")
	return b.String()
}

// String returns the class attribute.
func (c Class) String() string {
	s := c.Name
	switch c.Name {
	case "l", "m", "b", "e":
		s += fmt.Sprintf(" c%d", c.Color%Colors)
	}
	if c.Published {
		s += " pub"
	}
	return s
}

// num prints a coordinate: at most two decimals, the same on every machine.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func esc(s string) string { return html.EscapeString(clean(s)) }

// clean drops characters that XML does not allow and marks that would turn text around.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < 0x20 || r == 0x7f || r == 0xfffe || r == 0xffff:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// title writes the title of a shape, if it has one.
func (b *svg) title(s string) {
	if s != "" {
		fmt.Fprintf(b, "<title>%s</title>", esc(s))
	}
}

// of writes what a mark is of.
func (b *svg) of(s string) {
	if s != "" {
		fmt.Fprintf(b, ` data-of="%s"`, esc(s))
	}
}

// end ends an element, after its title.
func (b *svg) end(name, title string) {
	if title == "" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">")
	b.title(title)
	b.WriteString("</" + name + ">")
}

func (l Line) svg(b *svg) {
	fmt.Fprintf(b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"`, l.Class, num(l.X1), num(l.Y1), num(l.X2), num(l.Y2))
	b.end("line", l.Title)
}

func (p Path) svg(b *svg) {
	fmt.Fprintf(b, `<path class="%s" d="`, p.Class)
	for _, run := range p.Runs {
		b.through(run)
	}
	if p.Closed {
		b.WriteString("z")
	}
	b.WriteString(`"/>`)
}

func (b *svg) through(run []Point) {
	for i, at := range run {
		to := "L"
		if i == 0 {
			to = "M"
		}
		b.WriteString(to + num(at.X) + " " + num(at.Y))
	}
}

func (r Rect) svg(b *svg) {
	look := fmt.Sprintf(`class="%s"`, r.Class)
	if r.Class.Name == "" {
		look = fmt.Sprintf(`fill="%s"`, hex(r.Fill))
	}
	fmt.Fprintf(b, `<rect %s x="%s" y="%s" width="%s" height="%s"`, look, num(r.X), num(r.Y), num(r.Width), num(r.Height))
	b.of(r.Of)
	b.end("rect", r.Title)
}

func (m Mark) svg(b *svg) {
	fmt.Fprintf(b, `<path class="%s" d="`, m.Class)
	var run []Point
	for _, c := range Corners(m.Class.Color) {
		run = append(run, Point{m.X + m.R*c.X, m.Y + m.R*c.Y})
	}
	if run == nil {
		r, d := num(m.R), num(2*m.R)
		fmt.Fprintf(b, "M%s %sa%s %s 0 1 0 %s 0a%s %s 0 1 0 -%s 0", num(m.X-m.R), num(m.Y), r, r, d, r, r, d)
	}
	b.through(run)
	b.WriteString(`z"`)
	b.of(m.Of)
	b.end("path", m.Title)
}

func (t Text) svg(b *svg) {
	look := fmt.Sprintf(`class="%s"`, t.Class)
	if t.Class.Name == "" {
		look = fmt.Sprintf(`style="fill:%s;font-size:11px"`, hex(t.Fill))
	}
	fmt.Fprintf(b, `<text %s x="%s" y="%s" text-anchor="%s"`, look, num(t.X), num(t.Y),
		[]string{Start: "start", Middle: "middle", End: "end"}[t.Anchor])
	if t.Turn != 0 {
		fmt.Fprintf(b, ` transform="rotate(%s %s %s)"`, num(t.Turn), num(t.X), num(t.Y))
	}
	b.WriteString(">")
	b.title(t.Title)
	b.WriteString(esc(t.S) + "</text>")
}

func (c Cells) svg(b *svg) {
	var file bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&file, c.Image); err != nil {
		panic("chart: " + err.Error()) // into memory: no image that fits there is too large for PNG
	}
	fmt.Fprintf(b, `<image class="cells" href="data:image/png;base64,%s" x="%s" y="%s" width="%s" height="%s" `+
		`preserveAspectRatio="none"/>`, base64.StdEncoding.EncodeToString(file.Bytes()), num(c.X), num(c.Y), num(c.Width),
		num(c.Height))
}

func (s Scale) svg(b *svg) {
	const stops = 8 // those of the ramp, which is straight in between
	fmt.Fprintf(b, `<linearGradient id="%s--g">`, b.id)
	for i := range stops + 1 {
		t := float64(i) / stops
		fmt.Fprintf(b, `<stop offset="%s" stop-color="%s"/>`, num(100*t)+"%", hex(rampColor(t)))
	}
	fmt.Fprintf(b, `</linearGradient><rect fill="url(#%s--g)" x="%s" y="%s" width="%s" height="%s"/>`, b.id, num(s.X),
		num(s.Y), num(s.Width), num(s.Height))
}
