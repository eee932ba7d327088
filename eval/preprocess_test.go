package eval

import (
	"testing"

	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
)

// flat is a preprocessing that makes every image gray: a model cannot tell one from another then.
type flat struct{}

func (flat) String() string { return "flat" }

func (flat) Apply(dst, src *raster.Image, _ *preprocess.Scratch) {
	dst.Reset(src.W, src.H)
	for i := range dst.Pix {
		dst.Pix[i] = 128
	}
}

// TestPreprocessedLast: the generated OOD sets and images with a Fourier function are preprocessed too.
func TestPreprocessedLast(t *testing.T) {
	p, set := near(), small()
	e := &Evaluator{Model: Model{Predictor: &p, Name: "m", Preprocess: flat{}}, Dataset: "set", Workers: 1}
	sets := ood.Sets()
	a := &OODSuite{Open: set.again, Score: metrics.MSP}
	for i := range sets {
		a.Generated = append(a.Generated, &sets[i])
	}
	if err := e.OOD(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, r := range e.Rows {
		if r.Metric == results.AUROC && r.Value != 0.5 {
			t.Errorf("%s: AUROC %v of images that are all alike", r.OOD, r.Value)
		}
	}
	var maps [2]*Map
	for i, length := range []float64{1e-9, 30} {
		var err error
		if maps[i], err = e.Fourier(t.Context(), &FourierSuite{Open: set.again, Length: length, Radius: 1, Seed: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range maps[0].Error {
		if v != maps[1].Error[i] {
			t.Errorf("frequency %d: error %v with a function that preprocessing takes away, %v without one", i, maps[1].Error[i], v)
		}
	}
}
