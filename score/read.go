package score

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
)

// fileJob says what is done with the rows of one file.
type fileJob struct {
	path    string
	options predictions.Options
	cells   []*Cell // severities one after the other in the file
	ood     bool    // OOD scores are wanted, and rows need no labels
	video   bool
}

// about is what a file says of itself.
type about struct {
	kind    predictions.Kind
	classes int
}

// piece is what a batch leaves behind.
type piece struct {
	index, cell int
	kept
}

// read scores a file. Every worker has accumulators of its own, whose merge does not depend on who had which rows.
func (r *reading) read(j *fileJob) (about, error) {
	in, err := predictions.Open(j.path, j.options)
	if err != nil {
		return about{}, err
	}
	t := about{kind: in.Kind(), classes: in.Classes()}
	err = r.readRows(j, in)
	return t, errors.Join(err, in.Close())
}

func (r *reading) readRows(j *fileJob, in *predictions.Reader) error {
	switch {
	case j.video && in.Frames() == 0:
		return fmt.Errorf("%w: %s has rows and does not say how many are a video", ErrNoFrames, j.path)
	case !j.video && in.Frames() != 0:
		return fmt.Errorf("%w: %s: sequences of %d frames where single images are wanted; layout %s is for a folder of them",
			predictions.ErrLayout, j.path, in.Frames(), predictions.P)
	case !j.video && !in.Labeled() && !j.ood:
		return fmt.Errorf("%w: %s has none, in it or beside it", ErrNoLabels, j.path)
	}
	w := make([]worker, r.files.Workers)
	for i := range w {
		if err := w[i].init(r, j); err != nil {
			return err
		}
	}
	err := predictions.Each(r.ctx, in, r.files.Workers, func(i int, b *predictions.Batch) error {
		if err := w[i].batch(j, in, b); err != nil {
			return fmt.Errorf("%s: %w", j.path, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return join(j, w)
}

// join merges what the workers have.
func join(j *fileJob, w []worker) error {
	var pieces []piece
	for i := range w {
		pieces = append(pieces, w[i].pieces...)
		for k, c := range j.cells {
			if err := c.merge(w[i].cells[k]); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.index, b.index) })
	for i := range pieces {
		j.cells[pieces[i].cell].append(&pieces[i].kept)
		pieces[i].kept = kept{}
	}
	return nil
}

// merge adds the counts of another cell, without what is kept of each image.
func (c *Cell) merge(o *Cell) error {
	c.rows += o.rows
	c.truths += o.truths
	switch {
	case c.stability != nil:
		return c.stability.Merge(o.stability)
	case o.class.N() > 0:
		err := c.class.Merge(o.class)
		if err == nil && c.ByClass != nil {
			err = c.ByClass.Merge(&o.ByClass.Confusion)
		}
		return err
	}
	return nil
}

func (k *kept) append(o *kept) {
	s, t := &k.samples, &o.samples
	s.Classes = max(s.Classes, t.Classes)
	s.Rank = append(s.Rank, t.Rank...)
	s.Confidence = append(s.Confidence, t.Confidence...)
	s.NLL = append(s.NLL, t.NLL...)
	s.Brier = append(s.Brier, t.Brier...)
	k.pred = append(k.pred, o.pred...)
	k.truth = append(k.truth, o.truth...)
	k.videos = append(k.videos, o.videos...)
	k.ids = append(k.ids, o.ids...)
	for i := range k.scores {
		k.scores[i] = append(k.scores[i], o.scores[i]...)
	}
}

// worker is the state of one goroutine.
type worker struct {
	cells  []*Cell // as those of the job
	pieces []piece
}

func (w *worker) init(r *reading, j *fileJob) error {
	for _, c := range j.cells {
		own, err := r.cell(c.Corruption, c.Severity)
		if j.video {
			o := &r.result.options
			own, err = NewSequences(c.Corruption, o.difficulty(), o.Zipf)
		}
		if err != nil {
			return err
		}
		w.cells = append(w.cells, own)
	}
	return nil
}

// batch scores the rows of a batch, which are of one cell.
func (w *worker) batch(j *fileJob, in *predictions.Reader, b *predictions.Batch) error {
	p := piece{index: b.Index}
	if j.options.Block > 0 {
		p.cell = b.First / j.options.Block
	}
	c := w.cells[p.cell]
	var err error
	switch {
	case j.video && in.Kind() == predictions.Classes:
		err = predicted(c, &p, in.Frames(), b)
	case j.video && len(b.F32) > 0:
		err = videos(c, &p, in.Frames(), b, b.F32)
	case j.video:
		err = videos(c, &p, in.Frames(), b, b.F64)
	case len(b.F32) > 0:
		err = rowsOf(c, j, &p, in.Kind(), b, b.F32)
	default:
		err = rowsOf(c, j, &p, in.Kind(), b, b.F64)
	}
	if err != nil {
		return err
	}
	if c.Keep {
		p.ids = append(p.ids, b.IDs...)
	}
	w.pieces = append(w.pieces, p)
	return nil
}

func predicted(c *Cell, p *piece, frames int, b *predictions.Batch) error {
	for i := 0; i < b.Rows; i += frames {
		v, err := c.stability.AddPredictions((b.First+i)/frames, b.Pred[i:][:frames])
		if err != nil {
			return err
		}
		p.videos = append(p.videos, v)
		c.rows++
	}
	return nil
}

func videos[F metrics.Float](c *Cell, p *piece, frames int, b *predictions.Batch, rows []F) error {
	size := frames * b.Classes
	for i := 0; i < b.Rows; i += frames {
		v, err := metrics.AddVideo(c.stability, (b.First+i)/frames, rows[i*b.Classes:][:size], b.Classes)
		if err != nil {
			return err
		}
		p.videos = append(p.videos, v)
		c.rows++
	}
	return nil
}

func rowsOf[F metrics.Float](
	c *Cell, j *fileJob, p *piece, kind predictions.Kind, b *predictions.Batch, rows []F,
) error {
	score := metrics.Score[F]
	if kind == predictions.Probs {
		score = metrics.ScoreProbs[F]
	}
	c.rows += b.Rows
	for i := range b.Rows {
		label := metrics.NoLabel
		if len(b.Labels) > 0 {
			if label = b.Labels[i]; label < 0 {
				return fmt.Errorf("%w: row %d: %d (allowed: 0 to %d)", metrics.ErrLabel, b.First+i, label, b.Classes-1)
			}
		}
		o, err := score(b.First+i, rows[i*b.Classes:][:b.Classes], label)
		if err != nil {
			return err
		}
		if label != metrics.NoLabel {
			if err := c.count(&o); err != nil {
				return err
			}
			at := b.First + i
			if j.options.Block > 0 {
				at %= j.options.Block
			}
			c.truths += labelSum(at, label)
		}
		if err := p.keep(c.Keep, j.ood, &o); err != nil {
			return err
		}
	}
	return nil
}

// keep remembers what is needed of a row.
func (p *piece) keep(all, ood bool, o *metrics.Outcome) error {
	if all && o.Label != metrics.NoLabel {
		if err := p.remember(o); err != nil {
			return err
		}
	}
	if !ood {
		return nil
	}
	for i, s := range metrics.OODScores() {
		v, err := s.Of(o)
		if errors.Is(err, metrics.ErrMeaningless) {
			continue // of probabilities there is only the largest
		}
		if err != nil {
			return err
		}
		p.scores[i] = append(p.scores[i], v)
	}
	return nil
}
