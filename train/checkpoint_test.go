package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/nn/weights"
)

// aCheckpoint returns the bytes of a small run's checkpoint.
func aCheckpoint(t testing.TB) []byte {
	t.Helper()
	r := small()
	r.Epochs, r.EMA = 1, 0.9
	dir := t.TempDir()
	if _, err := Run(t.Context(), r, Options{Dir: dir, Train: trainSet(), Val: valSet()}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, LastName))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// edited returns the checkpoint with other metadata and tensors, and the checksum of them.
func edited(t *testing.T, content []byte, change func(ts *[]weights.Tensor, meta map[string]string)) []byte {
	t.Helper()
	ts, meta, err := weights.Read(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	change(&ts, meta)
	meta[keySum] = checksum(ts, meta)
	var b bytes.Buffer
	if err := weights.Write(&b, ts, meta); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileCheckpoints resumes from damaged, foreign and forged files: each is a clear error, and the file stays.
func TestHostileCheckpoints(t *testing.T) {
	t.Parallel()
	good := aCheckpoint(t)
	state := func(from, to string) func(*[]weights.Tensor, map[string]string) {
		return func(_ *[]weights.Tensor, meta map[string]string) {
			if !strings.Contains(meta[keyState], from) {
				t.Fatalf("no %s in %s", from, meta[keyState])
			}
			meta[keyState] = strings.Replace(meta[keyState], from, to, 1)
		}
	}
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":         {nil, ""},
		"text":          {[]byte("epoch: 3\n"), ""},
		"half":          {good[:len(good)/2], ""},
		"one byte less": {good[:len(good)-1], ""},
		"header only":   {good[:200], ""},
		"huge header":   {append([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, good[8:]...), ""},
		"weights alone": {edited(t, good, func(_ *[]weights.Tensor, meta map[string]string) {
			delete(meta,
				keyState)
		}), keyState},
		"state no json": {
			edited(t, good, func(_ *[]weights.Tensor, meta map[string]string) { meta[keyState] = "{" }),
			keyState,
		},
		"unknown key": {edited(t, good, func(_ *[]weights.Tensor, meta map[string]string) {
			meta[keyConfig] = strings.Replace(meta[keyConfig], `"lr"`, `"rate"`, 1)
		}), "rate"},
		"out of range": {edited(t, good, func(_ *[]weights.Tensor, meta map[string]string) {
			meta[keyConfig] = strings.Replace(meta[keyConfig], `"batch":16`, `"batch":-16`, 1)
		}), "batch: -16"},
		"older version": {edited(t, good, func(_ *[]weights.Tensor, meta map[string]string) {
			meta[keyOlder] = "{}"
		}), "older version of this program"},
		"version":       {edited(t, good, state(`"version":2`, `"version":1`)), "state"},
		"huge position": {edited(t, good, state(`"steps":10`, `"steps":9000000000000`)), "state"},
		"negative":      {edited(t, good, state(`"in_epoch":0`, `"in_epoch":-1`)), "state"},
		"flipped bit": {func() []byte {
			b := slices.Clone(good)
			b[len(b)-3] ^= 1
			return b
		}(), "damaged"},
		"another state": {bytes.Replace(good, []byte(`\"best_epoch\":1`), []byte(`\"best_epoch\":0`), 1), "damaged"},
		"missing weights": {
			edited(t, good, func(ts *[]weights.Tensor, _ map[string]string) { *ts = (*ts)[1:] }),
			"conv1.weight",
		},
		"missing moments": {edited(t, good, func(ts *[]weights.Tensor, _ map[string]string) {
			*ts = slices.DeleteFunc(*ts, func(x weights.Tensor) bool { return x.Name == weights.PrefixOptimizer+"steps" })
		}), "steps"},
		"missing average": {edited(t, good, func(ts *[]weights.Tensor, _ map[string]string) {
			*ts = slices.DeleteFunc(*ts, func(x weights.Tensor) bool { return strings.HasPrefix(x.Name, weights.PrefixEMA) })
		}), "39 missing"},
		"another tensor": {edited(t, good, func(ts *[]weights.Tensor, _ map[string]string) {
			*ts = append(*ts, weights.Tensor{Name: "head.weight", Shape: []int{1}, Data: []float32{1}})
		}), "head.weight"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, LastName)
			if err := os.WriteFile(path, c.content, 0o644); err != nil {
				t.Fatal(err)
			}
			r := small()
			r.Epochs, r.EMA = 1, 0.9
			_, err := Run(t.Context(), r, Options{Dir: dir, Resume: true, Train: trainSet(), Val: valSet()})
			if !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), c.says) ||
				!strings.Contains(err.Error(), LastName) {
				t.Errorf("error %v, want ErrCheckpoint that says %q", err, c.says)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, c.content) {
				t.Errorf("the file has changed (%v)", err)
			}
		})
	}
}

