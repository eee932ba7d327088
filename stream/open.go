package stream

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/transform"
)

// Options say which stream of a data set is wanted. The zero value is every corruption in turn at severity 5, with seed 0.
type Options struct {
	Order  string  // what [Parse] reads; "" is continual
	Errors *Errors // for a walk that keeps an error; see [ReadErrors]
	Seed   uint64  // of every random choice
	// Manifest is a file that [Source.WriteManifest] wrote. It takes the place of Order, Errors and Seed, and of the plan's names.
	// The other settings are to be those of its images.
	Manifest string
	// Complete adds to a copy of the plan what its names ask for, once they are known: textures of frost, the profile of
	// package cbar. It returns the settings that a plan does not say: which textures, the parameters of its own corruptions, how the
	// data is read. It is called again with fewer names where the order does not come to all of them. Nil adds nothing.
	Complete func(plan *transform.Corruptions) (Settings, error)
}

// Open returns the stream of src that the options ask for. plan names the corruptions, in the order of continual streams, and
// says how images are prepared and which parameters corruptions have; its Severities are not used, and it is not kept.
// Closing the stream closes src, which stays open when Open fails. The error wraps [ErrOrder] for an order or a manifest that is none
// of src, is an [*OtherSettingsError] for a manifest of images that were made in another way, or wraps [data.ErrUnsupported] for a src that can only be read from front to end or is nil. A
// plan that is nil is an [ErrOrder].
func Open(src data.Source, plan *transform.Corruptions, o Options) (*Source, error) {
	if err := given(src, plan); err != nil {
		return nil, err
	}
	from, ok := src.(data.Indexed)
	if !ok {
		info := src.Info()
		return nil, fmt.Errorf("%w: a stream takes samples from anywhere in the data set, and %s; convert it first", data.ErrUnsupported,
			info.FrontToEnd())
	}
	samples, err := Describe(from)
	if err != nil {
		return nil, err
	}
	own := *plan
	order, spec, seed, was := Order(nil), "", o.Seed, Settings(nil)
	if o.Manifest != "" {
		r, err := readManifestFile(o.Manifest, samples)
		if err != nil {
			return nil, err
		}
		order, seed, own.Names, was = r.Order, r.Seed, r.Corruptions, r.Settings
	} else if order, spec, err = newOrder(o, samples, own.Names); err != nil {
		return nil, err
	}
	settings, err := o.complete(&own)
	if err != nil {
		return nil, err
	}
	if o.Manifest != "" {
		if err := checkNames(o.Manifest, order, &own); err != nil {
			return nil, err
		}
	}
	s, err := NewSource(from, order, &own, seed)
	if err != nil {
		return nil, err
	}
	if came := occurring(order, own.Names); len(came) < len(own.Names) {
		less := own
		less.Names = came
		if settings, err = o.complete(&less); err != nil {
			return nil, err
		}
	}
	s.samples, s.spec, s.settings = samples, spec, settings
	if err := was.check(s.settings); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Manifest, err)
	}
	return s, nil
}

// given returns an error where the data or the plan of a stream is nil.
func given(src data.Source, plan *transform.Corruptions) error {
	switch {
	case src == nil:
		return fmt.Errorf("%w: the source of the stream is nil", data.ErrUnsupported)
	case plan == nil:
		return fmt.Errorf("%w: the plan is nil (allowed: one that names corruptions)", ErrOrder)
	}
	return nil
}

// complete calls Complete and returns all settings of the plan's images.
func (o *Options) complete(plan *transform.Corruptions) (Settings, error) {
	var more Settings
	if o.Complete != nil {
		var err error
		if more, err = o.Complete(plan); err != nil {
			return nil, err
		}
	}
	settings := settingsOf(plan)
	maps.Copy(settings, more)
	return settings, nil
}

// occurring returns the names that an order comes to: a walk may be over before it reaches frost, and images without frost do
// not depend on its textures. A manifest has these names alone.
func occurring(order Order, names []string) []string {
	came := map[string]bool{}
	for i := 0; i < order.Len() && len(came) < len(names); i++ {
		for _, c := range order.At(i).Changes {
			if c.Corruption != "" {
				came[c.Corruption] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !came[name] })
}

// Names is [transform.ExpandCorruptions] for the plan of a stream: the corruptions come in the order of the list, in which
// continual and gradual streams take them, and those of a subset in published order.
func Names(list []string, bar cbar.Profile, own ...corrupt.Corruption) ([]string, error) {
	if len(list) == 0 {
		return transform.ExpandCorruptions(nil, bar, own...) // the error of nothing chosen
	}
	var names []string
	for _, item := range list {
		some, err := transform.ExpandCorruptions([]string{item}, bar, own...)
		if err != nil {
			return nil, err
		}
		for _, name := range some {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// newOrder makes the order that the options spell out, and says its spec in full.
func newOrder(o Options, samples Samples, names []string) (Order, string, error) {
	spec, err := Parse(cmp.Or(o.Order, string(Continual)))
	if err != nil {
		return nil, "", err
	}
	d := Data{Samples: len(samples.Keys), Labels: samples.Labels, Corruptions: names, Errors: o.Errors, Seed: o.Seed}
	order, err := New(spec, d)
	return order, spec.String(), err
}
