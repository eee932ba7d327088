package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// noises is a Renewal whose images are noise that depends on seed, count, size and every weight.
type noises struct {
	drawn  []Drawing // so far, without their networks
	sets   []*noiseSet
	during func(ctx context.Context) error // in the middle of drawing; nil: nothing happens
}

func (v *noises) Draw(ctx context.Context, d *Drawing) ([]byte, error) {
	if v.during != nil {
		if err := v.during(ctx); err != nil {
			return nil, err
		}
	}
	key := rng.NewKey(d.Seed)
	for _, t := range d.Net.Tensors() {
		for _, x := range t.Data {
			key = key.Uint(uint64(math.Float32bits(x)))
		}
	}
	r := key.Rand()
	content := make([]byte, d.Count*3*(d.Size+1)*(d.Size+1))
	for i := range content {
		content[i] = byte(r.IntN(256))
	}
	kept := *d
	kept.Net = nil
	v.drawn = append(v.drawn, kept)
	return append([]byte{byte(d.Count), byte(d.Size + 1)}, content...), nil
}

func (v *noises) Open(content []byte) (mix.MixingSet, error) {
	s := &noiseSet{img: make([]raster.Image, content[0]), text: string(content)}
	side := int(content[1])
	for i := range s.img {
		s.img[i].SetRGB(side, side, content[2+3*side*side*i:][:3*side*side])
	}
	v.sets = append(v.sets, s)
	return s, nil
}

// noiseSet counts how often its images are asked for.
type noiseSet struct {
	img  []raster.Image
	text string
	used atomic.Int64
}

func (s *noiseSet) String() string { return "noise" }
func (s *noiseSet) Len() int       { return len(s.img) }
func (s *noiseSet) Image(i int) *raster.Image {
	s.used.Add(1)
	return &s.img[i]
}

// iterative is a recipe that draws its set in epochs 0, 2 and 4 of 5.
func iterative() Recipe {
	r := small()
	r.Mix, r.Mixset, r.MixsetEvery, r.Epochs = "pixmix-k4-b3", "iterative-fvis-n5", 2, 5
	return r
}

// losses trains and returns the loss of every step.
func losses(t *testing.T, r Recipe, o Options) (list []float64) {
	t.Helper()
	o.Train = trainSet()
	o.OnStep = func(s *Step) { list = append(list, s.Loss) }
	if _, err := Run(t.Context(), r, o); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestIterativeMixset: when sets are drawn, from what, and that they reach the steps of their epochs and no others.
func TestIterativeMixset(t *testing.T) {
	dir, v := t.TempDir(), &noises{}
	var before []int64 // uses of earlier sets when the next is drawn
	v.during = func(context.Context) error {
		for _, s := range v.sets {
			before = append(before, s.used.Load())
		}
		return nil
	}
	r := iterative()
	got := losses(t, r, Options{Dir: dir, Renewal: v})
	var epochs []int
	seeds, texts := map[uint64]bool{}, map[string]bool{}
	for i := range v.drawn {
		d := &v.drawn[i]
		epochs = append(epochs, d.Epoch)
		seeds[d.Seed], texts[v.sets[i].text] = true, true
		if d.Count != 5 || d.Size != 8 || d.Workers != 2 || d.Mean[0] != 0.5 || d.Std[2] != 0.5 {
			t.Errorf("drawing %+v", d)
		}
	}
	if !slices.Equal(epochs, []int{0, 2, 4}) || len(seeds) != 3 || len(texts) != 3 {
		t.Errorf("drawn in epochs %v, %d seeds, %d sets", epochs, len(seeds), len(texts))
	}
	if files(t, dir)[MixsetName] != v.sets[2].text {
		t.Errorf("%s is not the last set", MixsetName)
	}
	now := []int64{v.sets[0].used.Load(), v.sets[0].used.Load(), v.sets[1].used.Load()}
	if !slices.Equal(before, now) || slices.Contains(now, 0) || v.sets[2].used.Load() == 0 {
		t.Errorf("when the next was drawn sets had been used %v times, at the end %v", before, now)
	}

	// Again, with an average of the weights beside it: the same sets, the same training.
	averaged, w := r, &noises{}
	averaged.EMA = 0.5
	if again := losses(t, averaged, Options{Dir: t.TempDir(), Renewal: w}); !reflect.DeepEqual(again, got) {
		t.Error("the same recipe trains with other losses")
	}
	for i := range w.sets {
		if w.sets[i].text != v.sets[i].text {
			t.Errorf("set %d is another", i)
		}
	}

	// With the first set for the whole run the first two epochs, of ten steps, are the same, and no more.
	fixed := r
	fixed.Mixset, fixed.MixsetEvery = "fractals", 1
	other := losses(t, fixed, Options{Dir: t.TempDir(), MixingSet: v.sets[0]})
	if !slices.Equal(other[:20], got[:20]) {
		t.Error("the first set is not what the first epochs mix in")
	}
	for e := 2; e < 5; e++ {
		if slices.Equal(other[10*e:10*e+10], got[10*e:10*e+10]) {
			t.Errorf("epoch %d is that of a set that stays", e)
		}
	}
}

// stopAfter trains until so many steps are done, or sets begun, and expects to be stopped.
func stopAfter(t *testing.T, dir string, steps, sets int) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	v := &noises{during: func(ctx context.Context) error {
		if sets--; sets == 0 {
			cancel(stopped)
			return errors.New("gave up")
		}
		return nil
	}}
	_, err := Run(ctx, iterative(), Options{Dir: dir, Resume: true, Train: trainSet(), Renewal: v, OnStep: func(*Step) {
		if steps--; steps == 0 {
			cancel(stopped)
		}
	}})
	if !errors.Is(err, stopped) || strings.Contains(err.Error(), "gave up") {
		t.Fatal(err)
	}
}

