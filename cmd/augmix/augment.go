package main

import (
	"slices"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// augmentCmd augments a data set.
type augmentCmd struct {
	In  string `arg:"" name:"IN" help:"Data set or image to read; - is standard input." yaml:"in"`
	Out string `short:"o" required:"" placeholder:"OUT" help:"Data set or image to write; - is standard output." yaml:"-"`

	Mix    string   `group:"Augmentation" placeholder:"SPEC" help:"Method, such as augmix-m3-w3-d-1 (the default without --op; see augmix list mixes)." yaml:"mix"`
	Op     []string `group:"Augmentation" placeholder:"OP" help:"Operation before the mix: NAME, NAME:PARAM or NAME@LEVEL (see augmix list ops). Repeat for more." yaml:"op"`
	Size   int      `group:"Augmentation" placeholder:"N" help:"First resize the shorter side to N pixels." yaml:"size"`
	Crop   string   `group:"Augmentation" placeholder:"CROP" help:"Then crop N x N: N (the middle), random:N, padP:N (pad by P, then random), rrc:N (random resized crop). A smaller image is padded with black, but not by rrc." yaml:"crop"`
	Filter string   `group:"Augmentation" enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of resizes: box, bilinear, bicubic or lanczos (${default})." yaml:"filter"`
	Flip   bool     `group:"Augmentation" help:"Then flip horizontally with probability one half." yaml:"flip"`
	Fill   string   `group:"Augmentation" default:"000000" placeholder:"RRGGBB" help:"Color of what --op moves into the image (${default}); a mix has its own." yaml:"fill"`
	Views  int      `group:"Augmentation" default:"1" placeholder:"N" help:"Images for each input. From 2 on: the clean one (crop and flip alone), key ending in -v0, and N-1 mixes, -v1 and so on." yaml:"views"`
	Seed   uint64   `group:"Augmentation" default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`
	Epoch  int      `group:"Augmentation" default:"1" placeholder:"N" help:"Number of the (first) epoch, which changes every draw (${default})." yaml:"epoch"`
	Epochs int      `group:"Augmentation" default:"1" placeholder:"N" help:"Epochs to write. From 2 on each has an output of its own: OUT/epoch-001, or STEM-epoch-001.EXT for a file." yaml:"-"`

	Geometry         *string  `group:"Annotated images" enum:"shared" placeholder:"shared" help:"shared: move each image, its boxes, polygons and masks by one affine before the mix. Without, nothing may move, and annotations stay as they are." yaml:"geometry,omitempty"`
	GeometrySeverity *float64 `group:"Annotated images" placeholder:"X" help:"Of that affine, 0.1 to 10: a rotation, two shears and two translations, each at a level of AugMix from 0.1 to X (3)." yaml:"geometry-severity,omitempty"`
	MinVisible       *float64 `group:"Annotated images" placeholder:"F" help:"Objects are dropped of which less than this fraction is in the image afterwards (0.1)." yaml:"min-visible,omitempty"`
	MaskFill         *int     `group:"Annotated images" placeholder:"N" help:"Value of masks of classes where the image shows what was outside of it (255, of Cityscapes 0, but for its training ids)." yaml:"mask-fill,omitempty"`

	ViewAxis    bool `group:"Output" help:"npy, npz: give the views of a sample an axis of their own, [N,V,H,W,3], and one label; without, they follow each other, [N*V,H,W,3], and each has a label." yaml:"view-axis"`
	SkipDeleted bool `group:"Running" help:"--epochs: leave out epochs that were made and deleted since, as by a training loop that has read them." yaml:"-"`

	mixing    `yaml:",inline"`
	selecting `yaml:",inline"`
	graying   `yaml:",inline"`
	input     `yaml:",inline"`
	output    `yaml:",inline"`
	sharding  `yaml:"-"`
	running   `yaml:"-"`
}

// Help is the end of "augmix augment --help".
func (augmentCmd) Help() string {
	return `RESUMING
  An interrupted run resumes when the same command is given again. A complete output is left alone.
  One made with other options is an error that lists what differs; --force starts over. The state
  lies in OUT/.augmix (OUT.augmix-state for a file) until the run is complete.

ANNOTATED IMAGES
  Of a folder in the layout of COCO, YOLO, Pascal VOC or Cityscapes (or with --images) OUT is the same
  tree, images under their own names, in their own sizes and formats (JPEG at --quality). --mix is to
  move nothing: augmix-photometric, noises, cutout; all other files are copied. With --geometry shared
  one affine moves image, boxes (by their corners), polygons and masks (by the nearest pixel; palettes
  and values stay exact) before the mix, and annotations are rewritten; unknown fields stay. Masks are
  never mixed. "augmix verify OUT --decode" compares the annotations with the images.

EPOCHS
  --epochs writes one output an epoch; given again with more of them it
  continues. An epoch that was deleted after use is made again where it was a
  folder, and is an error where its manifest is left: --skip-deleted leaves both
  out, and --epoch N --epochs M begins with epoch N. With --shuffle each epoch
  has an order of its own; the images are the same in any order.

RECORDS
  OUT/args.yaml holds the options, OUT/manifest.json counts, rejected inputs and the SHA-256 of every
  file (OUT.args.yaml and OUT.manifest.json for a file). "augmix verify OUT" checks them.

SHARDS
  --shard I/N does the I-th of N parts of IN for an OUT that is a folder of images or of tar files;
  the last to end puts the parts together, as with augmix corrupt. --shard auto/N takes I from the
  scheduler.

SOFT LABELS
  Methods of two images (mixup, cutmix) take the second from anywhere in IN, which must be readable
  at random (no stream), and mix the labels. OUT keeps the label of the first image; mixed labels
  are in OUT/targets.jsonl (STEM_targets.jsonl next to a file), one line for each image:
    {"key":"cat/0001","target":[{"class":0,"weight":0.7},{"class":2,"weight":0.3}]}
  Next to npy and npz they are also STEM_targets.npy, float32 [images, classes],
  and in the tar files of wds KEY.target.npy, float32 [classes], or
  [views, classes], where the class names of IN are known.

VIEWS
  folder  KEY-v0.png, KEY-v1.png, ...
  wds     one sample of KEY.v0.png, KEY.v1.png, ..., KEY.cls
  npy     [N*V,H,W,3]: the views of an image follow each other, a label each;
          with --view-axis [N,V,H,W,3] and a label for each image
  The first view is the clean one, resized, cropped and flipped alone; all share
  crop and flip.

STYLES
  style gives images the style of others and keeps their content, as in Stylized-ImageNet. It runs the
  network of --style-weights; styles are those of --styles, or of generated textures. --mix style-p1
  writes a stylized set; style-p0.5+augmix-m1 stylizes half of the images and then augments all.

MIXING SETS
  pixmix and ipmix mix in images of a mixing set: color fractals, generated on the fly, or those of
  --mixset. Without --crop the set is made for the size of the first image; for larger images it is
  continued by reflection. --mixset fractals-n1000 --mixset-cache auto makes a thousand of them first,
  once for all commands; without -n it is 10,000, which at 224 pixels takes tens of minutes.

EXAMPLES
  augmix augment photos -o mixed --crop rrc:224 --flip --mix pixmix-k4-b4-m1-all
  augmix augment photos -o stylized --mix style-p1 --style-weights magenta_style.npz --styles art
  augmix augment photos -o distorted --mix deepaugment-p1 --network carn_m.npz
  augmix augment train.npy -o mixed.npy --mix standard+pixmix+cutmix-p0.5
  augmix augment photos -o corrupted --mix corrupt-weather+motion_blur-s1-3-p0.5
  augmix augment train.npy -o mixed.npy --mix standard+ipmix+apr+afa-p0.5-s4
  augmix augment photos -o mixed --crop rrc:224 --flip --mix augmix-m1
  augmix augment cifar-10-python.tar.gz -o train.npy --crop pad4:32 --flip --views 3 --epochs 10
  augmix augment photos -o shards --output-format wds --views 3 --shuffle --plan
  augmix augment 's3://data/{0000..0099}.tar' --stream -o s3://out/00 --output-format wds --crop rrc:224
  augmix augment pathmnist_64.npz --split train -o mixed_64.npz --mix augmix-m1
  augmix augment VOCdevkit -o mixed --mix augmix-photometric --geometry shared
  augmix augment voc -o turned --mix none --geometry shared --geometry-severity 5 --mask-fill 0
  augmix augment yolo -o mixed --mix augmix-photometric --geometry shared --min-visible 0.3
  augmix augment logos -o mixed --alpha keep --mix augmix-photometric
  augmix augment cat.jpg -o turned.png --op rotate:-15 --op autocontrast
  augmix augment - -o - < cat.jpg > mixed.png`
}

// Run augments.
func (c *augmentCmd) Run(ctx *kong.Context, a *app) error {
	c.input.reading, c.input.each, c.input.part, c.input.stream = c.graying.reading(), true, "train", c.Stream
	format := c.row(c.Out).Name
	if c.wantsTree() {
		format = generate.FormatTree
	}
	epochs := effect{[]string{"skip-deleted"}, c.Epochs > 1, "--epochs"}
	if err := checkEffect(ctx, append(c.effects(c.Out, format), epochs)...); err != nil {
		return err
	}
	if c.wantsTree() {
		return c.runTree(ctx, a)
	}
	if c.Geometry != nil || c.GeometrySeverity != nil || c.MinVisible != nil || c.MaskFill != nil {
		return usagef("--geometry, --geometry-severity, --min-visible and --mask-fill are for IN with annotations and OUT a folder of the same tree")
	}
	plan, err := c.pipeline()
	if err != nil {
		return err
	}
	spec, err := c.spec()
	if err != nil {
		return err
	}
	if err := checkEffect(ctx, c.drawn(plan, spec)...); err != nil {
		return err
	}
	out, err := c.destination(c.Out)
	if err != nil {
		return err
	}
	if err := c.checkAlpha(c.row(c.Out).Name, c.Out, c.encoding().JPEG); err != nil {
		return err
	}
	if err := c.checkEvery(spec); err != nil {
		return err
	}
	c.warnAlpha(a, moving(plan, spec))
	if c.Epochs > 1 && out.Path == "" {
		return usagef("--epochs %d cannot go to standard output", c.Epochs)
	}
	if c.Epochs > 1 && c.In == formats.Standard {
		return usagef("--epochs %d cannot read standard input more than once", c.Epochs)
	}
	if c.soft = spec.NeedsPartner(); c.soft {
		if err := c.checkSoft(&out); err != nil {
			return err
		}
	}
	c.planned = c.Plan
	methods, closeSet, err := c.methods(a, []mix.Spec{spec}, func() (int, error) { return c.side(a, plan) })
	if err != nil {
		return err
	}
	defer closeSet()
	plan.Mix = methods[0]
	sh, err := c.shard(a)
	if err != nil {
		return err
	}
	return c.epochs(a, plan, out, func(at generate.Output) (summary, error) { return c.epoch(a, plan, at, sh) })
}

// divide implements divided.
func (c *augmentCmd) divide(shard string) error {
	c.Shard = shard
	check := c.pipeline
	if c.wantsTree() {
		c.OutputFormat, check = "", c.treePipeline
	}
	if _, err := check(); err != nil {
		return err
	}
	out, err := c.destination(c.Out)
	if err != nil {
		return err
	}
	return generate.CheckShards(out, c.Force)
}

// moving returns the operations and stages that move pixels.
func moving(plan *transform.Pipeline, spec mix.Spec) (names []string) {
	for _, o := range plan.Ops {
		if o.Op.Moves {
			names = append(names, o.Op.Name)
		}
	}
	return append(names, spec.Moving()...)
}

// checkEvery returns an error where every channel is to be an image of its own and the mix or the output is not for that.
func (c *augmentCmd) checkEvery(spec mix.Spec) error {
	switch format := c.row(c.Out).Name; {
	case !c.Channels.all():
	case spec.NeedsPartner():
		return usagef("--channels all: --mix %s takes a second image, which has channels of its own (allowed: mixes of one)", c.Mix)
	case format != "npy" && format != "npz":
		return usagef("--channels all: the output, %s, has images of three channels or one (allowed: npy, npz)", format)
	}
	return c.checkColorOnly(spec.Corruptions(), "--mix corrupt-common")
}

// axis is the length of the axis of views in an array, 0 for none.
func (c *augmentCmd) axis() int {
	if c.ViewAxis {
		return c.Views
	}
	return 0
}

// checkSoft returns an error where soft labels cannot be written, and otherwise makes them part of the output.
func (c *augmentCmd) checkSoft(out *generate.Output) error {
	switch {
	case out.Path == "":
		return usagef("--mix %s makes soft labels, which standard output cannot hold", c.Mix)
	case c.In == formats.Standard:
		return usagef("--mix %s takes partners from anywhere in the data set, and standard input "+
			"cannot be read at random", c.Mix)
	case out.File:
		out.Beside = append(slices.Clone(out.Beside), generate.TargetsName, generate.TargetsArrayName)
	}
	return nil
}

// side returns the side of the images that the mix gets.
func (c *augmentCmd) side(a *app, r *transform.Pipeline) (int, error) {
	if r.Crop.Kind != transform.NoCrop {
		return r.Crop.N, nil
	}
	n, err := longerSide(a, &c.input, c.In)
	if err == nil && r.Size > 0 {
		n = r.Size
	}
	return n, err
}
