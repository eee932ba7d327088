package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*int) bool, func(tally), error](&measureFn{})
	register.DoFn2x1[context.Context, tally, error](&gatherFn{})
}

// evaluation is an evaluation in parts: each measures one suite, or one corruption or perturbation of it, into a folder of its own.
type evaluation struct {
	Program program
	Out     string
	Parts   []measurement
}

// measurement is a part of an evaluation.
type measurement struct {
	Name string
	Args []string // of augmix
}

// evaluate does augmix eval in as many parts as there are measurements.
func evaluate(p *beam.Pipeline, c program, _ int) (report, error) {
	e := evaluation{Program: c}
	var err error
	if e.Out, e.Parts, err = measurements(c.Args); err != nil {
		return nil, err
	}
	if storage.URL(e.Out) != "" { // what is joined would lie in a folder called s3:, and augmix would find nothing in the store
		return nil, fmt.Errorf("eval -o %s (allowed: a folder on a disk that all workers share, where the parts are put together)", e.Out)
	}
	if !filepath.IsAbs(e.Out) {
		e.Out = filepath.Join(c.Dir, e.Out)
	}
	s := p.Root()
	done := beam.ParDo(s, &measureFn{e}, spread(s, len(e.Parts)))
	beam.ParDo0(s, &gatherFn{e}, beam.Combine(s, add, done))
	return nil, nil
}

// measurements divides the command line of augmix eval.
func measurements(args []string) (out string, parts []measurement, err error) {
	rest, suites := take(args, "--suite")
	rest, subset := take(rest, "--subset")
	rest, perturbations := take(rest, "--perturbation")
	rest, outs := take(rest, "--out", "-o")
	if len(outs) == 0 {
		return "", nil, errors.New("eval without -o DIR, where the parts are put together")
	}
	calibration := slices.Contains(suites, "calibration")
	suites = slices.DeleteFunc(suites, func(s string) bool { return s == "calibration" })
	if len(suites) == 0 {
		suites = []string{"clean"}
	}
	names := map[string][]string{}
	if names["c"], err = transform.ExpandCorruptions(orElse(subset, "common"), cbar.CIFAR, styletransfer.Op{}); err != nil {
		return "", nil, err
	}
	if names["p"], err = transform.ExpandPerturbations(orElse(perturbations, "common")); err != nil {
		return "", nil, err
	}
	flag := map[string]string{"c": "--subset", "p": "--perturbation"}
	for _, suite := range suites {
		with := []string{"--suite", suite, "--examples", "0"} // which the last step makes
		some := ofSuite(rest, suite)
		if suite != "clean" {
			some = slices.DeleteFunc(some, func(s string) bool { return s == "--per-class" })
		}
		if calibrated := slices.Contains([]string{"clean", "c", "cbar"}, suite); calibration && calibrated {
			with[1] += ",calibration"
		} else {
			some = slices.DeleteFunc(some, func(s string) bool { return s == "--reference-binning" })
		}
		if names[suite] == nil {
			parts = append(parts, measurement{suite, append(some, with...)})
		}
		for _, name := range names[suite] {
			parts = append(parts, measurement{suite + "-" + name, slices.Concat(some, with, []string{flag[suite], name})})
		}
	}
	return outs[len(outs)-1], parts, nil
}

// suiteFlags are the flags with values that augmix eval refuses without one of some suites, and those among them that it refuses
// where images of these suites are read from a folder.
var suiteFlags = []struct {
	suites, flags, made []string
}{
	{[]string{"c"}, []string{"--c"}, []string{"--frost-dir", "--styles", "--style-weights"}},
	{[]string{"cbar"}, []string{"--cbar"}, nil},
	{[]string{"c", "cbar"}, []string{"--severity", "--bar-profile"}, []string{"--image", "--quality"}},
	{[]string{"p"}, []string{"--p", "--difficulty"}, nil},
	{[]string{"c", "cbar", "p"}, nil, []string{"--profile"}},
	{[]string{"pgd"}, []string{"--pgd-eps", "--pgd-step", "--pgd-steps"}, nil},
	{[]string{"ood"}, []string{"--ood", "--ood-score", "--ood-train", "--ood-train-limit", "--ood-neighbors"}, nil},
	{[]string{"fourier"}, []string{"--length", "--radius"}, nil},
}

