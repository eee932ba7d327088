package mix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruption is a corruption as [Corrupt] applies it; all.ForMix of package corrupt/all returns the published ones.
type Corruption interface {
	// MinSide is the least width and height in pixels of an image that the corruption can serve.
	MinSide() int
	// Corrupt makes dst the corrupted src, at a severity from 1 to 5. All chance comes from r. memory is what calls keep
	// for the next, of any of the corruptions; it is nil at first.
	Corrupt(dst, src *raster.Image, severity int, r *rng.Rand, memory *any)
}

// CorruptParams are the parameters of [Corrupt].
type CorruptParams struct {
	Names []string // of corruptions or of subsets, as in package corrupt, and cbar; none: "validation"
	From  int      // severities are drawn from From to To, 1 to 5
	To    int
	Prob  float64 // of an image to be corrupted; 0 to 1
}

var corruptParams = params[CorruptParams]{
	name:     "corrupt",
	doc:      "corrupt some of the images as benchmarks do, by one of the named corruptions",
	paper:    "Hendrycks and Dietterich, ICLR 2019; Mintun et al., NeurIPS 2021",
	defaults: CorruptParams{From: 1, To: corruption.Severities, Prob: 0.5},
	rows: append(corruptWords(), []row[CorruptParams]{
		{
			key: "s", name: "severity", doc: "severities, A to B", allowed: span{min: 1, max: corruption.Severities}, always: true,
			ints: func(p *CorruptParams) (from, to *int) { return &p.From, &p.To },
		}, {
			key: "p", name: "probability", doc: "probability", allowed: span{min: 0, max: 1}, always: true,
			real: func(p *CorruptParams) *float64 { return &p.Prob },
		},
	}...),
	rule: func(p *CorruptParams) error {
		for _, name := range p.Names {
			if !corruptName(name) {
				known := corruptNames()
				return fmt.Errorf("%w: corrupt has no corruption %q%s", ErrSpec, clip(name), suggest.Hint(name, known))
			}
		}
		return nil
	},
}

// defaultCorruptions is the subset that may be trained on, as the benchmark says.
const defaultCorruptions = "validation"

// corruptNames returns what may be named: subsets, then corruptions.
func corruptNames() []string {
	names := slices.Clone(corruption.Subsets)
	for _, p := range corruption.Catalog {
		names = append(names, p.Name)
	}
	return names
}

func corruptName(name string) bool { return slices.Contains(corruptNames(), name) }

// corruptWords returns an option for each name.
func corruptWords() (rows []row[CorruptParams]) {
	for _, name := range corruptNames() {
		list := corruption.Expand([]string{name})
		doc := [...]string{corruption.Common: "of ImageNet-C", corruption.Validation: "of its four for validation", corruption.Bar: "of C-bar"}[list[0].Of]
		switch {
		case list[0].Name == name:
		case len(list) > 5:
			doc = fmt.Sprintf("the %d %s", len(list), doc)
		default:
			var members []string
			for _, p := range list {
				members = append(members, p.Name)
			}
			doc = strings.Join(members, ", ")
		}
		rows = append(rows, row[CorruptParams]{key: name, name: "corruption", doc: doc, always: true, word: &setting[CorruptParams]{
			set: func(p *CorruptParams) {
				if !slices.Contains(p.Names, name) {
					p.Names = append(p.Names, name)
				}
			},
			is: func(p *CorruptParams) bool {
				return slices.Contains(p.Names, name) || len(p.Names) == 0 && name == defaultCorruptions
			},
		}})
	}
	return rows
}

// Check returns an error that wraps [ErrSpec] and says what is allowed.
func (p CorruptParams) Check() error { return corruptParams.check(&p) }

// String returns the spec.
func (p CorruptParams) String() string { return corruptParams.spec(&p) }

func (p CorruptParams) needs() need { return need{corruptions: true} }

func (p CorruptParams) with(o Options) (Augmentation, error) { return NewCorrupt(o.Corruptions, p) }

// expand returns the corruptions that are named, in published order.
func (p CorruptParams) expand() []corruption.Published {
	if len(p.Names) == 0 {
		return corruption.Expand([]string{defaultCorruptions})
	}
	return corruption.Expand(p.Names)
}

// drawn returns the corruptions that images may get, in published order; none if no image is corrupted.
func (p CorruptParams) drawn() []corruption.Published {
	if p.Prob == 0 {
		return nil
	}
	return p.expand()
}

// names returns the names of those of a set.
func (p CorruptParams) names(of corruption.Benchmark) (names []string) {
	for _, c := range p.drawn() {
		if c.Of == of {
			names = append(names, c.Name)
		}
	}
	return names
}

// Corruptions returns the names of the corruptions that images may get, of each stage in published order.
func (s Spec) Corruptions() (names []string) {
	for _, p := range s.parts {
		if corrupt, ok := p.needy.(CorruptParams); ok {
			for _, c := range corrupt.drawn() {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// Corrupt makes an image, with probability Prob, one of the named corruptions of it, each as likely, at a severity of From to
// To, each as likely: the corruptions of ImageNet-C and C-bar as training augmentation. Their parameters suit the size of
// the image and frost is generated, see package corrupt/all. An image that is too small for the corruption drawn, or of
// which that would take more than 6 GiB, stays as it is.
//
// Who trains on what a benchmark tests measures something else with it: [Spec.Overlaps] and [Spec.OverlapsBar] name it, and
// rows of such a network are marked in every table. The four corruptions for validation are the default, because they may be
// trained on.
//
// Parity: that of the corruptions.
type Corrupt struct {
	params      CorruptParams
	corruptions []Corruption
}

// NewCorrupt returns a Corrupt that takes its corruptions from find. The error wraps [ErrSpec] or [ErrCorruptions], or is
// find's.
func NewCorrupt(find func(name string) (Corruption, error), p CorruptParams) (*Corrupt, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if find == nil {
		return nil, missing(ErrCorruptions, p, "those of package corrupt/all")
	}
	p.Names = slices.Clone(p.Names)
	m := &Corrupt{params: p}
	for _, published := range p.expand() {
		c, err := find(published.Name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCorruptions, err)
		}
		m.corruptions = append(m.corruptions, c)
	}
	return m, nil
}

// Params returns the parameters.
func (m *Corrupt) Params() CorruptParams {
	p := m.params
	p.Names = slices.Clone(p.Names)
	return p
}

// String returns the spec of the parameters.
func (m *Corrupt) String() string { return m.params.String() }

// Apply implements [Augmentation].
func (m *Corrupt) Apply(dst, src *raster.Image, r *rng.Rand, s *Scratch) {
	if m.params.Prob < 1 && r.Float64() >= m.params.Prob {
		dst.CopyFrom(src)
		return
	}
	c := m.corruptions[r.IntN(len(m.corruptions))]
	severity := m.params.From + r.IntN(m.params.To-m.params.From+1)
	if min(src.W, src.H) < c.MinSide() || tooLarge(c, src) {
		dst.CopyFrom(src)
		return
	}
	c.Corrupt(dst, src, severity, r, &s.corrupt)
}

// tooLarge reports whether a corruption would take more than 6 GiB for an image, as fog does for one of 100,000 by 1 pixels.
func tooLarge(c any, m *raster.Image) bool {
	weigher, ok := c.(interface{ Memory(w, h int) int64 })
	return ok && weigher.Memory(m.W, m.H) > 6<<30
}

// ApplyPlanes implements [Augmentation].
func (m *Corrupt) ApplyPlanes(dst []float32, src *raster.Image, n *Normalization, r *rng.Rand, s *Scratch) {
	viaBytes(m, dst, src, n, r, s)
}
