package imagenet

import (
	"slices"
	"strings"
	"sync"
)

// Category is one of the 16 that images of conflicting cues show, with ImageNet-1K's classes that are below it in WordNet.
type Category struct {
	Name  string
	Wnids []string // ascending class numbers
}

// categories are those of Geirhos et al. (ImageNet-trained CNNs are biased towards texture, ICLR 2019) with the 207 classes that
// their published code counts to them: categories.txt, a category a line.
var categories = sync.OnceValue(func() []Category {
	text, err := lists.ReadFile("categories.txt")
	if err != nil {
		panic("imagenet: " + err.Error()) // it is embedded
	}
	var all []Category
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		all = append(all, Category{words[0], words[1:]})
	}
	return all
})

// Categories returns the 16 categories of Geirhos et al. (ICLR 2019), by name.
func Categories() []Category {
	all := slices.Clone(categories())
	for i := range all {
		all[i].Wnids = slices.Clone(all[i].Wnids)
	}
	return all
}
