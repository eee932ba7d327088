package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/internal/feedwire"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/transform"
)

// feedCmd hands batches to the program that started it.
type feedCmd struct {
	In string `arg:"" name:"IN" help:"Data set to read."`

	Mix    string `group:"Augmentation" default:"none" placeholder:"SPEC" help:"Method, such as augmix-m3-w3-d-1 (${default}; see augmix list mixes)."`
	Size   int    `group:"Augmentation" placeholder:"N" help:"First resize the shorter side to N pixels."`
	Crop   string `group:"Augmentation" placeholder:"CROP" help:"Then crop N x N: N (the middle), random:N, padP:N (pad by P, then random), rrc:N (random resized crop)."`
	Filter string `group:"Augmentation" enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of resizes: box, bilinear, bicubic or lanczos (${default})."`
	Flip   bool   `group:"Augmentation" help:"Then flip horizontally with probability one half."`
	Views  int    `group:"Augmentation" default:"1" placeholder:"N" help:"Images for each sample. From 2 on: the clean one (crop and flip alone) and N-1 mixes."`
	Seed   uint64 `group:"Augmentation" default:"0" help:"Seed of every random choice (${default})."`
	mixing

	Corrupt    []string `group:"Corruption" placeholder:"NAME" help:"Instead of views: each image in these corruptions, by name or subset (see augmix corrupt). Separate several by commas."`
	Stream     string   `group:"Corruption" placeholder:"SPEC" help:"The images of --corrupt one after the other, in an order of augmix stream or that of a manifest, FILE.csv."`
	GroupBy    string   `group:"Corruption" placeholder:"REGEX" help:"--corrupt: samples that share draws but noise, as frames of a clip do (augmix corrupt --help)."`
	Severity   string   `group:"Corruption" default:"1-5" placeholder:"LIST" help:"Severities: a list or range, fractions too: 1,2.5 or 0.5-5:0.5 (${default})."`
	Perturb    []string `group:"Corruption" placeholder:"NAME" help:"Instead of views: all frames of these perturbations, by name or subset (see augmix perturb)."`
	Difficulty string   `group:"Corruption" default:"1" placeholder:"LIST" help:"Difficulties of the noises of --perturb: a list or range of 1 to 3 (${default})."`
	Profile    string   `group:"Corruption" default:"auto" placeholder:"NAME" help:"Parameters of --corrupt and --perturb: auto (by the image's size), 32, 64, 224, 299, or a file (augmix corrupt --help)."`
	BarProfile string   `group:"Corruption" enum:"auto,cifar,imagenet" default:"auto" help:"Which ten corruptions cbar stands for: cifar, imagenet, or auto (by the size of the first image)."`
	frosting

	judging

	Batch     int    `group:"Batches" default:"128" placeholder:"N" help:"Samples of a batch (${default})."`
	Epochs    int    `group:"Batches" default:"0" placeholder:"N" help:"Epochs, counted from 0, before which the feed ends; 0 is without end (${default})."`
	From      string `group:"Batches" default:"0:0" placeholder:"EPOCH:POSITION" help:"Where to begin: an epoch and how many of its samples all ranks together have had (${default})."`
	Shuffle   bool   `group:"Batches" negatable:"" default:"true" help:"Another random order in each epoch (on)."`
	Tail      string `group:"Batches" enum:"drop,short,pad" default:"drop" help:"What becomes of the last samples of an epoch that make no whole batch for every rank: drop them, a short batch, or pad (${default})."`
	Rank      int    `group:"Batches" default:"0" placeholder:"R" help:"Number of this process among those that train together (${default})."`
	WorldSize int    `group:"Batches" default:"1" placeholder:"W" help:"How many train together (${default})."`

	Dtype        string         `group:"Memory" enum:"uint8,float32,float16,bfloat16" default:"uint8" help:"Type of the numbers of images: uint8, or, normalized, float32, float16 or bfloat16 (${default})."`
	OutputLayout string         `group:"Memory" enum:"nchw,nhwc" default:"nchw" help:"Order of the axes of images: nchw or nhwc (${default})."`
	Mean         []float64      `group:"Memory" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"Normalization of values in [0, 1]: mean (${default})."`
	Std          []float64      `group:"Memory" default:"0.5,0.5,0.5" placeholder:"R,G,B" help:"Normalization: standard deviation (${default})."`
	RingFd       int            `group:"Memory" default:"-1" placeholder:"FD" help:"Inherited descriptor of an empty memory file that becomes the ring of slots. Without, batches go down standard output."`
	Slots        int            `group:"Memory" default:"6" placeholder:"N" help:"Batches that are made ahead at most (${default})."`
	Memory       terminal.Bytes `group:"Memory" placeholder:"SIZE" help:"Fewer slots where they would take more than this, such as 1G."`
	Checksum     bool           `group:"Memory" help:"Put a checksum of every slot into its message."`

	graying
	input
	CacheMb  int    `group:"Input" default:"4096" placeholder:"MB" help:"Keep decoded images in memory where all fit in this much (${default})."`
	Progress bool   `group:"Running" help:"Show on standard error how far the feed is."`
	OnError  string `group:"Running" enum:"fail,skip" default:"fail" help:"What to do about an input that cannot be read: fail, or skip: report it and put another in its place (${default})."`
	workers
}

