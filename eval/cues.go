package eval

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/score"
)

// CueSuite says how the shape bias is measured: on images whose shape is of one category and whose texture is of another, as their
// file names say, cat1-dog2.png (Geirhos et al., ICLR 2019).
type CueSuite struct {
	Open       func() (data.Source, error) // labels are ignored
	Prepare    Prepare
	Categories []string
	// Members are the model's classes of each category. A prediction is the category whose classes have the largest mean
	// probability.
	Members [][]int
}

// Cues measures the shape bias, of all images and of those of each category of shape. A name that says no categories is an error
// that wraps [data.ErrFormat].
func (e *Evaluator) Cues(ctx context.Context, o *CueSuite) error {
	base := e.base(e.Dataset, nil)
	if err := e.ofImages(&base, e.read(o.Prepare.text())); err != nil {
		return err
	}
	src, err := o.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	counts := score.Cues{Names: o.Categories}
	s := e.stream(func(t *part, logits []float32) error {
		shape, texture, err := cuesOf(t.key, o.Categories)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		if _, err := metrics.Score(t.row, logits, metrics.NoLabel); err != nil { // it refuses what is no number
			return fmt.Errorf("%s: %w", t.name, err)
		}
		counts.Add(shape, texture, category(logits, o.Members))
		return nil
	})
	j := job{source: data.Limit(src, e.Limit), expander: o.Prepare.expander, workers: e.Workers, report: e.reporter("cues")}
	if _, err := j.run(ctx, s); err != nil {
		return err
	}
	if counts.N() == 0 {
		return fmt.Errorf("%w: of all images shape and texture are of one category", ErrNothing)
	}
	return e.put(counts.Rows(base)...)
}

// cuesOf reads the categories of shape and texture from the last element of a key: cat1-dog2.
func cuesOf(key string, categories []string) (shape, texture int, err error) {
	first, second, _ := strings.Cut(path.Base(key), "-")
	shape = slices.Index(categories, strings.TrimRight(first, "0123456789"))
	texture = slices.Index(categories, strings.TrimRight(second, "0123456789"))
	if shape < 0 || texture < 0 {
		return 0, 0, fmt.Errorf("%w: the name says no shape and texture (allowed: such as %s1-%s2, of %s)", data.ErrFormat,
			categories[0], categories[len(categories)-1], strings.Join(categories, ", "))
	}
	return shape, texture, nil
}

// category returns the number of the category with the largest mean probability, the first of equal ones.
func category(logits []float32, members [][]int) int {
	top := float64(slices.Max(logits))
	best, most := 0, math.Inf(-1)
	for i, classes := range members {
		sum := 0.0 // in proportion to the probability
		for _, c := range classes {
			sum += math.Exp(float64(logits[c]) - top)
		}
		if mean := sum / float64(len(classes)); mean > most {
			best, most = i, mean
		}
	}
	return best
}
