package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// namedMost is how many corruptions are named where it is said what a mean is over; of more there is the number alone.
const namedMost = 8

// isMean reports whether a cell is a mean over all corruptions or perturbations of a set.
func isMean(c results.Cell) bool {
	return c.Corruption == "" && c.Group == "" && c.OOD == "" && score.Benchmark(c.Dataset) != nil
}

// corruptionsOf are the names of the corruptions or perturbations that the subject has rows of, in their order.
func (s *Subject) corruptionsOf(set, part string) (names []string) {
	for r := range s.measured() {
		if r.Dataset == set && r.Part == part && r.Corruption != "" && !slices.Contains(names, r.Corruption) {
			names = append(names, r.Corruption)
		}
	}
	return names
}

// ownMean are the corruptions behind a mean of the subject where those are not the ones of the benchmark that the set is called
// after, as where a user's own corruption alone was scored; nil where they are, or where no row says which they are.
func (s *Subject) ownMean(c results.Cell) []string {
	if s.Origin != results.Measured || !isMean(c) {
		return nil
	}
	if len(s.members) > 0 { // which have one list, where there is a mean over them
		return s.members[0].ownMean(c)
	}
	names := s.corruptionsOf(c.Dataset, c.Part)
	given := s.book.Given(c)
	if given.Row != nil && len(given.Row.Over) > 0 {
		names = given.Row.Over
	}
	if n := s.Get(c); !n.Has() || len(names) == 0 || !given.Has() && !metrics.OfMedMNISTC(names...) {
		return nil
	}
	usual := score.Benchmark(c.Dataset)
	own, err := score.BenchmarkOf(c.Dataset, usual.Kind, names)
	if err != nil || sameNames(own.Primary(), usual.Primary()) {
		return nil
	}
	return own.Primary()
}

func sameNames(a, b []string) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
}

// meanOver says in words what a mean over corruptions is over, "" where it is those of the benchmark.
func (s *Subject) meanOver(c results.Cell) string {
	names := s.ownMean(c)
	if len(names) == 0 {
		return ""
	}
	return namesOf(score.Benchmark(c.Dataset).Kind, names)
}

// namesOf counts and names corruptions or perturbations.
func namesOf(kind metrics.Kind, names []string) string {
	what := kindName(kind)
	if len(names) == 1 {
		return "one " + what + " (" + spell(names[0]) + ")"
	}
	count := fmt.Sprintf("%d %ss", len(names), what)
	if len(names) > namedMost {
		return count
	}
	var spelt []string
	for _, name := range names {
		spelt = append(spelt, spell(name))
	}
	return count + " (" + strings.Join(spelt, ", ") + ")"
}

func kindName(kind metrics.Kind) string {
	if kind == metrics.PerturbationKind {
		return "perturbation"
	}
	return "corruption"
}

// meanNote says what the means of a column are over: the corruptions of the benchmark, those that were measured, or nothing where no
// model has the mean.
func (b *builder) meanNote(c results.Cell, p *metrics.Profile) string {
	list, usual, has := "", false, false
	for _, s := range b.subjects {
		if n := s.Get(c); !n.Has() {
			continue
		}
		over := s.meanOver(c)
		has, usual = true, usual || over == "" || has && over != list
		list = over
	}
	what := kindName(p.Kind)
	primary := score.Benchmark(c.Dataset).Primary()
	switch {
	case !has:
		return fmt.Sprintf("There is no mean, which needs %s. ", needs(c.Dataset))
	case usual:
		without := ""
		if slices.ContainsFunc(p.Corruptions, func(k metrics.Corruption) bool {
			one := c
			one.Corruption = k.Name
			return !slices.Contains(primary, k.Name) && b.has(one)
		}) {
			without = ", without the extra ones"
		}
		return fmt.Sprintf("Mean is over the %d %ss of the benchmark%s%s. ", len(primary), what, without, b.otherwise(c))
	}
	were := "were"
	if strings.HasPrefix(list, "one ") {
		were = "was"
	}
	return "Mean is over the " + list + " that " + were + " measured. "
}

// otherwise says that some means of a column are over others than the benchmark's corruptions.
func (b *builder) otherwise(c results.Cell) string {
	if slices.ContainsFunc(b.subjects, func(s *Subject) bool { return s.meanOver(c) != "" }) {
		return ", where not marked " + markCorruptions
	}
	return ""
}

// needs says what has to be measured for the mean over a set.
func needs(set string) string {
	p := score.Benchmark(set)
	n := len(p.Primary())
	if p.Kind == metrics.PerturbationKind {
		return fmt.Sprintf("all %d perturbations of the benchmark", n)
	}
	return fmt.Sprintf("severities 1 to %d of all %d corruptions of the benchmark", p.Severities, n)
}
