package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/transform"
)

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
	case c.Severity != "1-5" && c.Stream != "":
		return usagef("--severity %s with --stream, whose order says it (allowed: --stream continual-s2 and the like)", c.Severity)
	case c.Severity != "1-5" && len(c.Corrupt)+len(c.Suite) == 0:
		return usagef("--severity %s without --corrupt, which says of what (allowed: with --corrupt, --suite)", c.Severity)
	case c.Profile != "auto" && !c.changes():
		return usagef("--profile %s without --corrupt, which says of what (allowed: with --corrupt, --perturb, --stream, --suite)", c.Profile)
	case (c.BarProfile != "auto" || c.FrostDir != "") && !c.corrupts():
		return usagef("--bar-profile or --frost-dir without --corrupt (allowed: with --corrupt, --stream, --suite; a mix draws its own frost)")
	case c.Difficulty != "1" && len(c.Perturb)+len(c.Suite) == 0:
		return usagef("--difficulty %s without --perturb, which says of what (allowed: with --perturb, --suite)", c.Difficulty)
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
	case c.Dtype == "uint8" && !(isHalf(c.Mean) && isHalf(c.Std)):
		return usagef("--mean and --std with --dtype uint8, which is not normalized (allowed: with float32, float16, bfloat16)")
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

// corrupts reports whether images are corrupted, and changes whether they are that or perturbed.
func (c *feedCmd) corrupts() bool { return len(c.Corrupt)+len(c.Suite) > 0 || c.Stream != "" }
func (c *feedCmd) changes() bool  { return c.corrupts() || len(c.Perturb) > 0 }

// isHalf reports whether a normalization's numbers are the default ones.
func isHalf(list []float64) bool {
	return !slices.ContainsFunc(list, func(v float64) bool { return v != 0.5 })
}

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
	profile, err := openProfile(c.Profile)
	if err != nil {
		return stop(err)
	}
	plan.Profile, plan.Tables, plan.Own = profile.Profile, profile.Tables, profile.Own()
	subset := c.Corrupt
	if len(subset) == 0 {
		subset = []string{"common"}
	}
	prepared := preparing{Size: o.Size, Crop: o.Crop.N}
	bar := func(names []string) (cbar.Profile, error) {
		return barProfile(c.BarProfile, plan.Profile, names, func() (int, error) {
			return prepared.side(func() (w, h int, err error) { return data.FirstSize(src) })
		})
	}
	wanted := stream.Options{Order: c.Stream, Seed: c.Seed, Complete: func(plan *transform.Corruptions) (_ stream.Settings, err error) {
		if plan.Bar, err = bar(plan.Names); err != nil {
			return nil, err
		}
		return streamSettings(a, plan, profile, &c.frosting, &c.input)
	}}
	if strings.HasSuffix(c.Stream, ".csv") {
		wanted.Order, wanted.Manifest = "", c.Stream
	} else {
		asked, err := bar(subset)
		if err == nil {
			plan.Names, err = stream.Names(subset, asked, plan.Own...)
		}
		if err != nil {
			return stop(err)
		}
	}
	made, err := stream.Open(src, plan, wanted)
	if err != nil {
		return stop(hintSettings(hintConvert(src, err)))
	}
	var manifest bytes.Buffer
	if err := made.WriteManifest(&manifest); err != nil {
		return stop(err)
	}
	about, err := streamAbout(made, profile, &c.frosting)
	if err != nil {
		return stop(err)
	}
	c.Epochs, c.Shuffle = max(c.Epochs, 1), false
	o.Size, o.Crop, o.InOrder, o.Epochs = 0, transform.Crop{}, true, c.Epochs
	o.Depends = []string{"stream", fmt.Sprintf("%x %d %d %d", sha256.Sum256(manifest.Bytes()), plan.Size, plan.Crop, plan.Filter), about}
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
		return none, fmt.Errorf("--mix: %w", err)
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
	o.Depends = append(o.Depends, c.Mixset, c.Styles, c.weights)
	return closeSet, nil
}

// forms makes corruptions or perturbations of the images instead of views.
func (c *feedCmd) forms(a *app, o *feed.Options) (err error) {
	crop := o.Crop.N
	if o.Crop.Kind != transform.NoCrop && o.Crop.Kind != transform.CenterCrop {
		return usagef("--crop %s with --corrupt or --perturb (allowed: N, the middle)", c.Crop)
	}
	if name := firstOf(map[string]bool{
		"mix": c.Mix != "none", "mixset": c.Mixset != "", "mixset-cache": c.MixsetCache != "", "network": c.Network != "",
	}); name != "" { // package feed refuses --views and --flip
		return usagef("--%s with --corrupt or --perturb: they are of the images of a test set, which nothing is mixed into (allowed: without)", name)
	}
	profile, err := openProfile(c.Profile)
	if err != nil {
		return err
	}
	o.Size, o.Crop = 0, transform.Crop{}
	if len(c.Perturb) > 0 {
		p := &transform.Perturbations{Size: c.Size, Filter: o.Filter, Crop: crop, Profile: profile.Profile}
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
	p := &transform.Corruptions{Size: c.Size, Filter: o.Filter, Crop: crop, Profile: profile.Profile, Tables: profile.Tables}
	c.Corrupt = ownList(c.Profile, profile, c.Corrupt)
	o.Corruptions = p
	if c.GroupBy != "" {
		if p.Groups, err = transform.ParseGroups(c.GroupBy, c.Seed); err != nil {
			return err
		}
	}
	o.Depends = append(o.Depends, c.GroupBy, profile.Sum())
	if p.Severities, err = transform.ParseSeverities(c.Severity); err != nil {
		return err
	}
	if p.Bar, err = c.bar(a, profile.Profile, crop); err != nil {
		return err
	}
	if p.Names, err = transform.ExpandCorruptions(c.Corrupt, p.Bar, append(profile.Own(), styletransfer.Op{})...); err != nil {
		return err
	}
	own, styles, err := c.own(a, p.Names)
	if err != nil {
		return err
	}
	p.Own = append(profile.Own(), own...)
	o.Depends = append(o.Depends, styles)
	if slices.Contains(p.Names, "frost") {
		if p.Frost, err = c.textures(a); err != nil {
			return err
		}
		about, err := c.about()
		o.Depends = append(o.Depends, about)
		return err
	}
	return nil
}

// bar resolves the profile of the corruptions of cbar.
func (c *feedCmd) bar(a *app, profile corrupt.Profile, crop int) (cbar.Profile, error) {
	prepared := preparing{Size: c.Size, Crop: crop}
	return barProfile(c.BarProfile, profile, c.Corrupt, func() (int, error) {
		return prepared.side(func() (w, h int, err error) { return c.firstSize(a, c.In) })
	})
}
