package transform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/perturb"
)

// A benchmark that is there, in parts called as Variant.Dir or Variant.Name says, can be extended: by the union of what is
// there and what is asked for, which must be names by severities again, for a plan says no more.

// Extend adds the corruptions and severities of parts, such as "fog/3" or "fog", to names and severities that are asked for.
// The result of the former is for [ExpandCorruptions].
func (c *Corruptions) Extend(parts []string) (names []string, severities []float64) {
	severities = slices.Clone(c.severities())
	for _, part := range parts {
		name, severity, _ := strings.Cut(part, "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if s, err := strconv.ParseFloat(severity, 64); err == nil && !slices.Contains(severities, s) {
			severities = append(severities, s)
		}
	}
	slices.Sort(severities)
	return names, severities
}

// Extend adds the perturbations and difficulties of parts, such as "tilt" or "gaussian_noise_2", to those of the plan. What is no
// noise has difficulty 1.
func (c *Perturbations) Extend(parts []string) {
	names, difficulties := slices.Clone(c.Names), slices.Clone(c.Difficulties)
	for _, name := range perturb.Names() {
		p, err := perturb.ByName(name)
		if err != nil {
			continue
		}
		for d := 1; d <= perturb.Difficulties; d++ {
			if dir, err := p.Dir(d); err == nil && slices.Contains(parts, dir) {
				names = append(names, name)
				if !slices.Contains(difficulties, d) {
					difficulties = append(difficulties, d)
				}
			}
		}
	}
	c.Names = slices.DeleteFunc(perturb.Names(), func(name string) bool { return !slices.Contains(names, name) })
	slices.Sort(difficulties)
	c.Difficulties = difficulties
}

// CheckUnion returns an error that wraps [ErrOption] unless all is in parts or among asked, both under the names that
// name gives variants: a plan that holds more than what is there and what is asked for.
func CheckUnion(all, asked []Variant, parts []string, name func(Variant) string) error {
	var more []string
	for _, v := range all {
		if !slices.Contains(parts, name(v)) && !slices.Contains(asked, v) {
			more = append(more, name(v))
		}
	}
	if more == nil {
		return nil
	}
	few := more[:min(len(more), 4)]
	return fmt.Errorf("%w: the output would hold only some of its parts at all severities or difficulties: %s would be lacking "+
		"(%d in all); ask for them too, or choose another output", ErrOption, strings.Join(few, ", "), len(more))
}
