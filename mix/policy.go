package mix

import (
	"fmt"
	"strconv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PolicyStep is one drawn operation of a policy with its final parameter.
type PolicyStep struct {
	Op    string // of augment.Scale
	Value float64
	X, Y  int // centre of a cutout
}

// PolicyDraw is everything random about one image of a policy method.
type PolicyDraw struct{ Steps []PolicyStep }

// policyMethod is a method that applies drawn operations of a scale, one after the other, to 8-bit images.
type policyMethod interface {
	Mixer
	DrawTo(d *PolicyDraw, w, h int, r *rng.Rand)
	look() (scale *augment.Scale, fill raster.RGB)
}

// drawPolicyStep draws the sign and place of an operation at strength m.
func drawPolicyStep(sc *augment.Scale, op string, m float64, w, h int, r *rng.Rand) PolicyStep {
	if op == "cutout" {
		y := r.IntN(h)
		return PolicyStep{Op: op, Value: sc.Value(op, m, w, h, false), Y: y, X: r.IntN(w)}
	}
	negative := sc.Signed(op) && r.Bool()
	return PolicyStep{Op: op, Value: sc.Value(op, m, w, h, negative)}
}

// replayPolicy applies drawn operations.
func replayPolicy(m policyMethod, dst, src *raster.Image, d *PolicyDraw, s *Scratch) {
	scale, fill := m.look()
	cur := src
	for i := range d.Steps {
		st := &d.Steps[i]
		if st.Op == "identity" {
			continue
		}
		out := dst
		if cur == dst {
			out = &s.spare
		}
		if st.Op == "cutout" {
			out.CopyFrom(cur)
			augment.FillRect(out, augment.CutoutBox(st.X, st.Y, int(st.Value), cur.W, cur.H), fill)
		} else {
			scale.Apply(out, cur, st.Op, st.Value, fill)
		}
		cur = out
	}
	if cur != dst {
		dst.CopyFrom(cur)
	}
}

func applyPolicy(m policyMethod, dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	m.DrawTo(&s.policy, src.W, src.H, r)
	replayPolicy(m, dst, src, &s.policy, s)
}

// fillOr is a colour, or the scale's own.
type fillOr struct {
	Fixed bool       // use Fill, not the colour of the published code
	Fill  raster.RGB // of positions outside the image
}

func (f fillOr) of(s *augment.Scale) raster.RGB {
	if f.Fixed {
		return f.Fill
	}
	return s.Fill
}

func (f fillOr) option() string {
	if f.Fixed {
		return fillText(f.Fill)
	}
	return ""
}

func (f *fillOr) parse(a arg) error {
	f.Fixed = true
	return a.fill(&f.Fill)
}

// overlapping are the operations that AugMix's paper takes out of AutoAugment because they overlap ImageNet-C's
// corruptions, and Cutout.
func overlapping(op string) bool {
	switch op {
	case "contrast", "color", "brightness", "sharpness", "cutout":
		return true
	}
	return false
}

// AutoAugment applies policies that Cubuk et al. (CVPR 2019) found by search: of 25 sub-policies (95 for cifar10full)
// one is drawn for each image, and each of its two operations is applied with its probability.
//
// Which parameters the levels stand for depends on the implementation, see [augment.Scale]: the authors' research code
// for CIFAR and SVHN, timm's for ImageNet, or torchvision's for all.
//
// With Star it is AutoAugment* of AugMix's comparison: contrast, color, brightness, sharpness and Cutout do nothing,
// because they overlap the corruptions of the benchmark. How the paper treats a sub-policy of which one operation is
// taken out it does not say; here the other stays.
//
// Parity: operations and policies are exact, but for what [augment.ResearchScale] and [augment.TimmScale] say of fills
// and sampling; distributions are those of the definition. Cutout after the policy, which the research code adds, is a
// stage of its own: "autoaugment-cifar10+standard+cutout-s16" is its order.
type AutoAugment struct {
	Policy      string // cifar10, cifar10full, imagenet, svhn
	Torchvision bool   // torchvision's ten bins, sampling and fill
	Star        bool
	fillOr

	subs augment.Policy
}

// NewAutoAugment returns a policy by name with its authors' scale. The error wraps [ErrSpec].
func NewAutoAugment(policy string) (*AutoAugment, error) {
	subs, err := augment.PolicyByName(policy)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	return &AutoAugment{Policy: policy, subs: subs}, nil
}

func parseAutoAugment(args []arg) (Mixer, error) {
	m := &AutoAugment{Policy: "cifar10"}
	const known = "cifar10, cifar10full, imagenet, svhn, torchvision, star, fRRGGBB"
	err := eachArg("autoaugment", known, args, func(a arg) error {
		switch text := a.String(); text {
		case "torchvision":
			m.Torchvision = true
		case "star":
			m.Star = true
		default:
			if len(text) == 7 && text[0] == 'f' {
				return m.parse(a)
			}
			m.Policy = text
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if m.subs, err = augment.PolicyByName(m.Policy); err != nil {
		return nil, fmt.Errorf("%w: autoaugment takes a policy, torchvision, star, fRRGGBB: %w", ErrSpec, err)
	}
	return m, nil
}

// String returns the spec.
func (m *AutoAugment) String() string {
	s := "autoaugment-" + m.Policy
	if m.Torchvision {
		s += "-torchvision"
	}
	if m.Star {
		s += "-star"
	}
	return s + m.option()
}

func (m *AutoAugment) scale() *augment.Scale {
	switch {
	case m.Torchvision:
		return augment.TorchvisionScale
	case m.Policy == "imagenet":
		return augment.TimmScale
	}
	return augment.ResearchScale
}

func (m *AutoAugment) look() (*augment.Scale, raster.RGB) { return m.scale(), m.of(m.scale()) }

// DrawTo draws the operations for an image of w by h pixels into d, reusing its memory.
func (m *AutoAugment) DrawTo(d *PolicyDraw, w, h int, r *rng.Rand) {
	d.Steps = d.Steps[:0]
	for _, o := range m.subs[r.IntN(len(m.subs))] {
		if r.Float64() >= o.Prob || m.Star && overlapping(o.Op) {
			continue
		}
		d.Steps = append(d.Steps, drawPolicyStep(m.scale(), o.Op, o.Level, w, h, r))
	}
}

// Replay applies what d holds.
func (m *AutoAugment) Replay(dst, src *raster.Image, d *PolicyDraw, s *Scratch) {
	replayPolicy(m, dst, src, d, s)
}

// Apply implements [Mixer].
func (m *AutoAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *AutoAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// randOps are the fourteen operations of RandAugment and TrivialAugment.
var randOps = []string{
	"identity", "shear_x", "shear_y", "translate_x", "translate_y", "rotate", "brightness", "color", "contrast",
	"sharpness", "posterize", "solarize", "autocontrast", "equalize",
}

// RandAugment is that of Cubuk et al. (2020): N operations drawn with replacement from fourteen, all at strength M. It
// is torchvision's form, with strengths 0 to 30; N 2 and M 9 are the paper's settings for ResNet-50 on ImageNet.
//
// Parity: exact for the same choices, the bytes of torchvision 0.14 on Pillow; distributions are those of torchvision.
type RandAugment struct {
	N int // operations, 1 to 64
	M int // strength, 0 to 30
	fillOr
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandAugment) Check() error {
	if m.N < 1 || m.N > maxDepth {
		return fmt.Errorf("%w: randaugment n%d operations (allowed: 1 to %d)", ErrSpec, m.N, maxDepth)
	}
	if m.M < 0 || float64(m.M) > augment.RandScale.Max {
		return fmt.Errorf("%w: randaugment strength m%d (allowed: 0 to %v)", ErrSpec, m.M, augment.RandScale.Max)
	}
	return nil
}

// String returns the spec.
func (m *RandAugment) String() string {
	return "randaugment-n" + strconv.Itoa(m.N) + "-m" + strconv.Itoa(m.M) + m.option()
}

func parseRandAugment(args []arg) (Mixer, error) {
	m := &RandAugment{N: 2, M: 9}
	err := eachArg("randaugment", "n, m, fRRGGBB", args, func(a arg) (err error) {
		switch a.key {
		case "n":
			m.N, err = a.int()
		case "m":
			m.M, err = a.int()
		default:
			return m.parse(a)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return m, m.Check()
}

func (m *RandAugment) look() (*augment.Scale, raster.RGB) {
	return augment.RandScale, m.of(augment.RandScale)
}

// DrawTo draws the operations for an image of w by h pixels into d, reusing its memory.
func (m *RandAugment) DrawTo(d *PolicyDraw, w, h int, r *rng.Rand) {
	d.Steps = d.Steps[:0]
	for range m.N {
		op := randOps[r.IntN(len(randOps))]
		d.Steps = append(d.Steps, drawPolicyStep(augment.RandScale, op, float64(m.M), w, h, r))
	}
}

// Replay applies what d holds.
func (m *RandAugment) Replay(dst, src *raster.Image, d *PolicyDraw, s *Scratch) {
	replayPolicy(m, dst, src, d, s)
}

// Apply implements [Mixer].
func (m *RandAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *RandAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// TrivialAugment is that of Müller and Hutter (ICCV 2021): one operation of fourteen at one of 31 strengths, both
// uniform. The wide space of parameters is the paper's choice; the standard space has RandAugment's ranges.
//
// Parity: exact for the same choices, for the wide space the bytes of torchvision 0.14 on Pillow; distributions are
// those of the definition.
type TrivialAugment struct {
	Standard bool
	fillOr
}

// String returns the spec.
func (m *TrivialAugment) String() string {
	if m.Standard {
		return "trivialaugment-standard" + m.option()
	}
	return "trivialaugment-wide" + m.option()
}

func parseTrivialAugment(args []arg) (Mixer, error) {
	m := &TrivialAugment{}
	err := eachArg("trivialaugment", "wide, standard, fRRGGBB", args, func(a arg) error {
		switch a.key {
		case "wide":
			m.Standard = false
		case "standard":
			m.Standard = true
		default:
			return m.parse(a)
		}
		return a.bare()
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *TrivialAugment) scale() *augment.Scale {
	if m.Standard {
		return augment.StandardScale
	}
	return augment.WideScale
}

func (m *TrivialAugment) look() (*augment.Scale, raster.RGB) { return m.scale(), m.of(m.scale()) }

// DrawTo draws the operation for an image of w by h pixels into d, reusing its memory.
func (m *TrivialAugment) DrawTo(d *PolicyDraw, w, h int, r *rng.Rand) {
	op := randOps[r.IntN(len(randOps))]
	strength := float64(r.IntN(int(m.scale().Max) + 1))
	d.Steps = append(d.Steps[:0], drawPolicyStep(m.scale(), op, strength, w, h, r))
}

// Replay applies what d holds.
func (m *TrivialAugment) Replay(dst, src *raster.Image, d *PolicyDraw, s *Scratch) {
	replayPolicy(m, dst, src, d, s)
}

// Apply implements [Mixer].
func (m *TrivialAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Mixer].
func (m *TrivialAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Norm, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}
