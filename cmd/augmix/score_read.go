package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
)

// scoredCell is what was scored together: clean images, a corruption at a severity, a perturbation.
type scoredCell struct {
	corruption string
	severity   int
	rows       int
	truths     uint64                  // a checksum of the labels in their order, from labelSum
	class      *metrics.Classification // nil without labels
	stability  *metrics.Stability      // of sequences
	kept
}

// kept is what is remembered of each row or video, in their order.
type kept struct {
	samples records.Samples
	pred    []int32
	truth   []int32
	anomaly [4][]float64 // in the order of metrics.AnomalyScores
	videos  []metrics.Video
	ids     []uint64
}

// piece is what a batch leaves behind.
type piece struct {
	index, cell int
	kept
}

// job says what is done with the rows of one file.
type scoreJob struct {
	path    string
	options predictions.Options
	cells   []*scoredCell // severities one after the other in the file
	anomaly bool          // anomaly scores are wanted
	perturb string        // not empty: sequences
	unknown bool          // rows need no labels
}

// told is what a file says of itself.
type told struct {
	kind    predictions.Kind
	classes int
	rows    int
}

// read scores a file. Every worker has accumulators of its own, whose merge does not depend on who had which rows.
func (s *scorer) read(j *scoreJob) (told, error) {
	r, err := predictions.Open(j.path, j.options)
	if err != nil {
		return told{}, err
	}
	t := told{kind: r.Kind(), classes: r.Classes()}
	err = s.readRows(j, r, &t)
	return t, errors.Join(err, r.Close())
}

