package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/mixset/fvis"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// IterativeFVis is the mixing set that is made from the network in training, again and again: feature visualizations
// of the weights that it has at the start of epochs 0, N, 2N, ... for a mixset-every of N. It is the row "Iterative
// FVis" of PixMix's table 5 (Hendrycks et al., CVPR 2022). Its authors publish neither the code of that row, nor how
// often they made the images and how many, nor what they mixed in before the first time. So these choices are ours:
//
//   - a new set for every epoch, unless mixset-every says otherwise;
//   - [DefaultIterative] images, unless the spec says how many: iterative-fvis-nN;
//   - the first set shows the weights that the run begins with, which are random unless Config.Weights names some;
//   - the weights are those that the optimizer moves, also where an average of them is kept (ema): that lags behind,
//     in a short run by all of it.
const IterativeFVis = "iterative-fvis"

// DefaultIterative is the number of images of [IterativeFVis]. Over PixMix's 100 epochs that makes 25 600 different ones,
// where the published set has 4 700 feature visualizations, and making them takes from a sixth (WRN-40-4) to a half
// (ResNet-20, at first) of the time of an epoch of CIFAR.
const DefaultIterative = 256

// mostIterative bounds the memory that a set takes: 0.3 GB for training images of 32 pixels.
const mostIterative = 1 << 16

