package generate

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// mostPartners is the number of samples that are tried for a partner before a sample is refused for want of one.
const mostPartners = 16

// partners fetches the second image of methods that make one of two, from anywhere in the data set, prepared as the
// first is: resized, cropped and flipped by draws of its own, then operated on.
type partners struct {
	source data.Indexed
	maker  *recipeMaker // its own buffers
	sample data.Sample
	image  raster.Image
	rand   rng.Rand
}

// fetch implements the Partner of mix.Sample. Samples that cannot be read are passed over.
func (p *partners) fetch(dst *raster.Image, key rng.Key) (label int, err error) {
	n := p.source.Len()
	if n == 0 {
		return 0, fmt.Errorf("%w: no partner in an empty data set", data.ErrFormat)
	}
	which := key.Str("which").Rand()
	for range mostPartners {
		err = p.source.Read(which.IntN(n), &p.sample)
		if err == nil {
			err = p.sample.Decode(&p.image)
		} else if bad := (*data.SampleError)(nil); !errors.As(err, &bad) {
			return 0, err
		}
		if err != nil {
			continue
		}
		clean, err := p.maker.geometry(&p.image, key)
		if err != nil {
			return 0, err
		}
		p.rand.Seed(key.Str("ops"))
		dst.CopyFrom(p.maker.operate(dst, clean, &p.rand))
		return p.sample.Label, nil
	}
	return 0, fmt.Errorf("no partner: %d samples in a row cannot be read, the last: %w", mostPartners, err)
}

// MakeSoft implements [SoftMaker]. Without a method of two images the targets are the label itself.
func (m *recipeMaker) MakeSoft(
	dst []*raster.Image, targets []mix.Target, src *raster.Image, label int, key rng.Key,
) error {
	if m.cutFor != key { // Cut was for a sample that could not be decoded
		m.cut = [2]int{}
	}
	root := m.root(key)
	clean, err := m.geometry(src, root)
	if err != nil {
		return err
	}
	if len(dst) > 1 {
		dst[0].CopyFrom(clean)
		targets[0] = targets[0].Hard(label)
		dst, targets = dst[1:], targets[1:]
	}
	for i, d := range dst {
		if targets[i], err = m.softView(d, targets[i], clean, label, root.Uint(uint64(1+i))); err != nil {
			return err
		}
	}
	return nil
}

// softView is view with soft labels: the result reuses t.
func (m *recipeMaker) softView(
	dst *raster.Image, t mix.Target, clean *raster.Image, label int, key rng.Key,
) (mix.Target, error) {
	m.rand.Seed(key)
	cur := m.operate(dst, clean, &m.rand)
	if cur == dst {
		spare := m.other(clean)
		spare.CopyFrom(cur)
		cur = spare
	}
	m.sample.Image, m.sample.Label, m.sample.Key = cur, label, key.Str("mix")
	if m.recipe.Source != nil && m.sample.Partner == nil {
		p := &partners{source: m.recipe.Source, maker: newRecipeMaker(m.recipe)}
		m.sample.Partner = p.fetch
	}
	method := m.recipe.Mix
	if method == nil {
		method = new(mix.Method)
	}
	return method.Apply(dst, &m.sample, t, &m.scratch)
}
