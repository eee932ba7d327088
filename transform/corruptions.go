package transform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruptions says how a corrupted form of a data set is made (-C, -C-bar, or of the caller's own corruptions): every image
// by every corruption at every severity. Draws come from the stream of [CorruptionKey].
type Corruptions struct {
	Names      []string             // of the corruptions, as ExpandCorruptions returns them; published ones and those of Own
	Own        []corrupt.Corruption // the caller's own corruptions, under names that are not published
	Severities []float64            // ascending: 0, and 0.001 to 5; nil means 1 to 5
	Profile    corrupt.Profile      // of the corruptions of package corrupt
	Tables     *corrupt.Tables      // in place of Profile; nil: none
	Bar        cbar.Profile         // of the corruptions of package cbar
	Frost      *corrupt.FrostSet    // for frost
	Size       int                  // resize the shorter side to this many pixels first; 0 keeps the size
	Filter     augment.Filter       // of that resize; published is augment.Bilinear, the zero value is augment.Box
	Crop       int                  // then crop the middle of this side; 0 crops nothing
	Groups     *Groups              // of samples that share draws; nil: none do
	// Only leaves out the variants for which it is false; nil leaves out none. An image that is too small for a corruption of
	// Names is rejected all the same.
	Only func(Variant) bool
}

// BarSubset names the ten corruptions of the -C-bar set among the subsets of [ExpandCorruptions].
const BarSubset = "cbar"

// ExpandCorruptions turns names of subsets (those of corrupt.Subsets, and cbar) and of single corruptions into the names
// of corruptions, in published order and each once; those of own, the caller's corruptions, follow. bar says which ten cbar
// stands for. The error wraps ErrOption.
func ExpandCorruptions(list []string, bar cbar.Profile, own ...corrupt.Corruption) ([]string, error) {
	ten, err := cbar.Names(bar)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	plan := &Corruptions{Bar: bar, Own: own}
	if err := plan.checkOwn(); err != nil {
		return nil, err
	}
	want := map[string]bool{}
	for _, item := range list {
		switch names, err := corrupt.Names(item); {
		case err == nil:
			addAll(want, names)
		case item == BarSubset:
			addAll(want, ten)
		default:
			if _, err := plan.Corruption(item); err != nil {
				return nil, err
			}
			want[item] = true
		}
	}
	names := slices.DeleteFunc(plan.known(), func(name string) bool { return !want[name] })
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: no corruptions chosen", ErrOption)
	}
	return names, nil
}

// CorruptionChoices returns what ExpandCorruptions takes: the subsets, then the corruptions, those of either profile of
// package cbar among them.
func CorruptionChoices() []string {
	choices := append(corrupt.Subsets(), BarSubset)
	for _, p := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		for _, name := range (&Corruptions{Bar: p}).known() {
			if !slices.Contains(choices, name) {
				choices = append(choices, name)
			}
		}
	}
	return choices
}

func addAll(set map[string]bool, names []string) {
	for _, name := range names {
		set[name] = true
	}
}

// known returns the names of all corruptions that the plan could make: the published ones in published order, then Own.
func (c *Corruptions) known() []string {
	names, _ := corrupt.Names("all")
	ten, _ := cbar.Names(c.Bar)
	names = append(names, ten...)
	for _, one := range c.Own {
		names = append(names, one.Name())
	}
	return names
}

// checkOwn returns an error unless the caller's corruptions have names of their own that can name files.
func (c *Corruptions) checkOwn() error {
	taken := append(CorruptionChoices(), "") // no name either
	for _, one := range c.Own {
		name := one.Name()
		if slices.Contains(taken, name) || strings.Contains(name, "/") || data.CheckKey(name) != nil {
			return fmt.Errorf("%w: a corruption called %q (allowed: a name that is not taken and can name a file)", ErrOption, name)
		}
		taken = append(taken, name)
	}
	return nil
}

