package eval

import (
	"cmp"
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

// OODSuite says how out-of-distribution detection is measured: the test set against sets of other images, a fifth as
// many of each (Hendrycks et al., Outlier Exposure, ICLR 2019, as PixMix's tables).
type OODSuite struct {
	// Open returns the test set, whose labels are ignored.
	Open func() (data.Source, error)
	// Score is what makes an image out of distribution; metrics.MSP in the papers.
	Score metrics.OODScore
	// Generated are the sets of package ood, drawn from Seed.
	Generated []*ood.Set
	Seed      uint64
	// Folders are sets of the user's own, by the name they have in rows: Textures, SVHN, LSUN, Places69.
	Folders []OODFolder
	// Prepare is done to the test images, PrepareFolders to those of Folders.
	Prepare, PrepareFolders Prepare
}

// OODFolder is a data set of out-of-distribution images; labels are ignored.
type OODFolder struct {
	Name string
	Path string // where it lies, for messages; empty: they have the name
	Open func() (data.Source, error)
}

// oodShare is how many test images there are to one out-of-distribution image.
const oodShare = 5

// OOD measures AUROC, AUPR and FPR95 of each set and their means over the sets.
func (e *Evaluator) OOD(ctx context.Context, a *OODSuite) error {
	if len(a.Generated)+len(a.Folders) == 0 {
		return fmt.Errorf("%w: no out-of-distribution set", ErrOption)
	}
	if e.TenCrop {
		return fmt.Errorf("%w: ten crops of generated noise, which is of the model's size", ErrOption)
	}
	base := e.base(e.Dataset, &a.Seed)
	if a.Score != metrics.MSP {
		base.Score = string(a.Score)
	}
	wanted := []string{results.AUROC, results.AUPR, results.FPR95}
	var rows []results.Row
	var test []float64
	for i := range len(a.Generated) + len(a.Folders) {
		at := base
		at.OOD = a.name(i)
		if err := e.ofImages(&at, a.Prepare.text()); err != nil {
			return err
		}
		if f := i - len(a.Generated); f >= 0 {
			folder := &a.Folders[f]
			err := e.ofFiles(&at, cmp.Or(folder.Path, folder.Name), func() (string, error) { return glanceOf(folder.Open()) })
			if err != nil {
				return err
			}
		}
		if old := e.known(at, wanted, []float64{0}); old != nil && e.Records.hasSeries(scoreSeries(base), scoreSeries(at)) {
			rows = append(rows, old...)
			e.reuse(at.OOD, old)
			continue
		}
		if test == nil {
			var err error
			if test, err = e.scoresOf(ctx, a.Open, a.Prepare, a.Score, e.Limit, "test set"); err != nil {
				return err
			}
			e.Records.putSeries(scoreSeries(base), test)
		}
		some, err := e.oodSet(ctx, a, i, test, at)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name(i), err)
		}
		if err := e.put(some...); err != nil {
			return err
		}
		rows = append(rows, some...)
	}
	return e.put(score.DetectionMeans(base, rows)...)
}

// name returns the name of set i: the generated ones come first.
func (a *OODSuite) name(i int) string {
	if i < len(a.Generated) {
		return a.Generated[i].Name
	}
	return a.Folders[i-len(a.Generated)].Name
}

func (e *Evaluator) oodSet(
	ctx context.Context, a *OODSuite, i int, test []float64, at results.Row,
) ([]results.Row, error) {
	n := max(len(test)/oodShare, 1)
	var other []float64
	var err error
	if i < len(a.Generated) {
		other, err = e.generated(ctx, a, a.Generated[i], n)
	} else {
		f := a.Folders[i-len(a.Generated)]
		other, err = e.scoresOf(ctx, f.Open, a.PrepareFolders, a.Score, n, f.Name)
	}
	if err != nil {
		return nil, err
	}
	e.Records.putSeries(scoreSeries(at), other)
	if err := e.Records.write(); err != nil {
		return nil, err
	}
	base := at
	base.OOD = ""
	return score.Detection(base, a.name(i), a.Score, test, other)
}

// scoreSeries names the OOD scores of the set that a row is of: of the test set for a row without a set.
func scoreSeries(at results.Row) records.Series {
	return records.Series{Cell: cellOf(at, 0), Name: records.OODScore}
}

// scoresOf scores n images of a source, all for n 0.
func (e *Evaluator) scoresOf(
	ctx context.Context, open func() (data.Source, error), p Prepare, by metrics.OODScore, n int, what string,
) ([]float64, error) {
	src, err := open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var out []float64
	s := e.stream(func(t *part, logits []float32) error {
		v, err := scoreOf(t.row, logits, by)
		out = append(out, v)
		return err
	})
	j := job{source: data.Limit(src, n), expander: p.expander, workers: e.Workers, report: e.reporter(what)}
	_, err = j.run(ctx, s)
	return out, err
}

func scoreOf(row int, logits []float32, by metrics.OODScore) (float64, error) {
	o, err := metrics.Score(row, logits, metrics.NoLabel)
	if err != nil {
		return 0, err
	}
	return metrics.OODScoreOf(by, &o, logits)
}

// generated scores n images of a generated set. Its values in [-1, 1] go to the model as images of [0, 1] would.
func (e *Evaluator) generated(ctx context.Context, a *OODSuite, set *ood.Set, n int) ([]float64, error) {
	h, w, norm := e.Predictor.Input()
	classes, batch := e.Predictor.Classes(), max(min(e.Predictor.MaxBatch(), batchLimit), 1)
	size := 3 * h * w
	x, logits := make([]float32, batch*size), make([]float32, batch*classes)
	if _, away := e.Predictor.(Remote); away {
		return nil, fmt.Errorf("%w: generated OOD sets for a model in another program", ErrOption)
	}
	key := rng.NewKey(a.Seed).Str("anomalies").Str(set.Name)
	var scratch ood.Scratch
	var out []float64
	for len(out) < n {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		m := min(batch, n-len(out))
		for i := range m {
			r := key.Uint(uint64(len(out) + i)).Rand()
			set.Draw(x[i*size:][:size], h, w, &r, &scratch)
		}
		for i, v := range x[:m*size] {
			x[i] = (v + 1) / 2
		}
		normalize(x[:m*size], x[:m*size], h*w, &norm)
		if err := e.Predictor.Predict(logits[:m*classes], x[:m*size], m); err != nil {
			return nil, err
		}
		for i := range m {
			v, err := scoreOf(len(out), logits[i*classes:][:classes], a.Score)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		if e.Report != nil {
			e.Report(set.Name, len(out), n)
		}
	}
	return out, nil
}
