package transform

import (
	"fmt"
	"image"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Pipeline says how training images are made of a data set's: resize, crop, flip, then single operations, then a mix.
// The zero Pipeline copies the image.
//
// With one view, the output of a sample is one mixed image. With V > 1 views, as the consistency loss of AugMix needs
// them (section 3 of the paper: the clean image and two mixtures), view 0 is the image after crop and flip alone, and
// views 1 to V-1 are independent mixtures of that same crop and flip. The one image of a single view is the same as view
// 1 of several. Draws come from the streams of [EpochKey] and [ViewKey].
type Pipeline struct {
	Size   int            // resize the shorter side to this many pixels first; 0 keeps the size
	Filter augment.Filter // of the resizes; torchvision's default is augment.Bilinear, the zero value is augment.Box
	Crop   Crop           // then crop
	Flip   bool           // then flip horizontally with probability one half
	Ops    []OpSpec
	Mix    *mix.Method // nil: none
	Views  int         // 0 means 1
	Epoch  int         // another epoch gives other draws
	Fill   raster.RGB  // color of what the operations move into the image

	// Source is where a Mix of two images (see [mix.Method.NeedsPartner]) finds partners: the data set itself. Such a Mix is for
	// SoftTransform alone; a partner is any sample, each as likely, the sample itself among them, prepared by draws of its
	// own.
	Source data.Indexed

	// Shared is the severity of one affine that an image has in common with its boxes and masks, see [Pipeline.Affine]: 0 for none, else
	// 0.1 to 10. It comes before the operations, and is not for a Size or a Crop.
	Shared float64
}

// Affine draws the affine of Shared for a sample of w by h pixels: AugMix's rotation, shears and translations one after the other, each
// at a level uniform between 0.1 and the severity, as in AugMix, and of either sign. It draws from the stream of [EpochKey] narrowed by
// "affine". It is the identity where Shared is 0. seed is that of the run, key the sample's in its data set.
func (p *Pipeline) Affine(seed uint64, key string, w, h int) augment.Matrix {
	return p.affine(EpochKey(SampleKey(rng.NewKey(seed), key), p.Epoch), w, h)
}

func (p *Pipeline) affine(epoch rng.Key, w, h int) augment.Matrix {
	m := augment.Matrix{A: 1, E: 1}
	if p.Shared == 0 {
		return m
	}
	r := epoch.Str("affine").Rand()
	for _, op := range movingOps {
		level := r.Uniform(0.1, p.Shared)
		m = m.Then(op.Matrix(op.Value(level, w, h, r.Bool()), w, h))
	}
	return m
}

// movingOps are AugMix's operations that move pixels.
var movingOps = slices.DeleteFunc(augment.AugMixOps(false), func(o *augment.Op) bool { return !o.Moves })

// Prepared returns the Pipeline that comes before a corruption, a perturbation or a model: resize the shorter side to
// size pixels, then crop the middle of that side; 0 leaves out either.
func Prepared(size int, filter augment.Filter, crop int) *Pipeline {
	p := &Pipeline{Size: size, Filter: filter}
	if crop > 0 {
		p.Crop = Crop{Kind: CenterCrop, N: crop}
	}
	return p
}

// OutputSize returns the size of what is made of an image of w by h pixels.
func (p *Pipeline) OutputSize(w, h int) (int, int) {
	switch {
	case p.Crop.Kind != NoCrop:
		return p.Crop.N, p.Crop.N
	case p.Size > 0:
		return augment.ShorterSide(w, h, p.Size)
	}
	return w, h
}

// Suffixes returns what the keys of the views end in, -v0, -v1 and so on; nil, which is no ending, for one view.
func (p *Pipeline) Suffixes() []string {
	if p.Views <= 1 {
		return nil
	}
	s := make([]string, p.Views)
	for v := range s {
		s[v] = "-v" + strconv.Itoa(v)
	}
	return s
}

// Transform returns the pipeline made ready for one goroutine. The Pipeline must not change while it is used. Where a
// random resized crop comes first, the result is a [PartialDecoder]. Its Apply returns an error that wraps [ErrOption]
// where Mix needs a partner, and [raster.ErrSize] where a resize would make too large an image.
func (p *Pipeline) Transform() Transform { return p.SoftTransform() }

// SoftTransform is Transform where labels are mixed as well. Without a Mix that mixes them, the soft label of an image is
// the sample's label.
func (p *Pipeline) SoftTransform() SoftTransform {
	a := newApplier(p)
	if p.Size == 0 && p.Crop.Kind == ResizedCrop {
		return &partialApplier{applier: a}
	}
	return a
}

func newApplier(p *Pipeline) *applier {
	a := &applier{pipeline: p}
	if p.Mix != nil {
		a.mix, _ = p.Mix.Augmentation() // without one, Apply returns an error
	}
	return a
}

// partialApplier is an applier that says in advance what its crop keeps.
type partialApplier struct{ *applier }

// Part implements [PartialDecoder]: it draws the box of the crop from the stream from which Apply draws it again.
func (a *partialApplier) Part(w, h int, key rng.Key) image.Rectangle {
	r := geometryKey(EpochKey(key, a.pipeline.Epoch)).Rand()
	a.whole, a.wholeFor = [2]int{w, h}, key
	return resizedBox(w, h, &r)
}

func resizedBox(w, h int, r *rng.Rand) image.Rectangle {
	return augment.RandomResizedBox(w, h, 0.08, 1, 3.0/4, 4.0/3, r)
}

// applier is a Pipeline with the memory of one goroutine.
type applier struct {
	pipeline *Pipeline
	buf      [2]raster.Image
	resizer  augment.Resizer
	scratch  mix.Scratch
	whole    [2]int // size of the image of which src is the crop's box, if wholeFor is the sample's key; else 0
	wholeFor rng.Key
	rand     rng.Rand // here because one on the stack would escape through the interface
	sample   mix.Sample
	mix      mix.Augmentation // nil: there is no mix, or it needs a partner
}

// Apply implements [Transform].
func (a *applier) Apply(dst []*raster.Image, src *raster.Image, key rng.Key) error {
	if a.pipeline.Mix != nil && a.mix == nil {
		return fmt.Errorf("%w: %s mixes labels too, which only a soft transform does", ErrOption, a.pipeline.Mix)
	}
	if a.wholeFor != key { // Part was called for a sample that could not be decoded
		a.whole = [2]int{}
	}
	epoch := EpochKey(key, a.pipeline.Epoch)
	clean, err := a.geometry(src, epoch, a.pipeline.Fill)
	if err != nil {
		return err
	}
	if len(dst) > 1 {
		dst[0].CopyFrom(clean)
		dst = dst[1:]
	}
	for i, d := range dst {
		a.view(d, clean, ViewKey(epoch, 1+i))
	}
	return nil
}

// geometry resizes, crops and flips; fill is the color of what an affine moves into the image. The result is src itself or one of the
// buffers.
func (a *applier) geometry(src *raster.Image, epoch rng.Key, fill raster.RGB) (*raster.Image, error) {
	r := geometryKey(epoch).Rand()
	p, cur := a.pipeline, src
	if p.Size > 0 {
		w, h := augment.ShorterSide(cur.W, cur.H, p.Size)
		if err := raster.CheckSize(w, h); err != nil {
			return nil, fmt.Errorf("resizing %dx%d to a shorter side of %d: %w", cur.W, cur.H, p.Size, err)
		}
		if w != cur.W || h != cur.H {
			dst := a.other(cur)
			a.resizer.Resize(dst, cur, w, h, p.Filter)
			cur = dst
		}
	}
	if p.Crop.Kind != NoCrop {
		dst := a.other(cur)
		a.crop(dst, cur, &r)
		cur = dst
	}
	if p.Flip && r.Bool() {
		dst := a.other(cur)
		augment.FlipH(dst, cur)
		cur = dst
	}
	if p.Shared > 0 {
		dst := a.other(cur)
		augment.Affine(dst, cur, p.affine(epoch, cur.W, cur.H), fill)
		cur = dst
	}
	return cur, nil
}

func (a *applier) crop(dst, src *raster.Image, r *rng.Rand) {
	c := a.pipeline.Crop
	switch c.Kind {
	case CenterCrop:
		augment.CenterCrop(dst, src, c.N, c.N, raster.RGB{})
	case RandomCrop:
		augment.RandomPadCrop(dst, src, c.Pad, c.N, c.N, raster.RGB{}, r)
	case ResizedCrop:
		if a.whole[0] > 0 { // src is the box already; what follows must find the stream where the box leaves it
			resizedBox(a.whole[0], a.whole[1], r)
			a.whole = [2]int{}
			a.resizer.Resize(dst, src, c.N, c.N, a.pipeline.Filter)
			return
		}
		a.resizer.ResizeBox(dst, src, resizedBox(src.W, src.H, r), c.N, c.N, a.pipeline.Filter)
	}
}

// other returns a buffer that is not cur.
func (a *applier) other(cur *raster.Image) *raster.Image {
	if cur == &a.buf[0] {
		return &a.buf[1]
	}
	return &a.buf[0]
}

// view applies the operations, then the mix. clean stays as it is: the other views start from it.
func (a *applier) view(dst, clean *raster.Image, key rng.Key) {
	a.rand.Seed(key)
	cur := a.operate(dst, clean, &a.rand)
	if a.mix != nil {
		if cur == dst {
			spare := a.other(clean)
			spare.CopyFrom(cur)
			cur = spare
		}
		a.mix.Apply(dst, cur, &a.rand, &a.scratch)
		return
	}
	if cur != dst {
		dst.CopyFrom(cur)
	}
}

// operate applies the operations to clean, which stays as it is. The result is clean itself, dst, or a buffer.
func (a *applier) operate(dst, clean *raster.Image, r *rng.Rand) *raster.Image {
	cur, spare := clean, a.other(clean)
	for _, o := range a.pipeline.Ops {
		v := o.Value
		if o.ByLevel {
			v = o.Op.Value(o.Level, cur.W, cur.H, o.Op.Signed && r.Bool())
		}
		next := dst
		if cur == dst {
			next = spare
		}
		o.Op.Apply(next, cur, v, a.pipeline.Fill)
		cur = next
	}
	return cur
}

// Single returns the pipeline, which has one view, as what makes the only variant of a data set.
func (p *Pipeline) Single() MultiTransform { return &single{transform: p.Transform()} }

type single struct {
	transform Transform
	dst       raster.Image
}

// Apply implements [MultiTransform].
func (s *single) Apply(dst *Parts, src *raster.Image, key rng.Key) error {
	if err := s.transform.Apply([]*raster.Image{&s.dst}, src, key); err != nil {
		return err
	}
	return dst.Add(0, 0, &s.dst)
}
