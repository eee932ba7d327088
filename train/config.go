package train

import (
	"errors"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// ErrConfig is wrapped by every error about a [Config]: a value out of range, fields that do not go together. The error
// names the key.
var ErrConfig = errors.New("configuration")

// Config is everything that a trained model depends on, but for the bytes of the data. The tag of a field is its key: in
// recipes, in the args.yaml and the checkpoints of runs, and in errors. [Default] has the values to begin with; the zero
// Config trains nothing.
type Config struct {
	// Data sets, as package data/formats opens them. [Run] takes them opened and records these: whoever opens them, as package experiment
	// does, chooses Split, Only, Limit and so on. ValFraction and CacheMB alone are for Run.

	Data        string   `yaml:"data"`         // training data
	InputFormat string   `yaml:"input-format"` // of Data and Val; empty: auto-detected
	Split       string   `yaml:"split"`        // part of Data: train, test or all, where its format has parts
	Coarse      bool     `yaml:"coarse"`       // CIFAR-100: the 20 coarse classes
	Only        []string `yaml:"only"`         // samples of Data that are taken, by patterns of data.Filter; none: all
	Without     []string `yaml:"without"`      // samples of Data that are left out
	Classes     string   `yaml:"classes"`      // joins or renames the classes of Data and Val, as package data/formats does
	Labels      string   `yaml:"labels"`       // file of Data's labels, as package data/formats reads it; empty: Data has them
	ValLabels   string   `yaml:"val-labels"`   // of Val's
	ValOnly     []string `yaml:"val-only"`     // as Only, of Val
	ValWithout  []string `yaml:"val-without"`  // as Without, of Val
	Val         string   `yaml:"val"`          // validation data; "none" measures nothing
	ValSplit    string   `yaml:"val-split"`    // part of Val, or without Val of Data
	// ValFraction is the share of Data, drawn by Seed from each class, that is held out of training and validated in place
	// of Val; 0: none.
	ValFraction float64 `yaml:"val-fraction"`
	// Limit takes so many samples of Data, evenly spread, or the first ones where it can only be read from front to end, as data.Limit
	// does; 0: all. ValFraction is a share of these.
	Limit int `yaml:"limit,omitempty"`
	// How images of Data and Val are read that are not of 8 bits and three channels, as data.Reading and package data/formats say it.
	Gray     bool   `yaml:"gray,omitempty"`     // what the augmentation makes of gray images is gray, in three equal channels; else it may be colored
	Window   string `yaml:"window,omitempty"`   // LO:HI, the values of black and white, of more than 8 bits; empty: none
	Channels []int  `yaml:"channels,omitempty"` // the three channels, or the one, of arrays of any number, from 1 on; none: all
	CacheMB  int    `yaml:"cache-mb"`           // decoded images that are kept in memory, 2^20 bytes; the weights do not depend on it

	// Images: resize, crop, flip, preprocessing, augmentation, in this order.

	Size        int       `yaml:"size"`         // shorter side after the resize, pixels; 0: no resize
	Crop        string    `yaml:"crop"`         // N, random:N, padP:N or rrc:N; empty: no crop
	Flip        bool      `yaml:"flip"`         // horizontal flip with probability 1/2
	ValSize     int       `yaml:"val-size"`     // validation: shorter side after the resize, before the center crop; 0: Size
	Mean        []float64 `yaml:"mean"`         // of R, G, B in [0, 1], subtracted
	Std         []float64 `yaml:"std"`          // of R, G, B, divided by
	Mix         string    `yaml:"mix"`          // augmentation, as package mix parses it
	Mixset      string    `yaml:"mixset"`       // mixing set of PixMix and IPMix: as package mixset opens it, or [IterativeFVis]
	MixsetEvery int       `yaml:"mixset-every"` // IterativeFVis: epochs between two sets
	// Of the augmentation style: images whose styles it takes, as mixset.OpenStyles opens them (empty: generated ones), and the
	// file of its network. [WeightsRequired]: whoever uses the recipe names them.
	Styles       string `yaml:"styles"`
	StyleWeights string `yaml:"style-weights"`
	Network      string `yaml:"network"`    // of the augmentation deepaugment: file of a network that makes images of images
	Preprocess   string `yaml:"preprocess"` // clahe or nlm with options, in training and validation; empty: none

	// Network and loss.

	Model     string  `yaml:"model"`           // as package models builds it
	Weights   string  `yaml:"weights"`         // file of the first weights, or the folder of their run, whose classes are Data's where both have names; empty: random ones; [WeightsRequired]: a file must be named
	NewHead   bool    `yaml:"new-head"`        // the last layer of Weights is left out and starts anew, for other classes
	JSD       bool    `yaml:"jsd"`             // add AugMix's Jensen-Shannon consistency loss
	Lambda    float64 `yaml:"lambda"`          // its weight
	Views     int     `yaml:"views"`           // its views: the clean image and Views-1 augmented ones
	Smoothing float64 `yaml:"label-smoothing"` // share of the label that is spread over all classes, [0, 1)

	// Methods that need more than an augmentation; at most one of them and of JSD.

	Adversarial    bool    `yaml:"adversarial"`     // train on adversarial examples, made by PGD
	AdvNorm        string  `yaml:"adv-norm"`        // what its radius is measured in: linf, or l2, the length of an image's change
	AdvEps         float64 `yaml:"adv-eps"`         // its radius, 255ths of the pixel range
	AdvStep        float64 `yaml:"adv-step"`        // length of its steps, 255ths
	AdvSteps       int     `yaml:"adv-steps"`       // number of its steps
	Outliers       string  `yaml:"outliers"`        // Outlier Exposure: data set of images of no class
	OutlierBatch   int     `yaml:"outlier-batch"`   // images of it in every step
	OutlierWeight  float64 `yaml:"outlier-weight"`  // weight of their loss
	Stability      float64 `yaml:"stability"`       // stability training: weight of its loss; 0: off
	StabilityNoise float64 `yaml:"stability-noise"` // its noise is uniform within this of a value in [0, 1]

	AuxMix     string  `yaml:"aux-mix"`     // auxiliary views: an augmentation after Mix, with batch norms of their own; empty: none
	AuxWeight  float64 `yaml:"aux-weight"`  // weight of their cross-entropy
	AugMax     int     `yaml:"augmax"`      // AugMax: steps in search of the worst weights of AugMix's chains; 0: off
	AugMaxStep float64 `yaml:"augmax-step"` // length of a step

	// Adversarial noise training: a generator of noise learns beside the network.

	ANT      float64 `yaml:"ant"`       // length of the noise, of images in [0, 1]; 0: off
	ANTLR    float64 `yaml:"ant-lr"`    // learning rate of the generator, five times as large while it is trained alone
	ANTAlone int     `yaml:"ant-alone"` // steps in which the new generator of each epoch is first trained alone

	// Mixing of features, alone or with JSD, which makes it NoisyMix.

	FeatureMix      float64 `yaml:"feature-mix"`      // alpha of the Beta distribution of the share; 0: off
	FeatureAdd      float64 `yaml:"feature-add"`      // standard deviation of noise that is added to features
	FeatureMultiply float64 `yaml:"feature-multiply"` // and of noise in proportion to them

	// Optimizer.

	Epochs       int     `yaml:"epochs"`
	Batch        int     `yaml:"batch"`         // samples of a step; the last of an epoch may have fewer, but not one alone where a batch norm sees 1x1 pixels
	Optimizer    string  `yaml:"optimizer"`     // sgd, adam, adamw
	LR           float64 `yaml:"lr"`            // learning rate
	LRBatch      int     `yaml:"lr-batch"`      // LR and MinLR are for so many samples a step and grow in proportion to Batch; 0: they do not
	MinLR        float64 `yaml:"min-lr"`        // at the end of the cosine
	Schedule     string  `yaml:"schedule"`      // cosine (per step), step, constant
	LRMilestones []int   `yaml:"lr-milestones"` // step: epochs, from 0, at whose start the rate is multiplied by LRGamma
	LRGamma      float64 `yaml:"lr-gamma"`
	Warmup       float64 `yaml:"warmup"` // epochs in which the rate rises linearly from 0
	Momentum     float64 `yaml:"momentum"`
	Nesterov     bool    `yaml:"nesterov"`
	WeightDecay  float64 `yaml:"weight-decay"` // of all parameters
	ClipGrad     float64 `yaml:"clip-grad"`    // largest norm of the gradient; 0: any
	EMA          float64 `yaml:"ema"`          // decay of an average of the weights, which is validated; 0: none is kept

	// Running.

	Seed      uint64 `yaml:"seed"`
	Workers   int    `yaml:"workers"`    // cores; 0: all. The weights do not depend on it
	EvalEvery int    `yaml:"eval-every"` // epochs between two validations; the last epoch has one
}

// Reading is how samples of Data and Val are read. The error wraps [ErrConfig].
func (c *Config) Reading() (data.Reading, error) {
	r := data.Reading{Gray: c.Gray}
	if c.Window == "" {
		return r, nil
	}
	w, err := data.ParseWindow(c.Window)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	r.Window = &w
	return r, nil
}

// Input is how Data is opened. The error wraps [ErrConfig].
func (c *Config) Input() (formats.Options, error) {
	reading, err := c.Reading()
	return formats.Options{
		Format: c.InputFormat, Split: c.Split, Coarse: c.Coarse, Classes: c.Classes, Only: c.Only, Without: c.Without,
		Labels: c.Labels, Channels: c.Channels, Reading: reading,
	}, err
}

// WeightsRequired as Weights is what a recipe says that starts from trained weights: whoever uses it names their file.
const WeightsRequired = "required"

// CheckWeights returns an error that wraps [ErrConfig] where the configuration needs trained weights, or images for their
// styles, and names none.
func (c *Config) CheckWeights() error {
	switch {
	case c.Weights == WeightsRequired:
		return option.Errorf(ErrConfig, "{weights}: the recipe starts from a trained %s (allowed: a file of its weights)", c.Model)
	case c.StyleWeights == WeightsRequired:
		return option.Errorf(ErrConfig, "{style-weights}: the recipe runs a network of style transfer (allowed: a file of its weights)")
	case c.Network == WeightsRequired:
		return option.Errorf(ErrConfig, "{network}: the recipe distorts a network that makes images of images (allowed: a file of its weights)")
	case c.Styles == WeightsRequired:
		return option.Errorf(ErrConfig, "{styles}: the recipe takes styles of paintings (allowed: a folder or data set of images, or a "+
			"kind of generated ones)")
	}
	return nil
}

// Default returns AugMix's CIFAR settings (section 4.1 of the paper, and cifar.py of its authors) without augmentation,
// data and model.
func Default() Config {
	return Config{
		CacheMB: 4096,
		Mean:    []float64{0.5, 0.5, 0.5}, Std: []float64{0.5, 0.5, 0.5}, Mix: "none", MixsetEvery: 1,
		Lambda: 12, Views: 3,
		AdvNorm: attack.LInf.String(), AdvEps: 8, AdvStep: 2, AdvSteps: 10, OutlierBatch: 256, OutlierWeight: 0.5, StabilityNoise: 0.05,
		AuxWeight: 1, AugMaxStep: 0.1, ANTLR: 1e-4, ANTAlone: 1000, FeatureAdd: 0.4, FeatureMultiply: 0.2,
		Epochs: 100, Batch: 128, Optimizer: "sgd", LR: 0.1, MinLR: 1e-6, Schedule: "cosine", LRGamma: 0.1,
		Momentum: 0.9, Nesterov: true, WeightDecay: 5e-4,
		EvalEvery: 1,
	}
}

// limits of fields that could otherwise ask for absurd amounts of memory or time.
const (
	mostSide    = 1 << 14
	mostEpochs  = 1 << 20
	mostBatch   = 1 << 16
	mostViews   = 16
	mostWorkers = 1 << 10
	mostAugMax  = 1000
)

// Check returns an error that wraps [ErrConfig], names the key and says what is allowed. Whether the network and the files
// exist is found out by [Run].
func (c *Config) Check() error {
	if err := c.Missing(); err != nil {
		return err
	}
	for _, r := range c.rules() {
		if !r.ok {
			return option.Errorf(ErrConfig, "%v: %v (allowed: %s)", option.Key(r.key), r.value, r.allowed)
		}
	}
	if _, err := c.Reading(); err != nil {
		return err
	}
	if _, err := transform.ParseCrop(c.Crop); err != nil {
		return option.Errorf(ErrConfig, "{crop}: %w", err)
	}
	if _, err := mix.ParseSpec(c.Mix); err != nil {
		return option.Errorf(ErrConfig, "{mix}: %w", err)
	}
	if err := c.checkMixset(); err != nil {
		return err
	}
	if err := c.checkMethod(); err != nil {
		return err
	}
	if err := c.norm().Check(); err != nil {
		return option.Errorf(ErrConfig, "{mean}, {std}: %w", err)
	}
	return nil
}

// MissingError is a key that has no default and no value. It wraps [ErrConfig].
type MissingError struct{ Key, Example string }

// Unwrap returns [ErrConfig].
func (e *MissingError) Unwrap() error { return ErrConfig }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%v: %s is missing (allowed: one such as %s)", ErrConfig, e.Key, e.Example)
}

