package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// Anomalies says how anomaly detection is measured: the test set against sets of anomalies, a fifth as many of each
// (Hendrycks et al., Outlier Exposure, ICLR 2019, as PixMix's tables).
type Anomalies struct {
	// Open returns the test set, whose labels are ignored.
	Open func() (data.Source, error)
	// Score is what makes an image anomalous; metrics.MSP in the papers.
	Score metrics.AnomalyScore
	// Generated are the sets of package ood, drawn from Seed.
	Generated []*ood.Set
	Seed      uint64
	// Folders are sets of the user's own, by the name they have in rows: Textures, SVHN, LSUN, Places69.
	Folders []AnomalyFolder
	// Prepare is done to the test images, PrepareFolders to those of Folders.
	Prepare, PrepareFolders Prepare
}

// AnomalyFolder is a data set of anomalies; labels are ignored.
type AnomalyFolder struct {
	Name string
	Open func() (data.Source, error)
}

// anomalyShare is how many test images there are to one anomaly.
const anomalyShare = 5

// Anomalies measures AUROC, AUPR and FPR95 of each set, with the set's name as view, and their means over the sets.
func (e *Evaluator) Anomalies(ctx context.Context, a *Anomalies) error {
	if len(a.Generated)+len(a.Folders) == 0 {
		return fmt.Errorf("%w: no set of anomalies", ErrOption)
	}
	if e.TenCrop {
		return fmt.Errorf("%w: ten crops of generated noise, which is of the model's size", ErrOption)
	}
	base := e.base(e.Dataset, &a.Seed)
	wanted := []string{results.AUROC, results.AUPR, results.FPR95}
	var rows []results.Row
	var normal []float64
	for i := range len(a.Generated) + len(a.Folders) {
		at := base
		at.View = joinViews(a.name(i), e.view())
		if old := e.known(at, wanted, []int{0}); old != nil && e.Records.hasSeries(scoreSeries(base), scoreSeries(at)) {
			rows = append(rows, old...)
			e.Rows = append(e.Rows, old...)
			continue
		}
		if normal == nil {
			var err error
			if normal, err = e.scoresOf(ctx, a.Open, a.Prepare, a.Score, e.Limit, "test set"); err != nil {
				return err
			}
			e.Records.putSeries(scoreSeries(base), normal)
		}
		some, err := e.anomalySet(ctx, a, i, normal, at)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name(i), err)
		}
		if err := e.put(some...); err != nil {
			return err
		}
		rows = append(rows, some...)
	}
	return e.put(meansOver(rows, base, e.view(), wanted)...)
}

// name returns the name of set i: the generated ones come first.
func (a *Anomalies) name(i int) string {
	if i < len(a.Generated) {
		return a.Generated[i].Name
	}
	return a.Folders[i-len(a.Generated)].Name
}

func (e *Evaluator) anomalySet(ctx context.Context, a *Anomalies, i int, normal []float64, at results.Row) ([]results.Row, error) {
	n := max(len(normal)/anomalyShare, 1)
	var odd []float64
	var err error
	if i < len(a.Generated) {
		odd, err = e.generated(ctx, a, a.Generated[i], n)
	} else {
		f := a.Folders[i-len(a.Generated)]
		odd, err = e.scoresOf(ctx, f.Open, a.PrepareFolders, a.Score, n, f.Name)
	}
	if err != nil {
		return nil, err
	}
	e.Records.putSeries(scoreSeries(at), odd)
	if err := e.Records.write(); err != nil {
		return nil, err
	}
	var d metrics.Detection
	if err := errors.Join(d.AddAll(normal, false), d.AddAll(odd, true)); err != nil {
		return nil, err
	}
	at.N = int64(len(normal) + len(odd))
	var rows []results.Row
	for _, m := range []struct {
		name string
		get  func() (float64, error)
	}{
		{results.AUROC, d.AUROC},
		{results.AUPR, d.AveragePrecision},
		{results.FPR95, func() (float64, error) { return d.FPR(metrics.DefaultRecall, metrics.Nearest) }},
	} {
		r := at
		if r.Value, err = m.get(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		r.Metric = m.name
		rows = append(rows, r)
	}
	return rows, nil
}

// scoreSeries names the anomaly scores of the set that a row is of: of the test set for a row without a set.
func scoreSeries(at results.Row) records.Series {
	return records.Series{Cell: cellOf(at, 0), Name: records.AnomalyScore}
}

// scoresOf scores n images of a source, all for n 0.
func (e *Evaluator) scoresOf(
	ctx context.Context, open func() (data.Source, error), p Prepare, score metrics.AnomalyScore, n int, what string,
) ([]float64, error) {
	src, err := open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var out []float64
	s := e.stream(func(t *part, logits []float32) error {
		v, err := scoreOf(t.row, logits, score)
		out = append(out, v)
		return err
	})
	j := job{source: data.Limit(src, n), expander: p.expander, workers: e.Workers, report: e.reporter(what)}
	_, err = j.run(ctx, s)
	return out, err
}

func scoreOf(row int, logits []float32, score metrics.AnomalyScore) (float64, error) {
	o, err := metrics.Score(row, logits, metrics.NoLabel)
	if err != nil {
		return 0, err
	}
	return score.Of(&o)
}

// generated scores n images of a generated set. Its values in [-1, 1] go to the model as images of [0, 1] would.
func (e *Evaluator) generated(ctx context.Context, a *Anomalies, set *ood.Set, n int) ([]float64, error) {
	h, w, norm := e.Predictor.Input()
	classes, batch := e.Predictor.Classes(), max(min(e.Predictor.MaxBatch(), batchLimit), 1)
	size := 3 * h * w
	x, logits := make([]float32, batch*size), make([]float32, batch*classes)
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
		normalise(x[:m*size], x[:m*size], h*w, &norm)
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

// meansOver makes the rows of the means over sets.
func meansOver(rows []results.Row, base results.Row, view string, wanted []string) []results.Row {
	var out []results.Row
	for _, metric := range wanted {
		r, count := base, 0
		r.Metric, r.View = metric, view
		for i := range rows {
			if rows[i].Metric == metric {
				r.Value += rows[i].Value
				r.N += rows[i].N
				count++
			}
		}
		r.Value /= float64(count)
		out = append(out, r)
	}
	return out
}
