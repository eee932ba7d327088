package augment

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
)

// Policy is a list of sub-policies, one of which is drawn for each image (AutoAugment, Cubuk et al., CVPR 2019).
type Policy []SubPolicy

// SubPolicy is two operations, applied in this order, each with its own probability.
type SubPolicy [2]PolicyOp

// PolicyOp is an operation of a sub-policy: a name of [Ops], or "cutout".
type PolicyOp struct {
	Op    string
	Prob  float64
	Level float64 // 0 to 10, taken to a parameter by a Scale
}

// policies by name, in the order in which they are listed.
var policies = []struct {
	name   string
	policy Policy
}{
	{"cifar10", policyCIFAR10}, {"cifar10full", policyGood}, {"imagenet", policyImageNet}, {"svhn", policySVHN},
}

// PolicyNames returns the names of the policies.
func PolicyNames() []string {
	names := make([]string, len(policies))
	for i, p := range policies {
		names[i] = p.name
	}
	return names
}

// PolicyByName returns the policy of that name: cifar10 (25 sub-policies), cifar10full (the 95 good ones with which the
// published results were made), imagenet, svhn. The error wraps [ErrOp] and lists the names.
func PolicyByName(name string) (Policy, error) {
	for _, p := range policies {
		if p.name == name {
			return slices.Clone(p.policy), nil
		}
	}
	return nil, fmt.Errorf("%w: no policy %q%s (there are: %s)", ErrOp, name, suggest.Hint(name, PolicyNames()), strings.Join(PolicyNames(), ", "))
}

// Scale is a published mapping from a strength to the parameters of operations. The implementations of one paper differ
// here, visibly: in the direction of posterize and solarize, in whether enhancements are symmetric, in how positions
// outside the image are sampled and filled.
type Scale struct {
	Name string
	// Max is the largest strength; strengths of the last four scales are whole numbers, indices of bins.
	Max float64
	// Fill is the color of positions outside the image in the published code.
	Fill raster.RGB

	nearest     bool // geometry samples the nearest pixel, else bilinear
	signEnhance bool // color, contrast, brightness and sharpness are weakened or strengthened
	value       func(op string, m float64, w, h int) float64
}

// The scales.
var (
	// ResearchScale is that of the authors' TensorFlow code for CIFAR and SVHN. There, positions outside
	// the image become the mean color by way of transparency, which some operations lose; here they are the mean color
	// of CIFAR-10 at once, as that code's own Cutout writes it.
	ResearchScale = &Scale{Name: "research", Max: 10, Fill: MeanColor, nearest: true, value: researchValue}
	// TimmScale is "original" of timm, for ImageNet. There, geometry is bilinear or bicubic at random; here it is
	// bilinear.
	TimmScale = &Scale{Name: "timm", Max: 10, Fill: raster.RGB{R: 128, G: 128, B: 128}, value: timmValue}
	// TorchvisionScale is that of torchvision's AutoAugment, ten bins. A sub-policy's level is the index of its bin.
	TorchvisionScale = bins("torchvision", 10, torchvisionRanges)
	// RandScale is that of torchvision's RandAugment, 31 bins.
	RandScale = bins("randaugment", 31, torchvisionRanges)
	// WideScale is TrivialAugment's wide space, 31 bins.
	WideScale = bins("wide", 31, wideRanges)
	// StandardScale is TrivialAugment's space of RandAugment's ranges, 31 bins: torchvision's, but translations of up
	// to 10 pixels whatever the size of the image.
	StandardScale = bins("standard", 31, standardRanges)
)

// bins is a scale of torchvision's kind.
func bins(name string, n int, r ranges) *Scale {
	return &Scale{Name: name, Max: float64(n - 1), nearest: true, signEnhance: true, value: torchvisionBins(n, r)}
}

// MeanColor is what the research code fills with, about the mean color of CIFAR-10.
var MeanColor = raster.RGB{R: 125, G: 122, B: 113}

// Signed reports whether the operation's parameter is negated with probability one half.
func (s *Scale) Signed(op string) bool {
	switch op {
	case "rotate", "shear_x", "shear_y", "translate_x", "translate_y":
		return true
	case "color", "contrast", "brightness", "sharpness":
		return s.signEnhance
	}
	return false
}

// Value returns the parameter of an operation at strength m, in the units of [Ops], for an image of w by h pixels; the
// side for "cutout". Operations without a parameter give 0.
func (s *Scale) Value(op string, m float64, w, h int, negative bool) float64 {
	switch op {
	case "identity", "autocontrast", "equalize", "invert":
		return 0
	}
	v := s.value(op, m, w, h)
	if !s.signEnhance || !enhancement(op) {
		if negative && s.Signed(op) {
			return -v
		}
		return v
	}
	if negative {
		return 1 - v
	}
	return 1 + v
}

func enhancement(op string) bool {
	return op == "color" || op == "contrast" || op == "brightness" || op == "sharpness"
}