func resume(t *testing.T, dir string) error {
	t.Helper()
	_, err := Run(t.Context(), iterative(), Options{Dir: dir, Resume: true, Train: trainSet(), Renewal: &noises{}})
	return err
}

// TestIterativeMixsetStopped stops a run while it draws, in the middle of epochs with a new and with an older set, and at
// their ends; what is left is that of an undisturbed run.
func TestIterativeMixsetStopped(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	if err := resume(t, whole); err != nil {
		t.Fatal(err)
	}
	stopAfter(t, dir, 0, 1)  // while the first set is drawn
	stopAfter(t, dir, 5, 0)  // in epoch 0
	stopAfter(t, dir, 8, 0)  // in epoch 1
	stopAfter(t, dir, 7, 0)  // after epoch 1
	stopAfter(t, dir, 0, 1)  // while the second set is drawn
	stopAfter(t, dir, 10, 0) // after epoch 2
	stopAfter(t, dir, 12, 1) // while the third set is drawn
	stopAfter(t, dir, 9, 0)  // in epoch 4
	if err := resume(t, dir); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
	if got, want := rowsOf(t, dir), rowsOf(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("rows\n%v\nwant\n%v", got, want)
	}
}

// TestDamagedMixset: a set whose weights are gone is refused where it is not the checkpoint's, byte for byte, and nothing
// in the folder changes. Where the weights are there it is drawn again.
func TestDamagedMixset(t *testing.T) {
	whole := t.TempDir()
	if err := resume(t, whole); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(b []byte) []byte{
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"short":   func(b []byte) []byte { return b[:len(b)-1] },
		"long":    func(b []byte) []byte { return append(b, 0) },
		"empty":   func([]byte) []byte { return nil },
		"missing": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, MixsetName)
			write := func(b []byte) {
				if err := os.WriteFile(path, b, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			stopAfter(t, dir, 13, 0) // in epoch 1
			good, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if damage == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				write(damage(slices.Clone(good)))
			}
			before := files(t, dir)
			if err := resume(t, dir); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v", err)
			}
			if !maps.Equal(files(t, dir), before) {
				t.Error("the refusal has changed the folder")
			}
			write(good)
			stopAfter(t, dir, 7, 0) // to the end of the epoch, after which a set is drawn
			write([]byte("no set"))
			if err := resume(t, dir); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
		})
	}
}

