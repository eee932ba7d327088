package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
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

// course is one measurement of a pass.
type course struct {
	form       Form
	severities []int // nil for clean images and sequences
	expander   func() transform.MultiTransform
	jpeg       data.Encoding
	seed       uint64

	id      measurement
	tally   *tally
	journal *journal
	keeps   bool  // logits in the journal
	done    []int // by variant: images or sequences that have an answer

	variant int // of the batch at hand
	answers []answer
	logits  []float32
}

// deliver scores an image.
func (c *course) deliver(t *part, logits []float32) error {
	if c.tally.videos != nil {
		return c.tally.add(t, logits)
	}
	o, err := outcome(t, logits)
	if err != nil {
		return err
	}
	c.variant = t.variant
	c.keep(answerOf(&o), logits)
	return c.tally.count(t.variant, &o, logits)
}

// sequence notes what the last sequence contributed.
func (c *course) sequence(label int, logits []float32) error {
	cell := c.tally.cells[0]
	v := cell.Video(cell.N() - 1)
	c.keep(answer{Label: int32(label), Conf: v.Flip, NLL: v.Top5, Brier: v.Zipf}, logits)
	return nil
}

func (c *course) keep(a answer, logits []float32) {
	c.answers = append(c.answers, a)
	if c.keeps {
		c.logits = append(c.logits, logits...)
	}
}

