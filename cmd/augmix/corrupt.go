package main

import (
	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// corruptCmd makes the -C or -C-bar form of a data set.
type corruptCmd struct {
	In  string `arg:"" name:"IN" help:"Data set or image to read; - is standard input." yaml:"in"`
	Out string `short:"o" required:"" placeholder:"OUT" help:"Folder to write, or an image (.png, .jpg) of one corruption at one severity; - is standard output." yaml:"-"`

	Subset     []string `group:"Corruption" default:"all" placeholder:"NAME" help:"Corruptions, by name or subset: all (the default: the 19 of -C), common, validation, noise, blur, weather, digital; cbar, which all leaves out: all,cbar; or style_transfer. Separate several by commas." yaml:"subset"`
	Severity   string   `group:"Corruption" default:"1-5" placeholder:"LIST" help:"Severities: a list or range (${default}). Fractions lie between the published ones, see SEVERITIES below." yaml:"severity"`
	Profile    string   `group:"Corruption" default:"auto" placeholder:"NAME" help:"Parameters: auto (by the image's size), the published ones for images of side 32, 64, 224 or 299, one of augmix list profiles, or a file of your own, see PROFILES below." yaml:"profile"`
	BarProfile string   `group:"Corruption" enum:"auto,cifar,imagenet" default:"auto" help:"Which ten corruptions cbar stands for: cifar, imagenet, or auto (by the size of the first image)." yaml:"bar-profile,omitempty"`
	GroupBy    string   `group:"Corruption" placeholder:"REGEX" help:"Samples in whose keys REGEX (its first parentheses) finds the same are frames of one clip and share draws but noise, see CLIPS below." yaml:"group-by,omitempty"`
	Seed       uint64   `group:"Corruption" default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`

	frosting     `yaml:",inline"`
	styling      `yaml:",inline"`
	preparing    `yaml:",inline"`
	Image        string `group:"Output" enum:"jpeg,png" default:"jpeg" help:"How images in folders and shards are encoded: jpeg or png (${default}, as ImageNet-C)." yaml:"image"`
	Quality      int    `group:"Output" default:"85" help:"JPEG quality, 1 to 100 (${default}, as ImageNet-C)." yaml:"quality"`
	OutputFormat string `group:"Output" enum:"auto,npy,medmnist,folder,wds,tree" default:"auto" help:"Format of OUT: npy (CIFAR-10-C), medmnist (MedMNIST-C), folder (ImageNet-C), wds, tree (IN again, with its annotations), or auto: the one that suits IN." yaml:"output-format"`
	PerShard     int    `group:"Output" placeholder:"N" help:"wds: images in a tar file (1000)." yaml:"per-shard"`

	carrying  `yaml:"-"`
	selecting `yaml:",inline"`
	graying   `yaml:",inline"`
	input     `yaml:",inline"`
	sharding  `yaml:"-"`
	running   `yaml:"-"`
}

// Help is the end of "augmix corrupt --help".
func (corruptCmd) Help() string {
	return `FORMS
  npy     one file a corruption, NAME.npy, uint8 [5N,H,W,3], all of severity 1 first, then 2 and
          so on, with labels.npy for all five (uint8; int64 with corruptions of cbar): CIFAR-10-C.
          Images must have one size; --size and --crop give them one.
  folder  CORRUPTION/SEVERITY/CLASS/IMAGE: ImageNet-C. JPEG is libjpeg's, at --quality. JPEG files keep
          their names (ILSVRC2012_val_00003033.JPEG); others end in .jpg.
  medmnist  CORRUPTION.npz with test_images, [5N,S,S] or [5N,S,S,3], and test_labels: MedMNIST-C
  wds     CORRUPTION/SEVERITY/ holds the shards of a WebDataset
  tree    CORRUPTION/SEVERITY/ holds all of IN: images under their own names, JPEG as JPEG and PNG as
          PNG, all other files byte for byte
  auto    npy for CIFAR and arrays, medmnist for MedMNIST, wds for WebDatasets, tree for annotated
          images, folder for the rest

ANNOTATED IMAGES
  A folder in the layout of COCO, YOLO, Pascal VOC or Cityscapes, or one of which --images says which
  files are images, becomes trees that programs read as they read IN. Images keep their size, so that
  boxes and masks fit; corruptions that move pixels (augmix list corruptions --geometry) are named in
  a warning. An EXIF orientation stays with the file: pixels are corrupted as they are stored.

IMAGES
  ImageNet-C was made with --size 256 --crop 224, CIFAR-10-C from the test set as it is. Of a data set
  with several parts (CIFAR, or a folder with train and test or val in it) the test part is taken
  unless --split says otherwise. Gray images become color images first; --gray makes them gray again.
  Images with an EXIF orientation are set upright first, which the published code does not do.
  An image that is too small for one of the corruptions (augmix list corruptions) is rejected for all
  of them, see --on-error.

SEVERITIES
  1 to 5 are the published ones. 2.5 lies between: parameters are interpolated linearly, those that
  are whole numbers are then rounded, halves up; 0 is the image, and below 1 parameters go there
  ("augmix list corruptions NAME"). Lists and ranges: 1,2.5,5 or 0-5:0.25, up to three decimals.
  Folders are called after them, fog/2.5; each has random numbers of its own, so 3.0 is 3.

PROFILES
  --profile my.yaml takes parameters of corruptions from a file, one value for each severity, and those
  of the others from its base. "augmix list corruptions fog --profile 224" prints one to begin with. The
  manifest has a hash of the parameters, and what was made with others is not continued.
  medmnist-c/pathmnist and so on are those of MedMNIST-C ("augmix list profiles"): all are then the
  corruptions of the profile, brightness_up, bubble and others among them that only such profiles have.
  So it is with a file of your own that names any of these.

CLIPS
  With --group-by '^[^/]+' the images of a first folder are one clip: fog, frost, snow, spatter, blurs
  and all that bends or covers an image stay the same through it, while noise is new in every frame
  (docs/benchmarks.md lists them). Images of a clip must have one size for that: a warning names others.

STYLE TRANSFER
  style_transfer, of the first version of the ImageNet-C paper, is in no subset. It gives images the
  styles of --styles by the network of --style-weights; what a severity is, is ours.

RANDOM NUMBERS
  Each is drawn from --seed, the key of the image, the corruption and the severity. So an image is the
  same whatever else is made, in any order, with any number of workers or shards.

MORE PARTS
  A finished OUT gets more corruptions and severities by the same command with
  more of them; what is there stays. All corruptions have the same severities,
  and an array holds all severities of its corruption, so that it gets no more
  of those. IN must hold the same samples and annotations. --plan says what
  all of it takes.
  --force starts over with what is asked for alone.

RESUMING, RECORDS, SHARDS
  An interrupted run resumes when the same command is given again. OUT/manifest.json says what was
  made, which frost textures were used, and the SHA-256 of every file ("augmix verify OUT").
  --shard I/N does the I-th of N parts of IN, I from 0; --shard auto/N takes I from the scheduler, and
  "augmix cluster" writes its job file: Slurm, Kubernetes, AWS Batch; PBS, LSF, Grid Engine, torchrun.
  Without --shard a task of an array does all of IN, so that tasks may differ in --seed and OUT. All
  parts may write to one OUT, also an s3:// one, where the last to end puts them together; or each to
  an OUT of its own: copy them into one afterwards, where "augmix verify OUT" puts them together.

EXAMPLES
  augmix corrupt cifar-10-batches-bin -o CIFAR-10-C
  augmix corrupt imagenet/val -o ImageNet-C --size 256 --crop 224 --subset common --severity 1,3,5
  augmix corrupt cifar-10-python.tar.gz -o CIFAR-10-C-bar --subset cbar
  augmix corrupt photos -o photos-C --limit 100 --subset fog,snow --plan
  augmix corrupt photos -o photos-C --labels val.txt --size 256 --crop 224
  augmix corrupt photos -o styled --subset style_transfer --style-weights magenta.npz --styles art
  augmix corrupt coco -o coco-C --subset fog,snow --severity 3 --carry link
  augmix corrupt mine -o mine-C --output-format tree --images 'frames/*.png' --subset fog,snow
  augmix corrupt photos -o photos-C --subset fog --severity 0.5,2.5-4.5
  augmix corrupt photos -o photos-C --profile my.yaml
  augmix corrupt xrays -o xrays-C --gray
  augmix corrupt sentinel.npy -o sentinel-C --channels all --window 0:3000 --subset common
  augmix corrupt logos -o logos-C --alpha keep --image png --subset fog,snow
  augmix corrupt pathmnist_224.npz -o pathmnist-C --profile medmnist-c/pathmnist
  augmix corrupt clips -o clips-C --subset fog,snow --group-by '^[^/]+'
  augmix corrupt cat.jpg -o foggy-cat.png --subset fog --severity 4`
}

// expansion is the run that the flags ask for, of which nothing is opened yet.
func (c *corruptCmd) expansion(a *app) expansion {
	return expansion{
		generation: generation{
			app: a, command: "corrupt", options: c, running: &c.running, Job: generate.Job{In: c.In, Seed: c.Seed},
			bench: &generate.Benchmark{
				Encoding: data.Encoding{JPEG: c.Image == "jpeg", Quality: c.Quality}, PerShard: c.PerShard, Link: c.Carry == "link",
			},
		},
		path: c.Out, selecting: &c.selecting, input: &c.input, sharding: &c.sharding, preparing: &c.preparing,
	}
}

// divide implements divided.
func (c *corruptCmd) divide(shard string) error {
	c.Shard = shard
	e := c.expansion(nil)
	return e.divide(c.OutputFormat, false)
}

// Run corrupts.
func (c *corruptCmd) Run(ctx *kong.Context, a *app) error {
	c.input.reading, c.input.each, c.input.stream = c.graying.reading(), true, c.Stream
	if c.Quality < 1 || c.Quality > 100 {
		return usagef("--quality %d (allowed: 1 to 100)", c.Quality)
	}
	plan, profile, err := c.plan()
	if err != nil {
		return err
	}
	e := c.expansion(a)
	if err := e.open(&c.OutputFormat, false); err != nil {
		return err
	}
	defer e.close()
	if err := checkEffect(ctx, append(e.effects(c.Image), c.preparing.effects()...)...); err != nil {
		return err
	}
	if err := c.checkAlpha(e.bench.Format, e.path, e.bench.Encoding.JPEG && e.bench.Format != fileFormat); err != nil {
		return err
	}
	asked, err := c.expand(&e, plan)
	if err != nil {
		return err
	}
	if err := checkEffect(ctx, ofCorruptions(plan.Names)...); err != nil {
		return err
	}
	c.Subset, c.Severity, c.BarProfile = plan.Names, transform.FormatSeverities(plan.Severities), barOption(plan)
	if err := c.checkColorOnly(plan.Names, "--subset common"); err != nil {
		return err
	}
	a.warnTree(e.bench.Tree, plan.Names, e.Source.Info().Len)
	c.warnAlpha(a, transform.Moving(plan.Names))
	if err := c.checkGroups(plan.Groups, e.Source); err != nil {
		return err
	}
	if err := c.extras(a, plan, profile, &e); err != nil {
		return err
	}
	options := []string{"subset"}
	if !e.bench.Arrays() {
		options = append(options, "severity")
	}
	err = e.run(plan, asked, options...)
	if plan.Groups != nil && plan.Groups.Mixed() != "" {
		a.say("warning: frames of a clip differ in size, so that their draws are unrelated: %s (--size and --crop give them one)", plan.Groups.Mixed())
	}
	return err
}