func (s *scorer) readRows(j *scoreJob, r *predictions.Reader, t *told) error {
	switch {
	case j.perturb != "" && r.Frames() == 0:
		return fmt.Errorf("%s: it does not say how many frames a video has; --frames does", j.path)
	case j.perturb == "" && r.Frames() != 0:
		return fmt.Errorf("%s: sequences of %d frames where single images are wanted; --layout p is for a folder of them",
			j.path, r.Frames())
	case j.perturb == "" && !r.Labelled() && !j.unknown:
		return fmt.Errorf("%w: %s has no labels; --labels gives them", metrics.ErrLabel, j.path)
	}
	w := make([]scoreWorker, s.workers)
	for i := range w {
		if err := w[i].init(s, j); err != nil {
			return err
		}
	}
	err := predictions.Each(s.app.ctx, r, s.workers, func(i int, b *predictions.Batch) error {
		if err := w[i].batch(s, j, r, b); err != nil {
			return fmt.Errorf("%s: %w", j.path, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return joinWorkers(j, w, t)
}

// joinWorkers merges what the workers have.
func joinWorkers(j *scoreJob, w []scoreWorker, t *told) error {
	var pieces []piece
	for i := range w {
		pieces = append(pieces, w[i].pieces...)
		for k, cell := range j.cells {
			cell.rows += w[i].rows[k]
			t.rows += w[i].rows[k]
			cell.truths += w[i].truths[k]
			if cell.stability != nil {
				if err := cell.stability.Merge(w[i].stability); err != nil {
					return err
				}
			} else if w[i].class[k].N() > 0 {
				if err := cell.class.Merge(w[i].class[k]); err != nil {
					return err
				}
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
	for i := range k.anomaly {
		k.anomaly[i] = append(k.anomaly[i], o.anomaly[i]...)
	}
}

// scoreWorker is the state of one goroutine.
type scoreWorker struct {
	class     []*metrics.Classification // by cell
	rows      []int
	truths    []uint64
	stability *metrics.Stability
	pieces    []piece
}

func (w *scoreWorker) init(s *scorer, j *scoreJob) error {
	w.rows, w.truths = make([]int, len(j.cells)), make([]uint64, len(j.cells))
	for _, cell := range j.cells {
		c, err := metrics.NewClassification(s.width)
		if err != nil {
			return err
		}
		w.class = append(w.class, c)
		if cell.class == nil {
			if cell.class, err = metrics.NewClassification(s.width); err != nil {
				return err
			}
		}
		if j.perturb == "" {
			continue
		}
		if w.stability, err = s.stability(j.perturb); err != nil {
			return err
		}
		if cell.stability == nil {
			if cell.stability, err = s.stability(j.perturb); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scorer) stability(perturbation string) (*metrics.Stability, error) {
	t, err := metrics.NewStability(perturbation, s.Difficulty)
	if err == nil && s.Zipf {
		t.MeasureZipf()
	}
	return t, err
}

// batch scores the rows of a batch, which are of one cell.
func (w *scoreWorker) batch(s *scorer, j *scoreJob, r *predictions.Reader, b *predictions.Batch) error {
	p := piece{index: b.Index}
	if j.options.Block > 0 {
		p.cell = b.First / j.options.Block
	}
	w.rows[p.cell] += b.Rows
	var err error
	switch {
	case j.perturb != "" && r.Kind() == predictions.Classes:
		err = w.predicted(&p, r.Frames(), b)
	case j.perturb != "" && len(b.F32) > 0:
		err = addVideos(w.stability, &p, r.Frames(), b, b.F32)
	case j.perturb != "":
		err = addVideos(w.stability, &p, r.Frames(), b, b.F64)
	case len(b.F32) > 0:
		err = addRows(w, s, j, &p, r.Kind(), b, b.F32)
	default:
		err = addRows(w, s, j, &p, r.Kind(), b, b.F64)
	}
	if err != nil {
		return err
	}
	if s.keep {
		p.ids = append(p.ids, b.IDs...)
	}
	w.pieces = append(w.pieces, p)
	return nil
}

func (w *scoreWorker) predicted(p *piece, frames int, b *predictions.Batch) error {
	for i := 0; i < b.Rows; i += frames {
		v, err := w.stability.AddPredictions((b.First+i)/frames, b.Pred[i:][:frames])
		if err != nil {
			return err
		}
		p.videos = append(p.videos, v)
	}
	return nil
}

func addVideos[F metrics.Float](s *metrics.Stability, p *piece, frames int, b *predictions.Batch, rows []F) error {
	size := frames * b.Classes
	for i := 0; i < b.Rows; i += frames {
		v, err := metrics.AddVideo(s, (b.First+i)/frames, rows[i*b.Classes:][:size], b.Classes)
		if err != nil {
			return err
		}
		p.videos = append(p.videos, v)
	}
	return nil
}

func addRows[F metrics.Float](
	w *scoreWorker, s *scorer, j *scoreJob, p *piece, kind predictions.Kind, b *predictions.Batch, rows []F,
) error {
	score := metrics.Score[F]
	if kind == predictions.Probs {
		score = metrics.ScoreProbs[F]
	}
	class := w.class[p.cell]
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
			if err := class.Add(&o); err != nil {
				return err
			}
			at := b.First + i
			if j.options.Block > 0 {
				at %= j.options.Block
			}
			w.truths[p.cell] += labelSum(at, label)
		}
		if err := p.keep(s, j, &o); err != nil {
			return err
		}
	}
	return nil
}

// labelSum is an image's part of a checksum that can be added up in any order (the finaliser of SplitMix64).
func labelSum(at, label int) uint64 {
	x := uint64(at)<<20 ^ uint64(label)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// keep remembers what is needed of a row.
func (p *piece) keep(s *scorer, j *scoreJob, o *metrics.Outcome) error {
	if s.keep && o.Label != metrics.NoLabel {
		if err := p.samples.Add(o); err != nil {
			return err
		}
		p.pred = append(p.pred, int32(o.Pred))
		p.truth = append(p.truth, int32(o.Label))
	}
	if !j.anomaly {
		return nil
	}
	for i, a := range metrics.AnomalyScores() {
		v, err := a.Of(o)
		if errors.Is(err, metrics.ErrMeaningless) {
			continue // of probabilities there is only the largest
		}
		if err != nil {
			return err
		}
		p.anomaly[i] = append(p.anomaly[i], v)
	}
	return nil
}
