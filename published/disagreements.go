package published

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// Disagreement is a place where a paper contradicts itself.
type Disagreement struct {
	Paper string `json:"paper"` // one of [Papers]
	Where string `json:"where"` // its tables and sections: "tables 2 and 7"
	What  string `json:"what"`  // what they say
	// A and B are two entries that print different numbers for one quantity; nil where the contradiction is of another
	// kind.
	A *Entry `json:"a,omitempty"`
	B *Entry `json:"b,omitempty"`
}

// beyondCells are contradictions that no two cells show: between a table and the text around it, or inside a table. The
// tests recompute what the tables say.
var beyondCells = []Disagreement{
	{
		Paper: AugMix, Where: "section 1 and table 1",
		What: "error on CIFAR-10-C from 28.4 % to 12.4 % in the text; the means over the four networks are 29.0 and 12.5",
	},
	{
		Paper: AugMix, Where: "section 1 and table 1",
		What: "error on CIFAR-100-C from 54.3 % to 37.8 % in the text; the means over the four networks are 55.6 and 38.3",
	},
	{Paper: AugMix, Where: "section 4.2 and table 2", What: "mCE of AugMix + SIN: 64.1 % in the text, 64.9 in the table"},
	{
		Paper: PixMix, Where: "table 11",
		What: "the columns of ImageNet-C-bar and ImageNet-R of ANT, Speckle and Noise2Net are equal within 0.1, as if one column " +
			"was printed twice",
	},
	{
		Paper: PixMix, Where: "table 15",
		What: "the 15 CEs of CutMix are the Baseline's, number for number; their mean is the Baseline's mCE, 78.3, and 77.8 is printed",
	},
}

// Disagreements returns the places where a paper contradicts itself, paper by paper: first two entries that are about
// the same method, network and quantity and print different numbers, in the order of [All], each number once; then what
// the text or the columns of a table contradict.
func Disagreements() []Disagreement {
	var out []Disagreement
	for _, paper := range Papers() {
		out = append(out, differingCells(paper)...)
		for _, d := range beyondCells {
			if d.Paper == paper {
				out = append(out, d)
			}
		}
	}
	return out
}

// differingCells compares every entry with the first one of the same quantity.
func differingCells(paper string) []Disagreement {
	type quantity struct {
		method, arch, dataset, metric, corruption string
		view                                      results.View
	}
	first := map[quantity]*Entry{}
	var out []Disagreement
	all := table()
	for i := range all {
		e := &all[i]
		if e.Paper != paper || e.Severity > 0 {
			continue
		}
		k := quantity{e.Method, e.Architecture, e.Dataset, e.Metric, e.Corruption, e.View()}
		was, ok := first[k]
		if !ok {
			first[k] = e
			continue
		}
		if was.Value() != e.Value() {
			a, b := *was, *e
			out = append(out, Disagreement{
				Paper: paper, Where: fmt.Sprintf("tables %s and %s", a.Table, b.Table), A: &a, B: &b,
				What: fmt.Sprintf("%s, %s: %s and %s", a.Model(), a.quantity(), a.Printed, b.Printed),
			})
		}
	}
	return out
}

// quantity names what is measured, on what.
func (e *Entry) quantity() string {
	parts := slices.DeleteFunc([]string{e.Dataset, e.Metric, e.Corruption, e.View().Text()}, func(s string) bool { return s == "" })
	return strings.Join(parts, " ")
}
