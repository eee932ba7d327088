package train

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// ErrRecipe is wrapped by every error about a recipe: a value out of range, fields that do not go together.
var ErrRecipe = errors.New("recipe")

// Recipe is everything that a trained model depends on, but for the bytes of the data. Its fields are the keys of a
// YAML recipe, the flags of "augmix train" and what args.yaml and the checkpoints record: the tags say the names, the
// defaults (see [Default]) and the help texts.
type Recipe struct {
	// Data.

	Data       string `yaml:"data" json:"data" group:"Data" placeholder:"SRC" help:"Training data set (see augmix list formats)."`
	Format     string `yaml:"format" json:"format,omitempty" group:"Data" placeholder:"FORMAT" help:"Format of SRC; by default told by its look."`
	Split      string `yaml:"split" json:"split,omitempty" group:"Data" placeholder:"PART" help:"CIFAR: train, test or all; by default train where SRC has both parts."`
	Coarse     bool   `yaml:"coarse" json:"coarse,omitempty" group:"Data" negatable:"" help:"CIFAR-100: the 20 coarse classes."`
	Valid      string `yaml:"valid" json:"valid,omitempty" group:"Data" placeholder:"SRC" help:"Data set to measure the error on after epochs; none measures nothing. By default the test part of a CIFAR set with both."`
	ValidSplit string `yaml:"valid-split" json:"valid-split,omitempty" group:"Data" placeholder:"PART" help:"CIFAR: part of --valid."`
	Memory     int    `yaml:"memory" json:"-" group:"Data" default:"4096" placeholder:"MB" help:"Keep decoded images in memory up to this much (${default}); larger sets are decoded anew in every epoch."`

	// Images.

	Size        int       `yaml:"size" json:"size,omitempty" group:"Images" placeholder:"N" help:"First resize the shorter side to N pixels."`
	Crop        string    `yaml:"crop" json:"crop,omitempty" group:"Images" placeholder:"CROP" help:"Then cut N x N: N (the middle), random:N, padP:N (pad by P, then random), rrc:N (random resized crop)."`
	Flip        bool      `yaml:"flip" json:"flip,omitempty" group:"Images" negatable:"" help:"Then mirror left and right with probability one half."`
	ValidSize   int       `yaml:"valid-size" json:"valid-size,omitempty" group:"Images" placeholder:"N" help:"Validation: resize the shorter side to N pixels; then the middle of the crop's size is cut."`
	Mean        []float64 `yaml:"mean" json:"mean" group:"Images" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"Normalisation of values in [0, 1]: what is subtracted (${default})."`
	Std         []float64 `yaml:"std" json:"std" group:"Images" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"And what is divided by (${default})."`
	Mix         string    `yaml:"mix" json:"mix" group:"Images" default:"none" placeholder:"SPEC" help:"Augmentation, such as augmix-m3-w3-d-1 (${default}; see augmix list mixes)."`
	Mixset      string    `yaml:"mixset" json:"mixset,omitempty" group:"Images" placeholder:"SET" help:"Images that PixMix mixes in: fractals (the default) or another kind, KIND-nN for N of them, or a data set of your own; or iterative-fvis-nN, feature visualisations of the network in training."`
	MixsetEvery int       `yaml:"mixset-every" json:"mixset-every" group:"Images" name:"mixset-every" default:"1" placeholder:"N" help:"mixset iterative-fvis: draw its images anew at the start of every N-th epoch (${default})."`

	Preprocess string `yaml:"preprocess" json:"preprocess,omitempty" group:"Images" placeholder:"SPEC" help:"After crop and flip, before the mix, in training and validation: clahe or nlm with options, such as clahe-c2-t8."`

	// Network and loss.

	Model     string  `yaml:"model" json:"model" group:"Network" placeholder:"SPEC" help:"Network, such as wrn-40-2 (see augmix list models)."`
	Weights   string  `yaml:"weights" json:"weights,omitempty" group:"Network" placeholder:"FILE" help:"Start from these weights (safetensors, npz, a checkpoint) instead of random ones."`
	JSD       bool    `yaml:"jsd" json:"jsd,omitempty" group:"Network" negatable:"" help:"Add AugMix's Jensen-Shannon consistency loss over several views."`
	Lambda    float64 `yaml:"lambda" json:"lambda,omitempty" group:"Network" default:"12" help:"Weight of the consistency loss (${default})."`
	Views     int     `yaml:"views" json:"views,omitempty" group:"Network" default:"3" help:"Views of the consistency loss: the clean image and N-1 mixtures (${default})."`
	Smoothing float64 `yaml:"label-smoothing" json:"label-smoothing,omitempty" group:"Network" name:"label-smoothing" help:"Share of the label that is spread over all classes (0)."`

	// Methods that need more than a mix; at most one of them, or of jsd, at a time.

	Adversarial    bool    `yaml:"adversarial" json:"adversarial,omitempty" group:"Method" negatable:"" help:"Train on adversaries of the images, made by projected gradient descent (l-infinity)."`
	AdvEps         float64 `yaml:"adv-eps" json:"adv-eps" group:"Method" name:"adv-eps" default:"8" placeholder:"N" help:"adversarial: largest change of a value, in 255ths (${default})."`
	AdvStep        float64 `yaml:"adv-step" json:"adv-step" group:"Method" name:"adv-step" default:"2" placeholder:"N" help:"adversarial: length of a step, in 255ths (${default})."`
	AdvSteps       int     `yaml:"adv-steps" json:"adv-steps" group:"Method" name:"adv-steps" default:"10" placeholder:"N" help:"adversarial: number of steps (${default})."`
	Outliers       string  `yaml:"outliers" json:"outliers,omitempty" group:"Method" placeholder:"SRC" help:"Outlier Exposure: a data set of images of no class, whose labels are not looked at."`
	OutlierBatch   int     `yaml:"outlier-batch" json:"outlier-batch" group:"Method" name:"outlier-batch" default:"256" placeholder:"N" help:"outliers: images of SRC in every step (${default})."`
	OutlierWeight  float64 `yaml:"outlier-weight" json:"outlier-weight" group:"Method" name:"outlier-weight" default:"0.5" placeholder:"W" help:"outliers: weight of their loss (${default})."`
	Stability      float64 `yaml:"stability" json:"stability,omitempty" group:"Method" placeholder:"W" help:"Stability training: weight of the cross-entropy between the outputs for an image and for the same with noise (0: off)."`
	StabilityNoise float64 `yaml:"stability-noise" json:"stability-noise" group:"Method" name:"stability-noise" default:"0.05" placeholder:"A" help:"stability: the noise is uniform in (-A, A), for values in [0, 1] (${default})."`

	// Optimiser.

	Epochs      int     `yaml:"epochs" json:"epochs" group:"Optimiser" default:"100" help:"Times that every sample is seen (${default})."`
	Batch       int     `yaml:"batch" json:"batch" group:"Optimiser" default:"128" help:"Samples of a step; the last batch of an epoch may be smaller (${default})."`
	Optimizer   string  `yaml:"optimizer" json:"optimizer" group:"Optimiser" enum:"sgd,adam,adamw" default:"sgd" help:"sgd, adam or adamw (${default})."`
	LR          float64 `yaml:"lr" json:"lr" group:"Optimiser" default:"0.1" help:"Learning rate (${default})."`
	MinLR       float64 `yaml:"min-lr" json:"min-lr,omitempty" group:"Optimiser" name:"min-lr" default:"0.000001" help:"Learning rate at the end of the cosine (${default})."`
	Schedule    string  `yaml:"schedule" json:"schedule" group:"Optimiser" enum:"cosine,step,constant" default:"cosine" help:"cosine (per step), step or constant (${default})."`
	Drops       []int   `yaml:"drops" json:"drops,omitempty" group:"Optimiser" placeholder:"EPOCH,..." help:"step: epochs, counted from 0, at whose start the rate is multiplied by --drop."`
	Drop        float64 `yaml:"drop" json:"drop,omitempty" group:"Optimiser" default:"0.1" help:"step: the factor (${default})."`
	Warmup      float64 `yaml:"warmup" json:"warmup,omitempty" group:"Optimiser" placeholder:"EPOCHS" help:"Epochs in which the rate first rises linearly from 0 (0)."`
	Momentum    float64 `yaml:"momentum" json:"momentum" group:"Optimiser" default:"0.9" help:"sgd: momentum (${default})."`
	Nesterov    bool    `yaml:"nesterov" json:"nesterov,omitempty" group:"Optimiser" negatable:"" default:"true" help:"sgd: Nesterov's form (on)."`
	WeightDecay float64 `yaml:"weight-decay" json:"weight-decay" group:"Optimiser" name:"weight-decay" default:"0.0005" help:"Weight decay of all parameters (${default})."`
	Clip        float64 `yaml:"clip" json:"clip,omitempty" group:"Optimiser" placeholder:"NORM" help:"Scale the gradient down to this norm where it is larger (0: never)."`
	EMA         float64 `yaml:"ema" json:"ema,omitempty" group:"Optimiser" placeholder:"DECAY" help:"Keep an exponential moving average of the weights and validate it (0: none)."`

	// Running.

	Seed      uint64 `yaml:"seed" json:"seed" group:"Running" default:"1" help:"Seed of every random choice (${default})."`
	Workers   int    `yaml:"workers" json:"-" group:"Running" short:"j" placeholder:"N" help:"Cores to use (all). Resuming keeps the number, because the last bits of the weights depend on it."`
	EvalEvery int    `yaml:"eval-every" json:"eval-every,omitempty" group:"Running" name:"eval-every" default:"1" placeholder:"N" help:"Validate after every N-th epoch and the last (${default})."`
}

