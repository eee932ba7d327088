package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
)

// Scores of OOD detection by features: what a network makes of images before its last layer. See package ood.
const (
	ScoreKNN         = metrics.OODScore("knn")
	ScoreMahalanobis = metrics.OODScore("mahalanobis")
	ScoreViM         = metrics.OODScore("vim")
)

// FeatureScores lists the scores by features.
func FeatureScores() []metrics.OODScore {
	return []metrics.OODScore{ScoreKNN, ScoreMahalanobis, ScoreViM}
}

// OODFit says of which images the detector of a score by features is made: those that the network was trained on.
type OODFit struct {
	Open      func() (data.Source, error)
	Path      string // where they lie, for messages
	Prepare   Prepare
	Limit     int // images, evenly spread; 0: all
	Neighbors int // k of ScoreKNN; 0: ood.Neighbors
	// Save is a folder for the features, "" for none: training.npy, test.npy and NAME.npy of each OOD set that is measured, float32
	// [N, features], and training.labels.npy, int64 [N].
	Save string
}

// maxFeatures bounds the values of the features of training images: 2 GiB, 262,144 images of 2,048.
const maxFeatures = 1 << 29

// name is what rows call the score: with what is not as usual.
func (a *OODSuite) scoreName() string {
	name := string(a.Score)
	if f := a.Fit; f != nil {
		if a.Score == ScoreKNN && f.Neighbors != 0 && f.Neighbors != ood.Neighbors {
			name += fmt.Sprintf("-k%d", f.Neighbors)
		}
		if f.Limit > 0 {
			name += fmt.Sprintf("-n%d", f.Limit)
		}
	}
	return name
}

// oodBase returns the row of the suite without a measurement.
func (e *Evaluator) oodBase(a *OODSuite) (results.Row, error) {
	base := e.base(e.Dataset, &a.Seed)
	if a.Score != metrics.MSP {
		base.Score = a.scoreName()
	}
	if a.Fit == nil {
		return base, nil
	}
	_, _, err := networkOf(e.Predictor)
	return base, err
}

// ofSet says in the row of set i which files it depends on.
func (e *Evaluator) ofSet(at *results.Row, a *OODSuite, i int) error {
	var folder *OODFolder
	if i >= len(a.Generated) {
		folder = &a.Folders[i-len(a.Generated)]
	}
	if folder == nil && a.Fit == nil {
		return nil
	}
	place := ""
	if folder != nil {
		place = cmp.Or(folder.Path, folder.Name)
	}
	return e.ofFiles(at, cmp.Or(place, a.Fit.path()), func() (sum string, err error) {
		if folder != nil {
			if sum, err = glanceOf(folder.Open()); err != nil || a.Fit == nil {
				return sum, err
			}
		}
		fit, err := glanceOf(a.Fit.Open())
		return sum + "+" + fit, err
	})
}

func (f *OODFit) path() string {
	if f == nil {
		return ""
	}
	return f.Path
}

// oodScorer scores what a model makes of images, in rows of size.
type oodScorer struct {
	model Predictor
	// score writes the scores of rows, the first of which has that number.
	score func(dst []float64, rows []float32, first int) error
	rows  []float32 // that are not scored yet
	out   []float64
	save  string    // folder that rows are kept for; "": they are not
	kept  []float32 // all rows since the last end
}

// scoredAtOnce bounds the rows that wait.
const scoredAtOnce = 256

// add takes the next row.
func (s *oodScorer) add(row []float32) error {
	s.rows = append(s.rows, row...)
	if len(s.rows) < scoredAtOnce*s.model.Classes() {
		return nil
	}
	return s.flush()
}

func (s *oodScorer) flush() error {
	first, n := len(s.out), len(s.rows)/s.model.Classes()
	if s.save != "" {
		s.kept = append(s.kept, s.rows...)
	}
	s.out = append(s.out, make([]float64, n)...)
	err := s.score(s.out[first:], s.rows, first)
	s.rows = s.rows[:0]
	return err
}

// end returns the scores of all rows since the last end, which are of the images called what.
func (s *oodScorer) end(what string) ([]float64, error) {
	err := s.flush()
	if err == nil && s.save != "" {
		if what == testSet {
			what = "test"
		}
		err = saveFeatures(s.save, what, s.kept, s.model.Classes())
	}
	out := s.out
	s.out, s.kept = nil, nil
	return out, err
}

// saveFeatures writes rows of features.
func saveFeatures(dir, name string, values []float32, dim int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return npy.WriteFile(filepath.Join(dir, name+".npy"), &npy.Array{Shape: []int{len(values) / dim, dim}, Data: values})
}

