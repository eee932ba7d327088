package transform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/perturb"
)

// Plan is what a transform of this package was made of: a *[Pipeline], *[Corruptions] or *[Perturbations].
type Plan interface {
	// Check returns an error that wraps [ErrOption] where the plan asks for what cannot be made of any image.
	Check() error
	// Settings says in words what the plan makes, by the names of its settings, so that what was made by one plan can be told from what
	// another would make. A setting that only some forms have, such as a profile, is there where one of them is. What no words say is
	// not among them: the photographs of a [corrupt.FrostSet], the parameters of a caller's own corruptions, the images of a mixing set.
	Settings() map[string]string
}

// PlanOf returns the plan that t, a [Transform], [SoftTransform] or [MultiTransform], was made of, nil where it is none of this package.
func PlanOf(t any) Plan {
	if made, ok := t.(interface{ plan() Plan }); ok {
		return made.plan()
	}
	return nil
}

func (a *applier) plan() Plan { return a.pipeline }

func (s *single) plan() Plan { return PlanOf(s.transform) }

func (t *corruptor) plan() Plan { return t.of }

func (e *perturber) plan() Plan { return e.c }

// FormSettings names the settings of [Corruptions] and [Perturbations] that only say which forms there are.
func FormSettings() []string {
	return []string{"corruptions", "severities", "perturbations", "difficulties", "variants"}
}

// Moving names what in the pipeline moves pixels from under boxes and masks, or mixes others in, but for what moves them with the image,
// Shared, and for a resize or a crop that may leave the image as it is. Stages of a Mix that are not this module's are not known.
func (p *Pipeline) Moving() (names []string) {
	if p.Crop.Kind == ResizedCrop || p.Crop.Kind == RandomCrop && p.Crop.Pad > 0 {
		names = append(names, "crop "+p.Crop.String())
	}
	if p.Flip {
		names = append(names, "flip")
	}
	for _, o := range p.Ops {
		if o.Op.Moves {
			names = append(names, o.String())
		}
	}
	if p.Mix == nil {
		return names
	}
	spec, err := mix.ParseSpec(p.Mix.String())
	if err != nil { // a stage of the caller's
		return names
	}
	for _, name := range spec.Moving() {
		names = append(names, p.Mix.String()+" ("+name+")")
	}
	return names
}

// Settings implements [Plan].
func (p *Pipeline) Settings() map[string]string {
	ops := make([]string, len(p.Ops))
	for i, o := range p.Ops {
		ops[i] = o.String()
	}
	made := p.prepareSettings()
	made["flip"], made["ops"] = strconv.FormatBool(p.Flip), strings.Join(ops, " ")
	made["mix"] = mix.None{}.String()
	if p.Mix != nil {
		made["mix"] = p.Mix.String()
	}
	made["views"], made["epoch"] = strconv.Itoa(max(p.Views, 1)), strconv.Itoa(p.Epoch)
	made["fill"] = fmt.Sprintf("%d,%d,%d", p.Fill.R, p.Fill.G, p.Fill.B)
	made["shared"] = strconv.FormatFloat(p.Shared, 'g', -1, 64)
	return made
}

// prepareSettings are the settings of the resize and the crop; a filter that nothing is resized by is none.
func (p *Pipeline) prepareSettings() map[string]string {
	made := map[string]string{"size": strconv.Itoa(p.Size), "crop": p.Crop.String(), "filter": ""}
	if p.Size > 0 || p.Crop.Kind == ResizedCrop {
		made["filter"] = p.Filter.String()
	}
	return made
}

// Check implements [Plan]: there are corruptions, known ones, at severities from 0 to 5.
func (c *Corruptions) Check() error {
	if err := checkForms(c.Size, c.Filter, c.Crop); err != nil {
		return err
	}
	if len(c.Variants()) == 0 {
		return fmt.Errorf("%w: no corruptions chosen (allowed: one or more)", ErrOption)
	}
	if err := c.checkOwn(); err != nil {
		return err
	}
	for _, name := range c.Names {
		if _, err := c.Corruption(name); err != nil {
			return err
		}
	}
	for _, s := range c.severities() {
		if !(s >= 0 && s <= corrupt.Severities) {
			return option.Errorf(ErrOption, "{severity} %v (allowed: 0 to %d)", s, corrupt.Severities)
		}
	}
	return nil
}

// severities returns those of the plan, 1 to 5 where it names none.
func (c *Corruptions) severities() []float64 {
	if len(c.Severities) > 0 {
		return c.Severities
	}
	all := make([]float64, corrupt.Severities)
	for i := range all {
		all[i] = float64(1 + i)
	}
	return all
}

// Settings implements [Plan].
func (c *Corruptions) Settings() map[string]string {
	made := Prepared(c.Size, c.Filter, c.Crop).prepareSettings()
	made["corruptions"], made["severities"] = strings.Join(c.Names, ","), FormatSeverities(c.severities())
	if c.Only != nil {
		made["variants"] = variantNames(c.Variants())
	}
	for _, name := range c.Names {
		if _, err := corrupt.ByName(name); err == nil && c.Tables != nil {
			made["tables"] = c.Tables.Sum()
		} else if err == nil {
			made["profile"] = c.Profile.String()
		}
		if _, err := cbar.ByName(name); err == nil {
			made["bar-profile"] = c.Bar.String()
		}
		if c.Groups != nil && slices.Contains(Shared, name) {
			made["groups"] = c.Groups.pattern.String()
		}
	}
	return made
}

func variantNames(variants []Variant) string {
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.Dir()
	}
	return strings.Join(names, " ")
}

// Check implements [Plan]: there are perturbations, known ones, each at difficulties of which it has one.
func (c *Perturbations) Check() error {
	if err := checkForms(c.Size, c.Filter, c.Crop); err != nil {
		return err
	}
	for _, name := range c.Names {
		if _, err := perturb.ByName(name); err != nil {
			return fmt.Errorf("%w: %w", ErrOption, err)
		}
	}
	for _, d := range c.Difficulties {
		if d < 1 || d > perturb.Difficulties {
			return option.Errorf(ErrOption, "{difficulty} %d (allowed: 1 to %d)", d, perturb.Difficulties)
		}
	}
	if len(c.Variants()) == 0 {
		return fmt.Errorf("%w: no perturbations chosen (allowed: one or more, at a difficulty that one of them has)", ErrOption)
	}
	return nil
}

// Settings implements [Plan].
func (c *Perturbations) Settings() map[string]string {
	made := Prepared(c.Size, c.Filter, c.Crop).prepareSettings()
	made["perturbations"], made["difficulties"] = strings.Join(c.Names, ","), fmt.Sprint(c.Difficulties)
	made["profile"], made["animation"] = c.Profile.String(), strconv.Itoa(int(c.Animation))
	if c.Animation != NoAnimation {
		made["delay"] = c.Delay.String()
	}
	if c.Only != nil {
		made["variants"] = variantNames(c.Variants())
	}
	return made
}
