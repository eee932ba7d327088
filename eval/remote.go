package eval

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// Remote is a Predictor whose model runs in another program. It is given images as they are, a batch of one form and
// severity, and may be given the next while it has not answered the last. Predict is not called, and what needs it is an error that
// wraps [ErrOption]: ten crops, preprocessing, attacks, Fourier functions, generated OOD sets.
type Remote interface {
	Predictor
	// Ahead returns how many batches may be without an answer while another is given.
	Ahead() int
	// Give takes a batch. What it holds is used again afterwards.
	Give(b *Shown) error
	// Logits writes those of the earliest batch without an answer, [n, Classes], to dst.
	Logits(dst []float32) error
}

// Form says of what a batch that a [Remote] is given consists.
type Form struct {
	Suite      string  // clean, c, cbar, p; examples: images that were measured and are looked at once more
	Corruption string  // or perturbation; "" for clean images
	Severity   float64 // up to 5; 0 where there is none
}

// Names of suites in a [Form].
const (
	suiteClean    = "clean"
	suiteP        = "p"
	suiteExamples = "examples"
)

// Shown is a batch that a [Remote] is given. All slices have one length, of at most MaxBatch.
type Shown struct {
	Form
	Images []*raster.Image // of the size that Input says
	Keys   []string        // of the samples
	Labels []int           // class numbers, data.NoLabel for none
	Rows   []int           // numbers of the samples among those that are looked at, from 0
	Frames []int           // of sequences, from 0; 0 for still images
}

// away is the stream's way to a Remote. Images are sorted by severity, so that a batch is of one.
type away struct {
	to         Remote
	form       Form
	severities []float64 // by variant; nil: form's
	queues     []*queue
	unanswered []given // the earliest first
	pass       bool    // flush leaves answers out: other forms follow
	logits     []float32
	shown      Shown
}

// given is a batch without an answer.
type given struct {
	s     *stream
	parts []part
	last  bool // of the stream
}

// awayError is an error of a Remote: no image is to blame for it, whichever came when it was met.
type awayError struct{ error }

// Unwrap returns what the Remote said.
func (e *awayError) Unwrap() error { return e.error }

// queue holds the next batch of a severity.
type queue struct {
	images []*raster.Image
	parts  []part
}

// shown says what the stream's images are. Without a Remote nobody is told.
func (s *stream) shown(f Form, severities []float64) {
	if s.away != nil {
		s.away.form, s.away.severities = f, severities
	}
}

// put queues an image, whose pixels are copied.
func (a *away) put(s *stream, t *part, m *raster.Image) error {
	if s.views > 1 || s.preprocess != nil || s.alter != nil {
		return fmt.Errorf("%w: a model in another program with ten crops, preprocessing, an attack or a Fourier function", ErrOption)
	}
	for len(a.queues) <= t.variant {
		a.queues = append(a.queues, new(queue))
	}
	q := a.queues[t.variant]
	q.parts = append(q.parts, *t)
	if len(q.images) < len(q.parts) {
		q.images = append(q.images, new(raster.Image))
	}
	q.images[len(q.parts)-1].CopyFrom(m)
	if len(q.parts) == s.batch {
		return a.give(s, q)
	}
	return nil
}

// give gives a batch, and takes the answer to an earlier one where too many are without.
func (a *away) give(s *stream, q *queue) error {
	b := &a.shown
	b.Form, b.Images = a.form, q.images[:len(q.parts)]
	b.Keys, b.Labels, b.Rows, b.Frames = b.Keys[:0], b.Labels[:0], b.Rows[:0], b.Frames[:0]
	if a.severities != nil {
		b.Severity = a.severities[q.parts[0].variant]
	}
	for i := range q.parts {
		t := &q.parts[i]
		b.Keys, b.Labels = append(b.Keys, t.key), append(b.Labels, t.label)
		b.Rows, b.Frames = append(b.Rows, t.row), append(b.Frames, t.frame)
	}
	if err := a.to.Give(b); err != nil {
		return &awayError{err}
	}
	a.unanswered = append(a.unanswered, given{s: s, parts: slices.Clone(q.parts)})
	q.parts = q.parts[:0]
	if len(a.unanswered) > a.to.Ahead() {
		return a.take()
	}
	return nil
}

// take takes the answer to the earliest batch and delivers it.
func (a *away) take() error {
	g, c := a.unanswered[0], a.to.Classes()
	a.unanswered = a.unanswered[1:]
	a.logits = slices.Grow(a.logits[:0], len(g.parts)*c)[:len(g.parts)*c]
	if err := a.to.Logits(a.logits); err != nil {
		return &awayError{err}
	}
	for i := range g.parts {
		if err := g.s.deliver(&g.parts[i], a.logits[i*c:][:c]); err != nil {
			return err
		}
	}
	return g.s.batched(g.last)
}

// batched says that a batch was delivered, the last one or not.
func (s *stream) batched(last bool) error {
	if s.answered == nil {
		return nil
	}
	return s.answered(last)
}

// flush gives what is queued, and takes all answers unless other forms follow.
func (a *away) flush(s *stream) error {
	for _, q := range a.queues {
		if len(q.parts) == 0 {
			continue
		}
		if err := a.give(s, q); err != nil {
			return err
		}
	}
	if !a.pass {
		return a.drain()
	}
	if len(a.unanswered) == 0 {
		return s.batched(true)
	}
	a.unanswered[len(a.unanswered)-1].last = true
	return nil
}

// drain takes all answers.
func (a *away) drain() error {
	for len(a.unanswered) > 0 {
		if err := a.take(); err != nil {
			return err
		}
	}
	return nil
}
