package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// smallFrost returns one small texture of frost: the nine of [frost.Default] take seconds.
func smallFrost(t *testing.T) *corrupt.FrostSet {
	t.Helper()
	set, err := corrupt.NewFrostSet(frost.Generate(frost.Rime, 256, 256, rng.New(1)))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestOtherFrost: what was measured with other photographs is not taken for frost with these; older versions did not say which they were.
func TestOtherFrost(t *testing.T) {
	photograph := func(v uint8) *corrupt.FrostSet {
		m := raster.New(64, 64)
		for i := range m.Pix {
			m.Pix[i] = v
		}
		set, err := corrupt.NewFrostSet(m)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	run := func(photos *corrupt.FrostSet, known []results.Row) (rows []results.Row, reused bool, err error) {
		p, set := near(), small()
		e := &Evaluator{Model: Model{Predictor: &p, Name: "m"}, Dataset: "set", Workers: 1, Reused: func(string) { reused = true }}
		e.Known = known
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"frost"}, Open: set.again}
		c.Plan.Severities, c.Plan.Frost = []float64{3}, photos
		err = e.Corruptions(t.Context(), c)
		return e.Rows, reused, err
	}
	known, _, err := run(photograph(10), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, reused, err := run(photograph(10), known); !reused || err != nil {
		t.Errorf("with the same photographs: reused %v, %v", reused, err)
	}
	if _, reused, err := run(photograph(240), known); reused || !errors.Is(err, ErrOption) {
		t.Errorf("with other photographs: reused %v, %v", reused, err)
	}
	for i := range known {
		versions := map[string]string{}
		for key, v := range known[i].Versions {
			if before, _, found := strings.Cut(v, photographs); found {
				v = before + photographs
			}
			versions[key] = v
		}
		known[i].Versions = versions
	}
	if _, reused, err := run(photograph(240), known); !reused || err != nil {
		t.Errorf("with rows of an older version: reused %v, %v", reused, err)
	}
}
