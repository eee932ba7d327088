package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/gif"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// forms are the ways in which expansions are written; kill tests go over all.
var forms = map[string]func(dir string, variants []transform.Variant, samples int, state []byte) (PartSink, error){
	"arrays": func(dir string, variants []transform.Variant, samples int, state []byte) (PartSink, error) {
		o := ArrayOptions{Dir: dir, Variants: variants, Samples: samples, Classes: []string{"cat", "dog"}}
		return OpenArrays(o, state)
	},
	"tree": func(dir string, variants []transform.Variant, _ int, state []byte) (PartSink, error) {
		o := TreeOptions{Dir: dir, Variants: variants, Classes: []string{"dog", "cat"}, Ext: ".jpg", Quality: 85}
		return OpenTree(o, state)
	},
	"fan": func(dir string, variants []transform.Variant, _ int, state []byte) (PartSink, error) {
		return OpenFan(len(variants), data.Encoding{}, func(v int, state []byte) (data.Sink, error) {
			s, err := wds.Create(filepath.Join(dir, variants[v].Dir()), []string{"cat", "dog"},
				wds.SinkOptions{Overwrite: true, PerShard: 7}, state)
			if err != nil {
				return nil, err
			}
			return s, nil
		}, state)
	},
}

// hookedSink tells what happens to a PartSink.
type hookedSink struct {
	PartSink
	hook func(event string) error
}

func (s *hookedSink) PutParts(sample *data.Sample, parts []transform.Part) error {
	if err := s.hook("put"); err != nil {
		return err
	}
	return s.PartSink.PutParts(sample, parts)
}

func (s *hookedSink) Checkpoint() ([]byte, error) {
	if err := s.hook("checkpoint"); err != nil {
		return nil, err
	}
	state, err := s.PartSink.Checkpoint()
	return state, errors.Join(err, s.hook("checkpointed"))
}

func (s *hookedSink) Close() error {
	if err := s.hook("close"); err != nil {
		return err
	}
	return errors.Join(s.PartSink.Close(), s.hook("closed"))
}

// plan is what the tests make: corruptions of every kind of draw, not in their published order.
func plan() *transform.Corruptions {
	return &transform.Corruptions{Names: []string{"impulse_noise", "fog", "contrast", "jpeg_compression"}, Severities: []float64{1, 3, 5}}
}

// expandJob makes the plan from n fake samples.
func expandJob(form, dir string, n int, hook func(string) error) Job {
	c := plan()
	if hook == nil {
		hook = func(string) error { return nil }
	}
	return Job{
		Source: &fakeSource{n: n}, Out: Output{Path: dir},
		Task: Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
			s, err := forms[form](dir, c.Variants(), n, state)
			if err != nil {
				return nil, err
			}
			return &hookedSink{s, hook}, nil
		}},
		Records: map[string][]byte{ArgsName: []byte("seed: 5\n")}, Options: []Option{{"seed", "5"}},
		Seed: 5, Workers: 2, CheckpointEvery: 6,
	}
}

// whole returns what a run on one worker without interruption makes.
func whole(t testing.TB, form string, n int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	j := expandJob(form, dir, n, nil)
	j.Workers, j.CheckpointEvery = 1, 1000
	mustRun(t, j)
	return tree(t, dir)
}

// expected is an image made by package corrupt alone, with the stream that Corruptions documents.
func expected(t testing.TB, name string, severity float64, sample int) *raster.Image {
	t.Helper()
	var s data.Sample
	if err := (&fakeSource{n: sample + 1}).Read(sample, &s); err != nil {
		t.Fatal(err)
	}
	src, dst := new(raster.Image), new(raster.Image)
	if err := s.Decode(src); err != nil {
		t.Fatal(err)
	}
	c, err := corrupt.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	r := rng.NewKey(5).Str(s.Key).Str("corrupt").Str(name).Number(severity).Rand()
	if err := c.Apply(dst, src, severity, &r, new(corrupt.Scratch)); err != nil {
		t.Fatal(err)
	}
	return dst
}

func readArray[T any](t testing.TB, path string, shape ...int) []T {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	elements, ok := a.Data.([]T)
	if !ok || !slices.Equal(a.Shape, shape) {
		t.Fatalf("%s: %T of shape %v, want %T of %v", path, a.Data, a.Shape, elements, shape)
	}
	return elements
}

