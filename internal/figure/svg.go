package figure

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"image/color"
	"image/png"
	"io"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/chart"
)

// svgFile is an SVG file. Unlike the svg elements of a page its shapes have their colors as attributes, which every
// program reads, and it needs no style sheet.
type svgFile struct {
	strings.Builder
	x, y  float64
	ramps int
}

func writeSVG(w io.Writer, l chart.Layout, scale float64, title string) error {
	b := &svgFile{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%spt" height="%spt" viewBox="0 0 %s %s" `+
		`font-family="Helvetica, Arial, 'Liberation Sans', sans-serif"><title>%s</title>`+"\n",
		num(l.Width*scale), num(l.Height*scale), num(l.Width), num(l.Height), html.EscapeString(printable(title)))
	fmt.Fprintf(b, `<rect width="%s" height="%s" fill="#fff"/>`+"\n", num(l.Width), num(l.Height))
	paintAll(b, l)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// num prints a coordinate with at most two decimals.
func num(v float64) string {
	s := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// paint is an attribute of a color.
func paintAttr(name string, c color.NRGBA) string {
	if c.A == 0 {
		return fmt.Sprintf(` %s="none"`, name)
	}
	s := fmt.Sprintf(` %s="#%02x%02x%02x"`, name, c.R, c.G, c.B)
	if c.A < 255 {
		s += fmt.Sprintf(` %s-opacity="%s"`, name, num(float64(c.A)/255))
	}
	return s
}

// attributes are those of a look.
func (l *look) attributes() string {
	s := paintAttr("fill", l.fill)
	if l.stroke.A == 0 {
		return s
	}
	s += paintAttr("stroke", l.stroke) + fmt.Sprintf(` stroke-width="%s" stroke-linejoin="round"`, num(l.width))
	if len(l.dash) > 0 {
		var d []string
		for _, v := range l.dash {
			d = append(d, num(v))
		}
		s += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(d, " "))
	}
	if l.round {
		s += ` stroke-linecap="round"`
	}
	return s
}

func (b *svgFile) corner(x, y float64) { b.x, b.y = x, y }

func (b *svgFile) trace(l look, runs [][]chart.Point, closed bool) {
	b.WriteString(`<path d="`)
	for _, run := range runs {
		for i, p := range run {
			to := "L"
			if i == 0 {
				to = "M"
			}
			b.WriteString(to + num(b.x+p.X) + " " + num(b.y+p.Y))
		}
		if closed {
			b.WriteByte('Z')
		}
	}
	fmt.Fprintf(b, `"%s/>`+"\n", l.attributes())
}

func (b *svgFile) text(t chart.Text) {
	l := textLook(&t)
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s" text-anchor="%s"`, num(b.x+t.X), num(b.y+t.Y), num(l.size),
		[]string{chart.Start: "start", chart.Middle: "middle", chart.End: "end"}[t.Anchor])
	if l.bold {
		b.WriteString(` font-weight="bold"`)
	}
	if t.Turn != 0 {
		fmt.Fprintf(b, ` transform="rotate(%s %s %s)"`, num(t.Turn), num(b.x+t.X), num(b.y+t.Y))
	}
	if l.stroke.A > 0 {
		b.WriteString(` paint-order="stroke"`)
	}
	fmt.Fprintf(b, `%s>%s</text>`+"\n", l.attributes(), html.EscapeString(printable(t.S)))
}

func (b *svgFile) cells(c chart.Cells) {
	var file bytes.Buffer
	if err := png.Encode(&file, c.Image); err != nil {
		panic("figure: " + err.Error()) // into memory: no image that fits there is too large for PNG
	}
	fmt.Fprintf(b, `<image href="data:image/png;base64,%s" x="%s" y="%s" width="%s" height="%s" `+
		`preserveAspectRatio="none" style="image-rendering:pixelated"/>`+"\n",
		base64.StdEncoding.EncodeToString(file.Bytes()), num(b.x+c.X), num(b.y+c.Y), num(c.Width), num(c.Height))
}

// rampStops are those of a scale of colors, which is straight in between.
const rampStops = 8

func (b *svgFile) scale(s chart.Scale) {
	b.ramps++
	fmt.Fprintf(b, `<linearGradient id="ramp%d">`, b.ramps)
	for i := range rampStops + 1 {
		t := float64(i) / rampStops
		red, green, blue := chart.Ramp(t)
		fmt.Fprintf(b, `<stop offset="%s" stop-color="#%02x%02x%02x"/>`, num(t), red, green, blue)
	}
	fmt.Fprintf(b, `</linearGradient><rect fill="url(#ramp%d)" x="%s" y="%s" width="%s" height="%s"/>`+"\n", b.ramps,
		num(b.x+s.X), num(b.y+s.Y), num(s.Width), num(s.Height))
}

// printable drops characters that XML does not allow and marks that turn text around.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r < 0x20 || r == 0x7f || r == 0xfffe || r == 0xffff, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
