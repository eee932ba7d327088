//go:build !js

package studio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	recipes "github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// Limits of the batch that is shown.
const (
	maxTiles       = 32      // images
	maxBatchPixels = 1 << 24 // of a batch that must be made whole, as its images are mixed with each other
)

// trainingBatch is a batch of a training, for the page. Epochs and steps count from 1.
type trainingBatch struct {
	Epoch   int         `json:"epoch"`
	Epochs  int         `json:"epochs"`
	Step    int         `json:"step"`
	Steps   int         `json:"steps"`
	N       int         `json:"n"` // samples of the batch
	Mix     string      `json:"mix"`
	Note    string      `json:"note,omitempty"` // what training does to it after that
	Samples []batchTile `json:"samples"`
}

type batchTile struct {
	Key   string       `json:"key"`
	Label []labelShare `json:"label"`
	Views [][]byte     `json:"views"` // PNG files; with the consistency loss the clean one first
}

// batch makes a batch of a training again: that of q.Epoch and q.Step, or without a step the one that it is at by the clock.
func (s *Server) batch(ctx context.Context, q *request) (any, error) {
	if len(q.Runs) != 1 || q.Runs[0] >= len(s.runs) {
		return nil, fmt.Errorf("%w: runs: a batch is of one run (there are %d, from 0)", ErrRequest, len(s.runs))
	}
	dir := trainingDir(s.runs[q.Runs[0]])
	t, err := readTraining(dir, "")
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("%w: %s has no rows of a training", errGone, dir)
	}
	r, err := recipes.Read(filepath.Join(dir, "args.yaml"))
	if err != nil {
		return nil, fmt.Errorf("the recipe of the run: %w", err)
	}
	c := r.Config
	c.Workers = s.opt.Renders
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.File, err)
	}
	input, _ := c.Input() // checked
	src, _, err := formats.OpenSplit(c.Data, input, "train")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: the training data %s (is its path relative to another folder?): %w", errGone, c.Data, err)
	} else if err != nil {
		return nil, err
	}
	defer src.Close() // it is only read
	src = data.Limit(src, c.Limit)
	o := train.Options{Dir: dir, Train: src}
	if o.MixingSet, err = s.trainingSet(ctx, &c, src); err != nil {
		return nil, err
	}
	at := moment{q.Epoch - 1, q.Step - 1}
	if q.Step == 0 {
		at = t.moment(src.Info().Len, &c, time.Now())
	}
	views := 1
	if c.JSD {
		views = c.Views
	}
	p, err := train.NewPreview(ctx, c, o, at.epoch, at.step, max(maxTiles/views, 1))
	if err != nil {
		return nil, err
	}
	return batchOf(p, &c)
}

// moment is a place of a training, from 0.
type moment struct{ epoch, step int }

// moment is where a training is now by the time that its epochs take, or where it ended, given the samples of its data. The last step
// of an epoch may be one more.
func (t *training) moment(samples int, c *train.Config, now time.Time) moment {
	steps := max(int(float64(samples)*(1-c.ValFraction))/c.Batch, 1)
	if t.Left == 0 {
		return moment{min(t.Epoch, c.Epochs) - 1, steps - 1}
	}
	share := now.Sub(t.last).Seconds() / max(t.Seconds, 1e-3)
	return moment{min(t.Epoch, c.Epochs-1), min(max(int(share*float64(steps)), 0), steps-1)}
}

// trainingSet opens the mixing set of a training, nil where it has none or makes it itself.
func (s *Server) trainingSet(ctx context.Context, c *train.Config, src data.Source) (mix.MixingSet, error) {
	spec, err := mix.ParseSpec(c.Mix)
	if err != nil {
		return nil, err
	}
	if spec.NeedsStyles() || spec.NeedsNetwork() {
		return nil, fmt.Errorf("%w: %s runs a network, which the studio does not", errCannot, c.Mix)
	}
	crop, err := transform.ParseCrop(c.Crop)
	if err != nil {
		return nil, err
	}
	size := crop.N
	if all, ok := src.(data.Indexed); ok && size == 0 {
		w, h, err := data.FirstSize(data.Slice(all, 0, min(1, all.Len())))
		if err != nil {
			return nil, err
		}
		size = max(c.ImageSize(w, h))
	}
	if spec.NeedsPartner() && c.Batch*size*size > maxBatchPixels {
		return nil, fmt.Errorf("%w: a batch of %d images of %dx%d that are mixed with each other (allowed: %d pixels)", errCannot, c.Batch,
			size, size, maxBatchPixels)
	}
	if _, iterative, err := train.ParseIterative(c.Mixset); err != nil || iterative || !spec.NeedsMixingSet() {
		return nil, err
	}
	return s.mixing.open(ctx, c.Mixset, max(size, mixset.MinSize))
}

func batchOf(p *train.Preview, c *train.Config) (*trainingBatch, error) {
	out := &trainingBatch{
		Epoch: p.Epoch + 1, Epochs: c.Epochs, Step: p.Step + 1, Steps: p.Steps, N: p.N, Mix: c.Mix, Samples: []batchTile{},
	}
	if c.Adversarial {
		out.Note = "Training then makes adversarial examples of them, with the weights of that step."
	}
	for _, one := range p.Samples {
		target := one.Target
		if target == nil {
			target = make([]float32, one.Label+1)
			target[one.Label] = 1
		}
		t := batchTile{Key: one.Key}
		for class, weight := range target {
			if weight > 0 {
				t.Label = append(t.Label, labelShare{nameOf(p.Classes, class), float64(weight)})
			}
		}
		for _, m := range one.Views {
			file, err := pngOf(m)
			if err != nil {
				return nil, err
			}
			t.Views = append(t.Views, file)
		}
		out.Samples = append(out.Samples, t)
	}
	return out, nil
}