// Help is the end of "augmix feed --help".
func (feedCmd) Help() string {
	return `PROTOCOL
  A program starts this command, writes to its standard input and reads its standard output: messages
  with headers, described in docs/feed.md. The Python package augmix is such a program. Batches lie in
  slots of a memory file that both see (--ring-fd) or follow their messages. The command ends when its
  standard input ends.

BATCHES
  A batch depends on IN, the options, the seed, the epoch and its number alone. Epoch E in uint8 is
  what "augmix augment --epoch E" writes, in the order of "augmix train" with the same seed. With
  --rank R --world-size W batch b has the positions (bW+R)N to (bW+R+1)N-1 of the epoch's order. The
  environment is not looked at.

MIXED LABELS
  Methods of two images (mixup, cutmix) take the second from anywhere in IN, as augmix augment does.
  All views of a sample are mixed with the same one.

CORRUPTIONS
  --corrupt and --perturb give all forms of each image, decoded once, in one array [forms, N, ...]:
  those that augmix corrupt and augmix perturb write. --size and --crop N are those of these commands.

STREAMS
  With --stream the data are the images of augmix stream, in their order and once: index is the
  position, and "augmix stream --manifest-only" with the same --subset, --seed and --limit writes what
  lies there. FILE.csv is such a manifest. --from goes on anywhere.

EVALUATION
  With --suite the parent answers each batch with the outputs of its model, and the results are those
  of augmix eval for the same outputs: rows, records and, with --logits, the outputs lie in --out, and
  the same command resumes with the first batch without outputs. The parent's batches are of one
  corruption and severity. --mean and --std are the model's normalization.

EXAMPLES
  augmix feed cifar-10-batches-bin --mix augmix --views 3 --crop pad4:32 --flip --dtype float32
  augmix feed imagenet/train --mix augmix-m1 --crop rrc:224 --flip --batch 256 --rank 0 --world-size 4
  augmix feed imagenet/train --crop rrc:224 --flip --seed 1 --from 3:512000 --slots 4 --checksum
  augmix feed imagenet/val --corrupt fog,snow --severity 3 --size 256 --crop 224 --tail short
  augmix feed sentinel.npy --channels 4,3,2 --window 0:3000 --mix augmix --dtype float32
  augmix feed imagenet/val --stream gradual --corrupt fog,snow --size 256 --crop 224 --tail short
  augmix feed imagenet/val --suite clean,c,cbar,p --size 256 --crop 224 --dtype float32 -o runs/net`
}

