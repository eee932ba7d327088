package eval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// nearest is a classifier of one's own: the class whose images of the training set have the nearest mean texture.
type nearest [][2]float32

// texture is how much green differs from pixel to pixel, to the right and downwards, of a plane of values in [0, 1].
func texture(plane []float32, w int) (t [2]float32) {
	for i := range plane[w+1:] {
		for k, step := range []int{1, w} {
			d := plane[i] - plane[i+step]
			t[k] += d * d / float32(len(plane))
		}
	}
	return t
}

// train takes the means over a labeled data set by class.
func train(src data.Source) (nearest, error) {
	means, counts := make(nearest, len(src.Info().Classes)), make([]float32, len(src.Info().Classes))
	for m, err := range data.Images(src, nil) {
		if err != nil {
			return nil, err
		}
		green := make([]float32, m.W*m.H)
		for i := range green {
			green[i] = float32(m.Pix[4*i+1]) / 255
		}
		counts[m.Label]++
		for k, v := range texture(green, m.W) {
			means[m.Label][k] += v
		}
	}
	for class, n := range counts {
		for k := range means[class] {
			means[class][k] /= n
		}
	}
	return means, nil
}

// predict writes a logit for each class of n images, which are [3][32][32] planes one after the other.
func (m nearest) predict(logits, x []float32, n int) error {
	const plane = 32 * 32
	for i := range n {
		t := texture(x[(3*i+1)*plane:][:plane], 32)
		for class, mean := range m {
			dx, dy := t[0]-mean[0], t[1]-mean[1]
			logits[i*len(m)+class] = -1e4 * (dx*dx + dy*dy)
		}
	}
	return nil
}

// A model that is a function of yours, from training to measurements and a report. Scenes are drawn images of ten classes; fog takes the
// texture away by which this model knows them.
func ExampleFunc() {
	dir, err := os.MkdirTemp("", "eval")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := measure(context.Background(), dir); err != nil {
		fmt.Println(err)
		return
	}
	run, err := report.Load(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := report.Build(context.Background(), []*report.Run{run}, report.Options{Title: "Mean textures"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var html strings.Builder
	fmt.Println(page.WriteHTML(&html), strings.Contains(html.String(), "<title>Mean textures</title>"))
	// Output:
	// scenes  0 81.00 %
	// scenes-c fog 1 80.00 %
	// scenes-c fog 5 90.00 %
	// scenes-c jpeg_compression 1 76.00 %
	// scenes-c jpeg_compression 5 78.00 %
	// <nil> true
}

// measure writes the rows of a run into a folder.
func measure(ctx context.Context, dir string) error {
	known, err := formats.Open("scenes:n=500", formats.Options{})
	if err != nil {
		return err
	}
	model, err := train(known)
	if err := errors.Join(err, known.Close()); err != nil {
		return err
	}
	test := func() (data.Source, error) { return formats.Open("scenes:n=100,split=test", formats.Options{}) }
	e := &eval.Evaluator{
		Model:   eval.Model{Name: "mean texture", Predictor: &eval.Func{H: 32, W: 32, Class: len(model), Batch: 64, Do: model.predict}},
		Dataset: "scenes",
	}
	src, err := test()
	if err != nil {
		return err
	}
	err = errors.Join(e.Clean(ctx, src, eval.Prepare{}), src.Close(), e.Corruptions(ctx, &eval.CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"fog", "jpeg_compression"}, Open: test, Plan: transform.Corruptions{Severities: []float64{1, 5}},
	}))
	if err != nil {
		return err
	}
	for _, row := range e.Rows {
		if row.Metric == results.Top1Error {
			fmt.Println(row.Dataset, row.Corruption, row.Severity, results.Metric(row.Metric).Format(row.Value))
		}
	}
	return results.WriteFile(filepath.Join(dir, results.FileName), e.Rows)
}