// Missing returns a [*MissingError] for the first key that must be set and is not, nil if there is none.
func (c *Config) Missing() error {
	switch {
	case c.Data == "":
		return &MissingError{"data", "cifar-10-batches-bin"}
	case c.Model == "":
		return &MissingError{"model", "resnet20"}
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

func (c *Config) rules() []rule {
	between := func(key string, v, lo, hi int) rule {
		return rule{key, v, v >= lo && v <= hi, fmt.Sprintf("%d to %d", lo, hi)}
	}
	return []rule{
		{"val-fraction", c.ValFraction, c.ValFraction >= 0 && c.ValFraction < 1, "0 and up, below 1"},
		{"val-fraction", c.ValFraction, c.ValFraction == 0 || c.Val == "", "without val"},
		{"limit", c.Limit, c.Limit >= 0, "from 1, or 0 for all samples"},
		between("cache-mb", c.CacheMB, 0, 1<<30),
		between("size", c.Size, 0, mostSide),
		between("val-size", c.ValSize, 0, mostSide),
		{"mean", c.Mean, len(c.Mean) == 3 && finite(c.Mean...), "three numbers"},
		{"std", c.Std, len(c.Std) == 3 && finite(c.Std...), "three positive numbers"},
		between("mixset-every", c.MixsetEvery, 1, mostEpochs),
		{"lambda", c.Lambda, c.Lambda >= 0 && finite(c.Lambda), "0 and up"},
		{"views", c.Views, !c.JSD || c.Views >= 2 && c.Views <= mostViews, fmt.Sprintf("2 to %d", mostViews)},
		{"new-head", c.NewHead, !c.NewHead || c.Weights != "", "with weights alone"},
		{"label-smoothing", c.Smoothing, c.Smoothing >= 0 && c.Smoothing < 1, "0 and up, below 1"},
		{"adv-norm", c.AdvNorm, oneOf(c.AdvNorm, attack.LInf.String(), attack.L2.String()), "linf, l2"},
		between("outlier-batch", c.OutlierBatch, 1, mostBatch),
		{"outlier-weight", c.OutlierWeight, c.OutlierWeight >= 0 && finite(c.OutlierWeight), "0 and up"},
		{"stability", c.Stability, c.Stability >= 0 && finite(c.Stability), "0 and up"},
		{
			"stability-noise", c.StabilityNoise, c.StabilityNoise > 0 && c.StabilityNoise <= 1,
			"above 0, at most 1",
		},
		{"aux-weight", c.AuxWeight, c.AuxWeight >= 0 && finite(c.AuxWeight), "0 and up"},
		between("augmax", c.AugMax, 0, mostAugMax),
		{"augmax-step", c.AugMaxStep, c.AugMaxStep > 0 && c.AugMaxStep <= 10, "above 0, at most 10"},
		{"ant", c.ANT, c.ANT >= 0 && finite(c.ANT), "0 and up"},
		{"ant-lr", c.ANTLR, c.ANTLR > 0 && finite(c.ANTLR), "above 0"},
		between("ant-alone", c.ANTAlone, 0, mostEpochs),
		{"feature-mix", c.FeatureMix, c.FeatureMix >= 0 && c.FeatureMix <= 1000, "0 to 1000"},
		{"feature-add", c.FeatureAdd, c.FeatureAdd >= 0 && c.FeatureAdd <= 10, "0 to 10"},
		{"feature-multiply", c.FeatureMultiply, c.FeatureMultiply >= 0 && c.FeatureMultiply <= 10, "0 to 10"},
		between("epochs", c.Epochs, 1, mostEpochs),
		between("batch", c.Batch, 1, mostBatch),
		{"optimizer", c.Optimizer, oneOf(c.Optimizer, "sgd", "adam", "adamw"), "sgd, adam, adamw"},
		{"lr", c.LR, c.LR > 0 && finite(c.LR), "above 0"},
		between("lr-batch", c.LRBatch, 0, mostBatch),
		{"min-lr", c.MinLR, c.MinLR >= 0 && (c.MinLR <= c.LR || c.Schedule != "cosine"), "0 to lr"},
		{"schedule", c.Schedule, oneOf(c.Schedule, "cosine", "step", "constant"), "cosine, step, constant"},
		{
			"lr-milestones", c.LRMilestones, ascending(c.LRMilestones) && (c.Schedule == "step" || len(c.LRMilestones) == 0),
			"epochs in ascending order, of schedule step",
		},
		{"lr-gamma", c.LRGamma, c.LRGamma > 0 && c.LRGamma <= 1, "above 0, at most 1"},
		{"warmup", c.Warmup, c.Warmup >= 0 && c.Warmup <= float64(c.Epochs), "0 to epochs"},
		{"momentum", c.Momentum, c.Momentum >= 0 && c.Momentum < 1, "0 and up, below 1"},
		{"nesterov", c.Nesterov, !c.Nesterov || c.Momentum > 0 || c.Optimizer != "sgd", "false where momentum is 0"},
		{"weight-decay", c.WeightDecay, c.WeightDecay >= 0 && c.WeightDecay < 1, "0 and up, below 1"},
		{"clip-grad", c.ClipGrad, c.ClipGrad >= 0 && finite(c.ClipGrad), "0 and up"},
		{"ema", c.EMA, c.EMA >= 0 && c.EMA < 1, "0 and up, below 1"},
		between("workers", c.Workers, 0, mostWorkers),
		between("eval-every", c.EvalEvery, 1, mostEpochs),
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

// norm returns the normalization; Check has made sure that there are three of each.
func (c *Config) norm() *mix.Normalization {
	var n mix.Normalization
	for i := range 3 {
		n.Mean[i], n.Std[i] = float32(c.Mean[i]), float32(c.Std[i])
	}
	return &n
}

// views returns how many images of a sample a step takes and how many of them are the clean one.
func (c *Config) views() (clean, views int) {
	switch {
	case c.JSD:
		return 1, c.Views
	case c.AugMax > 0:
		return 1, 1
	}
	return 0, 1
}

// ImageSize returns the size of the training image that is made of one of w by h pixels.
func (c *Config) ImageSize(w, h int) (int, int) { return c.geometry(0).OutputSize(w, h) }

// geometry is what is done to training images before the augmentation.
func (c *Config) geometry(epoch int) *transform.Pipeline {
	crop, err := transform.ParseCrop(c.Crop)
	if err != nil {
		panic("train: " + err.Error()) // Check has parsed it
	}
	return &transform.Pipeline{Size: c.Size, Filter: augment.Bilinear, Crop: crop, Flip: c.Flip, Epoch: epoch}
}

// valGeometry is what is done to validation images: a center crop of the training crop's size.
func (c *Config) valGeometry() *transform.Pipeline {
	g := &transform.Pipeline{Size: c.ValSize, Filter: augment.Bilinear}
	crop := c.geometry(0).Crop
	if crop.Kind != transform.NoCrop {
		g.Crop = transform.Crop{Kind: transform.CenterCrop, N: crop.N}
	}
	if g.Size == 0 {
		g.Size = c.Size
	}
	return g
}
