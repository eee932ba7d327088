package superres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// discs is a data set in memory of images with sharp edges, without labels.
type discs struct{ n, w, h, next int }

func (d *discs) Info() data.Info { return data.Info{Format: "discs", Len: d.n} }
func (d *discs) Len() int        { return d.n }
func (d *discs) Close() error    { return nil }

func (d *discs) Read(i int, s *data.Sample) error {
	r := rng.NewKey(uint64(i)).Rand()
	s.Key, s.Index, s.Label, s.Name, s.Form, s.W, s.H = fmt.Sprint(i), i, data.NoLabel, fmt.Sprintf("discs[%d]", i), data.RGB, d.w, d.h
	s.Data = make([]byte, 3*d.w*d.h)
	for range 12 {
		x, y, size, color := r.IntN(d.w), r.IntN(d.h), 3+r.IntN(8), r.Uint64()
		for p := range d.w * d.h {
			if dx, dy := p%d.w-x, p/d.w-y; dx*dx+dy*dy < size*size {
				for c := range 3 {
					s.Data[3*p+c] = byte(color >> (8 * c))
				}
			}
		}
	}
	return nil
}

func (d *discs) Next(s *data.Sample) error {
	if d.next == d.n {
		return io.EOF
	}
	d.next++
	return d.Read(d.next-1, s)
}

func small() Config {
	c := Default()
	c.Network = image2image.EDSR{Blocks: 1, Width: 8, Scale: 2}
	c.Patch, c.Batch, c.Steps, c.LR, c.Halve, c.Held, c.Seed = 8, 4, 9, 1e-3, 4, 0.25, 3
	return c
}

// TestResume: a run that is stopped at every third step ends with the bytes of one that was not, with another number of workers.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole.safetensors"), filepath.Join(dir, "parts.safetensors")
	want, err := Run(t.Context(), small(), Options{File: whole, Train: &discs{n: 8, w: 40, h: 33}, Workers: 1, Every: 2})
	if err != nil || want.Images != 6 || want.Held != 2 || !(want.PSNR > 0) || !(want.Bicubic > 0) {
		t.Fatal(want, err)
	}
	for workers := 1; ; workers++ {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped, left := errors.New("stopped"), 3
		got, err := Run(ctx, small(), Options{
			File: parts, Resume: true, Train: &discs{n: 8, w: 40, h: 33}, Workers: workers, OnStep: func(Step) {
				if left--; left == 0 {
					cancel(stopped)
				}
			},
		})
		cancel(nil)
		if err == nil || workers > 5 {
			if got.PSNR != want.PSNR || err != nil {
				t.Fatal(got, err)
			}
			break
		}
		if step := 3 * workers; step < 9 && !errors.Is(err, stopped) {
			t.Fatal(err)
		}
	}
	a, errA := os.ReadFile(whole)
	b, errB := os.ReadFile(parts)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Error("the files differ", errA, errB)
	}
	if n, err := weights.ReadNetwork(whole); err != nil || n.Scale() != 2 {
		t.Error(n, err)
	}
	// What is not the run is refused.
	other := small()
	other.Seed++
	for _, c := range []struct {
		config Config
		o      Options
	}{
		{small(), Options{File: whole, Train: &discs{n: 8, w: 40, h: 33}}},
		{other, Options{File: whole, Train: &discs{n: 8, w: 40, h: 33}, Resume: true}},
		{small(), Options{File: whole, Train: &discs{n: 8, w: 40, h: 34}, Resume: true}},
	} {
		if _, err := Run(t.Context(), c.config, c.o); !errors.Is(err, ErrOccupied) {
			t.Error(err)
		}
	}
}

// labeled is discs of a class each.
type labeled struct{ *discs }

func (l labeled) Read(i int, s *data.Sample) error {
	err := l.discs.Read(i, s)
	s.Label = i
	return err
}

// TestLabelsDoNotMatter: labels change nothing, not even what is held out.
func TestLabelsDoNotMatter(t *testing.T) {
	dir := t.TempDir()
	var results [2]Result
	for i, src := range []data.Source{&discs{n: 8, w: 40, h: 33}, labeled{&discs{n: 8, w: 40, h: 33}}} {
		var err error
		results[i], err = Run(t.Context(), small(), Options{File: filepath.Join(dir, fmt.Sprint(i)), Train: src})
		if err != nil || results[i].Held != 2 {
			t.Fatal(results[i], err)
		}
	}
	if results[0] != results[1] {
		t.Error(results)
	}
}

