package transform

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Animation says whether the frames of a sequence become one file to look at.
type Animation uint8

// The animations.
const (
	NoAnimation Animation = iota // every frame is an image
	GIF                          // 256 colors
	APNG                         // without loss
)

// Perturbations says how the -P form of a data set is made: a sequence of frames from every image by every
// perturbation.
// Draws come from the stream of [PerturbationKey].
type Perturbations struct {
	Names        []string // published names, as ExpandPerturbations returns them
	Difficulties []int    // ascending, 1 to perturb.Difficulties; those that a perturbation lacks are left out
	Profile      perturb.Profile
	Size         int            // as in Corruptions; P224, P64 and P299 prepare images by themselves
	Filter       augment.Filter // of that resize; the zero value is augment.Box
	Crop         int
	Animation    Animation
	Delay        time.Duration // between the frames of an animation

	Only func(Variant) bool // as in Corruptions
}

// PerturbationSubsets returns the names that [ExpandPerturbations] takes: the ten that the mean flip rate averages over,
// the four others, and all.
func PerturbationSubsets() []string { return []string{"all", "common", "extra"} }

// ExpandPerturbations turns names of subsets and of single perturbations into the names of perturbations, in published
// order and each once. The error wraps ErrOption.
func ExpandPerturbations(list []string) ([]string, error) {
	all, common := perturb.Names(), perturb.Common()
	want := map[string]bool{}
	for _, item := range list {
		switch {
		case item == "all":
			addAll(want, all)
		case item == "common":
			addAll(want, common)
		case item == "extra":
			addAll(want, all[len(common):])
		case slices.Contains(all, item):
			want[item] = true
		default:
			return nil, fmt.Errorf("%w: perturbation %q%s (allowed: %s, and the subsets %s)", ErrOption, item, suggest.Hint(item, slices.Concat(all, PerturbationSubsets())),
				strings.Join(all, ", "), strings.Join(PerturbationSubsets(), ", "))
		}
	}
	names := slices.DeleteFunc(all, func(name string) bool { return !want[name] })
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: no perturbations chosen", ErrOption)
	}
	return names, nil
}

// ParseDifficulties reads a list of difficulties and ranges of them, such as "1-3". The error wraps ErrOption.
func ParseDifficulties(s string) ([]int, error) {
	found := make([]bool, perturb.Difficulties+1)
	for item := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(item, "-")
		if !isRange {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || a < 1 || b > perturb.Difficulties || a > b {
			return nil, option.Errorf(ErrOption, "{difficulty} %q (allowed: 1 to %d, as a list or a range: 1,%[2]d or 1-%[2]d)",
				s, perturb.Difficulties)
		}
		for i := a; i <= b; i++ {
			found[i] = true
		}
	}
	var out []int
	for i, ok := range found {
		if ok {
			out = append(out, i)
		}
	}
	return out, nil
}

// sequence is a perturbation at a difficulty.
type sequence struct {
	p          perturb.Perturbation
	difficulty int
	name       string
}

// sequences returns what is to be made, in order. It panics at a name that ExpandPerturbations does not return.
func (c *Perturbations) sequences() []sequence {
	var out []sequence
	for _, name := range c.Names {
		p, err := perturb.ByName(name)
		if err != nil {
			panic("transform: " + err.Error())
		}
		for _, d := range c.Difficulties {
			if dir, err := p.Dir(d); err == nil && (c.Only == nil || c.Only(Variant{Name: dir, Sequence: true})) {
				out = append(out, sequence{p, d, dir})
			}
		}
	}
	return out
}

// Variants returns the perturbations at their difficulties, in the order of Apply.
func (c *Perturbations) Variants() []Variant {
	var out []Variant
	for _, q := range c.sequences() {
		out = append(out, Variant{Name: q.name, Sequence: true})
	}
	return out
}

// OutputSize returns the size of the frames of an image of w by h pixels.
func (c *Perturbations) OutputSize(w, h int) (int, int) {
	switch c.Profile {
	case perturb.P64, perturb.P224, perturb.P299:
		return c.Profile.Side(), c.Profile.Side()
	}
	return Prepared(c.Size, c.Filter, c.Crop).OutputSize(w, h)
}

// Transform returns the plan made ready for one goroutine. The Perturbations must not change while it is used.
func (c *Perturbations) Transform() MultiTransform {
	return &perturber{c: c, list: c.sequences(), prepare: applier{pipeline: Prepared(c.Size, c.Filter, c.Crop)}}
}

// perturber is the MultiTransform of Perturbations.
type perturber struct {
	c       *Perturbations
	list    []sequence
	channel int // of the sample at hand, where channels are images of their own
	prepare applier
	frames  []*raster.Image // all of a sequence for animations, else the first serves for each
	file    bytes.Buffer
	scratch perturb.Scratch
	rand    rng.Rand
}

// Apply implements [MultiTransform].
func (e *perturber) Apply(dst *Parts, src *raster.Image, key rng.Key) error {
	src, err := e.prepare.geometry(src, key, raster.RGB{})
	if err != nil {
		return err
	}
	for v, one := range e.list {
		at := key
		if one.p.Noise() {
			at = channelKey(key, e.channel)
		}
		e.rand.Seed(PerturbationKey(at, one.name))
		q, err := one.p.Sequence(src, one.difficulty, e.c.Profile, &e.rand, &e.scratch)
		if err != nil {
			return err
		}
		if e.c.Animation != NoAnimation {
			err = e.animate(dst, v, q)
		} else {
			err = e.single(dst, v, q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// frame returns an image for frame i.
func (e *perturber) frame(i int) *raster.Image {
	for len(e.frames) <= i {
		e.frames = append(e.frames, new(raster.Image))
	}
	return e.frames[i]
}

// single adds every frame by itself.
func (e *perturber) single(dst *Parts, variant int, q *perturb.Sequence) error {
	m := e.frame(0)
	for i := 0; q.Next(m); i++ {
		if err := dst.Add(variant, i, m); err != nil {
			return err
		}
	}
	return nil
}

// animate adds one file of all frames.
func (e *perturber) animate(dst *Parts, variant int, q *perturb.Sequence) error {
	n := q.Len()
	for i := range n {
		q.Next(e.frame(i))
	}
	write := perturb.WriteGIF
	if e.c.Animation == APNG {
		write = perturb.WriteAPNG
	}
	e.file.Reset()
	if err := write(&e.file, e.frames[:n], e.c.Delay); err != nil {
		return err
	}
	dst.AddFile(variant, 0, e.frames[0].W, e.frames[0].H, e.file.Bytes())
	return nil
}