// ParseIterative reads a mixing set's spec. It returns the number of images of an [IterativeFVis], and false for every
// other set. The error wraps [ErrConfig].
func ParseIterative(spec string) (n int, iterative bool, err error) {
	rest, found := strings.CutPrefix(spec, IterativeFVis)
	if !found || strings.ContainsAny(rest, `/\`) {
		return 0, false, nil
	}
	if rest == "" {
		return DefaultIterative, true, nil
	}
	number, found := strings.CutPrefix(rest, "-n")
	if n, err = strconv.Atoi(number); !found || err != nil || n < 1 || n > mostIterative || number[0] == '+' {
		return 0, true, option.Errorf(ErrConfig, "{mixset}: %.80q (allowed: %s, or %s-nN with N of 1 to %d images)",
			spec, IterativeFVis, IterativeFVis, mostIterative)
	}
	return n, true, nil
}

// checkMixset checks what mixset says beside the sets that others open, and what does not go with it.
func (c *Config) checkMixset() error {
	_, iterative, err := ParseIterative(c.Mixset)
	if err != nil {
		return err
	}
	if !iterative {
		if c.MixsetEvery != 1 {
			return option.Errorf(ErrConfig, "{mixset-every}: %d: {mixset} %q is not made anew (only %s is)", c.MixsetEvery, c.Mixset, IterativeFVis)
		}
		return nil
	}
	if m, err := mix.ParseSpec(c.Mix); err == nil && !m.NeedsMixingSet() {
		return option.Errorf(ErrConfig, "{mixset}: %s: {mix} %s mixes no images in (pixmix and ipmix do)", c.Mixset, c.Mix)
	}
	return nil
}

// Visualization is how far a mixing set of [IterativeFVis] is.
type Visualization struct {
	Epoch       int // that the set is for, from 0
	Done, Count int // images
	Took        time.Duration
}

// iterative is what a mixing set is made from.
type iterative struct {
	net       *nn.Net // not to be changed, nor to be kept
	epoch     int     // that the set is for, from 0
	seed      uint64  // of the images: another for every epoch
	count     int     // of images
	size      int     // longer side of the training images
	mean, std [3]float32
	workers   int
	report    func(*Visualization)
}

// visualizationSide is the side of visualizations for training images of a size: that of other mixing sets, so that a
// random crop can be taken at each use, but no less than package fvis makes.
func visualizationSide(size int) int { return max(mixset.Side(size), fvis.MinSide) }

// visualize makes images of the network's early and middle layers.
func visualize(ctx context.Context, d *iterative) (mix.MixingSet, error) {
	begun := time.Now()
	side := visualizationSide(d.size)
	visualizer, err := fvis.New(d.net, fvis.Options{
		Side: side, Seed: d.seed, Mean: d.mean, Std: d.std, Workers: d.workers,
	})
	if errors.Is(err, fvis.ErrLayer) || errors.Is(err, fvis.ErrOption) || errors.Is(err, graph.ErrGraph) {
		return nil, option.Errorf(ErrConfig, "{mixset}: %s: %w", IterativeFVis, err)
	}
	if err != nil {
		return nil, err
	}
	block := make([]*raster.Image, visualizer.BlockSize())
	set := make(imageSet, (d.count+len(block)-1)/len(block)*len(block))
	for done := 0; done < d.count; done += len(block) {
		for i := range block {
			block[i] = &set[done+i]
		}
		if _, err := visualizer.Block(ctx, block, done/len(block)); err != nil {
			return nil, err
		}
		d.report(&Visualization{
			Epoch: d.epoch, Done: min(done+len(block), d.count), Count: d.count, Took: time.Since(begun),
		})
	}
	return set[:d.count], nil
}

// checkVisualization says before anything is written whether a network can be visualized for training images of a size.
func checkVisualization(g *graph.Graph, size int) error {
	side := visualizationSide(size)
	if side > fvis.MaxSide {
		return option.Errorf(ErrConfig, "{mixset}: %s makes images of side %d for training images of %d (allowed: up to %d, with a smaller "+
			"crop)", IterativeFVis, side, size, fvis.MaxSide)
	}
	var names []string
	for _, l := range fvis.Initial(g) {
		names = append(names, l.Name)
	}
	if _, err := fvis.Cut(g, side, side, names...); err != nil {
		return option.Errorf(ErrConfig, "{mixset}: %s cannot show what %s sees: %w", IterativeFVis, g.Name, err)
	}
	return nil
}

// imageSet is a mixing set in memory.
type imageSet []raster.Image

func (s imageSet) String() string            { return fmt.Sprintf("%s-n%d", IterativeFVis, len(s)) }
func (s imageSet) Len() int                  { return len(s) }
func (s imageSet) Image(i int) *raster.Image { return &s[i] }

// encodeSet writes images of one size as a NumPy array of [N, H, W, 3] bytes.
func encodeSet(set mix.MixingSet) ([]byte, error) {
	first := set.Image(0)
	pixels := make([]byte, 0, 3*first.W*first.H*set.Len())
	for i := range set.Len() {
		pixels = set.Image(i).AppendRGB(pixels)
	}
	var b bytes.Buffer
	err := npy.Write(&b, &npy.Array{Shape: []int{set.Len(), first.H, first.W, 3}, Data: pixels})
	return b.Bytes(), err
}

// decodeSet reads what encodeSet writes.
func decodeSet(content []byte) (imageSet, error) {
	a, err := npy.Read(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	pixels, ok := a.Data.([]byte)
	if !ok || len(a.Shape) != 4 || a.Shape[0] < 1 || a.Shape[3] != 3 {
		return nil, fmt.Errorf("%w: an array of %s of shape %v is no set of color images", npy.ErrFormat, a.Kind(), a.Shape)
	}
	h, w := a.Shape[1], a.Shape[2]
	if err := raster.CheckSize(w, h); err != nil {
		return nil, err
	}
	set := make(imageSet, a.Shape[0])
	for i := range set {
		set[i].SetRGB(w, h, pixels[i*h*w*3:][:h*w*3])
	}
	return set, nil
}

// useMixingSet gives the augmentation its mixing set, in place of an earlier one.
func (r *runner) useMixingSet(set mix.MixingSet) error {
	o := mix.Options{
		MixingSet: set, Size: max(r.w, r.h), Styles: r.options.Styles, Network: r.options.Network, Corruptions: all.ForMix,
	}
	var err error
	if r.method, err = mix.ParseMethod(r.config.Mix, o); err == nil && r.config.AuxMix != "" {
		r.auxMethod, err = mix.ParseMethod(r.config.mixes(), o)
	}
	return err
}

// nextSet returns the next epoch, after the one at hand, for which a mixing set is made, or the number of epochs where
// that is for none.
func (r *runner) nextSet() int {
	if r.iterative == 0 {
		return r.config.Epochs
	}
	every := r.config.MixsetEvery
	return min((r.state.Epoch/every+1)*every, r.config.Epochs)
}

// setDue reports whether a mixing set is made at the position of the run.
func (r *runner) setDue() bool {
	return r.iterative > 0 && r.state.InEpoch == 0 && r.state.Epoch%r.config.MixsetEvery == 0
}

// renewSet makes the mixing set where one is due. The weights are those of the checkpoint, if there is one: a run that is
// stopped meanwhile makes the set again.
func (r *runner) renewSet(ctx context.Context) error {
	if !r.setDue() {
		return nil
	}
	s := &r.state
	norm, random := r.config.norm(), rng.NewKey(r.config.Seed).Str("mixset").Uint(uint64(s.Epoch)).Rand()
	set, err := r.visualize(ctx, &iterative{
		net: r.net, epoch: s.Epoch, seed: random.Uint64(), count: r.iterative, size: max(r.w, r.h),
		mean: norm.Mean, std: norm.Std, workers: r.workers, report: func(v *Visualization) {
			if r.options.OnVisualize != nil {
				r.options.OnVisualize(v)
			}
		},
	})
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), r.save())
	}
	if err != nil {
		return fmt.Errorf("the mixing set of epoch %d: %w", s.Epoch+1, err)
	}
	content, err := encodeSet(set)
	if err != nil {
		return err
	}
	// The file before any checkpoint that has its digest. That it takes the place of an earlier set is no loss: the last
	// checkpoint, if there is one, is of just this position.
	if err := data.WriteFileAtomic(filepath.Join(r.options.Dir, MixsetName), content); err != nil {
		return fmt.Errorf("cannot keep the mixing set: %w", err)
	}
	sum := sha256.Sum256(content)
	s.Mixset = hex.EncodeToString(sum[:])
	return r.useMixingSet(set)
}

// restoreSet gives the augmentation the checkpoint's mixing set, from its file: the weights that it shows are gone. It does
// nothing where another set is due, or where there is nothing more to train.
func (r *runner) restoreSet() error {
	if r.iterative == 0 || r.setDue() || r.state.Epoch == r.config.Epochs {
		return nil
	}
	content, err := readSigned(filepath.Join(r.options.Dir, MixsetName), r.state.Mixset)
	if err != nil {
		return err
	}
	set, err := decodeSet(content)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrCheckpoint, MixsetName, err)
	}
	return r.useMixingSet(set)
}

// readSigned reads the file of a mixing set. It is read twice, so that no more is held in memory than a set takes.
func readSigned(path, digest string) ([]byte, error) {
	got, err := digestOf(path)
	if err == nil && got == digest {
		return os.ReadFile(path)
	}
	if err == nil {
		err = errors.New("its content is another")
	}
	return nil, fmt.Errorf("%w: %s is not the mixing set of the checkpoint, and the weights that it shows are gone (%w); "+
		"bring the file back, or begin again in another folder", ErrCheckpoint, path, err)
}

func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// IterativeTime measures about how long the mixing sets of a whole run take on this machine; 0 where none is made, or
// where that cannot be told.
func (c *Config) IterativeTime(ctx context.Context) time.Duration {
	n, iterative, err := ParseIterative(c.Mixset)
	if err != nil || !iterative {
		return 0
	}
	input, err := models.Input(c.Model)
	if err != nil {
		return 0
	}
	if crop := c.geometry(0).Crop; crop.N > 0 {
		input.H, input.W = crop.N, crop.N
	}
	g, err := models.Build(c.Model, input, 10)
	if err != nil {
		return 0
	}
	net, err := nn.New(g, nn.Options{Workers: c.Workers})
	if err != nil {
		return 0
	}
	net.Init(rng.NewKey(1))
	visualizer, err := fvis.New(net, fvis.Options{
		Side: visualizationSide(max(input.H, input.W)), Std: [3]float32{1, 1, 1}, Workers: c.Workers,
	})
	if err != nil {
		return 0
	}
	one, err := visualizer.Estimate(ctx)
	if err != nil {
		return 0
	}
	sets := (c.Epochs + c.MixsetEvery - 1) / c.MixsetEvery
	return time.Duration(sets*n) * one
}
