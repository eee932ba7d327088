package train

import (
	"context"

	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// validator measures a network on a data set.
type validator struct {
	set      *dataset.Set
	data     string // fingerprint of the set, as data.Signature.Samples
	content  string // and of its bytes, as data.Signature.Content; empty for a part of the training set
	geometry *transform.Pipeline
	pre      preprocess.Method
	norm     *mix.Normalization
	classes  int
	w, h     int
	workers  int

	fetchers []*dataset.Fetcher
	images   []*raster.Image
	labels   []int
	keys     []rng.Key
	planes   []float32
	mixing   mix.Batch
}

// len returns the number of samples; 0 without a validation.
func (v *validator) len() int {
	if v == nil {
		return 0
	}
	return v.set.Len()
}

// score is what a validation found.
type score struct {
	error float64 // fraction of samples
	loss  float64 // mean negative log-likelihood
}

// run sends the whole data set through the network, in batches of the given size. Between two of them it looks whether ctx was
// canceled, and returns the cause.
func (v *validator) run(ctx context.Context, net *nn.Net, size int) (*score, error) {
	if v.fetchers == nil {
		for range v.workers {
			v.fetchers = append(v.fetchers, v.set.Fetcher(v.geometry, v.pre))
		}
		v.mixing.Workers = v.workers
		for range size {
			v.images = append(v.images, new(raster.Image))
		}
		v.labels, v.keys, v.planes = make([]int, size), make([]rng.Key, size), make([]float32, size*3*v.w*v.h)
	}
	var all metrics.Classification
	for at := 0; at < v.set.Len(); at += size {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n := min(size, v.set.Len()-at)
		if err := v.read(at, n); err != nil {
			return nil, err
		}
		logits := net.Forward(v.planes[:n*3*v.w*v.h], n, nn.Mode{})
		if err := metrics.AddRows(&all, at, logits[:n*v.classes], v.labels[:n]); err != nil {
			return nil, err
		}
	}
	share, err := all.Error()
	if err != nil {
		return nil, err
	}
	loss, err := all.NLL()
	return &score{share, loss}, err
}

// read makes the planes of n samples.
func (v *validator) read(at, n int) error {
	err := parallel.Try(n, v.workers, func(worker, i int) error {
		s, err := v.fetchers[worker].Fetch(v.images[i], at+i, v.classes, rng.Key{})
		if m := v.images[i]; err == nil && (m.W != v.w || m.H != v.h) {
			err = sizeError(&s, m.W, m.H, v.w, v.h)
		}
		v.labels[i] = s.Label
		return err
	})
	if err != nil {
		return err
	}
	v.mixing.ApplyPlanes(mix.None{}, v.planes[:n*3*v.w*v.h], v.images[:n], v.norm, v.keys[:n])
	return nil
}
