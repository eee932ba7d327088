package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/augmix-go/augmix/internal/fvis"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// iterativeFVis draws the mixing sets of train.IterativeFVis and tells how that goes.
type iterativeFVis struct {
	app    *app
	epochs int // of the run
}

var _ train.Renewal = (*iterativeFVis)(nil)

// drawnSide is the side that images are drawn with for training images of a size: that of other mixing sets, so that
// a random crop can be taken at each use, but no less than can be drawn.
func drawnSide(size int) int { return max(mixset.Side(size), fvis.MinSide) }

// checkDrawing says beforehand whether a network can be visualised for training images of a size. A network that does
// not exist is left to those who build it.
func checkDrawing(model string, size int) error {
	side := drawnSide(size)
	if side > fvis.MaxSide {
		return usagef("--mixset %s draws images of side %d for training images of %d (allowed: up to %d); say a smaller --crop",
			train.IterativeFVis, side, size, fvis.MaxSide)
	}
	g, err := models.Build(model, graph.Shape{H: size, W: size, C: 3}, 10)
	if err != nil {
		return nil
	}
	var names []string
	for _, l := range fvis.Initial(g) {
		names = append(names, l.Name)
	}
	if _, err := fvis.Cut(g, side, side, names...); err != nil {
		return usageError{fmt.Errorf("--mixset %s cannot show what %s sees: %w", train.IterativeFVis, model, err)}
	}
	return nil
}

// Draw draws images of the network's early and middle layers, as "augmix mixset fvis" does, and returns them as a NumPy
// array of [Count, side, side, 3] bytes.
func (v *iterativeFVis) Draw(ctx context.Context, d *train.Drawing) ([]byte, error) {
	side := drawnSide(d.Size)
	painter, err := fvis.New(d.Net, fvis.Options{
		Side: side, Seed: d.Seed, Mean: d.Mean, Std: d.Std, Workers: d.Workers,
	})
	if errors.Is(err, fvis.ErrLayer) || errors.Is(err, fvis.ErrOption) || errors.Is(err, graph.ErrGraph) {
		return nil, usageError{err}
	}
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	bar := v.app.bar(fmt.Sprintf("epoch %d/%d: drawing", d.Epoch+1, v.epochs), progress.Images, d.Count, 0)
	defer bar.Stop()
	block := make([]*raster.Image, painter.BlockSize())
	for i := range block {
		block[i] = new(raster.Image)
	}
	pixels := make([]byte, 0, 3*side*side*d.Count)
	for done := 0; done < d.Count; done += len(block) {
		if _, err := painter.Block(ctx, block, done/len(block)); err != nil {
			return nil, err
		}
		n := min(len(block), d.Count-done)
		for _, m := range block[:n] {
			pixels = m.AppendRGB(pixels)
		}
		bar.Set(done+n, 0)
	}
	bar.Stop()
	v.app.say("epoch %d/%d: %d feature visualisations of the network drawn in %s", d.Epoch+1, v.epochs, d.Count,
		progress.Duration(time.Since(begun).Round(100*time.Millisecond)))
	var b bytes.Buffer
	err = npy.Write(&b, &npy.Array{Shape: []int{d.Count, side, side, 3}, Data: pixels})
	return b.Bytes(), err
}

// Open returns the images of an array that Draw wrote.
func (*iterativeFVis) Open(content []byte) (mix.MixingSet, error) {
	a, err := npy.Read(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	pixels, ok := a.Data.([]byte)
	if !ok || len(a.Shape) != 4 || a.Shape[0] < 1 || a.Shape[3] != 3 {
		return nil, fmt.Errorf("%w: an array of shape %v and type %T is no set of colour images", npy.ErrFormat, a.Shape, a.Data)
	}
	h, w := a.Shape[1], a.Shape[2]
	if err := raster.CheckSize(w, h); err != nil {
		return nil, err
	}
	set := make(drawnSet, a.Shape[0])
	for i := range set {
		set[i].SetRGB(w, h, pixels[i*h*w*3:][:h*w*3])
	}
	return set, nil
}

// drawnSet is a mixing set in memory.
type drawnSet []raster.Image

func (s drawnSet) String() string            { return fmt.Sprintf("%s-n%d", train.IterativeFVis, len(s)) }
func (s drawnSet) Len() int                  { return len(s) }
func (s drawnSet) Image(i int) *raster.Image { return &s[i] }

// drawingTime measures about how many seconds the mixing sets of a whole run take to draw; 0 where none is drawn, or
// where that cannot be told.
func drawingTime(ctx context.Context, r *train.Recipe) float64 {
	n, drawn, err := r.Drawn()
	if err != nil || !drawn {
		return 0
	}
	input, err := models.Input(r.Model)
	if err != nil {
		return 0
	}
	if crop, err := transform.ParseCrop(r.Crop); err == nil && crop.N > 0 {
		input.H, input.W = crop.N, crop.N
	}
	g, err := models.Build(r.Model, input, 10)
	if err != nil {
		return 0
	}
	net, err := nn.New(g, nn.Options{Workers: r.Workers})
	if err != nil {
		return 0
	}
	net.Init(rng.NewKey(1))
	painter, err := fvis.New(net, fvis.Options{
		Side: drawnSide(max(input.H, input.W)), Std: [3]float32{1, 1, 1}, Workers: r.Workers,
	})
	if err != nil {
		return 0
	}
	one, err := painter.Estimate(ctx)
	if err != nil {
		return 0
	}
	sets := (r.Epochs + r.MixsetEvery - 1) / r.MixsetEvery
	return float64(sets*n) * one.Seconds()
}
