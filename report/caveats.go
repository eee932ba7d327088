package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
)

// Marks of numbers that are another measurement than those beside them, though they have one name.
const (
	markSets  = "‡" // a mean of detection metrics over other sets
	markFrost = "§" // with generated ice crystals for frost
	markSeen  = "¶" // of a network that was trained on what is tested
	markBins  = "‖" // a calibration error with the last bin beside published ones without it
)

// marks are all of them.
var marks = []string{markSets, markFrost, markSeen, markBins}

// caveats knows which numbers of a table or a figure are to be marked.
type caveats struct {
	mixed bool     // means over several lists of OOD sets stand side by side
	sets  []string // those lists, of measured numbers
	paper string   // the papers' list, where their numbers are there and it is known
	frost bool     // a number with generated frost is there
	seen  []string // what networks were trained on that is tested, each with its name
}

// caveatsOf looks at the numbers that subjects have in cells.
func caveatsOf(cells []results.Cell, subjects []*Subject) *caveats {
	k := &caveats{}
	first := map[results.Cell]string{}
	for _, s := range subjects {
		for _, c := range cells {
			n := s.Get(c)
			if !n.Has() {
				continue
			}
			k.frost = k.frost || s.frost(c)
			if text := s.trainedOn(c); text != "" && !slices.Contains(k.seen, s.Name+" on "+text) {
				k.seen = append(k.seen, s.Name+" on "+text)
			}
			if !overSets(c) {
				continue
			}
			list := s.over(c)
			if was, ok := first[c]; ok && was != list {
				k.mixed = true
			}
			first[c] = list
			switch {
			case s.Origin == results.Published && len(published.OODSets(c.Dataset)) > 0:
				k.paper = list
			case s.Origin == results.Measured && !slices.Contains(k.sets, list):
				k.sets = append(k.sets, list)
			}
		}
	}
	return k
}

// mark returns the marks of a subject's number.
func (k *caveats) mark(s *Subject, c results.Cell) string {
	marks := ""
	if k.mixed && overSets(c) && s.Origin == results.Measured && s.over(c) != k.paper {
		marks += markSets
	}
	if s.frost(c) {
		marks += markFrost
	}
	if s.trainedOn(c) != "" {
		marks += markSeen
	}
	return marks
}

// notes are sentences about the marked numbers. Tables begin them with the marks; figures have none.
func (k *caveats) notes(marks bool) []string {
	var notes []string
	add := func(mark, text string) {
		if marks && mark != "" {
			text = mark + " " + text
		}
		notes = append(notes, text)
	}
	switch lists := strings.Join(slices.DeleteFunc(slices.Clone(k.sets), func(list string) bool { return list == k.paper }),
		", or over "); {
	case k.mixed && lists != "":
		own := "the papers' own sets"
		if k.paper != "" {
			own = k.paper
		}
		add(markSets, "Measured means of OOD detection are over "+lists+", published ones over "+own+": means over "+
			"other sets are not comparable.")
	case k.paper != "":
		add("", "Means of OOD detection are over "+k.paper+".")
	case lists != "":
		add("", "Means of OOD detection are over "+lists+".")
	}
	if k.frost {
		add(markFrost, "Measured with generated ice crystals for frost, not with the published photographs.")
	}
	if len(k.seen) > 0 {
		add(markSeen, "Trained on what the benchmark tests, so not comparable: "+strings.Join(k.seen, "; ")+".")
	}
	return notes
}

// overSets reports whether a cell is a mean over OOD sets.
func overSets(c results.Cell) bool {
	return c.OOD == "" && slices.Contains([]string{results.AUROC, results.AUPR, results.FPR95}, c.Metric)
}

// over counts and names the sets behind a mean over OOD sets: those that its row lists, else those that the subject has rows of,
// or the paper's.
func (s *Subject) over(c results.Cell) string {
	var sets []string
	if s.Origin == results.Published {
		sets = published.OODSets(c.Dataset)
	} else if n := s.Get(c); n.Row != nil {
		sets = n.Row.Over
	}
	if len(sets) == 0 {
		for _, d := range s.book.Cells() {
			if d.OOD != "" && d.Dataset == c.Dataset && d.Metric == c.Metric && d.Score == c.Score {
				sets = append(sets, d.OOD)
			}
		}
		slices.Sort(sets)
	}
	if len(sets) == 0 {
		return "sets that are not recorded"
	}
	sets = slices.Compact(sets)
	if len(sets) == 1 {
		return "one set (" + sets[0] + ")"
	}
	return fmt.Sprintf("%d sets (%s)", len(sets), strings.Join(sets, ", "))
}

// frost reports whether generated frost is in a number: in that of the corruption, or in a mean that has it among its parts.
func (s *Subject) frost(c results.Cell) bool {
	_, form := results.SplitForm(c.Dataset)
	part := c.Corruption == "frost" || c.Corruption == "" && (c.Group == "" || c.Group == "weather")
	if form != "c" || !part || s.run == nil {
		return false
	}
	return slices.ContainsFunc(s.run.Rows, func(r results.Located) bool {
		return r.Model == s.Model && r.Dataset == c.Dataset && r.Versions[results.VersionFrost] == results.FrostGenerated &&
			r.Origin == s.Origin
	})
}

// trainedOn says what the subject was trained on that a number tests, "" for nothing.
func (s *Subject) trainedOn(c results.Cell) string {
	if s.run == nil || s.Origin != results.Measured {
		return ""
	}
	for i := range s.run.Rows {
		r := &s.run.Rows[i]
		if r.Model != s.Model || r.Dataset != c.Dataset {
			continue
		}
		if text := seen(r.Versions, c.Dataset, c.Corruption); text != "" {
			return text
		}
	}
	return ""
}

// seen is what versions say that a network was trained on, of what numbers of a data set test; corruption is "" for a mean. A
// corruption of those for validation touches its own numbers alone.
func seen(versions map[string]string, dataset, corruption string) string {
	switch _, form := results.SplitForm(dataset); form {
	case "c":
		if own := strings.Split(versions[results.VersionTrainedOnValidation], ", "); corruption != "" && slices.Contains(own, corruption) {
			return strings.TrimPrefix(versions[results.VersionTrainedOn]+", "+corruption, ", ")
		}
		return versions[results.VersionTrainedOn]
	case "c-bar":
		return versions[results.VersionTrainedOnBar]
	}
	return ""
}

// trainedOn is a line about rows of a network that was trained on what they test; "" where there are none.
func trainedOn(rows []results.Located) string {
	for i := range rows {
		if text := seen(rows[i].Versions, rows[i].Dataset, rows[i].Corruption); text != "" {
			return "trained on " + text + ", which the benchmark tests: not comparable with others"
		}
	}
	return ""
}

// caveats marks the numbers of a table and remembers what to say below it.
func (t *Table) caveats(cols []col, subjects []*Subject) {
	var cells []results.Cell
	for _, c := range cols {
		cells = append(cells, c.cell)
	}
	k := caveatsOf(cells, subjects)
	t.Notes = k.notes(true)
	bins := false
	for i, s := range subjects {
		for j, c := range cols {
			cell := &t.Rows[i].Cells[j]
			cell.Marks = k.mark(s, c.cell)
			if _, other := c.of(s); other {
				cell.Marks += markBins
				bins = true
			}
		}
	}
	if bins {
		t.Notes = append(t.Notes, markBins+" With all bins; the papers' code leaves out the last one. Evaluations with reference-binning have that too.")
	}
}
