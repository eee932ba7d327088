package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// evalCmd measures how robust a model is.
type evalCmd struct {
	File  string   `arg:"" name:"MODEL" help:"Checkpoint or weights (.safetensors, .npz), or an .onnx file." yaml:"file"`
	In    string   `arg:"" name:"IN" help:"Clean test set, labelled." yaml:"in"`
	Suite []string `group:"Suites" default:"clean" placeholder:"NAME" help:"What to measure, separated by commas: see SUITES below (${default})." yaml:"suite"`

	Model      string `group:"Model" placeholder:"SPEC" help:"Network of MODEL, where the file does not say it (see augmix list models)." yaml:"model"`
	Norm       string `group:"Model" placeholder:"NORM" help:"Normalisation, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B (mean and deviation of values in [0, 1])." yaml:"norm"`
	Preprocess string `group:"Model" placeholder:"SPEC" help:"What images go through before the model, such as clahe or nlm; none for nothing. By default what the model was trained with." yaml:"preprocess"`
	Side       int    `group:"Model" placeholder:"N" help:"Height and width that the network takes, where the file does not say it (what the network was published for)." yaml:"side"`
	TenCrop    bool   `group:"Model" name:"ten-crop" help:"Average the predictions over ten crops of each image, see TEN CROPS." yaml:"ten-crop"`
	Ort        string `group:"Model" placeholder:"FILE" help:"ONNX Runtime's library for .onnx files (environment: ONNXRUNTIME_LIB)." yaml:"-"`

	C          string   `group:"Corruptions" name:"c" placeholder:"DIR" help:"Read the -C form from DIR (augmix corrupt, or the published files) instead of making it on the way." yaml:"c"`
	Cbar       string   `group:"Corruptions" name:"cbar" placeholder:"DIR" help:"The same for the -C-bar form." yaml:"cbar"`
	Subset     []string `group:"Corruptions" placeholder:"NAME" help:"Suite c: corruptions by name or subset (the 15 of the benchmark; see augmix corrupt)." yaml:"subset"`
	Severity   string   `group:"Corruptions" default:"1-5" placeholder:"LIST" help:"Severities that are made (${default})." yaml:"severity"`
	Profile    string   `group:"Corruptions" enum:"auto,32,64,224,299" default:"auto" help:"Parameters: auto (by the image's size), 32, 64, 224 or 299." yaml:"profile"`
	BarProfile string   `group:"Corruptions" enum:"auto,cifar,imagenet" default:"auto" help:"Which ten corruptions cbar stands for: cifar, imagenet, or auto (by the model's size)." yaml:"bar-profile"`
	FrostDir   string   `group:"Corruptions" placeholder:"DIR" help:"Published photographs for frost; without, generated ice crystals serve." yaml:"frost-dir"`
	Image      string   `group:"Corruptions" enum:"auto,raw,jpeg" default:"auto" help:"Whether made images pass through JPEG: as augmix corrupt writes them for this IN (auto), raw, or jpeg." yaml:"image"`
	Quality    int      `group:"Corruptions" default:"85" help:"JPEG quality, 1 to 100 (${default}, as ImageNet-C)." yaml:"quality"`

	P            string   `group:"Perturbations" name:"p" placeholder:"DIR" help:"Read the -P form from DIR (augmix perturb, or the published arrays) instead of making it on the way." yaml:"p"`
	Perturbation []string `group:"Perturbations" default:"common" placeholder:"NAME" help:"Suite p: perturbations by name or subset: common, extra, all (${default})." yaml:"perturbation"`
	Difficulty   int      `group:"Perturbations" default:"1" placeholder:"N" help:"1 to 3: harder noises, and frames N apart (${default})." yaml:"difficulty"`

	PgdEps     float64           `group:"More" name:"pgd-eps" default:"2" placeholder:"E" help:"Suite pgd: radius in 255ths of the pixel range (${default}, PixMix's)." yaml:"pgd-eps"`
	PgdStep    float64           `group:"More" name:"pgd-step" default:"0.5" placeholder:"A" help:"Suite pgd: length of a step in 255ths (${default})." yaml:"pgd-step"`
	PgdSteps   int               `group:"More" name:"pgd-steps" default:"20" placeholder:"N" help:"Suite pgd: steps (${default})." yaml:"pgd-steps"`
	PgdCentred bool              `group:"More" name:"pgd-centred" help:"Suite pgd: the ball lies around the random start, as in the published code, so that up to twice the radius passes." yaml:"pgd-centred"`
	Anomalies  map[string]string `group:"More" placeholder:"NAME=SRC" help:"Suite anomalies: data sets of anomalies, such as svhn=DIR;textures=DIR, beside the generated noise." yaml:"anomalies,omitempty"`
	Length     float64           `group:"More" placeholder:"V" help:"Suite fourier: length of the added function (4 at 32 pixels, 15.7 at 224)." yaml:"length"`
	Radius     int               `group:"More" placeholder:"N" help:"Suite fourier: only frequencies up to N from the middle (all)." yaml:"radius"`

	Name      string `group:"Output" placeholder:"NAME" help:"Name of the model in results (the file's, or its folder's where the file is that of a run)." yaml:"name"`
	Dataset   string `group:"Output" placeholder:"NAME" help:"Name of IN in results, such as cifar10 or imagenet; told by IN and its classes." yaml:"dataset"`
	Out       string `group:"Output" short:"o" placeholder:"DIR" help:"Folder for results.jsonl and the logits; what it has already is not measured again." yaml:"-"`
	Logits    bool   `group:"Output" help:"Save the logits in DIR/logits, for augmix score." yaml:"logits"`
	NoRecords bool   `group:"Output" name:"no-records" help:"Do not keep what each prediction said (DIR/records.npz, for intervals and paired differences)." yaml:"no-records"`
	Examples  int    `group:"Output" default:"1" placeholder:"N" help:"Suites c and cbar: keep N images of each corruption that it makes the model get wrong, see EXAMPLE PICTURES (${default})." yaml:"examples"`
	Limit     int    `group:"Output" placeholder:"N" help:"Look at N samples only; rows say so." yaml:"limit"`
	Seed      uint64 `group:"Output" default:"0" help:"Seed of what is made on the way (${default})." yaml:"seed"`
	Jobs      int    `group:"Output" short:"j" placeholder:"N" help:"Workers (all cores)." yaml:"-"`

	preparing `yaml:",inline"`
	input     `yaml:",inline"`
}

