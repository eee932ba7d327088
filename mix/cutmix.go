package mix

import (
	"image"
	"math"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// CutMix is the method of Yun et al. (ICCV 2019): a box of the partner replaces that of the image, and the labels are
// mixed by the areas. With lambda from Beta(Alpha, Alpha) the box has sqrt(1-lambda) of the width and of the height.
// Its center is uniform over the pixels, and the box is clipped to the image; the weight of the image's own label is
// the share of the area that it keeps after that.
//
// With probability 1-Prob nothing happens. The paper's algorithm has probability 1; the authors' CIFAR runs use 0.5.
//
// Parity: exact for the same box; distributions are those of the reference.
type CutMix struct {
	Alpha float64 // positive; 1 in the paper
	Prob  float64 // 0 to 1
	Each  bool    // a box for each sample, not one for the batch
}

var cutMixParams = params[CutMix]{
	name:     "cutmix",
	doc:      "put a box of one image into another and mix the labels by area",
	paper:    "Yun et al., CutMix, ICCV 2019",
	defaults: CutMix{Alpha: 1, Prob: 1},
	rows: []row[CutMix]{
		{
			key: "a", name: "alpha", doc: "alpha of the Beta distribution", allowed: positive, always: true,
			real: func(m *CutMix) *float64 { return &m.Alpha },
		},
		{
			key: "p", name: "probability", doc: "probability", paper: "0.5 in the authors' CIFAR runs",
			allowed: span{min: 0, max: 1}, always: true, real: func(m *CutMix) *float64 { return &m.Prob },
		},
		word("each", "a box for each sample of a batch, not one for all",
			func(m *CutMix) *bool { return &m.Each }, true),
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *CutMix) Check() error { return cutMixParams.check(m) }

// String returns the spec.
func (m *CutMix) String() string { return cutMixParams.spec(m) }

// EachSample implements [BatchMix].
func (m *CutMix) EachSample() bool { return m.Each }

// DrawPair implements [BatchMix].
func (m *CutMix) DrawPair(w, h int, r *rng.Rand) PairDraw {
	if m.Prob < 1 && r.Float64() >= m.Prob {
		return PairDraw{Weight: 1}
	}
	lambda := r.Beta(m.Alpha, m.Alpha)
	x, y := r.IntN(w), r.IntN(h)
	return cutMixDraw(lambda, x, y, w, h)
}

// cutMixDraw is the box around (x, y) for lambda.
func cutMixDraw(lambda float64, x, y, w, h int) PairDraw {
	side := math.Sqrt(1 - lambda)
	bw, bh := int(float64(w)*side), int(float64(h)*side)
	x0, x1 := max(x-bw/2, 0), min(x+bw/2, w)
	y0, y1 := max(y-bh/2, 0), min(y+bh/2, h)
	area := (x1 - x0) * (y1 - y0)
	return PairDraw{
		Weight: float32(1 - float64(area)/float64(w*h)),
		Box:    image.Rect(x0, y0, x1, y1),
	}
}

// ApplyPair implements [BatchMix].
func (m *CutMix) ApplyPair(dst, a, b *raster.Image, d *PairDraw) {
	mustMatch(a, b)
	dst.CopyFrom(a)
	raster.CopyRect(dst, d.Box.Min, b, d.Box)
}

// ApplyPairPlanes implements [BatchMix].
func (m *CutMix) ApplyPairPlanes(dst, a, b []float32, w, h int, d *PairDraw) {
	if &dst[0] != &a[0] {
		copy(dst, a)
	}
	for c := range 3 {
		for y := d.Box.Min.Y; y < d.Box.Max.Y; y++ {
			at := (c*h+y)*w + d.Box.Min.X
			copy(dst[at:][:d.Box.Dx()], b[at:])
		}
	}
}
