package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sort"

	"github.com/augmix-go/augmix/metrics"
)

// cellSums are what is known of some rows of one cell, of any number of them: it takes 10 KB, 8 bytes a class and at most 3 MB for the sketch. Merging
// and encoding do not depend on the order, as sums of floats are exact.
type cellSums struct {
	totals
	Ranks      []uint64 // Ranks[r-1] rows have the true class at rank r
	NLL        metrics.Mean
	Brier      metrics.Mean
	BrierOf    metrics.Mean // (confidence - correct)^2
	Right      metrics.Mean // confidences of right rows
	Wrong      metrics.Mean // confidences of wrong rows
	Confidence []metrics.Mean
	Correct    []uint64 // of the bins of equal width, as Confidence
	Sketch     sketch
}

type totals struct {
	Rows     uint64
	Labels   uint64 // a checksum of the labels in their order
	Infinite uint64 // rows whose NLL is infinite
}

// newSums returns sums of no rows.
func newSums(classes, bins int) *cellSums {
	return &cellSums{Ranks: make([]uint64, classes), Confidence: make([]metrics.Mean, bins), Correct: make([]uint64, bins)}
}

// add adds the outcome of image i of the cell.
func (s *cellSums) add(i int, o *metrics.Outcome) error {
	if o.Rank < 1 || o.Rank > len(s.Ranks) {
		return fmt.Errorf("row %d: rank %d of %d classes", o.Row, o.Rank, len(s.Ranks))
	}
	s.Rows++
	s.Labels += checksum(uint64(i)<<20 ^ uint64(o.Label))
	s.Ranks[o.Rank-1]++
	right := o.Rank == 1
	b := widthBin(o.Conf, len(s.Correct))
	of, gap := &s.Wrong, o.Conf
	if right {
		s.Correct[b]++
		of, gap = &s.Right, 1-o.Conf
	}
	s.Sketch.add(o.Conf, right)
	err := errors.Join(s.Confidence[b].Add(o.Conf), of.Add(o.Conf), s.BrierOf.Add(gap*gap), s.Brier.Add(o.Brier))
	if math.IsInf(o.NLL, 1) {
		s.Infinite++
		return err
	}
	return errors.Join(err, s.NLL.Add(o.NLL))
}

// merged returns the sums of the rows of both.
func merged(a, b *cellSums) *cellSums {
	if len(a.Ranks) == 0 {
		return b
	}
	if len(b.Ranks) == 0 {
		return a
	}
	s := newSums(len(a.Ranks), len(a.Correct))
	for _, o := range []*cellSums{a, b} {
		s.Rows += o.Rows
		s.Labels += o.Labels
		s.Infinite += o.Infinite
		for i, n := range o.Ranks {
			s.Ranks[i] += n
		}
		for i, n := range o.Correct {
			s.Correct[i] += n
		}
		from := o.means()
		for i, m := range s.means() {
			m.Merge(from[i])
		}
	}
	s.Sketch = a.Sketch.merged(b.Sketch)
	return s
}

func (s *cellSums) means() []*metrics.Mean {
	all := []*metrics.Mean{&s.NLL, &s.Brier, &s.BrierOf, &s.Right, &s.Wrong}
	for i := range s.Confidence {
		all = append(all, &s.Confidence[i])
	}
	return all
}

// encode returns the sums as bytes: lengths, counts, means, buckets, little endian.
func (s *cellSums) encode() ([]byte, error) {
	s.Sketch.sort()
	var b []byte
	var err error
	parts := []any{
		[3]uint64{uint64(len(s.Ranks)), uint64(len(s.Correct)), uint64(len(s.Sketch.Buckets))}, s.totals, s.Ranks, s.Correct, s.Sketch.Buckets,
	}
	for _, part := range parts {
		if b, err = binary.Append(b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	for _, m := range s.means() {
		if b, err = m.AppendBinary(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// decodeSums reads what encode made.
func decodeSums(text []byte) (*cellSums, error) {
	in := bytes.NewReader(text)
	var lengths [3]uint64
	if err := binary.Read(in, binary.LittleEndian, &lengths); err != nil {
		return nil, err
	}
	if n := uint64(len(text)); max(lengths[0], lengths[1], lengths[2]) > n {
		return nil, fmt.Errorf("sums of %d classes, %d bins and %d buckets in %d bytes", lengths[0], lengths[1], lengths[2], n)
	}
	s := newSums(int(lengths[0]), int(lengths[1]))
	s.Sketch.Buckets = make([]bucket, lengths[2])
	for _, part := range []any{&s.totals, s.Ranks, s.Correct, s.Sketch.Buckets} {
		if err := binary.Read(in, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	means := s.means()
	if len(means) == 0 || in.Len()%len(means) != 0 {
		return nil, fmt.Errorf("%d bytes of %d means", in.Len(), len(means))
	}
	rest := text[len(text)-in.Len():]
	size := len(rest) / len(means)
	for i, m := range means {
		if err := m.UnmarshalBinary(rest[i*size:][:size]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// checksum makes a sum of labels that does not depend on the order of additions (the finalizer of SplitMix64).
func checksum(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// widthBin is the bin of equal width of a confidence, as in metrics.EqualWidth: the first whose upper end is not below it.
func widthBin(conf float64, bins int) int {
	return sort.Search(bins-1, func(m int) bool { return conf <= float64(m+1)/float64(bins) })
}
