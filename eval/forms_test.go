package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// texture makes a data set of n images of 32x32 in four classes.
func texture(n int) *memory {
	m := &memory{format: "cifar10", classes: 4}
	for i := range n {
		p := raster.New(32, 32)
		r := rng.NewKey(uint64(i)).Str("texture").Rand()
		for y := range 32 {
			for x := range 32 {
				v := uint8(60*(i%4) + (x*(1+i%3)+y)%40)
				p.Set(x, y, raster.RGB{R: v, G: uint8(r.IntN(80)) + 40, B: uint8(8 * y)})
			}
		}
		m.samples = append(m.samples, sample{fmt.Sprintf("test/%05d", i), i % 4, p})
	}
	return m
}

// projection is a Predictor whose logits are fixed random sums of all input values: any pixel that differs shows.
type projection struct {
	classes, calls, images int
	fail                   int // image at which it fails; 0: never
	weights                []float32
	stop                   func()
}

func newProjection(classes int) *projection {
	p := &projection{classes: classes, weights: make([]float32, classes*3*32*32)}
	r := rng.New(9)
	r.FillNormal32(p.weights)
	return p
}

func (p *projection) Classes() int                              { return p.classes }
func (p *projection) Input() (h, w int, norm mix.Normalization) { return 32, 32, mix.Half }
func (p *projection) MaxBatch() int                             { return 7 }

func (p *projection) Predict(dst, x []float32, n int) error {
	p.calls++
	size := len(x) / n
	for i := range n {
		if p.images++; p.images == p.fail {
			p.stop()
		}
		for c := range p.classes {
			sum := float32(0)
			w := p.weights[c*size:][:size]
			for k, v := range x[i*size:][:size] {
				sum += v * w[k]
			}
			dst[i*p.classes+c] = sum / 16
		}
	}
	return nil
}

