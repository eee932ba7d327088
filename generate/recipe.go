package generate

import (
	"fmt"
	"image"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Recipe says how training images are made of a data set's: resize, crop, flip, then single operations, then a mix.
//
// With one view, the output of a sample is one mixed image. With V > 1 views, as the consistency loss of AugMix needs
// them (section 3 of the paper: the clean image and two mixtures), view 0 is the image after crop and flip alone, and
// views 1 to V-1 are independent mixtures of that same crop and flip; their keys end in -v0, -v1, ... The one image of
// a single view is the same as view 1 of several.
//
// Streams: the sample's key narrowed by "augment" and the epoch is the root; the crop and the flip draw from it narrowed
// by "geometry", view v from it narrowed by the number v.
type Recipe struct {
	Size   int            // resize the shorter side to this many pixels first; 0 keeps the size
	Filter augment.Filter // of the resizes; torchvision's default is augment.Bilinear, the zero value is augment.Box
	Crop   Crop           // then cut
	Flip   bool           // then mirror with probability one half
	Ops    []OpSpec
	Mix    *mix.Method // nil: none
	Views  int         // 0 means 1
	Epoch  int         // another epoch gives other draws
	Fill   raster.RGB  // colour of what the operations move into the image

	// Source is where a Mix of two images (see [mix.Method.NeedsPartner]) finds partners: the data set itself. Such a Mix
	// needs a job with Soft set; a partner is any sample, each as likely, the sample itself among them, prepared by
	// draws of its own.
	Source data.Indexed
}

// Suffixes returns the key suffixes of the views, for Job.Views.
func (r *Recipe) Suffixes() []string {
	if r.Views <= 1 {
		return nil
	}
	s := make([]string, r.Views)
	for v := range s {
		s[v] = "-v" + strconv.Itoa(v)
	}
	return s
}

// Maker returns a Maker of the recipe for one worker. The Recipe must not change while it is used. Where a random resized
// crop comes first, the Maker is a [Cutter].
func (r *Recipe) Maker() Maker {
	m := newRecipeMaker(r)
	if r.Size == 0 && r.Crop.Kind == ResizedCrop {
		return &cuttingMaker{recipeMaker: m}
	}
	return m
}

func newRecipeMaker(r *Recipe) *recipeMaker {
	m := &recipeMaker{recipe: r}
	if r.Mix != nil {
		m.mix, _ = r.Mix.Augmentation() // without one, Make refuses
	}
	return m
}

// cuttingMaker is a recipeMaker that says in advance what its crop keeps.
type cuttingMaker struct{ *recipeMaker }

// Cut implements [Cutter]: it draws the box of the crop from the stream from which Make draws it again.
func (m *cuttingMaker) Cut(w, h int, key rng.Key) image.Rectangle {
	r := m.root(key).Str("geometry").Rand()
	m.cut, m.cutFor = [2]int{w, h}, key
	return resizedBox(w, h, &r)
}

func resizedBox(w, h int, r *rng.Rand) image.Rectangle {
	return augment.RandomResizedBox(w, h, 0.08, 1, 3.0/4, 4.0/3, r)
}

type recipeMaker struct {
	recipe  *Recipe
	buf     [2]raster.Image
	resizer augment.Resizer
	scratch mix.Scratch
	cut     [2]int // size of the image of which src is the crop's box, if cutFor is the sample's key; 0 if it is whole
	cutFor  rng.Key
	rand    rng.Rand // here because one on the stack would escape through the interface
	sample  mix.Sample
	mix     mix.Augmentation // nil: there is no mix, or it makes one image of two
}

// Make implements [Maker].
func (m *recipeMaker) Make(dst []*raster.Image, src *raster.Image, key rng.Key) error {
	if m.recipe.Mix != nil && m.mix == nil {
		return fmt.Errorf("%w: %s mixes labels too, which only a job with soft labels writes", ErrOption, m.recipe.Mix)
	}
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
		dst = dst[1:]
	}
	for i, d := range dst {
		m.view(d, clean, root.Uint(uint64(1+i)))
	}
	return nil
}

func (m *recipeMaker) root(key rng.Key) rng.Key {
	return key.Str("augment").Uint(uint64(m.recipe.Epoch))
}

// geometry resizes, crops and flips. The result is src itself or one of the buffers.
func (m *recipeMaker) geometry(src *raster.Image, root rng.Key) (*raster.Image, error) {
	r := root.Str("geometry").Rand()
	rec, cur := m.recipe, src
	if rec.Size > 0 {
		w, h := augment.ShorterSide(cur.W, cur.H, rec.Size)
		if err := raster.CheckSize(w, h); err != nil {
			return nil, fmt.Errorf("resizing %dx%d to a shorter side of %d: %w", cur.W, cur.H, rec.Size, err)
		}
		if w != cur.W || h != cur.H {
			dst := m.other(cur)
			m.resizer.Resize(dst, cur, w, h, rec.Filter)
			cur = dst
		}
	}
	if rec.Crop.Kind != NoCrop {
		dst := m.other(cur)
		m.crop(dst, cur, &r)
		cur = dst
	}
	if rec.Flip && r.Bool() {
		dst := m.other(cur)
		augment.FlipH(dst, cur)
		cur = dst
	}
	return cur, nil
}

func (m *recipeMaker) crop(dst, src *raster.Image, r *rng.Rand) {
	c := m.recipe.Crop
	switch c.Kind {
	case CenterCrop:
		augment.CenterCrop(dst, src, c.N, c.N, raster.RGB{})
	case RandomCrop:
		augment.RandomPadCrop(dst, src, c.Pad, c.N, c.N, raster.RGB{}, r)
	case ResizedCrop:
		if m.cut[0] > 0 { // src is the box already; what follows must find the stream where the box leaves it
			resizedBox(m.cut[0], m.cut[1], r)
			m.cut = [2]int{}
			m.resizer.Resize(dst, src, c.N, c.N, m.recipe.Filter)
			return
		}
		m.resizer.ResizeBox(dst, src, resizedBox(src.W, src.H, r), c.N, c.N, m.recipe.Filter)
	}
}

// other returns a buffer that is not cur.
func (m *recipeMaker) other(cur *raster.Image) *raster.Image {
	if cur == &m.buf[0] {
		return &m.buf[1]
	}
	return &m.buf[0]
}

// view applies the operations, then the mix. clean stays as it is: the other views start from it.
func (m *recipeMaker) view(dst, clean *raster.Image, key rng.Key) {
	m.rand.Seed(key)
	cur := m.operate(dst, clean, &m.rand)
	if m.mix != nil {
		if cur == dst {
			spare := m.other(clean)
			spare.CopyFrom(cur)
			cur = spare
		}
		m.mix.Apply(dst, cur, &m.rand, &m.scratch)
		return
	}
	if cur != dst {
		dst.CopyFrom(cur)
	}
}

// operate applies the operations to clean, which stays as it is. The result is clean itself, dst, or a buffer.
func (m *recipeMaker) operate(dst, clean *raster.Image, r *rng.Rand) *raster.Image {
	cur, spare := clean, m.other(clean)
	for _, o := range m.recipe.Ops {
		v := o.Value
		if o.ByLevel {
			v = o.Op.Value(o.Level, cur.W, cur.H, o.Op.Signed && r.Bool())
		}
		next := dst
		if cur == dst {
			next = spare
		}
		o.Op.Apply(next, cur, v, m.recipe.Fill)
		cur = next
	}
	return cur
}
