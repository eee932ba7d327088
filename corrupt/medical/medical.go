// Package medical is the ten corruptions of MedMNIST-C that ImageNet-C does not have (Di Salvo, Doerrich and Ledig, "MedMNIST-C:
// Comprehensive benchmark and improved classifier robustness by simulating realistic image corruptions", 2024), each at five
// severities and any between them. Their parameters have no default: they come from profiles, which package corrupt/tables reads, among
// them the twelve published ones.
//
//	brightness_up, brightness_down   FACTOR   every value times it (Pillow's ImageEnhance.Brightness)
//	contrast_up, contrast_down       FACTOR   distance from the mean gray times it (ImageEnhance.Contrast)
//	gamma_corr_up, gamma_corr_down   GAMMA    floor(255.999 (v/255)^gamma) (torchvision's adjust_gamma)
//	stain_deposit                    MARKS SIZE          dark marks of ink
//	bubble                           RADIUS BUBBLES      white discs that let the image through
//	black_corner                     MULTIPLIER          black outside of a circle around the middle
//	characters                       WORDS LETTERS SCALE small words of random letters, each in a random color
//
// The first six are exact. The others are drawn by the published rules with random numbers, shapes and letters of our own: the
// published marks are photographs of ink and the letters a font of OpenCV. Lengths are in pixels of an image whose shorter side is 224,
// the size that was published, and scale with that side, which is ours.
package medical

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Values are the parameters of a corruption by name, one for each severity.
type Values map[string][]float64

// parameter is a column of a corruption's table.
type parameter struct {
	name   string
	kind   corruption.Kind
	clean  float64 // what leaves an image as it is
	lo, hi float64 // allowed
}

// row is a corruption.
type row struct {
	name   string
	params []parameter
	random bool // takes random numbers
	// run makes dst of src. Behind the parameters in v stands how far the severity is below 1, and 0 from there on.
	run func(dst, src *raster.Image, v corruption.Row, r *rng.Rand, s *corrupt.Scratch)
}

var (
	factor = []parameter{{"factor", corruption.Level, 1, 0, 10}}
	gamma  = []parameter{{"gamma", corruption.Level, 1, 0.01, 10}}
)

var rows = []row{
	{"brightness_up", factor, false, runBrightness},
	{"brightness_down", factor, false, runBrightness},
	{"contrast_up", factor, false, runContrast},
	{"contrast_down", factor, false, runContrast},
	{"gamma_corr_up", gamma, false, runGamma},
	{"gamma_corr_down", gamma, false, runGamma},
	{"stain_deposit", []parameter{{"marks", corruption.Count, 0, 0, 100}, {"size", corruption.Level, corruption.Stay(), 2, 100}}, true, runStains},
	{"bubble", []parameter{{"radius", corruption.Level, corruption.Stay(), leastRadius, 100}, {"bubbles", corruption.Count, 0, 0, 1000}}, true, runBubbles},
	// From 1.5 on the circle holds the corners of a square; runCorners sees to those of other images.
	{"black_corner", []parameter{{"multiplier", corruption.Level, cornerClean, 0, 10}}, false, runCorners},
	{"characters", []parameter{
		{"words", corruption.Count, 0, 0, 100}, {"letters", corruption.Count, corruption.Stay(), fewestLetters, mostLetters}, {"scale", corruption.Level, corruption.Stay(), 0.14, 2},
	}, true, runCharacters},
}

// Names returns the names of the corruptions.
func Names() []string {
	var names []string
	for i := range rows {
		names = append(names, rows[i].name)
	}
	return names
}

// Op is a corruption with its parameters.
type Op struct {
	row   *row
	table corruption.Table
}

var _ corrupt.Corruption = (*Op)(nil)