// measured are the rows without what tells apart where images came from.
func measured(rows []results.Row) []results.Row {
	rows = slices.Clone(rows)
	for i := range rows {
		rows[i].Seed, rows[i].Time, rows[i].Versions = nil, time.Time{}, nil
		if math.IsNaN(rows[i].Value) {
			rows[i].Value = -1
		}
	}
	return rows
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".versions.json") { // which says what files there are on disk
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// write makes a form of a set on disk as the commands do.
func write(t *testing.T, set *memory, seed uint64, expander func() transform.MultiTransform, open func() (generate.PartSink, error)) {
	t.Helper()
	src, _ := set.again()
	_, err := generate.Run(t.Context(), generate.Job{
		Source: src, Seed: seed,
		Task: generate.Variants{
			Transform: expander,
			Open:      func([]byte) (generate.PartSink, error) { return open() },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCorruptionsFromDiskAndOnTheFly: what is made on the fly has the bytes that are written with the same seed, in
// arrays, and in folders of JPEG files; so logits and numbers are the same.
func TestCorruptionsFromDiskAndOnTheFly(t *testing.T) {
	set := texture(23)
	const seed = 5
	plan := transform.Corruptions{Severities: []float64{1, 2, 3, 4, 5}, Size: 36, Filter: augment.Bilinear, Crop: 32}
	for _, c := range []struct {
		name, suffix string
		names        []string
		jpeg         data.Encoding
	}{
		{"arrays", results.SuffixC, []string{"gaussian_noise", "fog", "pixelate"}, data.Encoding{}},
		{"bar", results.SuffixCBar, mustNames(t), data.Encoding{}},
		{"folders", results.SuffixC, []string{"shot_noise", "jpeg_compression"}, data.Encoding{
			JPEG:    true,
			Quality: 85,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := plan
			plan.Names = c.names
			dir := t.TempDir()
			write(t, set, seed, plan.Transform, func() (generate.PartSink, error) {
				if c.jpeg.JPEG {
					return generate.OpenTree(generate.TreeOptions{
						Dir: dir, Variants: plan.Variants(), Classes: set.Info().Classes, Ext: c.jpeg.Ext(),
						Quality: c.jpeg.Quality,
					}, nil)
				}
				return generate.OpenArrays(generate.ArrayOptions{
					Dir: dir, Variants: plan.Variants(), Samples: len(set.samples), Classes: set.Info().Classes,
				}, nil)
			})
			var rows [2][]results.Row
			var logits [2]map[string]string
			for i, from := range []string{"", dir} {
				e := &Evaluator{Model: Model{Predictor: newProjection(4), Name: "m"}, Store: Store{LogitsDir: t.TempDir()}, Dataset: "own", Calibration: true, Workers: 1 + i}
				err := e.Corruptions(t.Context(), &CorruptionSuite{
					Suffix: c.suffix, Names: c.names, Open: set.again, Plan: plan, Seed: seed, JPEG: c.jpeg, Dir: from,
				})
				if err != nil {
					t.Fatal(err)
				}
				rows[i], logits[i] = measured(e.Rows), readTree(t, e.LogitsDir)
			}
			if len(rows[0]) < 30 || !reflect.DeepEqual(rows[0], rows[1]) {
				t.Errorf("%d rows on the fly, %d from disk:\n%v\n%v", len(rows[0]), len(rows[1]), rows[0], rows[1])
			}
			if c.jpeg.JPEG { // folders are read in another order
				return
			}
			if len(logits[0]) != 2*len(c.names) || !reflect.DeepEqual(logits[0], logits[1]) {
				t.Error("other logits from disk than on the fly")
			}
		})
	}
}

func mustNames(t *testing.T) []string {
	t.Helper()
	names, err := cbar.Names(cbar.CIFAR)
	if err != nil {
		t.Fatal(err)
	}
	return names[:3]
}

func TestPerturbationsFromDiskAndOnTheFly(t *testing.T) {
	set := texture(9)
	const seed = 3
	names := []string{"gaussian_noise", "translate", "brightness"}
	for _, difficulty := range []int{1, 2} {
		for kind, n := range map[string]int{"arrays": 9, "folders": 9, "some of arrays": 4} {
			folder, limit := kind == "folders", 0
			if n < 9 {
				limit = n
			}
			plan := transform.Perturbations{Names: names, Difficulties: []int{1}}
			if difficulty > 1 {
				plan.Difficulties = []int{1, difficulty}
			}
			dir := t.TempDir()
			write(t, set, seed, plan.Transform, func() (generate.PartSink, error) {
				if folder {
					return generate.OpenTree(generate.TreeOptions{
						Dir: dir, Variants: plan.Variants(), Classes: set.Info().Classes, Ext: ".png", Frames: true,
					}, nil)
				}
				return generate.OpenArrays(generate.ArrayOptions{
					Dir: dir, Variants: plan.Variants(), Samples: len(set.samples), Classes: set.Info().Classes,
					Frames: true,
				}, nil)
			})
			var rows [2][]results.Row
			for i, from := range []string{"", dir} {
				e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Store: Store{LogitsDir: t.TempDir()}, Dataset: "own", Limit: limit}
				err := e.Perturbations(t.Context(), &PerturbationSuite{
					Names: names, Difficulty: difficulty, Open: set.again, Seed: seed, Dir: from,
				})
				if err != nil {
					t.Fatal(err)
				}
				rows[i] = measured(e.Rows)
				a, err := npy.ReadFile(filepath.Join(e.LogitsDir, "own-p", "translate.npy"))
				if err != nil || !reflect.DeepEqual(a.Shape, []int{n, 16, 10}) {
					t.Errorf("logits %v, %v", a, err)
				}
			}
			if len(rows[0]) != 6 || rows[0][0].N != int64(n) || rows[0][0].Difficulty != difficulty {
				t.Errorf("rows %v", rows[0])
			}
			for k := range rows[0] { // folders are read in another order, which moves last bits of means
				if math.Abs(rows[0][k].Value-rows[1][k].Value) > 1e-12 {
					t.Errorf("on the fly %v, from disk %v", rows[0][k], rows[1][k])
				}
			}
			if n == 9 && rows[0][0].Value == 0 {
				t.Error("nothing flips: the test shows nothing")
			}
		}
	}
}

// TestGoesOn interrupts a measurement and starts it again: complete corruptions are not measured twice, and the rows
// are those of an undisturbed run.
func TestGoesOn(t *testing.T) {
	set := texture(20)
	names := []string{"gaussian_noise", "fog", "contrast"}
	run := func(e *Evaluator, ctx context.Context) error {
		src, _ := set.again()
		if err := e.Clean(ctx, src, Prepare{}); err != nil {
			return err
		}
		return e.Corruptions(ctx, &CorruptionSuite{
			Suffix: results.SuffixC, Names: names, Open: set.again, Seed: 1,
			Plan: transform.Corruptions{Severities: []float64{1, 3}},
		})
	}
	whole := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Dataset: "own"}
	if err := run(whole, t.Context()); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "results.jsonl")
	stopped := errors.New("stopped")
	total := 0
	for try := range 10 {
		rows, err := results.OpenAppend(path)
		if err != nil {
			t.Fatal(err)
		}
		known, err := results.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		p := newProjection(10)
		p.fail, p.stop = 50, func() { cancel(stopped) }
		e := &Evaluator{Model: Model{Predictor: p, Name: "m"}, Store: Store{Results: rows, Known: results.Rows(known)}, Dataset: "own"}
		err = run(e, ctx)
		total += p.images
		if err2 := rows.Close(); err2 != nil {
			t.Fatal(err2)
		}
		if err == nil {
			if try == 0 {
				t.Error("it was not interrupted")
			}
			if got, want := measured(e.Rows), measured(whole.Rows); !reflect.DeepEqual(got, want) {
				t.Errorf("rows\n%v\nwant\n%v", got, want)
			}
			break
		}
		if !errors.Is(err, stopped) {
			t.Fatal(err)
		}
	}
	located, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := results.Merge(located); err != nil || len(located) != len(whole.Rows) {
		t.Errorf("%d rows in the file, want %d (%v)", len(located), len(whole.Rows), err)
	}
	if all := 20 + 3*2*20; total < all || total > 2*all {
		t.Errorf("%d images were looked at, the set has %d", total, all)
	}
}

func TestLimit(t *testing.T) {
	set := texture(40)
	e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Dataset: "own", Limit: 8}
	src, _ := set.again()
	if err := e.Clean(t.Context(), src, Prepare{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rows {
		if r.N != 8 || r.View != (results.View{Limit: 8}) {
			t.Errorf("%+v", r)
		}
	}
}

func TestRefusedImages(t *testing.T) {
	unlabeled, foreign, large := texture(3), texture(3), texture(3)
	unlabeled.samples[1].label = data.NoLabel
	foreign.samples[1].label = 17
	large.samples[2].image = raster.New(40, 32)
	for name, c := range map[string]struct {
		set  *memory
		is   error
		says string
	}{
		"no label": {unlabeled, data.ErrLabel, "test/00001 has no label"},
		"label":    {foreign, data.ErrLabel, "label 17"},
		"size":     {large, ErrImages, "test/00002 is 40x32 pixels, and the model takes images of 32x32"},
	} {
		e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Dataset: "own"}
		if err := e.Clean(t.Context(), c.set, Prepare{}); !errors.Is(err, c.is) || !strings.Contains(err.Error(),
			c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBrokenForms reads -C and -P folders that are not what they should be.
func TestBrokenForms(t *testing.T) {
	dir := t.TempDir()
	array := func(name string, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		if err := npy.WriteFile(filepath.Join(dir, name), &npy.Array{Shape: shape, Data: make([]uint8,
			n)}); err != nil {
			t.Fatal(err)
		}
	}
	array("fog.npy", 7, 32, 32, 3)
	array("labels.npy", 7)
	array("translate.npy", 2, 4, 32, 32)
	array("rotate.npy", 2, 4, 32, 32, 3)
	if err := os.Truncate(filepath.Join(dir, "rotate.npy"), 5000); err != nil {
		t.Fatal(err)
	}
	e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "m"}, Dataset: "own"}
	for name, says := range map[string]string{
		"fog":  "not a multiple of 5",
		"snow": "neither snow.npy or .npz nor a folder snow: file",
		// Of several, those that are there are named.
		"snow frost fog": "neither snow.npy or .npz nor a folder snow, of this suite only fog, which the option subset can name",
	} {
		err := e.Corruptions(t.Context(), &CorruptionSuite{Suffix: results.SuffixC, Names: strings.Fields(name), Dir: dir})
		if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, says := range map[string]string{
		"translate": "allowed: |u1 [N, frames, H, W, 3]",
		"rotate":    "it declares",
	} {
		err := e.Perturbations(t.Context(), &PerturbationSuite{Names: []string{name}, Difficulty: 1, Dir: dir})
		if !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFramesPixelLimit: frames have the limit of images in files.
func TestFramesPixelLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{1, 2, 4, 4, 3}, Data: make([]uint8, 96)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = data.SetDecodeLimits(data.DecodeLimits{}) })
	if err := data.SetDecodeLimits(data.DecodeLimits{MaxPixels: 15}); err != nil {
		t.Fatal(err)
	}
	if _, err := openFrames(path); !errors.Is(err, data.ErrLimit) || !strings.Contains(err.Error(), path+": an array [1 2 4 4 3]: ") {
		t.Error(err)
	}
}

func FuzzOpenFrames(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{1, 2, 2, 2, 3}, Data: make([]uint8, 24)}); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte("\x93NUMPY"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := openFrames(path)
		if err != nil {
			return
		}
		defer s.Close()
		var x data.Sample
		for range min(s.Len(), 5) {
			if err := s.Next(&x); err != nil {
				t.Errorf("a frame that the header promises: %v", err)
			}
		}
	})
}

