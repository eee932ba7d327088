package experiment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// Suite is one thing that an [Eval] can measure.
type Suite struct {
	Name, Doc string
	// Passes is about how many images go through the model for each of the test set.
	Passes int

	run func(r *evaluation, ctx context.Context) error // nil: it changes the others
}

// Names of suites that the code asks for.
const (
	suiteClean       = "clean"
	suiteC           = "c"
	suiteCBar        = "cbar"
	suiteP           = "p"
	suitePGD         = "pgd"
	suiteOOD         = "ood"
	suiteFourier     = "fourier"
	suiteCues        = "cues"
	suiteCalibration = "calibration"
)

// suites is the table of suites, in the order in which they run.
var suites = []Suite{
	{suiteClean, "errors on the test set as it is", 1, (*evaluation).clean},
	{suiteC, "errors under the corruptions of the -C benchmarks", 75, (*evaluation).corrupted},
	{suiteCBar, "errors under those of -C-bar", 50, (*evaluation).barred},
	{suiteP, "flip probability and top-5 distance of -P sequences", 300, (*evaluation).perturbed},
	{suitePGD, "error on adversarial examples: PGD, l-infinity, 2/255, 20 steps", 65, (*evaluation).adversarial},
	{suiteOOD, "telling noise and other OOD sets from the test set: AUROC, AUPR, FPR95", 2, (*evaluation).detection},
	{suiteFourier, "sensitivity to single frequencies: a heat map (" + fourierName + "); takes long", 514, (*evaluation).sensitivity},
	{suiteCues, "shape bias on images of conflicting cues, cat1-dog2.png; alone", 1, (*evaluation).cues},
	{suiteCalibration, "calibration errors too, of clean, c and cbar as they are measured; alone of clean", 0, nil},
}

// Suites returns the table of suites, in the order in which they run.
func Suites() []Suite { return slices.Clone(suites) }

func (r *evaluation) clean(ctx context.Context) error {
	src, err := r.source()
	if err != nil {
		return err
	}
	defer src.Close()
	return r.evaluator.Clean(ctx, src, r.prepare)
}

func (r *evaluation) corrupted(ctx context.Context) error {
	c, err := r.suiteC(ctx)
	if err != nil {
		return err
	}
	return r.evaluator.Corruptions(ctx, c)
}

func (r *evaluation) barred(ctx context.Context) error {
	c, err := r.suiteCBar(ctx)
	if err != nil {
		return err
	}
	return r.evaluator.Corruptions(ctx, c)
}

func (r *evaluation) suiteC(ctx context.Context) (*eval.CorruptionSuite, error) {
	return r.corruptions(ctx, results.SuffixC, r.C, r.Subset)
}

func (r *evaluation) suiteCBar(ctx context.Context) (*eval.CorruptionSuite, error) {
	return r.corruptions(ctx, results.SuffixCBar, r.Cbar, []string{transform.BarSubset})
}