// researchValue maps levels 0 to 10 as the TensorFlow code does; see [Op.Value] for the two kinds of parameter.
func researchValue(op string, m float64, _, _ int) float64 {
	switch op {
	case "shear_x", "shear_y":
		return floatParam(m, 0.3)
	case "translate_x", "translate_y":
		return intParam(m, 10)
	case "rotate":
		return intParam(m, 30)
	case "posterize":
		return 4 - intParam(m, 4)
	case "solarize":
		return 256 - intParam(m, 256)
	case "cutout":
		return intParam(m, 20)
	}
	return floatParam(m, 1.8) + 0.1
}

func timmValue(op string, m float64, _, _ int) float64 {
	switch op {
	case "translate_x", "translate_y":
		return floatParam(m, 250)
	case "rotate":
		return floatParam(m, 30)
	case "posterize":
		return intParam(m, 4) + 4
	case "solarize":
		return min(256, intParam(m, 256))
	}
	return researchValue(op, m, 0, 0)
}

// ranges are the largest parameters of torchvision's spaces, whose bins go in equal steps from nothing to them.
type ranges struct {
	shear, rotate, enhance float64
	translate              func(side int) float64
	posterize              float64 // bits taken off at most
}

var (
	torchvisionRanges = ranges{0.3, 30, 0.9, func(side int) float64 { return 150.0 / 331 * float64(side) }, 4}
	wideRanges        = ranges{0.99, 135, 0.99, func(int) float64 { return 32 }, 6}
	standardRanges    = ranges{0.3, 30, 0.9, func(int) float64 { return 10 }, 4}
)

// linspace returns number m of bins numbers in equal steps from 0 to end, as torch.linspace does it in float32: from
// either end for its half, with one rounding in the second (it fuses).
func linspace(end float64, m float64, bins int) float64 {
	last, e := float32(bins-1), float32(end)
	step := e / last
	if int(m) < bins/2 {
		return float64(float32(step * float32(m)))
	}
	return float64(float32(float64(e) - float64(float64(step)*float64(last-float32(m)))))
}

func torchvisionBins(bins int, r ranges) func(op string, m float64, w, h int) float64 {
	return func(op string, m float64, w, h int) float64 {
		switch op {
		case "shear_x", "shear_y":
			return linspace(r.shear, m, bins)
		case "translate_x":
			return math.Trunc(r.translate(w) * m / float64(bins-1))
		case "translate_y":
			return math.Trunc(r.translate(h) * m / float64(bins-1))
		case "rotate":
			return linspace(r.rotate, m, bins)
		case "posterize":
			return 8 - math.RoundToEven(m*r.posterize/float64(bins-1))
		case "solarize":
			return math.Ceil(linspace(255, float64(bins-1)-m, bins)) // v < threshold is all that counts
		case "cutout":
			return 0 // not in these spaces
		}
		return linspace(r.enhance, m, bins)
	}
}

// Apply applies an operation, but for cutout, at a parameter. dst must not be src.
func (s *Scale) Apply(dst, src *raster.Image, op string, v float64, fill raster.RGB) {
	if s.nearest && s.geometry(dst, src, op, v, fill) {
		return
	}
	switch op {
	case "identity":
		dst.CopyFrom(src)
	default:
		policyOps[op].Apply(dst, src, v, fill)
	}
}

// policyOps are the operations by name.
var policyOps = func() map[string]*Op {
	m := make(map[string]*Op, len(ops))
	for i := range ops {
		m[ops[i].Name] = &ops[i]
	}
	return m
}()

// geometry applies a geometric operation with nearest sampling; it returns false if op is none.
func (s *Scale) geometry(dst, src *raster.Image, op string, v float64, fill raster.RGB) bool {
	switch op {
	case "shear_x":
		AffineNearest(dst, src, Matrix{A: 1, B: v, E: 1}, fill)
	case "shear_y":
		AffineNearest(dst, src, Matrix{A: 1, D: v, E: 1}, fill)
	case "rotate":
		RotateNearest(dst, src, v, fill)
	default: // translations are by whole pixels: every sampling is the same
		return false
	}
	return true
}

// RotateNearest is [Rotate] with Pillow's NEAREST sampling. Parity: exact.
func RotateNearest(dst, src *raster.Image, degrees float64, fill raster.RGB) {
	rotate(dst, src, degrees, fill, AffineNearest)
}

// CutoutBox returns the square of side pixels around (x, y) that Cutout covers, clipped to an image of w by h pixels.
// It reaches from c - side/2 up to c + side/2 where side is even, one pixel more after the center where it is odd.
func CutoutBox(x, y, side, w, h int) image.Rectangle {
	x0, y0 := max(x-side/2, 0), max(y-side/2, 0)
	x1, y1 := min(x+(side+1)/2, w), min(y+(side+1)/2, h)
	return image.Rectangle{Min: image.Pt(x0, y0), Max: image.Pt(max(x1, x0), max(y1, y0))}
}

// FillRect paints b, which must lie in m.
func FillRect(m *raster.Image, b image.Rectangle, c raster.RGB) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		row := m.Pix[4*(y*m.W+b.Min.X):][:4*b.Dx()]
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2] = c.R, c.G, c.B
		}
	}
}
