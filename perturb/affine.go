package perturb

import (
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// Affine turns, shears and enlarges an image about a point near its middle, as torchvision 0.2's affine does: the
// center is (w/2+½, h/2+½), half a pixel right of and below the middle of the image. Sampling is Pillow's bilinear
// filter; what comes from outside the image is black. Parity: exact where sine and cosine agree in the last place,
// else within one gray level. Least side 1.
type Affine struct {
	Degrees float64 // of the rotation, clockwise
	Shear   float64 // in degrees, -90 to 90 without the ends
	Scale   float64 // above 0
}

// matrix returns the map from output pixel centers to source positions for a w by h image: the inverse of
// C·(rotation, shear and scale)·C⁻¹, where C moves the origin to the center.
func (a Affine) matrix(w, h int) augment.Matrix {
	turn := float64(a.Degrees * (math.Pi / 180))
	both := turn + float64(a.Shear*(math.Pi/180))
	sin, cos := detmath.Sin(turn), detmath.Cos(turn)
	sinBoth, cosBoth := detmath.Sin(both), detmath.Cos(both)
	f := 1 / a.Scale / (float64(cosBoth*cos) + float64(sinBoth*sin))
	m := augment.Matrix{A: f * cosBoth, B: f * sinBoth, D: f * -sin, E: f * cos}
	x, y := float64((float64(w)+1)/2), float64((float64(h)+1)/2)
	m.C = float64(m.A*-x) + float64(m.B*-y) + x
	m.F = float64(m.D*-x) + float64(m.E*-y) + y
	return m
}

// Apply makes dst the transformed src. dst takes the size of src and must not share its memory.
func (a Affine) Apply(dst, src *raster.Image) {
	augment.Affine(dst, src, a.matrix(src.W, src.H), raster.RGB{})
}

// The columns of the affine perturbations: frames, then two that give the parameter of frame i. For translate, rotate
// and shear these are the frame where it is 0 and its growth from frame to frame, in pixels or degrees; for scale the
// percentage of frame 0 and its growth.
var (
	translateTable = table{
		Kinds: []kind{count, count, steps},
		Sets:  [4]set{{{16, 7, 1}}, {{31, 15, 1}}, {{41, 20, 1}}, {{41, 20, 1}}},
	}
	rotateTable = table{
		Kinds: []kind{count, count, level},
		Sets:  [4]set{{{31, 15, 1}}, {{31, 15, 1}}, {{31, 15, 1}}, {{31, 15, 1}}},
	}
	shearTable = rotateTable
	scaleTable = table{
		Kinds: []kind{count, level, level},
		Sets:  [4]set{{{31, 70, 2}}, {{31, 40, 2.5}}, {{31, 40, 2.5}}, {{31, 40, 2.5}}},
	}
)

// frameTranslate moves the image to the right by integer pixels: nothing is interpolated.
func frameTranslate(q *Sequence, dst *raster.Image, i int) {
	m, dx := q.canvas(dst), int(centered(i, q.v[1], q.v[2]))
	m.Reset(q.src.W, q.src.H)
	kernel.Shift(m.Pix, q.src.Pix, m.W, m.H, -dx, 0, [4]uint8{3: 255})
	q.show(dst)
}

func frameRotate(q *Sequence, dst *raster.Image, i int) {
	frameAffine(q, dst, Affine{Degrees: centered(i, q.v[1], q.v[2]), Scale: 1})
}

func frameShear(q *Sequence, dst *raster.Image, i int) {
	frameAffine(q, dst, Affine{Shear: centered(i, q.v[1], q.v[2]), Scale: 1})
}

func frameScale(q *Sequence, dst *raster.Image, i int) {
	frameAffine(q, dst, Affine{Scale: (float64(q.v[2]*float64(i)) + q.v[1]) / 100})
}

func frameAffine(q *Sequence, dst *raster.Image, a Affine) {
	a.Apply(q.canvas(dst), q.src)
	q.show(dst)
}
