package data

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Cursor is how far a Source that is Indexed has been read. Its zero value is the beginning.
type Cursor struct{ next int }

// Next reads the next sample of src by its number: the Next of a Source whose samples can be read in any order.
func (c *Cursor) Next(src Indexed, s *Sample) error {
	if c.next >= src.Len() {
		return io.EOF
	}
	c.next++
	return src.Read(c.next-1, s)
}

// Subset returns n samples of src: its sample i is sample at(i) of src, counted from 0, and at must be ascending. It is
// [Indexed], and a [Describer], where src is, and any order will do then; otherwise src is read from front to end, and samples
// in between that cannot be read are passed over. Sample.Index counts in the subset, keys stay. at must be safe for concurrent
// use. Closing the subset closes src.
func Subset(src Source, n int, at func(i int) int) Source {
	return subsetOf(src, subset{n: n, known: n, at: at})
}

// Slice returns the samples of src from position from up to but excluding to, as [Subset] does. It panics unless 0 <= from <= to and,
// where src is Indexed, to <= Len.
func Slice(src Source, from, to int) Source {
	if from < 0 || to < from || to > lenOf(src) {
		panic(fmt.Sprintf("data: slice %d to %d of %d samples", from, to, lenOf(src)))
	}
	return Subset(src, to-from, func(i int) int { return from + i })
}

// lenOf is the number of samples of src where it is Indexed, and otherwise, where it may not be known, more than there can be.
func lenOf(src Source) int {
	if all, ok := src.(Indexed); ok {
		return all.Len()
	}
	return math.MaxInt
}

// Select returns the samples of src at the given positions, as [Subset] does. It keeps rows. It panics unless all are positions in src: 0
// or more and, where src is Indexed, below Len.
func Select(src Source, rows []int) Source {
	for _, row := range rows {
		if row < 0 || row >= lenOf(src) {
			panic(fmt.Sprintf("data: sample %d of %d", row, lenOf(src)))
		}
	}
	return Subset(src, len(rows), func(i int) int { return rows[i] })
}

// Limit returns at most n samples of src, as [Subset] does: evenly spread where src is Indexed, so that a set in order of
// classes is not reduced to its first ones, otherwise the first. It returns src itself for n 0, and where src has no more
// than n samples and is Indexed. It panics for n below 0, which would be all samples, too.
func Limit(src Source, n int) Source {
	all, indexed := src.(Indexed)
	switch {
	case n < 0:
		panic(fmt.Sprintf("data: limit of %d samples (allowed: 1 and up, 0 for all)", n))
	case n == 0 || indexed && n >= all.Len():
		return src
	case indexed:
		most := all.Len()
		return Subset(src, n, func(i int) int { return i * most / n })
	}
	// A length that is not known stays unknown: src may have fewer.
	return subsetOf(src, subset{n: n, known: min(n, src.Info().Len), at: func(i int) int { return i }})
}

func subsetOf(src Source, s subset) Source {
	s.Source = src
	if all, ok := src.(Indexed); ok {
		part := indexedSubset{subset: s, all: all}
		if d, ok := src.(Describer); ok {
			return &describedSubset{part, d}
		}
		return &part
	}
	return &s
}

// subset is a part of a source without random access.
type subset struct {
	Source
	n       int // samples, if src has as many
	known   int // Len of Info
	at      func(i int) int
	reading *Reading // that samples get; nil: their own
	given   int      // samples that Next has returned
	read    int      // samples read from src
}

func (s *subset) Info() Info {
	info := s.Source.Info()
	info.Len = s.known
	return info
}

// Files returns those of the whole source.
func (s *subset) Files() []string { return Files(s.Source) }

// Seal implements [Sealed] where these are all samples of the source.
func (s *subset) Seal() error {
	if all, ok := s.Source.(Indexed); ok && s.n >= all.Len() {
		return Seal(s.Source)
	}
	return nil
}

func (s *subset) Next(out *Sample) error {
	if s.given >= s.n {
		return io.EOF
	}
	for at := s.at(s.given); s.read < at; s.read++ {
		err := s.Source.Next(out)
		if bad := (*SampleError)(nil); err != nil && !errors.As(err, &bad) {
			return err
		}
	}
	err := s.Source.Next(out)
	if err == nil {
		s.place(out, s.given)
	}
	s.given++
	s.read++
	return err
}

// place makes out, a sample of src, sample i of the subset.
func (s *subset) place(out *Sample, i int) {
	out.Index = i
	if s.reading != nil {
		out.Reading = s.reading
	}
}

// indexedSubset is a part of an Indexed source.
type indexedSubset struct {
	subset
	all    Indexed
	cursor Cursor
}

func (s *indexedSubset) Len() int { return s.n }

func (s *indexedSubset) Read(i int, out *Sample) error {
	err := s.all.Read(s.at(i), out)
	if err == nil {
		s.place(out, i)
	}
	return err
}

func (s *indexedSubset) Next(out *Sample) error { return s.cursor.Next(s, out) }

// describedSubset is a part of a Describer.
type describedSubset struct {
	indexedSubset
	whole Describer
}

// Describe implements [Describer].
func (s *describedSubset) Describe(i int, out *Sample) {
	s.whole.Describe(s.at(i), out)
	s.place(out, i)
}
