package imagenet_test

import (
	"fmt"
	"slices"
	"strconv"
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

// TestIdentify: a set is known by its classes and the number of its images; ImageNet-V2's are numbers, in whatever order.
func TestIdentify(t *testing.T) {
	numbers := make([]string, 1000)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i)
	}
	slices.Sort(numbers) // as folders are listed: 0, 1, 10, 100
	twice := slices.Clone(numbers)
	twice[5] = twice[6]
	zeros := slices.Clone(numbers)
	zeros[0] = "00"
	for _, c := range []struct {
		classes []string
		images  int
		want    string
	}{
		{numbers, 10000, imagenet.V2},
		{numbers, 9999, ""},
		{numbers[:999], 10000, ""},
		{twice, 10000, ""},
		{zeros, 10000, ""},
		{imagenet.Classes(), 50889, imagenet.Sketch},
		{imagenet.Classes(), 50000, ""},
		{imagenet.Sets()[1].Classes, 30000, imagenet.R},
		{imagenet.Sets()[2].Classes, 7500, imagenet.A},
		{imagenet.Sets()[3].Classes, 2000, ""},
		{nil, 0, ""},
	} {
		if got := imagenet.Identify(c.classes, c.images); got != c.want {
			t.Errorf("%d classes, %d images: %q, want %q", len(c.classes), c.images, got, c.want)
		}
	}
	if got := imagenet.Numbers(nil); got != nil {
		t.Errorf("no classes are %q", got)
	}
	if got := imagenet.Numbers([]string{"10", "2", "0", "1", "3", "4", "5", "6", "7", "8", "9"}); got[10] != "10" || got[2] != "2" {
		t.Errorf("%q", got)
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
