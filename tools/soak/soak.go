//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// reference is what an undisturbed run of a scenario makes, and how long it takes.
type reference struct {
	seed uint64
	tree map[string]string

	mu    sync.Mutex
	took  time.Duration
	found []call
}

// calls returns the system calls of an undisturbed run; they are found once.
func (r *reference) calls(t *trial) ([]call, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found != nil {
		return r.found, nil
	}
	dir := t.dir + ".calls"
	if err := removeAll(dir); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // else it stays in the folder of trials
	log := dir + ".strace"
	defer os.Remove(log) //nolint:errcheck // the same
	var all []string
	for _, name := range errorCalls {
		all = append(all, spelled(name))
	}
	p, err := start(t.ctx, dir, strace(log, t.line("20ms"), "-e", "trace="+strings.Join(all, ",")))
	if err != nil {
		return nil, err
	}
	if o := p.wait(); o.code != 0 {
		return nil, fmt.Errorf("under strace it exits %d: %s", o.code, brief(o.output))
	}
	r.found, err = readCalls(log)
	return r.found, err
}

// soak runs all trials that cfg asks for and returns the number of bad ones.
func soak(ctx context.Context, cfg config) (int, error) {
	began := time.Now()
	var chosen []scenario
	for _, s := range scenarios {
		if cfg.only.MatchString(s.name) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return 0, fmt.Errorf("--only %s: no such scenario; --list prints them", cfg.only)
	}
	if err := cfg.makeWork(); err != nil {
		return 0, err
	}
	kinds, err := cfg.usable()
	if err != nil {
		return 0, err
	}
	references, err := cfg.prepare(ctx, chosen)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(progress, "soak: %d scenarios, prepared in %v; trials in %s\n", len(chosen), time.Since(began).Round(time.Second), cfg.work)

	var mu sync.Mutex
	var sum summary
	jobs := make(chan *trial)
	var workers sync.WaitGroup
	for range cfg.jobs {
		workers.Go(func() {
			for t := range jobs {
				t.run(attackOf(t.kind))
				if ctx.Err() != nil {
					return // interrupted: what it found is the interruption
				}
				mu.Lock()
				sum.add(cfg, t)
				mu.Unlock()
			}
		})
	}
	go func() {
		for range time.Tick(30 * time.Second) {
			mu.Lock()
			fmt.Fprintf(progress, "soak: %v: %d trials, %d bad\n", time.Since(began).Round(time.Second), sum.all.trials, sum.bad())
			mu.Unlock()
		}
	}()
	cfg.deal(ctx, began, chosen, kinds, references, jobs)
	close(jobs)
	workers.Wait()
	if err := report(cfg, sum.table(cfg, chosen, time.Since(began))); err != nil {
		return 0, err
	}
	if sum.bad() == 0 {
		return 0, os.RemoveAll(cfg.work)
	}
	return sum.bad(), nil
}

// deal hands out trials: the first of every scenario, then the second, and so on.
func (cfg config) deal(ctx context.Context, began time.Time, chosen []scenario, kinds []string, refs map[string]*reference, jobs chan<- *trial) {
	for number := 0; cfg.trials == 0 || number < cfg.trials; number++ {
		if cfg.trial >= 0 && number > cfg.trial {
			return
		}
		for i, s := range chosen {
			if cfg.trial >= 0 && number != cfg.trial {
				continue
			}
			if cfg.limit > 0 && time.Since(began) > cfg.limit {
				return
			}
			kind := kinds[(number+i)%len(kinds)] // not all scenarios in the same attack at a time
			dir := filepath.Join(cfg.work, fmt.Sprintf("%s.%s.%d", s.name, kind, number))
			select {
			case jobs <- &trial{scenario: s, reference: refs[s.name], kind: kind, number: number, program: cfg.program, dir: dir, ctx: ctx}:
			case <-ctx.Done():
				return
			}
		}
	}
}

func attackOf(name string) func(*trial) error {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	return kinds[i].attack
}

// makeWork makes a new folder of the trials, in the one that the flag names.
func (cfg *config) makeWork() (err error) {
	if cfg.work != "" {
		if err := os.MkdirAll(cfg.work, 0o755); err != nil {
			return err
		}
	}
	if cfg.work, err = os.MkdirTemp(cfg.work, "soak-"); err != nil {
		return err
	}
	cfg.work, err = filepath.Abs(cfg.work)
	return err
}

// usable is the rotation of the attacks that are asked for and work here.
func (cfg config) usable() ([]string, error) {
	wanted := slices.Clone(rotation)
	wanted = slices.DeleteFunc(wanted, func(name string) bool { return !slices.Contains(cfg.kinds, name) })
	why := canTrace(cfg.work)
	if why == "" {
		return wanted, nil
	}
	count := len(wanted)
	wanted = slices.DeleteFunc(wanted, func(name string) bool { return name == "syscall" || name == "error" })
	if len(wanted) < count {
		fmt.Fprintln(progress, "soak: no attacks through system calls:", why)
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no attack is left: %s", why)
	}
	return wanted, nil
}

// prepare makes the inputs and the references.
func (cfg config) prepare(ctx context.Context, chosen []scenario) (map[string]*reference, error) {
	in := filepath.Join(cfg.work, "in")
	if err := removeAll(in); err != nil {
		return nil, err
	}
	for _, line := range inputs {
		if _, err := cfg.undisturbed(ctx, in, line); err != nil {
			return nil, err
		}
	}
	var mu sync.Mutex
	references := map[string]*reference{}
	var failed []error
	limit := make(chan struct{}, cfg.jobs) // as many as later, so that the times are those of later
	var all sync.WaitGroup
	for _, s := range chosen {
		all.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			r, err := cfg.reference(ctx, s)
			mu.Lock()
			defer mu.Unlock()
			if references[s.name] = r; err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
			}
		})
	}
	all.Wait()
	return references, errors.Join(failed...)
}

// reference runs a scenario twice undisturbed: the second must make what the first made.
func (cfg config) reference(ctx context.Context, s scenario) (*reference, error) {
	dir := filepath.Join(cfg.work, s.name+".reference")
	defer os.RemoveAll(dir) //nolint:errcheck // else it stays in the folder of trials
	r := &reference{seed: cfg.seed}
	for range 2 {
		if err := removeAll(dir); err != nil {
			return nil, err
		}
		took, err := cfg.undisturbed(ctx, dir, s.args)
		if err != nil {
			return nil, err
		}
		tree, err := readTree(dir)
		if err != nil {
			return nil, err
		}
		if found := differences(r.tree, tree); r.tree != nil && found != nil {
			return nil, fmt.Errorf("two undisturbed runs make other files: %s", brief(strings.Join(found, "; ")))
		}
		if r.tree == nil || took < r.took { // the first also reads the program from the disk
			r.took = took
		}
		r.tree = tree
	}
	return r, nil
}

// undisturbed runs a command line of augmix that must end well.
func (cfg config) undisturbed(ctx context.Context, dir string, line []string) (time.Duration, error) {
	began := time.Now()
	p, err := start(ctx, dir, append(append([]string{cfg.program}, line...), "-q"))
	if err != nil {
		return 0, err
	}
	if o := p.wait(); o.code != 0 {
		return 0, fmt.Errorf("augmix %s exits %d: %s", strings.Join(line, " "), o.code, brief(o.output))
	}
	return time.Since(began), nil
}