// Help is the end of "augmix eval --help".
func (evalCmd) Help() string {
	var b strings.Builder
	b.WriteString("SUITES\n")
	for _, s := range evalSuites {
		fmt.Fprintf(&b, "  %-12s %s\n", s.name, s.doc)
	}
	return b.String() + `
MODELS
  A checkpoint or model.safetensors of augmix train says network, size and normalisation itself. For
  other weights, with the names of the PyTorch originals, say --model and --norm. Saved logits are
  scored by augmix score.

SAME BYTES
  Made on the way, a form has the bytes that augmix corrupt and augmix perturb write with the same
  --seed and preparation. Those for folders and shards pass through JPEG, see --image.

TEN CROPS
  With --ten-crop --size and --crop make the image that is corrupted and that the crops are cut from:
  its four corners and its middle, of the model's size, and the mirrors of these five. The prediction is
  the mean of the ten softmax vectors. The image must be larger than the model's: for a model of
  224x224 say --size 256, or --size 256 --crop 256 for the corners of the middle square. So images
  that were cut to the model's size before, as those of ImageNet-C, have no ten crops. Rows say
  "ten-crop" in their view. Not for pgd, anomalies and fourier.

RESUMING
  With -o, results are kept after each corruption. The same command goes on after the last.

EXAMPLE PICTURES
  With -o, DIR/examples keeps images that the model gets right when clean and wrong when corrupted,
  both forms of each, and examples.jsonl with the predictions; augmix report shows them. They are of the
  middle severity, among the most confident mistakes, of classes that are not shown yet where there are
  such: not a random sample. --examples 0 keeps none; neither does --no-records, which they need.

EXAMPLES
  augmix eval runs/augmix/model.safetensors cifar-10-batches-bin --suite clean,c,p -o eval
  augmix eval resnet20.npz cifar-10-batches-bin --model resnet20 --norm imagenet
  augmix eval net.onnx imagenet/val --norm imagenet --size 256 --crop 224 --suite c --c ImageNet-C
  augmix eval net.onnx imagenet/val --norm imagenet --size 256 --ten-crop --suite clean,c
  augmix eval runs/a/best.safetensors photos --suite c --limit 200
  augmix eval runs/a/best.safetensors photos --suite pgd,anomalies,fourier --limit 200 -o eval`
}