// The rows of CIFAR-10-C: severity by severity, in the source's order, with and without rejected samples.
func TestArrays(t *testing.T) {
	for _, rejected := range []map[int]bool{nil, {0: true, 7: true, 19: true}} {
		const n = 20
		var kept []int
		for i := range n {
			if !rejected[i] {
				kept = append(kept, i)
			}
		}
		dir := t.TempDir()
		j := expandJob("arrays", dir, n, nil)
		j.Source, j.OnError = &fakeSource{n: n, corrupt: rejected}, Skip
		res := mustRun(t, j)
		m, c := len(kept), plan()
		if res.Items != 4*3*m || len(res.Rejected) != n-m {
			t.Errorf("%d images, %d rejected", res.Items, len(res.Rejected))
		}
		for _, name := range c.Names {
			rows := readArray[uint8](t, filepath.Join(dir, name+".npy"), 3*m, 6, 8, 3)
			for b, severity := range c.Severities {
				for row, i := range kept {
					got := rows[(b*m+row)*8*6*3:][:8*6*3]
					if !bytes.Equal(got, expected(t, name, severity, i).AppendRGB(nil)) {
						t.Fatalf("%s at %v of sample %d differs", name, severity, i)
					}
				}
			}
		}
		for row, l := range readArray[uint8](t, filepath.Join(dir, "labels.npy"), 3*m) {
			if int(l) != kept[row%m]%2 {
				t.Errorf("label %d of row %d", l, row)
			}
		}
		if text, err := os.ReadFile(filepath.Join(dir, "classes.txt")); string(text) != "cat\ndog\n" {
			t.Errorf("classes %q, %v", text, err)
		}
		if d, err := Verify(t.Context(), Output{Path: dir}, 2); err != nil || !d.OK() || d.Files != 6 {
			t.Errorf("Verify: %+v, %v", d, err)
		}
	}
}

// putOne puts one sample with one image by each variant.
func putOne(t testing.TB, s PartSink, variants, label int, w, h int) error {
	t.Helper()
	var p transform.Parts
	p.Reset(s.AppendPart)
	for v := range variants {
		if err := p.Add(v, 0, raster.New(w, h)); err != nil {
			t.Fatal(err)
		}
	}
	return s.PutParts(&data.Sample{Key: fmt.Sprintf("k%d", label), Label: label}, p.All())
}

