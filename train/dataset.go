package train

import (
	"context"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// dataset is a data set whose samples can be had in any order: decoded in memory where they fit, read and decoded anew
// otherwise.
type dataset struct {
	info    data.Info
	n       int
	samples []held       // in memory; nil if they are not
	source  data.Indexed // where they are not
	// samplesSum is the fingerprint of a set in memory, as data.Signature.Samples, and contentSum that of its bytes too; of a
	// set that is not, contentSum is data.Glance's of its files.
	samplesSum, contentSum string
}

// held is a decoded sample.
type held struct {
	name  string
	key   string
	label int
	image raster.Image
}

// loadBatch is how many samples are read before they are decoded in parallel.
const loadBatch = 512

// load reads a data set. Up to limit bytes of decoded images are kept in memory. A larger set must be indexed: it is
// read as it is needed, and src must stay open.
func load(ctx context.Context, src data.Source, limit int64, workers int) (*dataset, error) {
	d := &dataset{info: src.Info()}
	indexed, _ := src.(data.Indexed)
	var total int64
	raw := make([]data.Sample, loadBatch)
	signer := data.NewSigner(d.info.Classes)
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n, end := 0, false
		for n < loadBatch && !end {
			switch err := src.Next(&raw[n]); {
			case err == io.EOF:
				end = true
			case err != nil:
				return nil, err
			default:
				signer.Add(&raw[n])
				n++
			}
		}
		batch := make([]held, n)
		err := parallel.Try(n, workers, func(_, i int) error {
			s := &raw[i]
			h := &batch[i]
			h.name, h.key, h.label = s.Name, s.Key, s.Label
			return s.Decode(&h.image)
		})
		if err != nil {
			return nil, err
		}
		for i := range batch {
			total += int64(len(batch[i].image.Pix))
		}
		if total > limit {
			if indexed == nil {
				return nil, fmt.Errorf("%w: a data set of format %s can only be read from front to end, and its images need "+
					"more than the %d MB of memory; allow more, or convert it to files or shards", data.ErrUnsupported,
					d.info.Format, limit>>20)
			}
			content, err := data.Glance(src)
			return &dataset{info: d.info, n: indexed.Len(), source: indexed, contentSum: content}, err
		}
		d.samples = append(d.samples, batch...)
		if end {
			break
		}
	}
	if d.n = len(d.samples); d.n == 0 {
		return nil, fmt.Errorf("%w: a data set without samples", data.ErrFormat)
	}
	sum := signer.Sum()
	d.samplesSum, d.contentSum = sum.Samples, sum.Content
	return d, nil
}

// fetcher gets samples of a data set, resized, cropped and flipped, for one goroutine.
type fetcher struct {
	set       *dataset
	transform transform.Transform
	sample    data.Sample
	image     raster.Image
	one       [1]*raster.Image

	unlabeled bool              // labels are not looked at
	pre       preprocess.Method // nil: none
	cut       raster.Image      // what it is given
	scratch   preprocess.Scratch
}

func (d *dataset) fetcher(g *transform.Pipeline, pre preprocess.Method) *fetcher {
	return &fetcher{set: d, transform: g.Transform(), pre: pre}
}

// fetch writes the cropped and preprocessed image i to dst and returns its label and its key, [transform.SampleKey].
func (f *fetcher) fetch(dst *raster.Image, i, classes int, seed rng.Key) (label int, key rng.Key, err error) {
	src := &f.image
	var name string
	if f.set.samples != nil {
		h := &f.set.samples[i]
		src, name, label, key = &h.image, h.name, h.label, transform.SampleKey(seed, h.key)
	} else {
		if err := f.set.source.Read(i, &f.sample); err != nil {
			return 0, key, err
		}
		name, label, key = f.sample.Name, f.sample.Label, transform.SampleKey(seed, f.sample.Key)
		if err := transform.Decode(src, &f.sample, f.transform, key); err != nil {
			return 0, key, err
		}
	}
	if !f.unlabeled && (label < 0 || label >= classes) {
		return 0, key, fmt.Errorf("%w: %s has label %d (allowed: 0 to %d)", data.ErrLabel, name, label, classes-1)
	}
	f.one[0] = dst
	if f.pre != nil {
		f.one[0] = &f.cut
	}
	if err := f.transform.Apply(f.one[:], src, key); err != nil {
		return 0, key, fmt.Errorf("%s: %w", name, err)
	}
	if f.pre != nil {
		f.pre.Apply(dst, &f.cut, &f.scratch)
	}
	return label, key, nil
}

// classes returns the number of classes: by the names, else one more than the largest label of a set in memory.
func (d *dataset) classes() (int, error) {
	if n := len(d.info.Classes); n > 0 {
		return n, nil
	}
	most := -1
	for i := range d.samples {
		most = max(most, d.samples[i].label)
	}
	if most < 1 {
		return 0, fmt.Errorf("%w: the data set has no class names, and no labels in memory to count", data.ErrLabel)
	}
	return most + 1, nil
}

// sign returns the fingerprint of the set, as data.Signature.Samples. A set that is not in memory is read for it.
func (d *dataset) sign(ctx context.Context) (string, error) {
	if d.samplesSum != "" {
		return d.samplesSum, nil
	}
	s := data.NewSigner(d.info.Classes)
	if err := d.each(ctx, func(_ int, m *data.Sample) { s.Add(m) }); err != nil {
		return "", err
	}
	return s.Sum().Samples, nil
}