// Run feeds.
func (c *feedCmd) Run(a *app) error {
	if progress.IsTerminal(a.out) {
		return usagef("standard output is a terminal, and batches are for a program; see docs/feed.md")
	}
	s := feedwire.Start(a.ctx, a.in, a.out)
	defer s.Close()
	inner := *a
	inner.ctx = s.Context() // the end of the parent ends whatever takes long
	err := c.serve(&inner, s)
	if err == nil || s.Ended() { // whatever went wrong then, nobody waits for it
		return nil
	}
	s.Fail(feedCode(err), terminal.Message("%v%s", err, limitHint(err)))
	return err
}

// feedCode is what an error is about, in the words of the protocol.
func feedCode(err error) feedwire.Code {
	var usage usageError
	var path *fs.PathError
	switch {
	case errors.As(err, &usage), isOneOf(err, usageErrors), errors.Is(err, feedwire.ErrProtocol):
		return feedwire.Usage
	case errors.Is(err, fs.ErrNotExist), isOneOf(err, []error{
		data.ErrFormat, data.ErrUnsupported, data.ErrLabel, data.ErrUnsafe, data.ErrLimit, raster.ErrSize,
	}):
		return feedwire.Input
	case errors.As(err, &path), errors.Is(err, errInterrupted):
		return feedwire.IO
	}
	return feedwire.Internal
}

// serve opens the data and hands over batches.
func (c *feedCmd) serve(a *app, s *feedwire.Session) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	c.input.reading = c.graying.reading()
	if len(c.Suite) > 0 {
		return c.judge(a, s, o)
	}
	src, err := c.source(a)
	if err == nil && c.Stream != "" {
		src, err = c.streamed(a, src, o)
	}
	if err != nil {
		return err
	}
	defer src.Close()
	tellIgnored(a, src.Info())
	closeSet, err := c.images(a, o)
	if err != nil {
		return err
	}
	defer closeSet()
	in := c.input.options(a)
	o.Depends += in.HowRead()
	l, err := feed.New(a.ctx, src, *o)
	if err != nil {
		return within(c.In, err)
	}
	w := &feedwire.Work{
		Hello: c.hello(l), Slots: c.slots(l.Layout()), Contents: l.Layout().Bytes, Checksum: c.Checksum,
		Next: (&feeder{loader: l}).next,
	}
	if err := c.openRing(w); err != nil {
		return err
	}
	defer c.watch(a, w)()
	return s.Serve(w)
}

// watch shows how many samples were made, where that is asked for, and returns what ends that.
func (c *feedCmd) watch(a *app, w *feedwire.Work) (stop func()) {
	if !c.Progress {
		return func() {}
	}
	total, done, next := -1, 0, w.Next
	if c.Epochs > 0 && w.Hello.Batches > 0 {
		total = ((c.Epochs-w.Hello.Epoch)*w.Hello.Batches)*w.Hello.Batch - w.Hello.Position/c.WorldSize
	}
	bar := a.bar("feed", progress.Images, total, 0)
	w.Next = func(ctx context.Context, contents []byte) (*feedwire.Batch, error) {
		b, err := next(ctx, contents)
		if err == nil {
			done += b.N
			bar.Relabel(fmt.Sprintf("feed, epoch %d", b.Epoch), 0)
			bar.Set(done, 0)
		}
		return b, err
	}
	return bar.Stop
}

// openRing maps the ring, where the parent has one.
func (c *feedCmd) openRing(w *feedwire.Work) (err error) {
	if c.RingFd < 0 {
		return nil
	}
	if w.Ring, err = feedwire.OpenRing(c.RingFd, w.Slots*feedwire.SlotBytes(w.Contents)); err != nil {
		return usageError{fmt.Errorf("--ring-fd: %w", err)}
	}
	return nil
}

