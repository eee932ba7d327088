package main

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// plan checks the flags and says what is made, but for the corruptions.
func (c *corruptCmd) plan() (plan *transform.Corruptions, profile *tables.Set, err error) {
	plan = &transform.Corruptions{Size: c.Size, Crop: c.Crop}
	if plan.Severities, err = transform.ParseSeverities(c.Severity); err != nil {
		return nil, nil, err
	}
	if profile, err = openProfile(c.Profile); err != nil {
		return nil, nil, err
	}
	plan.Profile, plan.Tables, plan.Own = profile.Profile, profile.Tables, append(profile.Own(), styletransfer.Op{})
	c.Subset = ownList(c.Profile, profile, c.Subset)
	if c.GroupBy != "" {
		if plan.Groups, err = transform.ParseGroups(c.GroupBy, c.Seed); err != nil {
			return nil, nil, err
		}
	}
	if plan.Filter, err = augment.ParseFilter(c.Filter); err != nil {
		return nil, nil, err
	}
	return plan, profile, nil
}

// checkGroups looks, before anything is written, for a sample in no group where keys are known without the images. With --on-error skip
// such samples are left out when their turn comes.
func (c *corruptCmd) checkGroups(groups *transform.Groups, src data.Source) error {
	from, ok := src.(data.Describer)
	if groups == nil || !ok || c.OnError == "skip" {
		return nil
	}
	var s data.Sample
	for i := range from.Len() {
		from.Describe(i, &s)
		if _, err := groups.Of(s.Key); err != nil {
			return fmt.Errorf("%w\n(--on-error skip leaves it out)", &data.SampleError{Name: s.Name, Key: s.Key, Err: err})
		}
	}
	return nil
}

// ownList is the list of a profile of MedMNIST-C, built in or in a file, for the subset all, and the subset otherwise.
func ownList(name string, profile *tables.Set, subset []string) []string {
	if (tables.Text(name) != "" || len(profile.Medical) > 0) && slices.Equal(subset, []string{"all"}) {
		return profile.Names
	}
	return subset
}

// openProfile opens what the flag --profile names.
func openProfile(name string) (*tables.Set, error) {
	set, err := tables.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return set, nil
}

// extras opens what some of the corruptions take, and records what their images depend on besides the flags.
func (c *corruptCmd) extras(a *app, plan *transform.Corruptions, profile *tables.Set, e *expansion) (err error) {
	if slices.Contains(plan.Names, "frost") {
		if plan.Frost, err = c.textures(a); err != nil {
			return err
		}
		about, err := c.about()
		if err != nil {
			return err
		}
		e.notes = append(e.notes, generate.Option{Name: "frost", Value: about})
	}
	if sum := profile.Sum(); sum != "" {
		e.notes = append(e.notes, generate.Option{Name: "parameters", Value: sum})
	}
	own, styles, err := c.own(a, plan.Names)
	if err != nil {
		return err
	}
	if plan.Own = append(profile.Own(), own...); styles != "" {
		e.notes = append(e.notes, generate.Option{Name: "style_transfer", Value: styles})
	}
	return nil
}

// expand resolves the corruptions and severities of the plan: those that are asked for, which it returns, and those that a
// finished OUT holds already.
func (c *corruptCmd) expand(e *expansion, plan *transform.Corruptions) (asked []transform.Variant, err error) {
	if err := e.findParts(); err != nil {
		return nil, err
	}
	wanted := transform.Corruptions{Severities: plan.Severities}
	given := c.Subset
	names, severities := plan.Extend(e.have)
	c.Subset = slices.Concat(given, names)
	if plan.Bar, err = barProfile(c.BarProfile, plan.Profile, c.Subset, e.side); err != nil {
		return nil, err
	}
	if wanted.Names, err = transform.ExpandCorruptions(given, plan.Bar, plan.Own...); err != nil {
		return nil, err
	}
	if _, err := transform.ExpandCorruptions(names, plan.Bar, plan.Own...); err != nil && len(names) > 0 {
		return nil, fmt.Errorf("%s was %w: another --profile, and it holds what this one lacks (allowed: another output, or --force): %v",
			e.path, generate.ErrDiffers, err)
	}
	if plan.Names, err = transform.ExpandCorruptions(c.Subset, plan.Bar, plan.Own...); err != nil {
		return nil, err
	}
	plan.Severities = severities
	if have := (&transform.Corruptions{Names: names}); e.bench.Format == "npy" && e.have != nil && have.Published() != plan.Published() {
		return nil, usagef("-o %s: with corruptions of cbar, labels.npy is int64, without uint8, so that these corruptions need another output", e.path)
	}
	return wanted.Variants(), nil
}

// barOption is the profile of the corruptions of cbar in args.yaml. Where there are none it is no option of the output, so that it may
// get some later.
func barOption(plan *transform.Corruptions) string {
	if !transform.AsksBar(plan.Names) {
		return ""
	}
	return plan.Bar.String()
}

// barProfile resolves the flag --bar-profile for the corruptions of subset. side, the shorter side of the images, is asked only
// where it makes a difference.
func barProfile(bar string, profile corrupt.Profile, subset []string, side func() (int, error)) (cbar.Profile, error) {
	if bar != "auto" {
		return cbar.ParseProfile(bar)
	}
	return transform.BarProfile(subset, profile, side)
}