// evalSuite is one thing that can be measured.
type evalSuite struct {
	name, doc string
	passes    int                    // images through the model for each of IN, about
	run       func(r *evalRun) error // nil: it changes the others
}

// evalSuites is the table of --suite.
var evalSuites = []evalSuite{
	{"clean", "errors on IN as it is", 1, (*evalRun).clean},
	{"c", "errors under the corruptions of the -C benchmarks", 75, (*evalRun).corrupted},
	{"cbar", "errors under those of -C-bar", 50, (*evalRun).barred},
	{"p", "flip probability and top-5 distance of -P sequences", 300, (*evalRun).perturbed},
	{"pgd", "error under an adversary: l-inf, 2/255, 20 steps (see --pgd-eps, --pgd-steps)", 65, (*evalRun).adversarial},
	{"anomalies", "telling noise and the sets of --anomalies from IN: AUROC, AUPR, FPR95", 2, (*evalRun).anomalous},
	{"fourier", "sensitivity to single frequencies: a heat map (fourier.npy in DIR); takes long", 514, (*evalRun).sensitive},
	{"calibration", "calibration errors of clean, c and cbar as well", 0, nil},
}

// evalRun is an evalCmd at work.
type evalRun struct {
	*evalCmd
	app   *app
	eval  *eval.Evaluator
	prep  eval.Prepare
	bars  *evalBars
	side  int  // of the model's images
	jpeg  bool // made images pass through JPEG
	suite map[string]bool
}

// Run measures.
func (c *evalCmd) Run(a *app) error {
	r := &evalRun{evalCmd: c, app: a, suite: map[string]bool{}}
	if err := r.check(); err != nil {
		return err
	}
	if err := r.open(); err != nil {
		return err
	}
	defer r.bars.stop()
	if c.Out != "" {
		done, err := r.keep()
		if err != nil {
			return err
		}
		defer done()
	}
	for _, s := range evalSuites {
		if !r.suite[s.name] || s.run == nil {
			continue
		}
		err := s.run(r)
		r.bars.stop()
		if errors.Is(err, errInterrupted) && c.Out != "" {
			return fmt.Errorf("%w; the same command goes on after the last complete measurement", err)
		}
		if errors.Is(err, eval.ErrOption) || errors.Is(err, models.ErrSpec) {
			return usageError{err}
		}
		if err != nil {
			return err
		}
	}
	return a.print(evalJSON(r.eval.Rows), func(w io.Writer) { evalTable(w, r.eval.Rows) })
}

// mostExamples bounds --examples, so that the folder of a run stays one of numbers.
const mostExamples = 20

