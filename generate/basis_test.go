package generate

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// Another pipeline is another output, complete or not, though the caller names no options.
func TestPipelineIsCompared(t *testing.T) {
	plan := func() *transform.Pipeline {
		return &transform.Pipeline{Size: 8, Crop: transform.Crop{Kind: transform.RandomCrop, N: 6}, Mix: mustMix(t, "augmix"), Views: 2}
	}
	job := func(dir string, p *transform.Pipeline, hook func(string) error) Job {
		j := testJob(dir, 30, hook)
		j.Task = PipelineTask(p, 0, func(state []byte) (data.Sink, error) { return openLog(dir, state, hook) })
		j.Options = nil
		return j
	}
	done, cut := t.TempDir(), t.TempDir()
	mustRun(t, job(done, plan(), nil))
	stopped(t, func(hook func(string) error) Job { return job(cut, plan(), hook) })
	for says, change := range map[string]func(p *transform.Pipeline){
		"size: was 8, now 7":                                          func(p *transform.Pipeline) { p.Size = 7 },
		"filter: was box, now bilinear":                               func(p *transform.Pipeline) { p.Filter = augment.Bilinear },
		"crop: was random:6, now 6":                                   func(p *transform.Pipeline) { p.Crop.Kind = transform.CenterCrop },
		"flip: was false, now true":                                   func(p *transform.Pipeline) { p.Flip = true },
		"mix: was augmix-m3-w3-d-1, now none":                         func(p *transform.Pipeline) { p.Mix = nil },
		"mix: was augmix-m3-w3-d-1, now augmix-m3-w3-d-1-photometric": func(p *transform.Pipeline) { p.Mix = mustMix(t, "augmix-photometric") },
		"views: was 2, now 1":                                         func(p *transform.Pipeline) { p.Views = 1 },
		"epoch: was 0, now 3":                                         func(p *transform.Pipeline) { p.Epoch = 3 },
		"fill: was 0,0,0, now 1,2,3":                                  func(p *transform.Pipeline) { p.Fill = raster.RGB{R: 1, G: 2, B: 3} },
		"ops: was none, now posterize:4":                              func(p *transform.Pipeline) { p.Ops = []transform.OpSpec{mustOp(t, "posterize:4")} },
	} {
		p := plan()
		change(p)
		otherwise(t, job(done, p, nil), says)
		otherwise(t, job(cut, p, nil), says)
	}
	if res := mustRun(t, job(cut, plan(), nil)); res.Resumed == 0 {
		t.Error("nothing was resumed")
	}
	sameTree(t, tree(t, cut), tree(t, done))
}

func mustOp(t testing.TB, spec string) transform.OpSpec {
	t.Helper()
	op, err := transform.ParseOp(spec)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// Another benchmark is another output, and one of more forms is not.
func TestBenchmarkIsCompared(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, benchmarkJob(brightness(1), dir))
	forms := func(b *Benchmark) *transform.Corruptions { return b.Forms.(*transform.Corruptions) }
	for says, change := range map[string]func(b *Benchmark){
		"size: was 0, now 7":          func(b *Benchmark) { forms(b).Size = 7 },
		"crop: was none, now 5":       func(b *Benchmark) { forms(b).Crop = 5 },
		"profile: was auto, now 64":   func(b *Benchmark) { forms(b).Profile = 2 },
		"quality: was 85, now 95":     func(b *Benchmark) { b.Encoding.Quality = 0 },
		"image: was jpeg, now png":    func(b *Benchmark) { b.Encoding.JPEG = false },
		"format: was folder, now wds": func(b *Benchmark) { b.Format = "wds" },
	} {
		for _, severities := range [][]float64{{1}, {1, 2}} {
			b := brightness(severities...)
			change(b)
			otherwise(t, benchmarkJob(b, dir), says)
		}
	}
	more := brightness(1, 2)
	forms(more).Names, forms(more).Bar = []string{"brightness", "fog", "caustic_refraction"}, cbar.ImageNet
	if res := mustRun(t, benchmarkJob(more, dir)); len(res.Manifest.Parts) != 6 || res.Manifest.Plan["bar-profile"] == "" {
		t.Errorf("manifest %+v", res.Manifest)
	}
	if res := mustRun(t, benchmarkJob(brightness(1), dir)); !res.Already {
		t.Error("some of its forms are not there already")
	}
}

// Arrays hold all severities, so that others are other arrays.
func TestArraysAreCompared(t *testing.T) {
	dir := t.TempDir()
	job := func(severities ...float64) Job {
		b := brightness(severities...)
		b.Format = "npy"
		return benchmarkJob(b, dir)
	}
	mustRun(t, job(1))
	otherwise(t, job(1, 2), "severities: was 1, now 1,2")
}