func TestVideoOf(t *testing.T) {
	for key, want := range map[string]string{
		"cat/0001/frame-00": "cat/0001", "cat/0001-12": "cat/0001", "a-b-3": "a-b", "frame-1": "frame",
	} {
		if got, err := videoOf(key); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", key, got, err, want)
		}
	}
	for _, key := range []string{"cat/1", "cat/1-", "cat/1-x", "-1"} {
		if got, err := videoOf(key); err == nil {
			t.Errorf("%s is a frame of %q", key, got)
		}
	}
}

func ExampleEvaluator() {
	set := texture(40)
	e := &Evaluator{Model: Model{Predictor: newProjection(10), Name: "random"}, Dataset: "texture"}
	if err := e.Clean(context.Background(), set, Prepare{}); err != nil {
		fmt.Println(err)
		return
	}
	err := e.Corruptions(context.Background(), &CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"fog"}, Open: set.again,
		Plan: transform.Corruptions{Severities: []float64{1, 5}},
	})
	for _, r := range e.Rows {
		if r.Metric == results.Top1Error {
			fmt.Println(r.Dataset, r.Corruption, r.Severity, r.N, r.Value > 0.5)
		}
	}
	fmt.Println(err)
	// Output:
	// texture  0 40 true
	// texture-c fog 1 40 true
	// texture-c fog 5 40 true
	// <nil>
}
