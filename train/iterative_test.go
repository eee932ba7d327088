package train

import (
	"bytes"
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

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// noises makes mixing sets of noise that depends on seed, count, size and every weight.
type noises struct {
	made   []iterative // so far, without their networks
	sets   []*noiseSet
	during func(ctx context.Context) error // in the middle of a set; nil: nothing happens
	// smaller is by how much the images are too small, but for one pixel.
	smaller int
}

func (v *noises) visualize(ctx context.Context, d *iterative) (mix.MixingSet, error) {
	if v.during != nil {
		if err := v.during(ctx); err != nil {
			return nil, err
		}
	}
	key := rng.NewKey(d.seed)
	for _, t := range d.net.Tensors() {
		for _, x := range t.Data {
			key = key.Uint(uint64(math.Float32bits(x)))
		}
	}
	r := key.Rand()
	side := d.size + 1 - v.smaller
	s := &noiseSet{img: make([]raster.Image, d.count)}
	for i := range s.img {
		pixels := make([]byte, 3*side*side)
		for j := range pixels {
			pixels[j] = byte(r.IntN(256))
		}
		s.img[i].SetRGB(side, side, pixels)
	}
	content, err := encodeSet(s)
	s.text = string(content)
	s.used.Store(int64(-1 - len(s.img))) // those that the run takes to write the file
	kept := *d
	kept.net = nil
	v.made, v.sets = append(v.made, kept), append(v.sets, s)
	return s, err
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

// iterated is a configuration with a new set in epochs 0, 2 and 4 of 5.
func iterated() Config {
	r := small()
	r.Batch, r.Mix, r.Mixset, r.MixsetEvery, r.Epochs = 8, "pixmix-k4-b3", "iterative-fvis-n5", 2, 5
	return r
}

// losses trains and returns the loss of every step.
func losses(t *testing.T, r Config, o Options, v *noises) (list []float64) {
	t.Helper()
	o.Train = fewer()
	o.OnStep = func(s *Step) { list = append(list, s.Loss) }
	if _, err := run(t.Context(), r, o, v.visualize); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestIterativeMixset: when sets are drawn, from what, and that they reach the steps of their epochs and no others.
func TestIterativeMixset(t *testing.T) {
	t.Parallel()
	dir, v := t.TempDir(), &noises{}
	var before []int64 // uses of earlier sets when the next is drawn
	v.during = func(context.Context) error {
		for _, s := range v.sets {
			before = append(before, s.used.Load())
		}
		return nil
	}
	r := iterated()
	got := losses(t, r, Options{Dir: dir}, v)
	var epochs []int
	seeds, texts := map[uint64]bool{}, map[string]bool{}
	for i := range v.made {
		d := &v.made[i]
		epochs = append(epochs, d.epoch)
		seeds[d.seed], texts[v.sets[i].text] = true, true
		if d.count != 5 || d.size != 8 || d.workers != 2 || d.mean[0] != 0.5 || d.std[2] != 0.5 {
			t.Errorf("set of %+v", d)
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
	if again := losses(t, averaged, Options{Dir: t.TempDir()}, w); !reflect.DeepEqual(again, got) {
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
	other := losses(t, fixed, Options{Dir: t.TempDir(), MixingSet: v.sets[0]}, nil)
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
	_, err := run(ctx, iterated(), Options{Dir: dir, Resume: true, Train: fewer(), OnStep: func(*Step) {
		if steps--; steps == 0 {
			cancel(stopped)
		}
	}}, v.visualize)
	if !errors.Is(err, stopped) || strings.Contains(err.Error(), "gave up") {
		t.Fatal(err)
	}
}

func resume(t *testing.T, dir string) error {
	t.Helper()
	_, err := run(t.Context(), iterated(), Options{Dir: dir, Resume: true, Train: fewer()}, new(noises).visualize)
	return err
}

// TestIterativeMixsetStopped stops a run while it draws, in the middle of epochs with a new and with an older set, and at
// their ends; what is left is that of an undisturbed run.
func TestIterativeMixsetStopped(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
		change func(r *Config, v *noises)
		is     error
		says   string
	}{
		"mix":      {func(r *Config, _ *noises) { r.Mix = "augmix" }, ErrConfig, "mix augmix mixes no images in"},
		"none":     {func(r *Config, _ *noises) { r.Mix = "pixmix-input" }, ErrConfig, "mixes no images in"},
		"zero":     {func(r *Config, _ *noises) { r.MixsetEvery = 0 }, ErrConfig, "mixset-every: 0 (allowed: 1 to"},
		"negative": {func(r *Config, _ *noises) { r.MixsetEvery = -1 }, ErrConfig, "mixset-every: -1 (allowed: 1 to"},
		"fixed":    {func(r *Config, _ *noises) { r.Mixset = "fractals" }, ErrConfig, `mixset "fractals" is not made anew`},
		"no count": {func(r *Config, _ *noises) { r.Mixset = "iterative-fvis-n" }, ErrConfig, "with N of 1 to 65536"},
		"count 0":  {func(r *Config, _ *noises) { r.Mixset = "iterative-fvis-n0" }, ErrConfig, `"iterative-fvis-n0"`},
		"count -1": {func(r *Config, _ *noises) { r.Mixset = "iterative-fvis-n-1" }, ErrConfig, "iterative-fvis-nN"},
		"many":     {func(r *Config, _ *noises) { r.Mixset = "iterative-fvis-n65537" }, ErrConfig, "65536"},
		"word":     {func(r *Config, _ *noises) { r.Mixset = "iterative-fvis-128" }, ErrConfig, "iterative-fvis-nN"},
		"large":    {func(r *Config, _ *noises) { r.Crop = "pad240:460" }, ErrConfig, "side 526 for training images of 460"},
		"failed": {func(_ *Config, v *noises) {
			v.during = func(context.Context) error { return failed }
		}, failed, "mixing set of epoch 1: no ink"},
		"small": {func(_ *Config, v *noises) { v.smaller = 5 }, mix.ErrMixingSet, "smaller"},
	} {
		t.Run(name, func(t *testing.T) {
			r, v := iterated(), new(noises)
			c.change(&r, v)
			dir := filepath.Join(t.TempDir(), "run")
			_, err := run(t.Context(), r, Options{Dir: dir, Train: fewer()}, v.visualize)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %v that says %q", err, c.is, c.says)
			}
			if _, err := os.Stat(dir); c.is == ErrConfig && err == nil {
				t.Error("the folder was made")
			}
		})
	}
	for spec, want := range map[string]int{
		"": 0, "fractals": 0, "./iterative-fvis": 0, "iterative-fvis/": 0,
		"iterative-fvis": DefaultIterative, "iterative-fvis-n1": 1, "iterative-fvis-n65536": 65536,
	} {
		if n, is, err := ParseIterative(spec); n != want || is != (want > 0) || err != nil {
			t.Errorf("%q: %d, %v, %v", spec, n, is, err)
		}
	}
}

func ExampleParseIterative() {
	for _, set := range []string{"fractals-n500", "iterative-fvis", "iterative-fvis-n64"} {
		n, iterative, err := ParseIterative(set)
		fmt.Println(set, iterative, n, err)
	}
	// Output:
	// fractals-n500 false 0 <nil>
	// iterative-fvis true 256 <nil>
	// iterative-fvis-n64 true 64 <nil>
}

// Content that encodeSet does not write is an error, not a panic.
func TestDecodeSet(t *testing.T) {
	array := func(data any, shape ...int) []byte {
		var b bytes.Buffer
		if err := npy.Write(&b, &npy.Array{Shape: shape, Data: data}); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	good := array(make([]byte, 2*5*4*3), 2, 5, 4, 3)
	if set, err := decodeSet(good); err != nil || set.Len() != 2 || set.Image(1).W != 4 || set.Image(1).H != 5 {
		t.Errorf("%v, %v", set, err)
	}
	for name, content := range map[string][]byte{
		"empty": nil, "text": []byte("no array"), "short": good[:len(good)-1],
		"floats": array(make([]float32, 48), 1, 4, 4, 3), "rank": array(make([]byte, 48), 4, 4, 3),
		"gray": array(make([]byte, 32), 2, 4, 4, 1), "none": array([]byte{}, 0, 4, 4, 3), "flat": array([]byte{}, 2, 0, 4, 3),
	} {
		if _, err := decodeSet(content); !errors.Is(err, npy.ErrFormat) && !errors.Is(err, raster.ErrSize) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// slowNoises takes a while, and says so before and after, for the process that is killed.
func slowNoises() *noises {
	return &noises{during: func(context.Context) error {
		fmt.Print(".")
		time.Sleep(20 * time.Millisecond)
		fmt.Print(".")
		return nil
	}}
}
