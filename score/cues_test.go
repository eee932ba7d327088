package score_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// TestCues: three predictions of the shape, one of the texture, one of neither, and one of agreeing cues, by hand.
func TestCues(t *testing.T) {
	c := score.Cues{Names: []string{"bear", "cat", "dog"}}
	for _, x := range [][3]int{{0, 1, 0}, {0, 2, 0}, {0, 1, 1}, {1, 0, 1}, {1, 2, 0}, {2, 2, 2}} {
		c.Add(x[0], x[1], x[2])
	}
	got := map[string]results.Row{}
	for _, r := range c.Rows(results.Row{Model: "m", Dataset: "d"}) {
		got[r.Metric+" "+r.Class] = r
	}
	for key, want := range map[string]struct {
		value float64
		n     int64
	}{
		"shape_bias ":       {3.0 / 4, 4},
		"cue_accuracy ":     {4.0 / 5, 5},
		"shape_bias bear":   {2.0 / 3, 3},
		"cue_accuracy bear": {1, 3},
		"shape_bias cat":    {1, 1},
		"cue_accuracy cat":  {1.0 / 2, 2},
	} {
		if r := got[key]; math.Abs(r.Value-want.value) > 1e-12 || r.N != want.n {
			t.Errorf("%s: %v of %d, want %v of %d", key, r.Value, r.N, want.value, want.n)
		}
	}
	if len(got) != 6 || c.N() != 5 {
		t.Errorf("%d rows, %d images", len(got), c.N())
	}
	none := score.Cues{Names: []string{"bear", "cat", "dog"}}
	none.Add(0, 1, 2)
	if r := none.Rows(results.Row{})[0]; !math.IsNaN(r.Value) || r.N != 0 {
		t.Errorf("a bias of no decision is %v of %d", r.Value, r.N)
	}
}

// Of a cat in the skin of an elephant one network says cat, of another one elephant, of a third dog.
func ExampleCues() {
	c := score.Cues{Names: []string{"cat", "dog", "elephant"}}
	c.Add(0, 2, 0)
	c.Add(0, 2, 2)
	c.Add(0, 2, 1)
	for _, r := range c.Rows(results.Row{Model: "net", Dataset: "cue-conflict"})[:2] {
		fmt.Println(r.Metric, r.Value, r.N)
	}
	// Output:
	// shape_bias 0.5 2
	// cue_accuracy 0.6666666666666666 3
}
