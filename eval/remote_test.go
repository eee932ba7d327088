package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// far is a Remote that computes what a Func does, as late as it may.
type far struct {
	Func
	ahead   int
	forms   []string // of the batches, with their sizes
	answers [][]float32
	most    int // answers that were due at once
}

func (f *far) Ahead() int { return f.ahead }

func (f *far) Give(b *Shown) error {
	n := len(b.Images)
	if len(b.Keys) != n || len(b.Labels) != n || len(b.Rows) != n || len(b.Frames) != n || n > f.Batch {
		return fmt.Errorf("a batch of %d images, %d keys, %d labels", n, len(b.Keys), len(b.Labels))
	}
	f.forms = append(f.forms, fmt.Sprint(b.Form, n, b.Frames[0]))
	x, logits := make([]float32, n*3*f.H*f.W), make([]float32, n*f.Class)
	(&mix.Batch{}).ApplyPlanes(mix.None{}, x, b.Images, &f.Norm, make([]rng.Key, n))
	err := f.Do(logits, x, n)
	f.answers = append(f.answers, logits)
	f.most = max(f.most, len(f.answers))
	return err
}

func (f *far) Logits(dst []float32) error {
	copy(dst, f.answers[0])
	f.answers = f.answers[1:]
	return nil
}

func (f *far) Predict(_, _ []float32, _ int) error { return errors.New("asked to predict") }

// near is the same model in this program.
func near() Func { return nearOf(7) }

func nearOf(classes int) Func {
	return Func{H: 16, W: 16, Class: classes, Batch: 8, Norm: mix.Half, Do: func(dst, x []float32, n int) error {
		for i := range n {
			for c := range classes {
				dst[i*classes+c] = x[i*3*256+31*c]*float32(c+1) + x[i*3*256+17*c+256]
			}
		}
		return nil
	}}
}

// small is a set of 21 images of 16x16.
func small() *memory {
	m := &memory{format: "npy", classes: 7}
	for i := range 21 {
		r := rng.NewKey(uint64(i)).Rand()
		image := raster.New(16, 16)
		for p := range image.Pix {
			if image.Pix[p] = byte(r.IntN(256)); p%4 == 3 {
				image.Pix[p] = 255
			}
		}
		m.samples = append(m.samples, sample{fmt.Sprint("k", i), said(image), image})
	}
	return m
}

// said is the class that the model gives an image.
func said(m *raster.Image) int {
	x, logits, f := make([]float32, 3*256), make([]float32, 7), near()
	(&mix.Batch{}).ApplyPlanes(mix.None{}, x, []*raster.Image{m}, &f.Norm, make([]rng.Key, 1))
	_ = f.Do(logits, x, 1)
	return slices.Index(logits, slices.Max(logits))
}