// TestResumeOlder: a file that an older version stopped is resumed with the images that it held out, a share of each class.
func TestResumeOlder(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancelAt := func(Step) { cancel(stopped) }
	o := Options{File: filepath.Join(t.TempDir(), "older"), Train: &discs{n: 8, w: 40, h: 33}, OnStep: cancelAt}
	if _, err := Run(ctx, small(), o); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	ts, meta, err := weights.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(meta[keyState], `,"together":true`, "", 1)
	if older == meta[keyState] {
		t.Fatal(older)
	}
	meta[keyState] = older
	if err := weights.WriteFile(o.File, ts, meta); err != nil {
		t.Fatal(err)
	}
	o.Train, o.OnStep, o.Resume = labeled{&discs{n: 8, w: 40, h: 33}}, nil, true
	if _, err := Run(t.Context(), small(), o); !errors.Is(err, dataset.ErrShare) { // of classes of one image
		t.Errorf("not by class: %v", err)
	}
}

// canceling is a source that stops the run when it has been read to its end.
type canceling struct {
	*discs
	stop func()
}

func (c canceling) Read(i int, s *data.Sample) error {
	if i == c.n-1 {
		c.stop()
	}
	return c.discs.Read(i, s)
}

// TestStoppedBeforeTheFirstStep: a run that is stopped when it has read its images leaves a file from which it resumes.
func TestStoppedBeforeTheFirstStep(t *testing.T) {
	c := small()
	c.Steps, c.Held = 2, 0
	dir := t.TempDir()
	at := Options{File: filepath.Join(dir, "stopped.safetensors"), Resume: true, Train: &discs{n: 8, w: 40, h: 33}, Workers: 1}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	first := at
	first.Train = canceling{&discs{n: 8, w: 40, h: 33}, func() { cancel(stopped) }}
	if _, err := Run(ctx, c, first); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	whole := at
	whole.File, whole.Train = filepath.Join(dir, "whole.safetensors"), &discs{n: 8, w: 40, h: 33}
	var got [2][]byte
	for i, o := range []Options{at, whole} {
		if _, err := Run(t.Context(), c, o); err != nil {
			t.Fatal(err)
		}
		var err error
		if got[i], err = os.ReadFile(o.File); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got[0], got[1]) {
		t.Error("the files differ")
	}
}

