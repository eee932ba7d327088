package corruption

import (
	"math"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/raster"
)

// Stay as the clean value of a parameter: without it there is no corruption whatever the parameter is, so that below the
// first row it stays as there.
func Stay() float64 { return math.NaN() }

// Never as the clean value of a parameter that a corruption vanishes with as it grows: its inverse falls to 0.
func Never() float64 { return math.Inf(1) }

// Between returns the parameters at a severity of 0 to the number of rows, as [Table.At] does at whole ones from 1 on.
// Between two rows every parameter is interpolated linearly, below the first from Clean to it; integers are then rounded,
// halves up.
func (t *Table) Between(published int, severity float64, side int) Row {
	lower := int(severity) // as many rows are not above the severity
	f := severity - float64(lower)
	if f == 0 && lower > 0 {
		return t.At(published, lower-1, side)
	}
	b := t.unrounded(published, lower, side)
	if lower == 0 {
		return t.rounded(t.fromClean(b, f))
	}
	a := t.unrounded(published, lower-1, side)
	for c := range t.Kinds {
		a[c] += float64(f * (b[c] - a[c]))
	}
	return t.rounded(a)
}

// Blends reports whether a severity between two whole ones is a mean of results and not one of parameters: that of tables
// with Blend, and where a Switch differs.
func (t *Table) Blends(published int, severity float64, side int) bool {
	lower := int(severity)
	switch {
	case severity == float64(lower):
		return false
	case t.Blend || lower == 0:
		return t.Blend
	}
	a, b := t.At(published, lower-1, side), t.At(published, lower, side)
	for c, k := range t.Kinds {
		if k == Switch && a[c] != b[c] {
			return true
		}
	}
	return false
}

// Mean makes dst the mean of the images a and b of one size, the share f of b, rounded to the nearest.
func Mean(dst, a, b *raster.Image, f float64) {
	g := int(math.Round(f * (1 << 16)))
	for i, v := range a.Pix {
		dst.Pix[i] = uint8((int(v)*(1<<16-g) + int(b.Pix[i])*g + 1<<15) >> 16)
	}
}

// fromClean returns the share f of the way from Clean to b.
func (t *Table) fromClean(b Row, f float64) Row {
	for c := range t.Kinds {
		switch clean := t.Clean[c]; {
		case math.IsNaN(clean):
		case math.IsInf(clean, 1):
			b[c] /= f
		default:
			b[c] = clean + float64(f*(b[c]-clean))
		}
	}
	return b
}

// Lerp returns the value at a severity of 0 to len(levels) between levels, which begin at severity 1; at 0 it is 0.
func Lerp(levels []float64, severity float64) float64 {
	lower := int(severity)
	a := 0.0
	if lower > 0 {
		a = levels[lower-1]
	}
	if f := severity - float64(lower); f > 0 {
		a += float64(f * (levels[lower] - a))
	}
	return a
}

// Rule says what a column is between rows, in words.
func (t *Table) Rule(c int) string {
	if t.Blend {
		return "mean of the results at both severities; at 0 the image"
	}
	rule := map[Kind]string{Level: "linear", Length: "linear", Count: "rounded", Steps: "rounded", Switch: "where it changes, mean of the results at both severities"}[t.Kinds[c]]
	first := slices.ContainsFunc(t.Sets[:], func(s Set) bool { return len(s) > 0 && s[0][c] != 0 })
	switch clean := t.Clean[c]; {
	case math.IsNaN(clean) && first:
		return rule + "; below 1 as at 1"
	case math.IsNaN(clean):
		return rule
	case math.IsInf(clean, 1):
		return rule + "; below 1 its inverse falls to 0"
	default:
		return rule + "; at 0 " + strconv.FormatFloat(clean, 'g', -1, 64)
	}
}
