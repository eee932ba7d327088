package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// approximate names, among a row's versions, by how much its value may differ from that of augmix score.
const approximate = "approximate"

// number is a value of a cell; its bound is 0 for the value that augmix score has, bit for bit.
type number struct {
	metric string
	skip   bool // without the last adaptive bin
	estimate
}

// rows makes the rows of all cells, in the order of augmix score, and of the means over them.
func (s *scoring) rows(all map[int]*cellSums) ([]results.Row, error) {
	var rows []results.Row
	var first *cellSums
	for _, f := range s.Files {
		for i, severity := range f.Severities {
			c := all[f.First+i]
			if c == nil {
				return nil, fmt.Errorf("%s, severity %d: no rows came", &f.Part, severity)
			}
			if first == nil {
				first = c
			}
			if c.Rows != first.Rows || c.Labels != first.Labels {
				return nil, fmt.Errorf("%s, severity %d: %d images with labels that are not those of the %d of %s: all parts of a benchmark are of the same images in the same order",
					&f.Part, severity, c.Rows, first.Rows, &s.Files[0].Part)
			}
			base := results.Row{
				Model: s.Model, Dataset: s.Dataset, Corruption: f.Part.Name, Severity: float64(severity), N: int64(c.Rows), Versions: s.Versions, Time: s.Time, Origin: results.Measured,
			}
			if f.Part.Name == "" {
				base.Dataset = results.Base(s.Dataset)
			}
			rows = append(rows, s.cell(c, base)...)
		}
	}
	means, _, err := s.means(rows)
	return append(rows, means...), err
}

// cell makes the rows of a cell.
func (s *scoring) cell(c *cellSums, base results.Row) (rows []results.Row) {
	binned := score.Metrics{Adaptive: metrics.Adaptive{Size: s.Size}, Bins: s.Bins}
	for _, n := range s.numbers(c) {
		r := base
		r.Metric, r.SkipLast, r.Value, r.Versions = n.metric, n.skip, n.Value, maps.Clone(r.Versions)
		if bins := binned.BinsOf(n.metric); bins != "" {
			r.Versions[results.VersionBins] = bins
		}
		if n.Bound > 0 {
			r.Versions[approximate] = withinText(n.Bound)
		}
		rows = append(rows, r)
	}
	if base.Corruption != "" {
		return rows
	}
	return append(rows, results.ReliabilityRows(base, c.diagram())...)
}

// within begins the text of a bound.
const within = "within "

// withinText says a bound in three digits, not rounded down.
func withinText(bound float64) string {
	return within + strconv.FormatFloat(1.005*bound, 'g', 3, 64)
}

// numbers are the metrics of a cell in the order of augmix score, which has smooth_ece too.
func (s *scoring) numbers(c *cellSums) []number {
	exact := func(metric string, v float64) number { return number{metric, false, estimate{v, 0}} }
	mean := func(m *metrics.Mean) float64 {
		if v, err := m.Value(); err == nil {
			return v
		}
		return math.NaN()
	}
	list := []number{exact(results.Top1Error, c.beyond(1))}
	if len(c.Ranks) > 5 {
		list = append(list, exact(results.Top5Error, c.beyond(5)))
	}
	nll := mean(&c.NLL)
	if c.Infinite > 0 {
		nll = math.NaN()
	}
	list = append(list, exact(results.NLL, nll), exact(results.Brier, mean(&c.Brier)))
	brier := mean(&c.BrierOf)
	if c.Rows >= uint64(s.Size) {
		a := c.Sketch.calibration(uint64(s.Size), false)
		list = append(list, number{results.RMSCalibration, false, a.RMS}, number{results.MADCalibration, false, a.MAD})
		if s.Published {
			less := c.Sketch.calibration(uint64(s.Size), true)
			list = append(list, number{results.RMSCalibration, true, less.RMS}, number{results.MADCalibration, true, less.MAD})
		}
		// Brier is RMS² and refinement.
		list = append(list, number{results.BrierRefinement, false, estimate{
			max(brier-a.RMS.Value*a.RMS.Value, 0), a.RMS.Bound*(2*a.RMS.Value+a.RMS.Bound) + rounding,
		}})
	}
	ece, most := c.width()
	aurc := c.Sketch.area()
	wrong := c.Wrong.N()
	excess := estimate{max(aurc.Value-best(c.Rows, wrong), 0), aurc.Bound + rounding}
	return append(
		list, exact(results.ECE, ece), exact(results.MaxCalibration, most), number{results.BrierBinary, false, estimate{brier, rounding}},
		number{results.AURRA, false, estimate{1 - aurc.Value, aurc.Bound + rounding}}, number{results.SoftF1, false, estimate{c.softF1(), rounding}},
		number{results.AURC, false, aurc}, number{results.ExcessAURC, false, excess},
	)
}

