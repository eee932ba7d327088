package main

// trainFlags are the keys of train.Config as flags: names and defaults are the same, and a test holds them together.
type trainFlags struct {
	Data        string   `group:"Data" placeholder:"SRC" help:"Training data set (see augmix list formats)."`
	InputFormat string   `group:"Data" placeholder:"FORMAT" help:"Format of SRC; auto-detected by default."`
	Split       string   `group:"Data" placeholder:"PART" help:"Part of SRC, where it has several, as CIFAR files, folders train, val and test, SVHN and MedMNIST have: train (the default), val, test or all."`
	Coarse      bool     `group:"Data" negatable:"" help:"CIFAR-100: the 20 coarse classes."`
	Only        []string `group:"Data" placeholder:"PATTERN" help:"Take only samples of --data whose key holds PATTERN, or is like it where it has * or ?; class:NAME goes by class. A comma in PATTERN is \\,."`
	Without     []string `group:"Data" placeholder:"PATTERN" help:"Leave such samples of --data out."`
	Classes     string   `group:"Data" placeholder:"FILE" help:"Join or rename classes: lines FROM TO; or cifar100-superclasses. Other classes are left out."`
	Labels      string   `group:"Data" placeholder:"FILE" help:"Labels of SRC, where it has none: as in augmix augment, a text list or CSV for a folder of images, an .npy file for arrays."`
	ValLabels   string   `group:"Data" placeholder:"FILE" help:"Labels of --val."`
	ValOnly     []string `group:"Data" placeholder:"PATTERN" help:"As --only, of --val."`
	ValWithout  []string `group:"Data" placeholder:"PATTERN" help:"As --without, of --val."`
	Val         string   `group:"Data" placeholder:"SRC" help:"Data set to measure the error on after epochs; none measures nothing. By default the val part of SRC, and its test part only where there is no val."`
	ValSplit    string   `group:"Data" placeholder:"PART" help:"Part of --val, or without --val of SRC: val, where it is there, else test."`
	ValFraction float64  `group:"Data" placeholder:"F" help:"Validate on this share of SRC, such as 0.1, drawn by --seed from each class and left out of training; in place of --val."`
	Limit       int      `group:"Data" placeholder:"N" help:"Train on N samples of SRC only, evenly spaced over it (of a stream the first N), as augmix augment --limit takes them; --val keeps all of its own."`
	Gray        bool     `group:"Data" negatable:"" help:"What the augmentation makes of gray images of SRC and --val is gray again, in three equal channels, as augmix augment --gray writes it."`
	Window      string   `group:"Data" placeholder:"LO:HI" help:"Values of black and white of images of more than 8 bits, as in augmix augment. --window=-160:240 with a negative value."`
	Channels    []int    `group:"Data" placeholder:"LIST" help:"npy, npz: the three channels, or the one, of arrays of any number of them, from 1 on, such as 3,2,1."`
	CacheMb     int      `group:"Data" default:"4096" placeholder:"MB" help:"Keep decoded images in memory up to this much (${default}); larger sets are decoded again in every epoch."`

	Size        int       `group:"Images" placeholder:"N" help:"First resize the shorter side to N pixels."`
	Crop        string    `group:"Images" placeholder:"CROP" help:"Then crop N x N: N (center), random:N, padP:N (pad by P, then random), rrc:N (random resized crop). A smaller image is padded with black, but not by rrc."`
	Flip        bool      `group:"Images" negatable:"" help:"Then flip horizontally with probability one half."`
	ValSize     int       `group:"Images" placeholder:"N" help:"Validation: resize the shorter side to N pixels before the center crop, which is else of images as they are, or as --size makes them."`
	Mean        []float64 `group:"Images" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"Normalization of values in [0, 1]: mean (${default})."`
	Std         []float64 `group:"Images" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"Normalization: standard deviation (${default})."`
	Mix         string    `group:"Images" default:"none" placeholder:"SPEC" help:"Augmentation, such as augmix-m3-w3-d-1 (${default}; see augmix list mixes)."`
	Mixset      string    `group:"Images" placeholder:"SET" help:"Mixing set of pixmix and ipmix: fractals (the default) or another kind, KIND-nN for N images, or a data set of your own; several joined by +; or iterative-fvis-nN, see ITERATIVE PIXMIX."`
	MixsetEvery int       `group:"Images" default:"1" placeholder:"N" help:"Mixing set iterative-fvis: make its images anew at the start of every N-th epoch (${default})."`
	Preprocess  string    `group:"Images" placeholder:"SPEC" help:"After crop and flip, before the augmentation, in training and validation: clahe or nlm with options, such as clahe-c2-t8."`

	Styles       string `group:"Images" placeholder:"SET" help:"Images whose styles the mix style takes: mixed-n1000 (the default) or another kind of generated images, or a data set of paintings or textures."`
	Network      string `group:"Images" placeholder:"FILE" help:"Weights of the network that the mix deepaugment distorts."`
	StyleWeights string `group:"Images" placeholder:"FILE" help:"Weights of the style transfer network of the mix style."`

	Model          string  `group:"Network" placeholder:"SPEC" help:"Network, such as wrn-40-2 (see augmix list models)."`
	Weights        string  `group:"Network" placeholder:"FILE" help:"Start from these weights (safetensors, npz, pth, a checkpoint, the folder of a run) instead of random ones; where they name their classes, SRC must have the same, in any order."`
	NewHead        bool    `group:"Network" negatable:"" help:"Leave the last layer of --weights out and start it anew, for other classes."`
	Jsd            bool    `group:"Network" negatable:"" help:"Add AugMix's Jensen-Shannon consistency loss over several views."`
	Lambda         float64 `group:"Network" default:"12" help:"Weight of the consistency loss (${default})."`
	Views          int     `group:"Network" default:"3" help:"Views of the consistency loss: the clean image and N-1 augmented ones (${default})."`
	LabelSmoothing float64 `group:"Network" placeholder:"S" help:"Share of the label that is spread over all classes (0)."`

	Adversarial    bool    `group:"Method" negatable:"" help:"Train on adversarial examples, made by projected gradient descent."`
	AdvNorm        string  `group:"Method" enum:"linf,l2" default:"linf" help:"Adversarial: norm of the radius, linf or l2 (${default})."`
	AdvEps         float64 `group:"Method" default:"8" placeholder:"N" help:"Adversarial: radius, in 255ths of the pixel range (${default})."`
	AdvStep        float64 `group:"Method" default:"2" placeholder:"N" help:"Adversarial: length of a step, in 255ths (${default})."`
	AdvSteps       int     `group:"Method" default:"10" placeholder:"N" help:"Adversarial: number of steps (${default})."`
	Outliers       string  `group:"Method" placeholder:"SRC" help:"Outlier Exposure: a data set of images of no class, whose labels are ignored."`
	OutlierBatch   int     `group:"Method" default:"256" placeholder:"N" help:"Outliers: images of SRC in every step (${default})."`
	OutlierWeight  float64 `group:"Method" default:"0.5" placeholder:"W" help:"Outliers: weight of their loss (${default})."`
	Stability      float64 `group:"Method" placeholder:"W" help:"Stability training: weight of the cross-entropy between the outputs for an image and for the same with noise (0: off)."`
	StabilityNoise float64 `group:"Method" default:"0.05" placeholder:"A" help:"Stability: the noise is uniform in (-A, A), for values in [0, 1] (${default})."`

	AuxMix     string  `group:"Method" placeholder:"SPEC" help:"Auxiliary views: a second view of each image that goes through this augmentation after --mix, such as afa, with batch norms of their own."`
	AuxWeight  float64 `group:"Method" default:"1" placeholder:"W" help:"Auxiliary views: weight of their cross-entropy (${default})."`
	Augmax     int     `group:"Method" placeholder:"N" help:"AugMax: steps in search of the worst weights of the chains of --mix augmix (0: off)."`
	AugmaxStep float64 `group:"Method" default:"0.1" placeholder:"N" help:"AugMax: length of a step (${default})."`

	Ant      float64 `group:"Method" placeholder:"LENGTH" help:"Adversarial noise training: a generator of noise of this Euclidean length, of values in [0, 1], such as 135 for images of 224 pixels, learns to make the network fail (0: off)."`
	AntLr    float64 `group:"Method" default:"0.0001" placeholder:"N" help:"Adversarial noise: learning rate of the generator (${default})."`
	AntAlone int     `group:"Method" default:"1000" placeholder:"N" help:"Adversarial noise: steps in which the new generator of each epoch is first trained alone (${default})."`

	FeatureMix      float64 `group:"Method" placeholder:"ALPHA" help:"Mix features at a random layer, with a share drawn from Beta(ALPHA, ALPHA) (0: off). With --jsd this is NoisyMix."`
	FeatureAdd      float64 `group:"Method" default:"0.4" placeholder:"S" help:"Mixed features: standard deviation of added noise (${default})."`
	FeatureMultiply float64 `group:"Method" default:"0.2" placeholder:"S" help:"Mixed features: standard deviation of noise in proportion to them (${default})."`

	Epochs       int     `group:"Optimizer" default:"100" help:"Times that every sample is seen (${default})."`
	Batch        int     `group:"Optimizer" default:"128" help:"Samples of a step; the last batch of an epoch may be smaller (${default})."`
	Optimizer    string  `group:"Optimizer" enum:"sgd,adam,adamw" default:"sgd" help:"sgd, adam or adamw (${default})."`
	Lr           float64 `group:"Optimizer" default:"0.1" help:"Learning rate (${default})."`
	LrBatch      int     `group:"Optimizer" placeholder:"N" help:"--lr and --min-lr are for N samples a step, and grow in proportion to --batch (0: as they are)."`
	MinLr        float64 `group:"Optimizer" default:"0.000001" help:"Learning rate at the end of the cosine (${default})."`
	Schedule     string  `group:"Optimizer" enum:"cosine,step,constant" default:"cosine" help:"Learning rate schedule: cosine (per step), step or constant (${default})."`
	LrMilestones []int   `group:"Optimizer" placeholder:"EPOCH,..." help:"Schedule step: epochs, counted from 0, at whose start the learning rate is multiplied by --lr-gamma."`
	LrGamma      float64 `group:"Optimizer" default:"0.1" help:"Schedule step: the factor (${default})."`
	Warmup       float64 `group:"Optimizer" placeholder:"EPOCHS" help:"Epochs in which the learning rate first rises linearly from 0 (0)."`
	Momentum     float64 `group:"Optimizer" default:"0.9" help:"sgd: momentum (${default})."`
	Nesterov     bool    `group:"Optimizer" negatable:"" default:"true" help:"sgd: Nesterov momentum (on)."`
	WeightDecay  float64 `group:"Optimizer" default:"0.0005" help:"Weight decay of all parameters (${default})."`
	ClipGrad     float64 `group:"Optimizer" placeholder:"NORM" help:"Scale the gradient down to this norm where it is larger (0: never)."`
	Ema          float64 `group:"Optimizer" placeholder:"DECAY" help:"Keep an exponential moving average of the weights and validate it (0: none)."`

	Seed      uint64 `group:"Running" default:"0" help:"Seed of every random choice (${default})."`
	Workers   int    `group:"Running" short:"j" placeholder:"N" help:"Workers (all cores); the weights do not depend on it."`
	EvalEvery int    `group:"Running" default:"1" placeholder:"N" help:"Validate after every N-th epoch and the last (${default})."`
}
