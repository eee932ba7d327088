package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

// OODSuite says how out-of-distribution detection is measured: the test set against sets of other images, a fifth as
// many of each (Hendrycks et al., Outlier Exposure, ICLR 2019, as PixMix's tables).
type OODSuite struct {
	// Open returns the test set, whose labels are ignored.
	Open func() (data.Source, error)
	// Score is what makes an image out of distribution; metrics.MSP in the papers. With Fit it is by features, not by logits.
	Score metrics.OODScore
	// Fit says of which images the detector of a score by features is made; nil for scores by logits.
	Fit *OODFit
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

// testSet is what messages and files of features call the test set.
const testSet = "test set"

// oodShare is how many test images there are to one out-of-distribution image.
const oodShare = 5

// OOD measures AUROC, AUPR and FPR95 of each set and their means over the sets, with those that Known has.
func (e *Evaluator) OOD(ctx context.Context, a *OODSuite) error {
	if len(a.Generated)+len(a.Folders) == 0 {
		return fmt.Errorf("%w: no out-of-distribution set", ErrOption)
	}
	base, err := e.oodBase(a)
	if err != nil {
		return err
	}
	if e.TenCrop {
		return fmt.Errorf("%w: ten crops of generated noise, which is of the model's size", ErrOption)
	}
	wanted := []string{results.AUROC, results.AUPR, results.FPR95}
	var rows []results.Row
	var test []float64
	var by *oodScorer
	for i := range len(a.Generated) + len(a.Folders) {
		at := base
		at.OOD = a.name(i)
		how := a.text(i)
		if e.Preprocess != nil && i < len(a.Generated) { // older versions left these as they were
			how += ", then preprocessed"
		}
		if err := e.ofImages(&at, how); err != nil {
			return err
		}
		if err := e.ofSet(&at, a, i); err != nil {
			return err
		}
		if old := e.known(at, wanted, []float64{0}); old != nil && e.Records.hasSeries(scoreSeries(base), scoreSeries(at)) {
			rows = append(rows, old...)
			e.reuse(at.OOD, old)
			continue
		}
		if test == nil {
			if by, err = e.oodScorer(ctx, a); err != nil {
				return err
			}
			if test, err = e.scoresOf(ctx, a.Open, a.Prepare, by, e.Limit, testSet); err != nil {
				return err
			}
			e.Records.putSeries(scoreSeries(base), test)
		}
		some, err := e.oodSet(ctx, a, i, by, test, at)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name(i), err)
		}
		if err := e.put(some...); err != nil {
			return err
		}
		rows = append(rows, some...)
	}
	e.sayFewer(rows, int64(len(test)+len(test)/oodShare))
	if others := e.otherSets(a, base, wanted); len(others) > 0 { // one order of adding, whichever sets were asked for
		generated := len(a.Generated) * len(wanted)
		rows = append(rows, others...)
		slices.SortStableFunc(rows[generated:], func(x, y results.Row) int { return cmp.Compare(x.OOD, y.OOD) })
	}
	return e.put(score.DetectionMeans(base, rows)...)
}

// sayFewer says which sets have fewer images than a fifth of the test set's, of which all are whole. whole is 0 where nothing was measured:
// then it is what most have.
func (e *Evaluator) sayFewer(rows []results.Row, whole int64) {
	for i := range rows {
		whole = max(whole, rows[i].N)
	}
	for i := range rows {
		if r := &rows[i]; e.Say != nil && r.Metric == results.AUPR && r.N < whole {
			e.Say("note: %s has fewer images than the others (by %d), which are a fifth as many as the test set's: its AUPR, which depends on "+
				"that, is not comparable with theirs, and is in their mean (allowed: a set of more images, or a smaller limit)", r.OOD, whole-r.N)
		}
	}
}

