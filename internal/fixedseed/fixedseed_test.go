package fixedseed

import (
	"flag"
	"os"
	"testing"

	"pgregory.net/rapid"
)

func TestChoose(t *testing.T) {
	for value, want := range map[string]uint64{"": 1, "7": 7, "random": 0} {
		if got, err := choose(value); got != want || err != nil {
			t.Errorf("choose(%q) = %d, %v, want %d", value, got, err, want)
		}
	}
	for _, value := range []string{"0", "-1", "Random", "1.5"} {
		if _, err := choose(value); err == nil {
			t.Errorf("choose(%q) is no error", value)
		}
	}
}

// TestSameDraws has two runs of a property see the same cases.
func TestSameDraws(t *testing.T) {
	if os.Getenv("AUGMIX_TEST_SEED") == "random" || flag.Lookup("rapid.seed").Value.String() == "0" {
		t.Skip("the seed is random")
	}
	draw := func() (all []int) {
		rapid.Check(t, func(t *rapid.T) { all = append(all, rapid.Int().Draw(t, "x")) })
		return all
	}
	a, b := draw(), draw()
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("case %d differs", i)
		}
	}
}
