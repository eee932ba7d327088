package corruption

import "testing"

// Worked by hand.
func TestAt(t *testing.T) {
	table := Table{
		Kinds: []Kind{Level, Length, Count, Steps},
		Sets:  [4]Set{{{1, 2, 10, 1}}, {{3, 4, 20, 2}}, {{3, 8, 21, 3}}, {{5, 10, 30, 4}}},
	}
	for _, c := range []struct {
		set, side int
		want      Row
	}{
		{224, 7, Row{3, 8, 21, 3}},
		{Auto, 32, Row{1, 2, 10, 1}},
		{Auto, 64, Row{3, 4, 20, 2}},
		{Auto, 299, Row{5, 10, 30, 4}},
		{Auto, 48, Row{2, 3, 15, 2}},   // half-way; 1.5 steps round up
		{Auto, 16, Row{1, 1, 10, 1}},   // half the length, and half a step becomes one
		{Auto, 598, Row{5, 20, 30, 8}}, // twice
		{Auto, 144, Row{3, 6, 21, 3}},  // half-way: 20.5 and 2.5 round up
	} {
		if got := table.At(c.set, 0, c.side); got != c.want {
			t.Errorf("set %d, side %d: %v, want %v", c.set, c.side, got, c.want)
		}
	}
}