// otherSets returns the rows of the sets that an earlier run has measured and this one is not asked for, by name: the means are over
// all sets that are kept, so that no folder has two.
func (e *Evaluator) otherSets(a *OODSuite, base results.Row, wanted []string) (rows []results.Row) {
	asked := map[string]bool{"": true}
	for i := range len(a.Generated) + len(a.Folders) {
		asked[a.name(i)] = true
	}
	var names []string
	for i := range e.Known {
		if name := e.Known[i].OOD; !asked[name] {
			asked[name] = true
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		at := base
		at.OOD = name
		rows = append(rows, e.known(at, wanted, []float64{0})...)
	}
	e.Rows = append(e.Rows, rows...)
	return rows
}

// name returns the name of set i: the generated ones come first.
func (a *OODSuite) name(i int) string {
	if i < len(a.Generated) {
		return a.Generated[i].Name
	}
	return a.Folders[i-len(a.Generated)].Name
}

func (e *Evaluator) oodSet(
	ctx context.Context, a *OODSuite, i int, by *oodScorer, test []float64, at results.Row,
) ([]results.Row, error) {
	n := max(len(test)/oodShare, 1)
	var other []float64
	var err error
	if i < len(a.Generated) {
		other, err = e.generated(ctx, a, a.Generated[i], by, n)
	} else {
		f := a.Folders[i-len(a.Generated)]
		other, err = e.scoresOf(ctx, f.Open, a.PrepareFolders, by, n, f.Name)
	}
	if err != nil {
		return nil, err
	}
	base := at
	base.OOD = ""
	rows, err := score.Detection(base, a.name(i), metrics.OODScore(a.scoreName()), test, other)
	if err == nil {
		err = e.agree(rows)
	}
	if err != nil {
		return nil, err
	}
	e.Records.putSeries(scoreSeries(at), other)
	return rows, e.Records.write()
}

// scoreSeries names the OOD scores of the set that a row is of: of the test set for a row without a set.
func scoreSeries(at results.Row) records.Series {
	return records.Series{Cell: cellOf(at, 0), Name: records.OODScore}
}

// scoresOf scores n images of a source, all for n 0.
func (e *Evaluator) scoresOf(
	ctx context.Context, open func() (data.Source, error), p Prepare, by *oodScorer, n int, what string,
) ([]float64, error) {
	err := e.outputsOf(ctx, open, p, by.model, n, what, func(_ *part, out []float32) error { return by.add(out) })
	if err != nil {
		return nil, err
	}
	return by.end(what)
}

// outputsOf gives what a model makes of n images of a source, all for n 0, to do, in their order.
func (e *Evaluator) outputsOf(
	ctx context.Context, open func() (data.Source, error), p Prepare, model Predictor, n int, what string, do func(*part, []float32) error,
) error {
	src, err := open()
	if err != nil {
		return err
	}
	defer src.Close()
	with := *e
	with.Predictor = model
	j := job{source: data.Limit(src, n), expander: p.expander, workers: e.Workers, report: e.reporter(what)}
	_, err = j.run(ctx, with.stream(do))
	return err
}

// generated scores n images of a generated set. Its values in [-1, 1] go to the model as images of [0, 1] would.
func (e *Evaluator) generated(ctx context.Context, a *OODSuite, set *ood.Set, by *oodScorer, n int) ([]float64, error) {
	h, w, norm := by.model.Input()
	outputs, batch := by.model.Classes(), max(min(by.model.MaxBatch(), batchLimit), 1)
	size := 3 * h * w
	x, y := make([]float32, batch*size), make([]float32, batch*outputs)
	if _, away := e.Predictor.(Remote); away {
		return nil, fmt.Errorf("%w: generated OOD sets for a model in another program", ErrOption)
	}
	key := rng.NewKey(a.Seed).Str("anomalies").Str(set.Name)
	var scratch ood.Scratch
	pre := preprocessor{method: e.Preprocess}
	for done := 0; done < n; {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		m := min(batch, n-done)
		for i := range m {
			r := key.Uint(uint64(done + i)).Rand()
			set.Draw(x[i*size:][:size], h, w, &r, &scratch)
		}
		for i, v := range x[:m*size] {
			x[i] = (v + 1) / 2
		}
		if e.Preprocess == nil {
			normalize(x[:m*size], x[:m*size], h*w, &norm)
		} else {
			pre.planes(x[:m*size], m, w, h, &norm)
		}
		if err := by.model.Predict(y[:m*outputs], x[:m*size], m); err != nil {
			return nil, err
		}
		for i := range m {
			if err := by.add(y[i*outputs:][:outputs]); err != nil {
				return nil, err
			}
		}
		done += m
		if e.Report != nil {
			e.Report(set.Name, done, n)
		}
	}
	return by.end(set.Name)
}

// preprocessor gives images that are made as planes the model's preprocessing, in 8 bits, as it takes those of files.
type preprocessor struct {
	method    preprocess.Method
	src, dst  raster.Image
	scratch   preprocess.Scratch
	mixing    mix.Batch
	images    [1]*raster.Image
	noRandoms [1]rng.Key
}

// planes replaces the n images x in [0, 1] by the normalized values of what preprocessing makes of them.
func (p *preprocessor) planes(x []float32, n, w, h int, norm *mix.Normalization) {
	p.images[0] = &p.dst
	each := 3 * w * h
	for i := range n {
		one := x[i*each:][:each]
		quantize(&p.src, one, w, h)
		p.method.Apply(&p.dst, &p.src, &p.scratch)
		p.mixing.ApplyPlanes(mix.None{}, one, p.images[:], norm, p.noRandoms[:])
	}
}
