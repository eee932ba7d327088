package experiment

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/results"
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

// numbered is a data set with an image for each of n classes, whose names are the class numbers, listed as folders are.
type numbered struct {
	data.Source
	n, next int
}

func (s *numbered) Info() data.Info {
	info := data.Info{Format: "folder", Len: s.n}
	for i := range s.n {
		info.Classes = append(info.Classes, strconv.Itoa(i))
	}
	slices.Sort(info.Classes)
	return info
}

func (s *numbered) Next(sample *data.Sample) error {
	*sample = data.Sample{Key: s.Info().Classes[s.next], Label: s.next}
	s.next++
	return nil
}

// TestNumberedFolders: where folders are class numbers, labels are these numbers and not the places of the folders among the
// sorted names, of a network without names, with ImageNet-1K's, and with a background before them.
func TestNumberedFolders(t *testing.T) {
	for _, c := range []struct {
		n, classes int
		names      []string
		first      int // label of class 0
	}{
		{12, 12, nil, 0},
		{1000, 1000, nil, 0},
		{1000, 1000, imagenet.Classes(), 0},
		{1000, 1001, nil, 0}, // the background is left out
	} {
		r := &evaluation{Eval: &Eval{In: "set", Dataset: "set", Among: amongData}}
		f := &eval.Func{Class: c.classes, Batch: 1}
		var p eval.Predictor = f
		if c.names != nil {
			p = named{f, c.names}
		}
		if _, err := r.setClasses(&numbered{n: c.n}, p); err != nil {
			t.Fatal(err)
		}
		src, err := r.matched(&numbered{n: c.n})
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			var s data.Sample
			if err := src.Next(&s); err != nil {
				t.Fatal(err)
			}
			if strconv.Itoa(s.Label) != s.Key {
				t.Fatalf("%d classes of a model with %d, named %v: the folder %s is class %d", c.n, c.classes, c.names != nil, s.Key, s.Label)
			}
		}
	}
}

// padded is a data set with an image for each of some classes.
type padded struct {
	data.Source
	names []string
	next  int
}

func (s *padded) Info() data.Info {
	return data.Info{Format: "folder", Len: len(s.names), Classes: s.names}
}

func (s *padded) Next(sample *data.Sample) error {
	*sample = data.Sample{Key: s.names[s.next], Label: s.next}
	s.next++
	return nil
}

// TestPaddedFolders: zeros in front of the number that a folder is do not matter where the model's own classes are called by numbers,
// which are not their places among the sorted names.
func TestPaddedFolders(t *testing.T) {
	for _, c := range []struct {
		model, set []string
		refused    bool
	}{
		{[]string{"0", "1", "10", "11", "2", "3"}, []string{"000", "001", "002", "003", "010", "011"}, false},
		{[]string{"1", "2", "3"}, []string{"01", "02", "03"}, false},
		{[]string{"1", "2", "3"}, []string{"01", "02"}, false}, // among these
		{[]string{"01", "02", "10"}, []string{"1", "10", "2"}, false},
		{[]string{"1", "2", "3"}, []string{"00", "01"}, true}, // no class is called 0
	} {
		r := &evaluation{Eval: &Eval{In: "set", Dataset: "set", Among: amongData}}
		_, err := r.setClasses(&padded{names: c.set}, named{&eval.Func{Class: len(c.model), Batch: 1}, c.model})
		if c.refused {
			if !errors.Is(err, ErrOption) {
				t.Errorf("%v of a model with %v: %v", c.set, c.model, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		src, err := r.matched(&padded{names: c.set})
		if err != nil {
			t.Fatal(err)
		}
		for range c.set {
			var s data.Sample
			if err := src.Next(&s); err != nil {
				t.Fatal(err)
			}
			if got := r.classes[s.Label]; number(got) != number(s.Key) {
				t.Errorf("%v of a model with %v: the folder %s is the class %q", c.set, c.model, s.Key, got)
			}
		}
	}
}

// named is a predictor whose classes have names.
type named struct {
	*eval.Func
	names []string
}

func (n named) ClassNames() []string { return n.names }

// TestSayNamed: a name that is guessed by the number of classes is said to be, and so is that of a part which is not the test part.
func TestSayNamed(t *testing.T) {
	numbers := (&numbered{n: 1000}).Info()
	few := (&numbered{n: 200}).Info()
	for _, c := range []struct {
		info  data.Info
		side  int
		split string
		names []string // of the model
		want  string
	}{
		{numbers, 224, "", nil, "note: x: taken for imagenet, by its 1000 classes; if it is another one, name it with the option dataset"},
		{few, 64, "", nil, "note: x: taken for tiny-imagenet, by its 200 classes"},
		{few, 224, "", nil, ""},
		{numbers, 224, "", imagenet.Classes(), ""}, // whose numbers were matched
		{data.Info{Format: "folder", Classes: imagenet.Classes()}, 224, "", nil, ""},
		{data.Info{Format: "cifar10", Classes: cifar.Classes10()}, 32, "train", nil, "note: x: rows call the train part cifar10, as they call the test part"},
		{data.Info{Format: "cifar10", Classes: cifar.Classes10()}, 32, "test", nil, ""},
	} {
		said := ""
		r := &evaluation{Eval: &Eval{In: "x", Input: Input{Split: c.split}}, side: c.side, classes: c.names}
		r.Say = func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
		r.nameRows(c.info, len(c.info.Classes))
		if c.want == "" && said != "" || !strings.HasPrefix(said, c.want) {
			t.Errorf("%d classes, part %q: said %q, want %q", len(c.info.Classes), c.split, said, c.want)
		}
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
		info.Len = 10001
		if got := datasetName(info, "x/val", 224); got != "val" {
			t.Errorf("the validation images of the classes of %s are called %q", s.Name, got)
		}
	}
	for path, want := range map[string]string{"x/cifar10.1_v6_data.npy": "cifar10.1-v6", "cifar10.1_v4_data.npy": "cifar10.1-v4"} {
		if got := datasetName(data.Info{Format: "npy", Len: 2000}, path, 32); got != want {
			t.Errorf("%s is called %q", path, got)
		}
	}
	// Clean images are never called as a form of others is.
	for path, want := range map[string]string{
		"v/ds.v1": "ds.v1", "v/ds.v2": "ds.v2", "x/a.npz": "a", "x/B.TAR": "B", "x/vitamin-c": "vitamin_c", "b-p.npz": "b_p", "x-c-bar": "x_c-bar", "s3://b/a-c-64": "a_c-64", "x/imagenet-r": "imagenet-r", ".": "experiment",
	} {
		if got := datasetName(data.Info{Format: "folder"}, path, 32); got != want || results.IsForm(got) {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
	info := data.Info{Format: "folder", Len: 90000, Classes: cifar.Classes10()}
	if got := datasetName(info, "CINIC-10/test", 32); got != "cinic10" {
		t.Errorf("CINIC-10 is called %q", got)
	}
	info.Len = 10000
	if got := datasetName(info, "x/test", 32); got != "test" {
		t.Errorf("other images of CIFAR-10's classes are called %q", got)
	}
}
