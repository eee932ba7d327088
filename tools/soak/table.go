//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// counts are those of a scenario, or of all.
type counts struct {
	trials, same, refused, bad int
	hits                       map[string]int // by kind of attack
	byKind                     map[string]int // trials
}

func (c *counts) add(t *trial) {
	if c.hits == nil {
		c.hits, c.byKind = map[string]int{}, map[string]int{}
	}
	c.trials++
	c.byKind[t.kind]++
	c.hits[t.kind] += t.hits
	switch t.verdict {
	case same:
		c.same++
	case refused:
		c.refused++
	case bad:
		c.bad++
	}
}

// summary collects the trials.
type summary struct {
	all       counts
	scenarios map[string]*counts
	failures  []string
}

func (s *summary) bad() int { return s.all.bad }

// add counts a trial and removes its folder, or says what is bad and keeps it.
func (s *summary) add(cfg config, t *trial) {
	if s.scenarios == nil {
		s.scenarios = map[string]*counts{}
	}
	if s.scenarios[t.name] == nil {
		s.scenarios[t.name] = &counts{}
	}
	s.all.add(t)
	s.scenarios[t.name].add(t)
	if t.verdict != bad {
		os.RemoveAll(t.dir) //nolint:errcheck // else it stays in the folder of trials
		return
	}
	text := t.failure(cfg)
	s.failures = append(s.failures, text)
	fmt.Fprint(progress, text)
}

// failure says what is bad, what happened before, where it lies and how to try it again.
func (t *trial) failure(cfg config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "BAD %s %s %d: %s\n", t.name, t.kind, t.number, t.cause)
	fmt.Fprintf(&b, "    augmix %s\n", strings.Join(t.args, " "))
	for _, line := range t.log {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "    left in %s\n", t.dir)
	fmt.Fprintf(&b, "    again: soak --augmix %s --seed %d --only '^%s$' --kind %s --trial %d\n", cfg.program, cfg.seed, t.name, t.kind, t.number)
	return b.String()
}

// table is the result for people and for docs/reliability.md.
func (s *summary) table(cfg config, chosen []scenario, took time.Duration) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "command\tformat\ttrials\t%s\tsame\trefused\tbad\t\n", strings.Join(columns(), "\t"))
	for _, c := range chosen {
		if of := s.scenarios[c.name]; of != nil {
			of.row(w, c.command(), c.format)
		}
	}
	s.all.row(w, "all", "")
	w.Flush() //nolint:errcheck // into memory
	fmt.Fprintf(&b, "\nkills, at calls, errors, signals, damaged, told: attacks that hit; seed %d, %d at a time, %v\n",
		cfg.seed, cfg.jobs, took.Round(time.Second))
	if len(s.failures) > 0 {
		slices.Sort(s.failures)
		fmt.Fprintf(&b, "\n%s", strings.Join(s.failures, "\n"))
	}
	return b.String()
}

// columns are the heads of the kinds of attacks, in their order.
func columns() []string { return []string{"kills", "at calls", "errors", "signals", "damaged", "told"} }

func (c *counts) row(w *tabwriter.Writer, command, format string) {
	fmt.Fprintf(w, "%s\t%s\t%d\t", command, format, c.trials)
	for _, k := range kinds {
		fmt.Fprintf(w, "%d\t", c.hits[k.name])
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t\n", c.same, c.refused, c.bad)
}
