package experiment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/results"
)

// Limits of the fields.
const (
	maxExamples = 20 // so that the folder of a run stays one of numbers
	maxWorkers  = 1 << 12
	maxSide     = 1 << 14
)

// Check returns the error that Run has for the fields, as far as no model and no data are needed to see it. It wraps [ErrOption], or is
// that of reading the file that Profile names.
func (e Eval) Check() error {
	e = e.WithDefaults()
	return newEvaluation(&e).check()
}

// check looks at the fields.
func (r *evaluation) check() error {
	for _, check := range []func() error{
		r.setSuites, r.checkFeatures, r.checkNumbers, r.checkWords, r.checkTogether, r.checkSuiteOptions, r.checkNames, r.checkAttack,
		r.checkOOD, r.checkRemote, r.checkModel, r.checkFileNames, r.setPrepare,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// setSuites finds the suites, and looks at what goes together with one.
func (r *evaluation) setSuites() error {
	for _, name := range r.Suites {
		if !slices.ContainsFunc(suites, func(s Suite) bool { return s.Name == name }) {
			var all []string
			for _, s := range suites {
				all = append(all, s.Name)
			}
			return badOption("suite", name+suggest.Hint(name, all), strings.Join(all, ", "))
		}
		r.suites[name] = true
	}
	if len(r.suites) == 1 && r.suites[suiteCalibration] {
		r.suites[suiteClean] = true
	}
	if r.suites[suiteCues] && (len(r.suites) > 1 || r.TemperatureOn != "") {
		return option.Errorf(ErrOption, "{suite}: cues with another one or with {temperature-on} (allowed: alone, as these images have no "+
			"labels of the model's classes)")
	}
	for _, name := range []string{suitePGD, suiteOOD, suiteFourier} {
		if r.TenCrop && r.suites[name] {
			return option.Errorf(ErrOption, "{ten-crop} with {suite} %s (allowed: clean, c, cbar, p, calibration)", name)
		}
	}
	return nil
}

// checkNumbers looks at each number by itself. 0 is the default of all.
func (r *evaluation) checkNumbers() error {
	for _, n := range []struct {
		key                string
		value, least, most int
		zero               string // what 0 says, where it says more than that nothing is asked for
	}{
		{"quality", r.Quality, 1, 100, ""},
		{"limit", r.Limit, 1, math.MaxInt, ", 0 for all"},
		{"difficulty", r.Difficulty, 1, 3, ""},
		{"input-size", r.InputSize, 1, maxSide, ""},
		{"size", r.Size, 1, maxSide, ""},
		{"crop", r.Crop, 1, maxSide, ""},
		{"exit", r.Exit, 1, math.MaxInt, ""},
		{"examples", r.Examples, 0, maxExamples, ""},
		{"radius", r.Radius, 0, math.MaxInt, ""},
		{"workers", r.Workers, 1, maxWorkers, ", 0 for all cores"},
	} {
		if n.value == 0 || n.value >= n.least && n.value <= n.most {
			continue
		}
		upTo := fmt.Sprintf("to %d", n.most)
		if n.most == math.MaxInt {
			upTo = "and up"
		}
		return badOption(n.key, n.value, fmt.Sprintf("%d %s%s", n.least, upTo, n.zero))
	}
	if !(r.Length >= 0 && r.Length <= math.MaxFloat64) {
		return badOption("length", r.Length, "0 and up")
	}
	return nil
}

// checkWords looks at each of the fields that have a few values.
func (r *evaluation) checkWords() error {
	var scores []string
	for _, score := range oodScores() {
		scores = append(scores, string(score))
	}
	for _, w := range []struct {
		key, value string
		allowed    []string
	}{
		{"ood-score", r.OODScore, scores},
		{"among", r.Among, []string{amongData, amongModel}},
		{"image", r.Image, []string{"auto", "raw", "jpeg"}},
		{"bar-profile", r.BarProfile, []string{"auto", cbar.CIFAR.String(), cbar.ImageNet.String()}},
	} {
		if !slices.Contains(w.allowed, w.value) {
			return badOption(w.key, w.value, strings.Join(w.allowed, ", "))
		}
	}
	return nil
}

// checkTogether looks at fields that do not go together.
func (r *evaluation) checkTogether() error {
	switch {
	case (r.C != "" || r.Cbar != "" || r.P != "") && (len(r.Only) > 0 || len(r.Without) > 0 || r.Classes != ""):
		return option.Errorf(ErrOption, "{only}, {without}, {classes}: they choose samples of the clean test set, and the forms in folders ({c}, "+
			"{cbar}, {p}) hold all of them; have the forms made on the fly")
	case results.IsForm(r.Dataset):
		return badOption("dataset", r.Dataset, "what the clean images are called, such as "+results.Base(r.Dataset)+
			"; the corrupted and perturbed forms get their names from it")
	case r.Exit > 0 && r.ORT != "":
		return badOption("exit", r.Exit, "without ONNX Runtime")
	case r.PerClass && !r.suites[suiteClean]:
		return option.Errorf(ErrOption, "{per-class}: without {suite} clean, of whose images it is")
	case r.ReferenceBinning && !r.suites[suiteCalibration]:
		return option.Errorf(ErrOption, "{reference-binning}: without {suite} calibration, of whose numbers it is")
	case r.Logits && r.Dir == "":
		return option.Errorf(ErrOption, "{logits}: no folder is given to save them in")
	case r.Logits && !r.suites[suiteClean] && !r.suites[suiteC] && !r.suites[suiteCBar] && !r.suites[suiteP]:
		return option.Errorf(ErrOption, "{logits}: without {suite} clean, c, cbar or p, whose logits are saved")
	case r.suites[suiteFourier] && r.Dir == "":
		return option.Errorf(ErrOption, "{suite}: fourier: no folder is given for its map, %s", fourierName)
	}
	return nil
}

// checkNames looks at the names of what is made on the fly.
func (r *evaluation) checkNames() error {
	if r.suites[suiteC] || r.suites[suiteCBar] {
		if _, err := r.severities(); err != nil {
			return err
		}
	}
	if r.suites[suiteC] || r.suites[suiteCBar] || r.suites[suiteP] {
		profile, err := r.profile()
		if err != nil {
			return err
		}
		if err := r.checkSubset(profile); err != nil {
			return err
		}
	}
	if r.suites[suiteP] {
		_, err := r.perturbationNames()
		return err
	}
	return nil
}

// checkSubset looks at the corruptions of suite c. By itself the profile of C-bar is that of the model's size: before that is known, those of
// any profile will do.
func (r *evaluation) checkSubset(profile *tables.Set) error {
	if !r.suites[suiteC] {
		return nil
	}
	bar, err := r.barProfile()
	if err != nil {
		return err
	}
	bars := []cbar.Profile{bar}
	if r.BarProfile == "auto" && r.side == 0 {
		bars = []cbar.Profile{cbar.ImageNet, cbar.CIFAR}
	}
	var names []string
	for _, bar := range bars {
		if names, err = r.names(r.Subset, r.C, profile, bar); err == nil {
			break
		}
	}
	if err != nil || r.C != "" {
		return err
	}
	return r.StyleFiles.check(names...)
}

// checkAttack looks at the attack of suite pgd.
func (r *evaluation) checkAttack() error {
	if !r.suites[suitePGD] {
		return nil
	}
	_, err := r.attack()
	return err
}

// checkOOD looks at the names of further OOD sets.
func (r *evaluation) checkOOD() error {
	for _, name := range slices.Sorted(maps.Keys(r.OOD)) {
		if _, err := ood.ByName(strings.ToLower(name)); err == nil { // in capitals too, which nobody would tell apart
			return option.Errorf(ErrOption, "{ood}: %s is the name of a generated set (allowed: another name)", name)
		}
	}
	return nil
}

// checkModel looks at what is said of a model whatever its file is.
func (r *evaluation) checkModel() error {
	if _, err := ParseNorm(r.Norm); err != nil {
		return err
	}
	_, err := r.preprocessing()
	return err
}