func FuzzReadCheckpoint(f *testing.F) {
	r, st := small(), newState()
	st.Samples, st.Classes = 150, 4
	meta := map[string]string{}
	for key, v := range map[string]any{keyConfig: r, keyState: &st} {
		text, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		meta[key] = string(text)
	}
	var b bytes.Buffer
	if err := weights.Write(&b, []weights.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, 2}}}, meta); err != nil {
		f.Fatal(err)
	}
	good := b.Bytes()
	f.Add(good)
	f.Add(good[:300])
	f.Add([]byte(`{}`))
	path := filepath.Join(f.TempDir(), "x.safetensors")
	if err := os.WriteFile(path, good, 0o644); err != nil {
		f.Fatal(err)
	}
	if _, err := ReadCheckpoint(path); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCheckpoint(path)
		if err != nil {
			if !errors.Is(err, ErrCheckpoint) {
				t.Errorf("error %v", err)
			}
			return
		}
		if err := c.Config.Check(); err != nil {
			t.Errorf("a checkpoint with a configuration that is none: %v", err)
		}
	})
}

func TestJSONFloat(t *testing.T) {
	for _, v := range []float64{0, 0.1, 1.0 / 3, math.NaN(), math.SmallestNonzeroFloat64} {
		text, err := json.Marshal(jsonFloat(v))
		if err != nil {
			t.Fatal(err)
		}
		var back jsonFloat
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if b := float64(back); b != v && !(math.IsNaN(b) && math.IsNaN(v)) {
			t.Errorf("%v came back as %v", v, b)
		}
	}
}

// TestModelFiles: the files for other programs hold the network's tensors and nothing else.
func TestModelFiles(t *testing.T) {
	r := small()
	r.Epochs = 1
	dir := t.TempDir()
	if _, err := Run(t.Context(), r, Options{
		Dir: dir, Train: trainSet(), Val: valSet(),
		Records: map[string][]byte{"args.yaml": []byte("x")},
	}); err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, name := range []string{LastName, BestName, ModelName} {
		ts, meta, err := weights.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		info, err := weights.ParseInfo(meta)
		if err != nil || info.Model != r.Model || info.Classes != 4 || info.Input.H != 8 || info.Mean[0] != 0.5 ||
			info.Std[2] != 0.5 {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
		for _, x := range ts {
			names[name] = append(names[name], x.Name)
		}
	}
	if !slices.Equal(names[BestName], names[ModelName]) || len(names[ModelName]) == 0 {
		t.Errorf("best holds %v, model %v", names[BestName], names[ModelName])
	}
	if extra := len(names[LastName]) - len(names[ModelName]); extra < 10 {
		t.Errorf("last holds %d more tensors than model", extra)
	}
	if files(t, dir)["args.yaml"] != "x" {
		t.Errorf("files %v", slices.Sorted(maps.Keys(files(t, dir))))
	}
}

// renamed is a data set whose samples have other keys.
type renamed struct{ *images }

func (r renamed) Read(i int, s *data.Sample) error {
	err := r.images.Read(i, s)
	s.Key = "other/" + s.Key
	return err
}

// repainted is a data set whose samples have other pixels under the same keys.
type repainted struct{ *images }

func (r repainted) Read(i int, s *data.Sample) error {
	err := r.images.Read(i, s)
	if err == nil && i == 7 {
		s.Data[0] ^= 1
	}
	return err
}

// TestOtherSamples: a run is not resumed on other samples, though as many of as many classes, nor on other bytes under their
// names.
func TestOtherSamples(t *testing.T) {
	r, dir := small(), t.TempDir()
	r.Epochs = 2
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	o := Options{Dir: dir, Train: trainSet(), OnStep: func(*Step) { cancel(stop) }}
	if _, err := Run(ctx, r, o); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	o = Options{Dir: dir, Resume: true, Train: renamed{trainSet()}}
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other samples") {
		t.Errorf("other samples: %v", err)
	}
	o.Train = repainted{trainSet()}
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("other pixels: %v", err)
	}
	o.Train = trainSet()
	if _, err := Run(t.Context(), r, o); err != nil {
		t.Errorf("the same samples: %v", err)
	}
}

// filed is a data set that lies in a file.
type filed struct {
	*images
	path string
}

func (f filed) Files() []string { return []string{f.path} }

// TestOtherFiles: of a data set that is too large for memory, other files under the same names are noticed; and so are other
// outliers.
func TestOtherFiles(t *testing.T) {
	r, dir := small(), t.TempDir()
	r.Epochs, r.CacheMB = 2, 0
	r.Outliers, r.OutlierBatch = "outliers", 4
	set := func(name, text string) filed {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return filed{trainSet(), file}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	o := Options{Dir: filepath.Join(dir, "run"), Train: set("train", "first"), Outliers: set("outliers", "first"), OnStep: func(*Step) { cancel(stop) }}
	if _, err := Run(ctx, r, o); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	o = Options{Dir: o.Dir, Resume: true, Train: set("train", "other"), Outliers: set("outliers", "first")}
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("other files: %v", err)
	}
	o.Train, o.Outliers = set("train", "first"), set("outliers", "other")
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), "other outliers") {
		t.Errorf("other outliers: %v", err)
	}
	o.Train, o.Outliers = set("train", "first"), set("outliers", "first")
	if _, err := Run(t.Context(), r, o); err != nil {
		t.Errorf("the same files: %v", err)
	}
}
