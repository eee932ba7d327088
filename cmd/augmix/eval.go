package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/report"
)

// evalCmd measures how robust a model is. Its flags are the keys of experiment.Eval.
type evalCmd struct {
	File  string   `arg:"" name:"MODEL" yaml:"file" help:"Checkpoint or weights (.safetensors, .npz, .pth), an .onnx file, or the folder of a training run."`
	In    string   `arg:"" name:"IN" yaml:"in" help:"Clean test set, labeled."`
	Suite []string `group:"Suites" default:"clean" placeholder:"NAME" help:"What to measure, separated by commas: see SUITES below (${default})."`

	Model      string `group:"Model" placeholder:"SPEC" help:"Network of MODEL, where the file does not say it (see augmix list models)."`
	Norm       string `group:"Model" placeholder:"NORM" help:"Normalization, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B (mean and standard deviation of values in [0, 1])."`
	Preprocess string `group:"Model" placeholder:"SPEC" help:"What images go through before the model, such as clahe or nlm; none for nothing. By default what the model was trained with."`
	InputSize  int    `group:"Model" placeholder:"N" help:"Height and width of the network's images, in place of what the file says, or what the network was published for."`
	Exit       int    `group:"Model" placeholder:"N" help:"Exit that is measured, from 1, of a network with early ones such as msdnet-5-7 (the last). Rows have it in the model's name: NAME-exit1."`
	TenCrop    bool   `group:"Model" help:"Average the predictions over ten crops of each image, see TEN CROPS."`
	Among      string `group:"Model" enum:"data,model" default:"data" help:"Classes that predictions are among where IN has only some of the model's: data (those of IN) or model (all), see CLASSES."`
	Ort        string `group:"Model" placeholder:"FILE" help:"ONNX Runtime's library for .onnx files (environment: ONNXRUNTIME_LIB)."`

	C          string   `group:"Corruptions" placeholder:"DIR" help:"Read the -C form from DIR (augmix corrupt, or the published files) instead of making it on the fly."`
	Cbar       string   `group:"Corruptions" placeholder:"DIR" help:"The same for the -C-bar form."`
	Subset     []string `group:"Corruptions" default:"common" placeholder:"NAME" help:"Suite c: corruptions by name or subset (${default}: the 15 of the benchmark; see augmix corrupt)."`
	Severity   string   `group:"Corruptions" default:"1-5" placeholder:"LIST" help:"Severities, of images that are made fractions too: 1,2.5 or 0.5-5:0.5 (${default}). Means over severities and mCE are of 1 to 5 alone."`
	Profile    string   `group:"Corruptions" default:"auto" placeholder:"NAME" help:"Parameters: auto (by the image's size), 32, 64, 224, 299, one of augmix list profiles, or a file (augmix corrupt --help)."`
	BarProfile string   `group:"Corruptions" enum:"auto,cifar,imagenet" default:"auto" help:"Which ten corruptions cbar stands for: cifar, imagenet, or auto (by the model's size)."`
	FrostDir   string   `group:"Corruptions" placeholder:"DIR" help:"Published photographs for frost; without, generated ice crystals."`
	Image      string   `group:"Corruptions" enum:"auto,raw,jpeg" default:"auto" help:"Whether made images pass through JPEG: as augmix corrupt writes them for this IN (auto), raw, or jpeg."`
	Quality    int      `group:"Corruptions" default:"85" help:"JPEG quality, 1 to 100 (${default}, as ImageNet-C)."`

	styling

	P            string   `group:"Perturbations" placeholder:"DIR" help:"Read the -P form from DIR (augmix perturb, or the published arrays) instead of making it on the fly."`
	Perturbation []string `group:"Perturbations" default:"common" placeholder:"NAME" help:"Suite p: perturbations by name or subset: common, extra, all (${default})."`
	Difficulty   int      `group:"Perturbations" default:"1" placeholder:"N" help:"1 to 3: harder noises, and frames N apart (${default})."`

	PgdEps        float64           `group:"More" default:"2" placeholder:"E" help:"Suite pgd: radius in 255ths of the pixel range (${default}, PixMix's)."`
	PgdStep       float64           `group:"More" default:"0.5" placeholder:"A" help:"Suite pgd: length of a step in 255ths (${default})."`
	PgdSteps      int               `group:"More" default:"20" placeholder:"N" help:"Suite pgd: steps (${default})."`
	PgdCentered   bool              `group:"More" help:"Suite pgd: the ball lies around the random start, as in the published code, so that up to twice the radius passes."`
	Ood           map[string]string `group:"More" placeholder:"NAME=SRC" help:"Suite ood: further OOD data sets, such as svhn=test_32x32.mat;textures=dtd/images;lsun=bedroom_val_lmdb, beside the generated noise."`
	OodScore      string            `group:"More" enum:"msp,max_logit,energy,xent_uniform,entropy,gen,knn,mahalanobis,vim" default:"msp" help:"Suite ood: what makes an image out of distribution: msp (maximum softmax probability, the papers'), max_logit, energy, xent_uniform, entropy or gen; or by features: knn, mahalanobis, vim, see FEATURES. Rows say so, but for msp."`
	OodTrain      string            `group:"More" placeholder:"SRC" help:"Labeled training data of MODEL, for OOD scores by features."`
	OodTrainLimit int               `group:"More" placeholder:"N" help:"Use N images of it only, evenly spread."`
	OodNeighbors  int               `group:"More" placeholder:"K" help:"knn: the neighbor whose distance counts (50)."`
	Features      bool              `group:"Output" help:"Save the features of OOD scores by features in DIR/features/NAME/DATASET."`
	Length        float64           `group:"More" placeholder:"V" help:"Suite fourier: length of the added function (4 at 32 pixels, 15.7 at 224)."`
	Radius        int               `group:"More" placeholder:"N" help:"Suite fourier: only frequencies up to N from the middle (all)."`

	Name             string `group:"Output" placeholder:"NAME" help:"Name of the model in results (the file's, or its folder's where the file is that of a run)."`
	Dataset          string `group:"Output" placeholder:"NAME" help:"Name of IN in results, such as cifar10 or imagenet (by IN and its classes)."`
	Out              string `group:"Output" short:"o" placeholder:"DIR" help:"Folder for results.jsonl and the logits; what it has already is not measured again."`
	Logits           bool   `group:"Output" help:"Save the logits, for augmix score DIR/logits/NAME."`
	PerClass         bool   `group:"Output" help:"Suite clean: the error of each class and the most frequent confusions too; with -o the whole matrix, DIR/confusion/NAME/DATASET.csv."`
	TemperatureOn    string `group:"Model" placeholder:"SRC" help:"Divide logits by the softmax temperature that fits the labeled data set SRC best, such as a validation part. NAME then ends in \", temperature scaled\"."`
	ReferenceBinning bool   `group:"Output" help:"Suite calibration: RMS and MAD calibration errors without the last adaptive bin too, as the published code computes them by mistake."`
	NoRecords        bool   `group:"Output" help:"Do not keep the outcome of each prediction (DIR/records.npz, for intervals and paired differences)."`
	Examples         int    `group:"Output" default:"1" placeholder:"N" help:"Suites c and cbar: keep N images of each corruption that it makes the model get wrong, see EXAMPLE IMAGES (${default})."`
	Part             string `group:"Output" placeholder:"NAME" help:"What rows call the samples that --only and --without leave (these in words)."`
	Limit            int    `group:"Output" placeholder:"N" help:"Use N samples only, evenly spread over IN; rows say so."`
	Seed             uint64 `group:"Output" default:"0" help:"Seed of what is made on the fly (${default})."`
	Workers          int    `group:"Output" short:"j" placeholder:"N" help:"Workers (all cores)."`

	All  bool `group:"Output" help:"Print every metric of each corruption and severity." yaml:"-"`
	Plan bool `group:"Output" help:"Only say what would be measured: suites, images that go through the model, bytes of logits and time, estimated from a few images." yaml:"-"`

	preparing
	grayForms
	input
}

