package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Preview is the batch of a step as training sees it: after resize, crop, flip, preprocessing and augmentation, before
// adversarial examples are made of it.
type Preview struct {
	Epoch, Step int // from 0
	Steps       int // of an epoch
	N           int // samples of the batch, of which Samples may be fewer
	Classes     []string
	Samples     []PreviewSample
}

// PreviewSample is a sample of a batch.
type PreviewSample struct {
	Key   string
	Label int
	Views []*raster.Image // rounded to 8 bits; with the consistency loss the clean one first, else a single one
	// Target are the weights of the classes; nil where labels are not mixed.
	Target []float32
}

// NewPreview makes the first most samples, 0 for all, of a batch of a run again: a batch is a function of the configuration, the
// data, the epoch and the step, both from 0. Of o it takes Train, which must be a data.Indexed, Dir, and what the augmentation needs: MixingSet, Styles
// and Network. Of [IterativeFVis] the mixing set is the one that lies in Dir. The error wraps [ErrConfig] for a step that the run does
// not have, or data.ErrUnsupported.
func NewPreview(ctx context.Context, c Config, o Options, epoch, step, most int) (*Preview, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	source, ok := o.Train.(data.Indexed)
	if !ok {
		return nil, fmt.Errorf("%w: training data %s can only be read from front to end", data.ErrUnsupported, c.Data)
	}
	r := &runner{config: c, options: o, train: dataset.Open(source, 0), workers: resolveWorkers(c.Workers)}
	f, err := r.previewFeed(ctx)
	if err != nil {
		return nil, err
	}
	if epoch < 0 || epoch >= c.Epochs || step < 0 || step >= f.steps() {
		return nil, fmt.Errorf("%w: epoch %d, step %d, counted from 1 (allowed: 1 to %d, 1 to %d)", ErrConfig, epoch+1, step+1, c.Epochs, f.steps())
	}
	f.begin(epoch)
	out := &Preview{Epoch: epoch, Step: step, Steps: f.steps(), Classes: r.train.Info().Classes}
	at := step * c.Batch
	end := min(at+c.Batch, len(f.order))
	if out.N = end - at; most > 0 && !f.method.NeedsPartner() { // others take partners from all of the batch
		end = min(end, at+most)
	}
	f.order = f.order[:end]
	b := &batch{epoch: epoch, index: step}
	if err := f.fill(b); err != nil {
		return nil, err
	}
	if most <= 0 || most > b.n {
		most = b.n
	}
	_, views := c.views()
	for i, row := range f.order[at:][:most] {
		one := PreviewSample{Label: b.labels[i]}
		if one.Key, err = r.key(row); err != nil {
			return nil, err
		}
		for v := range views {
			one.Views = append(one.Views, f.image(b.planes, v*b.n+i))
		}
		if f.method.NeedsPartner() {
			one.Target = append(one.Target, b.targets[i*f.classes:][:f.classes]...)
		}
		out.Samples = append(out.Samples, one)
	}
	return out, nil
}

// previewFeed gets ready to make batches, without a network.
func (r *runner) previewFeed(ctx context.Context) (*feed, error) {
	var err error
	if share := r.config.ValFraction; share > 0 {
		if r.train, _, err = r.train.HoldOut(ctx, share, r.config.Seed); err != nil {
			return nil, fmt.Errorf("training data %s: %w", r.config.Data, err)
		}
	}
	if r.classes, err = r.train.CountClasses(ctx); err != nil {
		return nil, fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	if r.w, r.h, err = r.imageSize(); err != nil {
		return nil, fmt.Errorf("training data %s: %w", r.config.Data, err)
	}
	set := r.options.MixingSet
	if _, iterative, err := ParseIterative(r.config.Mixset); err != nil {
		return nil, err
	} else if iterative {
		content, err := os.ReadFile(filepath.Join(r.options.Dir, MixsetName))
		if err != nil {
			return nil, fmt.Errorf("mixing set: %w", err)
		}
		if set, err = decodeSet(content); err != nil {
			return nil, fmt.Errorf("mixing set %s: %w", MixsetName, err)
		}
	}
	if err := r.useMixingSet(set); err != nil {
		return nil, err
	}
	config := r.config
	config.Outliers, config.Stability = "", 0 // rows of their own, behind the batch
	f := &feed{
		config: &config, set: r.train, method: r.method, norm: config.norm(), classes: r.classes, w: r.w, h: r.h, workers: r.workers,
		seed: rng.NewKey(config.Seed),
	}
	f.mixing.Workers = r.workers
	return f, nil
}

// key returns the key of a sample of the training set.
func (r *runner) key(i int) (string, error) {
	_, s, err := r.train.Fetcher(nil, nil).Image(i, rng.NewKey(0))
	return s.Key, err
}

// image is row i of a batch's planes as an image.
func (f *feed) image(planes []float32, i int) *raster.Image {
	n := f.w * f.h
	bytes := make([]uint8, 3*n)
	for p, v := range planes[i*3*n:][:3*n] {
		bytes[p] = toByte(v, f.norm, p/n)
	}
	m := new(raster.Image)
	m.SetPlanar(f.w, f.h, bytes)
	return m
}

// toByte takes a normalization of channel c back.
func toByte(v float32, n *mix.Normalization, c int) uint8 {
	x := float64(float64(v)*float64(n.Std[c])) + float64(n.Mean[c])
	return uint8(min(max(float64(255*x)+0.5, 0), 255))
}
