package experiment

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// TestPublishedNetworkSuites: suites clean, c, cbar, p and calibration of a published network on photographs, small. Clean numbers
// are those of PyTorch's logits, and each suite has its rows.
func TestPublishedNetworkSuites(t *testing.T) {
	photos, files := golden.NeedBeside(t, "photos"), golden.NeedBeside(t, "models")
	net := loadMobileNet(t, filepath.Join(files, "mobilenet", "mobilenet_v1_0.25_224.npz"))
	said, err := npy.ReadFile(filepath.Join(files, "mobilenet", "logits_photos.npy"))
	if err != nil {
		t.Fatal(err)
	}
	labels := photoLabels(t, filepath.Join(photos, "labels.csv"))
	paths, err := filepath.Glob(filepath.Join(photos, "*.png"))
	if err != nil || len(paths) < 64 {
		t.Fatalf("%d photographs, %v", len(paths), err)
	}
	set, wnids, nll := t.TempDir(), imagenet.Classes(), 0.0
	const n = 4
	for i := range n {
		name := filepath.Base(paths[16*i])
		square224(t, paths[16*i], filepath.Join(set, wnids[labels[name]], name))
		sum, logits := 0.0, said.Data.([]float32)[16*i*1001:][:1001]
		for _, v := range logits {
			sum += math.Exp(float64(v))
		}
		nll += (math.Log(sum) - float64(logits[labels[name]+1])) / n
	}
	p := &eval.Func{H: 224, W: 224, Class: 1001, Batch: 16, Norm: mix.Half, Do: func(dst, x []float32, n int) error {
		parallel.Do(n, 0, func(_, i int) { net.forward(dst[i*1001:][:1001], x[i*3*224*224:][:3*224*224]) })
		return nil
	}}
	open := func() (data.Source, error) {
		src, err := formats.Open(set, formats.Options{})
		if err != nil {
			return nil, err
		}
		return data.MatchClasses(src, append([]string{background}, wnids...))
	}
	e := &eval.Evaluator{Model: eval.Model{Predictor: p, Name: "mobilenet"}, Dataset: "photos", Calibration: true}
	src, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Clean(t.Context(), src, eval.Prepare{}); err != nil {
		t.Fatal(err)
	}
	clean, err := oneRow(e.Rows, results.NLL)
	if err != nil || math.Abs(clean.Value-nll) > 1e-3 {
		t.Errorf("NLL %v, PyTorch's logits say %v (%v)", clean.Value, nll, err)
	}
	for suffix, c := range map[string]*eval.CorruptionSuite{
		results.SuffixC:    {Names: []string{"contrast"}, Plan: transform.Corruptions{Profile: corrupt.Auto, Severities: []float64{1, 5}}},
		results.SuffixCBar: {Names: []string{"sparkles"}, Plan: transform.Corruptions{Bar: cbar.ImageNet, Severities: []float64{5}}},
	} {
		c.Suffix, c.Open = suffix, open
		if err := e.Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	e.Limit = 1
	if err := e.Perturbations(t.Context(), &eval.PerturbationSuite{Names: []string{"brightness"}, Difficulty: 1, Open: open}); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, r := range e.Rows {
		if r.Bins == 0 {
			got[r.Dataset+" "+r.Corruption+" "+r.Metric+string(rune('0'+r.Severity))] = r.Value
		}
	}
	low, high := got["photos-c contrast nll1"], got["photos-c contrast nll5"]
	if !(low > 0 && high > low && high > nll) {
		t.Errorf("NLL %v clean, %v and %v in less and least contrast", nll, low, high)
	}
	for _, key := range []string{"photos-c contrast ece5", "photos-c-bar sparkles error5", "photos-p brightness flip_probability0", "photos  ece0"} {
		if v, ok := got[key]; !ok || v < 0 || v > 1 {
			t.Errorf("%s is %v, there: %v", key, v, ok)
		}
	}
}
