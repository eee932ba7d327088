// Package imagenet has the classes of ImageNet-1K and of the published test sets of 200 of them, by their WordNet IDs
// (wnids), the names of their folders.
package imagenet

import (
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.txt
var lists embed.FS

// Set is a published set of images.
type Set struct {
	Name    string   // in results: "imagenet-r"
	Classes []string // wnids, ascending
	Images  int      // of the whole test set
}

// Names of the sets.
const (
	Whole = "imagenet"   // ImageNet-1K; its classes are numbered as their wnids sort
	R     = "imagenet-r" // renditions (Hendrycks et al., The Many Faces of Robustness, ICCV 2021)
	A     = "imagenet-a" // natural adversarial examples (Hendrycks et al., Natural Adversarial Examples, CVPR 2021)
	// O is for OOD detection (the same paper): its images show none of ImageNet-1K's classes, and its folders are named after
	// the classes that they were taken for.
	O = "imagenet-o"
	// V2 is a second test set for all of ImageNet-1K's classes, whose folders are class numbers (Recht et al., Do ImageNet Classifiers
	// Generalize to ImageNet?, ICML 2019). Each of its three versions has as many images.
	V2     = "imagenet-v2"
	Sketch = "imagenet-sketch" // drawings of all classes (Wang et al., Learning Robust Global Representations, NeurIPS 2019)
)

// Images of the sets that have all of ImageNet-1K's classes.
const (
	imagesV2     = 10000
	imagesSketch = 50889
)

var sets = sync.OnceValue(func() []Set {
	var all []Set
	for _, s := range []Set{{Name: Whole, Images: 50000}, {Name: R, Images: 30000}, {Name: A, Images: 7500}, {Name: O, Images: 2000}} {
		text, err := lists.ReadFile(s.Name + ".txt")
		if err != nil {
			panic("imagenet: " + err.Error()) // it is embedded
		}
		s.Classes = strings.Fields(string(text))
		all = append(all, s)
	}
	return all
})

// Classes returns the wnids of ImageNet-1K by class number: class 3 is n01491361, the tiger shark.
func Classes() []string { return slices.Clone(sets()[0].Classes) }

// Sets returns ImageNet-1K and the sets of some of its classes.
func Sets() []Set {
	all := slices.Clone(sets())
	for i := range all {
		all[i].Classes = slices.Clone(all[i].Classes)
	}
	return all
}

// SetOf returns the set that has these classes and no others, in any order; one without a name where none has.
func SetOf(classes []string) Set {
	sorted := slices.Sorted(slices.Values(classes))
	for _, s := range sets() {
		if slices.Equal(s.Classes, sorted) {
			s.Classes = sorted
			return s
		}
	}
	return Set{}
}

// Identify returns the name of the test set that has these classes, their names in any order, and as many images: R, A, V2 or
// Sketch. It is empty for any other set, such as images of other origin of the same classes.
func Identify(classes []string, images int) string {
	set := SetOf(classes)
	switch {
	case (set.Name == R || set.Name == A) && images == set.Images:
		return set.Name
	case set.Name == Whole && images == imagesSketch:
		return Sketch
	case len(Numbers(classes)) == len(sets()[0].Classes) && images == imagesV2:
		return V2
	}
	return ""
}

// Numbers returns the names of classes in the order of the numbers that they are, or nil where they are not the numbers from 0 on,
// each once.
func Numbers(classes []string) []string {
	if len(classes) == 0 {
		return nil
	}
	out := make([]string, len(classes))
	for _, name := range classes {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= len(out) || out[i] != "" || strconv.Itoa(i) != name {
			return nil
		}
		out[i] = name
	}
	return out
}

// Known returns how many of the names are wnids of ImageNet-1K.
func Known(names []string) int {
	n := 0
	for _, name := range names {
		if _, ok := slices.BinarySearch(sets()[0].Classes, name); ok {
			n++
		}
	}
	return n
}
