package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/results"
)

// counted is a set that counts how often each sample is read.
type counted struct {
	*memory
	reads []int
}

func (c *counted) Read(i int, s *data.Sample) error {
	c.reads[i]++
	return c.memory.Read(i, s)
}

func (c *counted) Next(s *data.Sample) error {
	if c.next < len(c.reads) {
		c.reads[c.next]++
	}
	return c.memory.Next(s)
}

// forward is a set that can only be read from front to end.
type forward struct{ data.Source }

// TestTogetherReadsOnce: all forms of an image come from one reading, whether the set can be read in any order or not.
func TestTogetherReadsOnce(t *testing.T) {
	for _, indexed := range []bool{true, false} {
		set := &counted{small(), make([]int, 21)}
		f := &far{Func: near(), ahead: 1}
		e := &Evaluator{Model: Model{Predictor: f, Name: "m"}, Dataset: "set", Workers: 1}
		c := &CorruptionSuite{Suffix: "-c", Names: []string{"contrast", "fog", "snow"}}
		p := &PerturbationSuite{Names: []string{"tilt"}, Difficulty: 1}
		err := e.Together(t.Context(), &Together{
			Clean: true, Corruptions: []*CorruptionSuite{c}, Perturbations: []*PerturbationSuite{p}, Open: func() (data.Source, error) {
				if indexed {
					return set, nil
				}
				return forward{set}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range set.reads {
			if n != 1 {
				t.Errorf("indexed %v: sample %d was read %d times", indexed, i, n)
			}
		}
		if len(e.together) != 5 {
			t.Errorf("%d measurements", len(e.together))
		}
	}
}

// tired is a Remote that stops after some batches.
type tired struct {
	*far
	left int
}

var errTired = errors.New("tired")

func (f *tired) Give(b *Shown) error {
	if f.left--; f.left < 0 {
		return errTired
	}
	return f.far.Give(b)
}

// TestJournal: an evaluation that ends early resumes to the same rows and files, wherever it ended and whatever became of its
// journal in between, and what is whole in it is not measured again.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	here := near()
	want := bothWays(t, &here, filepath.Join(dir, "here"))
	whole := &far{Func: near()}
	bothWays(t, whole, filepath.Join(dir, "whole"))
	all := len(whole.forms)
	const stop = 120
	for name, damage := range map[string]func(b []byte) []byte{
		"none":    func(b []byte) []byte { return b },
		"gone":    func([]byte) []byte { return nil },
		"foreign": func([]byte) []byte { return []byte("what is this, with more than the seventeen bytes") },
		"cut":     func(b []byte) []byte { return b[:len(b)-5] },
		"half":    func(b []byte) []byte { return b[:len(b)/2] },
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"twice":   func(b []byte) []byte { return append(b, b[len(journalMagic):]...) },
		"length":  func(b []byte) []byte { b[len(journalMagic)+3] = 255; return b },
	} {
		out := filepath.Join(dir, name)
		if err := os.MkdirAll(out, 0o777); err != nil {
			t.Fatal(err)
		}
		journal := filepath.Join(out, "journal")
		if _, err := allForms(t, &tired{&far{Func: near(), ahead: 1}, stop}, out, small(), journal); !errors.Is(err, errTired) {
			t.Fatal(err)
		}
		b, err := os.ReadFile(journal)
		if err != nil || len(b) < 1000 {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		if err := os.WriteFile(journal, damage(b), 0o666); err != nil {
			t.Fatal(err)
		}
		f := &far{Func: near(), ahead: 1}
		e, err := allForms(t, f, out, small(), journal)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range e.Rows {
			e.Rows[i].Time = time.Time{}
		}
		if !reflect.DeepEqual(e.Rows, want) {
			t.Errorf("%s: other rows", name)
		}
		same(t, filepath.Join(dir, "here"), out)
		// Lost are a batch without an answer, the sequences at hand and a batch for the rest of them.
		if made := len(f.forms); name == "none" && made > all-stop+1+8 || made > all || made < all-stop {
			t.Errorf("%s: %d batches of %d after %d", name, made, all, stop)
		}
	}
	if _, err := openJournal(dir, nil); !errors.Is(err, data.ErrFormat) {
		t.Errorf("a folder as a journal: %v", err)
	}
}

// TestJournalOfSeverities: answers to one severity are not taken for those to another.
func TestJournalOfSeverities(t *testing.T) {
	run := func(journal string, left int, severities ...float64) (e *Evaluator, err error) {
		e = &Evaluator{Model: Model{Predictor: &tired{&far{Func: near()}, left}, Name: "m"}, Dataset: "set", Data: "of 21", Workers: 2}
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"contrast"}, Open: small().again}
		c.Plan.Severities, c.Plan.Profile = severities, corrupt.Auto
		if err = e.Together(t.Context(), &Together{Open: c.Open, Corruptions: []*CorruptionSuite{c}, Journal: journal}); err == nil {
			err = e.Corruptions(t.Context(), c)
		}
		for i := range e.Rows {
			e.Rows[i].Time = time.Time{}
		}
		return e, err
	}
	journal := filepath.Join(t.TempDir(), "journal")
	if _, err := run(journal, 4, 1, 2); !errors.Is(err, errTired) {
		t.Fatal(err)
	}
	got, err := run(journal, 1000, 4, 5)
	fresh, err1 := run(filepath.Join(t.TempDir(), "journal"), 1000, 4, 5)
	if err = errors.Join(err, err1); err != nil || !reflect.DeepEqual(got.Rows, fresh.Rows) {
		t.Errorf("%v: rows\n%+v, not\n%+v", err, got.Rows, fresh.Rows)
	}
}

// TestJournalOfClean: classwise calibration, which outcomes alone do not give, is the same after an early end, with no logits
// saved.
func TestJournalOfClean(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	ece := func(p Predictor) (float64, error) {
		set := small()
		e := &Evaluator{Model: Model{Predictor: p, Name: "m"}, Dataset: "set", Data: "of 21", Calibration: true, PerClass: true}
		if err := e.Together(t.Context(), &Together{Open: set.again, Clean: true, Journal: journal}); err != nil {
			return 0, err
		}
		clean, _ := set.again()
		if err := e.Clean(t.Context(), clean, Prepare{}); err != nil {
			return 0, err
		}
		i := slices.IndexFunc(e.Rows, func(r results.Row) bool { return r.Metric == results.ClasswiseECE })
		if i < 0 {
			t.Fatalf("no %s among %d rows", results.ClasswiseECE, len(e.Rows))
		}
		return e.Rows[i].Value, nil
	}
	here := near()
	want, err := ece(&here)
	if err != nil || !(want > 0) {
		t.Fatal(want, err)
	}
	if _, err := ece(&tired{&far{Func: near(), ahead: 1}, 2}); !errors.Is(err, errTired) {
		t.Fatal(err)
	}
	rest := &far{Func: near(), ahead: 1}
	if got, err := ece(rest); got != want || err != nil || len(rest.forms) == 0 {
		t.Errorf("resumed %v after %d batches, at once %v, %v", got, len(rest.forms), want, err)
	}
}

// FuzzJournal: no file makes reading a journal fail, and what is taken of it is read again.
func FuzzJournal(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	j, err := openJournal(path, nil)
	if err != nil {
		f.Fatal(err)
	}
	if err := j.add(head{First: 3}, make([]answer, 2), make([]float32, 14)); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Add(seed[:40])
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		taken := [2]string{}
		for i := range taken {
			j, err := openJournal(path, func(h *head, answers []answer, logits []float32) (bool, error) {
				taken[i] += fmt.Sprint(h, answers, logits)
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			_ = j.f.Close()
		}
		if taken[0] != taken[1] {
			t.Errorf("%q, then %q", taken[0], taken[1])
		}
	})
}
