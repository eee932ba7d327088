package generate

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// fanSink passes the images of every variant on to a sink of its own, such as a WebDataset for each corruption and
// severity.
type fanSink struct {
	sinks    []data.Sink
	encoding data.Encoding
}

// OpenFan opens a sink for each of n variants with open, which gets the number of the variant and the state of its sink,
// nil for a new one. encoding is how those sinks keep images. If a variant has several images of a sample, their
// keys end in -00, -01 and so on. Sinks work at the same time, each for one goroutine at a time: what they share must allow that.
func OpenFan(n int, encoding data.Encoding, open func(variant int, state []byte) (data.Sink, error), state []byte) (
	PartSink, error,
) {
	states := make([][]byte, n)
	if state != nil {
		if err := data.DecodeState(state, fanFormat, &states); err != nil {
			return nil, err
		}
		if len(states) != n {
			return nil, fmt.Errorf("%w: a checkpoint of %d data sets, want %d", data.ErrFormat, len(states), n)
		}
	}
	s := &fanSink{encoding: encoding}
	for v := range n {
		one, err := open(v, states[v])
		if err != nil {
			return nil, errors.Join(err, s.Abort())
		}
		s.sinks = append(s.sinks, one)
	}
	return s, nil
}

const fanFormat = "fan"

func (s *fanSink) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	return s.encoding.Append(dst, m)
}

func (s *fanSink) PutParts(sample *data.Sample, parts []transform.Part) error {
	of := make([][]int, len(s.sinks))
	for i := range parts {
		of[parts[i].Variant] = append(of[parts[i].Variant], i)
	}
	put := func(i int) error {
		c := &parts[i]
		it := data.Item{Key: sample.Key, Label: sample.Label, File: c.Data}
		if c.Frame > 0 || len(of[c.Variant]) > 1 {
			it.Key = fmt.Sprintf("%s-%02d", sample.Key, c.Frame)
		}
		return s.sinks[c.Variant].Put(&it)
	}
	if len(parts) == 0 {
		return nil
	}
	if err := put(0); err != nil {
		return err
	}
	return parallel.Try(len(of), filesAtOnce, func(_, v int) error {
		for _, i := range of[v] {
			if i == 0 {
				continue
			}
			if err := put(i); err != nil {
				return ofSink(err) // other sinks hold the sample already
			}
		}
		return nil
	})
}

func (s *fanSink) Checkpoint() ([]byte, error) {
	states := make([][]byte, len(s.sinks))
	err := parallel.Try(len(s.sinks), filesAtOnce, func(_, v int) (err error) {
		states[v], err = s.sinks[v].Checkpoint()
		return err
	})
	if err != nil {
		return nil, err
	}
	return data.EncodeState(fanFormat, states)
}

// Finished returns the files of all sinks that got their final names since it was called last.
func (s *fanSink) Finished() []data.FileSum {
	var files []data.FileSum
	for _, one := range s.sinks {
		files = append(files, finished(one)...)
	}
	return files
}

func (s *fanSink) Close() error {
	var first error
	for _, one := range s.sinks {
		if first != nil {
			first = errors.Join(first, one.Abort())
		} else {
			first = one.Close()
		}
	}
	return first
}

func (s *fanSink) Abort() error {
	var errs []error
	for _, one := range s.sinks {
		errs = append(errs, one.Abort())
	}
	return errors.Join(errs...)
}