// answered writes down the answers to a batch, which is the last one of a block or not.
func (c *course) answered(last bool) error {
	if v := c.tally.videos; v != nil && last {
		if err := v.end(); err != nil {
			return err
		}
	}
	if len(c.answers) == 0 {
		return nil
	}
	done := &c.done[c.variant]
	err := c.journal.add(head{ID: c.id, Variant: uint32(c.variant), First: uint32(*done)}, c.answers, c.logits)
	*done += len(c.answers)
	c.answers, c.logits = c.answers[:0], c.logits[:0]
	return err
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
func (e *Evaluator) tallied(base results.Row) (*tally, error) {
	if e.together == nil {
		return nil, nil
	}
	id, err := measurementOf(base, e.LogitsDir != "")
	k := e.together[id]
	delete(e.together, id)
	return k, err
}

// candidate is a measurement that may be known already.
type candidate struct {
	base  func() (results.Row, error)
	known func(results.Row) []results.Row
	tally func(results.Row) (*tally, error)
	course
}

// candidates are the measurements in the order of the suites.
func (e *Evaluator) candidates(t *Together) (list []candidate) {
	if t.Clean {
		list = append(list, candidate{
			func() (results.Row, error) { return e.cleanBase(t.Prepare) }, e.knownClean,
			func(base results.Row) (*tally, error) { return e.tally(base, nil) },
			course{form: Form{Suite: suiteClean}, expander: Prepare{}.expander},
		})
	}
	for _, c := range t.Corruptions {
		if c.Dir != "" || !t.Prepare.is(c.Plan.Size, c.Plan.Crop, c.Plan.Filter) {
			continue
		}
		for _, name := range c.Names {
			plan := c.planOf(name)
			plan.Size, plan.Crop = 0, 0
			list = append(list, candidate{
				func() (results.Row, error) { return e.corruptionBase(c, name) },
				func(base results.Row) []results.Row { return e.knownCorruption(c, base) },
				func(base results.Row) (*tally, error) { return e.tally(base, c.severities()) },
				course{form: c.form(name), severities: c.severities(), expander: plan.Transform, jpeg: c.JPEG, seed: c.Seed},
			})
		}
	}
	for _, p := range t.Perturbations {
		if p.Dir != "" || !t.Prepare.is(p.Plan.Size, p.Plan.Crop, p.Plan.Filter) {
			continue
		}
		for _, name := range p.Names {
			plan := p.planOf(name)
			plan.Size, plan.Crop = 0, 0
			list = append(list, candidate{
				func() (results.Row, error) { return e.perturbationBase(p, name) },
				func(base results.Row) []results.Row { return e.knownPerturbation(p, base) },
				func(base results.Row) (*tally, error) { return e.tallySequences(base, p.file(name)) },
				course{form: p.form(name), expander: plan.Transform, seed: p.Seed},
			})
		}
	}
	return list
}

// is reports whether images are prepared by that resize and crop.
func (p Prepare) is(size, crop int, filter augment.Filter) bool {
	return p.Size == size && p.Crop == crop && (p.Filter == filter || size == 0)
}

// courses are the measurements that are to be made, each with a tally.
func (e *Evaluator) courses(t *Together) (list []*course, err error) {
	candidates := e.candidates(t)
	for i := range candidates {
		m := &candidates[i]
		base, err := m.base()
		if err != nil {
			return nil, err
		}
		if m.known(base) != nil {
			continue
		}
		c := &m.course
		if c.id, err = measurementOf(base, e.LogitsDir != ""); err != nil {
			return nil, err
		}
		if c.tally, err = m.tally(base); err != nil {
			return nil, err
		}
		e.together[c.id] = c.tally
		c.done = make([]int, len(c.tally.cells))
		c.keeps = e.LogitsDir != ""
		list = append(list, c)
	}
	return list, nil
}

// resume takes what a journal has of the courses.
func (e *Evaluator) resume(list []*course) func(h *head, answers []answer, logits []float32) (bool, error) {
	byID := map[measurement]*course{}
	for _, c := range list {
		byID[c.id] = c
	}
	return func(h *head, answers []answer, logits []float32) (bool, error) {
		c := byID[h.ID]
		if c == nil { // measured by now, or asked for no more
			return true, nil
		}
		if int(h.Variant) >= len(c.done) || int(h.First) != c.done[h.Variant] || (h.Logits > 0) != c.keeps {
			return false, nil
		}
		for i := range answers {
			if c.tally.videos == nil && !answers[i].sane(e.Predictor.Classes()) {
				return false, nil
			}
		}
		for i := range answers {
			err := c.again(int(h.Variant), &answers[i], logits[i*int(h.Logits):][:h.Logits])
			if err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

// again takes an answer of an earlier run.
func (c *course) again(variant int, a *answer, logits []float32) error {
	row := c.done[variant]
	c.done[variant]++
	if c.tally.videos == nil {
		return c.tally.count(variant, a.outcome(row), logits)
	}
	c.tally.cells[0].AddKnown(metrics.Video{Flip: a.Conf, Top5: a.NLL, Zipf: a.Brier})
	return c.tally.videos.saveRow(int(a.Label), logits)
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

// block is some of the clean images in a row, decoded and prepared, as a source.
type block struct {
	info    data.Info
	first   int // row of the first
	samples []data.Sample
	cursor  data.Cursor
}

// read reads the block of n images from row first; io.EOF says that there are none. What has all its answers is passed over.
func (p *pass) read(ctx context.Context, first, n int) (*block, error) {
	done := math.MaxInt
	for _, c := range p.list {
		done = min(done, slices.Min(c.done))
	}
	b := &block{info: p.src.Info(), first: first}
	part := data.Limit(p.src, n)
	if all, ok := p.src.(data.Indexed); ok {
		if first >= all.Len() {
			return nil, io.EOF
		}
		part = data.Slice(all, first, min(first+n, all.Len()))
	}
	if first+n <= done {
		return b, b.skip(part)
	}
	_, err := generate.Run(ctx, generate.Job{
		Source: part, Workers: p.e.Workers,
		Task: generate.Variants{
			Transform: p.prepare.expander,
			Open:      func([]byte) (generate.PartSink, error) { return b, nil },
		},
	})
	switch {
	case errors.Is(err, generate.ErrEmpty) && first == 0:
		return nil, ErrNothing
	case errors.Is(err, generate.ErrEmpty):
		return nil, io.EOF
	}
	return b, err
}

// skip reads a part of a source and leaves the block empty.
func (b *block) skip(part data.Source) error {
	if _, ok := part.(data.Indexed); ok {
		return nil
	}
	var s data.Sample
	for n := 0; ; n++ {
		if err := part.Next(&s); err != nil {
			if err == io.EOF && n > 0 {
				err = nil
			}
			return err
		}
	}
}

// AppendPart implements [generate.PartSink].
func (b *block) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	for i := 0; i < len(m.Pix); i += 4 {
		dst = append(dst, m.Pix[i], m.Pix[i+1], m.Pix[i+2])
	}
	return dst, nil
}

// PutParts implements [generate.PartSink].
func (b *block) PutParts(s *data.Sample, parts []transform.Part) error {
	for _, p := range parts {
		one := *s
		one.Form, one.W, one.H, one.Data = data.RGB, p.W, p.H, slices.Clone(p.Data)
		b.samples = append(b.samples, one)
	}
	return nil
}

// Checkpoint implements [generate.PartSink].
func (b *block) Checkpoint() ([]byte, error) { return nil, nil }

// Abort implements [generate.PartSink].
func (b *block) Abort() error { return nil }

// Info describes the block.
func (b *block) Info() data.Info {
	info := b.info
	info.Len = len(b.samples)
	return info
}

// Len returns the number of images.
func (b *block) Len() int { return len(b.samples) }

// Read reads image i.
func (b *block) Read(i int, s *data.Sample) error {
	file := s.Data
	*s = b.samples[i]
	s.Data = append(file[:0], b.samples[i].Data...)
	return nil
}

// Next reads the next image.
func (b *block) Next(s *data.Sample) error { return b.cursor.Next(b, s) }

// Close implements [data.Source] and [generate.PartSink].
func (b *block) Close() error { return nil }
