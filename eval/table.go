package eval

import (
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// table collects the cells of a corrupted form and takes the benchmark's means of them: the same rows, with the same
// values, as "augmix score" takes from saved logits.
type table struct {
	profile *metrics.Profile
	errors  *metrics.Grid
	values  map[string]map[string][]float64 // by metric and corruption, severities in order
	order   []string                        // of metrics, the error first
	present []string                        // corruptions
	n       int64                           // images of a cell
}

// add takes the rows of a corruption's severities; other rows are passed over.
func (t *table) add(rows []results.Row) error {
	for _, r := range rows {
		if r.Severity == 0 || r.Corruption == "" {
			continue
		}
		if r.Metric == results.Top1Error {
			if err := t.errors.Set(r.Corruption, r.Severity, r.Value); err != nil {
				return err
			}
			if len(t.present) == 0 || t.present[len(t.present)-1] != r.Corruption {
				t.present = append(t.present, r.Corruption)
			}
			t.n = r.N
			continue
		}
		if t.values[r.Metric] == nil {
			t.values[r.Metric] = map[string][]float64{}
			t.order = append(t.order, r.Metric)
		}
		t.values[r.Metric][r.Corruption] = append(t.values[r.Metric][r.Corruption], r.Value)
	}
	return nil
}

// corruption returns the means of one corruption over severities; none where severities are missing.
func (t *table) corruption(base results.Row) ([]results.Row, error) {
	k := int64(t.profile.Severities)
	rows, err := aggregate(t.errors, base, t.n*k, results.Top1Error, metrics.UCE(base.Corruption))
	if err != nil || rows == nil {
		return nil, err
	}
	for _, metric := range t.order {
		if v := t.values[metric][base.Corruption]; len(v) == t.profile.Severities {
			base.Metric, base.Value, base.N = metric, mean(v), t.n*k
			rows = append(rows, base)
		}
	}
	return rows, nil
}

// whole reports whether every corruption of the benchmark is there.
func (t *table) whole() bool {
	for _, name := range t.profile.Primary() {
		if !slices.Contains(t.present, name) {
			return false
		}
	}
	return true
}

// mean is NaN where any value is.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// benchmark returns the means over corruptions: of all, of severities, of groups, and those that divide by AlexNet's
// errors where these belong to the benchmark. A mean that lacks cells is left out.
func (t *table) benchmark(base results.Row) ([]results.Row, error) {
	primary := t.profile.Primary()
	k, all := int64(t.profile.Severities), int64(len(primary))
	var rows []results.Row
	var failed error
	add := func(at results.Row, cells int64, metric string, a metrics.Aggregate) bool {
		some, err := aggregate(t.errors, at, t.n*cells, metric, a)
		if failed == nil {
			failed = err
		}
		rows = append(rows, some...)
		return len(some) > 0
	}
	if add(base, k*all, results.Top1Error, metrics.MeanAll()) {
		for s := 1; s <= t.profile.Severities; s++ {
			at := base
			at.Severity = s
			add(at, all, results.Top1Error, metrics.SeverityMean(s))
		}
		rows = append(rows, t.otherMeans(base, primary)...)
	}
	for _, g := range metrics.Groups() {
		if n := len(t.profile.Members(g)); n > 0 {
			at := base
			at.View = joinViews(string(g), base.View)
			add(at, k*int64(n), results.Top1Error, metrics.GroupMean(g))
		}
	}
	alex := metrics.AlexNetErrors()
	for _, name := range t.present {
		if alex.Values[name] != nil {
			at := base
			at.Corruption = name
			add(at, k, results.CE, metrics.CE(name, alex))
			add(at, k, results.RelativeCE, metrics.RelativeCE(name, alex))
		}
	}
	add(base, k*all, results.MeanCE, metrics.MeanCE(alex))
	add(base, k*all, results.RelativeMeanCE, metrics.RelativeMeanCE(alex))
	return rows, failed
}

// otherMeans takes the means of the metrics that are not errors over the whole benchmark.
func (t *table) otherMeans(base results.Row, primary []string) []results.Row {
	var rows []results.Row
	for _, metric := range t.order {
		var all []float64
		for _, name := range primary {
			all = append(all, t.values[metric][name]...)
		}
		if len(all) == len(primary)*t.profile.Severities {
			base.Metric, base.Value, base.N = metric, mean(all), t.n*int64(len(all))
			rows = append(rows, base)
		}
	}
	return rows
}
