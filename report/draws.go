package report

import (
	"context"
	"errors"
	"fmt"

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
}

// openRecords opens the records of the runs for their subjects.
func (b *builder) openRecords(ctx context.Context) error {
	b.draws = &draws{done: ctx.Err, replicates: b.opt.Replicates}
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
			q.recorded, q.draws = score.NewRecorded(f, q.Model, q.run.Limit), b.draws
		}
	}
	return nil
}

func (d *draws) close() {
	for _, f := range d.files {
		_ = f.Close() // nothing was written
	}
}

// interval gives a number that has none its bootstrap interval, if the run's records hold its parts.
func (d *draws) interval(r *score.Recorded, c results.Cell, n *Number) {
	if d.err != nil {
		return
	}
	if d.err = d.done(); d.err != nil {
		return
	}
	iv, err := r.Interval(c, n.Value, d.replicates)
	switch {
	case err == nil:
		n.Lo, n.Hi, n.Level = iv.Lo, iv.Hi, iv.Level
		n.drawn()
	case !errors.Is(err, score.ErrUnpaired) && !errors.Is(err, metrics.ErrUndefined):
		d.err = err
	}
}

// paired is the interval of a's number minus b's, from their records. The error wraps score.ErrUnpaired where there is no
// such thing.
func (d *draws) paired(a, b *Subject, c results.Cell) (metrics.Interval, error) {
	if a.recorded == nil || b.recorded == nil {
		return metrics.Interval{}, score.ErrUnpaired
	}
	if err := d.done(); err != nil {
		return metrics.Interval{}, err
	}
	if !sameOrder(a, b, c.Dataset) || c.Metric == results.RelativeMeanCE && !(a.cleanOrder(c.Dataset) && b.cleanOrder(c.Dataset)) {
		return metrics.Interval{}, score.ErrUnpaired
	}
	return score.Paired(a.recorded, b.recorded, c, d.replicates)
}