func TestIterativeMixsetErrors(t *testing.T) {
	failed := errors.New("no ink")
	for name, c := range map[string]struct {
		change func(r *Recipe, o *Options)
		is     error
		says   string
	}{
		"mix":      {func(r *Recipe, _ *Options) { r.Mix = "augmix" }, ErrRecipe, "mix augmix mixes no images in"},
		"none":     {func(r *Recipe, _ *Options) { r.Mix = "pixmix-input" }, ErrRecipe, "mixes no images in"},
		"zero":     {func(r *Recipe, _ *Options) { r.MixsetEvery = 0 }, ErrRecipe, "mixset-every: 0 (allowed: 1 to"},
		"negative": {func(r *Recipe, _ *Options) { r.MixsetEvery = -1 }, ErrRecipe, "mixset-every: -1 (allowed: 1 to"},
		"fixed":    {func(r *Recipe, _ *Options) { r.Mixset = "fractals" }, ErrRecipe, `mixset "fractals" is not drawn anew`},
		"no count": {func(r *Recipe, _ *Options) { r.Mixset = "iterative-fvis-n" }, ErrRecipe, "with N of 1 to 65536"},
		"count 0":  {func(r *Recipe, _ *Options) { r.Mixset = "iterative-fvis-n0" }, ErrRecipe, `"iterative-fvis-n0"`},
		"count -1": {func(r *Recipe, _ *Options) { r.Mixset = "iterative-fvis-n-1" }, ErrRecipe, "iterative-fvis-nN"},
		"many":     {func(r *Recipe, _ *Options) { r.Mixset = "iterative-fvis-n65537" }, ErrRecipe, "65536"},
		"word":     {func(r *Recipe, _ *Options) { r.Mixset = "iterative-fvis-128" }, ErrRecipe, "iterative-fvis-nN"},
		"nobody":   {func(_ *Recipe, o *Options) { o.Renewal = nil }, ErrRecipe, "nothing was given that draws"},
		"failed": {func(_ *Recipe, o *Options) {
			o.Renewal = &noises{during: func(context.Context) error { return failed }}
		}, failed, "mixing set of epoch 1: no ink"},
		"small": {func(_ *Recipe, o *Options) { o.Renewal = smallImages{} }, mix.ErrMixingSet, "smaller"},
	} {
		t.Run(name, func(t *testing.T) {
			r, o := iterative(), Options{Dir: filepath.Join(t.TempDir(), "run"), Train: trainSet(), Renewal: &noises{}}
			c.change(&r, &o)
			if _, err := Run(t.Context(), r, o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %v that says %q", err, c.is, c.says)
			}
		})
	}
	for spec, want := range map[string]int{
		"": 0, "fractals": 0, "./iterative-fvis": 0, "iterative-fvis/": 0,
		"iterative-fvis": DefaultDrawn, "iterative-fvis-n1": 1, "iterative-fvis-n65536": 65536,
	} {
		r := iterative()
		r.Mixset = spec
		if n, drawn, err := r.Drawn(); n != want || drawn != (want > 0) || err != nil {
			t.Errorf("%q: %d, %v, %v", spec, n, drawn, err)
		}
	}
}

func ExampleRecipe_Drawn() {
	r := Default()
	r.Mix = "pixmix-k4-b3"
	for _, set := range []string{"fractals-n500", "iterative-fvis", "iterative-fvis-n64"} {
		r.Mixset = set
		n, drawn, err := r.Drawn()
		fmt.Println(set, drawn, n, err)
	}
	// Output:
	// fractals-n500 false 0 <nil>
	// iterative-fvis true 256 <nil>
	// iterative-fvis-n64 true 64 <nil>
}

// smallImages draws a set for smaller training images.
type smallImages struct{}

func (smallImages) Draw(context.Context, *Drawing) ([]byte, error) {
	return append([]byte{1, 4}, make([]byte, 48)...), nil
}

func (smallImages) Open(content []byte) (mix.MixingSet, error) { return new(noises).Open(content) }

// slowNoises takes a while, and says so before and after, for the process that is killed.
func slowNoises() *noises {
	return &noises{during: func(context.Context) error {
		fmt.Print(".")
		time.Sleep(20 * time.Millisecond)
		fmt.Print(".")
		return nil
	}}
}