// Help is the end of "augmix eval --help".
func (evalCmd) Help() string {
	var b strings.Builder
	b.WriteString("SUITES\n")
	for _, s := range experiment.Suites() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.Name, s.Doc)
	}
	return b.String() + `
MODELS
  A folder of augmix train stands for its model.safetensors. That, or a checkpoint, says network, size,
  normalization, class names and how images were prepared in its validation; without --size and --crop
  the same is done here, and said. For other weights, with the names of the PyTorch originals, say
  --model and --norm. Images of --c, --cbar and --p that have the model's size already, while those of
  IN have not, are taken as they are. Saved logits are scored by augmix score.

CLASSES
  Labels go by the names of classes; of a model of 1000 classes without names by ImageNet-1K's wnids,
  where IN's folders have these (of 1001 classes the first is the background). Where IN has only some
  of the model's classes, as ImageNet-R and ImageNet-A have, predictions are made among these alone, as
  the authors of both do, and rows say among how many, where that is not what the data set asks for;
  --among model makes them among all. Folders that are different numbers below the model's number of
  classes, with zeros in front or without, and none of its names, are matched by number, which is
  said; of a model whose classes are called by numbers it is these. Any other class that the model
  does not know is an error; --classes FILE renames folders. Logits are saved as they are scored, a
  column for each class that predictions were made among.

SAME BYTES
  Made on the fly, a form has the bytes that augmix corrupt and augmix perturb write with the same
  --seed, --size and --crop. Those for folders and shards pass through JPEG, see --image.

MEDMNIST-C
  Each of its sets has a list of corruptions. With --profile medmnist-c/NAME, or a file like it, or a
  folder --c that has some of them, suite c is of that list unless --subset names others, and means are
  over it.

TEN CROPS
  With --ten-crop, --size and --crop make the image that is corrupted and that the crops are taken
  from: its four corners and its center, of the model's size, and the horizontal flips of these five.
  The prediction is the mean of the ten softmax vectors. The image must be larger than the model's:
  for a model of 224x224 say --size 256, or --size 256 --crop 256 for the corners of the center
  square. So images that were cropped to the model's size before, as those of ImageNet-C, have no ten
  crops. Rows say that they are of ten crops. Not for pgd, ood and fourier.

RESUMING
  With -o, results are kept after each corruption. The same command resumes after the last. DIR may be
  s3://BUCKET/PREFIX: then they are kept on this machine (AUGMIX_STAGE) and published at the end.
  DIR may have results of several --seed, over which augmix report shows means; records.npz has the
  predictions of the seed that was measured last.

FEATURES
  What a network makes of an image before its last, linear layer. knn: the distance to the K-th nearest
  training image; mahalanobis: that to the nearest class; vim: a logit for what lies outside the
  training images' principal subspace. --ood-train is what MODEL was trained on, or a part of it.
  --features saves them in DIR/features/NAME/DATASET: float32 [N, features], training.npy, test.npy and
  one file for each OOD set.

EXAMPLE IMAGES
  With -o, DIR/examples keeps images that the model gets right when clean and wrong when corrupted,
  both forms of each, and examples.jsonl with the predictions; augmix report shows them. They are of the
  middle severity, among the most confident mistakes, and of different classes where possible: not a
  random sample. --examples 0 keeps none; neither does --no-records, which they need.

EXAMPLES
  augmix eval runs/augmix/model.safetensors cifar-10-batches-bin --suite clean,c,p -o eval
  augmix eval resnet20.npz cifar-10-batches-bin --model resnet20 --norm imagenet
  augmix eval net.onnx imagenet/val --norm imagenet --size 256 --crop 224 --suite c --c ImageNet-C
  augmix eval net.onnx imagenet/val --norm imagenet --size 256 --ten-crop --suite clean,c
  augmix eval runs/a/best.safetensors photos --suite c --limit 200
  augmix eval runs/a imagenet/val --suite clean,c,cbar,p --logits -o eval --plan
  augmix eval runs/ct/best.safetensors ct-test --gray --window=-160:240 --suite clean,c
  augmix eval runs/a/best.safetensors photos --per-class -o eval
  augmix eval runs/path pathmnist.npz --suite clean,c --profile medmnist-c/pathmnist -o eval
  augmix eval runs/a/best.safetensors photos --suite calibration --temperature-on more -o eval
  augmix eval r50.pth imagenet-r --model resnet50 --norm imagenet --size 256 --crop 224 -o eval
  augmix eval runs/msdnet/model.safetensors cifar-10-batches-bin --suite clean,c --exit 3 -o eval
  augmix eval r50.pth cue-conflict --model resnet50 --norm imagenet --size 256 --crop 224 --suite cues
  augmix eval runs/a/best.safetensors photos --suite pgd,ood,fourier --limit 200 -o eval
  augmix eval runs/a/best.safetensors photos --suite ood --ood-score energy --limit 200 -o eval
  augmix eval runs/a/best.safetensors cifar --suite ood --ood-score knn --ood-train cifar -o eval
  augmix eval a.onnx cifar --suite ood --ood-score knn --ood-neighbors 20 --ood-train cifar -o eval
  augmix eval a.onnx cifar --suite ood --ood-score vim --ood-train cifar --ood-train-limit 5000 -o eval
  augmix eval a.onnx cifar --suite ood --ood-score mahalanobis --ood-train cifar --features -o eval`
}

