package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// difference is a metric of one model minus that of another.
type difference struct {
	model, other string
	row          results.Row
}

// compare takes the differences of two models that were scored on the same images.
func (s *scorer) compare(m, other *scored) ([]difference, error) {
	if err := sameImages(m, other); err != nil {
		return nil, err
	}
	var out []difference
	for _, x := range m.statistics {
		i := slices.IndexFunc(other.statistics, func(y namedStatistic) bool {
			return results.ByCell(&y.row) == results.ByCell(&x.row)
		})
		if i < 0 {
			continue
		}
		iv, err := metrics.BootstrapDifference(x.stat, other.statistics[i].stat, s.bootstrap(&x.row))
		if errors.Is(err, metrics.ErrUndefined) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("difference of %s: %w", x.row.Metric, err)
		}
		r := x.row
		r.Metric += "_difference"
		r.View = strings.TrimPrefix(r.View+"; minus "+other.model, "; ")
		r.Value, r.Seed = iv.Estimate, &s.Seed
		r.Interval = &results.Interval{Lo: iv.Lo, Hi: iv.Hi, Level: iv.Level}
		out = append(out, difference{m.model, other.model, r})
	}
	return out, s.agreement(m, other)
}

// sameImages refuses models whose rows are not of the same images, as far as that can be seen.
func sameImages(m, other *scored) error {
	name := func(c *scoredCell) string {
		if c.corruption == "" {
			return "clean images"
		}
		return fmt.Sprintf("%s, severity %d", c.corruption, c.severity)
	}
	if m.model == other.model {
		return usagef("--compare: both models are called %s; --model names PRED", m.model)
	}
	if len(m.cells) != len(other.cells) {
		return fmt.Errorf("%w: %s has %d parts, %s has %d", metrics.ErrLength, m.path, len(m.cells), other.path,
			len(other.cells))
	}
	for i, c := range m.cells {
		o := other.cells[i]
		if c.corruption != o.corruption || c.severity != o.severity || c.rows != o.rows {
			return fmt.Errorf("%w: %s has %d rows of %s, %s has %d of %s", metrics.ErrLength, m.path, c.rows, name(c),
				other.path, o.rows, name(o))
		}
		if len(c.ids) > 0 && len(o.ids) > 0 && !slices.Equal(c.ids, o.ids) {
			return fmt.Errorf("%w: %s and %s have other ids of %s, or in another order", metrics.ErrLabel, m.path, other.path,
				name(c))
		}
		if !slices.Equal(c.truth, o.truth) {
			return fmt.Errorf("%w: %s and %s have other labels of %s", metrics.ErrLabel, m.path, other.path, name(c))
		}
	}
	return nil
}

// agreement adds a row of how often two models predict the same, for every cell.
func (s *scorer) agreement(m, other *scored) error {
	for i, c := range m.cells {
		if len(c.pred) == 0 || m.classes != other.classes {
			continue
		}
		g, err := metrics.NewAgreement(m.classes)
		if err != nil {
			return err
		}
		for k := range c.pred {
			if err := g.Add(k, int(c.truth[k]), int(c.pred[k]), int(other.cells[i].pred[k])); err != nil {
				return err
			}
		}
		v, err := g.Rate()
		base := s.base(m, c)
		base.View = other.model
		if err := m.add(base, results.Agreement, v, err); err != nil {
			return err
		}
	}
	return nil
}
