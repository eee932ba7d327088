package predictions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

var (
	torchLogits = []float32{2.5, 1, 0, 0, 3, 1, .5, 0, 4, 1, 0, -2}
	torchLabels = []int{0, 2, 2, 0}
)

// rowsOf reads a whole file.
func rowsOf(t *testing.T, path string, o Options) (numbers []float32, pred, labels []int, r *Reader) {
	t.Helper()
	r, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = Each(context.Background(), r, 1, func(_ int, b *Batch) error {
		numbers, pred, labels = append(numbers, b.F32...), append(pred, b.Pred...), append(labels, b.Labels...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return numbers, pred, labels, r
}

// TestTorch reads the files of testdata/make.py.
func TestTorch(t *testing.T) {
	for _, name := range []string{"dict.pt", "half.pth", "tensor.pt"} {
		path := filepath.Join("testdata", name)
		set, err := Find(path, Auto)
		if err != nil || set.Layout != Single {
			t.Fatal(set, err)
		}
		var o Options
		if set.Parts[0].Labels != "" {
			if o.Labels, err = ReadLabels(set.Parts[0].Labels); err != nil {
				t.Fatal(err)
			}
		}
		z, _, l, r := rowsOf(t, path, o)
		if !slices.Equal(z, torchLogits) || !slices.Equal(l, torchLabels) || r.Kind() != Logits || r.Classes() != 3 {
			t.Errorf("%s: %v %v %v %d", name, z, l, r.Kind(), r.Classes())
		}
	}
	_, p, _, r := rowsOf(t, "testdata/classes.pt", Options{Predicted: true})
	if !slices.Equal(p, []int{0, 1, 2, 0}) || r.Kind() != Classes || r.Frames() != 0 || r.Rows() != 4 {
		t.Errorf("classes: %v %v", p, r.Kind())
	}
	l, err := ReadLabels("testdata/dict.pt")
	if err != nil || !slices.Equal(l.Values, torchLabels) {
		t.Errorf("labels %v, error %v", l, err)
	}
	for path, is := range map[string]error{
		"testdata/text.pt":                         ErrContent,
		"../internal/torchfile/testdata/model.pt":  ErrFormat,
		"testdata/make.py":                         ErrFormat,
		"../internal/torchfile/testdata/script.pt": ErrFormat,
		"../internal/torchfile/testdata/zip.pt":    ErrContent,
	} {
		if _, err := Open(path, Options{Predicted: true}); !errors.Is(err, is) || !strings.HasPrefix(fmt.Sprint(err), path) {
			t.Errorf("%s: error %v, want %v", path, err, is)
		}
	}
}

// TestArrays finds the parts of a benchmark in one file.
func TestArrays(t *testing.T) {
	five := func() *npy.Array { return &npy.Array{Shape: []int{10, 3}, Data: make([]float32, 30)} }
	numbers := &npy.Array{Shape: []int{10}, Data: make([]int64, 10)}
	two := &npy.Array{Shape: []int{2}, Data: make([]int64, 2)}
	videos := &npy.Array{Shape: []int{2, 4, 3}, Data: make([]float32, 24)}
	for _, c := range []struct {
		name   string
		arrays map[string]*npy.Array
		layout Layout
		want   string
	}{
		{"logits", map[string]*npy.Array{"fog": five(), "snow": five(), "labels": two}, Auto, "cifar-c fog/0 snow/0 labels"},
		{"numbers", map[string]*npy.Array{"fog": numbers, "snow": numbers, "clean": two}, Auto, "cifar-c /0 fog/0 snow/0"},
		{"one", map[string]*npy.Array{"fog": five(), "labels": two}, CIFARC, "cifar-c fog/0 labels"},
		{
			"severities",
			map[string]*npy.Array{"fog_1": two, "fog_2": two, "fog/3": two, "fog_4": two, "fog_5": two, "labels": two},
			Auto,
			"imagenet-c fog/1 fog/2 fog/3 fog/4 fog/5 labels",
		},
		{"videos", map[string]*npy.Array{"tilt": videos, "snow": videos}, Auto, "p snow/0 tilt/0"},
		{"scores of a name", map[string]*npy.Array{"logits": five(), "fog": five(), "snow": five()}, Auto, "single /0"},
		{"one table", map[string]*npy.Array{"foggy": five(), "labels": two}, Auto, "single /0"},
		{"one corruption", map[string]*npy.Array{"fog": five(), "labels": two}, Auto, "cifar-c fog/0 labels"},
		{"one of class numbers", map[string]*npy.Array{"spatter": numbers, "labels": two}, Auto, "cifar-c spatter/0 labels"},
		{"one of other benchmarks", map[string]*npy.Array{"blue_noise_sample": five(), "labels": two}, Auto, "cifar-c blue_noise_sample/0 labels"},
		{"one perturbation", map[string]*npy.Array{"tilt": videos}, Auto, "p tilt/0"},
		{"sequences of a corruption", map[string]*npy.Array{"fog": videos}, Auto, "single /0"},
	} {
		path := archive(t, c.arrays)
		set, err := Find(path, c.layout)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := string(set.Layout)
		for _, p := range set.Parts {
			got += fmt.Sprintf(" %s/%d", p.Name, p.Severity)
			if p.Path != path || (p.Array == "") != (set.Layout == Single) {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if set.Labels != "" {
			got += " labels"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for path, text := range map[string]string{
		archive(t, map[string]*npy.Array{"fog_1": five(), "fog_2": five(), "snow_1": five()}): "the same of all",
		archive(t, map[string]*npy.Array{"labels": two}):                                      "it holds labels",
		array(t, "a.npy", []float32{1, 2}, 1, 2):                                              "a file of one array",
	} {
		if _, err := Find(path, CIFARC); !errors.Is(err, ErrLayout) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
	path := archive(t, map[string]*npy.Array{"fog": five(), "snow": numbers, "labels": two})
	_, p, _, r := rowsOf(t, path, Options{Array: "snow", Predicted: true})
	if len(p) != 10 || r.Path() != path+`: array "snow"` || r.Labeled() {
		t.Errorf("%v, path %s", p, r.Path())
	}
}

// predRow is a row of class numbers alone.
type predRow struct {
	Pred  int64 `parquet:"pred"`
	Label int32 `parquet:"label"`
}

// TestPredicted: class numbers under their names, and what is not one.
func TestPredicted(t *testing.T) {
	o := Options{Predicted: true}
	ints := func(v ...int64) *npy.Array { return &npy.Array{Shape: []int{len(v)}, Data: v} }
	for _, path := range []string{
		archive(t, map[string]*npy.Array{"pred": ints(1, 0, 2), "label": ints(1, 1, 2)}),
		archive(t, map[string]*npy.Array{"outputs": ints(1, 0, 2), "y_true": ints(1, 1, 2)}),
		file(t, "p.csv", []byte("id,pred,label\na,1,1\nb,0,1\nc,2,2\n")),
		file(t, "p.jsonl", []byte("{\"pred\":1,\"label\":1}\n{\"pred\":0,\"label\":1}\n{\"label\":2,\"pred\":2}")),
		parquetFile(t, []predRow{{1, 1}, {0, 1}, {2, 2}}),
	} {
		_, p, l, r := rowsOf(t, path, o)
		if !slices.Equal(p, []int{1, 0, 2}) || !slices.Equal(l, []int{1, 1, 2}) || r.Kind() != Classes {
			t.Errorf("%s: %v %v %v", path, p, l, r.Kind())
		}
		if _, err := Open(path, Options{}); !errors.Is(err, ErrKind) {
			t.Errorf("%s where classes are not allowed: error %v", path, err)
		}
	}
	// Scores say more.
	z, p, _, r := rowsOf(t, archive(t, map[string]*npy.Array{
		"pred": ints(1), "logits": {Shape: []int{1, 2}, Data: []float32{-1, 2}},
	}), o)
	if len(z) != 2 || p != nil || r.Kind() != Logits {
		t.Errorf("%v %v", z, p)
	}
	for _, path := range []string{
		archive(t, map[string]*npy.Array{"pred": {Shape: []int{1, 2}, Data: []float32{-1, 2}}}),
		file(t, "p.jsonl", []byte(`{"logit_0": 1, "logit_1": 2, "pred": 1}`)),
	} {
		if _, err := Open(path, o); !errors.Is(err, ErrContent) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