// Default returns the recipe of the tags' defaults: AugMix's CIFAR settings without augmentation.
func Default() Recipe {
	var r Recipe
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		if text, ok := v.Type().Field(i).Tag.Lookup("default"); ok {
			if err := setField(v.Field(i), text); err != nil {
				panic("train: default of " + v.Type().Field(i).Name + ": " + err.Error())
			}
		}
	}
	return r
}

func setField(f reflect.Value, text string) (err error) {
	switch p := f.Addr().Interface().(type) {
	case *string:
		*p = text
	case *bool:
		*p, err = strconv.ParseBool(text)
	case *int:
		*p, err = strconv.Atoi(text)
	case *uint64:
		*p, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *[]float64:
		*p = nil
		for item := range strings.SplitSeq(text, ",") {
			var v float64
			if v, err = strconv.ParseFloat(item, 64); err != nil {
				return err
			}
			*p = append(*p, v)
		}
	default:
		err = fmt.Errorf("no default of type %s", f.Type())
	}
	return err
}

// limits of fields that could otherwise ask for absurd amounts of memory or time.
const (
	mostSide    = 1 << 14
	mostEpochs  = 1 << 20
	mostBatch   = 1 << 16
	mostViews   = 16
	mostWorkers = 1 << 10
)

// Check returns an error that wraps [ErrRecipe], [mix.ErrSpec] or transform.ErrOption, names the key and says what is
// allowed. Whether the network and the files exist is found out by [Run].
func (r *Recipe) Check() error {
	for _, c := range r.rules() {
		if !c.ok {
			return fmt.Errorf("%w: %s: %v (allowed: %s)", ErrRecipe, c.key, c.value, c.allowed)
		}
	}
	if _, err := transform.ParseCrop(r.Crop); err != nil {
		return fmt.Errorf("%w: crop: %w", ErrRecipe, err)
	}
	if _, err := mix.ParseSpec(r.Mix); err != nil {
		return fmt.Errorf("%w: mix: %w", ErrRecipe, err)
	}
	if err := r.checkMixset(); err != nil {
		return err
	}
	if err := r.checkMethod(); err != nil {
		return err
	}
	if err := r.norm().Check(); err != nil {
		return fmt.Errorf("%w: mean, std: %w", ErrRecipe, err)
	}
	return nil
}