// options returns the flags as options.
func (c *evalCmd) options(ctx *kong.Context) *experiment.Eval {
	e := &experiment.Eval{File: c.File, In: c.In, Suites: c.Suite, ORT: c.Ort, Dir: c.Out, Workers: c.Workers}
	setOptions(e, ctx, false)
	return e
}

// checkZeros refuses a 0 that was given where it would be taken for the default.
func (c *evalCmd) checkZeros(given []string) error {
	for _, f := range []struct {
		name    string
		zero    bool
		allowed string
	}{
		{"ood-neighbors", c.OodNeighbors == 0, "1 to 100000; without, 50"},
		{"quality", c.Quality == 0, "1 to 100; without, 85"},
		{"difficulty", c.Difficulty == 0, "1 to 3; without, 1"},
		{"pgd-eps", c.PgdEps == 0, "above 0; without, 2"},
		{"pgd-step", c.PgdStep == 0, "above 0; without, 0.5"},
		{"pgd-steps", c.PgdSteps == 0, "1 and up; without, 20"},
	} {
		if f.zero && slices.Contains(given, f.name) {
			return usagef("--%s 0 (allowed: %s)", f.name, f.allowed)
		}
	}
	return nil
}

// Run measures.
func (c *evalCmd) Run(ctx *kong.Context, a *app) error {
	if err := c.checkZeros(givenFlags(ctx)); err != nil {
		return err
	}
	if err := c.checkInput(a, c.In); err != nil {
		return err
	}
	e := c.options(ctx)
	e.Stdin, e.Versions, e.Log, e.Say = a.in, versions(), a.detail, a.say
	if c.Plan {
		plan, err := e.Plan(a.ctx)
		if err != nil {
			return withFlag(err)
		}
		return a.printEvalPlan(plan, c.Out)
	}
	stop := a.watchEval(e)
	rows, err := e.Run(a.ctx)
	stop()
	if errors.Is(err, errInterrupted) && c.Out != "" {
		return fmt.Errorf("%w; the same command resumes after the last complete measurement", errInterrupted)
	}
	if err != nil {
		return withFlag(err)
	}
	return a.print(evalJSON(rows), func(w io.Writer) { report.WriteText(w, rows, c.All) })
}