// check looks at the flags.
func (r *evalRun) check() error {
	for _, name := range r.Suite {
		if !slices.ContainsFunc(evalSuites, func(s evalSuite) bool { return s.name == name }) {
			var all []string
			for _, s := range evalSuites {
				all = append(all, s.name)
			}
			return usagef("--suite %s (allowed: %s)", name, strings.Join(all, ", "))
		}
		r.suite[name] = true
	}
	if len(r.suite) == 1 && r.suite["calibration"] {
		r.suite["clean"] = true
	}
	switch {
	case r.Quality < 1 || r.Quality > 100:
		return usagef("--quality %d (allowed: 1 to 100)", r.Quality)
	case r.Limit < 0:
		return usagef("--limit %d (allowed: 1 and up, 0 for all)", r.Limit)
	case r.Difficulty < 1 || r.Difficulty > 3:
		return usagef("--difficulty %d (allowed: 1 to 3)", r.Difficulty)
	case r.Side < 0 || r.Side > mostSide:
		return usagef("--side %d (allowed: 1 to %d)", r.Side, mostSide)
	case r.Examples < 0 || r.Examples > mostExamples:
		return usagef("--examples %d (allowed: 0 to %d)", r.Examples, mostExamples)
	case r.Logits && r.Out == "":
		return usagef("--logits needs -o DIR to save them in")
	case r.Jobs < 0 || r.Jobs > 1<<12:
		return usagef("--jobs %d (allowed: 1 to %d, 0 for all cores)", r.Jobs, 1<<12)
	}
	for _, name := range []string{"pgd", "anomalies", "fourier"} {
		if r.TenCrop && r.suite[name] {
			return usagef("--ten-crop with --suite %s (allowed: clean, c, cbar, p, calibration)", name)
		}
	}
	if err := r.preparing.check(); err != nil {
		return err
	}
	filter, err := augment.ParseFilter(r.Filter)
	r.prep = eval.Prepare{Size: r.Size, Filter: filter, Crop: r.Crop}
	return err
}

// open loads the model and looks at the data.
func (r *evalRun) open() error {
	norm, err := parseNorm(r.Norm)
	if err != nil {
		return err
	}
	p, err := r.predictor(norm)
	if err != nil {
		return err
	}
	r.side, _, _ = p.Input()
	if r.TenCrop && (r.Size > 0 && r.Size <= r.side || r.Crop > 0 && r.Crop <= r.side) {
		return usagef("--ten-crop with --size %d --crop %d leaves nothing to choose crops from (allowed: more than the model's %d)",
			r.Size, r.Crop, r.side)
	}
	src, err := r.source()
	if err != nil {
		return err
	}
	defer src.Close()
	info := src.Info()
	if n := len(info.Classes); n > p.Classes() {
		return usagef("%s has %d classes, the model %d", r.In, n, p.Classes())
	}
	if r.Dataset == "" {
		r.Dataset = datasetName(info, r.In, r.side)
	}
	if r.Name == "" {
		r.Name = nameOfModel(r.File)
	}
	r.jpeg = r.Image == "jpeg" || r.Image == "auto" && !slices.Contains([]string{"cifar10", "cifar100", "npy", "npz"}, info.Format)
	r.bars = &evalBars{app: r.app}
	r.eval = &eval.Evaluator{
		Predictor: p, Model: r.Name, Dataset: r.Dataset, Workers: r.Jobs, Limit: r.Limit, Calibration: r.suite["calibration"],
		TenCrop: r.TenCrop, Versions: versions(), Report: r.bars.report,
	}
	if err := r.preprocessing(p); err != nil {
		return err
	}
	r.app.detail("%s: %d classes, images of %dx%d; %s as %s", r.File, p.Classes(), r.side, r.side, r.In, r.Dataset)
	return nil
}

// noPreprocess as --preprocess leaves images as they are.
const noPreprocess = "none"

// preprocessing sets what images go through: the flag wins over what the model was trained with.
func (r *evalRun) preprocessing(p eval.Predictor) error {
	var own preprocess.Method
	if n, ok := p.(*eval.Network); ok {
		own = n.Preprocess
	}
	r.eval.Preprocess = own
	switch r.Preprocess {
	case "":
		return nil
	case noPreprocess:
		r.eval.Preprocess = nil
	default:
		m, err := preprocess.Parse(r.Preprocess)
		if err != nil {
			return usageError{fmt.Errorf("--preprocess: %w", err)}
		}
		r.eval.Preprocess = m
	}
	r.eval.Foreign = r.eval.Preprocess != own
	return nil
}

