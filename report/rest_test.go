package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// few keeps whole corruptions, evenly spread, as many as there is room for.
func TestFew(t *testing.T) {
	groups := func(sizes ...int) (out [][]flipped) {
		for i, n := range sizes {
			var g []flipped
			for k := range n {
				g = append(g, flipped{example: results.Example{Key: fmt.Sprintf("%d%c", i, 'a'+k)}})
			}
			out = append(out, g)
		}
		return out
	}
	for _, c := range []struct {
		sizes []int
		n     int
		want  string
	}{
		{[]int{1, 1, 1}, 5, "0a 1a 2a"},
		{[]int{2, 2, 2, 2, 2}, 6, "0a 0b 1a 1b 3a 3b"},
		{[]int{2, 2, 2, 2}, 4, "0a 0b 2a 2b"},
		{[]int{1, 3, 1, 3}, 2, "0a 2a"},
		{[]int{5}, 2, "0a 0b"},
		{nil, 2, ""},
	} {
		var got []string
		for _, f := range few(groups(c.sizes...), c.n) {
			got = append(got, f.example.Key)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%d of %v: %v, want %s", c.n, c.sizes, got, c.want)
		}
	}
}

// The examples of a report: those of one corruption side by side, the words of captions only where they tell something
// apart.
func TestExamples(t *testing.T) {
	runs := three(t, "cifar10", 100)
	rep, err := Build(t.Context(), runs, Options{Replicates: 100})
	if err != nil {
		t.Fatal(err)
	}
	var shots []Shot
	for i := range rep.Sections {
		for _, b := range rep.Sections[i].Blocks {
			shots = append(shots, b.Shots...)
		}
	}
	total := 0
	for _, r := range runs {
		total += len(r.Examples)
	}
	if len(shots) != 4 || total != 12 { // the three runs have the same four images
		t.Fatalf("%d shots of %d examples", len(shots), total)
	}
	var order, models, keys []string
	for _, s := range shots {
		if s.Image == nil || s.Clean == nil || !s.Coarse || s.Origin != s.Example.Model+", "+s.Example.Key {
			t.Errorf("%+v", s.Example)
		}
		if slices.Contains(keys, s.Example.Key) {
			t.Errorf("image %s is shown twice", s.Example.Key)
		}
		keys = append(keys, s.Example.Key)
		if !slices.Contains(models, s.Example.Model) {
			models = append(models, s.Example.Model)
		}
		if !slices.Contains(order, s.Example.Corruption) {
			order = append(order, s.Example.Corruption)
		} else if order[len(order)-1] != s.Example.Corruption {
			t.Errorf("%s is in two places", s.Example.Corruption)
		}
	}
	if len(models) != 3 {
		t.Errorf("the images are of %q", models)
	}
	b := &builder{runs: runs[:1]}
	gone := results.Example{Model: "m", Dataset: "d", Key: "k", View: results.View{TenCrop: true, Limit: 9}, Image: "gone.png"}
	s := b.shot(flipped{runs[0], gone})
	if s.Origin != "ten-crop, k" || s.Missing == "" || s.Coarse {
		t.Errorf("%+v", s)
	}
}
