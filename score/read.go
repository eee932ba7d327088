package score

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
)

// fileJob says what is done with the rows of one file.
type fileJob struct {
	part    *predictions.Part
	options predictions.Options
	cells   []*Cell // severities one after the other in the file
	ood     bool    // OOD scores are wanted, and rows need no labels
	video   bool
}

// about is what a file says of itself.
type about struct {
	kind    predictions.Kind
	classes int // 0 for class numbers
	atLeast int // classes; of class numbers the largest and one
}

// piece is what a batch leaves behind.
type piece struct {
	index, cell int
	labels      []int32 // of all rows, in their order
	kept
}

// read scores a file. Every worker has accumulators of its own, whose merge does not depend on who had which rows.
func (r *reading) read(j *fileJob) (about, error) {
	in, err := predictions.Open(j.part.Path, j.options)
	if err != nil {
		return about{}, err
	}
	t := about{kind: in.Kind(), classes: in.Classes(), atLeast: in.Classes()}
	if err = j.readOrigins(); err == nil {
		err = r.readRows(j, in)
	}
	for _, c := range j.cells {
		t.atLeast = max(t.atLeast, c.most)
	}
	return t, errors.Join(err, in.Close())
}

func (r *reading) readRows(j *fileJob, in *predictions.Reader) error {
	switch {
	case j.video && in.Frames() == 0:
		return fmt.Errorf("%w: %s has rows and does not say how many are a video", ErrNoFrames, j.part)
	case !j.video && in.Frames() != 0 && in.Kind() == predictions.Classes:
		return fmt.Errorf("%w: %s: integers of two axes, read as sequences of %d class numbers, where single images are wanted (logits and "+
			"probabilities are floats; layout %s is for a folder of sequences)", predictions.ErrLayout, j.part, in.Frames(), predictions.P)
	case !j.video && in.Frames() != 0:
		return fmt.Errorf("%w: %s: sequences of %d frames where single images are wanted; layout %s is for a folder of them",
			predictions.ErrLayout, j.part, in.Frames(), predictions.P)
	case !j.video && !in.Labeled() && !j.ood:
		return fmt.Errorf("%w: %s has none, in it or beside it", ErrNoLabels, j.part)
	}
	w := make([]worker, r.files.Workers)
	for i := range w {
		if err := w[i].init(r, j, in); err != nil {
			return err
		}
	}
	err := predictions.Each(r.ctx, in, r.files.Workers, func(i int, b *predictions.Batch) error {
		if err := w[i].batch(j, in, b); err != nil {
			return fmt.Errorf("%s: %w", j.part, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := merge(w, !j.video && !r.result.options.Uncalibrated); err != nil {
		return err
	}
	if err := join(j, w); err != nil {
		return err
	}
	for _, c := range j.cells {
		if n := repeated(c.ids); n > 0 && !j.video { // frames may have the id of their video
			r.result.Notes = addNote(r.result.Notes, fmt.Sprintf("repeated ids: %s, which count again (samplers of several processes repeat "+
				"images to fill the last batch)", terminal.Count(n, "row")))
		}
		if !c.Keep {
			c.ids = nil
		}
	}
	return nil
}

// repeated counts the ids that were there before.
func repeated(ids []uint64) int {
	ids = slices.Sorted(slices.Values(ids))
	return len(ids) - len(slices.Compact(ids))
}

// mostRoom bounds the memory that a worker takes for rows before it has seen them, as files may promise any number.
const mostRoom = 1 << 20

// merge leaves what the workers have in the cells of the first, by pairs at once.
func merge(w []worker, sorted bool) error {
	if sorted {
		parallel.Do(len(w), len(w), func(_, i int) {
			for _, c := range w[i].cells {
				c.class.Calibration().Sort()
			}
		})
	}
	for step := 1; step < len(w); step *= 2 {
		err := parallel.Try((len(w)+step-1)/(2*step), len(w), func(_, i int) error {
			to, from := &w[2*step*i], &w[2*step*i+step]
			for k, c := range to.cells {
				if err := c.merge(from.cells[k]); err != nil {
					return err
				}
			}
			to.pieces, from.cells = append(to.pieces, from.pieces...), nil
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// join takes the cells of the first worker, who has everything.
func join(j *fileJob, w []worker) error {
	pieces := w[0].pieces
	for k, c := range j.cells {
		if err := c.merge(w[0].cells[k]); err != nil {
			return err
		}
	}
	for _, c := range j.cells {
		if c.numbers && c.ByClass != nil {
			c.ByClass.Widen(c.most) // the outcomes of class numbers have two classes
		}
	}
	slices.SortFunc(pieces, func(a, b *piece) int { return cmp.Compare(a.index, b.index) })
	for _, p := range pieces {
		c := j.cells[p.cell]
		for _, label := range p.labels {
			c.order.add(int(label))
		}
		for _, id := range p.ids {
			c.order.addID(id)
		}
		c.append(&p.kept)
		p.kept, p.labels = kept{}, nil
	}
	return nil
}

// merge adds the counts of another cell, without what is kept of each image.
func (c *Cell) merge(o *Cell) error {
	c.rows += o.rows
	c.truths += o.truths
	c.most, c.numbers = max(c.most, o.most), c.numbers || o.numbers
	switch {
	case c.stability != nil:
		return c.stability.Merge(o.stability)
	case o.class.N() > 0:
		var err error
		if c.class.N() == 0 {
			c.class = o.class // which nobody else uses
		} else {
			err = c.class.Merge(o.class)
		}
		if err == nil && c.ByClass != nil {
			err = c.ByClass.Merge(&o.ByClass.Confusion)
		}
		if err == nil && c.takesRows() {
			err = c.classwise.Merge(o.classwise)
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
	pieces []*piece
}

func (w *worker) init(r *reading, j *fileJob, in *predictions.Reader) error {
	for _, c := range j.cells {
		own, err := r.cell(c.Corruption, c.Severity)
		if j.video {
			o := &r.result.options
			own, err = NewSequences(c.Corruption, o.difficulty(), o.Zipf)
		}
		if err != nil {
			return err
		}
		if n := in.Rows(); own.class != nil && n > 0 {
			n /= len(j.cells) * r.files.Workers
			own.class.Calibration().Grow(min(n+n/16, mostRoom))
		}
		w.cells = append(w.cells, own)
	}
	return nil
}

// batch scores the rows of a batch, which are of one cell.
func (w *worker) batch(j *fileJob, in *predictions.Reader, b *predictions.Batch) error {
	p := &piece{index: b.Index}
	if j.options.Block > 0 {
		p.cell = b.First / j.options.Block
	}
	c := w.cells[p.cell]
	var err error
	switch {
	case j.video && in.Kind() == predictions.Classes:
		err = predicted(c, p, in.Frames(), b)
	case j.video && len(b.F32) > 0:
		err = videos(c, p, in.Frames(), b, b.F32)
	case j.video:
		err = videos(c, p, in.Frames(), b, b.F64)
	case in.Kind() == predictions.Classes:
		err = numbers(c, j, p, b)
	case len(b.F32) > 0:
		err = rowsOf(c, j, p, in.Kind(), b, b.F32)
	default:
		err = rowsOf(c, j, p, in.Kind(), b, b.F64)
	}
	if err != nil {
		return err
	}
	p.ids = append(p.ids, b.IDs...)
	for _, label := range b.Labels {
		p.labels = append(p.labels, int32(label))
	}
	if c.Keep || j.ood || j.video || len(p.labels) > 0 {
		w.pieces = append(w.pieces, p)
	}
	return nil
}

func predicted(c *Cell, p *piece, frames int, b *predictions.Batch) error {
	for i := 0; i < b.Rows; i += frames {
		v, err := c.stability.AddPredictions((b.First+i)/frames, b.Pred[i:][:frames])
		if err != nil {
			return err
		}
		p.videos = append(p.videos, v)
		c.most = max(c.most, slices.Max(b.Pred[i:][:frames])+1)
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
		if err == nil {
			err = c.take(j, p, b.First+i, &o)
		}
		if err == nil && j.ood {
			err = keepScores(p, &o, rows[i*b.Classes:][:b.Classes])
		}
		if err == nil && c.takesRows() && label != metrics.NoLabel {
			err = metrics.AddClasswise(c.classwise, &o, rows[i*b.Classes:][:b.Classes])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// numbers takes predicted classes alone, as outcomes of two classes: the right one and the others. Only errors are made
// of them.
func numbers(c *Cell, j *fileJob, p *piece, b *predictions.Batch) error {
	c.rows += b.Rows
	c.numbers = true
	for i, pred := range b.Pred {
		label := b.Labels[i]
		if pred < 0 || label < 0 {
			return fmt.Errorf("%w: row %d: class %d, label %d (allowed: 0 and up)", metrics.ErrLabel, b.First+i, pred, label)
		}
		c.most = max(c.most, pred+1, label+1)
		o := metrics.Outcome{Row: b.First + i, Classes: 2, Label: label, Pred: pred, Rank: 2}
		if pred == label {
			o.Rank = 1
		}
		if err := c.take(j, p, b.First+i, &o); err != nil {
			return err
		}
	}
	return nil
}

// take adds the outcome of a row of a file.
func (c *Cell) take(j *fileJob, p *piece, row int, o *metrics.Outcome) error {
	if o.Label != metrics.NoLabel {
		if err := c.count(o); err != nil {
			return err
		}
		if j.options.Block > 0 {
			row %= j.options.Block
		}
		c.truths += labelSum(row, o.Label)
	}
	if c.Keep && o.Label != metrics.NoLabel {
		return p.remember(o)
	}
	return nil
}

// keepScores remembers the OOD scores of a row.
func keepScores[F metrics.Float](p *piece, o *metrics.Outcome, row []F) error {
	for i, s := range metrics.OODScores() {
		v, err := metrics.OODScoreOf(s, o, row)
		if errors.Is(err, metrics.ErrNotComputable) {
			continue // probabilities have lost it
		}
		if err != nil {
			return err
		}
		p.scores[i] = append(p.scores[i], v)
	}
	return nil
}