// Perturbations are compared as corruptions are.
func TestPerturbationsAreCompared(t *testing.T) {
	dir := t.TempDir()
	job := func(p perturb.Profile, size int, names ...string) Job {
		return benchmarkJob(&Benchmark{
			Forms: &transform.Perturbations{Names: names, Difficulties: []int{1}, Size: size, Profile: p}, Format: "folder",
		}, dir)
	}
	mustRun(t, job(perturb.P32, 32, "tilt"))
	otherwise(t, job(perturb.P32, 33, "tilt"), "size: was 32, now 33")
	mustRun(t, job(perturb.P32, 32, "tilt", "brightness"))
}

// An output of an earlier version says nothing of its plan, and is complete; another seed is another output all the same.
func TestManifestOfEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, benchmarkJob(brightness(1), dir))
	m, err := ReadManifest(Output{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	m.Plan = nil
	if err := m.write(Output{Path: dir}); err != nil {
		t.Fatal(err)
	}
	if res := mustRun(t, benchmarkJob(brightness(1), dir)); !res.Already {
		t.Error("it is made again")
	}
	j := benchmarkJob(brightness(1), dir)
	j.Seed = 9
	otherwise(t, j, "seed: was 1, now 9")
}

// Corruptions without severities are of all five, in whatever format.
func TestBenchmarkOfAllSeverities(t *testing.T) {
	for format, images := range map[string]int{"folder": 40, "npy": 40} {
		b := brightness()
		b.Format = format
		if res := mustRun(t, benchmarkJob(b, t.TempDir())); res.Items != images {
			t.Errorf("%s: %d images, want %d", format, res.Items, images)
		}
	}
}

// TestNothingGiven: a job that lacks what every job needs is an error that names it, and makes nothing.
func TestNothingGiven(t *testing.T) {
	dir := t.TempDir()
	whole := expandJob("tree", dir, 3, nil)
	open, plan := func([]byte) (data.Sink, error) { return nil, nil }, new(transform.Pipeline)
	soft := SoftImages{Open: open}
	for says, j := range map[string]Job{
		"Source is nil":                {Task: whole.Task},
		"Task is nil":                  {Source: whole.Source},
		"Open of the task is nil":      {Source: whole.Source, Task: PipelineTask(plan, 0, nil)},
		"Transform of the task is nil": {Source: whole.Source, Task: Images{Open: open}},
		"Transform of the task":        {Source: whole.Source, Task: soft},
		"Open of the task":             {Source: whole.Source, Task: Variants{}},
		"Tree of the task is nil":      {Source: whole.Source, Task: Mirror{}},
	} {
		j.Out = whole.Out
		if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
		if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
			t.Errorf("%s: %d files were made (%v)", says, len(made), err)
		}
	}
	if _, _, err := RunShard(t.Context(), Job{Task: whole.Task, Out: whole.Out}, Shard{0, 2}, 3, nil); !errors.Is(err, ErrOption) {
		t.Errorf("a shard of no source: %v", err)
	}
	if _, err := Estimate(t.Context(), Job{}, 3, Layout{}, nil); !errors.Is(err, ErrOption) {
		t.Errorf("an estimate of nothing: %v", err)
	}
	for says, f := range map[string]func(){
		"generate: PipelineTask of a nil Pipeline": func() { PipelineTask(nil, 0, open) },
		"generate: a Benchmark without Forms":      func() { new(Benchmark).Job(whole.Source, whole.Out, -1) },
	} {
		if said := panicOf(f); said != says {
			t.Errorf("panic %v, want %q", said, says)
		}
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (said any) {
	defer func() { said = recover() }()
	f()
	return nil
}

// What no image could be made by is an error before anything is made, also where bad samples are left out.
func TestPlanIsChecked(t *testing.T) {
	for says, b := range map[string]*Benchmark{
		"severity 7 (allowed: 0 to 5)":             brightness(1, 7),
		"severity -1 (allowed: 0 to 5)":            brightness(-1),
		"severity NaN (allowed: 0 to 5)":           brightness(math.NaN()),
		"no corruptions chosen (allowed:":          {Forms: &transform.Corruptions{Severities: []float64{1}}},
		`corruption "fogg"`:                        {Forms: &transform.Corruptions{Names: []string{"fogg"}}},
		"no perturbations chosen (allowed:":        {Forms: &transform.Perturbations{Difficulties: []int{1}}},
		"difficulty 9 (allowed: 1 to 3)":           {Forms: &transform.Perturbations{Names: []string{"tilt"}, Difficulties: []int{9}}},
		"JPEG quality 101 (allowed: 1 to 100, 0 f": {Forms: brightness(1).Forms, Encoding: data.Encoding{JPEG: true, Quality: 101}},
	} {
		for _, format := range []string{"folder", "npy", "wds"} {
			dir := t.TempDir()
			b.Format = format
			j := benchmarkJob(b, dir)
			j.OnError = Skip
			_, err := Run(t.Context(), j)
			if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: error %v, want %q", format, err, says)
			}
			if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
				t.Errorf("%s: %s: %d files were made (%v)", says, format, len(made), err)
			}
		}
	}
	c := &transform.Corruptions{Names: []string{"fog"}, Severities: []float64{7}}
	j := expandJob("tree", t.TempDir(), 3, nil)
	j.Task = Variants{Transform: c.Transform, Open: j.Task.(Variants).Open}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) {
		t.Errorf("error %v", err)
	}
	if _, err := OpenArrays(ArrayOptions{Dir: t.TempDir()}, nil); !errors.Is(err, ErrOption) {
		t.Errorf("arrays of nothing: error %v", err)
	}
}

