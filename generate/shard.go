package generate

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// Shard is a part of a data set: the samples from Index*N/Count up to (Index+1)*N/Count of N, in the source's order. The
// zero Shard is the whole.
type Shard struct{ Index, Count int }

// maxShards bounds how many parts a data set may be cut into.
const maxShards = 1 << 16

// ParseShard reads "I/N", with I from 0 to N-1. The error wraps ErrOption.
func ParseShard(s string) (Shard, error) {
	i, n, ok := strings.Cut(s, "/")
	index, err1 := strconv.Atoi(i)
	count, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || count < 1 || count > maxShards || index < 0 || index >= count {
		return Shard{}, fmt.Errorf("%w: shard %q (allowed: I/N with N from 1 to %d and I from 0 to N-1)",
			ErrOption, s, maxShards)
	}
	return Shard{index, count}, nil
}

// String returns the text form.
func (s Shard) String() string { return strconv.Itoa(s.Index) + "/" + strconv.Itoa(max(s.Count, 1)) }

// Whole reports whether the shard is the whole data set.
func (s Shard) Whole() bool { return s.Count <= 1 }

// Range returns the positions of the shard among n samples.
func (s Shard) Range(n int) (from, to int) {
	if s.Whole() {
		return 0, n
	}
	at := func(i int) int { return int(int64(i) * int64(n) / int64(s.Count)) }
	return at(s.Index), at(s.Index + 1)
}

// Count reads src to its end and returns the number of its samples, those that cannot be read among them.
func Count(src data.Source) (int, error) {
	if n := src.Info().Len; n >= 0 {
		return n, nil
	}
	var s data.Sample
	for n := 0; ; n++ {
		err := src.Next(&s)
		if bad := (*data.SampleError)(nil); err == nil || errors.As(err, &bad) {
			continue
		}
		if err == io.EOF {
			return n, nil
		}
		return 0, err
	}
}

// Slice returns the samples of src from position from up to but excluding to. Their positions count anew from 0 for
// reading; Sample.Index stays. Closing it closes src.
func Slice(src data.Source, from, to int) data.Source {
	s := &slice{Source: src, from: from, to: to}
	if x, ok := src.(data.Indexed); ok {
		return &indexedSlice{s, x}
	}
	return s
}

type slice struct {
	data.Source
	from, to int
	next     int // position in the whole source
}

func (s *slice) Info() data.Info {
	info := s.Source.Info()
	info.Len = s.to - s.from
	return info
}

func (s *slice) Next(sample *data.Sample) error {
	for ; s.next < s.from; s.next++ {
		err := s.Source.Next(sample)
		if bad := (*data.SampleError)(nil); err != nil && !errors.As(err, &bad) {
			return err
		}
	}
	if s.next >= s.to {
		return io.EOF
	}
	s.next++
	return s.Source.Next(sample)
}

type indexedSlice struct {
	*slice
	indexed data.Indexed
}

func (s *indexedSlice) Len() int { return s.to - s.from }

func (s *indexedSlice) Read(i int, sample *data.Sample) error {
	return s.indexed.Read(s.from+i, sample)
}
