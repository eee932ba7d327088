package generate

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// channelWorker makes the forms of the channels of samples, each a gray image of its own.
type channelWorker struct {
	one    data.Sample
	parts  transform.Parts // of one channel
	luma   raster.Image
	merged [][]byte
}

// holdsChannels marks the sinks that keep as many channels as there are.
type holdsChannels interface{ holdsChannels() }

func (s *arraySink) holdsChannels() {}

// makeChannels is make of a sample of the form data.Channels: a part has all channels of a pixel in a row.
func (w *variantWorker) makeChannels(ctx context.Context, c *cell, key rng.Key) error {
	t, ok := w.transform.(transform.Channeled)
	if !ok {
		return fmt.Errorf("%w: %T does not make channels one by one", ErrOption, w.transform)
	}
	s, k := &c.sample, &w.channels
	defer t.Channel(0)
	for i := range s.C {
		s.Channel(i, &k.one)
		if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &k.one, nil, key); err != nil {
			return err
		}
		k.parts.Reset(inGray(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendPixels(dst), nil }, &k.one, &k.luma))
		if err := transform.SetKey(t, s.Key); err != nil {
			return err
		}
		t.Channel(i)
		if err := t.Apply(&k.parts, &w.src, key); err != nil {
			return err
		}
		k.merge(i, s.C)
	}
	c.parts.Reset(nil)
	for p, one := range k.parts.All() {
		c.parts.AddFile(one.Variant, one.Frame, one.W, one.H, k.merged[p])
	}
	return nil
}

// makeChannels is make of a sample of the form data.Channels: every channel by the same draws, then all channels of a pixel in a row.
func (w *imageWorker) makeChannels(ctx context.Context, c *cell, key rng.Key) error {
	n := c.sample.C
	for i := range n {
		c.sample.Channel(i, &w.channel)
		if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &w.channel, w.transform, key); err != nil {
			return err
		}
		if err := w.transform.Apply(c.views, &w.src, key); err != nil {
			return err
		}
		for v, m := range c.views {
			m.SetLuma(m)
			w.plane = m.AppendPixels(w.plane[:0])
			m.Gray = false
			if i == 0 {
				c.files[v] = append(c.files[v][:0], make([]byte, n*len(w.plane))...)
			}
			interleave(c.files[v], w.plane, i, n)
		}
	}
	return nil
}

// interleave lays a channel, of n, among the others.
func interleave(dst, plane []byte, channel, n int) {
	for j, v := range plane {
		dst[j*n+channel] = v
	}
}

// merge lays the parts of channel i among those of n.
func (k *channelWorker) merge(i, n int) {
	for p, one := range k.parts.All() {
		if p == len(k.merged) {
			k.merged = append(k.merged, nil)
		}
		if i == 0 {
			k.merged[p] = append(k.merged[p][:0], make([]byte, n*len(one.Data))...)
		}
		interleave(k.merged[p], one.Data, i, n)
	}
}
