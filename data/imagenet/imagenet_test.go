package imagenet_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data/imagenet"
)

// TestSets: each list has as many classes as published, ascending and without doubles, all of them ImageNet-1K's.
func TestSets(t *testing.T) {
	sizes := map[string]int{imagenet.Whole: 1000, imagenet.R: 200, imagenet.A: 200, imagenet.O: 200}
	for _, s := range imagenet.Sets() {
		if len(s.Classes) != sizes[s.Name] || !slices.IsSorted(s.Classes) || len(slices.Compact(slices.Clone(s.Classes))) != len(s.Classes) {
			t.Errorf("%s: %d classes, want %d, ascending, each once", s.Name, len(s.Classes), sizes[s.Name])
		}
		if n := imagenet.Known(s.Classes); n != len(s.Classes) {
			t.Errorf("%s: %d of %d classes are ImageNet-1K's", s.Name, n, len(s.Classes))
		}
		turned := slices.Clone(s.Classes)
		slices.Reverse(turned)
		if got := imagenet.SetOf(turned).Name; got != s.Name {
			t.Errorf("the classes of %s are said to be those of %q", s.Name, got)
		}
		if got := imagenet.SetOf(turned[1:]).Name; got != "" {
			t.Errorf("all classes of %s but one are said to be those of %q", s.Name, got)
		}
		delete(sizes, s.Name)
	}
	if len(sizes) > 0 {
		t.Errorf("no list of %v", sizes)
	}
	// Class numbers that torchvision and Keras have too: tench, goldfish, great white shark, tiger shark; goldfinch; Egyptian cat; toilet
	// tissue.
	all := imagenet.Classes()
	for number, wnid := range map[int]string{
		0: "n01440764", 1: "n01443537", 2: "n01484850", 3: "n01491361", 11: "n01531178", 285: "n02124075", 999: "n15075141",
	} {
		if all[number] != wnid {
			t.Errorf("class %d is %s, want %s", number, all[number], wnid)
		}
	}
}

// TestCopies: callers cannot change the lists.
func TestCopies(t *testing.T) {
	imagenet.Classes()[0] = "x"
	imagenet.Sets()[1].Classes[0] = "x"
	if imagenet.Classes()[0] == "x" || imagenet.Sets()[1].Classes[0] == "x" {
		t.Error("a list was changed")
	}
}

func ExampleSetOf() {
	all := imagenet.Classes()
	fmt.Println(slices.Index(all, "n01491361"), imagenet.SetOf(all).Name, imagenet.Known([]string{"n01491361", "tiger shark"}))
	// Output: 3 imagenet 1
}
