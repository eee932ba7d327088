package imagenet_test

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data/imagenet"
)

// TestCategories: 16 categories of 207 classes, each once; by number, Persian cat, desktop keyboard, typewriter's, garbage truck.
func TestCategories(t *testing.T) {
	all := imagenet.Classes()
	of := map[int]string{}
	var names []string
	for _, c := range imagenet.Categories() {
		names = append(names, c.Name)
		last := -1
		for _, wnid := range c.Wnids {
			i := slices.Index(all, wnid)
			if i <= last || of[i] != "" {
				t.Errorf("%s: class %d after %d, of %q already", c.Name, i, last, of[i])
			}
			of[i], last = c.Name, i
		}
	}
	if len(names) != 16 || !slices.IsSorted(names) || len(of) != 207 {
		t.Errorf("%d classes of %v", len(of), names)
	}
	for i, want := range map[int]string{404: "airplane", 283: "cat", 508: "keyboard", 878: "keyboard", 569: "truck", 227: "", 268: "dog", 17: ""} {
		if of[i] != want {
			t.Errorf("class %d is of %q, want %q", i, of[i], want)
		}
	}
	imagenet.Categories()[0].Wnids[0] = "x"
	if imagenet.Categories()[0].Wnids[0] == "x" {
		t.Error("a list was changed")
	}
}