// Corruption returns the corruption of that name with the plan's profiles. The error wraps ErrOption and lists what there is.
func (c *Corruptions) Corruption(name string) (corrupt.Corruption, error) {
	for _, one := range c.Own {
		if one.Name() == name {
			return one, nil
		}
	}
	if op, err := corrupt.ByName(name); err == nil {
		return op.WithProfile(c.Profile).WithTables(c.Tables).WithFrost(c.Frost), nil
	}
	if op, err := cbar.ByName(name); err == nil {
		if !op.In(c.Bar) {
			return nil, fmt.Errorf("%w: corruption %s is none of the ten of the %s profile", ErrOption, name, c.Bar)
		}
		return op.WithProfile(c.Bar), nil
	}
	if metrics.OfMedMNISTC(name) {
		return nil, fmt.Errorf("%w: corruption %s is of MedMNIST-C, and the profile has no parameters of it (allowed: with a profile that has, such as "+
			"medmnist-c/bloodmnist)", ErrOption, name)
	}
	known, subsets := c.known(), append(corrupt.Subsets(), BarSubset)
	return nil, fmt.Errorf("%w: corruption %q%s (allowed: %s, and the subsets %s)", ErrOption, name,
		suggest.Hint(name, slices.Concat(known, subsets)), strings.Join(known, ", "), strings.Join(subsets, ", "))
}

// Variants returns every corruption at every severity, in the order of Apply.
func (c *Corruptions) Variants() []Variant {
	var out []Variant
	for _, name := range c.Names {
		for _, severity := range c.severities() {
			if v := (Variant{Name: name, Severity: severity}); c.Only == nil || c.Only(v) {
				out = append(out, v)
			}
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

// OutputSize returns the size of the corrupted images of one of w by h pixels.
func (c *Corruptions) OutputSize(w, h int) (int, int) {
	return Prepared(c.Size, c.Filter, c.Crop).OutputSize(w, h)
}

// Transform returns the plan made ready for one goroutine. The Corruptions must not change while it is used. It panics if a
// name is not one that ExpandCorruptions returns, see Check; with a severity that ParseSeverities does not return, Apply returns an error.
func (c *Corruptions) Transform() MultiTransform {
	t := &corruptor{of: c, severities: c.severities(), prepare: applier{pipeline: Prepared(c.Size, c.Filter, c.Crop)}}
	for _, name := range c.Names {
		one, err := c.Corruption(name)
		if err != nil {
			panic("transform: " + err.Error())
		}
		t.list = append(t.list, named{name, one})
		t.shares = t.shares || slices.Contains(Shared, name)
	}
	t.only, t.groups = c.Only, c.Groups
	return t
}

// named is a corruption and its name, which is not asked for again with every image.
type named struct {
	name string
	corrupt.Corruption
}

// corruptor is the MultiTransform of Corruptions.
type corruptor struct {
	of         *Corruptions
	list       []named
	severities []float64
	only       func(Variant) bool
	groups     *Groups
	shares     bool    // one of list shares draws
	sample     string  // at hand
	clip       string  // its group
	group      rng.Key // of that
	channel    int     // of it, where channels are images of their own
	prepare    applier
	dst        raster.Image
	scratch    corrupt.Scratch
	rand       rng.Rand
}

// Apply implements [MultiTransform].
func (t *corruptor) Apply(dst *Parts, src *raster.Image, key rng.Key) error {
	src, err := t.prepare.geometry(src, key, raster.RGB{})
	if err != nil {
		return err
	}
	// All or none: files of different corruptions must have the same rows.
	for _, c := range t.list {
		if err := corruption.CheckSize(c.name, src, c.MinSide()); err != nil {
			return err
		}
	}
	if t.groups != nil && t.shares {
		t.groups.see(t.clip, frame{t.sample, src.W, src.H})
	}
	variant := -1
	for _, c := range t.list {
		if err := t.corrupt(dst, &variant, c, src, key); err != nil {
			return err
		}
	}
	return nil
}

// corrupt adds the variants of one corruption. variant is the last one so far.
func (t *corruptor) corrupt(dst *Parts, variant *int, c named, src *raster.Image, key rng.Key) error {
	defer t.letGo(workOf(c.Corruption, src.W, src.H))
	for _, severity := range t.severities {
		if t.only != nil && !t.only(Variant{Name: c.name, Severity: severity}) {
			continue
		}
		*variant++
		t.rand.Seed(CorruptionKey(t.keyOf(key, c.name), c.name, severity))
		if err := c.Apply(&t.dst, src, severity, &t.rand, &t.scratch); err != nil {
			return err
		}
		if err := dst.Add(*variant, 0, &t.dst); err != nil {
			return err
		}
	}
	return nil
}
