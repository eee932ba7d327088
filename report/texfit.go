package report

import "strings"

// Widths of a column and of the page of a two-column paper, in points: the narrowest of the usual styles, which is article with
// twocolumn. It has 229.5 and 469, ICML 235 and 488, CVPR 237 and 497, IEEEtran 252 and 516.
const (
	texColumn = 229.0
	texPage   = 469.0
)

// texSize is a size of LaTeX's 10-point classes.
type texSize struct {
	name   string
	points float64
	wider  float64 // how much wider for their size Computer Modern's letters are than texEm says: the more, the smaller
}

var texSizes = []texSize{{"small", 9, 1}, {"footnotesize", 8, 1.02}, {"scriptsize", 7, 1.1}}

// texBold is how much wider bold digits are.
const texBold = 1.15

// texFit is how a table is set so that it fits.
type texFit struct {
	page   bool // takes both columns
	turned bool // heads stand upright
	shrink bool // nothing fits: it is scaled
	size   texSize
	sep    float64 // half of the room between columns, in points
}

// fit chooses the first of these that fits: a column, the page; within them heads that lie and larger letters first.
func (g *texTable) fit() texFit {
	for _, f := range texFits() {
		if g.width(f) <= f.limit() {
			return f
		}
	}
	return texFit{page: true, turned: true, shrink: true, size: texSizes[2], sep: 2.5}
}

func (f *texFit) limit() float64 {
	if f.page {
		return texPage
	}
	return texColumn
}

// texFits are the ways to set a table, the best first.
func texFits() (fits []texFit) {
	for _, page := range []bool{false, true} {
		for _, f := range []struct {
			size   int
			sep    float64
			turned bool
		}{{0, 5, false}, {1, 4, false}, {0, 4, true}, {1, 3, true}, {2, 3, false}, {2, 2.5, true}} {
			fits = append(fits, texFit{page: page, turned: f.turned, size: texSizes[f.size], sep: f.sep})
		}
	}
	return fits
}

// width estimates the width of the table in points.
func (g *texTable) width(f texFit) float64 {
	first := texEm(g.t.first())
	for _, r := range g.rows {
		_, seen := g.name(r)
		first = max(first, texEm(seen))
	}
	sum := first
	for _, c := range g.columns {
		w := 0.0
		if !f.turned {
			w = texEm(g.head(c))
		} else {
			w = 1.1
		}
		for _, r := range g.rows {
			_, seen := g.cell(r, c)
			em := texEm(seen)
			if g.best[[2]int{r, c}] {
				em *= texBold
			}
			w = max(w, em)
		}
		sum += w
	}
	return sum*f.size.wider*f.size.points + 2*f.sep*float64(len(g.columns))
}

const thinSpace = '\u2009'

// texEm estimates the width of text in em, as Times and Computer Modern at nine points have it.
func texEm(s string) (w float64) {
	for _, r := range s {
		switch {
		case r == '(' || r == ')':
			w += 0.4
		case strings.ContainsRune(".,:;'|![]ijlft ", r):
			w += 0.32
		case r >= 'A' && r <= 'Z' || strings.ContainsRune("mw%+−±", r):
			w += 0.78
		case texSigns[r] != "":
			w += 0.78
		case r == thinSpace:
			w += 0.17
		case r == '\u0304':
		default:
			w += 0.52
		}
	}
	return w
}

// texEscape makes text that LaTeX prints as it is; characters that the common fonts lack are written out.
func texEscape(s string) string {
	var b strings.Builder
	for _, r := range oneLine(s) {
		switch r {
		case '&', '%', '$', '#', '_', '{', '}':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\\':
			b.WriteString(`\textbackslash{}`)
		case '~':
			b.WriteString(`\textasciitilde{}`)
		case '^':
			b.WriteString(`\textasciicircum{}`)
		case '<':
			b.WriteString(`\textless{}`)
		case '>':
			b.WriteString(`\textgreater{}`)
		case '|':
			b.WriteString(`\textbar{}`)
		case '[', ']': // [ after \\ would be an argument
			b.WriteString("{" + string(r) + "}")
		case '−':
			b.WriteString(`\ensuremath{-}`)
		case '†':
			b.WriteString(`\textsuperscript{\dag}`)
		case '‡':
			b.WriteString(`\textsuperscript{\ddag}`)
		case '§':
			b.WriteString(`\textsuperscript{\S}`)
		case '¶':
			b.WriteString(`\textsuperscript{\P}`)
		case '‖':
			b.WriteString(`\textsuperscript{$\|$}`)
		case '◊':
			b.WriteString(`\textsuperscript{$\diamond$}`)
		case '△':
			b.WriteString(`\textsuperscript{$\triangle$}`)
		case '▽':
			b.WriteString(`\textsuperscript{$\nabla$}`)
		case '–':
			b.WriteString("--")
		case '\u0304': // the bar of C-bar, which stands after its letter
			text := b.String()
			b.Reset()
			b.WriteString(strings.TrimSuffix(text, "C") + `\ensuremath{\bar{\mathrm{C}}}`)
		default:
			if sign := texSigns[r]; sign != "" {
				b.WriteString(`\ensuremath{` + sign + `}`)
				continue
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
