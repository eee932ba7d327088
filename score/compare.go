package score

import (
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

var errNoResult = fmt.Errorf("%w: a result is nil (allowed: those of Cells and Files.Score)", ErrOption)

// Compare returns the differences of two models that were scored on the same images with intervals: a's number minus
// b's, with paired intervals for which each replicate draws one set of images for both. Then, for cells of which every
// prediction was kept, how often both predict the same (results.Agreement). Rows are a's, against b. The intervals'
// options are a's.
//
// The error wraps [ErrNoDataset] for data sets of two names, which may have been guessed; metrics.ErrLength or
// metrics.ErrLabel for models that were not scored on the same images, as far as that can be seen; and [ErrOption] for two
// models of one name, and for models of which too little was kept for any row: intervals or predictions of both
// (Options.Bootstrap, Options.Keep), or that are nil.
func Compare(a, b *Result) ([]results.Row, error) {
	if err := sameImages(a, b); err != nil {
		return nil, err
	}
	o := &a.options
	var out []results.Row
	for _, x := range a.statistics {
		i := slices.IndexFunc(b.statistics, func(y namedStatistic) bool {
			at := results.ByCell(&y.row)
			at.View = treatedAs(at.View, x.row.View)
			return at == results.ByCell(&x.row) && unlike([]results.Row{x.row, y.row}) == ""
		})
		if i < 0 {
			continue
		}
		iv, err := metrics.BootstrapDifference(x.stat, b.statistics[i].stat, o.Bootstrap.options(&x.row))
		if errors.Is(err, metrics.ErrUndefined) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("difference of %s: %w", x.row.MetricName(x.row.Metric), err)
		}
		iv = within(-1, x.row.Metric, iv)
		r := x.row
		seed := o.Bootstrap.Seed
		r.Against, r.Value, r.Seed = b.Model, iv.Estimate, &seed
		r.Interval = &results.Interval{Lo: iv.Lo, Hi: iv.Hi, Level: iv.Level}
		out = append(out, r)
	}
	agreement, err := a.agreement(b)
	if err != nil {
		return nil, err
	}
	if out = append(out, agreement...); len(out) == 0 {
		return nil, lacking(a, b)
	}
	return out, nil
}

// treatedAs is a view with the treatment of another one: two models may see the same images prepared in their ways, and not all files
// say of which images they are.
func treatedAs(v, other results.View) results.View {
	v.Preprocess, v.TenCrop, v.Limit = other.Preprocess, other.TenCrop, other.Limit
	if v.Part == "" || other.Part == "" {
		v.Part = other.Part
	}
	return v
}

// lacking says of which of two models nothing was kept to compare, nil for none of them.
func lacking(a, b *Result) error {
	for _, r := range []*Result{a, b} {
		if len(r.statistics) == 0 && !slices.ContainsFunc(r.cells, func(c *Cell) bool { return len(c.pred) > 0 && c.keeps() }) {
			return fmt.Errorf("%w: %s kept neither intervals nor predictions (Options.Bootstrap, Options.Keep), which differences and "+
				"agreement are made of", ErrOption, r.name())
		}
	}
	return nil
}

// sameImages refuses models whose predictions are not of the same images, as far as that can be seen.
func sameImages(a, b *Result) error {
	if a == nil || b == nil {
		return errNoResult
	}
	if a.Model == b.Model {
		return fmt.Errorf("%w: both models are called %s", ErrOption, a.Model)
	}
	if v := treatedAs(b.View(), a.View()); v != a.View() {
		return otherViews(a.name(), a.View(), b.name(), b.View())
	}
	if len(a.cells) != len(b.cells) {
		return fmt.Errorf("%w: %s has %d parts, %s has %d", metrics.ErrLength, a.name(), len(a.cells), b.name(), len(b.cells))
	}
	for i, c := range a.cells {
		o := b.cells[i]
		if x, y := a.datasetOf(c), b.datasetOf(o); x != y {
			return fmt.Errorf("%w: %s was scored on %s, %s on %s, between which there are no differences; if both are of the same images, "+
				"name their data set", ErrNoDataset, a.name(), x, b.name(), y)
		}
		if c.Corruption != o.Corruption || c.Severity != o.Severity || c.rows != o.rows {
			return fmt.Errorf("%w: %s has %d images of %s, %s has %d of %s", metrics.ErrLength, a.name(), c.rows, c.what(),
				b.name(), o.rows, o.what())
		}
		if len(c.ids) > 0 && len(o.ids) > 0 && !slices.Equal(c.ids, o.ids) {
			return fmt.Errorf("%w: %s and %s have other ids of %s, or in another order", metrics.ErrLabel, a.name(), b.name(),
				c.what())
		}
		if c.truths != o.truths {
			return fmt.Errorf("%w: %s and %s have other labels of %s", metrics.ErrLabel, a.name(), b.name(), c.what())
		}
	}
	return nil
}

// name is how errors call a result: by its files, or its model.
func (r *Result) name() string {
	if r.Path != "" {
		return r.Path
	}
	return r.Model
}

// agreement returns a row of how often two models predict the same, for every cell.
func (r *Result) agreement(other *Result) ([]results.Row, error) {
	t := &taking{}
	for i, c := range r.cells {
		o := other.cells[i]
		if len(c.pred) == 0 || !c.keeps() || !o.keeps() || r.Classes != other.Classes && !c.numbers && !o.numbers {
			continue
		}
		g, err := metrics.NewAgreement(max(r.Classes, other.Classes, c.most, o.most))
		if err != nil {
			return nil, err
		}
		for k := range c.pred {
			if err := g.Add(k, int(c.truth[k]), int(c.pred[k]), int(o.pred[k])); err != nil {
				return nil, err
			}
		}
		v, err := g.Rate()
		base := r.options.base()
		base.Model, base.Dataset, base.Corruption, base.Severity = r.Model, r.datasetOf(c), c.Corruption, c.Severity
		base.N, base.Against = int64(c.rows), other.Model
		r.addOrigins(&base)
		if err := t.add(base, results.Agreement, v, err); err != nil {
			return nil, err
		}
	}
	return t.rows, nil
}