func saveLabels(dir string, labels []int) error {
	wide := make([]int64, len(labels))
	for i, l := range labels {
		wide[i] = int64(l)
	}
	return npy.WriteFile(filepath.Join(dir, "training.labels.npy"), &npy.Array{Shape: []int{len(wide)}, Data: wide})
}

// oodScorer returns what scores images: of their logits, or of their features once the training images are seen.
func (e *Evaluator) oodScorer(ctx context.Context, a *OODSuite) (*oodScorer, error) {
	if a.Fit != nil {
		return e.featureScorer(ctx, a)
	}
	classes := e.Predictor.Classes()
	return &oodScorer{model: e.Predictor, score: func(dst []float64, rows []float32, first int) error {
		for i := range dst {
			row := rows[i*classes:][:classes]
			o, err := metrics.Score(first+i, row, metrics.NoLabel)
			if err == nil {
				dst[i], err = metrics.OODScoreOf(a.Score, &o, row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// networkOf returns the network behind a predictor and which of its classes that chooses among, nil for all.
func networkOf(p Predictor) (*Network, []int, error) {
	switch p := p.(type) {
	case *Network:
		return p, nil, nil
	case *amongNetwork:
		return p.network, p.classes, nil
	}
	return nil, nil, fmt.Errorf("%w: OOD scores by features of a model that this program does not run itself, or whose logits are scaled", ErrOption)
}

// featureScorer makes the detector.
func (e *Evaluator) featureScorer(ctx context.Context, a *OODSuite) (*oodScorer, error) {
	net, classes, err := networkOf(e.Predictor)
	if err != nil {
		return nil, err
	}
	model, weight, bias, err := net.Features()
	if err != nil {
		return nil, err
	}
	train := &ood.Features{Dim: model.Classes()}
	err = e.outputsOf(ctx, a.Fit.Open, a.Fit.Prepare, model, a.Fit.Limit, "features of the training data", func(t *part, out []float32) error {
		if len(train.Values)+len(out) > maxFeatures {
			return option.Errorf(ErrOption, "features of more than %d training images (allowed: a part of them, {ood-train-limit})", len(train.Labels))
		}
		train.Values, train.Labels = append(train.Values, out...), append(train.Labels, t.label)
		return nil
	})
	if err == nil && a.Fit.Save != "" {
		err = errors.Join(saveFeatures(a.Fit.Save, "training", train.Values, train.Dim), saveLabels(a.Fit.Save, train.Labels))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Fit.Path, err)
	}
	var d ood.Detector
	switch a.Score {
	case ScoreKNN:
		d, err = ood.NewKNN(train, cmp.Or(a.Fit.Neighbors, ood.Neighbors))
	case ScoreMahalanobis:
		d, err = ood.NewMahalanobis(train)
	case ScoreViM:
		d, err = ood.NewViM(train, chosen(weight, classes, train.Dim), chosen(bias, classes, 1))
	default:
		err = fmt.Errorf("%w: OOD score %q by features (allowed: %v)", ErrOption, a.Score, FeatureScores())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Fit.Path, err)
	}
	return &oodScorer{model: model, save: a.Fit.Save, score: func(dst []float64, rows []float32, _ int) error {
		d.Scores(dst, rows)
		return nil
	}}, nil
}

// chosen returns the rows of those classes, all for nil.
func chosen(values []float32, classes []int, width int) []float32 {
	if classes == nil {
		return values
	}
	var out []float32
	for _, c := range classes {
		out = append(out, values[c*width:][:width]...)
	}
	return out
}

// Features returns the network without its last layer, which makes features of images: as a [Predictor] whose classes are these;
// and the weights, [classes, features], and biases of that layer. The error wraps [ErrModel].
func (n *Network) Features() (features *Network, weight, bias []float32, err error) {
	g, last, err := n.Graph.Features()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if n.net == nil {
		if err := n.make(1); err != nil {
			return nil, nil, nil, err
		}
	}
	bias = make([]float32, n.Graph.Classes) // of a layer without any
	for _, t := range n.net.Tensors() {
		switch t.Name {
		case last + ".weight":
			weight = t.Data
		case last + ".bias":
			bias = t.Data
		}
	}
	if weight == nil {
		return nil, nil, nil, errors.Join(ErrModel, fmt.Errorf("layer %s of %s has no weights", last, n.Graph.Name))
	}
	f := &Network{Graph: g, Workers: n.Workers, Preprocess: n.Preprocess, norm: n.norm, prepare: n.prepare, weights: n.tensorsOf(g)}
	return f, weight, bias, f.make(1)
}
