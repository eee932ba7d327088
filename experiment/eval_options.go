package experiment

import (
	"reflect"
	"slices"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/metrics"
)

// suiteOption is a field of [Eval] that some suites alone look at.
type suiteOption struct {
	key   string
	given bool // it has another value than without a word
	taken bool // a suite that is measured looks at it
	by    string
	clear func()
}

// optionOf describes a field with the default plain.
func optionOf[T any](key string, field *T, plain T, taken bool, by string) suiteOption {
	v := reflect.ValueOf(field).Elem()
	none := v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0
	return suiteOption{key, !none && !reflect.DeepEqual(*field, plain), taken, by, v.SetZero}
}

// suiteOptions lists what suites alone look at.
func (e *Eval) suiteOptions() []suiteOption {
	has := func(suite string) bool { return slices.Contains(e.Suites, suite) }
	c, bar, p, pgd, ood, fourier := has(suiteC), has(suiteCBar), has(suiteP), has(suitePGD), has(suiteOOD), has(suiteFourier)
	madeC, madeBar, madeP := c && e.C == "", bar && e.Cbar == "", p && e.P == ""
	const made = ", made and not read from a folder"
	return []suiteOption{
		optionOf("c", &e.C, "", c, "c"),
		optionOf("cbar", &e.Cbar, "", bar, "cbar"),
		optionOf("subset", &e.Subset, []string{"common"}, c, "c"),
		optionOf("severity", &e.Severity, "1-5", c || bar, "c or cbar"),
		optionOf("bar-profile", &e.BarProfile, "auto", c || bar, "c or cbar"),
		optionOf("profile", &e.Profile, "auto", madeC || madeBar || madeP, "c, cbar or p"+made),
		optionOf("frost-dir", &e.FrostDir, "", madeC, "c"+made),
		optionOf("image", &e.Image, "auto", madeC || madeBar, "c or cbar"+made),
		optionOf("quality", &e.Quality, 85, madeC || madeBar, "c or cbar"+made),
		optionOf("styles", &e.Styles, "", madeC, "c"+made),
		optionOf("style-weights", &e.StyleWeights, "", madeC, "c"+made),
		optionOf("p", &e.P, "", p, "p"),
		optionOf("perturbation", &e.Perturbation, []string{"common"}, p, "p"),
		optionOf("difficulty", &e.Difficulty, 1, p, "p"),
		optionOf("pgd-eps", &e.PGDEps, 2, pgd, "pgd"),
		optionOf("pgd-step", &e.PGDStep, 0.5, pgd, "pgd"),
		optionOf("pgd-steps", &e.PGDSteps, 20, pgd, "pgd"),
		optionOf("pgd-centered", &e.PGDCentered, false, pgd, "pgd"),
		optionOf("ood", &e.OOD, nil, ood, "ood"),
		optionOf("ood-score", &e.OODScore, string(metrics.MSP), ood, "ood"),
		optionOf("ood-train", &e.OODTrain, "", ood, "ood"),
		optionOf("ood-train-limit", &e.OODTrainLimit, 0, ood, "ood"),
		optionOf("ood-neighbors", &e.OODNeighbors, 0, ood, "ood"),
		optionOf("features", &e.Features, false, ood, "ood"),
		optionOf("length", &e.Length, 0, fourier, "fourier"),
		optionOf("radius", &e.Radius, 0, fourier, "fourier"),
	}
}

// checkSuiteOptions refuses what no suite would look at: the numbers would not be what the options say.
func (e *Eval) checkSuiteOptions() error {
	for _, o := range e.suiteOptions() {
		if o.given && !o.taken {
			return option.Errorf(ErrOption, "%v: without {suite} %s, which alone looks at it", option.Key(o.key), o.by)
		}
	}
	return nil
}

// forSuites leaves the suites, and of the fields those that they look at.
func (e *Eval) forSuites(suites []string) {
	e.Suites = suites
	for _, o := range e.suiteOptions() {
		if !o.taken {
			o.clear()
		}
	}
}
