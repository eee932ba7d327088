package report

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// draws says how intervals are drawn from records.
type draws struct {
	replicates int
	done       func() error // not nil once the work should end
	err        error        // the first of interval's, which has nobody to give it to
	files      []*records.File
	subjects   []*Subject
	intervals  map[results.Cell]map[*Subject]score.Drawn
	alone      map[results.Cell]bool // those of the subjects that are no means are drawn
	pairs      map[results.Cell]*score.Pairs
}

// openRecords opens the records of the runs for their subjects.
func (b *builder) openRecords(ctx context.Context) error {
	b.draws = &draws{
		done: ctx.Err, replicates: b.opt.Replicates, subjects: b.subjects,
		intervals: map[results.Cell]map[*Subject]score.Drawn{}, alone: map[results.Cell]bool{}, pairs: map[results.Cell]*score.Pairs{},
	}
	files := map[*Run]*records.File{}
	for _, r := range b.runs {
		if r.Records == "" || files[r] != nil {
			continue
		}
		f, err := records.Open(r.Records)
		if err != nil {
			b.draws.close()
			return fmt.Errorf("%s: %w", r.Records, err)
		}
		files[r] = f
		b.draws.files = append(b.draws.files, f)
	}
	for _, q := range b.subjects {
		if f := files[q.run]; f != nil {
			q.recorded, q.draws = score.NewRecorded(f, q.Model, q.run.view()), b.draws
		}
	}
	return nil
}

func (d *draws) close() {
	for _, f := range d.files {
		_ = f.Close() // nothing was written
	}
}

// interval gives a subject's number that has none its bootstrap interval, if the run's records hold its parts. Those of
// all subjects are drawn together, the first time that one is asked for.
func (d *draws) interval(s *Subject, c results.Cell, n *Number) {
	if d.err != nil {
		return
	}
	all := d.intervals[c]
	if all == nil {
		all = map[*Subject]score.Drawn{}
		d.intervals[c] = all
	}
	if _, drawn := all[s]; len(s.members) > 0 && !drawn || len(s.members) == 0 && !d.alone[c] {
		if d.err = d.done(); d.err != nil {
			return
		}
		if len(s.members) > 0 {
			all[s] = score.MeanInterval(recordedOf(s.members), n.Value, c, d.replicates)
		} else {
			d.alone[c] = true
			d.drawAll(c, all)
		}
	}
	x, ok := all[s]
	switch {
	case !ok:
	case x.Err == nil:
		n.Lo, n.Hi, n.Level = x.Interval.Lo, x.Interval.Hi, x.Interval.Level
		n.drawn()
	case !errors.Is(x.Err, score.ErrUnpaired) && !errors.Is(x.Err, metrics.ErrUndefined):
		d.err = x.Err
	}
}

// drawAll draws the intervals of all numbers of a cell that have none.
func (d *draws) drawAll(c results.Cell, out map[*Subject]score.Drawn) {
	var subjects []*Subject
	var models []*score.Recorded
	var values []float64
	for _, s := range d.subjects {
		if n := s.get(c); s.recorded != nil && n.Has() && n.Level == 0 {
			subjects, models, values = append(subjects, s), append(models, s.recorded), append(values, n.Value)
		}
	}
	for i, x := range score.Intervals(models, values, c, d.replicates) {
		out[subjects[i]] = x
	}
}

func recordedOf(subjects []*Subject) []*score.Recorded {
	out := make([]*score.Recorded, len(subjects))
	for i, s := range subjects {
		out[i] = s.recorded
	}
	return out
}

// paired is the interval of the mean number of subjects a minus that of b, from their records. The error wraps
// score.ErrUnpaired where there is no such thing.
func (d *draws) paired(a, b []*Subject, c results.Cell) (metrics.Interval, error) {
	for _, s := range slices.Concat(a, b) {
		if s.recorded == nil || !s.ordered(c) || !sameOrder(s, b[0], c.Dataset) {
			return metrics.Interval{}, score.ErrUnpaired
		}
	}
	pairs, ok := d.pairs[c]
	if !ok {
		if err := d.done(); err != nil {
			return metrics.Interval{}, err
		}
		pairs = score.NewPairs(recordedOf(d.subjects), c, d.replicates)
		d.pairs[c] = pairs
	}
	return pairs.Minus(d.places(a), d.places(b))
}

// places are those of subjects among those that have records.
func (d *draws) places(some []*Subject) []int {
	out := make([]int, len(some))
	for i, s := range some {
		out[i] = slices.Index(d.subjects, s)
	}
	return out
}
