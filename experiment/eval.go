package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// Eval measures one model on a test set, its corrupted and perturbed forms, under attack and against other images. A field
// with the zero value has the default that its comment names.
type Eval struct {
	File   string   `yaml:"file"`  // model: weights (.safetensors, .npz), an .onnx file, or the folder of a training run
	In     string   `yaml:"in"`    // clean test set, labeled; of a set with several parts the test part
	Suites []string `yaml:"suite"` // what to measure, see [Suites]; clean

	// Model. A checkpoint of package train says all of it.

	Model      string `yaml:"model"`          // network, where File does not say it
	Norm       string `yaml:"norm"`           // normalization, where File does not say it, see [ParseNorm]
	Preprocess string `yaml:"preprocess"`     // what images go through, none for nothing; as in training
	InputSize  int    `yaml:"input-size"`     // height and width of the model's images; as published
	Exit       int    `yaml:"exit,omitempty"` // exit of a network with early ones, from 1, which names of rows end in: -exit1; the last
	TenCrop    bool   `yaml:"ten-crop"`       // average the predictions over ten crops of each image
	ORT        string `yaml:"-"`              // ONNX Runtime's library, which then runs .onnx files; that of the environment, for those of other programs

	// Remote returns a model in another program, instead of File and the fields above. Its images are Crop wide and high, else
	// Size, else as the first of In. Weights is what rows call its weights, such as a hash: Run does not resume with others under
	// the same Name, which must be given; empty for "outputs:" and their number.
	Remote  func(TestSet) (eval.Remote, error) `yaml:"-" json:"-"`
	Weights string                             `yaml:"-" json:"-"`
	// RemoteArgs are further options of the command, by name, for the args.yaml of Dir.
	RemoteArgs map[string]any `yaml:"-" json:"-"`

	// Corruptions.

	C          string   `yaml:"c"`           // folder of the -C form; made on the fly
	Cbar       string   `yaml:"cbar"`        // folder of the -C-bar form; made on the fly
	Subset     []string `yaml:"subset"`      // suite c: corruptions by name or subset; the 15 of the benchmark
	Severity   string   `yaml:"severity"`    // list or range, of a form in a folder of 1 to 5; 1-5
	Profile    string   `yaml:"profile"`     // parameters: 32, 64, 224, 299, auto or one of tables.Open; auto, by the image's size
	BarProfile string   `yaml:"bar-profile"` // cifar, imagenet or auto; auto, by the model's size
	FrostDir   string   `yaml:"frost-dir"`   // folder of the published photographs for frost; generated ice crystals
	Image      string   `yaml:"image"`       // whether images of the forms pass through JPEG: raw, jpeg or auto; auto, as augmix corrupt writes them
	Quality    int      `yaml:"quality"`     // of JPEG; 85

	StyleFiles `yaml:",inline"` // of style_transfer

	// Perturbations.

	P            string   `yaml:"p"`            // folder of the -P form; made on the fly
	Perturbation []string `yaml:"perturbation"` // by name or subset; common
	Difficulty   int      `yaml:"difficulty"`   // 1 to 3: harder noises, and frames that lie so far apart; 1

	// Attack, OOD detection, Fourier sensitivity.

	PGDEps      float64           `yaml:"pgd-eps"`       // radius in 255ths of the pixel range; 2
	PGDStep     float64           `yaml:"pgd-step"`      // length of a step in 255ths; 0.5
	PGDSteps    int               `yaml:"pgd-steps"`     // 20
	PGDCentered bool              `yaml:"pgd-centered"`  // the ball lies around the random start, as in PixMix's code
	OOD         map[string]string `yaml:"ood,omitempty"` // further OOD sets, paths by name
	OODScore    string            `yaml:"ood-score"`     // what makes an image out of distribution, a name of metrics.OODScores or eval.FeatureScores; msp

	OODTrain      string `yaml:"ood-train,omitempty"`       // labeled training data, for scores by features
	OODTrainLimit int    `yaml:"ood-train-limit,omitempty"` // images of it; all
	OODNeighbors  int    `yaml:"ood-neighbors,omitempty"`   // k of the score knn; 50
	Features      bool   `yaml:"features,omitempty"`        // save the features in Dir

	Length float64 `yaml:"length"` // of the added Fourier function; by the image's size
	Radius int     `yaml:"radius"` // only frequencies up to this from the middle; all

	// Results.

	Name             string `yaml:"name"`              // of the model; that of File, or of its folder where File is that of a run
	Dataset          string `yaml:"dataset"`           // name of In; by its format and classes
	Dir              string `yaml:"-" json:"-"`        // folder of results.jsonl and the rest, here or in an object store; what it has is not measured again; nothing is kept
	Part             string `yaml:"part,omitempty"`    // what rows call the samples that Only and Without leave; these in words
	Logits           bool   `yaml:"logits"`            // save the logits in Dir
	PerClass         bool   `yaml:"per-class"`         // suite clean: errors of each class and confusions; with Dir the matrix, see [ConfusionName]
	ReferenceBinning bool   `yaml:"reference-binning"` // suite calibration: RMS and MAD calibration errors as the published code computes them, too
	NoRecords        bool   `yaml:"no-records"`        // do not keep the outcome of each prediction
	Examples         int    `yaml:"examples"`          // images to keep of each corruption that makes the model get them wrong; none
	Among            string `yaml:"among"`             // classes that predictions are among where In has only some of the model's: data (these) or model (all); data
	TemperatureOn    string `yaml:"temperature-on"`    // labeled data set on which the softmax temperature is fitted that logits are divided by; none
	Limit            int    `yaml:"limit"`             // samples of every set; all
	Seed             uint64 `yaml:"seed"`              // of what is made on the fly
	Workers          int    `yaml:"-" json:"-"`        // all cores

	// What is done to images before the corruption. Without Size and Crop it is what the model's file says of its training's
	// validation, but for ten crops.

	Size   int    `yaml:"size"`   // shorter side after a resize; as in training, or no resize
	Crop   int    `yaml:"crop"`   // side of a center crop; as in training, or no crop
	Filter string `yaml:"filter"` // of the resize: box, bilinear, bicubic, lanczos; bilinear

	Input `yaml:",inline"`
	Gray  bool `yaml:"gray,omitempty"` // what is made of gray images is gray, see data.Reading

	Versions map[string]string                `yaml:"-" json:"-"` // of results
	Log      func(format string, args ...any) `yaml:"-" json:"-"` // is told what was chosen by itself; nil: nobody listens
	Say      func(format string, args ...any) `yaml:"-" json:"-"` // is told what people should know of the numbers; nil: nobody listens
	Report   func(Progress)                   `yaml:"-" json:"-"` // is told how far the evaluation is; nil: nobody listens
}

