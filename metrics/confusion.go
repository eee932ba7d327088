package metrics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Confusion counts which class was predicted for images of which class: a confusion matrix, of which only the entries that
// are not zero are kept. The zero value is empty and ready. It is not safe for concurrent use: give each worker its own
// and Merge them.
type Confusion struct {
	classes int
	n       map[[2]int]uint64 // by true class and prediction
	of      map[int]uint64    // rows by true class
}

// Confused is one entry of a confusion matrix.
type Confused struct {
	Label, Pred int
	N           uint64  // images of class Label that were taken for Pred
	Share       float64 // of the images of class Label
}

// Add adds the outcome of a row, with the errors of [Classification.Add].
func (c *Confusion) Add(o *Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	if c.classes != 0 && o.Classes != c.classes {
		return fmt.Errorf("%w: row %d has %d classes, the rows before %d", ErrLength, o.Row, o.Classes, c.classes)
	}
	c.ready(o.Classes)
	c.n[[2]int{o.Label, o.Pred}]++
	c.of[o.Label]++
	return nil
}

// Merge adds the rows of o, in any order with the same result. It returns an error that wraps [ErrLength] if the numbers of
// classes differ.
func (c *Confusion) Merge(o *Confusion) error {
	switch {
	case o.classes == 0:
		return nil
	case c.classes != 0 && c.classes != o.classes:
		return fmt.Errorf("%w: merging %d classes with %d", ErrLength, c.classes, o.classes)
	}
	c.ready(o.classes)
	for at, n := range o.n {
		c.n[at] += n
	}
	for label, n := range o.of {
		c.of[label] += n
	}
	return nil
}

// ready prepares for rows of so many classes. One that was widened has a number of classes before its first row.
func (c *Confusion) ready(classes int) {
	c.classes = classes
	if c.n == nil {
		c.n, c.of = map[[2]int]uint64{}, map[int]uint64{}
	}
}

// Widen makes room for so many classes at least, for rows that were added without knowing how many there are.
func (c *Confusion) Widen(classes int) { c.classes = max(c.classes, classes) }

// Classes returns the number of classes, 0 before the first row.
func (c *Confusion) Classes() int { return c.classes }

// Labels returns the classes that rows were added of, in order.
func (c *Confusion) Labels() []int { return slices.Sorted(maps.Keys(c.of)) }

// Rows returns how many rows of a class were added.
func (c *Confusion) Rows(label int) uint64 { return c.of[label] }

// Count returns how many rows of class label were predicted to be pred.
func (c *Confusion) Count(label, pred int) uint64 { return c.n[[2]int{label, pred}] }

// Error returns the fraction of a class's rows whose prediction is another class (one minus the recall of the class), or an
// error that wraps [ErrUndefined] where no row is of the class.
func (c *Confusion) Error(label int) (float64, error) {
	n := c.of[label]
	if n == 0 {
		return 0, fmt.Errorf("%w: the error of class %d, of which there is no row", ErrUndefined, label)
	}
	return float64(n-c.Count(label, label)) / float64(n), nil
}

// Confused returns the entries off the diagonal that are not zero, at most k of them and none for a negative k: the largest
// share of its class first, then the larger count, then by class.
func (c *Confusion) Confused(k int) []Confused {
	var all []Confused
	for at, n := range c.n {
		if at[0] != at[1] {
			all = append(all, Confused{at[0], at[1], n, float64(n) / float64(c.of[at[0]])})
		}
	}
	slices.SortFunc(all, func(a, b Confused) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.N, a.N), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Pred, b.Pred))
	})
	return all[:min(max(k, 0), len(all))]
}
