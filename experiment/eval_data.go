package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/results"
)

// rawSource opens the test set with the labels that it has.
func (r *evaluation) rawSource() (src data.Source, err error) {
	asked := cmp.Or(r.Split, "test")
	src, r.Split, err = formats.OpenSplit(r.In, r.input(), "test")
	if err != nil || r.opened || r.Split == "" {
		return src, err
	}
	r.opened = true
	if part := formats.PartName(r.In, r.Split); part != "the "+asked+" part" { // the only one, or another folder stands for it
		logf(r.Say, "%s: taking %s", r.In, part)
	}
	return src, nil
}

// source opens the test set with the labels of the model.
func (r *evaluation) source() (data.Source, error) {
	src, err := r.rawSource()
	if err != nil {
		return nil, err
	}
	matched, err := r.matched(src)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return matched, nil
}

// sign takes the fingerprint of the samples that are going to be looked at. Standard input is left for the measurement.
func (r *evaluation) sign(ctx context.Context) error {
	if r.In == formats.Standard {
		return nil
	}
	src, err := r.rawSource()
	if err != nil {
		return err
	}
	defer src.Close()
	watched := &labelWatch{Source: data.Limit(src, r.Limit)}
	if r.signature, err = data.Sign(ctx, watched); err != nil {
		return err
	}
	if watched.missing && r.needsLabels() { // said before anything is measured or written
		return data.Unlabeled(watched.first)
	}
	if r.signature.N == 0 {
		return fmt.Errorf("%w: %s is empty", eval.ErrNothing, r.In)
	}
	return nil
}

// listClean lists the test set, for a comparison with the form in dir. It is nil where that cannot be.
func (r *evaluation) listClean(ctx context.Context, dir string) (*eval.CleanSet, error) {
	if r.In == formats.Standard {
		logf(r.Say, "%s is not compared with the test set, which is read from standard input", dir)
		return nil, nil
	}
	if r.listed == nil {
		var err error
		if r.listed, err = eval.ListClean(ctx, r.rawSource, r.source, r.Limit); err != nil {
			return nil, err
		}
	}
	return r.listed, nil
}

// needsLabels reports whether a suite compares predictions with labels of the test set. Flips and OOD scores do not, and forms in
// folders have labels of their own.
func (r *evaluation) needsLabels() bool {
	return r.suites[suiteClean] || r.suites[suiteC] && r.C == "" || r.suites[suiteCBar] && r.Cbar == "" || r.suites[suitePGD] ||
		r.suites[suiteFourier]
}

// labelWatch notes the first sample without a label.
type labelWatch struct {
	data.Source
	missing bool
	first   string // its key
}

// Next implements [data.Source].
func (w *labelWatch) Next(m *data.Sample) error {
	err := w.Source.Next(m)
	if err == nil && m.Label == data.NoLabel && !w.missing {
		w.missing, w.first = true, m.Key
	}
	return err
}

// sameData refuses to resume in a folder whose rows are of other samples under the same name.
func (r *evaluation) sameData(known []results.Located) error {
	for i := range known {
		old := &known[i]
		if old.Model != r.Name || results.SampleSet(old.Dataset) != results.SampleSet(r.Dataset) || old.Limit != r.Limit ||
			old.Part != r.Part {
			continue
		}
		was, now := cmp.Or(old.Versions[results.VersionPartOf], old.Data), r.signature.Samples
		if was == "" || was == now {
			was, now = old.Versions[results.VersionContent], r.signature.Content
		}
		if was != "" && now != "" && was != now {
			return option.Errorf(ErrOption, "{dataset}: %s holds results on other data called %s (%s, now %s of %s); choose another folder or "+
				"name", old.Place(), r.Dataset, was, now, r.In)
		}
	}
	return nil
}