// allForms runs all suites that a Remote has, in one pass where it is one.
func allForms(t *testing.T, p Predictor, dir string, set *memory, journal string) (*Evaluator, error) {
	t.Helper()
	records, err := OpenRecorder(filepath.Join(dir, "records.npz"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := OpenExamples(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	e := &Evaluator{
		Model: Model{Predictor: p, Name: "m"}, Dataset: "set", Data: "of 21", Calibration: true, Workers: 2,
		Store: Store{Records: records, Examples: examples, LogitsDir: filepath.Join(dir, "logits")},
	}
	c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"contrast", "brightness"}, Open: set.again}
	c.Plan = transform.Corruptions{Severities: []float64{2, 4, 5}, Profile: corrupt.Auto}
	q := &PerturbationSuite{Names: []string{"brightness", "gaussian_noise"}, Difficulty: 2, Open: set.again}
	err = e.Together(t.Context(), &Together{
		Open: set.again, Clean: true, Corruptions: []*CorruptionSuite{c}, Perturbations: []*PerturbationSuite{q}, Journal: journal,
	})
	if err != nil {
		return nil, err
	}
	clean, _ := set.again()
	return e, errors.Join(e.Clean(t.Context(), clean, Prepare{}), e.Corruptions(t.Context(), c), e.Perturbations(t.Context(), q))
}

// bothWays runs all suites that a Remote has and returns the rows without their times.
func bothWays(t *testing.T, p Predictor, dir string) []results.Row {
	t.Helper()
	e, err := allForms(t, p, dir, small(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.Rows {
		e.Rows[i].Time = time.Time{}
	}
	return e.Rows
}

// TestRemote: a model in another program has the rows, records, logits and examples that it has here, however late it answers,
// and a batch is of one form.
func TestRemote(t *testing.T) {
	here := near()
	dir := t.TempDir()
	want := bothWays(t, &here, filepath.Join(dir, "here"))
	for _, ahead := range []int{0, 1, 3} {
		f := &far{Func: near(), ahead: ahead}
		out := filepath.Join(dir, fmt.Sprint(ahead))
		if got := bothWays(t, f, out); !reflect.DeepEqual(got, want) {
			t.Errorf("ahead %d: other rows", ahead)
		}
		if f.most != ahead+1 || len(f.answers) > 0 {
			t.Errorf("ahead %d: %d batches without an answer at once, %d at the end", ahead, f.most, len(f.answers))
		}
		same(t, filepath.Join(dir, "here"), out)
		if !slices.Contains(f.forms, "{clean  0} 5 0") || !slices.Contains(f.forms, "{c contrast 4} 8 0") ||
			!slices.Contains(f.forms, "{c brightness 5} 5 0") || !slices.Contains(f.forms, "{p gaussian_noise_2 0} 8 8") ||
			!slices.ContainsFunc(f.forms, func(s string) bool { return strings.HasPrefix(s, "{examples brightness 4}") }) {
			t.Errorf("%d batches, the first %q", len(f.forms), slices.Compact(f.forms)[:40])
		}
	}
}

// TestRemoteAmong: a model in another program that is measured among some of its classes has the rows that it has here.
func TestRemoteAmong(t *testing.T) {
	dir, classes := t.TempDir(), []int{3, 1, 4, 0, 8, 2, 5}
	here := nearOf(9)
	p, err := Among(&here, classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	q, err := Among(&far{Func: nearOf(9), ahead: 2}, classes, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, got := bothWays(t, p, filepath.Join(dir, "here")), bothWays(t, q, filepath.Join(dir, "far"))
	if !reflect.DeepEqual(got, want) {
		t.Error("other rows")
	}
	same(t, filepath.Join(dir, "here"), filepath.Join(dir, "far"))
}

// same compares the files of two folders but for what names the time.
func same(t *testing.T, a, b string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(a, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		name, _ := filepath.Rel(a, path)
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join(b, name)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s differs (%v)", name, err)
		}
		return nil
	})
	if err != nil || files < 8 {
		t.Fatalf("%d files, %v", files, err)
	}
}

// TestRemoteRefuses: what needs a model in this program is refused, and an answer that does not come ends the measurement.
func TestRemoteRefuses(t *testing.T) {
	set := small()
	e := &Evaluator{Model: Model{Predictor: &far{Func: near()}}, Dataset: "set"}
	if _, err := e.Fourier(t.Context(), &FourierSuite{Open: set.again, Radius: 1}); !errors.Is(err, ErrOption) {
		t.Errorf("Fourier: %v", err)
	}
	e.TenCrop = true
	if err := e.Clean(t.Context(), set, Prepare{Size: 20}); !errors.Is(err, ErrOption) {
		t.Errorf("ten crops: %v", err)
	}
	gone := errors.New("gone")
	f := &far{Func: near(), ahead: 1}
	f.Do = func(_, _ []float32, _ int) error { return gone }
	e = &Evaluator{Model: Model{Predictor: f}, Dataset: "set"}
	if err := e.Clean(t.Context(), small(), Prepare{}); !errors.Is(err, gone) || len(e.Rows) > 0 {
		t.Errorf("error %v, %d rows", err, len(e.Rows))
	}
}