// rule is one condition on one field.
type rule struct {
	key     string
	value   any
	ok      bool
	allowed string
}

func (r *Recipe) rules() []rule {
	between := func(key string, v, lo, hi int) rule {
		return rule{key, v, v >= lo && v <= hi, fmt.Sprintf("%d to %d", lo, hi)}
	}
	return []rule{
		{"data", `""`, r.Data != "", "a data set"},
		{"model", `""`, r.Model != "", "a network, see augmix list models"},
		between("memory", r.Memory, 0, 1<<30),
		between("size", r.Size, 0, mostSide),
		between("valid-size", r.ValidSize, 0, mostSide),
		{"mean", r.Mean, len(r.Mean) == 3 && finite(r.Mean...), "three numbers"},
		{"std", r.Std, len(r.Std) == 3 && finite(r.Std...), "three positive numbers"},
		between("mixset-every", r.MixsetEvery, 1, mostEpochs),
		{"lambda", r.Lambda, r.Lambda >= 0 && finite(r.Lambda), "0 and up"},
		{"views", r.Views, !r.JSD || r.Views >= 2 && r.Views <= mostViews, fmt.Sprintf("2 to %d", mostViews)},
		{"label-smoothing", r.Smoothing, r.Smoothing >= 0 && r.Smoothing < 1, "0 and up, below 1"},
		between("outlier-batch", r.OutlierBatch, 1, mostBatch),
		{"outlier-weight", r.OutlierWeight, r.OutlierWeight >= 0 && finite(r.OutlierWeight), "0 and up"},
		{"stability", r.Stability, r.Stability >= 0 && finite(r.Stability), "0 and up"},
		{
			"stability-noise", r.StabilityNoise, r.StabilityNoise > 0 && r.StabilityNoise <= 1,
			"above 0, at most 1",
		},
		between("epochs", r.Epochs, 1, mostEpochs),
		between("batch", r.Batch, 1, mostBatch),
		{"optimizer", r.Optimizer, oneOf(r.Optimizer, "sgd", "adam", "adamw"), "sgd, adam, adamw"},
		{"lr", r.LR, r.LR > 0 && finite(r.LR), "above 0"},
		{"min-lr", r.MinLR, r.MinLR >= 0 && r.MinLR <= r.LR, "0 to lr"},
		{"schedule", r.Schedule, oneOf(r.Schedule, "cosine", "step", "constant"), "cosine, step, constant"},
		{
			"drops", r.Drops, ascending(r.Drops) && (r.Schedule == "step" || len(r.Drops) == 0),
			"epochs in ascending order, of schedule step",
		},
		{"drop", r.Drop, r.Drop > 0 && r.Drop <= 1, "above 0, at most 1"},
		{"warmup", r.Warmup, r.Warmup >= 0 && r.Warmup <= float64(r.Epochs), "0 to epochs"},
		{"momentum", r.Momentum, r.Momentum >= 0 && r.Momentum < 1, "0 and up, below 1"},
		{"nesterov", r.Nesterov, !r.Nesterov || r.Momentum > 0 || r.Optimizer != "sgd", "with momentum alone"},
		{"weight-decay", r.WeightDecay, r.WeightDecay >= 0 && r.WeightDecay < 1, "0 and up, below 1"},
		{"clip", r.Clip, r.Clip >= 0 && finite(r.Clip), "0 and up"},
		{"ema", r.EMA, r.EMA >= 0 && r.EMA < 1, "0 and up, below 1"},
		between("workers", r.Workers, 0, mostWorkers),
		between("eval-every", r.EvalEvery, 1, mostEpochs),
	}
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func oneOf(s string, allowed ...string) bool {
	for _, a := range allowed {
		if s == a {
			return true
		}
	}
	return false
}

func ascending(list []int) bool {
	for i, v := range list {
		if v < 1 || i > 0 && v <= list[i-1] {
			return false
		}
	}
	return true
}

// norm returns the normalisation; Check has made sure that there are three of each.
func (r *Recipe) norm() *mix.Normalization {
	var n mix.Normalization
	for c := range 3 {
		n.Mean[c], n.Std[c] = float32(r.Mean[c]), float32(r.Std[c])
	}
	return &n
}

// views returns how many images of a sample a step takes and how many of them are the clean one.
func (r *Recipe) views() (clean, views int) {
	if r.JSD {
		return 1, r.Views
	}
	return 0, 1
}

// geometry is how training images are cut, without the mix.
func (r *Recipe) geometry(epoch int) *transform.Pipeline {
	crop, err := transform.ParseCrop(r.Crop)
	if err != nil {
		panic("train: " + err.Error()) // Check has parsed it
	}
	return &transform.Pipeline{Size: r.Size, Filter: augment.Bilinear, Crop: crop, Flip: r.Flip, Epoch: epoch}
}

// validGeometry is how validation images are cut: the middle of the training crop's size.
func (r *Recipe) validGeometry() *transform.Pipeline {
	g := &transform.Pipeline{Size: r.ValidSize, Filter: augment.Bilinear}
	crop := r.geometry(0).Crop
	if crop.Kind != transform.NoCrop {
		g.Crop = transform.Crop{Kind: transform.CenterCrop, N: crop.N}
	}
	if g.Size == 0 {
		g.Size = r.Size
	}
	return g
}
