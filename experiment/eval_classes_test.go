package experiment

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
)

// listed is a data set of which only the description is asked.
type listed struct{ data.Source }

func (listed) Info() data.Info { return data.Info{Classes: imagenet.Classes()} }

// TestBackground: a network of 1001 classes without names has ImageNet-1K's after the background, which no prediction is.
func TestBackground(t *testing.T) {
	r := &evaluation{Eval: &Eval{In: "val", Dataset: "imagenet", Among: amongData}}
	p, err := r.setClasses(listed{}, &eval.Func{Class: 1001, Batch: 1, Do: func(dst, _ []float32, _ int) error {
		for i := range dst {
			dst[i] = float32(i)
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	logits := make([]float32, p.Classes())
	if err := p.Predict(logits, nil, 1); err != nil {
		t.Fatal(err)
	}
	if len(logits) != 1000 || logits[0] != 1 || logits[999] != 1000 || r.classes[3] != "n01491361" {
		t.Errorf("%d logits from %v to %v, class 3 is %s", len(logits), logits[0], logits[len(logits)-1], r.classes[3])
	}
	if n := r.amongOther(imagenet.Classes(), 1001, 1000); n != 0 {
		t.Errorf("rows say among %d", n)
	}
}

// TestDatasetName: a set is ImageNet-R by its classes and its number of images; other images of these classes are not.
func TestDatasetName(t *testing.T) {
	for _, s := range imagenet.Sets()[1:] {
		reversed := slices.Clone(s.Classes)
		slices.Reverse(reversed)
		want := s.Name
		if s.Name == imagenet.O {
			want = "val" // of its images no label is true
		}
		info := data.Info{Format: "folder", Len: s.Images, Classes: reversed}
		if got := datasetName(info, "x/val", 224); got != want {
			t.Errorf("%s is called %q", s.Name, got)
		}
		if got := datasetName(info, "x/val", 64); s.Name != imagenet.O && got != want+"-64" {
			t.Errorf("%s of 64 pixels is called %q", s.Name, got)
		}
		info.Len = 10000
		if got := datasetName(info, "x/val", 224); got != "val" {
			t.Errorf("the validation images of the classes of %s are called %q", s.Name, got)
		}
	}
}
