package mix

import (
	"fmt"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PolicyStep is one drawn operation of a policy with its final parameter.
type PolicyStep struct {
	Op    string // of augment.Scale
	Value float64
	X, Y  int // center of a cutout
}

// PolicyDraw is everything random about one image of a policy method.
type PolicyDraw struct{ Steps []PolicyStep }

// policyMethod is a method that applies drawn operations of a scale, one after the other, to 8-bit images.
type policyMethod interface {
	Augmentation
	DrawTo(d *PolicyDraw, w, h int, r *rng.Rand)
	appearance() (scale *augment.Scale, fill raster.RGB)
}

// drawPolicyStep draws the sign of an operation at strength m, or the position of a cutout.
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
	scale, fill := m.appearance()
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

// AutoAugment applies policies that Cubuk et al. (CVPR 2019) found by search: of 25 sub-policies (95 for cifar10full)
// one is drawn for each image, and each of its two operations is applied with its probability.
//
// Which parameters the levels stand for depends on the implementation, see [augment.Scale]: the authors' research code
// for CIFAR and SVHN, timm's for ImageNet, or torchvision's for all.
//
// With Star it is AutoAugment* of AugMix's comparison: contrast, color, brightness, sharpness and Cutout do nothing,
// because they overlap the corruptions of the benchmark. The paper does not say what becomes of a sub-policy that loses
// one operation; here the other operation stays.
//
// Parity: operations and policies are exact, but for what [augment.ResearchScale] and [augment.TimmScale] say of fills
// and sampling; distributions are those of the definition. Cutout after the policy, which the research code adds, is a
// stage of its own: "autoaugment-cifar10+standard+cutout-s16" is its order.
type AutoAugment struct {
	Policy      string // cifar10, cifar10full, imagenet or svhn; there is no default
	Torchvision bool   // torchvision's ten bins, sampling and fill
	Star        bool
	Fixed       bool       // use Fill, not the fill color of the published code
	Fill        raster.RGB // color of positions outside the image
}

var autoAugmentParams = params[AutoAugment]{
	name:     "autoaugment",
	doc:      "two operations of a policy found by search",
	paper:    "Cubuk et al., AutoAugment, CVPR 2019; star: Hendrycks et al., AugMix, ICLR 2020",
	defaults: AutoAugment{Policy: "cifar10"},
	rows: []row[AutoAugment]{
		policyWord("cifar10", "the 25 sub-policies found on CIFAR-10"),
		policyWord("cifar10full", "all 95 good sub-policies found on CIFAR-10"),
		policyWord("imagenet", "the policy found on ImageNet"),
		policyWord("svhn", "the policy found on SVHN"),
		word("torchvision",
			"parameters, sampling and fill of torchvision, not of the authors' code or, for imagenet, of timm",
			func(m *AutoAugment) *bool { return &m.Torchvision }, true),
		word("star", "AutoAugment*: without the operations that overlap ImageNet-C, and without cutout",
			func(m *AutoAugment) *bool { return &m.Star }, true),
		{
			key: "f", doc: fillDoc, other: codeFill,
			color: func(m *AutoAugment) *raster.RGB { return &m.Fill },
			fixed: func(m *AutoAugment) *bool { return &m.Fixed },
		},
	},
	rule: func(m *AutoAugment) error {
		if _, err := augment.PolicyByName(m.Policy); err != nil {
			return fmt.Errorf("%w: %w", ErrSpec, err)
		}
		return nil
	},
}

const codeFill = "that of the published code"

// policyWord is the option of a policy. The canonical spec always names it.
func policyWord(policy, doc string) row[AutoAugment] {
	r := word(policy, doc, func(m *AutoAugment) *string { return &m.Policy }, policy)
	r.name, r.always = "policy", true
	return r
}

// policies holds the sub-policies by name, for drawing.
var policies = func() map[string]augment.Policy {
	m := map[string]augment.Policy{}
	for _, name := range augment.PolicyNames() {
		m[name], _ = augment.PolicyByName(name)
	}
	return m
}()

// subPolicies returns what m draws from.
func (m *AutoAugment) subPolicies() augment.Policy {
	p, ok := policies[m.Policy]
	if !ok {
		panic(fmt.Sprintf("mix: no policy %q; AutoAugment.Check says what is allowed", m.Policy))
	}
	return p
}

// leavesOut reports whether an operation of the policy does nothing.
func (m *AutoAugment) leavesOut(op string) bool { return m.Star && (op == "cutout" || Overlapping(op)) }

// overlaps returns the operations of the policy that overlap C; names may come twice.
func (m *AutoAugment) overlaps() (names []string) {
	for _, sub := range m.subPolicies() {
		for _, o := range sub {
			if Overlapping(o.Op) && !m.leavesOut(o.Op) {
				names = append(names, o.Op)
			}
		}
	}
	return names
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *AutoAugment) Check() error { return autoAugmentParams.check(m) }

// String returns the spec.
func (m *AutoAugment) String() string { return autoAugmentParams.spec(m) }

func (m *AutoAugment) scale() *augment.Scale {
	switch {
	case m.Torchvision:
		return augment.TorchvisionScale
	case m.Policy == "imagenet":
		return augment.TimmScale
	}
	return augment.ResearchScale
}

func (m *AutoAugment) appearance() (*augment.Scale, raster.RGB) {
	s := m.scale()
	return s, fillOf(s, m.Fixed, m.Fill)
}

// fillOf is the fill color of a method: the scale's, if none is fixed.
func fillOf(s *augment.Scale, fixed bool, fill raster.RGB) raster.RGB {
	if fixed {
		return fill
	}
	return s.Fill
}

// DrawTo draws the operations for an image of w by h pixels into d, reusing its memory.
func (m *AutoAugment) DrawTo(d *PolicyDraw, w, h int, r *rng.Rand) {
	d.Steps = d.Steps[:0]
	subs := m.subPolicies()
	for _, o := range subs[r.IntN(len(subs))] {
		if r.Float64() >= o.Prob || m.leavesOut(o.Op) {
			continue
		}
		d.Steps = append(d.Steps, drawPolicyStep(m.scale(), o.Op, o.Level, w, h, r))
	}
}

// Replay applies what d holds.
func (m *AutoAugment) Replay(dst, src *raster.Image, d *PolicyDraw, s *Scratch) {
	replayPolicy(m, dst, src, d, s)
}

// Apply implements [Augmentation].
func (m *AutoAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *AutoAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// randOps are the fourteen operations of RandAugment and TrivialAugment.
var randOps = []string{
	"identity", "shear_x", "shear_y", "translate_x", "translate_y", "rotate", "brightness", "color", "contrast",
	"sharpness", "posterize", "solarize", "autocontrast", "equalize",
}

// RandAugment is the method of Cubuk et al. (2020): N operations drawn with replacement from fourteen, all at strength
// M. It is torchvision's form, with strengths 0 to 30; N 2 and M 9 are the paper's settings for ResNet-50 on ImageNet.
//
// Parity: exact for the same choices, the bytes of torchvision 0.14 on Pillow; distributions are those of torchvision.
type RandAugment struct {
	N     int        // operations, 1 to 64
	M     int        // strength, 0 to 30
	Fixed bool       // use Fill, not black
	Fill  raster.RGB // color of positions outside the image
}

var randAugmentParams = params[RandAugment]{
	name:     "randaugment",
	doc:      "N operations of fourteen, all of one strength",
	paper:    "Cubuk et al., RandAugment, NeurIPS 2020",
	defaults: RandAugment{N: 2, M: 9},
	rows: []row[RandAugment]{
		{
			key: "n", name: "operations", doc: "number of operations", allowed: span{min: 1, max: maxDepth}, always: true,
			integer: func(m *RandAugment) *int { return &m.N },
		}, {
			key: "m", name: "strength", doc: "strength", allowed: span{min: 0, max: augment.RandScale.Max}, always: true,
			integer: func(m *RandAugment) *int { return &m.M },
		}, {
			key: "f", doc: fillDoc,
			color: func(m *RandAugment) *raster.RGB { return &m.Fill },
			fixed: func(m *RandAugment) *bool { return &m.Fixed },
		},
	},
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (m *RandAugment) Check() error { return randAugmentParams.check(m) }

// String returns the spec.
func (m *RandAugment) String() string { return randAugmentParams.spec(m) }

func (m *RandAugment) appearance() (*augment.Scale, raster.RGB) {
	return augment.RandScale, fillOf(augment.RandScale, m.Fixed, m.Fill)
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

// Apply implements [Augmentation].
func (m *RandAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *RandAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}

// TrivialAugment is the method of Müller and Hutter (ICCV 2021): one operation of fourteen at one of 31 strengths, both
// uniform. The wide space of parameters is the paper's choice; the standard space has RandAugment's ranges.
//
// Parity: exact for the same choices, for the wide space the bytes of torchvision 0.14 on Pillow; distributions are
// those of the definition.
type TrivialAugment struct {
	Standard bool       // the standard space, not the wide one
	Fixed    bool       // use Fill, not black
	Fill     raster.RGB // color of positions outside the image
}

var trivialAugmentParams = params[TrivialAugment]{
	name:  "trivialaugment",
	doc:   "one operation of fourteen at a random strength",
	paper: "Müller and Hutter, TrivialAugment, ICCV 2021",
	rows: []row[TrivialAugment]{
		spaceWord("wide", "the paper's wide space of parameters", false),
		spaceWord("standard", "RandAugment's ranges", true),
		{
			key: "f", doc: fillDoc,
			color: func(m *TrivialAugment) *raster.RGB { return &m.Fill },
			fixed: func(m *TrivialAugment) *bool { return &m.Fixed },
		},
	},
}

// spaceWord is the option of a space of parameters. The canonical spec always names it.
func spaceWord(key, doc string, standard bool) row[TrivialAugment] {
	r := word(key, doc, func(m *TrivialAugment) *bool { return &m.Standard }, standard)
	r.name, r.always = "space", true
	return r
}

// String returns the spec.
func (m *TrivialAugment) String() string { return trivialAugmentParams.spec(m) }

func (m *TrivialAugment) scale() *augment.Scale {
	if m.Standard {
		return augment.StandardScale
	}
	return augment.WideScale
}

func (m *TrivialAugment) appearance() (*augment.Scale, raster.RGB) {
	s := m.scale()
	return s, fillOf(s, m.Fixed, m.Fill)
}

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

// Apply implements [Augmentation].
func (m *TrivialAugment) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	applyPolicy(m, dst, src, r, s)
}

// ApplyPlanes implements [Augmentation].
func (m *TrivialAugment) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}
