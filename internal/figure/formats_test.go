package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

func written(t *testing.T, f chart.Figure, format Format, opt Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// every is a chart of every kind, and several together.
func every() []chart.Figure {
	several := &chart.Panels{Title: "several", Heads: true, Charts: []chart.Figure{rows(chart.Bars), rows(chart.Points)}}
	wide := measures()
	return append(append(kinds(), wide[0], wide[2]), several, half(4), &chart.Panels{Charts: []chart.Figure{half(4), half(3)}})
}

// TestFormats: every kind of chart is written in every format, twice the same, with text as text.
func TestFormats(t *testing.T) {
	for i, f := range every() {
		title, _ := f.Head()
		for _, format := range []Format{PDF, SVG} {
			for _, opt := range []Options{{Title: true}, {Width: 240}} {
				name := fmt.Sprintf("%d %s.%s %+v", i, title, format, opt)
				file := written(t, f, format, opt)
				if opt.Title && !bytes.Equal(file, written(t, f, format, opt)) {
					t.Errorf("%s: two files differ", name)
				}
				if dir := os.Getenv("AUGMIX_SAMPLE"); dir != "" {
					if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "-")), file, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if format == PDF {
					checkPDF(t, name, file)
				} else {
					checkSVG(t, name, file, title, opt.Title)
				}
			}
		}
	}
}

// checkPDF checks the frame of a PDF: its version, that every object lies where the table of objects says, and that no font
// is used that it does not hold.
func checkPDF(t *testing.T, name string, file []byte) {
	t.Helper()
	if !bytes.HasPrefix(file, []byte("%PDF-1.")) || !bytes.HasSuffix(file, []byte("%%EOF\n")) {
		t.Errorf("%s: no PDF", name)
	}
	start := regexp.MustCompile(`startxref\n(\d+)\n`).FindSubmatch(file)
	at, err := strconv.Atoi(string(start[1]))
	if err != nil || !bytes.HasPrefix(file[at:], []byte("xref\n")) {
		t.Fatalf("%s: the table is not at %s", name, start[1])
	}
	for i, m := range regexp.MustCompile(`(?m)^(\d{10}) 00000 n`).FindAllSubmatch(file[at:], -1) {
		offset, err := strconv.Atoi(string(m[1]))
		if err != nil || !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj", i+1)) {
			t.Errorf("%s: object %d is not at %d", name, i+1, offset)
		}
	}
	if bytes.Contains(file, []byte("/Type1")) || bytes.Contains(file, []byte("/Type3")) {
		t.Errorf("%s: a font is not embedded", name)
	}
}

func checkSVG(t *testing.T, name string, file []byte, title string, titled bool) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(file))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if bytes.Contains(file, []byte("var(")) || bytes.Contains(file, []byte("class=")) {
		t.Errorf("%s: it needs a style sheet", name)
	}
	if got := strings.Contains(string(file), ">"+title+"</text>"); title != "" && got != titled && title != "several" {
		t.Errorf("%s: the title is printed: %v", name, got)
	}
}

// TestWidth: a figure for a column of a paper is as wide as that, with text that can be read.
func TestWidth(t *testing.T) {
	wide := &chart.Plot{Title: "wide", Kind: chart.Bars, Width: 960}
	for i := range 15 {
		wide.X.Categories = append(wide.X.Categories, fmt.Sprint("corruption ", i))
	}
	for i := range 3 {
		s := chart.Series{Name: fmt.Sprint("model ", i), Color: i}
		for range wide.X.Categories {
			s.Y = append(s.Y, 0.3)
		}
		wide.Series = append(wide.Series, s)
	}
	two := &chart.Panels{Title: "two", Charts: []chart.Figure{wide, wide}}
	for _, f := range []chart.Figure{wide, two, rows(chart.Bars), half(4)} {
		for _, width := range []float64{240, 500} {
			svg := string(written(t, f, SVG, Options{Width: width}))
			m := regexp.MustCompile(`width="([\d.]+)pt" height="[\d.]+pt" viewBox="0 0 ([\d.]+) `).FindStringSubmatch(svg)
			w, box := number(t, m[1]), number(t, m[2])
			if w > width+0.1 {
				t.Errorf("%v points wide, want %v", w, width)
			}
			if scale := w / box; scale < 0.65 {
				t.Errorf("at %v points text is scaled by %.2f", width, scale)
			}
		}
	}
	plain := string(written(t, rows(chart.Bars), SVG, Options{}))
	if !strings.Contains(plain, `font-size="12"`) {
		t.Error("no text of 12 points")
	}
}

// TestFormatErrors: errors are the writer's.
func TestFormatErrors(t *testing.T) {
	for _, format := range []Format{PDF, SVG} {
		if err := Write(full{}, &chart.Plot{}, format, Options{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", format, err)
		}
	}
	for _, s := range []string{"a<b>&\"c'", "mean −3.5 → 2", "C\u0304 error", "\U0001f600 \x00\x1b[31m\u202e", "日本語"} {
		f := &chart.Plot{Title: s, Series: []chart.Series{{Name: s, Y: []float64{1}}, {Name: s + "2", Y: []float64{2}}}}
		checkPDF(t, s, written(t, f, PDF, Options{Title: true}))
		checkSVG(t, s, written(t, f, SVG, Options{}), "", false)
	}
}
