package eval

import (
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// course is one measurement of a pass.
type course struct {
	form       Form
	severities []float64 // nil for clean images and sequences
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
	c.keep(answerOfSequence(label, &v), logits)
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
		if c.id, err = measurementOf(base, c.severities, e.LogitsDir != ""); err != nil {
			return nil, err
		}
		if c.tally, err = m.tally(base); err != nil {
			return nil, err
		}
		e.together[c.id] = c.tally
		c.done = make([]int, len(c.tally.cells))
		c.keeps = e.LogitsDir != "" || c.form.Suite == suiteClean && e.PerClass // its classwise calibration needs all of them
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
	c.tally.cells[0].AddKnown(a.sequence())
	return c.tally.videos.saveRow(int(a.Label), logits)
}