// Run measures and returns the rows, those that Dir had already among them. The error wraps [ErrOption], or is that of
// package eval, of opening the model or of opening the data. When ctx is canceled it is the cause of ctx; with Dir, Run
// resumes after the last complete measurement, with Remote with what has no answer.
func (e Eval) Run(ctx context.Context) ([]results.Row, error) {
	e = e.WithDefaults()
	r := newEvaluation(&e)
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := r.open(ctx); err != nil {
		return nil, err
	}
	if e.Dir == "" {
		return r.measure(ctx)
	}
	options, err := r.options()
	if err != nil {
		return nil, err
	}
	r.dir = e.Dir
	var rows []results.Row
	err = generate.InFolder(ctx, e.Dir, options, []string{results.FileName}, func(dir string) error {
		e.Dir = dir
		done, err := r.keep()
		if err != nil {
			return err
		}
		defer done()
		rows, err = r.measure(ctx)
		return err
	})
	return rows, err
}

// measure measures, once all is open.
func (r *evaluation) measure(ctx context.Context) ([]results.Row, error) {
	if err := r.fitTemperature(ctx); err != nil {
		return nil, err
	}
	t := r.watch()
	if r.Remote != nil {
		if err := r.together(ctx); err != nil {
			return nil, err
		}
	}
	for i := range suites {
		if s := &suites[i]; r.suites[s.Name] && s.run != nil {
			t.begin(s.Name)
			if err := s.run(r, ctx); err != nil {
				return nil, err
			}
		}
	}
	t.sayReused()
	if why := r.evaluator.NoBins(); why != "" {
		logf(r.Say, "note: %s", why)
	}
	if r.Remote != nil && r.Dir != "" {
		if err := os.Remove(filepath.Join(r.Dir, answersName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return r.evaluator.Rows, nil
}

// WithDefaults returns e with the defaults of fields that have the zero value, but for those that depend on the model or the
// data.
func (e Eval) WithDefaults() Eval {
	text := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	list := func(field *[]string, value string) {
		if len(*field) == 0 {
			*field = []string{value}
		}
	}
	list(&e.Suites, "clean")
	list(&e.Subset, "common")
	list(&e.Perturbation, "common")
	text(&e.Severity, "1-5")
	text(&e.Profile, "auto")
	text(&e.BarProfile, "auto")
	text(&e.Image, "auto")
	text(&e.Filter, defaultFilter)
	text(&e.Among, amongData)
	text(&e.OODScore, string(metrics.MSP))
	if e.Quality == 0 {
		e.Quality = 85
	}
	if e.Difficulty == 0 {
		e.Difficulty = 1
	}
	if e.PGDEps == 0 {
		e.PGDEps = 2
	}
	if e.PGDStep == 0 {
		e.PGDStep = 0.5
	}
	if e.PGDSteps == 0 {
		e.PGDSteps = 20
	}
	return e
}

// evaluation is an Eval at work.
type evaluation struct {
	*Eval
	dir       string          // Dir as it was given; that of Eval is on this machine
	suites    map[string]bool // those that are asked for
	evaluator *eval.Evaluator
	prepare   eval.Prepare
	told      string         // what the options say of the model and its file does not, see eval.Told
	described bool           // the model's file says all of that
	fitted    string         // fingerprint of the samples that the temperature is fitted on; "": it is not
	members   [][]int        // suite cues: the model's classes of each category
	rename    *data.ClassMap // of In's classes, before they are matched with the model's; nil: they keep their names
	classes   []string       // names by class number of what is measured: the model's, else those of In; nil where neither has any
	signature data.Signature
	opened    bool                             // the test set was, and what was taken of it is said
	side      int                              // of the model's images
	jpeg      bool                             // images of the forms pass through JPEG
	forms     map[string]*eval.CorruptionSuite // by suffix, once they were asked for
	listed    *eval.CleanSet                   // what forms on disk are compared with, once it was asked for
}

func newEvaluation(e *Eval) *evaluation {
	return &evaluation{Eval: e, suites: map[string]bool{}, forms: map[string]*eval.CorruptionSuite{}}
}

// open loads the model and looks at the data.
func (r *evaluation) open(ctx context.Context) error {
	p, err := r.predictor(ctx)
	if err != nil {
		return err
	}
	if err := r.fit(p); err != nil {
		return err
	}
	if r.Remote == nil {
		if err := r.sign(ctx); err != nil {
			return err
		}
	}
	src, err := r.rawSource()
	if err != nil {
		return err
	}
	defer src.Close()
	info := src.Info()
	if err := generate.CheckFolderApart(r.Dir, r.In, info.Format); err != nil {
		return err
	}
	sayRemarks(r.Say, r.In, &info)
	measured, err := r.setClasses(src, p)
	if err != nil {
		return err
	}
	if measured.Classes() < 2 {
		return option.Errorf(ErrOption, "{file}: a model of %s, of which no prediction can be wrong (allowed: 2 classes and up)",
			countClasses(measured.Classes()))
	}
	r.nameRows(info, measured.Classes())
	if err := errors.Join(r.checkFileNames(), r.openTemperature(ctx)); err != nil {
		return err
	}
	written := generate.Benchmark{Format: generate.BenchmarkFormat(info.Format, false)}
	r.jpeg = r.Image == "jpeg" || r.Image == "auto" && !written.Arrays()
	r.setEvaluator(p, measured, info.Classes)
	if err := r.setPreprocess(p); err != nil {
		return err
	}
	logf(r.Log, "%s: %s, images of %dx%d; %s as %s", cmp.Or(r.File, r.Name), countClasses(p.Classes()), r.side, r.side, r.In, r.Dataset)
	return nil
}

// fit makes the fields fit the model.
func (r *evaluation) fit(p eval.Predictor) error {
	r.side, _, _ = p.Input()
	if t, ok := p.(eval.Told); ok {
		r.told, r.described = t.Told()
	}
	if err := r.checkNames(); err != nil { // now that the model's side is known, of which some depend
		return err
	}
	if err := r.setPreparation(p); err != nil {
		return err
	}
	if r.TenCrop && (r.Size > 0 && r.Size <= r.side || r.Crop > 0 && r.Crop <= r.side) {
		return option.Errorf(ErrOption, "{ten-crop} with {size} %d and {crop} %d leaves nothing to choose crops from (allowed: more than the "+
			"model's %d)", r.Size, r.Crop, r.side)
	}
	return nil
}

// nameRows chooses what rows call the model, the data and the part of it, where the fields say nothing.
func (r *evaluation) nameRows(info data.Info, classes int) {
	if r.Dataset == "" {
		r.Dataset = datasetName(info, r.In, r.side)
		r.sayNamed(info)
	} else if why := results.OtherClasses(r.Dataset, classes); why != "" {
		logf(r.Say, "note: %s: %s", r.In, why)
	}
	r.Part = r.rowsPart()
	if r.Name == "" {
		r.Name = results.ModelName(r.File)
	}
	r.Name = exitName(r.Name, r.Exit)
}

// sayNamed says where the name of the data set may be another one's: it is guessed by the number of classes, or is that of its test part.
func (r *evaluation) sayNamed(info data.Info) {
	n := len(info.Classes)
	guessed := (n == 1000 || n == 200) && slices.Contains([]string{"imagenet", "imagenet-64", "tiny-imagenet"}, r.Dataset)
	if guessed && imagenet.Known(info.Classes) < n && imagenet.Known(r.classes) < n {
		logf(r.Say, "note: %s: taken for %s, by its %d classes; if it is another one, name it with %v", r.In, r.Dataset, n, option.Key("dataset"))
	}
	if r.Split == "train" || r.Split == "all" || r.Split == "extra" {
		logf(r.Say, "note: %s: rows call %s %s, as they call the test part; another name is given with %v", r.In,
			formats.PartName(r.In, r.Split), r.Dataset, option.Key("dataset"))
	}
}

// exitName is what rows call a model at an exit, 0 for the last.
func exitName(name string, exit int) string {
	if exit == 0 {
		return name
	}
	return fmt.Sprintf("%s-exit%d", name, exit)
}

// setEvaluator makes what measures; of p, measured has the classes that predictions are among, for data with the given ones.
func (r *evaluation) setEvaluator(p, measured eval.Predictor, classes []string) {
	r.evaluator = &eval.Evaluator{
		Model:   eval.Model{Predictor: measured, Name: r.Name, TenCrop: r.TenCrop},
		Among:   r.amongOther(classes, p.Classes(), measured.Classes()),
		Dataset: r.Dataset, Data: r.signature.Samples, Workers: r.Workers, Limit: r.Limit, Part: r.Part,
		Calibration: r.suites[suiteCalibration], Published: r.ReferenceBinning, PerClass: r.PerClass, Classes: r.classes,
		Versions: r.Versions, Say: r.Say,
	}
	in := r.input()
	r.evaluator.Reading = in.HowRead()
	r.sayTrainedOn(p)
}

// noPreprocess as Eval.Preprocess leaves images as they are.
const noPreprocess = "none"

// setPreprocess sets what images go through: the field wins over what the model was trained with.
func (r *evaluation) setPreprocess(p eval.Predictor) error {
	var own preprocess.Method
	if n, ok := p.(*eval.Network); ok {
		own = n.Preprocess
	}
	r.evaluator.Preprocess = own
	if r.Preprocess == "" {
		return nil
	}
	var err error
	r.evaluator.Preprocess, err = r.preprocessing()
	r.evaluator.Override = r.evaluator.Preprocess != own
	return err
}

// preprocessing is what the field says; nil for none and without a word.
func (r *evaluation) preprocessing() (preprocess.Method, error) {
	if r.Preprocess == "" || r.Preprocess == noPreprocess {
		return nil, nil
	}
	m, err := preprocess.Parse(r.Preprocess)
	if err != nil {
		return nil, option.Errorf(ErrOption, "{preprocess}: %w", err)
	}
	return m, nil
}

// predictor loads the model.
func (r *evaluation) predictor(ctx context.Context) (eval.Predictor, error) {
	if r.Remote != nil {
		return r.remote(ctx)
	}
	norm, err := ParseNorm(r.Norm)
	if err != nil {
		return nil, err
	}
	if r.File, err = train.WeightsOf(r.File); err != nil {
		return nil, option.Errorf(ErrOption, "{file}: %w", err)
	}
	sayOutdated(r.Say, r.File)
	ext := strings.ToLower(filepath.Ext(r.File))
	if st, err := os.Stat(r.File); err != nil {
		return nil, fmt.Errorf("cannot open the model: %w%s", err, besideModel(r.File))
	} else if st.IsDir() {
		if below := trainedBelow(r.File); len(below) > 0 {
			return nil, badOption("file", r.File+", which holds several models", strings.Join(below, ", "))
		}
		return nil, option.Errorf(ErrOption, "{file}: %s is a folder without a training run's model.safetensors; saved outputs are scored by "+
			"package score, or augmix score", r.File)
	} else if ext == ".npy" || ext == ".csv" || ext == ".parquet" || ext == ".jsonl" {
		return nil, option.Errorf(ErrOption, "{file}: %s is no model; saved outputs are scored by package score, or augmix score", r.File)
	}
	if ext == ".onnx" && r.ORT != "" {
		return eval.OpenONNX(r.File, r.ORT, norm, r.Workers)
	}
	n, err := eval.LoadNetwork(r.File, eval.LoadOptions{
		Model: r.Model, H: r.InputSize, W: r.InputSize, Norm: norm, Exit: cmp.Or(r.Exit, eval.LastExit),
	})
	if errors.Is(err, eval.ErrForeign) {
		if r.Exit > 0 {
			return nil, badOption("exit", r.Exit, "none of an ONNX file of another program")
		}
		return eval.OpenONNX(r.File, r.ORT, norm, r.Workers)
	}
	if err != nil {
		return nil, err
	}
	n.Workers = r.Workers
	return n, nil
}

// smallSide is up to which shorter side an image is counted with CIFAR's: 64 is the largest published size of small
// images, 224 the smallest of large ones.
const smallSide = 64

// imagesCINIC10 is how many images each of CINIC-10's three parts has; its classes are CIFAR-10's.
const imagesCINIC10 = 90000

// fileExtensions are those of data sets that are files, which names of sets do without.
var fileExtensions = []string{".npy", ".npz", ".mat", ".tar", ".tgz", ".gz", ".parquet", ".json", ".jsonl", ".csv", ".zip", ".bin", ".arrow", ".png", ".jpg", ".jpeg"}

// datasetName is what a clean test set is called in results.
func datasetName(info data.Info, path string, side int) string {
	n, imageNet := len(info.Classes), imagenet.Identify(info.Classes, info.Len)
	switch {
	case info.Format == "cifar10" || info.Format == "cifar100" || info.Format == "scenes":
		return info.Format
	case slices.Equal(info.Classes, categoryNames()):
		return "cue-conflict"
	case imageNet != "" && side <= smallSide:
		return imageNet + "-64"
	case imageNet != "":
		return imageNet
	case info.Len == imagesCINIC10 && slices.Equal(info.Classes, cifar.Classes10()):
		return "cinic10"
	case strings.HasPrefix(filepath.Base(path), "cifar10.1_v"):
		version, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "cifar10.1_"), "_")
		return "cifar10.1-" + version
	case n == 1000 && side <= smallSide:
		return "imagenet-64"
	case n == 1000:
		return "imagenet"
	case n == 200 && side <= smallSide:
		return "tiny-imagenet"
	}
	if abs, err := storage.Abs(path); err == nil && path != formats.Standard { // "." has no name
		path = abs
	}
	name := filepath.Base(filepath.Clean(path))
	if ext := filepath.Ext(name); slices.Contains(fileExtensions, strings.ToLower(ext)) { // ds.v1 and ds.v2 are two folders
		name = strings.TrimSuffix(name, ext)
	}
	if _, form := results.SplitForm(name); results.IsForm(name) { // whose rows would pass for means over corruptions: vitamin_c
		at := strings.LastIndex(name, "-"+form)
		name = name[:at] + "_" + name[at+1:]
	}
	return name
}

// trainedBelow lists the folders of trained models in a folder, such as those of the methods of an experiment.
func trainedBelow(dir string) (list []string) {
	entries, _ := os.ReadDir(dir) // who asks has seen that it is a folder
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(path, train.ModelName)); err == nil {
			list = append(list, path)
		}
	}
	return list
}

// besideModel says that a run has no best weights, as nothing validated, but its last ones, or none of its end, but those so far.
func besideModel(path string) string {
	dir := filepath.Dir(path)
	checkpoint := filepath.Join(dir, train.LastName)
	if _, err := os.Stat(checkpoint); err == nil && filepath.Base(path) == train.ModelName {
		return fmt.Sprintf(" (the run has not ended; %s has the weights so far)", checkpoint)
	}
	last := filepath.Join(dir, train.ModelName)
	if file, err := train.WeightsOf(dir); filepath.Base(path) == train.BestName && err == nil && file == last {
		return fmt.Sprintf(" (nothing validated there; %s has the weights after the last epoch)", last)
	}
	return ""
}
