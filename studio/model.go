//go:build !js

package studio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/train"
)

// model is the classifier that is looked at. It works on one batch at a time.
type model struct {
	gate       gate // one at a time
	predictor  eval.Predictor
	names      []string // of classes; nil: not known
	preprocess preprocess.Method
	scratch    preprocess.Scratch
	size, crop int // how images are prepared, as in the validation of the training
	w, h       int
}

// openModel loads the model of the options as augmix predict does. The error is that of package eval.
func openModel(opt *Options) (*model, error) {
	m := &model{gate: newGate(1)}
	path, err := train.WeightsOf(opt.Model)
	if err != nil {
		return nil, err
	}
	n, err := eval.LoadNetwork(path, eval.LoadOptions{Model: opt.Arch, Norm: opt.Norm})
	switch {
	case errors.Is(err, eval.ErrForeign):
		o, err := eval.OpenONNX(path, "", opt.Norm, 0)
		if err != nil {
			return nil, err
		}
		m.predictor = o
	case err != nil:
		return nil, err
	default:
		m.predictor, m.preprocess = n, n.Preprocess
	}
	m.h, m.w, _ = m.predictor.Input()
	m.size, m.crop = min(m.h, m.w), min(m.h, m.w)
	if named, ok := m.predictor.(eval.Named); ok {
		m.names = named.ClassNames()
	}
	if known, ok := m.predictor.(eval.Prepared); ok && known.Preparation() != nil {
		was := known.Preparation()
		if was.Filter != "" && was.Filter != "bilinear" && was.Size > 0 {
			return nil, errors.Join(fmt.Errorf("%s: %w: its images are resized by the filter %s (allowed here: bilinear)", path, eval.ErrModel,
				was.Filter), m.close())
		}
		m.size, m.crop = was.Size, was.Crop
	}
	return m, nil
}

// info is what the page says of it.
func (m *model) info(name string) *modelInfo {
	_, gradient := m.predictor.(eval.Differentiable)
	return &modelInfo{name, m.predictor.Classes(), m.w, m.h, gradient && m.preprocess == nil}
}

func (m *model) close() error {
	if c, ok := m.predictor.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// forModel returns the image of q as the model's images are prepared. Where that leaves another size than the model's, the shorter side is
// resized to it and the middle cropped.
func (s *Server) forModel(ctx context.Context, q *request) (*sample, error) {
	m := s.model
	if m == nil {
		return nil, fmt.Errorf("%w (start it with --model FILE)", errModel)
	}
	side := min(m.w, m.h)
	for _, g := range [][2]int{{m.size, m.crop}, {side, side}} {
		q.Size, q.Crop = g[0], g[1]
		one, err := s.prepared(ctx, q)
		if err != nil {
			return nil, err
		}
		if one.image.W == m.w && one.image.H == m.h {
			return one, nil
		}
	}
	return nil, fmt.Errorf("%w: the model takes images of %dx%d, which this is not made to", errCannot, m.w, m.h)
}

// modelBatch bounds a batch, so that a request that is dropped ends soon.
const modelBatch = 16

// predict returns the probabilities of the classes for each image. It ends early, with its error, when ctx does.
func (m *model) predict(ctx context.Context, images []*raster.Image) ([][]float64, error) {
	if err := m.gate.enter(ctx); err != nil {
		return nil, err
	}
	defer m.gate.leave()
	_, _, norm := m.predictor.Input()
	classes, plane := m.predictor.Classes(), 3*m.w*m.h
	out := make([][]float64, 0, len(images))
	var s mix.Scratch
	var done raster.Image
	most := min(m.predictor.MaxBatch(), modelBatch)
	for from := 0; from < len(images); from += most {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch := images[from:min(len(images), from+most)]
		x, logits := make([]float32, len(batch)*plane), make([]float32, len(batch)*classes)
		for i, one := range batch {
			if m.preprocess != nil {
				m.preprocess.Apply(&done, one, &m.scratch)
				one = &done
			}
			mix.None{}.ApplyPlanes(x[i*plane:][:plane], one, &norm, nil, &s)
		}
		if err := m.predictor.Predict(logits, x, len(batch)); err != nil {
			return nil, err
		}
		for i := range batch {
			out = append(out, softmax(logits[i*classes:][:classes]))
		}
	}
	return out, nil
}

func softmax(logits []float32) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range logits {
		most = max(most, float64(v))
	}
	p := make([]float64, len(logits))
	for i, v := range logits {
		p[i] = math.Exp(float64(v) - most)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// best is the most probable class, the first of equals.
func best(p []float64) (class int) {
	for i, v := range p {
		if v > p[class] {
			class = i
		}
	}
	return class
}

func (m *model) className(class int) string {
	if class < len(m.names) {
		return m.names[class]
	}
	return strconv.Itoa(class)
}
