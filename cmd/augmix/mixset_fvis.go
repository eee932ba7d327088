package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/fvis"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
)

// fvisKind is the kind of images that are made from a network, not generated.
const fvisKind = "fvis"

// fvisFlags are those of that kind.
type fvisFlags struct {
	Weights string   `group:"Feature visualisations" placeholder:"FILE" help:"Network to visualise: checkpoint or weights (.safetensors, .npz)." yaml:"weights,omitempty"`
	Model   string   `group:"Feature visualisations" placeholder:"SPEC" help:"Network of FILE, where the file does not say it (see augmix list models)." yaml:"model,omitempty"`
	Norm    string   `group:"Feature visualisations" placeholder:"NORM" help:"Normalisation, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B." yaml:"norm,omitempty"`
	Layer   []string `group:"Feature visualisations" placeholder:"NAME" help:"Layers to choose from, by the names of their weights; a wrong one lists them all (early and middle ones)." yaml:"layer,omitempty"`
	Steps   int      `group:"Feature visualisations" placeholder:"N" help:"Steps of the ascent (48)." yaml:"steps,omitempty"`
}

func (f *fvisFlags) given() bool {
	return f.Weights != "" || f.Model != "" || f.Norm != "" || len(f.Layer) > 0 || f.Steps != 0
}

// source loads the network and returns its images, and what they depend on beside the flags.
func (f *fvisFlags) source(ctx context.Context, n, side int, seed uint64, jobs int) (*fvisSource, []generate.Option, error) {
	switch {
	case f.Weights == "":
		return nil, nil, usagef("mixset fvis needs --weights FILE, the network to visualise")
	case n < 1 || n > mixset.MaxCount:
		return nil, nil, usagef("%d images (allowed: 1 to %d)", n, mixset.MaxCount)
	case f.Steps < 0:
		return nil, nil, usagef("--steps %d (allowed: 1 to %d)", f.Steps, fvis.MaxSteps)
	}
	norm, err := parseNorm(f.Norm)
	if err != nil {
		return nil, nil, err
	}
	sum, err := hashFile(f.Weights)
	if err != nil {
		return nil, nil, err
	}
	loaded, err := eval.LoadNetwork(f.Weights, eval.LoadOptions{Model: f.Model, Norm: norm})
	if errors.Is(err, eval.ErrModel) || errors.Is(err, models.ErrSpec) {
		return nil, nil, usageError{unsaid(err)}
	}
	if err != nil {
		return nil, nil, err
	}
	net, err := netOf(loaded)
	if err != nil {
		return nil, nil, err
	}
	_, _, values := loaded.Input()
	painter, err := fvis.New(net, fvis.Options{
		Layers: f.Layer, Side: side, Seed: seed, Steps: f.Steps, Mean: values.Mean, Std: values.Std, Workers: jobs,
	})
	if errors.Is(err, fvis.ErrLayer) || errors.Is(err, fvis.ErrOption) || errors.Is(err, graph.ErrGraph) {
		return nil, nil, usageError{fmt.Errorf("%s: %w", f.Weights, err)}
	}
	if err != nil {
		return nil, nil, err
	}
	s := &fvisSource{ctx: ctx, painter: painter, n: n, side: side, blocks: map[int]*fvisBlock{}}
	return s, []generate.Option{{Name: "weights-sha256", Value: sum}}, nil
}

// netOf makes a net with the weights of a loaded network.
func netOf(loaded *eval.Network) (*nn.Net, error) {
	net, err := nn.New(loaded.Graph, nn.Options{})
	if err != nil {
		return nil, err
	}
	var dst []weights.Tensor
	for _, t := range net.Tensors() {
		dst = append(dst, weights.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
	}
	return net, weights.Fill(dst, loaded.Weights())
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot open the network: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("cannot read the network: %w", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// fvisSource is a data set of feature visualisations. They are made in blocks; Read makes the block that its image is
// in, and readers of the same block wait for it.
type fvisSource struct {
	ctx     context.Context
	n, side int
	next    int

	mu      sync.Mutex
	painter *fvis.Painter
	blocks  map[int]*fvisBlock
	used    int // counts reads, for the age of blocks
}

type fvisBlock struct {
	images []*raster.Image
	last   int // the read that last used it
}

// keptBlocks is more than readers that go on in order look at.
const keptBlocks = 4

var _ data.Indexed = (*fvisSource)(nil)

// Info returns the name of the kind as the format.
func (s *fvisSource) Info() data.Info { return data.Info{Format: fvisKind, Len: s.n} }

// Len returns the number of images.
func (s *fvisSource) Len() int { return s.n }

// Next reads the next sample.
func (s *fvisSource) Next(dst *data.Sample) error {
	if s.next >= s.n {
		return io.EOF
	}
	s.next++
	return s.Read(s.next-1, dst)
}

// Read makes image i.
func (s *fvisSource) Read(i int, dst *data.Sample) error {
	m, err := s.image(i)
	if err != nil {
		return err
	}
	dst.Key, dst.Index, dst.Label = fmt.Sprintf("%06d", i), i, data.NoLabel
	dst.Name = fmt.Sprintf("image %d of %s", i, fvisKind)
	dst.Form, dst.W, dst.H = data.RGB, s.side, s.side
	dst.Data = m.AppendRGB(dst.Data[:0])
	return nil
}

func (s *fvisSource) image(i int) (*raster.Image, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := s.painter.BlockSize()
	b := s.blocks[i/size]
	if b == nil {
		b = &fvisBlock{}
		if len(s.blocks) >= keptBlocks { // the images of the oldest may still be read: it is left to them
			oldest := -1
			for k, old := range s.blocks {
				if oldest < 0 || old.last < s.blocks[oldest].last {
					oldest = k
				}
			}
			delete(s.blocks, oldest)
		}
		for range size {
			b.images = append(b.images, new(raster.Image))
		}
		if _, err := s.painter.Block(s.ctx, b.images, i/size); err != nil {
			return nil, err
		}
		s.blocks[i/size] = b
	}
	s.used++
	b.last = s.used
	return b.images[i%size], nil
}

// Close does nothing.
func (s *fvisSource) Close() error { return nil }
