package eval

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
)

// cell is what a form on disk has at one place, of the clean set's samples.
type cell struct {
	place   string
	list    []listed
	rows    []int // of the clean set, by sample
	guessed bool  // there are no keys, and so few samples that several rows could be theirs
}

// match finds out which samples of the clean set a cell has. The error wraps [ErrOther] and names the first sample that is none.
func (c *CleanSet) match(l *cell, numbered bool) (err error) {
	keyed := !numbered
	if keyed && c.numbered && len(l.list) > 0 {
		_, keyed = c.find(l.list[0].key)
	}
	switch {
	case keyed:
		err = c.matchKeys(l)
	case numbered:
		err = c.matchOrder(l)
	default:
		err = c.matchCounts(l)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", l.place, err)
	}
	return nil
}

// matchKeys goes by keys.
func (c *CleanSet) matchKeys(l *cell) error {
	seen := make([]bool, len(c.listed))
	for i := range l.list {
		s := &l.list[i]
		row, ok := c.find(s.key)
		if !ok {
			return fmt.Errorf("%w: %s is none of the clean set's %d images", ErrOther, s.key, len(c.listed))
		}
		clean := &c.listed[row]
		if seen[row] {
			return fmt.Errorf("%w: %s is another form of the clean set's %s, which has one already", ErrOther, s.key, clean.key)
		}
		if !sameLabel(s, clean) {
			return fmt.Errorf("%w: %s has the label %s, in the clean set %s", ErrOther, s.key, c.class(s.label), c.class(clean.label))
		}
		seen[row] = true
		l.rows = append(l.rows, row)
	}
	return nil
}

// sameLabel reports whether labels do not contradict each other. Arrays of sequences have none, nor need a clean set whose forms do.
func sameLabel(a, b *listed) bool {
	return a.label == b.label || a.label == data.NoLabel || b.label == data.NoLabel
}

// matchOrder goes by the order of labels, for arrays: of all samples, of those that a limit takes, or of others that follow each
// other in this order. All samples may have another order than files with names.
func (c *CleanSet) matchOrder(l *cell) error {
	n, all := len(l.list), len(c.listed)
	if n > all {
		return fmt.Errorf("%w: it has %d images, the clean set %d", ErrOther, n, all)
	}
	if n == len(c.limited) && n < all && c.follow(l, c.limited) < 0 {
		return nil
	}
	at := c.follow(l, limitOf(all, n, true))
	if at < 0 {
		l.guessed = n < all && n > 0 && l.list[0].label == data.NoLabel
		return nil
	}
	switch {
	case n < all && c.someOf(l):
		return nil
	case n == all && !c.numbered: // files sort otherwise than the rows of an array
		return c.matchCounts(l)
	}
	s := &l.list[at]
	return fmt.Errorf("%w: image %s has the label %s, in the clean set %s has %s (allowed: all images of the clean set, or some, in its "+
		"order)", ErrOther, s.key, c.class(s.label), c.listed[at*all/n].key, c.class(c.listed[at*all/n].label))
}

// follow takes rows for those of the cell. It returns the first sample whose label is another, -1 where none is.
func (c *CleanSet) follow(l *cell, rows []int) int {
	for i := range l.list {
		if !sameLabel(&l.list[i], &c.listed[rows[i]]) {
			return i
		}
	}
	l.rows = rows
	return -1
}

// someOf looks for the labels of the cell in their order among those of the clean set.
func (c *CleanSet) someOf(l *cell) bool {
	var rows []int
	for row := range c.listed {
		if len(rows) < len(l.list) && sameLabel(&l.list[len(rows)], &c.listed[row]) {
			rows = append(rows, row)
		}
	}
	l.rows, l.guessed = rows, true
	return len(rows) == len(l.list)
}

// matchCounts goes by the number of images of each class, where files of one set have names and those of the other have none.
func (c *CleanSet) matchCounts(l *cell) error {
	of := map[int][]int{}
	for row := range c.listed {
		label := c.listed[row].label
		of[label] = append(of[label], row)
	}
	taken := map[int]int{}
	for i := range l.list {
		s := &l.list[i]
		if taken[s.label] == len(of[s.label]) {
			return fmt.Errorf("%w: %s: the clean set has %d images of the class %s, and this is one more", ErrOther, s.key, len(of[s.label]),
				c.class(s.label))
		}
		l.rows = append(l.rows, of[s.label][taken[s.label]])
		taken[s.label]++
	}
	l.guessed = true
	return nil
}

// take returns the samples of a cell that are looked at, in its order, and whether they are those of the clean set: these where the
// cell has them, otherwise as many of its own, evenly spread.
func (c *CleanSet) take(l *cell, limit int, indexed bool) (at []int, same bool) {
	if limit <= 0 || len(c.limited) == len(c.listed) {
		return limitOf(len(l.list), 0, true), len(l.list) == len(c.listed)
	}
	if !l.guessed {
		wanted := make([]bool, len(c.listed))
		for _, row := range c.limited {
			wanted[row] = true
		}
		for i, row := range l.rows {
			if wanted[row] {
				at = append(at, i)
			}
		}
		if len(at) == len(c.limited) {
			return at, true
		}
	}
	return limitOf(len(l.list), limit, indexed), false
}

// printOf returns the fingerprint of the samples of a cell at the given places, and their rows, ascending.
func (c *CleanSet) printOf(l *cell, at []int) (string, []int) {
	rows := make([]int, len(at))
	own := data.NewSigner(c.classes)
	for i, k := range at {
		rows[i] = l.rows[k]
		own.Add(&data.Sample{Key: l.list[k].key, Label: c.listed[rows[i]].own})
	}
	slices.Sort(rows)
	if l.guessed { // which ones they are is not known
		return own.Sum().Samples, rows
	}
	return c.sign(rows), rows
}
