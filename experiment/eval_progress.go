package experiment

import (
	"strings"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/transform"
)

// Progress is how far an evaluation is. Work is counted in images that go through the model, about.
type Progress struct {
	What         string // the measurement at work: clean, a corruption, a set
	Index, Count int    // of the measurement, from 1, and of all
	Done, Total  int    // work of all measurements; Total is -1 where the size of the test set is not known
	Reused       int    // part of Done that an earlier run did
}

// planned is what a suite is going to measure.
type planned struct {
	items  int // measurements
	weight int // images of one, for each of the test set
	each   int // measurements that are reused together: the severities of a corruption on disk
}

// tracker turns what package eval tells of single measurements into the progress of all.
type tracker struct {
	r       *evaluation
	suites  map[string]planned
	n       int // of the test set; 0: not known
	before  int // measurements of the suites that are done
	weight  int // their work, for each image of the test set
	current planned
	last    string   // measurement at work
	index   int      // of it in its suite, from 1
	reused  int      // work, as weight
	names   []string // reused and not yet said
}

// watch makes the evaluator tell the tracker.
func (r *evaluation) watch() *tracker {
	t := &tracker{r: r, suites: map[string]planned{}, n: r.signature.N}
	for i := range suites {
		if s := &suites[i]; r.suites[s.Name] && s.run != nil {
			t.suites[s.Name] = r.planOf(s)
		}
	}
	r.evaluator.Report, r.evaluator.Reused = t.report, t.reuse
	return t
}

// planOf counts the measurements of a suite. Names that do not exist are the suite's error.
func (r *evaluation) planOf(s *Suite) planned {
	severities, _ := transform.ParseSeverities(r.Severity)
	onDisk := func(dir string, names []string) planned {
		if dir != "" { // every severity is a measurement
			return planned{len(severities) * len(names), 1, len(severities)}
		}
		return planned{len(names), len(severities), 1}
	}
	switch s.Name {
	case suiteC:
		var names []string
		if profile, err := r.profile(); err == nil {
			bar, _ := r.barProfile()
			names, _ = r.names(r.Subset, r.C, profile, bar)
		}
		return onDisk(r.C, names)
	case suiteCBar:
		names, _ := transform.ExpandCorruptions([]string{transform.BarSubset}, cbar.CIFAR)
		return onDisk(r.Cbar, names)
	case suiteP:
		names, _ := transform.ExpandPerturbations(r.Perturbation)
		return planned{len(names), s.Passes / 10, 1}
	case suiteOOD:
		return planned{1 + len(ood.Sets()) + len(r.OOD), 1, 1}
	}
	return planned{1, s.Passes, 1}
}

// begin says which suite is at work.
func (t *tracker) begin(suite string) {
	t.before += t.current.items
	t.weight += t.current.items * t.current.weight
	t.current, t.index, t.last = t.suites[suite], 0, ""
}

// next goes to another measurement of the suite.
func (t *tracker) next(what string) {
	if what != t.last {
		t.last = what
		t.index = min(t.index+1, max(t.current.items, 1))
	}
}

func (t *tracker) report(what string, done, total int) {
	if what == eval.AllForms {
		t.reportAll(done, total)
		return
	}
	t.next(what)
	t.sayReused()
	if t.r.Report == nil {
		return
	}
	part := 0.0
	if total > 0 {
		part = float64(done) / float64(total)
	}
	p := Progress{What: what, Index: t.before + t.index, Total: -1}
	items := 0
	for _, s := range t.suites {
		p.Count += s.items
		items += s.items * s.weight
	}
	if t.n > 0 {
		here := float64(t.weight) + (float64(t.index-1)+part)*float64(t.current.weight)
		p.Done, p.Total, p.Reused = int(here*float64(t.n)), items*t.n, t.reused*t.n
	}
	t.r.Report(p)
}

// reportAll tells how far the pass is that makes all forms.
func (t *tracker) reportAll(done, total int) {
	if t.r.Report == nil {
		return
	}
	p := Progress{What: eval.AllForms, Index: 1, Count: 1, Total: -1}
	if total > 0 && t.n > 0 {
		for _, s := range t.suites {
			p.Total = max(p.Total, 0) + s.items*s.weight*t.n
		}
		p.Done = int(float64(p.Total) * float64(done) / float64(total))
	}
	t.r.Report(p)
}

// reuse counts a measurement that the folder has.
func (t *tracker) reuse(what string) {
	for range t.current.each {
		t.last = ""
		t.next(what)
	}
	t.reused += t.current.each * t.current.weight
	t.names = append(t.names, what)
}

// sayReused says what is not measured again, before the next measurement and at the end.
func (t *tracker) sayReused() {
	if len(t.names) > 0 {
		logf(t.r.Say, "not measured again, as %s has it: %s", storage.Clean(t.r.dir), strings.Join(t.names, ", "))
	}
	t.names = nil
}