// options are the flags as package feed takes them, but for the mix and the forms.
func (c *feedCmd) options() (*feed.Options, error) {
	o := &feed.Options{
		Size: c.Size, Flip: c.Flip, Views: c.Views, Batch: c.Batch, Epochs: c.Epochs, InOrder: !c.Shuffle, Rank: c.Rank,
		WorldSize: c.WorldSize, Seed: c.Seed, Skip: c.OnError == "skip", Cache: int64(c.CacheMb) << 20, Workers: c.Workers,
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	var errs [6]error
	o.Crop, errs[0] = transform.ParseCrop(c.Crop)
	o.Filter, errs[1] = augment.ParseFilter(c.Filter)
	o.From, errs[2] = feed.ParsePosition(c.From)
	o.Tail, errs[3] = feed.ParseTail(c.Tail)
	o.DType, errs[4] = feed.ParseDType(c.Dtype)
	o.Layout, errs[5] = feed.ParseLayout(c.OutputLayout)
	o.Norm = new(mix.Normalization)
	for i := range 3 {
		o.Norm.Mean[i], o.Norm.Std[i] = float32(c.Mean[i]), float32(c.Std[i])
	}
	return o, cmp.Or(errs[:]...)
}

// check checks the flags that package feed does not know.
func (c *feedCmd) check() error {
	switch {
	case c.In == formats.Standard:
		return usagef("standard input has the parent's messages and cannot be the data")
	case c.Stream != "" && (len(c.Perturb) > 0 || c.Mix != "none" || c.Views > 1 || c.Flip || len(c.Suite) > 0):
		return usagef("--stream with --perturb, --mix, --views, --flip or --suite (allowed: --corrupt, which is common without)")
	case c.GroupBy != "" && (len(c.Corrupt) == 0 || c.Stream != ""):
		return usagef("--group-by without --corrupt, or with --stream (allowed: with --corrupt)")
	case c.Alpha == "keep":
		return usagef("--alpha keep: batches hold no alpha channels (allowed: drop, refuse)")
	case c.Batch < 1:
		return usagef("--batch %d (allowed: 1 and up)", c.Batch)
	case c.Views < 1:
		return usagef("--views %d (allowed: 1 and up)", c.Views)
	case c.WorldSize < 1:
		return usagef("--world-size %d (allowed: 1 and up)", c.WorldSize)
	case len(c.Mean) != 3 || len(c.Std) != 3:
		return usagef("--mean and --std: %d and %d numbers (allowed: three each)", len(c.Mean), len(c.Std))
	case c.Slots < 1 || c.Slots > mostSlots:
		return usagef("--slots %d (allowed: 1 to %d)", c.Slots, mostSlots)
	case c.CacheMb < 0 || c.CacheMb > 1<<30:
		return usagef("--cache-mb %d (allowed: 0 to %d)", c.CacheMb, 1<<30)
	}
	if err := c.checkSuite(); err != nil {
		return err
	}
	return c.workers.check()
}

const mostSlots = 1 << 10

// source opens the data: the part to train on, or, to corrupt, the part to test on.
func (c *feedCmd) source(a *app) (data.Source, error) {
	part := "train"
	if len(c.Corrupt)+len(c.Perturb) > 0 || c.Stream != "" {
		part = "test"
	}
	return c.openSplit(a, c.In, part)
}

// streamed makes a stream of the data, in whose order it is fed once. Images are prepared before they are corrupted.
func (c *feedCmd) streamed(a *app, src data.Source, o *feed.Options) (data.Source, error) {
	plan := &transform.Corruptions{Size: o.Size, Filter: o.Filter, Crop: o.Crop.N}
	stop := func(err error) (data.Source, error) { return nil, errors.Join(err, src.Close()) }
	if o.Crop.Kind != transform.NoCrop && o.Crop.Kind != transform.CenterCrop {
		return stop(usagef("--crop %s with --stream (allowed: N, the middle)", c.Crop))
	}
	profile, err := tables.Open(c.Profile)
	if err != nil {
		return stop(err)
	}
	plan.Profile, plan.Tables, plan.Own = profile.Profile, profile.Tables, profile.Own()
	subset := c.Corrupt
	if len(subset) == 0 {
		subset = []string{"common"}
	}
	if plan.Bar, err = barProfile(c.BarProfile, plan.Profile, subset, func() (int, error) {
		w, h, err := data.FirstSize(src)
		return min(w, h), err
	}); err != nil {
		return stop(err)
	}
	s := ordered{order: c.Stream, subset: subset, seed: c.Seed, frosting: &c.frosting, parameters: profile.Sum()}
	if strings.HasSuffix(c.Stream, ".csv") {
		s.order, s.from = "", c.Stream
	}
	made, err := s.open(a, src, plan)
	if err != nil {
		return stop(err)
	}
	var manifest bytes.Buffer
	if err := stream.WriteManifest(&manifest, s.made, s.samples, s.seed); err != nil {
		return stop(err)
	}
	c.Epochs, c.Shuffle = max(c.Epochs, 1), false
	o.Size, o.Crop, o.InOrder, o.Epochs = 0, transform.Crop{}, true, c.Epochs
	o.Depends = fmt.Sprintf("stream %x %d %d %d %s", sha256.Sum256(manifest.Bytes()), plan.Size, plan.Crop, plan.Filter, s.about)
	return made, nil
}

// images says what is made of an image.
func (c *feedCmd) images(a *app, o *feed.Options) (closeSet func(), err error) {
	none := func() {}
	if (len(c.Corrupt) > 0 || len(c.Perturb) > 0) && c.Stream == "" {
		return none, c.forms(a, o)
	}
	spec, err := mix.ParseSpec(c.Mix)
	if err != nil {
		return none, err
	}
	methods, closeSet, err := c.methods(a, []mix.Spec{spec}, func() (int, error) {
		if o.Crop.Kind != transform.NoCrop {
			return o.Crop.N, nil
		}
		n, err := longerSide(a, &c.input, c.In)
		if err == nil && o.Size > 0 {
			n = o.Size
		}
		return n, err
	})
	if err != nil {
		return none, err
	}
	o.Mix = methods[0]
	o.Depends += c.Mixset + c.Styles + c.weights
	return closeSet, nil
}

// forms makes corruptions or perturbations of the images instead of views.
func (c *feedCmd) forms(a *app, o *feed.Options) (err error) {
	crop := o.Crop.N
	if o.Crop.Kind != transform.NoCrop && o.Crop.Kind != transform.CenterCrop {
		return usagef("--crop %s with --corrupt or --perturb (allowed: N, the middle)", c.Crop)
	}
	profile, params, err := tables.Profile(c.Profile)
	if err != nil {
		return err
	}
	o.Size, o.Crop = 0, transform.Crop{}
	if len(c.Perturb) > 0 {
		p := &transform.Perturbations{Size: c.Size, Filter: o.Filter, Crop: crop, Profile: profile}
		if p.Difficulties, err = transform.ParseDifficulties(c.Difficulty); err != nil {
			return err
		}
		if p.Names, err = transform.ExpandPerturbations(c.Perturb); err != nil {
			return err
		}
		o.Perturbations = p
		if len(c.Corrupt) == 0 {
			return nil
		}
	}
	p := &transform.Corruptions{Size: c.Size, Filter: o.Filter, Crop: crop, Profile: profile, Tables: params}
	o.Corruptions = p
	if c.GroupBy != "" {
		if p.Groups, err = transform.ParseGroups(c.GroupBy, c.Seed); err != nil {
			return err
		}
		o.Depends = "groups " + c.GroupBy + " "
	}
	if params != nil {
		o.Depends += params.Sum()
	}
	if p.Severities, err = transform.ParseSeverities(c.Severity); err != nil {
		return err
	}
	if p.Bar, err = c.bar(a, profile, crop); err != nil {
		return err
	}
	if p.Names, err = transform.ExpandCorruptions(c.Corrupt, p.Bar, styletransfer.Op{}); err != nil {
		return err
	}
	var styles string
	if p.Own, styles, err = c.own(a, p.Names); err != nil {
		return err
	}
	o.Depends += styles
	if slices.Contains(p.Names, "frost") {
		if p.Frost, err = c.textures(a); err != nil {
			return err
		}
		about, err := c.about()
		o.Depends += about
		return err
	}
	return nil
}

// bar resolves the profile of the corruptions of cbar.
func (c *feedCmd) bar(a *app, profile corrupt.Profile, crop int) (cbar.Profile, error) {
	return barProfile(c.BarProfile, profile, c.Corrupt, func() (int, error) {
		if side := cmp.Or(crop, c.Size); side > 0 {
			return side, nil
		}
		src, err := c.open(a, c.In)
		if err != nil {
			return 0, err
		}
		defer src.Close()
		w, h, err := data.FirstSize(src)
		return min(w, h), within(c.In, err)
	})
}

// slots returns how many slots fit in --memory: two at least, so that one is made while the other is used.
func (c *feedCmd) slots(l *feed.Slot) int {
	if c.Memory == 0 {
		return c.Slots
	}
	return min(c.Slots, max(2, int(int64(c.Memory)/int64(feedwire.SlotBytes(l.Bytes)))))
}

// hello describes the feed.
func (c *feedCmd) hello(l *feed.Loader) *feedwire.Hello {
	o := l.Options()
	h := &feedwire.Hello{
		Version: build().Version, Samples: l.Samples(), Batches: l.Batches(), Classes: l.Classes(), Rank: o.Rank,
		WorldSize: o.WorldSize, Batch: o.Batch, Views: o.Views, Tail: o.Tail.String(), Epochs: o.Epochs,
		Epoch: l.Position().Epoch, Position: l.Position().Samples, Seed: o.Seed, Layout: o.Layout.String(),
		Mean: o.Norm.Mean[:], Std: o.Norm.Std[:], Fingerprint: l.Fingerprint(),
	}
	if forms := l.Forms(); forms != nil {
		h.Forms = forms
	}
	h.Fields = fieldsOf(l.Layout())
	return h
}

// fieldsOf are the arrays of a slot, counted from its beginning.
func fieldsOf(s *feed.Slot) (fields []feedwire.Field) {
	for _, f := range s.Fields {
		f.Offset += feedwire.ContentsOffset
		fields = append(fields, feedwire.Field(f))
	}
	return fields
}

// feeder makes messages of a loader's batches.
type feeder struct {
	loader *feed.Loader
	end    epochEnd
}

// epochEnd is the body of the message at the end of an epoch.
type epochEnd struct {
	Epoch   int `json:"epoch"`
	Samples int `json:"samples"` // of this process since it began or the epoch did
	Refused int `json:"refused"`
}

// refusal is the body of the message about a refused sample.
type refusal struct {
	Index  int    `json:"index"`
	Key    string `json:"key"`
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func (f *feeder) next(ctx context.Context, contents []byte) (*feedwire.Batch, error) {
	b, err := f.loader.Next(ctx, contents)
	if err != nil {
		return nil, err
	}
	out := &feedwire.Batch{Epoch: b.Epoch, Index: b.Index, N: b.N}
	for _, r := range b.Refused {
		out.Before = append(out.Before, feedwire.Note{
			Kind: feedwire.KindWarn, Epoch: b.Epoch, Body: refusal{r.Index, r.Key, r.Name, terminal.OneLine(r.Reason)},
		})
	}
	f.end.Epoch, f.end.Samples, f.end.Refused = b.Epoch, f.end.Samples+b.N, f.end.Refused+len(b.Refused)
	if b.Last {
		out.After = []feedwire.Note{{Kind: feedwire.KindEpoch, Epoch: b.Epoch, Body: f.end}}
		f.end = epochEnd{}
	}
	return out, nil
}
