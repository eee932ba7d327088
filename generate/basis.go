package generate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/transform"
)

// basis is what images depend on by what the package itself knows of a job, whatever options its caller names.
type basis struct {
	Seed *uint64           `json:"seed,omitempty"` // nil: not known, as in a journal of an earlier version
	Plan map[string]string `json:"plan,omitempty"` // settings of the task, as far as it says any
	// OptionSums are the job's.
	OptionSums map[string]string `json:"option_sums,omitempty"`
}

// changes appends to the differences d, of options, that the seed is another, or what a file holds that an option names, where they do
// not say so already, and the settings that are others, where no option differs from which they could follow. Sums and settings that only
// one of them has are none: they are of forms that only one has, or an earlier version did not note them.
func (b basis) changes(d []Difference, now basis) []Difference {
	options := len(d)
	named := func(name string) bool {
		return slices.ContainsFunc(d, func(d Difference) bool { return d.Name == name })
	}
	if b.Seed != nil && now.Seed != nil && *b.Seed != *now.Seed && !named("seed") {
		d = append(d, Difference{"seed", fmt.Sprint(*b.Seed), fmt.Sprint(*now.Seed)})
	}
	for _, sum := range others(b.OptionSums, now.OptionSums) {
		if !named(sum.Name) {
			d = append(d, sum)
		}
	}
	if options > 0 {
		return d
	}
	return append(d, others(b.Plan, now.Plan)...)
}

// others lists the values that differ between was and now, of names that both have.
func others(was, now map[string]string) (d []Difference) {
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is, ok := now[name]; ok && is != was[name] {
			d = append(d, Difference{name, cmp.Or(was[name], "none"), cmp.Or(is, "none")})
		}
	}
	return d
}

// settled is a task that knows what its images depend on.
type settled interface {
	// plan returns what the images are made by, nil where that is not known.
	plan() transform.Plan
	// settings returns how they are written, nil where that is not known.
	settings() map[string]string
}

// basis returns what the job's images depend on. A job of parts is not of the forms that these name.
func (j *Job) basis() basis {
	b := basis{Seed: &j.Seed, Plan: map[string]string{}, OptionSums: j.OptionSums}
	t, ok := j.Task.(settled)
	if !ok {
		return b
	}
	if p := t.plan(); p != nil {
		maps.Copy(b.Plan, p.Settings())
	}
	if j.Parts != nil {
		for _, name := range transform.FormSettings() {
			delete(b.Plan, name)
		}
	}
	maps.Copy(b.Plan, t.settings())
	return b
}

func (m *Manifest) basis() basis { return basis{&m.Seed, m.Plan, m.OptionSums} }

// checkTask returns an error where there is no source or task, or the task asks for what cannot be, before anything is made. Of a stream,
// which may be one of many, only the functions of the task and what a [Benchmark] says are looked at.
func (j *Job) checkTask() error {
	if err := j.checkGiven(); err != nil {
		return err
	}
	if c, ok := j.Task.(interface{ checkOptions() error }); ok {
		if err := c.checkOptions(); err != nil {
			return err
		}
	}
	t, ok := j.Task.(settled)
	if !ok || j.Out.stream() {
		return nil
	}
	p := t.plan()
	if err := checkPlan(p); err != nil {
		return err
	}
	return j.checkPartners(p)
}

// checkGiven returns an error where there is no source or no task.
func (j *Job) checkGiven() error {
	switch {
	case j.Source == nil:
		return fmt.Errorf("%w: Source is nil (allowed: an open data set)", ErrOption)
	case j.Task == nil:
		return fmt.Errorf("%w: Task is nil (allowed: Images, SoftImages, Variants, Mirror)", ErrOption)
	}
	return nil
}

// checkPartners returns an error where a pipeline's Mix takes partners and the task gives it none: every sample would be rejected.
func (j *Job) checkPartners(p transform.Plan) error {
	made, ok := p.(*transform.Pipeline)
	if !ok || made.Mix == nil || !made.Mix.NeedsPartner() {
		return nil
	}
	if _, soft := j.Task.(SoftImages); !soft {
		return fmt.Errorf("%w: mix %s, which mixes labels too, and a task without soft labels (allowed: that of PipelineTask)", ErrOption, made.Mix)
	}
	if made.Source == nil {
		return fmt.Errorf("%w: mix %s and no Source of partners (allowed: a Pipeline with one)", ErrOption, made.Mix)
	}
	return nil
}

// checkPlan is the Check of a plan, nil for one that is not known.
func checkPlan(p transform.Plan) error {
	if p == nil {
		return nil
	}
	if err := p.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	return nil
}

func (t Images) checkOptions() error { return checkFuncs(t.Open == nil, t.Transform == nil) }

func (t SoftImages) checkOptions() error { return checkFuncs(t.Open == nil, t.Transform == nil) }

func (t Variants) checkOptions() error {
	if t.bench == nil {
		return checkFuncs(t.Open == nil, t.Transform == nil)
	}
	return t.bench.check()
}

// checkFuncs returns an error where a task lacks a function.
func checkFuncs(noOpen, noTransform bool) error {
	switch {
	case noOpen:
		return fmt.Errorf("%w: Open of the task is nil (allowed: a function that opens the sink)", ErrOption)
	case noTransform:
		return fmt.Errorf("%w: Transform of the task is nil (allowed: a function that returns what makes the images)", ErrOption)
	}
	return nil
}

func (t Images) plan() transform.Plan { return transform.PlanOf(t.Transform()) }

func (t Images) settings() map[string]string { return nil }

func (t SoftImages) plan() transform.Plan { return transform.PlanOf(t.Transform()) }

func (t SoftImages) settings() map[string]string { return nil }

func (t Variants) plan() transform.Plan {
	if t.bench != nil {
		return t.bench.plan()
	}
	return transform.PlanOf(t.Transform())
}

func (t Variants) settings() map[string]string {
	if t.bench != nil {
		return t.bench.settings()
	}
	return nil
}

func (t Mirror) plan() transform.Plan {
	if t.bench != nil {
		return t.bench.plan()
	}
	return transform.PlanOf(t.Transform())
}

func (t Mirror) settings() map[string]string {
	made := map[string]string{"format": FormatTree, "quality": fmt.Sprint(cmp.Or(t.Quality, data.DefaultQuality))}
	if t.Warp != nil {
		made["min-visible"], made["mask-fill"] = fmt.Sprint(t.Options.MinVisible), fmt.Sprint(t.Options.MaskFill)
	}
	return made
}
