package main

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// anomalies takes the detection metrics of every anomalous set and their means.
func (s *scorer) anomalies(m *scored, ordinary *scoredCell, j *scoreJob) error {
	type mean struct {
		sum  float64
		n    int
		rows int64
	}
	means := map[string]*mean{}
	var order []string
	views := map[string]bool{}
	for _, path := range s.Ood {
		cell := &scoredCell{}
		o := scoreJob{
			path: path, options: predictions.Options{Kind: m.kind}, cells: []*scoredCell{cell}, anomaly: true, unknown: true,
		}
		t, err := s.read(&o)
		if err != nil {
			return err
		}
		if t.classes != m.classes || t.kind != m.kind {
			return fmt.Errorf("%w: %s has %s of %d classes, %s has %s of %d", metrics.ErrLength, path, t.kind, t.classes,
				j.path, m.kind, m.classes)
		}
		base := s.base(m, ordinary)
		base.View, base.N = modelName(path), int64(t.rows+ordinary.rows)
		if views[base.View] {
			return usagef("--ood: two sets called %s", base.View)
		}
		views[base.View] = true
		for i, score := range metrics.AnomalyScores() {
			if len(cell.anomaly[i]) == 0 {
				continue
			}
			var d metrics.Detection
			if err := errors.Join(d.AddAll(cell.anomaly[i], true), d.AddAll(ordinary.anomaly[i], false)); err != nil {
				return err
			}
			suffix := ""
			if score != metrics.MSP {
				suffix = "_" + string(score)
			}
			for _, x := range detectionScalars {
				v, err := x.of(&d)
				name := x.name + suffix
				if err := m.add(base, name, v, err); err != nil {
					return err
				}
				if s.Bootstrap > 0 {
					stat, err := d.Statistic(x.metric)
					if err := s.interval(m, stat, err); err != nil {
						return err
					}
				}
				if means[name] == nil {
					means[name] = &mean{}
					order = append(order, name)
				}
				means[name].sum += v
				means[name].n++
				means[name].rows += base.N
			}
		}
	}
	if len(s.Ood) > 0 && m.kind == predictions.Probs {
		m.note("max_logit, energy and xent_uniform need logits; these are probabilities")
	}
	for _, name := range order {
		base := s.base(m, ordinary)
		x := means[name]
		base.N = x.rows
		if err := m.add(base, name, x.sum/float64(x.n), nil); err != nil {
			return err
		}
	}
	return nil
}

var detectionScalars = []struct {
	name   string
	metric metrics.DetectionMetric
	of     func(d *metrics.Detection) (float64, error)
}{
	{results.AUROC, metrics.AUROC, (*metrics.Detection).AUROC},
	{results.AUPR, metrics.AveragePrecision, (*metrics.Detection).AveragePrecision},
	{results.FPR95, metrics.FPR95Nearest, func(d *metrics.Detection) (float64, error) {
		return d.FPR(metrics.DefaultRecall, metrics.Nearest)
	}},
}