// withFlag names the flag that says what a model's file does not, or that makes images fit the model.
func withFlag(err error) error {
	var size *eval.SizeError
	switch {
	case errors.Is(err, eval.ErrNoNetwork):
		return fmt.Errorf("%w; say it (--model, see augmix list models)", err)
	case errors.Is(err, eval.ErrNoNorm):
		return fmt.Errorf("%w; say it (--norm)", err)
	case errors.As(err, &size) && size.TenCrop:
		return fmt.Errorf("%w; --size %d makes it so", err, size.Side())
	case size != nil:
		return fmt.Errorf("%w; --size %d --crop %[2]d makes them so", err, size.Side())
	}
	return hintReading(err)
}

// watchEval makes an evaluation show one bar for all of its measurements. The result ends that.
func (a *app) watchEval(e *experiment.Eval) (stop func()) {
	var bar *progress.Bar
	e.Report = func(p experiment.Progress) {
		label := fmt.Sprintf("%s %d/%d", p.What, p.Index, p.Count)
		if bar == nil {
			bar = a.bar(label, progress.Images, p.Total, p.Reused)
		}
		bar.Relabel(label, p.Reused)
		bar.Set(p.Done, 0)
	}
	return func() {
		if bar != nil {
			bar.Stop()
		}
	}
}