// A mix of two images where there are no partners would reject every sample.
func TestMixWithoutPartners(t *testing.T) {
	const n = 3
	src := &fakeSource{n: n}
	mixup := &transform.Pipeline{Mix: mustMix(t, "augmix+mixup")}
	sourced := &transform.Pipeline{Mix: mixup.Mix, Source: src}
	dir := t.TempDir()
	open := func(state []byte) (data.Sink, error) { return openLog(dir, state, nil) }
	for name, c := range map[string]struct {
		task Task
		says string
	}{
		"no source":        {PipelineTask(mixup, 2, open), "no Source"},
		"no soft labels":   {Images{Transform: mixup.Transform, Open: open}, "without soft labels"},
		"neither":          {Images{Transform: sourced.Transform, Open: open}, "without soft labels"},
		"a form of images": {Variants{Transform: sourced.Single, Open: shardTask("tree")(dir, n).(Variants).Open}, "without soft labels"},
	} {
		j := Job{Source: src, Task: c.task, Out: Output{Path: dir}, OnError: Skip}
		if _, err := Run(t.Context(), j); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want %s", name, err, c.says)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%s: %v is left (%v)", name, left, err)
		}
	}
	mustRun(t, Job{Source: src, Task: PipelineTask(sourced, 2, open), Out: Output{Path: dir}})
}

// What is no mapping is a bad record that is named.
func TestOptionsOfNoMapping(t *testing.T) {
	for _, text := range []string{"a, b", "a: [", "- a"} {
		if list, err := ReadOptions([]byte(text)); !errors.Is(err, ErrRecord) || !strings.Contains(err.Error(), ArgsName) {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}

// What lies in a file that an option names is compared where both know it: an output of an earlier version, which does not, goes on.
func TestOptionSumsAreCompared(t *testing.T) {
	job := func(dir string, sums map[string]string, hook func(string) error) Job {
		j := testJob(dir, 30, hook)
		j.OptionSums = sums
		return j
	}
	first, other := map[string]string{"list": "1", "set": "1"}, map[string]string{"list": "2", "set": "1"}
	done, cut, old, oldCut := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	mustRun(t, job(done, first, nil))
	mustRun(t, job(old, nil, nil))
	stopped(t, func(hook func(string) error) Job { return job(cut, first, hook) })
	stopped(t, func(hook func(string) error) Job { return job(oldCut, nil, hook) })
	for _, dir := range []string{done, cut} {
		otherwise(t, job(dir, other, nil), "other options:\n  list: was 1, now 2")
	}
	for _, dir := range []string{done, old} {
		if res := mustRun(t, job(dir, first, nil)); !res.Already {
			t.Errorf("%s was made again", dir)
		}
	}
	for _, dir := range []string{cut, oldCut} {
		if res := mustRun(t, job(dir, first, nil)); res.Resumed == 0 {
			t.Errorf("%s was begun anew", dir)
		}
		otherwise(t, job(dir, other, nil), "list: was 1, now 2")
	}
}

// A complete output knows the bytes of the labels that it was made with, and one of an earlier version does not.
func TestLabelsAreCompared(t *testing.T) {
	list := filepath.Join(t.TempDir(), "labels.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	job := func(dir, labels string) Job {
		j := testJob(dir, 8, nil)
		j.Labels = labels
		return j
	}
	write("1 2")
	dir, old := t.TempDir(), t.TempDir()
	mustRun(t, job(dir, list))
	mustRun(t, job(old, ""))
	if res := mustRun(t, job(dir, list)); !res.Already {
		t.Error("it was made again")
	}
	write("2 1")
	if _, err := Run(t.Context(), job(dir, list)); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "labels: "+list+" has other bytes") {
		t.Error(err)
	}
	if res := mustRun(t, job(old, list)); !res.Already {
		t.Error("that of an earlier version was made again")
	}
	if _, err := Run(t.Context(), job(dir, list+"x")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "labels.txtx") {
		t.Error(err)
	}
}
