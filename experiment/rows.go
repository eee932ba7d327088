package experiment

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/results"
)

// Models returns what rows call the models of the methods, in their order.
func (x *Experiment) Models() (names []string) {
	for i := range x.Stages {
		if e := x.Stages[i].Eval; e != nil && !x.Stages[i].joins {
			names = append(names, e.rowsName())
		}
	}
	return names
}

// Rows returns the rows of all methods that the experiment measures, after their evaluation. The folder may have others beside them,
// which another recipe or other options have measured there before.
func (x *Experiment) Rows() ([]results.Row, error) {
	var rows []results.Row
	for i := range x.Stages {
		e := x.Stages[i].Eval
		if e == nil {
			continue
		}
		all, err := results.ReadFile(filepath.Join(e.Dir, results.FileName))
		if err != nil {
			return nil, err
		}
		rows = append(rows, e.ownRows(results.Rows(all))...)
	}
	return rows, nil
}

// rowsName is what rows call the model of a given name.
func (e *Eval) rowsName() string {
	name := exitName(e.Name, e.Exit)
	if e.TemperatureOn != "" {
		name += temperatureScaled
	}
	return name
}

// ownRows are the rows that e measures, of those of its folder.
func (e *Eval) ownRows(rows []results.Row) []results.Row {
	name, part := e.rowsName(), e.rowsPart()
	own := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
		return r.Model != name || r.Part != part || r.Limit != e.Limit || r.TenCrop != e.TenCrop || r.Seed != nil && *r.Seed != e.Seed ||
			e.Dataset != "" && results.SampleSet(r.Dataset) != e.Dataset
	})
	own = those(own, func(r *results.Row) bool { return (r.Preprocess != "") == (e.Preprocess != "") })
	return those(own, func(r *results.Row) bool { return (r.Among > 0) == e.saysAmong(r) })
}

// those are the rows that fit. Where none does, all are: e asks for what the others need not say, as it is usual.
func those(rows []results.Row, fits func(r *results.Row) bool) []results.Row {
	some := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return !fits(&r) })
	if len(some) == 0 {
		return rows
	}
	return some
}

// saysAmong reports whether rows say among how many classes predictions are, where the test set has only some of the model's, see
// [evaluation.amongOther].
func (e *Eval) saysAmong(r *results.Row) bool {
	set := strings.TrimSuffix(results.Base(r.Dataset), "-64")
	chosen := set == imagenet.R || set == imagenet.A
	return chosen == (e.Among == amongModel)
}

// rowsPart is what rows call the samples.
func (e *Eval) rowsPart() string {
	if e.Part != "" {
		return e.Part
	}
	return data.Filter{Only: e.Only, Without: e.Without}.String()
}
