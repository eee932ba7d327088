package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/results"
)

// AllForms is what [Evaluator.Report] is told that [Evaluator.Together] measures.
const AllForms = "all forms"

// Together says what is measured in one pass over the clean set.
type Together struct {
	Open    func() (data.Source, error)
	Prepare Prepare // of Clean; suites whose plan prepares images otherwise are left out
	Clean   bool
	// Suites whose forms lie on disk are left out.
	Corruptions   []*CorruptionSuite
	Perturbations []*PerturbationSuite
	// Journal is a file that keeps the answers so far, so that an evaluation of the same Data that ends early resumes at the batch; empty:
	// none.
	Journal string
}

// Together measures what a [Remote] is to be measured on in one pass: each image is read and decoded once for all its forms, which are
// made by batches of as many images as the model takes at once. Clean, Corruptions and Perturbations take it from there. What
// Known has completely is left out. With another Predictor it does nothing.
func (e *Evaluator) Together(ctx context.Context, t *Together) (err error) {
	to, ok := e.Predictor.(Remote)
	if !ok || e.TenCrop || e.Preprocess != nil {
		return nil
	}
	e.together = map[measurement]*tally{}
	defer func() {
		if err != nil {
			for _, k := range e.together {
				k.save.abort()
			}
			e.together = nil
		}
	}()
	list, err := e.courses(t)
	if err != nil || len(list) == 0 {
		return err
	}
	if t.Journal != "" && e.Data != "" {
		var j *journal
		if j, err = openJournal(t.Journal, e.resume(list)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, j.f.Close()) }()
		for _, c := range list {
			c.journal = j
		}
	}
	for _, c := range list {
		if v := c.tally.videos; v != nil {
			v.ended = c.sequence
		}
	}
	src, err := t.Open()
	if err != nil {
		return err
	}
	p := &pass{e: e, list: list, away: &away{to: to, pass: true}, src: data.Limit(src, e.Limit), prepare: t.Prepare}
	return errors.Join(p.run(ctx), src.Close())
}

// tallied returns what Together measured for a row, nil where it did not, and forgets it.
func (e *Evaluator) tallied(base results.Row, severities []float64) (*tally, error) {
	if e.together == nil {
		return nil, nil
	}
	id, err := measurementOf(base, severities, e.LogitsDir != "")
	k := e.together[id]
	delete(e.together, id)
	return k, err
}

// pass is a Together at work.
type pass struct {
	e       *Evaluator
	list    []*course
	away    *away
	src     data.Source
	prepare Prepare
}

// run goes through the source, a block of images after the other, each through all courses.
func (p *pass) run(ctx context.Context) error {
	n, total := max(p.e.Predictor.MaxBatch(), 1), p.src.Info().Len
	report := p.e.reporter(AllForms)
	for first := 0; ; first += n {
		b, err := p.read(ctx, first, n)
		if err == io.EOF {
			return p.away.drain()
		}
		if err != nil {
			return err
		}
		for _, c := range p.list {
			if err := p.unit(ctx, c, b); err != nil {
				return err
			}
		}
		if report != nil {
			report(min(first+n, max(total, 0)), total)
		}
	}
}

// unit makes a form of the images of a block, but for what has an answer, and gives it to the model.
func (p *pass) unit(ctx context.Context, c *course, b *block) error {
	from := max(slices.Min(c.done)-b.first, 0)
	if from >= len(b.samples) {
		return nil
	}
	had := slices.Clone(c.done) // and what is on its way is of earlier blocks
	s := p.e.stream(c.deliver)
	s.away, s.answered = p.away, c.answered
	s.shown(c.form, c.severities)
	s.wanted = func(t *part) bool { return t.row >= had[t.variant] }
	j := job{
		source: data.Slice(b, from, len(b.samples)), expander: c.expander, jpeg: c.jpeg, seed: c.seed, workers: p.e.Workers,
		first: b.first + from,
	}
	_, err := j.run(ctx, s)
	if err != nil && c.form.Corruption != "" {
		err = fmt.Errorf("%s: %w", c.form.Corruption, err)
	}
	return err
}