// TestPatches: a small patch is the part of the whole image made smaller, also at edges; the large one shows the same part, turned
// alike.
func TestPatches(t *testing.T) {
	for _, scale := range []int{2, 3, 4} {
		c := small()
		c.Network.Scale, c.Batch = scale, 64
		set, err := dataset.Load(t.Context(), &discs{n: 3, w: 13*scale + 1, h: 11*scale + 1}, 1<<30, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := newPatches(set, &c, 2)
		if err := p.fill(5); err != nil {
			t.Fatal(err)
		}
		var wholes []*raster.Image
		var smalls []raster.Image
		var z augment.Resizer
		for i := range 3 {
			m, _, err := set.Fetcher(nil, nil).Image(i, rng.NewKey(0))
			if err != nil {
				t.Fatal(err)
			}
			smalls = append(smalls, raster.Image{})
			wholes = append(wholes, m)
			z.ResizeBox(&smalls[i], m, image.Rect(0, 0, 13*scale, 11*scale), 13, 11, augment.Bicubic)
		}
		n, turns := 3*8*8, map[int]bool{}
		for i := range c.Batch {
			a, b := p.small[i*n:][:n], p.large[i*n*scale*scale:][:n*scale*scale]
			found := false
			for at := range 3 * 8 * 6 * 4 {
				k, turn, x, y := at%3, at/3%8, at/24%6, at/144
				wantA, wantB := make([]float32, len(a)), make([]float32, len(b))
				planes(wantA, &smalls[k], x, y, 8, turn)
				if !slices.Equal(a, wantA) {
					continue
				}
				planes(wantB, wholes[k], x*scale, y*scale, 8*scale, turn)
				found = found || slices.Equal(b, wantB)
				turns[turn] = true
			}
			if !found {
				t.Fatalf("scale %d: patch %d is no part of an image", scale, i)
			}
		}
		if len(turns) < 8 {
			t.Errorf("scale %d: %d orientations", scale, len(turns))
		}
	}
}

// TestLearns: the loss falls, by Adam at a rate that is halved on time.
func TestLearns(t *testing.T) {
	c := small()
	c.Steps, c.Halve, c.LR = 60, 40, 4e-3
	var losses []float64
	_, err := Run(t.Context(), c, Options{File: filepath.Join(t.TempDir(), "x.safetensors"), Train: &discs{n: 8, w: 40, h: 33}, OnStep: func(s Step) {
		if want := 4e-3; s.Step <= 40 && s.LR != want || s.Step > 40 && s.LR != want/2 {
			t.Errorf("step %d has the rate %v", s.Step, s.LR)
		}
		losses = append(losses, s.Loss)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if first, last := mean(losses[:10]), mean(losses[50:]); last > 0.7*first {
		t.Errorf("the loss was %v, and is %v", first, last)
	}
}

// TestRatio works a peak signal-to-noise ratio out by hand: a difference of 5 at one of nine pixels, in one of three colors.
func TestRatio(t *testing.T) {
	a, b := raster.New(5, 5), raster.New(5, 5)
	b.Set(2, 1, raster.RGB{G: 5})
	b.Set(0, 0, raster.RGB{R: 255}) // of the border
	if got, want := ratio(a, b, 1), 10*math.Log10(255*255*27/25.); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestMean: an image without a ratio, too small or reproduced exactly, takes no number away from the others.
func TestMean(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	n, ours, bicubic := means([]float64{30, nan, 32, inf, 50}, []float64{28, nan, 30, inf, inf})
	if n != 2 || ours != 31 || bicubic != 29 {
		t.Error(n, ours, bicubic)
	}
	if n, ours, bicubic = means([]float64{nan}, []float64{nan}); n != 0 || !math.IsNaN(ours) || !math.IsNaN(bicubic) {
		t.Error(n, ours, bicubic)
	}
}

func TestErrors(t *testing.T) {
	for name, change := range map[string]func(c *Config){
		"patch":    func(c *Config) { c.Patch = 7 },
		"batch":    func(c *Config) { c.Batch = 0 },
		"steps":    func(c *Config) { c.Steps = 0 },
		"lr":       func(c *Config) { c.LR = math.NaN() },
		"held":     func(c *Config) { c.Held = 1 },
		"scale":    func(c *Config) { c.Network.Scale = 5 },
		"all held": func(c *Config) { c.Held = 0.999 },
	} {
		c := small()
		change(&c)
		if _, err := Run(t.Context(), c, Options{File: filepath.Join(t.TempDir(), "x"), Train: &discs{n: 1, w: 40, h: 33}}); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var bad *data.SampleError
	c := small()
	c.Held = 0
	if _, err := Run(t.Context(), c, Options{File: filepath.Join(t.TempDir(), "x"), Train: &discs{n: 2, w: 40, h: 15}}); !errors.As(err, &bad) ||
		!errors.Is(err, raster.ErrSize) {
		t.Errorf("an image smaller than a patch: %v", err)
	}
	c.LR = 1e30
	if _, err := Run(t.Context(), c, Options{File: filepath.Join(t.TempDir(), "x"), Train: &discs{n: 2, w: 40, h: 33}}); !errors.Is(err, ErrDiverged) {
		t.Errorf("a large rate: %v", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "superres")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	c := Default()
	c.Network = image2image.EDSR{Blocks: 1, Width: 8, Scale: 2}
	c.Patch, c.Batch, c.Steps, c.Held = 8, 2, 3, 0
	file := filepath.Join(dir, "edsr.safetensors")
	result, err := Run(context.Background(), c, Options{File: file, Train: &discs{n: 4, w: 32, h: 32}})
	if err != nil {
		fmt.Println(err)
		return
	}
	net, err := weights.ReadNetwork(file)
	fmt.Println(result.Images, net, err)
	// Output: 4 EDSR <nil>
}

// TestOneWriter: of two runs into one file one does the work, and what another program puts there meanwhile is not written over.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	o := Options{File: filepath.Join(dir, "net.safetensors"), Train: &discs{n: 8, w: 40, h: 33}, Workers: 1, Every: 2}
	second, other := o, small()
	other.Seed++
	o.OnStep = func(s Step) {
		for _, resume := range []bool{false, true} {
			second.Resume = resume
			if _, err := Run(t.Context(), other, second); !errors.Is(err, ErrBusy) {
				t.Errorf("a second run at step %d: %v", s.Step, err)
			}
		}
	}
	if _, err := Run(t.Context(), small(), o); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Error(names, err)
	}
	for _, at := range []int{1, 5} { // before it wrote first, and after
		o.File = filepath.Join(dir, fmt.Sprintf("%d.safetensors", at))
		o.OnStep = func(s Step) {
			if s.Step == at {
				if err := data.WriteFileAtomic(o.File, []byte("mine")); err != nil {
					t.Error(err)
				}
			}
		}
		_, err := Run(t.Context(), small(), o)
		if text, _ := os.ReadFile(o.File); !errors.Is(err, ErrOccupied) || string(text) != "mine" {
			t.Errorf("%v, %q", err, text)
		}
	}
}

// TestOccupied: the error says what the file is, and names the settings that differ.
func TestOccupied(t *testing.T) {
	dir := t.TempDir()
	o := Options{File: filepath.Join(dir, "net.safetensors"), Train: &discs{n: 8, w: 40, h: 33}}
	if _, err := Run(t.Context(), small(), o); err != nil {
		t.Fatal(err)
	}
	other := small()
	other.Steps, other.Network.Width = 10, 9
	photo := filepath.Join(dir, "photo.png")
	if err := os.WriteFile(photo, []byte("pixels"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file   string
		config Config
		resume bool
		want   string
	}{
		{o.File, small(), false, "net.safetensors; resume it or name another file"},
		{o.File, other, true, "net.safetensors is of another run: width: was 8, now 9, steps: was 9, now 10"},
		{photo, small(), false, "photo.png, which cannot be resumed; name another file"},
		{dir, small(), true, "which cannot be resumed; name another file"},
		{filepath.Join(dir, "no", "net.safetensors"), small(), false, "cannot create " + filepath.Join(dir, "no", "net.safetensors") + ":"},
	} {
		at := o
		at.File, at.Resume = c.file, c.resume
		if _, err := Run(t.Context(), c.config, at); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "{") {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
}

// mixed is discs of which some are of one color, or too small for a patch.
type mixed struct {
	*discs
	plain int // images but the first that are of one color
	tiny  int // the one that is too small; 0: none
}

func (m mixed) Read(i int, s *data.Sample) error {
	err := m.discs.Read(i, s)
	switch {
	case i == m.tiny && i > 0:
		s.W, s.H = 40, 15
		s.Data = s.Data[:3*s.W*s.H]
	case i > 0 && i <= m.plain:
		clear(s.Data)
	}
	return err
}

// TestMeasured: images that have no ratio are not counted as measured.
func TestMeasured(t *testing.T) {
	c := small()
	c.Steps, c.Held = 2, 0.75
	got, err := Run(t.Context(), c, Options{File: filepath.Join(t.TempDir(), "net"), Train: mixed{&discs{n: 8, w: 40, h: 33}, 7, 0}, Workers: 1})
	if err != nil || got.Held != 6 || got.Measured > 1 || math.IsNaN(got.PSNR) != (got.Measured == 0) {
		t.Error(got, err)
	}
}

// TestTooSmall: an image that no patch can be cut out of is told before the first step, whether it would have been drawn or not, in memory
// and on disk.
func TestTooSmall(t *testing.T) {
	c := small()
	c.Steps, c.Batch, c.Held = 1, 1, 0
	for _, cache := range []int64{0, -1} {
		file := filepath.Join(t.TempDir(), "net")
		_, err := Run(t.Context(), c, Options{
			File: file, Train: mixed{&discs{n: 200, w: 40, h: 33}, 0, 199}, Cache: cache, OnStep: func(s Step) { t.Errorf("step %d", s.Step) },
		})
		if !errors.Is(err, raster.ErrSize) || !strings.Contains(err.Error(), "discs[199]") {
			t.Error(err)
		}
	}
}

// TestOneImage: nothing can be held out of one, and the error speaks of no classes.
func TestOneImage(t *testing.T) {
	_, err := Run(t.Context(), small(), Options{File: filepath.Join(t.TempDir(), "net"), Train: &discs{n: 1, w: 40, h: 33}})
	if !errors.Is(err, ErrConfig) || strings.Contains(err.Error(), "class") {
		t.Error(err)
	}
}
