package metrics

import (
	"fmt"
	"math"
	"strings"
)

// Grid holds one number of one model for each corruption and severity of a benchmark (each perturbation, for
// sequences), and optionally the number on clean images. Rates are fractions.
type Grid struct {
	axes
	clean float64     // NaN until set
	cells [][]float64 // by corruption and severity-1; NaN until set
}

// NewGrid returns an empty grid of a benchmark of still images.
func NewGrid(p *Profile, q Quantity) *Grid { return newGrid(axes{profile: p, quantity: q}) }

// NewSequenceGrid returns an empty grid of a benchmark of sequences, at one difficulty (1 unless harder versions are
// measured).
func NewSequenceGrid(p *Profile, q Quantity, difficulty int) *Grid {
	return newGrid(axes{profile: p, quantity: q, difficulty: difficulty})
}

func newGrid(a axes) *Grid {
	g := &Grid{axes: a, clean: math.NaN(), cells: make([][]float64, len(a.profile.Corruptions))}
	for i := range g.cells {
		g.cells[i] = make([]float64, a.profile.Severities)
		for s := range g.cells[i] {
			g.cells[i][s] = math.NaN()
		}
	}
	return g
}

// SetClean sets the number on clean images.
func (g *Grid) SetClean(v float64) error {
	if !g.quantity.allows(v) {
		return fmt.Errorf("%w: clean %s %v (allowed: %s)", ErrScore, g.quantity, v, g.quantity.allowed())
	}
	if !math.IsNaN(g.clean) {
		return fmt.Errorf("%w: clean %s: %v and then %v", ErrDuplicate, g.quantity, g.clean, v)
	}
	g.clean = v
	return nil
}

// Set sets the number of a corruption at a severity from 1; for sequences the severity is 1. It returns an error that
// wraps [ErrName] for a name that is not in the benchmark, [ErrOption] for the severity, [ErrScore] for a number that
// the quantity cannot have (an error in percent, say) or [ErrDuplicate].
func (g *Grid) Set(corruption string, severity int, v float64) error {
	i, err := g.profile.index(corruption)
	if err != nil {
		return err
	}
	if err := g.checkSeverity(severity); err != nil {
		return err
	}
	if !g.quantity.allows(v) {
		return fmt.Errorf("%w: %s of %s, severity %d: %v (allowed: %s)", ErrScore, g.quantity, corruption, severity, v,
			g.quantity.allowed())
	}
	cell := &g.cells[i][severity-1]
	if !math.IsNaN(*cell) {
		return fmt.Errorf("%w: %s of %s, severity %d: %v and then %v", ErrDuplicate, g.quantity, corruption, severity,
			*cell, v)
	}
	*cell = v
	return nil
}

// Value returns an aggregate of the grid. Cells that it needs and that were never set are an error that wraps
// [ErrMissing] and lists them.
func (g *Grid) Value(a Aggregate) (float64, error) {
	terms, err := a.terms(&g.axes)
	if err != nil {
		return 0, err
	}
	var sum compensated
	var missing []string
	for _, t := range terms {
		v := g.at(t)
		if math.IsNaN(v) {
			missing = append(missing, g.cellName(t))
			continue
		}
		sum.add(t.coef * v)
	}
	if missing != nil {
		return 0, missingErr(a, missing)
	}
	return sum.value(), nil
}

func (g *Grid) at(t term) float64 {
	if t.severity == 0 {
		return g.clean
	}
	return g.cells[t.corruption][t.severity-1]
}

func (a *axes) cellName(t term) string {
	switch {
	case t.severity == 0:
		return "clean"
	case a.profile.Severities == 1:
		return a.profile.Corruptions[t.corruption].Name
	}
	return fmt.Sprintf("%s/%d", a.profile.Corruptions[t.corruption].Name, t.severity)
}

func missingErr(a Aggregate, cells []string) error {
	seen := map[string]bool{}
	var list []string
	for _, c := range cells {
		if !seen[c] {
			seen[c] = true
			list = append(list, c)
		}
	}
	more := ""
	if n := len(list); n > 8 {
		list, more = list[:8], fmt.Sprintf(" and %d more", n-8)
	}
	return fmt.Errorf("%w: %s needs %s%s", ErrMissing, a.Name, strings.Join(list, ", "), more)
}

// ImageGrid is a [Grid] with a number for each image (or video) in each cell, for the bootstrap: 0 or 1 for errors.
// All cells are of the same images in the same order, as in the published benchmarks, so that the bootstrap draws an
// image with all its corrupted versions.
type ImageGrid struct {
	axes
	n     int
	clean []float64
	cells [][][]float64
}

// NewImageGrid returns an empty grid for n images; difficulty is 0 for still images.
func NewImageGrid(p *Profile, q Quantity, difficulty, n int) *ImageGrid {
	g := &ImageGrid{axes: axes{p, q, difficulty}, n: n, cells: make([][][]float64, len(p.Corruptions))}
	for i := range g.cells {
		g.cells[i] = make([][]float64, p.Severities)
	}
	return g
}

// SetClean sets the numbers of the clean images. The slice is kept. It returns an error that wraps [ErrLength] unless
// there is one for each image, [ErrScore] for a number the quantity cannot have, or [ErrDuplicate].
func (g *ImageGrid) SetClean(v []float64) error { return g.set(&g.clean, "clean", v) }

// Set sets the numbers of a corruption at a severity. The slice is kept. Errors are those of [Grid.Set] and
// [ImageGrid.SetClean].
func (g *ImageGrid) Set(corruption string, severity int, v []float64) error {
	i, err := g.profile.index(corruption)
	if err != nil {
		return err
	}
	if err := g.checkSeverity(severity); err != nil {
		return err
	}
	return g.set(&g.cells[i][severity-1], fmt.Sprintf("%s, severity %d", corruption, severity), v)
}

func (g *ImageGrid) set(cell *[]float64, name string, v []float64) error {
	if len(v) != g.n {
		return fmt.Errorf("%w: %s: %d values for %d images", ErrLength, name, len(v), g.n)
	}
	if *cell != nil {
		return fmt.Errorf("%w: %s", ErrDuplicate, name)
	}
	for i, x := range v {
		if !g.quantity.allows(x) {
			return fmt.Errorf("%s: %w", name, rowErr(ErrScore, i, -1, x, g.quantity.allowed()))
		}
	}
	*cell = v
	return nil
}

// Statistic returns an aggregate as a statistic of the images: as every aggregate is linear, it is the mean over
// images of the aggregate of each image alone. Errors are those of [Grid.Value].
func (g *ImageGrid) Statistic(a Aggregate) (Statistic, error) {
	terms, err := a.terms(&g.axes)
	if err != nil {
		return nil, err
	}
	if g.n < 1 {
		return nil, emptyErr(a.Name)
	}
	sums := make([]float64, g.n)
	var missing []string
	for _, t := range terms {
		cell := g.clean
		if t.severity > 0 {
			cell = g.cells[t.corruption][t.severity-1]
		}
		if cell == nil {
			missing = append(missing, g.cellName(t))
			continue
		}
		for i, v := range cell {
			sums[i] += float64(t.coef * v)
		}
	}
	if missing != nil {
		return nil, missingErr(a, missing)
	}
	return meanStatistic(sums), nil
}
