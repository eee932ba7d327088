package mix

import (
	"errors"
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrPartner is wrapped by every error about the second image of a [BatchMix]: there is none where a method needs one,
// or it has another size.
var ErrPartner = errors.New("no partner")

// Limits of a method. A method with p BatchMixes makes 2^p images where partners are fetched one by one.
const (
	maxStages     = 8
	maxBatchMixes = 2
)

// Stage is one step of a [Method]: an [Augmentation] or a [BatchMix].
type Stage interface{ String() string }

// Method is what is done to a training image: stages that are applied one after the other. Its spec joins theirs by
// '+', "pixmix-k4-b3+cutmix-a1-p1". Values stay float32 from one stage to the next where the one makes fractions and
// the other takes them: AugMix, PixMix and noise make fractions; occlusions, noise and every BatchMix take them.
// Otherwise an image is rounded to 8 bits between stages.
//
// A Method holds parameters only and is safe for concurrent use. The zero value leaves images as they are.
type Method struct{ stages []stage }

// stage is an Augmentation or a BatchMix; the other is nil.
type stage struct {
	one  Augmentation
	pair BatchMix
}

// public returns the one that it is.
func (s stage) public() Stage {
	if s.pair != nil {
		return s.pair
	}
	return s.one
}

// NewMethod returns the stages in their order as one method. A Method among them is replaced by its stages. The error
// wraps [ErrSpec]: a stage is neither an Augmentation nor a BatchMix, its parameters are out of range, or there are too
// many (allowed: 1 to 8, of them up to 2 BatchMixes).
func NewMethod(stages ...Stage) (*Method, error) {
	var list []stage
	for _, st := range stages {
		if c, ok := st.(interface{ Check() error }); ok {
			if err := c.Check(); err != nil {
				return nil, err
			}
		}
		switch st := st.(type) {
		case *Method:
			list = append(list, st.stages...)
		case *chain:
			list = append(list, st.stages...)
		case Augmentation:
			list = append(list, stage{one: st})
		case BatchMix:
			list = append(list, stage{pair: st})
		default:
			return nil, fmt.Errorf("%w: a stage is a %T (allowed: an Augmentation, a BatchMix, a Method)", ErrSpec, st)
		}
	}
	if err := checkStages(len(list), len(list)-countAlone(list)); err != nil {
		return nil, err
	}
	return &Method{list}, nil
}

// checkStages checks the numbers of stages and, among them, of BatchMixes.
func checkStages(stages, mixes int) error {
	if stages == 0 || stages > maxStages {
		return fmt.Errorf("%w: %d methods in a row (allowed: 1 to %d)", ErrSpec, stages, maxStages)
	}
	if mixes > maxBatchMixes {
		return fmt.Errorf("%w: %d methods of two images in a row (allowed: up to %d)", ErrSpec, mixes, maxBatchMixes)
	}
	return nil
}

func countAlone(stages []stage) (n int) {
	for _, st := range stages {
		if st.one != nil {
			n++
		}
	}
	return n
}

// Stages returns the stages in their order; each is an Augmentation or a BatchMix.
func (m *Method) Stages() []Stage {
	list := make([]Stage, len(m.stages))
	for i, st := range m.stages {
		list[i] = st.public()
	}
	return list
}

// NeedsPartner reports whether a stage is a [BatchMix], so that labels are mixed as well.
func (m *Method) NeedsPartner() bool { return countAlone(m.stages) < len(m.stages) }

// Augmentation returns the method as an augmentation of one image. The error wraps [ErrPartner] if a stage is a
// [BatchMix].
func (m *Method) Augmentation() (Augmentation, error) {
	if m.NeedsPartner() {
		return nil, fmt.Errorf("%w: %s mixes two images (Batch.Train and Method.Apply find partners)", ErrPartner, m)
	}
	return m.single(), nil
}

// single returns a method that needs no partner as one augmentation.
func (m *Method) single() Augmentation {
	switch len(m.stages) {
	case 0:
		return None{}
	case 1:
		return m.stages[0].one
	}
	return (*chain)(m)
}

// String returns the specs of the stages, joined by '+'.
func (m *Method) String() string {
	if len(m.stages) == 0 {
		return None{}.String()
	}
	return joined(m.stages)
}

func joined(stages []stage) string {
	specs := make([]string, len(stages))
	for i, st := range stages {
		specs[i] = st.public().String()
	}
	return strings.Join(specs, "+")
}

// chain is a Method of two and more augmentations, as one of them.
type chain Method

// stagesOf returns the stages of an augmentation: several for a chain.
func stagesOf(a Augmentation) []stage {
	if c, ok := a.(*chain); ok {
		return c.stages
	}
	return []stage{{one: a}}
}

// String implements [Augmentation].
func (c *chain) String() string { return joined(c.stages) }

// Apply implements [Augmentation].
func (c *chain) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.run(c.stages, nil, r, s)
	f.toImage(dst, s)
}

// ApplyPlanes implements [Augmentation].
func (c *chain) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	f := s.begin(src)
	f.run(c.stages, n, r, s)
	f.toPlanes(dst, n, s)
}
