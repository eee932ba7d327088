package report

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// The scale of an axis with one value stays within what a share can be, and goes beyond 100 % where a number does, as an mCE.
func TestSafetyScales(t *testing.T) {
	for _, test := range []struct {
		value       float64
		better      int
		worst, best float64
	}{{0.9, -1, 1, 0}, {0.43, 1, 0, 1}, {0.02, -1, 1, 0}, {1.2, -1, 2, 0.5}} {
		axes := []chart.Measure{{Percent: true}}
		c := &col{Column: Column{Percent: true, Better: results.Better(test.better)}}
		safetyScales(axes, []*col{c}, []chart.ParallelSeries{{Values: []float64{test.value}}})
		if axes[0].Worst != test.worst || axes[0].Best != test.best {
			t.Errorf("%v: the axis goes from %v to %v, want %v to %v", test.value, axes[0].Worst, axes[0].Best, test.worst, test.best)
		}
	}
}

// Two tables of a paper with the same numbers of a network are one line of the chart.
func TestSafetyLinesOnce(t *testing.T) {
	rows := method("one", "cifar10", 0.05, 0.1, 0.02)
	rep := build(t, runOf(t, "one", rows...))
	var names []string
	for _, s := range rep.Sections {
		for _, b := range s.Blocks {
			if b.Figure != nil && b.Figure.ID == "cifar10-safety" {
				for _, l := range b.Figure.Chart.(*chart.Parallel).Series {
					names = append(names, l.Name)
				}
			}
		}
	}
	want := []string{"one", "Baseline, WRN-40-4 (PixMix, table 2)", "PixMix, WRN-40-4 (PixMix, table 2)"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
