package transform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruptions says how the -C or -C-bar form of a data set is made: every image by every corruption at every severity.
// Draws come from the stream of [CorruptionKey].
type Corruptions struct {
	Names      []string // published names, as ExpandCorruptions returns them
	Severities []int    // ascending
	Profile    corrupt.Profile
	Bar        cbar.Profile      // of the corruptions of package cbar
	Frost      *corrupt.FrostSet // for frost
	Size       int               // resize the shorter side to this many pixels first; 0 keeps the size
	Filter     augment.Filter    // of that resize; published is augment.Bilinear
	Crop       int               // then crop the middle of this side; 0 crops nothing
}

// BarSubset names the ten corruptions of the -C-bar set among the subsets of [ExpandCorruptions].
const BarSubset = "cbar"

// ExpandCorruptions turns names of subsets (those of corrupt.Subsets, and cbar) and of single corruptions into the names
// of corruptions, in published order and each once. bar says which ten cbar stands for. The error wraps ErrOption.
func ExpandCorruptions(list []string, bar cbar.Profile) ([]string, error) {
	ten, err := cbar.Names(bar)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	want := map[string]bool{}
	for _, item := range list {
		switch names, err := corrupt.Names(item); {
		case err == nil:
			addAll(want, names)
		case item == BarSubset:
			addAll(want, ten)
		default:
			if _, err := newOperation(item, bar); err != nil {
				return nil, err
			}
			want[item] = true
		}
	}
	all, err := corrupt.Names("all")
	if err != nil {
		panic("transform: " + err.Error())
	}
	var names []string
	for _, name := range slices.Concat(all, ten) {
		if want[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: no corruptions chosen", ErrOption)
	}
	return names, nil
}

func addAll(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}

// ParseSeverities reads a list of severities and ranges of them, such as "1-5" or "1,3,5". The error wraps ErrOption.
func ParseSeverities(s string) ([]int, error) { return parseNumbers("severity", s, corrupt.Severities) }

// parseNumbers reads a list of numbers from 1 to most and ranges of them; the result is ascending.
func parseNumbers(what, s string, most int) ([]int, error) {
	found := make([]bool, most+1)
	for item := range strings.SplitSeq(s, ",") {
		lo, hi, isRange := strings.Cut(item, "-")
		if !isRange {
			hi = lo
		}
		a, err1 := strconv.Atoi(lo)
		b, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil || a < 1 || b > most || a > b {
			return nil, fmt.Errorf("%w: %s %q (allowed: 1 to %d, as a list or a range: 1,%[4]d or 1-%[4]d)",
				ErrOption, what, s, most)
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

// Variants returns every corruption at every severity, in the order of Apply.
func (c *Corruptions) Variants() []Variant {
	var out []Variant
	for _, name := range c.Names {
		for _, severity := range c.Severities {
			out = append(out, Variant{name, severity})
		}
	}
	return out
}

// Published reports whether all of the corruptions are of package corrupt, whose data sets have labels of 8 bits.
func (c *Corruptions) Published() bool {
	for _, name := range c.Names {
		if _, err := corrupt.ByName(name); err != nil {
			return false
		}
	}
	return true
}

// operation is a corruption of either package.
type operation struct {
	name    string
	minSide int
	plain   corrupt.Corruption
	bar     cbar.Corruption
	isBar   bool
}

// newOperation finds a corruption by its name. The error wraps ErrOption and lists what there is.
func newOperation(name string, bar cbar.Profile) (operation, error) {
	if c, err := corrupt.ByName(name); err == nil {
		return operation{name: name, minSide: c.MinSide(), plain: c}, nil
	}
	if c, err := cbar.ByName(name); err == nil {
		if !c.In(bar) {
			return operation{}, fmt.Errorf("%w: corruption %s is none of the ten of the %s profile", ErrOption, name, bar)
		}
		return operation{name: name, minSide: c.MinSide(), bar: c, isBar: true}, nil
	}
	all, _ := corrupt.Names("all")
	ten, _ := cbar.Names(bar)
	return operation{}, fmt.Errorf("%w: corruption %q (allowed: %s, and the subsets %s, %s)", ErrOption, name,
		strings.Join(slices.Concat(all, ten), ", "), strings.Join(corrupt.Subsets(), ", "), BarSubset)
}

// Transform returns the plan made ready for one goroutine. The Corruptions must not change while it is used. It panics if a name or
// a severity is not one that ExpandCorruptions and ParseSeverities return.
func (c *Corruptions) Transform() MultiTransform {
	e := &corruptor{c: c, prepare: applier{pipeline: Prepared(c.Size, c.Filter, c.Crop)}}
	for _, name := range c.Names {
		o, err := newOperation(name, c.Bar)
		if err != nil {
			panic(err.Error())
		}
		o.plain = o.plain.WithFrost(c.Frost)
		e.ops = append(e.ops, o)
	}
	return e
}

// corruptor is the MultiTransform of Corruptions.
type corruptor struct {
	c       *Corruptions
	ops     []operation
	prepare applier
	dst     raster.Image
	scratch corrupt.Scratch
	bar     cbar.Scratch
	rand    rng.Rand
}

// Apply implements [MultiTransform].
func (e *corruptor) Apply(dst *Parts, src *raster.Image, key rng.Key) error {
	src, err := e.prepare.geometry(src, key)
	if err != nil {
		return err
	}
	// All or none: files of different corruptions must have the same rows.
	for i := range e.ops {
		if o := &e.ops[i]; src.W < o.minSide || src.H < o.minSide {
			return fmt.Errorf("%w: %s takes no %dx%d (allowed: width and height of at least %d)",
				corrupt.ErrSize, o.name, src.W, src.H, o.minSide)
		}
	}
	for i := range e.ops {
		o := &e.ops[i]
		for j, severity := range e.c.Severities {
			e.rand.Seed(CorruptionKey(key, o.name, severity))
			if err := e.apply(o, src, severity); err != nil {
				return err
			}
			if err := dst.Add(i*len(e.c.Severities)+j, 0, &e.dst); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *corruptor) apply(o *operation, src *raster.Image, severity int) error {
	if o.isBar {
		return o.bar.Apply(&e.dst, src, severity, e.c.Bar, &e.rand, &e.bar)
	}
	return o.plain.Apply(&e.dst, src, severity, e.c.Profile, &e.rand, &e.scratch)
}