func TestArrayLabels(t *testing.T) {
	many := make([]string, 300)
	for i := range many {
		many[i] = fmt.Sprint("class", i)
	}
	for _, c := range []struct {
		name   string
		o      ArrayOptions
		labels []int
		wide   bool
	}{
		{"bytes", ArrayOptions{}, []int{3, 255}, false},
		{"too large for bytes", ArrayOptions{}, []int{3, 256}, true},
		{"asked for", ArrayOptions{Wide: true}, []int{3, 4}, true},
		{"many classes", ArrayOptions{Classes: many}, []int{3, 4}, true},
	} {
		c.o.Dir, c.o.Samples = t.TempDir(), 2
		c.o.Variants = []transform.Variant{{Name: "fog", Severity: 1}, {Name: "fog", Severity: 2}}
		s, err := OpenArrays(c.o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.labels {
			if err := putOne(t, s, 2, l, 2, 2); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		var got []int
		if path := filepath.Join(c.o.Dir, "labels.npy"); c.wide {
			for _, l := range readArray[int64](t, path, 4) {
				got = append(got, int(l))
			}
		} else {
			for _, l := range readArray[uint8](t, path, 4) {
				got = append(got, int(l))
			}
		}
		if !slices.Equal(got, slices.Concat(c.labels, c.labels)) {
			t.Errorf("%s: labels %v", c.name, got)
		}
	}
}

// An archive begins with the first sample that it takes.
func TestArchiveRejectsFirst(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenArrays(ArrayOptions{Dir: dir, Samples: 2, Archive: "test", Variants: []transform.Variant{{Name: "fog", Severity: 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := putOne(t, s, 1, data.NoLabel, 3, 2); !errors.Is(err, data.ErrLabel) {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "fog*")); found != nil {
		t.Errorf("a rejected sample leaves %q", found)
	}
	if err := errors.Join(putOne(t, s, 1, 1, 4, 2), s.Close()); err != nil {
		t.Error(err)
	}
}

func TestArrayRejects(t *testing.T) {
	o := ArrayOptions{Dir: t.TempDir(), Samples: 2, Variants: []transform.Variant{{Name: "fog", Severity: 1}}, Classes: []string{"a", "b"}}
	open := func() PartSink {
		s, err := OpenArrays(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := putOne(t, s, 1, 1, 3, 2); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	if err := putOne(t, s, 1, 0, 4, 2); !errors.Is(err, ErrSize) || !strings.Contains(err.Error(), "4x2") ||
		!strings.Contains(err.Error(), "3x2") {
		t.Errorf("another size: %v", err)
	}
	if err := putOne(t, s, 1, 2, 3, 2); !errors.Is(err, data.ErrLabel) {
		t.Errorf("a label outside the classes: %v", err)
	}
	if err := putOne(t, s, 1, data.NoLabel, 3, 2); !errors.Is(err, data.ErrLabel) {
		t.Errorf("no label: %v", err)
	}
	if err := errors.Join(putOne(t, s, 1, 0, 3, 2), s.Abort()); err != nil {
		t.Error(err)
	}
	s = open()
	if err := putOne(t, s, 1, 0, 3, 2); err != nil {
		t.Error(err)
	}
	if err := putOne(t, s, 1, 0, 3, 2); err == nil {
		t.Error("more samples than there is room for were taken")
	}
	if err := s.Abort(); err != nil {
		t.Error(err)
	}
	for name := range tree(t, o.Dir) {
		if !strings.HasSuffix(name, storage.TempSuffix) {
			t.Errorf("%s has its final name", name)
		}
	}
}

// Same bytes whatever the number of workers, with random access and without.
func TestExpandWorkers(t *testing.T) {
	const n = 30
	for form := range forms {
		want := whole(t, form, n)
		for _, workers := range []int{1, 2, 7} {
			dir := t.TempDir()
			j := expandJob(form, dir, n, nil)
			if j.Workers = workers; workers == 2 {
				j.Source = streamOnly{j.Source}
			}
			mustRun(t, j)
			sameTree(t, tree(t, dir), want)
		}
	}
}

// A process that ends without a word, at any event, leaves a place from which the next run gets to the same bytes.
func TestExpandCrash(t *testing.T) {
	const n = 25
	for form := range forms {
		want := whole(t, form, n)
		base := t.TempDir()
		dir := filepath.Join(base, "whole")
		crashes := 0
		events := map[string]int{}
		mustRun(t, expandJob(form, dir, n, func(event string) error {
			if events[event]++; event != "put" || events[event]%5 == 4 {
				crashes++
				copyTree(t, filepath.Join(base, fmt.Sprint(crashes)), dir)
			}
			return nil
		}))
		sameTree(t, tree(t, dir), want)
		if crashes < 12 || events["closed"] != 1 {
			t.Fatalf("%s: crashes at %v", form, events)
		}
		for i := range crashes {
			dir := filepath.Join(base, fmt.Sprint(i+1))
			j := expandJob(form, dir, n, nil)
			j.Workers = 1 + i%3
			mustRun(t, j)
			sameTree(t, tree(t, dir), want)
		}
	}
}

// A crash while Close gives files their names costs nothing: what has its name is not made again.
func TestArraysCrashInClose(t *testing.T) {
	const n = 12
	for _, skip := range []bool{false, true} { // with rejected samples files are copied, otherwise renamed
		job := func(dir string, hook func(string) error) Job {
			j := expandJob("arrays", dir, n, hook)
			if skip {
				j.Source, j.OnError = &fakeSource{n: n, corrupt: map[int]bool{4: true}}, Skip
			}
			return j
		}
		base := t.TempDir()
		dir, before, after := filepath.Join(base, "whole"), filepath.Join(base, "before"), filepath.Join(base, "after")
		mustRun(t, job(dir, func(event string) error {
			switch event {
			case "close":
				copyTree(t, before, dir)
			case "closed":
				copyTree(t, after, dir)
			}
			return nil
		}))
		want := tree(t, dir)
		var final []string // in the order in which they get their names
		for _, name := range plan().Names {
			final = append(final, name+".npy")
		}
		final = append(final, classesName, labelsName)
		for cut := range len(final) + 2 {
			at := filepath.Join(base, fmt.Sprint("cut", cut))
			copyTree(t, at, before)
			for _, name := range final[:min(cut, len(final))] {
				if err := os.Link(filepath.Join(after, name), filepath.Join(at, name)); err != nil {
					t.Fatal(err)
				}
				_ = os.Remove(filepath.Join(at, name+storage.TempSuffix))
			}
			if cut > len(final) {
				_ = os.Remove(filepath.Join(at, "labels"+storage.TempSuffix))
			}
			mustRun(t, job(at, func(event string) error {
				if event == "put" {
					return errors.New("made again")
				}
				return nil
			}))
			sameTree(t, tree(t, at), want)
		}
	}
}

// Canceled at random points and started again.
func TestExpandCancel(t *testing.T) {
	const n = 40
	for form := range forms {
		want := whole(t, form, n)
		r := rand.New(rand.NewPCG(7, 1))
		dir := t.TempDir()
		puts := 0
		for done := false; !done; {
			ctx, cancel := context.WithCancel(t.Context())
			left := 1 + r.IntN(15)
			_, err := Run(ctx, expandJob(form, dir, n, func(event string) error {
				if event == "put" {
					puts++
					if left--; left == 0 {
						cancel()
					}
				}
				return nil
			}))
			cancel()
			if done = err == nil; !done && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if sameTree(t, tree(t, dir), want); puts != n {
			t.Errorf("%s: %d samples were put, want %d: something was done twice", form, puts, n)
		}
	}
}

func TestExpandFullDisk(t *testing.T) {
	const n = 20
	for form := range forms {
		want := whole(t, form, n)
		dir := t.TempDir()
		puts := 0
		_, err := Run(t.Context(), expandJob(form, dir, n, func(event string) error {
			if event == "put" {
				if puts++; puts > 9 {
					return fmt.Errorf("cannot write: %w", syscall.ENOSPC)
				}
			}
			return nil
		}))
		if !errors.Is(err, syscall.ENOSPC) || exists(filepath.Join(dir, ManifestName)) {
			t.Errorf("%s: error %v", form, err)
		}
		mustRun(t, expandJob(form, dir, n, nil))
		sameTree(t, tree(t, dir), want)
	}
}

// An image does not depend on what else is made.
func TestSubsetsAgree(t *testing.T) {
	all, one := t.TempDir(), t.TempDir()
	mustRun(t, expandJob("tree", all, 8, nil))
	j := expandJob("tree", one, 8, nil)
	c := &transform.Corruptions{Names: []string{"fog"}, Severities: []float64{3}}
	j.Task = Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
		return forms["tree"](one, c.Variants(), 8, state)
	}}
	mustRun(t, j)
	want := tree(t, filepath.Join(all, "fog", "3"))
	if len(want) != 9 { // with classes.txt
		t.Errorf("%d files", len(want))
	}
	sameTree(t, tree(t, filepath.Join(one, "fog", "3")), want)
}

func TestTreePlaces(t *testing.T) {
	dir := t.TempDir()
	o := TreeOptions{
		Dir: dir, Variants: []transform.Variant{{Name: "fog", Severity: 2}, {Name: "tilt", Sequence: true}}, Classes: []string{"dog", "a/b", ".cat", "none"}, Ext: ".png",
	}
	s, err := OpenTree(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key   string
		label int
	}{{"dog/1", 0}, {"x/.hidden", 1}, {"2", 2}} {
		var p transform.Parts
		p.Reset(s.AppendPart)
		for v := range o.Variants {
			if err := p.Add(v, 0, raster.New(2, 2)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.PutParts(&data.Sample{Key: c.key, Label: c.label}, p.All()); err != nil {
			t.Fatal(err)
		}
	}
	for name := range tree(t, dir) {
		if !strings.HasSuffix(name, storage.TempSuffix) || filepath.Base(name)[0] != '.' {
			t.Errorf("%s before a checkpoint", name)
		}
	}
	if err := s.PutParts(&data.Sample{Key: "dog/1"}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second dog/1: %v", err)
	}
	if err := s.PutParts(&data.Sample{Key: "../x"}, nil); !errors.Is(err, data.ErrUnsafe) {
		t.Errorf("outside: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range tree(t, dir) {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"fog/2/_cat/2.png", "fog/2/a_b/x/_hidden.png", "fog/2/classes.txt", "fog/2/dog/1.png",
		"tilt/_cat/2.png", "tilt/a_b/x/_hidden.png", "tilt/classes.txt", "tilt/dog/1.png",
	}
	if !slices.Equal(names, want) {
		t.Errorf("files %q", names)
	}
	if st, err := os.Stat(filepath.Join(dir, "tilt", "none")); err != nil || !st.IsDir() {
		t.Errorf("the class without samples has no folder: %v", err)
	}
	o.Classes = []string{"a/b", "a_b"}
	if _, err := OpenTree(o, nil); !errors.Is(err, data.ErrLabel) {
		t.Errorf("two classes with one folder: %v", err)
	}
}

// TestTreeFileAndFolder: of keys that need a file and a folder of one name the error says so.
func TestTreeFileAndFolder(t *testing.T) {
	for _, named := range []bool{false, true} {
		s, err := OpenTree(TreeOptions{Dir: t.TempDir(), Variants: []transform.Variant{{}}, Classes: []string{"cat"}, Ext: ".png"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"a", "a.png/c"} {
			if err = s.PutParts(&data.Sample{Key: key}, []transform.Part{{Data: []byte("x")}}); err == nil && named {
				_, err = s.Checkpoint()
			}
		}
		err = errors.Join(err, s.Close())
		if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "other samples lie in a folder") && !strings.Contains(err.Error(), "another sample has a file") {
			t.Errorf("named %t: %v", named, err)
		}
	}
}

// CIFAR-10-P's arrays: a row for each sample, of all frames.
func TestPerturbations(t *testing.T) {
	const n = 5
	c := &transform.Perturbations{Names: []string{"gaussian_noise", "translate"}, Difficulties: []int{1, 3}, Profile: perturb.P32}
	if v := c.Variants(); !slices.Equal(v, []transform.Variant{{Name: "gaussian_noise", Sequence: true}, {Name: "gaussian_noise_3", Sequence: true}, {Name: "translate", Sequence: true}}) {
		t.Fatalf("variants %v", v)
	}
	dir := t.TempDir()
	j := expandJob("arrays", dir, n, nil)
	j.Task = Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
		return OpenArrays(ArrayOptions{Dir: dir, Variants: c.Variants(), Samples: n, Frames: true}, state)
	}}
	if res := mustRun(t, j); res.Items != n*(31+31+16) {
		t.Errorf("%d images", res.Items)
	}
	readArray[uint8](t, filepath.Join(dir, "labels.npy"), n)
	readArray[uint8](t, filepath.Join(dir, "gaussian_noise.npy"), n, 31, 6, 8, 3)
	readArray[uint8](t, filepath.Join(dir, "translate.npy"), n, 16, 6, 8, 3)
	rows := readArray[uint8](t, filepath.Join(dir, "gaussian_noise_3.npy"), n, 31, 6, 8, 3)
	for i := range n {
		var s data.Sample
		src, dst := new(raster.Image), new(raster.Image)
		if err := errors.Join(j.Source.(data.Indexed).Read(i, &s), s.Decode(src)); err != nil {
			t.Fatal(err)
		}
		p, err := perturb.ByName("gaussian_noise")
		if err != nil {
			t.Fatal(err)
		}
		r := rng.NewKey(5).Str(s.Key).Str("perturb").Str("gaussian_noise_3").Rand()
		q, err := p.Sequence(src, 3, perturb.P32, &r, new(perturb.Scratch))
		if err != nil {
			t.Fatal(err)
		}
		for f := 0; q.Next(dst); f++ {
			if !bytes.Equal(rows[(i*31+f)*8*6*3:][:8*6*3], dst.AppendRGB(nil)) {
				t.Fatalf("frame %d of sample %d differs", f, i)
			}
		}
	}
}

func TestFramesAndAnimations(t *testing.T) {
	c := &transform.Perturbations{Names: []string{"translate"}, Difficulties: []int{1}, Profile: perturb.P32, Delay: 50 * time.Millisecond}
	run := func(ext string, frames bool) map[string]string {
		dir := t.TempDir()
		j := expandJob("tree", dir, 2, nil)
		j.Task = Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
			return OpenTree(TreeOptions{Dir: dir, Variants: c.Variants(), Classes: []string{"cat", "dog"}, Ext: ext, Frames: frames}, state)
		}}
		mustRun(t, j)
		return tree(t, dir)
	}
	files := run(".png", true)
	for _, name := range []string{"translate/cat/k000/frame-00.png", "translate/dog/k001/frame-15.png"} {
		if files[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	c.Animation = transform.GIF
	g, err := gif.DecodeAll(strings.NewReader(run(".gif", false)["translate/dog/k001.gif"]))
	if err != nil || len(g.Image) != 16 || g.Delay[3] != 5 {
		t.Errorf("GIF: %v", err)
	}
	c.Animation = transform.APNG
	if text := run(".png", false)["translate/cat/k000.png"]; strings.Count(text, "fcTL") != 16 {
		t.Errorf("APNG of %d frames", strings.Count(text, "fcTL"))
	}
}

// runShards does the shards of a job in the given order, all at once if together, and returns the tree.
func runShards(t *testing.T, form, dir string, n int, order []int, count int, together bool) map[string]string {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	joined := 0
	one := func(i int) {
		res, waiting, err := RunShard(t.Context(), shardJob(form, dir, n), Shard{i, count}, n, shardTask(form))
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Errorf("shard %d: %v", i, err)
		}
		if res.Manifest != nil && res.Manifest.Samples == n && len(waiting) == 0 && !res.Already {
			joined++
		}
	}
	for _, i := range order {
		if together {
			wg.Go(func() { one(i) })
		} else {
			one(i)
		}
	}
	wg.Wait()
	return tree(t, dir)
}

// shardTask returns the task of a shard of [plan].
func shardTask(form string) func(dir string, samples int) Task {
	return func(dir string, samples int) Task {
		return Variants{Transform: plan().Transform, Open: func(state []byte) (PartSink, error) {
			return forms[form](dir, plan().Variants(), samples, state)
		}}
	}
}

func shardJob(form, dir string, n int) Job {
	j := expandJob(form, dir, n, nil)
	j.Source, j.OnError, j.PerShard = &fakeSource{n: n, unreadable: map[int]bool{3: true, 11: true}}, Skip, 7
	return j
}

// Labels that only some shards have would be fewer than the images.
func TestShardsWithoutLabels(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var err error
	for i := range 2 {
		j := expandJob("arrays", dir, 4, nil)
		j.Source = &fakeSource{n: 4, unlabeled: map[int]bool{2: true, 3: true}}
		_, _, err = RunShard(t.Context(), j, Shard{i, 2}, 4, shardTask("arrays"))
	}
	if !errors.Is(err, ErrShards) || !strings.Contains(err.Error(), "shard 1/2") || !strings.Contains(err.Error(), "labels.npy") {
		t.Errorf("%v", err)
	}
}

// Shards in any order, one after the other or at once, more of them than samples: the tree of one run.
func TestShards(t *testing.T) {
	const n = 17
	for _, form := range []string{"arrays", "tree", "fan"} {
		dir := t.TempDir()
		mustRun(t, shardJob(form, dir, n))
		want := tree(t, dir)
		for _, c := range []struct {
			order    []int
			together bool
		}{{[]int{0, 1, 2}, false}, {[]int{2, 0, 1}, false}, {[]int{0, 1, 2, 3}, true}, {rand.Perm(20), false}} {
			dir := filepath.Join(t.TempDir(), "out")
			got := runShards(t, form, dir, n, c.order, len(c.order), c.together)
			sameTree(t, got, want)
			// Once more: all is done.
			sameTree(t, runShards(t, form, dir, n, c.order[:1], len(c.order), false), want)
		}
	}
}

// Each shard in an output of its own; the folders copied together; Join, cut off at every step.
func TestJoin(t *testing.T) {
	const n, count = 17, 3
	for _, form := range []string{"arrays", "tree", "fan"} {
		dir := t.TempDir()
		mustRun(t, shardJob(form, dir, n))
		want := tree(t, dir)
		out := t.TempDir()
		for i := range count {
			apart := t.TempDir()
			runShards(t, form, apart, n, []int{i}, count, false)
			if m, missing, err := Join(t.Context(), Output{Path: out}, 1); m != nil || err != nil || i > 0 && len(missing) != count-i {
				t.Errorf("after %d shards: %v, %v", i, missing, err)
			}
			if err := os.CopyFS(out, os.DirFS(apart)); err != nil {
				t.Fatal(err)
			}
		}
		// A Join that was cut off after some files: the mark, and those files under their final names.
		for cut := range 4 {
			again := filepath.Join(t.TempDir(), "again")
			copyTree(t, again, out)
			p := Output{Path: again}
			parts, err := readShards(p, count)
			if err != nil {
				t.Fatal(err)
			}
			if err := data.WriteFileAtomic(filepath.Join(p.state(), joiningName), nil); err != nil {
				t.Fatal(err)
			}
			// And the process that was cut off had begun to write a file.
			if err := os.WriteFile(filepath.Join(p.Path, ".labels.npy.77-0"+storage.TempSuffix), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			for i, f := range parts[1].Files {
				if i < cut && form == "fan" {
					if err := os.WriteFile(filepath.Join(p.Path, filepath.Base(f.Path)+storage.TempSuffix), nil, 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				if i < cut {
					var owners []int
					for k, m := range parts {
						if slices.ContainsFunc(m.Files, func(g File) bool { return g.Path == f.Path }) {
							owners = append(owners, k)
						}
					}
					if err := joinFile(p, parts, f.Path, owners); err != nil {
						t.Fatal(err)
					}
				}
			}
			if cut%2 == 1 { // by another run of a shard
				sameTree(t, runShards(t, form, again, n, []int{1}, count, false), want)
				continue
			}
			m, missing, err := Join(t.Context(), p, 2)
			if err != nil || m == nil || len(missing) != 0 {
				t.Fatalf("Join: %v, %v", missing, err)
			}
			sameTree(t, tree(t, again), want)
		}
	}
}

// Only one Join works at a time.
func TestJoinBusy(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		apart := t.TempDir()
		runShards(t, "tree", apart, 5, []int{i}, 2, false)
		if err := os.CopyFS(filepath.Join(dir, "out"), os.DirFS(apart)); err != nil {
			t.Fatal(err)
		}
	}
	out := Output{Path: filepath.Join(dir, "out")}
	f, err := out.lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Join(t.Context(), out, 1); !errors.Is(err, ErrBusy) {
		t.Errorf("error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if m, _, err := Join(t.Context(), out, 1); err != nil || m == nil {
		t.Errorf("error %v", err)
	}
}

// Many that join at once, some of them when another is at its end: one does it, and nothing of its state stays behind.
func TestJoinTogether(t *testing.T) {
	for range 40 {
		dir := t.TempDir()
		out := Output{Path: filepath.Join(dir, "out")}
		for i := range 2 {
			apart := t.TempDir()
			runShards(t, "tree", apart, 5, []int{i}, 2, false)
			if err := os.CopyFS(out.Path, os.DirFS(apart)); err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * 200 * time.Microsecond)
				if _, missing, err := Join(t.Context(), out, 1); err != nil && !errors.Is(err, ErrBusy) {
					t.Errorf("%v, missing %q", err, missing)
				}
			})
		}
		wg.Wait()
		if exists(out.state()) {
			t.Fatalf("%s is left", out.state())
		}
		if _, err := ReadManifest(out); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShardsDiffer(t *testing.T) {
	const n = 9
	open := shardTask("tree")
	dir := t.TempDir()
	runShards(t, "tree", dir, n, []int{0}, 3, false)
	before := tree(t, dir)
	if _, err := Run(t.Context(), expandJob("tree", dir, n, nil)); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "shards") {
		t.Errorf("a run in one piece: %v", err)
	}
	if _, _, err := RunShard(t.Context(), shardJob("tree", dir, n), Shard{1, 4}, n, open); !errors.Is(err, ErrDiffers) {
		t.Errorf("another number of shards: %v", err)
	}
	j := shardJob("tree", dir, n)
	j.Force = true
	if _, _, err := RunShard(t.Context(), j, Shard{1, 3}, n, open); !errors.Is(err, ErrOption) {
		t.Errorf("force: %v", err)
	}
	sameTree(t, tree(t, dir), before)
	runShards(t, "tree", dir, n, []int{1}, 3, false)
	j = shardJob("tree", dir, n)
	j.Options = []Option{{"seed", "6"}}
	before = tree(t, dir)
	if _, _, err := RunShard(t.Context(), j, Shard{2, 3}, n, open); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "seed: was 5, now 6") {
		t.Errorf("a shard with another seed: %v", err)
	}
	sameTree(t, tree(t, dir), before) // it was refused before anything was made

	one := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Run(ctx, expandJob("tree", one, n, func(string) error { cancel(); return nil }))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, _, err := RunShard(t.Context(), shardJob("tree", one, n), Shard{0, 3}, n, open); !errors.Is(err, ErrDiffers) {
		t.Errorf("a shard of a run in one piece: %v", err)
	}
	mine := t.TempDir()
	if err := os.WriteFile(filepath.Join(mine, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := RunShard(t.Context(), shardJob("tree", mine, n), Shard{0, 3}, n, open); !errors.Is(err, ErrOccupied) {
		t.Errorf("an occupied output: %v", err)
	}
}

// A shard that does not exist is refused, and one that is all of the source is a run, and the whole output.
func TestShardIsChecked(t *testing.T) {
	const n = 4
	for _, sh := range []Shard{{5, 2}, {2, 2}, {-1, 2}, {0, -1}, {3, 0}, {1, 1}, {0, maxShards + 1}} {
		dir := filepath.Join(t.TempDir(), "out")
		if _, _, err := RunShard(t.Context(), shardJob("tree", dir, n), sh, n, shardTask("tree")); !errors.Is(err, ErrOption) || exists(dir) {
			t.Errorf("shard %d of %d: %v, something is written %v", sh.Index, sh.Count, err, exists(dir))
		}
	}
	for _, sh := range []Shard{{}, {0, 1}} {
		dir := t.TempDir()
		res, waiting, err := RunShard(t.Context(), shardJob("tree", dir, n), sh, n, shardTask("tree"))
		if err != nil || waiting != nil || res.Manifest == nil || res.Done != n || exists(Output{Path: dir}.state()) {
			t.Errorf("shard %d of %d: %+v, %v", sh.Index, sh.Count, res, err)
		}
	}
}

// What has no folder for shards, or no number of samples, has none.
func TestShardsOfFolders(t *testing.T) {
	dir := t.TempDir()
	for says, j := range map[string]Job{"no folder": {Out: Output{Path: filepath.Join(dir, "x.npz"), File: true}}, "a stream": {}, "-1 samples": {Out: Output{Path: dir}}} {
		n := 4
		if says == "-1 samples" {
			n = -1
		}
		j.Source, j.Task = &fakeSource{n: 4}, shardTask("tree")(dir, 4)
		if _, _, err := RunShard(t.Context(), j, Shard{0, 2}, n, shardTask("tree")); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

func TestParseShard(t *testing.T) {
	if s, err := ParseShard("2/5"); err != nil || s != (Shard{2, 5}) || s.String() != "2/5" || s.Whole() {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"", "1", "5/5", "-1/5", "1/0", "a/b", "1/2/3", "0/99999999"} {
		if _, err := ParseShard(bad); !errors.Is(err, ErrOption) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	// The shards of any data set are all of it, once, in order.
	for n := range 40 {
		for count := 1; count < 9; count++ {
			end := 0
			for i := range count {
				from, to := Shard{i, count}.Range(n)
				if from != end || to < from || to-from > n/count+1 {
					t.Errorf("shard %d of %d of %d samples: %d to %d", i, count, n, from, to)
				}
				end = to
			}
			if end != n {
				t.Errorf("%d shards of %d samples end at %d", count, n, end)
			}
		}
	}
}

// A part of the data set by the environment of clusters.
func TestAutoShard(t *testing.T) {
	for _, c := range []struct {
		auto string
		env  map[string]string
		want Shard
		from string // "" for an error
	}{
		{"auto", nil, Shard{}, ""},
		{"auto/4", nil, Shard{}, ""},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "2", "JOB_COMPLETIONS": "5"}, Shard{2, 5}, "JOB_COMPLETION_INDEX"},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "2"}, Shard{}, ""},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "x", "JOB_COMPLETIONS": "5"}, Shard{}, ""},
		{"auto", map[string]string{"JOB_COMPLETION_INDEX": "5", "JOB_COMPLETIONS": "5"}, Shard{}, ""},
		{"auto/8", map[string]string{"JOB_COMPLETION_INDEX": "2"}, Shard{2, 8}, "JOB_COMPLETION_INDEX"},
		{"auto/2", map[string]string{"JOB_COMPLETION_INDEX": "2"}, Shard{}, ""},
		{
			"auto",
			map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1"},
			Shard{2, 4},
			"SLURM_ARRAY_TASK_ID",
		},
		{
			"auto",
			map[string]string{
				"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "2",
			},
			Shard{3, 4},
			"SLURM_ARRAY_TASK_ID",
		},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "4", "SLURM_ARRAY_TASK_COUNT": "4"}, Shard{}, ""},
		{ // two of eight, done again
			"auto/8",
			map[string]string{"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "3"},
			Shard{7, 8},
			"SLURM_ARRAY_TASK_ID",
		},
		{"auto", map[string]string{"AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "3"}, Shard{0, 3}, "AWS_BATCH_JOB_ARRAY_INDEX"},
		{"auto/3", map[string]string{"PBS_ARRAY_INDEX": "1"}, Shard{1, 3}, "PBS_ARRAY_INDEX"},
		{"auto", map[string]string{"PBS_ARRAY_INDEX": "1"}, Shard{}, ""},
		{"auto/3", map[string]string{"LSB_JOBINDEX": "3"}, Shard{2, 3}, "LSB_JOBINDEX"},
		{"auto/3", map[string]string{"LSB_JOBINDEX": "0", "RANK": "1"}, Shard{1, 3}, "RANK"},
		{"auto/3", map[string]string{"SGE_TASK_ID": "undefined"}, Shard{}, ""},
		{"auto", map[string]string{"RANK": "1", "WORLD_SIZE": "2"}, Shard{1, 2}, "RANK"},
		{"auto", map[string]string{"RANK": "x", "WORLD_SIZE": "2"}, Shard{}, ""},
		{"auto/0", map[string]string{"RANK": "0", "WORLD_SIZE": "2"}, Shard{}, ""},
		{"auto/x", map[string]string{"RANK": "0", "WORLD_SIZE": "2"}, Shard{}, ""},
	} {
		got, from, err := AutoShard(c.auto, func(name string) string { return c.env[name] })
		if errors.Is(err, ErrOption) != (c.from == "") || c.from != "" && (got != c.want || from != c.from) {
			t.Errorf("%s, %v: %v from %q, %v", c.auto, c.env, got, from, err)
		}
	}
}

// A file of the format that the source has keeps its name in the source; others get the sink's extension.
func TestTreeKeepsNames(t *testing.T) {
	for _, tc := range []struct{ sink, own, want string }{
		{".jpg", ".JPEG", ".JPEG"},
		{".jpg", ".jpeg", ".jpeg"},
		{".jpg", ".JPG", ".JPG"},
		{".jpg", ".png", ".jpg"},
		{".jpg", "", ".jpg"},
		{".jpg", ".tif", ".jpg"},
		{".png", ".PNG", ".PNG"},
		{".png", ".JPEG", ".png"},
		{".gif", ".GIF", ".gif"},
		{".jpg", "/../x.jpg", ".jpg"},
	} {
		dir := t.TempDir()
		s, err := OpenTree(TreeOptions{Dir: dir, Variants: []transform.Variant{{Name: "fog", Severity: 3}}, Ext: tc.sink, Quality: 85}, nil)
		if err != nil {
			t.Fatal(err)
		}
		sample := data.Sample{Key: "n01/ILSVRC2012_val_00003033", Label: data.NoLabel, Ext: tc.own}
		if err := s.PutParts(&sample, []transform.Part{{Data: []byte("image")}}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		want := filepath.Join("fog", "3", "n01_ILSVRC2012_val_00003033"+tc.want)
		if got := tree(t, dir); len(got) != 1 || got[filepath.ToSlash(want)] != "image" {
			t.Errorf("%+v: wrote %v", tc, got)
		}
	}
}