// New returns the corruption of that name with the given parameters, of which it needs all. The error wraps [corrupt.ErrTables] and names
// the corruption, the parameter and what is allowed.
func New(name string, values Values) (*Op, error) {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: corruption %.80q%s (allowed: %s)", corrupt.ErrTables, name, suggest.Hint(name, Names()), strings.Join(Names(), ", "))
	}
	c := &Op{row: &rows[i]}
	set := make(corruption.Set, corrupt.Severities)
	known := make([]string, 0, len(c.row.params))
	for k, p := range c.row.params {
		known = append(known, p.name)
		c.table.Kinds, c.table.Clean = append(c.table.Kinds, p.kind), append(c.table.Clean, p.clean)
		list := values[p.name]
		if len(list) != corrupt.Severities {
			return nil, fmt.Errorf("%w: %s: %s: %d values (allowed: %d, one for each severity)", corrupt.ErrTables, name, p.name, len(list), corrupt.Severities)
		}
		for i, v := range list {
			if whole := p.kind == corruption.Count; !(v >= p.lo && v <= p.hi) || whole && v != math.Trunc(v) {
				kind := ""
				if whole {
					kind = "whole numbers, "
				}
				return nil, fmt.Errorf("%w: %s: %s: %v at severity %d (allowed: %s%v to %v)", corrupt.ErrTables, name, p.name, v, i+1,
					kind, p.lo, p.hi)
			}
			set[i][k] = v
		}
	}
	for p := range values {
		if !slices.Contains(known, p) {
			return nil, fmt.Errorf("%w: %s: parameter %.80q%s (allowed: %s)", corrupt.ErrTables, name, p, suggest.Hint(p, known), strings.Join(known, ", "))
		}
	}
	c.table.Sets = [4]corruption.Set{set, set, set, set}
	return c, nil
}

// Name implements [corrupt.Corruption].
func (c *Op) Name() string { return c.row.name }

// Random reports whether the corruption takes random numbers; the others ignore their stream.
func (c *Op) Random() bool { return c.row.random }

// MinSide implements [corrupt.Corruption].
func (c *Op) MinSide() int { return 1 }

// String returns the parameters, by which what was made with others is told apart.
func (c *Op) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", c.row.name)
	for k, p := range c.row.params {
		fmt.Fprintf(&b, " %s", p.name)
		for _, row := range c.table.Sets[0] {
			fmt.Fprintf(&b, " %v", row[k])
		}
	}
	return b.String()
}

// Apply implements [corrupt.Corruption].
func (c *Op) Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *corrupt.Scratch) error {
	if err := corruption.CheckSeverity(c.row.name, severity); err != nil {
		return err
	}
	if severity == 0 {
		corruption.Copy("medical", dst, src)
		return nil
	}
	corruption.Prepare("medical", dst, src)
	v := c.table.Between(corruption.Sides[0], severity, 0)
	v[len(c.row.params)] = max(1-severity, 0)
	c.row.run(dst, src, v, r, s)
	return nil
}

// unit is the length of a published pixel.
func unit(m *raster.Image) float64 { return float64(min(m.W, m.H)) / 224 }

// upTo draws a whole number from lo to hi, hi where that is less than lo.
func upTo(r *rng.Rand, lo, hi int) int {
	if hi < lo {
		return hi
	}
	return lo + r.IntN(hi-lo+1)
}

func runBrightness(dst, src *raster.Image, v corruption.Row, _ *rng.Rand, _ *corrupt.Scratch) {
	augment.Brightness(dst, src, v[0])
}

func runContrast(dst, src *raster.Image, v corruption.Row, _ *rng.Rand, _ *corrupt.Scratch) {
	augment.Contrast(dst, src, v[0])
}

func runGamma(dst, src *raster.Image, v corruption.Row, _ *rng.Rand, _ *corrupt.Scratch) {
	var levels [256]uint8
	for i := range levels {
		levels[i] = uint8(255.999 * detmath.Pow(float64(i)/255, v[0]))
	}
	for i, p := range src.Pix {
		if dst.Pix[i] = levels[p]; i%4 == 3 {
			dst.Pix[i] = 255
		}
	}
}

// cornerClean is the multiplier from which on a circle holds the corners of a square.
const cornerClean = 1.5

// runCorners keeps the pixels whose distance from the middle, (W/2, H/2) in whole pixels, is at most MULTIPLIER times half the shorter
// side, rounded down. Below severity 1 the circle grows toward one that holds the corners, however long the image is.
func runCorners(dst, src *raster.Image, v corruption.Row, _ *rng.Rand, _ *corrupt.Scratch) {
	cx, cy := src.W/2, src.H/2
	half := float64(min(cx, cy, src.W-cx, src.H-cy))
	corner := float64(1.01*math.Sqrt(float64(cx*cx+cy*cy))) + 1 // a little more than that far, and rounded down
	lacking := max(corner-float64(cornerClean*half), 0)         // 0 in a square that is not tiny
	radius := int(float64(half*v[0]) + float64(v[1]*lacking))
	copy(dst.Pix, src.Pix)
	for y := range src.H {
		for x := range src.W {
			if (x-cx)*(x-cx)+(y-cy)*(y-cy) > radius*radius {
				dst.Set(x, y, raster.RGB{})
			}
		}
	}
}
