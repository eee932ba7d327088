package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/internal/feedwire"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/raster"
)

// feedCmd hands batches to the program that started it.
type feedCmd struct {
	In string `arg:"" name:"IN" help:"Data set to read."`

	Mix    string `group:"Augmentation" default:"none" placeholder:"SPEC" help:"Method, such as augmix-m3-w3-d-1 (${default}; see augmix list mixes)."`
	Size   int    `group:"Augmentation" placeholder:"N" help:"First resize the shorter side to N pixels."`
	Crop   string `group:"Augmentation" placeholder:"CROP" help:"Then crop N x N: N (the middle), random:N, padP:N (pad by P, then random), rrc:N (random resized crop). A smaller image is padded with black, but not by rrc."`
	Filter string `group:"Augmentation" enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of resizes: box, bilinear, bicubic or lanczos (${default})."`
	Flip   bool   `group:"Augmentation" help:"Then flip horizontally with probability one half."`
	Views  int    `group:"Augmentation" default:"1" placeholder:"N" help:"Images for each sample. From 2 on: the clean one (crop and flip alone) and N-1 mixes."`
	Seed   uint64 `group:"Augmentation" default:"0" help:"Seed of every random choice (${default})."`
	mixing

	Corrupt    []string `group:"Corruption" placeholder:"NAME" help:"Instead of views: each image in these corruptions, by name or subset (see augmix corrupt). Separate several by commas."`
	Stream     string   `group:"Corruption" placeholder:"SPEC" help:"The images of --corrupt one after the other, in an order of augmix stream or that of a manifest, FILE.csv, such as one of augmix stream --limit N --manifest-only."`
	GroupBy    string   `group:"Corruption" placeholder:"REGEX" help:"--corrupt: samples that share draws but noise, as frames of a clip do (augmix corrupt --help)."`
	Severity   string   `group:"Corruption" default:"1-5" placeholder:"LIST" help:"Severities: a list or range, fractions too: 1,2.5 or 0.5-5:0.5 (${default})."`
	Perturb    []string `group:"Corruption" placeholder:"NAME" help:"Instead of views: all frames of these perturbations, by name or subset (see augmix perturb)."`
	Difficulty string   `group:"Corruption" default:"1" placeholder:"LIST" help:"Difficulties of the noises of --perturb: a list or range of 1 to 3 (${default})."`
	Profile    string   `group:"Corruption" default:"auto" placeholder:"NAME" help:"Parameters of --corrupt and --perturb: auto (by the image's size), 32, 64, 224, 299, one of augmix list profiles, or a file (augmix corrupt --help)."`
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
  those that augmix corrupt and augmix perturb write, before the JPEG that folders of corrupt are.
  --size and --crop N are those of these commands.

STREAMS
  With --stream the data are the images of augmix stream, in their order; without --epochs it is fed
  once. The order says the severity, such as continual-s3. Index is the position, and "augmix stream
  --manifest-only" with the same order as --order, the names of --corrupt as --subset and the same
  --seed writes what lies there. FILE.csv is such a manifest. --from goes on anywhere.

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

// exitStatus ends the help: who reads the messages knows of each refused input, and a feed puts others in their place.
func (feedCmd) exitStatus() string {
	return `EXIT STATUS
  0    done, or the parent ended it; also where inputs were refused (--on-error skip): messages say so
  1    failed
  2    the command line is wrong
  130  interrupted`
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
	if err == nil || s.Ended() && !isUsage(err) { // whatever went wrong then, nobody waits for it; but a mistake is one without a parent too
		return nil
	}
	s.Fail(feedCode(err), a.errorText(err))
	return err
}

// feedCode is what an error is about, in the words of the protocol.
func feedCode(err error) feedwire.Code {
	var path *fs.PathError
	switch {
	case isUsage(err), errors.Is(err, feedwire.ErrProtocol):
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
	if err := c.checkInput(a, c.In); err != nil {
		return err
	}
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
	o.Depends = append(o.Depends, in.HowRead())
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
