package score

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// AlexNet returns the published baseline of a quantity: AlexNet's errors on ImageNet-C or its flip probabilities on
// ImageNet-P. There is none of top-5 distances, and nil is returned.
func AlexNet(q metrics.Quantity) *metrics.Baseline {
	switch q {
	case metrics.ErrorRate:
		return metrics.AlexNetErrors()
	case metrics.FlipProbability:
		return metrics.AlexNetFlips()
	}
	return nil
}

// Baseline says what CE, FR and T5D and their means divide by. The zero value is AlexNet where its published figures
// have a meaning, and nothing elsewhere, with a note.
type Baseline struct {
	None     bool // nothing
	Required bool // where AlexNet has no meaning that is an error
	// Own are the figures of the user's own reference model, by what they are of; see [ReadBaseline]. They are required.
	Own map[metrics.Quantity]*metrics.Baseline
}

// of returns the baseline of a quantity, nil for none.
func (b *Baseline) of(q metrics.Quantity) (*metrics.Baseline, error) {
	switch own := b.Own[q]; {
	case b.None:
		return nil, nil
	case own != nil:
		return own, nil
	case q == metrics.Top5Distance:
		return nil, nil // nothing is published, and a baseline of flips is one too
	case b.Own != nil:
		return nil, fmt.Errorf("%w: the baseline has no rows of %s", metrics.ErrNotComputable, q)
	}
	return AlexNet(q), nil
}

// required reports whether it is an error where the baseline has no meaning.
func (b *Baseline) required() bool { return b.Required || b.Own != nil }

// ReadBaseline reads a baseline from a results.jsonl of one model: the errors of its corruptions, flip probabilities and
// top-5 distances of its perturbations, and its clean error. It returns the errors of results.ReadFile, and one that
// names the file for rows of several models or benchmarks, and for no rows.
func ReadBaseline(path string) (Baseline, error) {
	rows, err := results.ReadFile(path)
	if err != nil {
		return Baseline{}, err
	}
	b := Baseline{Own: map[metrics.Quantity]*metrics.Baseline{}}
	model, clean := "", map[string]float64{} // by data set
	for i := range rows {
		r := &rows[i]
		if model != "" && model != r.Model {
			return b, fmt.Errorf("%s: rows of %s and of %s (allowed: one model as a baseline)", r.Place(), model, r.Model)
		}
		model = r.Model
		if r.View != (results.View{}) || math.IsNaN(r.Value) {
			continue
		}
		if r.Corruption == "" {
			if _, form := results.SplitForm(r.Dataset); form == "" && r.Metric == results.Top1Error && r.Severity == 0 {
				if was, ok := clean[r.Dataset]; ok && was != r.Value {
					return b, fmt.Errorf("%s: error %v of clean images, before it %v (allowed: one number, as of one seed)", r.Place(), r.Value, was)
				}
				clean[r.Dataset] = r.Value
			}
			continue
		}
		if err := b.add(r); err != nil {
			return b, err
		}
	}
	if len(b.Own) == 0 {
		return b, fmt.Errorf("%s: no rows of corruptions or perturbations for a baseline", path)
	}
	if e := b.Own[metrics.ErrorRate]; e != nil {
		e.Clean, e.HasClean = clean[results.Base(e.Profile)]
	}
	return b, nil
}

// add takes a row that baselines are made of, and passes over others.
func (b *Baseline) add(r *results.Located) error {
	q := metrics.Quantity(r.Metric) // the names are the same
	at, count := 0, 1
	switch {
	case q == metrics.ErrorRate && r.Severity > 0 && isWhole(r.Severity):
		at, count = int(r.Severity)-1, severities
	case q == metrics.FlipProbability, q == metrics.Top5Distance:
	default:
		return nil
	}
	own, difficulty := b.Own[q], Place(results.ByCell(&r.Row)).Difficulty
	if own == nil {
		own = &metrics.Baseline{
			Model: r.Model, Profile: r.Dataset, Quantity: q, Difficulty: difficulty, Values: map[string][]float64{},
		}
		b.Own[q] = own
	}
	if own.Profile != r.Dataset || own.Difficulty != difficulty {
		return fmt.Errorf("%s: %s of %s at difficulty %d, the rows before are of %s at %d (allowed: one benchmark)", r.Place(),
			q, r.Dataset, difficulty, own.Profile, own.Difficulty)
	}
	if own.Values[r.Corruption] == nil {
		own.Values[r.Corruption] = slices.Repeat([]float64{math.NaN()}, count) // refused when used
	}
	if was := own.Values[r.Corruption][at]; !math.IsNaN(was) && was != r.Value {
		return fmt.Errorf("%s: %s %v of %s, before it %v (allowed: one number of each, as of one seed)", r.Place(), q, r.Value, r.Corruption, was)
	}
	own.Values[r.Corruption][at] = r.Value
	return nil
}

// whose says whose figures a baseline holds, for results.VersionBaseline; "" for AlexNet's published ones. Baselines of one name and
// other figures are told apart.
func whose(b *metrics.Baseline) string {
	if p := AlexNet(b.Quantity); p != nil && maps.EqualFunc(b.Values, p.Values, slices.Equal[[]float64]) &&
		(!b.HasClean || b.Clean == p.Clean) {
		return ""
	}
	sum := fnv.New32a()
	for _, name := range slices.Sorted(maps.Keys(b.Values)) {
		fmt.Fprint(sum, name, b.Values[name]) // into memory
	}
	fmt.Fprint(sum, b.Difficulty, b.Clean, b.HasClean)
	return fmt.Sprintf("%s (%08x)", b.Model, sum.Sum32())
}

// severities is how many a -C form has.
const severities = predictions.Severities
