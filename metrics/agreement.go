package metrics

import (
	"cmp"
	"fmt"
	"slices"
)

// Agreement counts how two models' predictions of the same rows agree: which class the one predicts where the other
// predicts which, and who is right. Its memory is one entry for each pair of classes that occurred. Make one with
// [NewAgreement].
type Agreement struct {
	classes int
	n       uint64
	same    uint64
	labels  uint64
	both    uint64 // both right
	onlyA   uint64
	onlyB   uint64
	pairs   map[[2]int32]uint64
}

// NewAgreement returns an empty count for models of the given number of classes, at most 2^31-1.
func NewAgreement(classes int) (*Agreement, error) {
	if classes < 1 || classes > 1<<31-1 {
		return nil, optionErr("%d classes (allowed: 1 to 2^31-1)", classes)
	}
	return &Agreement{classes: classes, pairs: map[[2]int32]uint64{}}, nil
}

// Add adds a row: its label, or [NoLabel], and the predictions of model A and model B. It returns a [*RowError] that
// wraps [ErrLabel] for a class out of range.
func (g *Agreement) Add(row, label, a, b int) error {
	for _, c := range []int{label, a, b} {
		if c >= g.classes || c < NoLabel {
			return labelErr(row, c, g.classes)
		}
	}
	if a == NoLabel || b == NoLabel {
		return labelErr(row, NoLabel, g.classes)
	}
	g.n++
	g.pairs[[2]int32{int32(a), int32(b)}]++
	if a == b {
		g.same++
	}
	if label == NoLabel {
		return nil
	}
	g.labels++
	switch {
	case a == label && b == label:
		g.both++
	case a == label:
		g.onlyA++
	case b == label:
		g.onlyB++
	}
	return nil
}

// Merge adds the rows of o. It returns an error that wraps [ErrLength] if the numbers of classes differ.
func (g *Agreement) Merge(o *Agreement) error {
	if g.classes != o.classes {
		return fmt.Errorf("%w: merging %d classes with %d", ErrLength, g.classes, o.classes)
	}
	g.n += o.n
	g.same += o.same
	g.labels += o.labels
	g.both += o.both
	g.onlyA += o.onlyA
	g.onlyB += o.onlyB
	for p, n := range o.pairs {
		g.pairs[p] += n
	}
	return nil
}

// N returns the number of rows.
func (g *Agreement) N() uint64 { return g.n }

// Rate returns the fraction of rows with equal predictions.
func (g *Agreement) Rate() (float64, error) {
	if g.n == 0 {
		return 0, emptyErr("agreement")
	}
	return float64(g.same) / float64(g.n), nil
}

// Flip is one cell of the prediction matrix of two models.
type Flip struct {
	A, B int // classes predicted by model A and model B
	N    uint64
}

// Count returns the number of rows that A predicts as a and B as b: a cell of the agreement matrix.
func (g *Agreement) Count(a, b int) uint64 {
	if a < 0 || b < 0 || a >= g.classes || b >= g.classes {
		return 0
	}
	return g.pairs[[2]int32{int32(a), int32(b)}]
}

// Matrix returns all cells of the agreement matrix that are not zero, by A and then B.
func (g *Agreement) Matrix() []Flip {
	cells := make([]Flip, 0, len(g.pairs))
	for p, n := range g.pairs {
		cells = append(cells, Flip{int(p[0]), int(p[1]), n})
	}
	slices.SortFunc(cells, func(x, y Flip) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return cells
}

// Flips returns the cells in which the predictions differ, the most frequent first, then by A and B.
func (g *Agreement) Flips() []Flip {
	cells := slices.DeleteFunc(g.Matrix(), func(f Flip) bool { return f.A == f.B })
	slices.SortStableFunc(cells, func(x, y Flip) int { return cmp.Compare(y.N, x.N) })
	return cells
}

// Right counts the labeled rows by which model is right.
type Right struct{ Both, OnlyA, OnlyB, Neither uint64 }

// Right returns who is right on the labeled rows. OnlyA are the negative flips of replacing model A by model B,
// OnlyB the positive ones.
func (g *Agreement) Right() Right {
	return Right{g.both, g.onlyA, g.onlyB, g.labels - g.both - g.onlyA - g.onlyB}
}
