package main

import (
	"fmt"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// sequences scores a -P folder.
func (s *scorer) sequences(m *scored, set *predictions.Set) error {
	names, kind, err := s.namesOf(m, set)
	if err != nil {
		return err
	}
	for i := range set.Parts {
		p := &set.Parts[i]
		if p.Name == "" {
			return fmt.Errorf("%w: %s: clean images are not part of layout p", predictions.ErrLayout, p.Path)
		}
		cell := &scoredCell{corruption: p.Name}
		t, err := s.read(&scoreJob{
			path: p.Path, options: predictions.Options{Kind: s.kind, Frames: s.Frames, Predicted: true},
			cells: []*scoredCell{cell}, perturb: p.Name,
		})
		if err != nil {
			return err
		}
		if i == 0 {
			m.told = t
		}
		if t.classes != m.classes {
			return fmt.Errorf("%w: %s has %d classes, the files before %d", metrics.ErrLength, p.Path, t.classes, m.classes)
		}
		cell.rows = int(cell.stability.N())
		m.cells = append(m.cells, cell)
	}
	if err := s.benchmark(m, names, kind); err != nil {
		return err
	}
	for _, q := range sequenceQuantities {
		if q.quantity == metrics.ZipfDistance && !s.Zipf || q.quantity == metrics.Top5Distance && m.classes < 5 {
			continue
		}
		if err := s.sequenceMeans(m, &q); err != nil {
			return err
		}
	}
	return nil
}

var sequenceQuantities = []sequenceQuantity{
	{
		metrics.FlipProbability, results.FlipProbability, results.FlipRate, results.MeanFlipRate,
		(*metrics.Stability).FlipProbability, func(v *metrics.Video) float64 { return v.Flip },
	},
	{
		metrics.Top5Distance, results.Top5Distance, results.Top5Rate, results.MeanTop5Rate,
		(*metrics.Stability).Top5Distance, func(v *metrics.Video) float64 { return v.Top5 },
	},
	{
		metrics.ZipfDistance, results.ZipfDistance, "", "",
		(*metrics.Stability).ZipfDistance, func(v *metrics.Video) float64 { return v.Zipf },
	},
}

// sequenceQuantity is one of the three numbers of sequences.
type sequenceQuantity struct {
	quantity         metrics.Quantity
	name, rate, mean string
	of               func(*metrics.Stability) (float64, error)
	video            func(*metrics.Video) float64
}

func (s *scorer) sequenceMeans(m *scored, q *sequenceQuantity) error {
	grid := metrics.NewSequenceGrid(m.profile, q.quantity, s.Difficulty)
	videos, same := m.cells[0].rows, true
	for _, c := range m.cells {
		same = same && c.rows == videos
	}
	images := metrics.NewImageGrid(m.profile, q.quantity, s.Difficulty, videos)
	w := &meanWriter{s: s, m: m, grid: grid, images: images, count: videos}
	if s.Bootstrap > 0 && !same {
		return fmt.Errorf("%w: perturbations of %d and other numbers of videos: no bootstrap of their mean",
			metrics.ErrLength, videos)
	}
	for _, c := range m.cells {
		v, err := q.of(c.stability)
		if err != nil {
			return fmt.Errorf("%s: %w", c.corruption, err)
		}
		if err := grid.Set(c.corruption, 1, v); err != nil {
			return err
		}
		if s.Bootstrap > 0 {
			each := make([]float64, len(c.videos))
			for i := range c.videos {
				each[i] = q.video(&c.videos[i])
			}
			if err := images.Set(c.corruption, 1, each); err != nil {
				return err
			}
		}
	}
	at := func(metric, name string) results.Row {
		return results.Row{Metric: metric, Corruption: name, Difficulty: s.Difficulty}
	}
	for _, c := range m.cells {
		w.count = c.rows
		if err := w.row(at(q.name, c.corruption), metrics.UCE(c.corruption), 1); err != nil {
			return err
		}
	}
	w.count = videos
	primary := len(m.profile.Primary())
	if err := w.row(at(q.name, ""), metrics.MeanAll(), primary); err != nil || q.rate == "" {
		return err
	}
	return s.rates(w, q, at, primary)
}

// rates takes what is divided by a baseline.
func (s *scorer) rates(
	w *meanWriter, q *sequenceQuantity, at func(metric, name string) results.Row, primary int,
) error {
	b, err := s.divisor(w, q.quantity, metrics.MeanRate)
	if err != nil || b == nil {
		return err
	}
	for _, c := range w.m.cells {
		if b.Values[c.corruption] == nil {
			continue
		}
		w.count = c.rows
		if err := w.row(at(q.rate, c.corruption), metrics.Rate(c.corruption, b), 1); err != nil {
			return err
		}
	}
	return w.row(at(q.mean, ""), metrics.MeanRate(b), primary)
}
