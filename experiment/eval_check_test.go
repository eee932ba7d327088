package experiment

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRunChecksEvaluations: what an evaluation refuses by its options alone is refused when a run is planned, before anything is trained.
func TestRunChecksEvaluations(t *testing.T) {
	for run, want := range map[string]string{
		"suites: [clean, cc]": "suite: cc", "suites: [c], eval: {subset: [smog]}": "smog", `suites: [c], eval: {severity: "9"}`: `severity "9"`,
		"suites: [p], eval: {perturbation: [tlit]}": "tlit", "suites: [clean], eval: {quality: 3}": "quality: without suite c",
		"suites: [c], eval: {profile: nowhere.yaml}": "nowhere.yaml", "suites: [clean, c, p, ood], eval: {subset: [fog, weather]}": "",
	} {
		path := filepath.Join(t.TempDir(), "r.yaml")
		text := "data: scenes:n=60,size=16\nval: scenes:n=40,size=16,seed=5\nmodel: wrn-10-1\nepochs: 1\nmethods: {a: {mix: none}}\nrun: {" + run + "}\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := New(path, Options{Dir: t.TempDir()})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "measuring a: ")) {
			t.Errorf("%s: %v, want %q", run, err, want)
		}
	}
}

// TestCheck: what needs no model and no data to be seen is seen by Check, is about an option, and is called by its key.
func TestCheck(t *testing.T) {
	suite := func(name string, e Eval) Eval { e.Suites = []string{"clean", name}; return e }
	for _, c := range []struct {
		eval Eval
		says string // "": nothing is wrong
	}{
		{suite("pgd", Eval{PGDSteps: -1}), "pgd-steps -1"},
		{suite("pgd", Eval{PGDEps: -1}), "pgd-eps -1"},
		{suite("pgd", Eval{PGDStep: math.NaN()}), "pgd-step NaN"},
		{suite("ood", Eval{OOD: map[string]string{"svhn": "x", "gaussian": "y"}}), "ood: gaussian is the name of a generated set"},
		{suite("ood", Eval{OOD: map[string]string{"svhn": "x", "Gaussian": "y"}}), "ood: Gaussian is the name of a generated set"},
		{suite("cbar", Eval{BarProfile: "x"}), "bar-profile: x (allowed: auto, cifar, imagenet)"},
		{suite("c", Eval{Profile: "x"}), `profile: bad parameters: profile "x"`},
		{suite("cbar", Eval{Profile: "x"}), `profile: bad parameters: profile "x"`},
		{suite("p", Eval{Profile: "x"}), `profile: bad parameters: profile "x"`},
		{suite("c", Eval{Severity: "x"}), `severity "x"`},
		{suite("c", Eval{Subset: []string{"x"}}), `subset: bad option: corruption "x"`},
		{suite("c", Eval{C: "x", Subset: []string{"smog"}}), `subset: bad option: corruption "smog"`},
		{suite("c", Eval{C: "x", Subset: []string{"style_transfer"}}), ""},
		{suite("p", Eval{Perturbation: []string{"x"}}), `perturbation: bad option: perturbation "x"`},
		{suite("c", Eval{Subset: []string{"style_transfer"}}), "style-weights is missing"},
		{suite("c", Eval{StyleFiles: StyleFiles{StyleWeights: "x"}}), "no corruption takes them"},
		{suite("c", Eval{Subset: []string{"plasma_noise"}, BarProfile: "cifar"}), "subset: bad option: corruption plasma_noise"},
		{suite("c", Eval{Subset: []string{"plasma_noise"}, BarProfile: "imagenet"}), ""},
		{suite("c", Eval{Subset: []string{"plasma_noise"}}), ""}, // where the model's images are large
		{suite("c", Eval{Subset: []string{"pinch_and_twirl"}}), ""},
		{suite("fourier", Eval{Dir: "x", Length: math.NaN()}), "length: NaN"},
		{Eval{Norm: "x"}, "norm: x"},
		{Eval{Dataset: "cifar10-c"}, "dataset: cifar10-c (allowed: what the clean images are called, such as cifar10;"},
		{Eval{Dataset: "imagenet-r"}, ""},
		{Eval{Preprocess: "x"}, "preprocess: "},
		{Eval{Preprocess: "none"}, ""},
		{Eval{Name: "a/b", Dir: "x", PerClass: true}, `name: "a/b"`},
	} {
		err := c.eval.Check()
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("error %v, want %q", err, c.says)
		}
	}
}
