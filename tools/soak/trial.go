//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// kind is a way to attack.
type kind struct {
	name   string
	attack func(*trial) error
	strace bool // works through strace
}

var kinds = []kind{
	{name: "kill", attack: (*trial).kill},
	{name: "syscall", attack: (*trial).killAtCall, strace: true},
	{name: "error", attack: (*trial).failCall, strace: true},
	{name: "signal", attack: (*trial).signals},
	{name: "damage", attack: (*trial).damage},
	{name: "writers", attack: (*trial).writers},
}

// rotation is the order in which a scenario is attacked: kills most often.
var rotation = words("kill damage syscall kill error kill signal damage kill syscall kill writers error damage kill syscall kill signal damage kill")

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

func chosenKinds(list string) ([]string, error) {
	if list == "" {
		return kindNames(), nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(kindNames(), name) {
			return nil, fmt.Errorf("--kind %q: want some of %s", name, strings.Join(kindNames(), ", "))
		}
	}
	return names, nil
}

// verdict is what became of a trial.
type verdict string

const (
	same    verdict = "same"    // the files are those of an undisturbed run
	refused verdict = "refused" // the damage was found, and --force (or a new start) made the right files
	bad     verdict = "bad"
)

// trial is one attack on a scenario, in a folder of its own.
type trial struct {
	scenario
	reference *reference
	kind      string
	number    int
	program   string
	dir       string
	random    *rand.Rand
	ctx       context.Context //nolint:containedctx // a trial is the call

	hits    int      // attacks that hit a running process
	log     []string // what happened, to read where the trial is bad
	verdict verdict
	cause   string
}

// run attacks and judges.
func (t *trial) run(attack func(*trial) error) {
	hash := fnv.New64a()
	fmt.Fprint(hash, t.name, " ", t.kind, " ", t.number)
	t.random = rand.New(rand.NewPCG(t.reference.seed, hash.Sum64()))
	t.verdict = same
	err := removeAll(t.dir)
	if err == nil {
		err = attack(t)
	}
	if err != nil {
		t.verdict, t.cause = bad, err.Error()
	}
}

func (t *trial) notef(format string, args ...any) {
	t.log = append(t.log, fmt.Sprintf(format, args...))
}

// line is the command line. What a run is resumed with is the same again, except for train: once its options are there,
// that is --resume.
func (t *trial) line(checkpoint string) []string {
	line := append([]string{t.program}, t.args...)
	if t.args[0] == "train" {
		if _, err := os.Stat(filepath.Join(t.dir, "out", "args.yaml")); err == nil {
			line = []string{t.program, "train", "--resume", "-o", "out"}
		}
	}
	if t.durable {
		line = append(line, "--checkpoint", checkpoint)
	}
	return append(line, "-q")
}

// checkpoint draws a time between checkpoints.
func (t *trial) checkpoint() string {
	return []string{"1ms", "20ms", "100ms", "10s"}[t.random.IntN(4)]
}

// moment draws a time within which a run is likely to be at work.
func (t *trial) moment() time.Duration {
	return time.Duration(t.random.Float64() * 1.1 * float64(t.reference.took))
}

// start starts the command.
func (t *trial) start(checkpoint string) (*process, error) {
	return start(t.ctx, t.dir, t.line(checkpoint))
}

// ran runs a command line to its end.
func (t *trial) ran(line []string) (outcome, error) {
	p, err := start(t.ctx, t.dir, line)
	if err != nil {
		return outcome{}, err
	}
	return t.wait(p), nil
}

// wait waits for the process. What one that hung says about its goroutines is kept beside the folder.
func (t *trial) wait(p *process) outcome {
	o := p.wait()
	if o.hung {
		os.WriteFile(t.dir+".hung", []byte(o.output), 0o644) //nolint:errcheck // the trial is bad without it as well
	}
	return o
}

// finish gives the command again and compares what there is then with what an undisturbed run makes.
func (t *trial) finish(checkpoint string) error {
	began := time.Now()
	o, err := t.ran(t.line(checkpoint))
	if err != nil {
		return err
	}
	t.notef("again: exit %d after %v: %s", o.code, time.Since(began).Round(time.Millisecond), brief(o.output))
	if o.code != 0 {
		return fmt.Errorf("the command given again exits %d: %s", o.code, brief(o.output))
	}
	return t.compare()
}

func (t *trial) compare() error {
	tree, err := readTree(t.dir)
	if err != nil {
		return err
	}
	if found := differences(t.reference.tree, tree); found != nil {
		return &otherFiles{found}
	}
	return nil
}

// otherFiles is the error of an output that is not that of an undisturbed run.
type otherFiles struct{ found []string }

func (e *otherFiles) Error() string { return "other files: " + brief(strings.Join(e.found, "; ")) }

// onlyLeftOver is whether an output only has more files than it should.
func onlyLeftOver(err error) bool {
	var other *otherFiles
	return errors.As(err, &other) && !slices.ContainsFunc(other.found, func(line string) bool {
		return !strings.HasPrefix(line, "left over ")
	})
}

// unfinished checks an output that a kill has left: what has a final name must have its final bytes.
func (t *trial) unfinished() error {
	if !t.durable {
		return nil // rows and checkpoints grow in place
	}
	tree, err := readTree(t.dir)
	if err != nil {
		return err
	}
	if found := wrong(t.reference.tree, tree); found != nil {
		return fmt.Errorf("after a kill, under a final name: %s", brief(strings.Join(found, "; ")))
	}
	return nil
}

// brief is one line of at most 300 bytes.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = text[:300] + "..."
	}
	return text
}
