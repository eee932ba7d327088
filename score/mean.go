package score

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// meanOf is what a number is the mean of.
type meanOf struct {
	cell     results.Cell
	profile  *metrics.Profile
	quantity metrics.Quantity // metrics.Other for what no grid holds
	part     string           // metric of the parts
	agg      metrics.Aggregate
	names    []string // corruptions or perturbations
	from, to int      // severities
	baseline *metrics.Baseline
	relative bool // to the clean error
}

// quantities of the metrics that a grid holds, and of those that divide them by a baseline.
var quantities = map[string]metrics.Quantity{
	results.Top1Error: metrics.ErrorRate, results.FlipProbability: metrics.FlipProbability,
	results.Top5Distance: metrics.Top5Distance, results.ZipfDistance: metrics.ZipfDistance,
}

// normalized are the metrics that divide by a baseline, and what they divide.
var normalized = map[string]string{
	results.CE: results.Top1Error, results.RelativeCE: results.Top1Error, results.MeanCE: results.Top1Error,
	results.RelativeMeanCE: results.Top1Error, results.FlipRate: results.FlipProbability,
	results.MeanFlipRate: results.FlipProbability, results.Top5Rate: results.Top5Distance,
	results.MeanTop5Rate: results.Top5Distance,
}

// meanOf returns what the number of a cell is the mean of. The error wraps metrics.ErrNotComputable for a number that is
// the mean of nothing.
func (b *Book) meanOf(c results.Cell) (*meanOf, error) {
	none := fmt.Errorf("%w: %s is no mean there", metrics.ErrNotComputable, c.MetricName(c.Metric))
	p := b.profile(c.Dataset)
	if p == nil || c.OOD != "" || c.Attack != "" || c.Bins > 0 || c.Against != "" {
		return nil, none
	}
	m := &meanOf{cell: c, profile: p, part: c.Metric, from: 1, to: p.Severities}
	if part := normalized[c.Metric]; part != "" {
		m.part = part
		return m, b.normalize(m, none)
	}
	m.quantity = metrics.Other
	if q := quantities[c.Metric]; q != "" {
		m.quantity = q
	}
	still := p.Kind == metrics.CorruptionKind
	switch {
	case c.Corruption != "" && (!still || c.Severity > 0 || c.Group != ""), c.Severity > 0 && c.Group != "":
		return nil, none
	case c.Corruption != "":
		m.names, m.agg = []string{c.Corruption}, metrics.UCE(c.Corruption)
	case c.Group != "":
		m.names, m.agg = p.Members(metrics.Group(c.Group)), metrics.GroupMean(metrics.Group(c.Group))
	case c.Severity > 0 && !isWhole(c.Severity): // between the published ones nothing is averaged
		return nil, none
	case c.Severity > 0:
		m.names, m.agg = p.Primary(), metrics.SeverityMean(int(c.Severity))
		m.from, m.to = int(c.Severity), int(c.Severity)
	default:
		m.names, m.agg = p.Primary(), metrics.MeanAll()
	}
	if len(m.names) == 0 {
		return nil, none
	}
	return m, nil
}

// normalize completes a mean that divides by a baseline.
func (b *Book) normalize(m *meanOf, none error) error {
	c := &m.cell
	single := c.Metric == results.CE || c.Metric == results.RelativeCE || c.Metric == results.FlipRate ||
		c.Metric == results.Top5Rate
	if c.Severity != 0 || c.Group != "" || single != (c.Corruption != "") {
		return none
	}
	m.quantity = quantities[m.part]
	if m.baseline = b.baseline(m.quantity); m.baseline == nil {
		return none
	}
	if c.Among > 0 && whose(m.baseline) == "" {
		return fmt.Errorf("%w: AlexNet's errors are among all classes, these among %d", metrics.ErrNotComputable, c.Among)
	}
	m.names = m.profile.Primary()
	if single {
		m.names = []string{c.Corruption}
	}
	switch c.Metric {
	case results.CE:
		m.agg = metrics.CE(c.Corruption, m.baseline)
	case results.RelativeCE:
		m.agg, m.relative = metrics.RelativeCE(c.Corruption, m.baseline), true
	case results.MeanCE:
		m.agg = metrics.MeanCE(m.baseline)
	case results.RelativeMeanCE:
		m.agg, m.relative = metrics.RelativeMeanCE(m.baseline), true
	case results.FlipRate, results.Top5Rate:
		m.agg = metrics.Rate(c.Corruption, m.baseline)
	default:
		m.agg = metrics.MeanRate(m.baseline)
	}
	return nil
}

// isWhole reports whether a severity is one of the published ones, 1 to 5, or none.
func isWhole(severity float64) bool { return severity == math.Trunc(severity) }

// at returns the cell of a part: a corruption at a severity, or a perturbation.
func (m *meanOf) at(name string, severity int) results.Cell {
	c := m.cell
	c.Metric, c.Corruption, c.Severity, c.Group = m.part, name, float64(severity), ""
	if m.profile.Kind == metrics.PerturbationKind {
		c.Severity = 0
	}
	return Place(c)
}

// parts returns the cells that the mean is over.
func (m *meanOf) parts() []results.Cell {
	var out []results.Cell
	for _, name := range m.names {
		for s := m.from; s <= m.to; s++ {
			out = append(out, m.at(name, s))
		}
	}
	return out
}

// grid returns an empty grid for the parts, nil where none holds them.
func (m *meanOf) grid() *metrics.Grid {
	switch {
	case m.quantity == metrics.Other:
		return nil
	case m.profile.Kind == metrics.PerturbationKind:
		return metrics.NewSequenceGrid(m.profile, m.quantity, max(m.cell.Difficulty, 1))
	}
	return metrics.NewGrid(m.profile, m.quantity)
}

// unit names what a mean is over.
func (m *meanOf) unit() string {
	switch {
	case m.profile.Kind == metrics.PerturbationKind:
		return "perturbations"
	case m.cell.Corruption != "":
		return "severities"
	}
	return "corruptions"
}

// note says how a number was computed.
func (m *meanOf) note() string {
	if m.baseline != nil {
		if own := whose(m.baseline); own != "" {
			return "computed from the rows and those of " + own
		}
		return "computed from the rows and AlexNet's published figures"
	}
	n := len(m.names)
	if m.cell.Corruption != "" {
		n = m.to - m.from + 1
	}
	return fmt.Sprintf("computed: mean of the rows of %d %s", n, m.unit())
}
