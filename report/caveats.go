package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Marks of numbers that are another measurement than those beside them, though they have one name.
const (
	markSets  = "‡" // a mean of detection metrics over other sets
	markFrost = "§" // with generated ice crystals for frost
	markSeen  = "¶" // of a network that was trained on what is tested
	markBins  = "‖" // a calibration error with the last bin beside published ones without it
	markBase  = "◊" // divided by other figures than AlexNet's
	markOther = "△" // a calibration error with other bins than the default ones
	// markCorruptions: a mean over other corruptions than those of the benchmark, beside means over these.
	markCorruptions = "▽"
)

// marks are all of them.
var marks = []string{markSets, markFrost, markSeen, markBins, markBase, markOther, markCorruptions}

// caveats knows which numbers of a table or a figure are to be marked.
type caveats struct {
	mixed bool     // means over several lists of OOD sets stand side by side
	sets  []string // those lists, of measured numbers
	paper string   // the papers' list, where their numbers are there and it is known
	frost bool     // a number with generated frost is there
	seen  []string // what networks were trained on that is tested, each with its name
	based []string // whose figures numbers are divided by that are not AlexNet's, each with the model's name
	bins  []string // which bins calibration errors have that are not the default ones, each with the model's name
	means []string // which corruptions means are over that are not the benchmark's, each with the model's name and the set
	apart bool     // such means stand beside others of their cell
}

