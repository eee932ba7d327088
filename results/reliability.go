package results

import (
	"fmt"
	"math"
	"slices"
)

// ReliabilityBin is one bar of a reliability diagram.
type ReliabilityBin struct {
	N          int64   // samples in the bin
	Confidence float64 // their mean confidence; NaN for an empty bin
	Accuracy   float64 // the fraction of them that was correct; NaN for an empty bin
}

// ReliabilityRows returns the rows that carry a reliability diagram: for each bin that is not empty, in ascending order
// of confidence, a row of metric [BinConfidence] and one of [BinAccuracy]. They are copies of base (model, data set,
// corruption, severity, view, seed, versions, time, origin) that say which bin they are, and whose N is the number of
// samples in the bin. Empty bins have no rows.
func ReliabilityRows(base Row, bins []ReliabilityBin) []Row {
	var out []Row
	for i, b := range bins {
		if b.N == 0 {
			continue
		}
		r := base
		r.Bin, r.Bins = i+1, len(bins)
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
	Key  Key // of what the bins are of: without metric and bin
	Bins []ReliabilityBin
}

// Reliability returns the reliability diagrams that rows carry, in the order in which they first occur. Rows of other
// metrics are passed over. A bin without its other row, or two sizes of one diagram, is an error that wraps
// [ErrFormat] and names a row; two rows of one bin that contradict each other are one that wraps [ErrConflict].
func Reliability(rows []Located) ([]Diagram, error) {
	var out []Diagram
	at := map[Key]int{}
	seen := map[Key][2]map[int]bool{}
	bars, err := Merge(Select(rows, isBar))
	if err != nil {
		return nil, err
	}
	for i := range bars {
		r := &bars[i]
		key, err := binOf(r)
		if err != nil {
			return nil, err
		}
		bin, bins := r.Bin-1, r.Bins
		j, ok := at[key]
		if !ok {
			j = len(out)
			at[key] = j
			out = append(out, Diagram{key, emptyBins(bins)})
			seen[key] = [2]map[int]bool{{}, {}}
		}
		d := &out[j]
		if len(d.Bins) != bins {
			return nil, fmt.Errorf("%s: %w: bin %d of %d in a diagram of %d bins", r.Place(), ErrFormat, r.Bin, r.Bins,
				len(d.Bins))
		}
		b := &d.Bins[bin]
		kind := 0
		if r.Metric == BinConfidence {
			b.Confidence = r.Value
		} else {
			b.Accuracy, kind = r.Value, 1
		}
		if b.N != 0 && b.N != r.N {
			return nil, fmt.Errorf("%s: %w: bin %d of %d holds %d samples, in its other line %d", r.Place(), ErrFormat, r.Bin,
				r.Bins, r.N, b.N)
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

// isBar reports whether a row is of a bin.
func isBar(r *Row) bool { return r.Metric == BinConfidence || r.Metric == BinAccuracy }

func emptyBins(n int) []ReliabilityBin {
	return slices.Repeat([]ReliabilityBin{{Confidence: math.NaN(), Accuracy: math.NaN()}}, n)
}

// binOf checks a row of a bin and returns the key of its diagram.
func binOf(r *Located) (Key, error) {
	key := r.Key()
	key.Metric, key.Bin, key.Bins = "", 0, 0
	if err := r.View.validate(r.Model, r.Metric); err != nil {
		return key, fmt.Errorf("%s: %w", r.Place(), err)
	}
	if r.N < 1 || !(r.Value >= 0 && r.Value <= 1) {
		return key, fmt.Errorf("%s: %w: %s %v of %d samples (allowed: 0 to 1, of at least one)", r.Place(), ErrFormat,
			r.Metric, r.Value, r.N)
	}
	return key, nil
}
