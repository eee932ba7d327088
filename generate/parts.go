package generate

import (
	"context"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// PartSink takes all that was made of one sample at once. It keeps the promises of data.Sink about names, checkpoints,
// Close and Abort.
type PartSink interface {
	// AppendPart appends the image m as the sink keeps it to dst. It is safe for concurrent use and, where it can be,
	// all the work there is in an image, so that workers share it.
	AppendPart(dst []byte, m *raster.Image) ([]byte, error)
	// PutParts takes the parts of one sample, both valid during the call only; of s it uses Key, Label and Ext. As with
	// data.Sink, an error that is a *data.SampleError rejects the sample alone.
	PutParts(s *data.Sample, parts []transform.Part) error
	Checkpoint() (state []byte, err error)
	Close() error
	Abort() error
}

// Variants is the task of making many data sets at once: all corrupted or perturbed forms of a data set, each sample of
// which is read and decoded once.
type Variants struct {
	// Open opens the sink, anew when state is nil, otherwise where the Checkpoint that returned state left it. As in [Images] it does not
	// find an empty folder.
	Open func(state []byte) (PartSink, error)
	// Transform returns what makes the images, for one worker.
	Transform func() transform.MultiTransform

	bench *Benchmark // that it is of, nil for none
}

func (t Variants) open(_ Output, state []byte) (sink, error) {
	s, err := t.Open(state)
	if err != nil {
		return nil, err
	}
	return partSink{s}, nil
}

func (t Variants) worker() worker { return &variantWorker{transform: t.Transform()} }

func (t Variants) images() int { return 0 }

// partSink is a PartSink as the sink of a run.
type partSink struct{ PartSink }

func (s partSink) encoder() encoder { return s.AppendPart }

func (s partSink) finished() []data.FileSum { return finished(s.PartSink) }

func (s partSink) put(c *cell) (int, error) {
	parts := c.parts.All()
	if _, ok := s.PartSink.(holdsChannels); !ok && c.sample.Form == data.Channels {
		return 0, fmt.Errorf("%w: %s: %d channels that are images of their own (allowed: arrays)", ErrOption, c.sample.Name, c.sample.C)
	}
	if err := s.PutParts(&c.sample, parts); err != nil {
		return 0, fmt.Errorf("writing what was made of %s: %w", c.sample.Name, err)
	}
	return len(parts), nil
}

// variantWorker is the worker of Variants.
type variantWorker struct {
	transform transform.MultiTransform
	decoder   data.Decoder
	src, gray raster.Image
	alpha     alpha
	channels  channelWorker
}

func (w *variantWorker) make(ctx context.Context, c *cell, key rng.Key, encode encoder) error {
	defer w.decoder.Release(&w.src)
	if c.sample.Form == data.Channels {
		return w.makeChannels(ctx, c, key)
	}
	if err := w.alpha.read(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	c.parts.Reset(inGray(w.alpha.with(encode), &c.sample, &w.gray))
	if err := transform.SetKey(w.transform, c.sample.Key); err != nil {
		return err
	}
	return w.transform.Apply(&c.parts, &w.src, key)
}

// groups returns the names of the variants in order without repetition, and for each variant the number of its name and
// its place among those of that name. Variants of one name follow each other, and those of every name have the same severities: the
// rows of all arrays and their labels are then the same samples.
func groups(variants []transform.Variant) (names []string, group, place []int, err error) {
	first := 0 // of the name at hand
	for i, v := range variants {
		if i == 0 || v.Name != variants[first].Name {
			if slices.Contains(names, v.Name) {
				return nil, nil, nil, fmt.Errorf("%w: arrays whose variants of %s do not follow each other (allowed: those that do)", ErrOption, v.Name)
			}
			names, first = append(names, v.Name), i
		}
		group, place = append(group, len(names)-1), append(place, i-first)
	}
	return names, group, place, checkSeverities(names, variants)
}

// checkSeverities returns an error unless the variants, those of a name together, have the severities of the first name's.
func checkSeverities(names []string, variants []transform.Variant) error {
	of := map[string][]float64{}
	for _, v := range variants {
		of[v.Name] = append(of[v.Name], v.Severity)
	}
	for _, name := range names {
		if have, first := of[name], of[names[0]]; !slices.Equal(have, first) {
			return fmt.Errorf("%w: arrays of %s at severities %s and of %s at %s (allowed: the same severities of all)", ErrOption,
				names[0], transform.FormatSeverities(first), name, transform.FormatSeverities(have))
		}
	}
	return nil
}