// caveatsOf looks at the numbers that subjects have in cells.
func caveatsOf(cells []results.Cell, subjects []*Subject) *caveats {
	k := &caveats{}
	first, corrupted := map[results.Cell]string{}, map[results.Cell]string{}
	for _, s := range subjects {
		for _, c := range cells {
			n := s.Get(c)
			if !n.Has() {
				continue
			}
			k.frost = k.frost || s.frost(c)
			say := func(list *[]string, between, text string) {
				if said := s.Name + between + text; text != "" && !slices.Contains(*list, said) {
					*list = append(*list, said)
				}
			}
			say(&k.seen, " on ", s.trainedOn(c))
			say(&k.based, " by those of ", s.dividedBy(c))
			say(&k.bins, " with ", s.bins(c))
			if isMean(c) {
				over := s.meanOver(c)
				say(&k.means, "", meanSaid(c, over))
				was, ok := corrupted[c]
				k.apart, corrupted[c] = k.apart || ok && was != over, over
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
	if s.dividedBy(c) != "" {
		marks += markBase
	}
	if s.bins(c) != "" {
		marks += markOther
	}
	if k.apart && s.meanOver(c) != "" {
		marks += markCorruptions
	}
	return marks
}

// notes are sentences about the marked numbers. Tables begin them with the marks; figures have none.
func (k *caveats) notes(marks bool) []string {
	var notes []string
	add := func(mark, text string) { notes = append(notes, note(marks, mark, text)) }
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
	return append(notes, k.scales(marks)...)
}

// scales are those of the notes that say what means are over, what numbers are divided by and how they are binned.
func (k *caveats) scales(marks bool) (notes []string) {
	switch text := strings.Join(k.means, "; "); {
	case k.apart:
		notes = append(notes, note(marks, markCorruptions, "Means over other corruptions, so not comparable with the rest: "+text+"."))
	case text != "":
		notes = append(notes, "Means are over what was measured: "+text+".")
	}
	if len(k.based) > 0 {
		notes = append(notes, note(marks, markBase, "Not divided by AlexNet's published figures, so not comparable with numbers that are: "+
			strings.Join(k.based, "; ")+"."))
	}
	if len(k.bins) > 0 {
		notes = append(notes, note(marks, markOther, "Other bins, so not comparable with the rest: "+strings.Join(k.bins, "; ")+"."))
	}
	return notes
}

func note(marks bool, mark, text string) string {
	if marks && mark != "" {
		text = mark + " " + text
	}
	return text
}

// scalesOf says in the caption of a figure what means in it are over, what numbers are divided by and how they are binned, where that
// is not the usual.
func scalesOf(shown []*Subject, cells ...results.Cell) string {
	return strings.TrimRight(" "+strings.Join(caveatsOf(cells, shown).scales(false), " "), " ")
}

// meanSaid says of which set a mean is that is over so many corruptions; "" where these are the benchmark's.
func meanSaid(c results.Cell, over string) string {
	if over == "" {
		return ""
	}
	return " on " + results.DisplayName(c.Dataset) + " over " + over
}

// overSets reports whether a cell is a mean over OOD sets.
func overSets(c results.Cell) bool {
	return c.OOD == "" && slices.Contains([]string{results.AUROC, results.AUPR, results.FPR95}, c.Metric)
}

// over counts and names the sets behind a mean over OOD sets: those that its row lists, else those that the subject has rows of,
// or the paper's.
func (s *Subject) over(c results.Cell) string {
	if len(s.members) > 0 { // which have one list, where there is a mean over them
		return s.members[0].over(c)
	}
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
	if form != "c" || !part || s.Origin != results.Measured {
		return false
	}
	for r := range s.measured() {
		if r.Dataset == c.Dataset && r.Versions[results.VersionFrost] == results.FrostGenerated {
			return true
		}
	}
	return false
}

// tested are the images behind a number.
type tested struct{ dataset, corruption string }

// trainedOn says what the subject was trained on that a number tests, "" for nothing.
func (s *Subject) trainedOn(c results.Cell) string {
	if s.Origin != results.Measured {
		return ""
	}
	key := tested{c.Dataset, c.Corruption}
	text, ok := s.trained[key]
	if !ok {
		text = s.trainedOnOf(c)
		s.trained[key] = text
	}
	return text
}

// trainedOnOf looks at all rows.
func (s *Subject) trainedOnOf(c results.Cell) string {
	for r := range s.measured() {
		if r.Dataset != c.Dataset {
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

// normalized are the metrics that divide by a baseline, and binned those that have bins.
var (
	normalized = []string{
		results.CE, results.RelativeCE, results.MeanCE, results.RelativeMeanCE, results.FlipRate, results.MeanFlipRate, results.Top5Rate,
		results.MeanTop5Rate,
	}
	binned = []string{
		results.RMSCalibration, results.MADCalibration, results.BrierRefinement, results.ECE, results.MaxCalibration, results.ClasswiseECE,
	}
)

// dividedBy says whose figures a number is divided by, "" for AlexNet's published ones and for a number that is not divided.
func (s *Subject) dividedBy(c results.Cell) string {
	if s.Origin != results.Measured || !slices.Contains(normalized, c.Metric) {
		return ""
	}
	return s.versions(results.VersionBaseline, func(r *results.Row) bool {
		return score.Place(results.ByCell(r)) == score.Place(c)
	})
}

// bins says in words which bins a calibration error has, "" for the default ones and for another metric.
func (s *Subject) bins(c results.Cell) string {
	if s.Origin != results.Measured || !slices.Contains(binned, c.Metric) {
		return ""
	}
	return s.versions(results.VersionBins, func(r *results.Row) bool { return r.Dataset == c.Dataset && r.Metric == c.Metric })
}

// versions returns what those rows of the subject that fit have under a key of versions, joined.
func (s *Subject) versions(key string, fits func(r *results.Row) bool) string {
	var found []string
	for r := range s.measured() {
		if text := versionText(key, r.Versions[key]); text != "" && fits(r) && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	return strings.Join(found, " and ")
}

// versionText is a version in words.
func versionText(key, version string) string {
	if how, n, ok := strings.Cut(version, ":"); ok && key == results.VersionBins {
		switch how {
		case "adaptive":
			return "adaptive bins of " + n
		case "equal":
			return n + " bins of equal width"
		}
	}
	return version
}

// unlike says in what two subjects' numbers of a cell are other measurements, of each what its is; both are empty where nothing says so.
func unlike(a, b *Subject, c results.Cell) (first, second string) {
	for _, say := range []func(s *Subject) string{
		func(s *Subject) string {
			if !overSets(c) {
				return ""
			}
			return "a mean over " + s.over(c)
		},
		func(s *Subject) string {
			if !isMean(c) {
				return ""
			}
			return "a mean over " + cmp.Or(s.meanOver(c), "the corruptions of the benchmark")
		},
		func(s *Subject) string { return "divided by the figures of " + cmp.Or(s.dividedBy(c), "AlexNet") },
		func(s *Subject) string { return "with " + cmp.Or(s.bins(c), "the default bins") },
	} {
		if first, second = say(a), say(b); first != second {
			return first, second
		}
	}
	return "", ""
}

// trainedOn is a line about rows of a network that was trained on what they test; "" where there are none.
func trainedOn(rows []results.Row) string {
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

// orMarked says that marked numbers of a table are otherwise than its caption says, "" where none is.
func (t *Table) orMarked(mark, otherwise string) string {
	for _, r := range t.Rows {
		for i := range r.Cells {
			if strings.Contains(r.Cells[i].Marks, mark) {
				return ", where marked " + mark + " " + otherwise
			}
		}
	}
	return ""
}