// beyond is the top-k error.
func (c *cellSums) beyond(k int) float64 {
	var wrong uint64
	for _, n := range c.Ranks[min(k, len(c.Ranks)):] {
		wrong += n
	}
	return float64(wrong) / float64(c.Rows)
}

// diagram is the bins of equal width.
func (c *cellSums) diagram() (bins []results.ReliabilityBin) {
	for i := range c.Confidence {
		m := &c.Confidence[i]
		b := results.ReliabilityBin{N: int64(m.N()), Confidence: math.NaN(), Accuracy: math.NaN()}
		if v, err := m.Value(); err == nil {
			b.Confidence, b.Accuracy = v, float64(c.Correct[i])/float64(b.N)
		}
		bins = append(bins, b)
	}
	return bins
}

// width is ECE and the largest gap of the bins of equal width, as in metrics.EqualWidth.
func (c *cellSums) width() (ece, most float64) {
	for _, b := range c.diagram() {
		if b.N > 0 {
			gap := math.Abs(b.Confidence - b.Accuracy)
			ece += float64(float64(b.N) * gap)
			most = max(most, gap)
		}
	}
	return ece / float64(c.Rows), most
}

// softF1 is that of metrics.Calibration, from sums: TP is the sum of 1-confidence of wrong rows, FP of right ones, FN of confidence of
// wrong rows.
func (c *cellSums) softF1() float64 {
	of := func(m *metrics.Mean) (sum, rest float64) {
		v, err := m.Value()
		if err != nil {
			return 0, 0
		}
		n := float64(m.N())
		return v * n, (1 - v) * n
	}
	fn, tp := of(&c.Wrong)
	_, fp := of(&c.Right)
	return 2 * tp / (2*tp + fp + fn)
}

// means are the rows of the means over the cells' rows. A mean of approximate numbers is as far off as the mean of their bounds.
func (s *scoring) means(cells []results.Row) (rows []results.Row, notes []string, err error) {
	profile, err := s.profile()
	if err != nil || profile == nil {
		return nil, nil, err
	}
	if rows, notes, err = s.meansOf(profile, cells); err != nil {
		return nil, nil, err
	}
	off := slices.Clone(cells)
	for i := range off {
		if bound := off[i].Versions[approximate]; bound != "" {
			if off[i].Value, err = strconv.ParseFloat(strings.TrimPrefix(bound, within), 64); err != nil {
				return nil, nil, err
			}
		}
	}
	bounds, _, err := s.meansOf(profile, off)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		if slices.ContainsFunc(cells, func(c results.Row) bool {
			return c.Metric == rows[i].Metric && c.SkipLast == rows[i].SkipLast && c.Versions[approximate] != ""
		}) {
			rows[i].Versions = maps.Clone(rows[i].Versions)
			rows[i].Versions[approximate] = withinText(bounds[i].Value)
		}
	}
	return rows, notes, nil
}

// meansOf are the means alone, as score.Cells makes them.
func (s *scoring) meansOf(profile *metrics.Profile, cells []results.Row) (rows []results.Row, notes []string, err error) {
	baseline, err := s.baseline()
	if err != nil {
		return nil, nil, err
	}
	book := &score.Book{Profile: func(string) *metrics.Profile { return profile }}
	book.Add(cells...)
	base := results.Row{Model: s.Model, Dataset: s.Dataset, Versions: s.Versions, Time: s.Time, Origin: results.Measured}
	names := s.names()
	for _, c := range profile.Corruptions {
		if !slices.Contains(names, c.Name) {
			continue
		}
		some, err := book.Means(base, c.Name)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, some...)
	}
	some, notes, err := book.BenchmarkMeans(base, baseline)
	if errors.Is(err, metrics.ErrNotComputable) {
		err = fmt.Errorf("%w: %w", errUsage, err)
	}
	return append(rows, some...), notes, err
}