// corruptions says how one corrupted form is measured.
func (r *evaluation) corruptions(ctx context.Context, suffix, dir string, subset []string) (*eval.CorruptionSuite, error) {
	if c := r.forms[suffix]; c != nil {
		return c, nil
	}
	c := &eval.CorruptionSuite{
		Suffix: suffix, Dir: dir, Prepare: r.prepare, Open: r.source, Seed: r.Seed, Classes: r.classes, Rename: r.rename,
		Plan: transform.Corruptions{Size: r.Size, Filter: r.prepare.Filter, Crop: r.Crop},
	}
	if r.jpeg {
		c.JPEG = data.Encoding{JPEG: true, Quality: r.Quality}
	}
	var err error
	if c.Plan.Bar, err = r.barProfile(); err != nil {
		return nil, err
	}
	if c.Plan.Severities, err = r.severities(); err != nil {
		return nil, err
	}
	profile, err := r.profile()
	if err != nil {
		return nil, err
	}
	c.Plan.Profile = profile.Profile
	if c.Names, err = r.names(subset, dir, profile, c.Plan.Bar); err != nil {
		return nil, err
	}
	if dir == "" {
		err = r.setMade(ctx, c, profile)
	} else {
		err = r.setForm(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	r.forms[suffix] = c
	return c, nil
}

// setMade says how a form is made on the fly.
func (r *evaluation) setMade(ctx context.Context, c *eval.CorruptionSuite, profile *tables.Set) (err error) {
	c.Plan.Tables, c.Parameters = profile.Tables, profile.Sum()
	if c.Suffix == results.SuffixC {
		own, err := r.Own(ctx, r.Workers, c.Names...)
		if err != nil {
			return err
		}
		c.Plan.Own = append(profile.Own(), own...)
		if c.Styles, err = r.About(); err != nil {
			return err
		}
	}
	if slices.Contains(c.Names, "frost") {
		c.GeneratedFrost = r.FrostDir == ""
		c.Plan.Frost, err = corrupt.OpenFrost(r.FrostDir)
	}
	return err
}

// setForm says how a form in a folder is read.
func (r *evaluation) setForm(ctx context.Context, c *eval.CorruptionSuite) (err error) {
	if c.Prepare, err = r.prepareForm(); err != nil {
		return err
	}
	if c.Clean, err = r.listClean(ctx, c.Dir); err != nil {
		return err
	}
	r.tellMade(c)
	return nil
}

// profile opens the parameters.
func (r *evaluation) profile() (*tables.Set, error) {
	set, err := tables.Open(r.Profile)
	switch {
	case errors.Is(err, corrupt.ErrTables):
		return nil, option.Errorf(ErrOption, "{profile}: %w", err)
	case err != nil: // a file that cannot be read
		return nil, fmt.Errorf("profile: %w", err)
	}
	return set, nil
}

// names is chosen, with the error about the field.
func (r *evaluation) names(subset []string, dir string, profile *tables.Set, bar cbar.Profile) ([]string, error) {
	names, err := chosen(subset, dir, profile, bar)
	if err != nil {
		return nil, option.Errorf(ErrOption, "{subset}: %w", err)
	}
	return names, nil
}

// severities are those that are measured. In rows 0 is a mean over severities.
func (r *evaluation) severities() ([]float64, error) {
	list, err := parseSeverities(r.Severity)
	if err == nil && list[0] == 0 {
		err = badOption("severity", r.Severity, "above 0; suite clean measures the images as they are")
	}
	return list, err
}

// sayTrainedOn marks the rows of a network that was trained on what benchmarks test.
func (r *evaluation) sayTrainedOn(p eval.Predictor) {
	if n, ok := p.(*eval.Network); ok {
		r.evaluator.Versions = results.AddVersions(r.evaluator.Versions, n.TrainedOn())
	}
}

func (r *evaluation) barProfile() (cbar.Profile, error) {
	if r.BarProfile == "auto" {
		return cbar.ProfileFor(r.side), nil
	}
	return cbar.ParseProfile(r.BarProfile)
}

func (r *evaluation) perturbed(ctx context.Context) error {
	p, err := r.perturbations(ctx)
	if err != nil {
		return err
	}
	return r.evaluator.Perturbations(ctx, p)
}

// perturbations says how the perturbed form is measured.
func (r *evaluation) perturbations(ctx context.Context) (*eval.PerturbationSuite, error) {
	p := &eval.PerturbationSuite{
		Difficulty: r.Difficulty, Dir: r.P, Prepare: r.prepare, Open: r.source, Seed: r.Seed,
		Plan: transform.Perturbations{Size: r.Size, Filter: r.prepare.Filter, Crop: r.Crop},
	}
	var err error
	if r.P != "" {
		if p.Prepare, err = r.prepareForm(); err != nil {
			return nil, err
		}
		if p.Clean, err = r.listClean(ctx, r.P); err != nil {
			return nil, err
		}
	}
	profile, err := r.profile()
	if err != nil {
		return nil, err
	}
	p.Plan.Profile = profile.Profile // -P has no tables of its own: it is the base's
	if p.Names, err = r.perturbationNames(); err != nil {
		return nil, err
	}
	return p, nil
}

func (r *evaluation) perturbationNames() ([]string, error) {
	names, err := transform.ExpandPerturbations(r.Perturbation)
	if err != nil {
		return nil, option.Errorf(ErrOption, "{perturbation}: %w", err)
	}
	return names, nil
}

func (r *evaluation) adversarial(ctx context.Context) error {
	a, err := r.attack()
	if err != nil {
		return err
	}
	return r.evaluator.Adversarial(ctx, r.source, r.prepare, a, r.Seed)
}

func (r *evaluation) attack() (attack.PGD, error) {
	a := attack.PixMix()
	a.Eps, a.Step, a.Steps, a.Centered = r.PGDEps/255, r.PGDStep/255, r.PGDSteps, r.PGDCentered
	if err := a.Check(); err != nil {
		return a, option.Errorf(ErrOption, "{pgd-eps} %v, {pgd-step} %v, {pgd-steps} %d: %w", r.PGDEps, r.PGDStep, r.PGDSteps, err)
	}
	return a, nil
}

func (r *evaluation) detection(ctx context.Context) error {
	a := &eval.OODSuite{Open: r.source, Score: metrics.OODScore(r.OODScore), Seed: r.Seed, Prepare: r.prepare}
	if r.byFeatures() {
		a.Fit = &eval.OODFit{Open: r.training, Path: r.OODTrain, Limit: r.OODTrainLimit, Neighbors: r.OODNeighbors, Prepare: r.prepare}
		if r.Features {
			a.Fit.Save = filepath.Join(r.Dir, featuresName, r.Name, r.Dataset)
		}
	}
	for i := range ood.Sets() {
		a.Generated = append(a.Generated, &ood.Sets()[i])
	}
	// Sets of other images are made to fit as the papers do: the shorter side resized, then a center crop.
	a.PrepareFolders = eval.Prepare{Size: r.side, Filter: r.prepare.Filter, Crop: r.side}
	for _, name := range slices.Sorted(maps.Keys(r.OOD)) {
		a.Folders = append(a.Folders, eval.OODFolder{Name: name, Path: r.OOD[name], Open: func() (data.Source, error) {
			src, _, err := formats.OpenSplit(r.OOD[name], formats.Options{Unlabeled: true}, "test")
			if err != nil {
				return nil, fmt.Errorf("ood: %s: %w", name, err)
			}
			return src, nil
		}})
	}
	if err := r.sayTestSet(a.Folders); err != nil {
		return err
	}
	return r.evaluator.OOD(ctx, a)
}

// sayTestSet says which OOD sets are the test set itself, as it is by its files: nothing tells it from itself.
func (r *evaluation) sayTestSet(sets []eval.OODFolder) error {
	if len(sets) == 0 || r.In == formats.Standard {
		return nil
	}
	test, err := glanceAt(r.rawSource())
	for i := 0; i < len(sets) && err == nil && test != ""; i++ {
		var other string
		if other, err = glanceAt(sets[i].Open()); err == nil && other == test {
			logf(r.Say, "note: ood: %s is the test set itself, of which nothing is out of distribution: its numbers are those of chance, and they are "+
				"in the means", sets[i].Name)
		}
	}
	return err
}

// glanceAt looks at the files of a data set.
func glanceAt(src data.Source, err error) (string, error) {
	if err != nil {
		return "", err
	}
	sum, err := data.Glance(src)
	return sum, errors.Join(err, src.Close())
}

// fourierName is the file of the heat map, for package report.
const fourierName = report.FourierName

// sameMap refuses to write a heat map over that of another model or seed, of other images or of a part of them: a folder has one.
func (r *evaluation) sameMap(known []results.Located) error {
	if !r.suites[suiteFourier] {
		return nil
	}
	for i := range known {
		old := &known[i]
		if old.Fourier && (old.Model != r.Name || old.Dataset != r.Dataset || old.Limit != r.Limit || old.Part != r.Part ||
			old.Seed != nil && *old.Seed != r.Seed) {
			return option.Errorf(ErrOption, "{suite}: fourier: %s holds the map of %s (%s), and a folder has one; choose another folder",
				filepath.Join(r.Dir, fourierName), mapOf(&old.Row), old.Place())
		}
	}
	return nil
}

// mapOf says what a heat map is of.
func mapOf(row *results.Row) string {
	text := fmt.Sprintf("%s on %s", row.Model, row.Dataset)
	if row.Seed != nil {
		text += fmt.Sprintf(", seed %d", *row.Seed)
	}
	return text
}

func (r *evaluation) sensitivity(ctx context.Context) error {
	m, err := r.evaluator.Fourier(ctx, &eval.FourierSuite{
		Open: r.source, Prepare: r.prepare, Length: r.Length, Radius: r.Radius, Seed: r.Seed,
	})
	if err != nil {
		return err
	}
	return npy.WriteFile(filepath.Join(r.Dir, fourierName), &npy.Array{Shape: []int{m.Side, m.Side}, Data: m.Error})
}

// ParseNorm reads a normalization of values in [0, 1]: half, imagenet, unit, or R,G,B/R,G,B, means and standard deviations.
// It is nil for "". The error wraps [ErrOption].
func ParseNorm(s string) (*mix.Normalization, error) {
	named := map[string]mix.Normalization{"half": mix.Half, "imagenet": mix.ImageNet, "unit": mix.Unit}
	if n, ok := named[s]; ok {
		return &n, nil
	}
	if s == "" {
		return nil, nil
	}
	bad := badOption("norm", s, "half, imagenet, unit, or R,G,B/R,G,B")
	mean, std, ok := strings.Cut(s, "/")
	if !ok {
		return nil, bad
	}
	var n mix.Normalization
	for dst, text := range map[*[3]float32]string{&n.Mean: mean, &n.Std: std} {
		fields := strings.Split(text, ",")
		if len(fields) != 3 {
			return nil, bad
		}
		for c, f := range fields {
			v, err := strconv.ParseFloat(f, 32)
			if err != nil {
				return nil, bad
			}
			dst[c] = float32(v)
		}
	}
	if err := n.Check(); err != nil {
		return nil, bad
	}
	return &n, nil
}