// predictor loads MODEL.
func (r *evalRun) predictor(norm *mix.Norm) (eval.Predictor, error) {
	ext := strings.ToLower(filepath.Ext(r.File))
	if st, err := os.Stat(r.File); err != nil {
		return nil, fmt.Errorf("cannot open the model: %w", err)
	} else if st.IsDir() || ext == ".npy" || ext == ".csv" || ext == ".parquet" || ext == ".jsonl" {
		return nil, usagef("%s is no model; saved logits are scored by augmix score", r.File)
	}
	if ext == ".onnx" {
		return eval.OpenONNX(r.File, r.Ort, norm, r.Jobs)
	}
	n, err := eval.LoadNetwork(r.File, eval.Described{Model: r.Model, H: r.Side, W: r.Side, Norm: norm})
	if err != nil {
		return nil, err
	}
	n.Workers = r.Jobs
	return n, nil
}

// source opens IN; of a set with several parts the test part.
func (r *evalRun) source() (data.Source, error) { return r.input.openSplit(r.app, r.In, "test") }

// keep opens the folder of results and returns what closes it.
func (r *evalRun) keep() (func(), error) {
	if err := os.MkdirAll(r.Out, 0o777); err != nil {
		return nil, err
	}
	if err := r.signModel(); err != nil {
		return nil, err
	}
	path := filepath.Join(r.Out, "results.jsonl")
	rows, err := results.OpenAppend(path)
	if err != nil {
		return nil, err
	}
	known, err := results.ReadFile(path)
	if err == nil {
		err = r.sameModel(known)
	}
	var args []byte
	if err == nil {
		args, err = yaml.Marshal(r.evalCmd)
	}
	if err == nil {
		head := "# augmix eval, options as they were resolved; give this file to --config to use them again\n"
		err = data.WriteFileAtomic(filepath.Join(r.Out, generate.ArgsName), append([]byte(head), args...))
	}
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	r.eval.Results, r.eval.Known = rows, results.Rows(known)
	if !r.NoRecords {
		if r.eval.Records, err = eval.OpenRecorder(filepath.Join(r.Out, records.FileName)); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		if r.eval.Gallery, err = eval.OpenGallery(r.Out, r.Examples); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
	}
	if r.Logits {
		r.eval.LogitsDir = filepath.Join(r.Out, "logits", r.Name)
		if r.TenCrop { // augmix score, which names models after folders, must not take them for the plain ones
			r.eval.LogitsDir += "-ten-crop"
		}
	}
	return func() { _ = rows.Close() }, nil
}

func (r *evalRun) clean() error {
	src, err := r.source()
	if err != nil {
		return err
	}
	defer src.Close()
	return r.eval.Clean(r.app.ctx, src, r.prep)
}

func (r *evalRun) corrupted() error {
	subset := r.Subset
	if len(subset) == 0 {
		subset = []string{"common"}
	}
	return r.corruptions(results.SuffixC, r.C, subset)
}

func (r *evalRun) barred() error {
	return r.corruptions(results.SuffixCBar, r.Cbar, []string{transform.BarSubset})
}

// corruptions measures one corrupted form.
func (r *evalRun) corruptions(suffix, dir string, subset []string) error {
	c := &eval.Corrupted{
		Suffix: suffix, Dir: dir, Prepare: r.prep, Open: r.source, Seed: r.Seed,
		Plan: transform.Corruptions{Size: r.Size, Filter: r.prep.Filter, Crop: r.Crop},
	}
	if r.jpeg {
		c.JPEG = data.Encoding{JPEG: true, Quality: r.Quality}
	}
	var err error
	if c.Plan.Bar, err = r.bar(); err != nil {
		return err
	}
	if c.Plan.Severities, err = transform.ParseSeverities(r.Severity); err != nil {
		return err
	}
	if c.Plan.Profile, err = corrupt.ParseProfile(r.Profile); err != nil {
		return err
	}
	if c.Names, err = transform.ExpandCorruptions(subset, c.Plan.Bar); err != nil {
		return err
	}
	if slices.Contains(c.Names, "frost") && dir == "" {
		if c.Plan.Frost, err = (&frosting{r.FrostDir}).textures(r.app); err != nil {
			return err
		}
	}
	return r.eval.Corruptions(r.app.ctx, c)
}

