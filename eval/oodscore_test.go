package eval

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
)

// TestFeatures: the last layer makes the network's logits of its features, in every kind of network.
func TestFeatures(t *testing.T) {
	for _, spec := range []string{"wrn-16-1", "resnet20", "densenet-22-12", "allconv", "msdnet-3-3"} {
		n, err := LoadNetwork(saved(t, spec, 32, 10, nil, ""), LoadOptions{Model: spec, H: 32, W: 32, Norm: &mix.Half})
		if err != nil {
			t.Fatal(err)
		}
		f, weight, bias, err := n.Features()
		if err != nil {
			t.Fatal(spec, err)
		}
		dim := f.Classes()
		x, logits, features := make([]float32, 2*3*32*32), make([]float32, 2*n.Classes()), make([]float32, 2*dim)
		for i := range x {
			x[i] = float32(math.Sin(float64(i)))
		}
		if err := errors.Join(f.Predict(features, x, 2), n.Predict(logits, x, 2)); err != nil {
			t.Fatal(spec, err)
		}
		for i := range 2 {
			for c := range n.Classes() {
				want := float64(bias[c])
				for j := range dim {
					want += float64(features[i*dim+j]) * float64(weight[c*dim+j])
				}
				if got := float64(logits[i*n.Classes()+c]); math.Abs(got-want) > 1e-4*max(1, math.Abs(want)) {
					t.Fatalf("%s: logit %d of image %d is %v, of its features %v", spec, c, i, got, want)
				}
			}
		}
	}
}

// TestFeatureScores: training images are nearer to themselves than noise is, by every score; a second run measures nothing again.
func TestFeatureScores(t *testing.T) {
	n, err := LoadNetwork(saved(t, "resnet20", 32, 10, nil, ""), LoadOptions{Model: "resnet20", Norm: &mix.Half})
	if err != nil {
		t.Fatal(err)
	}
	batch := smooth(100)
	set, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	few, err := Among(n, []int{1, 3, 5}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Predictor{n, few} {
		for _, s := range FeatureScores() {
			dir := filepath.Join(t.TempDir(), "features")
			fit := &OODFit{Open: batch.again, Path: "batch", Neighbors: 1, Save: dir}
			a := &OODSuite{Open: batch.again, Score: s, Fit: fit, Generated: []*ood.Set{set}, Seed: 3}
			e := &Evaluator{Model: Model{Predictor: p, Name: "m"}, Dataset: "cifar10"}
			if err := e.OOD(t.Context(), a); err != nil {
				t.Fatal(s, err)
			}
			name := map[metrics.OODScore]string{ScoreKNN: "knn-k1", ScoreMahalanobis: "mahalanobis", ScoreViM: "vim"}[s]
			if v := value(t, e, results.AUROC, "gaussian"); v < 0.99 || e.Rows[0].Score != name {
				t.Errorf("%s: AUROC %v, score %q", s, v, e.Rows[0].Score)
			}
			for file, rows := range map[string]int{"training": batch.Len(), "test": batch.Len(), "gaussian": batch.Len() / 5} {
				x, err := npy.ReadFile(filepath.Join(dir, file+".npy"))
				if err != nil || x.Shape[0] != rows || x.Shape[1] != 64 {
					t.Errorf("%s: %v, %v", file, x, err)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "training.labels.npy")); err != nil {
				t.Error(err)
			}
		}
	}
}

// smooth returns n images of slow gradients, ten classes of them.
func smooth(n int) *memory {
	set := &memory{format: "smooth", classes: 10}
	for k := range n {
		m := raster.New(32, 32)
		for i := range 32 * 32 {
			x, y := i%32, i/32
			copy(m.Pix[4*i:], []uint8{uint8(2*k + 3*x), uint8(100 + x + y), uint8(255 - 5*y - k)})
		}
		set.samples = append(set.samples, sample{fmt.Sprint(k), k % 10, m})
	}
	return set
}

func TestFeatureScoresRefused(t *testing.T) {
	set, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	n, err := LoadNetwork(saved(t, "resnet20", 32, 10, nil, ""), LoadOptions{Model: "resnet20", Norm: &mix.Half})
	if err != nil {
		t.Fatal(err)
	}
	batch := smooth(100)
	for want, c := range map[string]struct {
		p   Predictor
		fit OODFit
	}{
		"does not run itself": {brightness{}, OODFit{Open: batch.again}},
		"neighbor 50 of 9":    {n, OODFit{Open: batch.again, Limit: 9}},
		"empty: no images":    {n, OODFit{Open: func() (data.Source, error) { return data.Limit(&memory{}, 1), nil }, Path: "empty"}},
	} {
		e := &Evaluator{Model: Model{Predictor: c.p, Name: "m"}, Dataset: "cifar10"}
		err := e.OOD(t.Context(), &OODSuite{Open: batch.again, Score: ScoreKNN, Fit: &c.fit, Generated: []*ood.Set{set}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