// ofSuite returns the flags without those that are for other suites alone.
func ofSuite(args []string, suite string) []string {
	_, folder := take(args, "--"+suite)
	for _, f := range suiteFlags {
		if !slices.Contains(f.suites, suite) {
			args, _ = take(args, f.flags...)
		}
		if !slices.Contains(f.suites, suite) || len(folder) > 0 {
			args, _ = take(args, f.made...)
		}
	}
	if suite != "pgd" {
		args = slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "--pgd-centered" })
	}
	if suite != "ood" {
		args = slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "--features" })
	}
	return slices.Clone(args)
}

func orElse(list []string, value string) []string {
	if len(list) == 0 {
		return []string{value}
	}
	return list
}

// take removes flags with values from a command line and returns the values, which commas separate.
func take(args []string, names ...string) (rest, values []string) {
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(args[i], "=")
		if !slices.Contains(names, name) {
			rest = append(rest, args[i])
			continue
		}
		if !ok && i+1 < len(args) {
			i++
			value = args[i]
		}
		values = append(values, strings.Split(value, ",")...)
	}
	return rest, values
}

// dir is the folder of all parts.
func (e *evaluation) dir() string { return e.Out + ".parts" }

// gathered reports whether there is nothing left to measure in parts.
func (e *evaluation) gathered() bool {
	_, err := os.Stat(e.dir())
	return regular(filepath.Join(e.Out, results.FileName)) && errors.Is(err, fs.ErrNotExist)
}

// measureFn does one measurement.
type measureFn struct{ Evaluation evaluation }

// ProcessElement does measurement i. It resumes what a worker that died has left.
func (f *measureFn) ProcessElement(ctx context.Context, i int, _ func(*int) bool, done func(tally)) error {
	e := &f.Evaluation
	if part := e.Parts[i]; !e.gathered() {
		if err := os.MkdirAll(e.dir(), 0o777); err != nil {
			return err
		}
		if _, err := e.Program.run(ctx, slices.Concat(part.Args, []string{"-q", "-o", filepath.Join(e.dir(), part.Name)})); err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
	partsDone.Inc(ctx, 1)
	done(tally{Parts: 1})
	return nil
}

// gatherFn makes one folder of results of all measurements.
type gatherFn struct{ Evaluation evaluation }

// ProcessElement lays rows, records and files of the parts together, has augmix add what follows from all of them, and removes
// the parts. Until then it can be done again.
func (f *gatherFn) ProcessElement(ctx context.Context, t tally) error {
	e := &f.Evaluation
	if t.Parts != len(e.Parts) {
		return fmt.Errorf("%d of %d parts are done", t.Parts, len(e.Parts))
	}
	if !e.gathered() {
		if err := e.gather(); err != nil {
			return err
		}
	}
	if _, err := e.Program.run(ctx, slices.Concat(e.Program.Args, []string{"-q"})); err != nil {
		return err
	}
	return os.RemoveAll(e.dir())
}

func (e *evaluation) gather() error {
	if err := os.MkdirAll(e.Out, 0o777); err != nil {
		return err
	}
	var rows bytes.Buffer
	w, err := records.Create(filepath.Join(e.Out, records.FileName))
	if err != nil {
		return err
	}
	defer w.Abort()
	kept := false
	for _, part := range e.Parts {
		dir := filepath.Join(e.dir(), part.Name)
		text, err := os.ReadFile(filepath.Join(dir, results.FileName))
		if err != nil {
			return fmt.Errorf("the results of %s are not here (allowed: -o on a disk that all workers share): %w", part.Name, err)
		}
		rows.Write(text)
		switch err := addRecords(w, filepath.Join(dir, records.FileName)); {
		case err == nil:
			kept = true
		case !errors.Is(err, fs.ErrNotExist): // --no-records
			return err
		}
		if err := e.moveFiles(dir); err != nil {
			return err
		}
	}
	if kept {
		if err := w.Close(); err != nil {
			return err
		}
	}
	return data.WriteFileAtomic(filepath.Join(e.Out, results.FileName), rows.Bytes())
}

// addRecords adds the records of a part.
func addRecords(w *records.Writer, path string) error {
	f, err := records.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range f.Cells() {
		s, err := f.Read(c)
		if err == nil {
			err = w.Add(c, s)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range f.Series() {
		v, err := f.ReadSeries(name)
		if err == nil {
			err = w.AddSeries(name, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moveFiles moves logits, matrices and maps of a part.
func (e *evaluation) moveFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || slices.Contains([]string{results.FileName, records.FileName, "args.yaml"}, rel) {
			return err
		}
		to := filepath.Join(e.Out, rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.Rename(path, to)
	})
}
