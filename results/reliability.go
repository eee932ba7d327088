package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReliabilityBin is one bar of a reliability diagram.
type ReliabilityBin struct {
	N          int64   // rows in the bin
	Confidence float64 // their mean confidence; NaN for an empty bin
	Accuracy   float64 // the fraction of them that was correct; NaN for an empty bin
}

// maxBins bounds what [Reliability] takes from a file.
const maxBins = 10000

// ReliabilityRows returns the rows that carry a reliability diagram: for each bin that is not empty, in ascending order
// of confidence, a row of metric [BinConfidence] and one of [BinAccuracy]. They are copies of base (model, data set,
// corruption, severity, seed, versions, time, origin) whose view says which bin it is, "bin 3 of 15", after base's own
// view and "; " if it has one, and whose N is the number of rows in the bin. Empty bins have no rows.
func ReliabilityRows(base Row, bins []ReliabilityBin) []Row {
	var out []Row
	for i, b := range bins {
		if b.N == 0 {
			continue
		}
		r := base
		r.View = joinBin(base.View, fmt.Sprintf("%s%d of %d", binView, i+1, len(bins)))
		r.N, r.Interval = b.N, nil
		r.Metric, r.Value = BinConfidence, b.Confidence
		out = append(out, r)
		r.Metric, r.Value = BinAccuracy, b.Accuracy
		out = append(out, r)
	}
	return out
}

// Diagram is a reliability diagram read back from rows.
type Diagram struct {
	Key  Key // of what the bins are of: the metric is empty, the view without the bin
	Bins []ReliabilityBin
}

// Reliability returns the reliability diagrams that rows carry, in the order in which they first occur. Rows of other
// metrics are passed over. A bin without its other row, or two sizes of one diagram, is an error that wraps
// [ErrFormat] and names a row.
func Reliability(rows []Located) ([]Diagram, error) {
	var out []Diagram
	at := map[Key]int{}
	seen := map[Key][2]map[int]bool{}
	for i := range rows {
		r := &rows[i]
		if r.Metric != BinConfidence && r.Metric != BinAccuracy {
			continue
		}
		key, bin, bins, err := binOf(r)
		if err != nil {
			return nil, err
		}
		j, ok := at[key]
		if !ok {
			j = len(out)
			at[key] = j
			out = append(out, Diagram{key, emptyBins(bins)})
			seen[key] = [2]map[int]bool{{}, {}}
		}
		d := &out[j]
		if len(d.Bins) != bins {
			return nil, fmt.Errorf("%s: %w: %q in a diagram of %d bins", r.Place(), ErrFormat, r.View, len(d.Bins))
		}
		b := &d.Bins[bin]
		kind := 0
		if r.Metric == BinConfidence {
			b.Confidence = r.Value
		} else {
			b.Accuracy, kind = r.Value, 1
		}
		if b.N != 0 && b.N != r.N {
			return nil, fmt.Errorf("%s: %w: %s holds %d rows, in its other line %d", r.Place(), ErrFormat, r.View, r.N, b.N)
		}
		b.N = r.N
		seen[key][kind][bin] = true
	}
	for _, d := range out {
		s := seen[d.Key]
		for bin := range d.Bins {
			if s[0][bin] != s[1][bin] {
				return nil, fmt.Errorf("%w: bin %d%s has only one of %s and %s", ErrFormat, bin+1, d.Key, BinConfidence,
					BinAccuracy)
			}
		}
	}
	return out, nil
}

func emptyBins(n int) []ReliabilityBin {
	return slices.Repeat([]ReliabilityBin{{Confidence: math.NaN(), Accuracy: math.NaN()}}, n)
}

// binOf reads "bin 3 of 15" at the end of a row's view.
func binOf(r *Located) (key Key, bin, bins int, err error) {
	key = r.Key()
	key.Metric = ""
	var last string
	key.View, last = splitBin(r.View)
	text, ok := strings.CutPrefix(last, binView)
	a, b, found := strings.Cut(text, " of ")
	bin, err1 := strconv.Atoi(a)
	bins, err2 := strconv.Atoi(b)
	switch {
	case !ok || !found || err1 != nil || err2 != nil || bin < 1 || bin > bins || bins > maxBins:
		err = fmt.Errorf(`%s: %w: view %q of a %s (allowed: "bin 3 of 15", at most %d)`, r.Place(), ErrFormat, r.View,
			r.Metric, maxBins)
	case r.N < 1 || !(r.Value >= 0 && r.Value <= 1):
		err = fmt.Errorf("%s: %w: %s %v of %d rows (allowed: 0 to 1, of at least one)", r.Place(), ErrFormat, r.Metric,
			r.Value, r.N)
	}
	return key, bin - 1, bins, err
}
