package mix

import (
	"image"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// BatchMix makes one image of an image and its partner, and mixes their labels: Mixup, CutMix. It has no use without a
// partner: [Batch.Train] takes partners from the batch, [Method.Apply] from wherever the caller gets them.
type BatchMix interface {
	// String returns the canonical spec string: of the methods of this package ParseSpec gives back an equal one. That of
	// another is its name in the spec of a [Method].
	String() string
	// DrawPair draws how an image of w by h pixels and its partner are mixed.
	DrawPair(w, h int, r *rng.Rand) PairDraw
	// ApplyPair writes the mixture of a and its partner b, both of one size, to dst as 8-bit values. dst must be
	// neither.
	ApplyPair(dst, a, b *raster.Image, d *PairDraw)
	// ApplyPairPlanes writes the mixture of a and b, each 3*H*W float32 values in planes w pixels wide. All three are
	// normalized alike, by whatever: these methods commute with a normalization. dst may be a, not b.
	ApplyPairPlanes(dst, a, b []float32, w, h int, d *PairDraw)
	// EachSample reports whether every sample of a batch gets a draw of its own. Otherwise, as in the reference codes,
	// one draw serves the whole batch and only the partners differ.
	EachSample() bool
}

// PairDraw is everything random about how an image and its partner are mixed.
type PairDraw struct {
	// Weight is that of the image's own label; the partner's label has the rest. For Mixup it is the weight of the
	// pixels as well.
	Weight float32
	// Box is what CutMix takes from the partner; empty for Mixup.
	Box image.Rectangle
}