func (r *evalRun) bar() (cbar.Profile, error) {
	if r.BarProfile != "auto" {
		return cbar.ParseProfile(r.BarProfile)
	}
	return cbar.ProfileFor(r.side), nil
}

func (r *evalRun) perturbed() error {
	p := &eval.Perturbed{
		Difficulty: r.Difficulty, Dir: r.P, Prepare: r.prep, Open: r.source, Seed: r.Seed,
		Plan: transform.Perturbations{Size: r.Size, Filter: r.prep.Filter, Crop: r.Crop},
	}
	var err error
	if p.Plan.Profile, err = corrupt.ParseProfile(r.Profile); err != nil {
		return err
	}
	if p.Names, err = transform.ExpandPerturbations(r.Perturbation); err != nil {
		return err
	}
	return r.eval.Perturbations(r.app.ctx, p)
}

// parseNorm reads --norm; nil for "".
func parseNorm(s string) (*mix.Norm, error) {
	named := map[string]mix.Norm{"half": mix.Half, "imagenet": mix.ImageNet, "unit": mix.Unit}
	if n, ok := named[s]; ok {
		return &n, nil
	}
	if s == "" {
		return nil, nil
	}
	bad := usagef("--norm %s (allowed: half, imagenet, unit, or R,G,B/R,G,B)", s)
	mean, std, ok := strings.Cut(s, "/")
	if !ok {
		return nil, bad
	}
	var n mix.Norm
	for i, text := range []string{mean, std} {
		fields := strings.Split(text, ",")
		if len(fields) != 3 {
			return nil, bad
		}
		for c, f := range fields {
			v, err := strconv.ParseFloat(f, 32)
			if err != nil {
				return nil, bad
			}
			if i == 0 {
				n.Mean[c] = float32(v)
			} else {
				n.Std[c] = float32(v)
			}
		}
	}
	if err := n.Check(); err != nil {
		return nil, bad
	}
	return &n, nil
}

// datasetName is what a clean test set is called in results.
func datasetName(info data.Info, path string, side int) string {
	switch n := len(info.Classes); {
	case info.Format == "cifar10" || info.Format == "cifar100" || info.Format == "scenes":
		return info.Format
	case n == 1000 && cbar.ProfileFor(side) == cbar.CIFAR:
		return "imagenet-64"
	case n == 1000:
		return "imagenet"
	case n == 200 && cbar.ProfileFor(side) == cbar.CIFAR:
		return "tiny-imagenet"
	}
	name := filepath.Base(filepath.Clean(path))
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// nameOfModel is what a model is called in results: the folder's name for the files of a run, else the file's.
func nameOfModel(path string) string {
	name := filepath.Base(path)
	switch stem := strings.TrimSuffix(name, filepath.Ext(name)); stem {
	case "last", "best", "model":
		if abs, err := filepath.Abs(path); err == nil {
			return filepath.Base(filepath.Dir(abs))
		}
		return stem
	default:
		return stem
	}
}

// evalBars shows one bar a measurement.
type evalBars struct {
	app  *app
	what string
	bar  *progress.Bar
}

func (b *evalBars) report(what string, done, total int) {
	if b.bar == nil || b.what != what {
		b.stop()
		b.what, b.bar = what, b.app.bar(what, progress.Images, total, 0)
	}
	b.bar.Set(done, 0)
}

func (b *evalBars) stop() {
	if b.bar != nil {
		b.bar.Stop()
	}
	b.bar = nil
}
