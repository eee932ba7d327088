package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/raster"
)

// Rejected is a sample that was left out.
type Rejected struct {
	Index  int    `json:"index"` // position in the source's order
	Key    string `json:"key,omitempty"`
	Name   string `json:"name"` // the file, and the record or entry where there is one
	Reason string `json:"reason"`
}

// Reject describes sample s, at position i of its source, that failed with err. What a [SampleError] says of the sample
// counts more than s, which may not have been read.
func Reject(i int, s *Sample, err error) Rejected {
	r := Rejected{Index: i, Key: s.Key, Name: s.Name, Reason: err.Error()}
	if bad := (*SampleError)(nil); errors.As(err, &bad) {
		r.Key, r.Name, r.Reason = bad.Key, bad.Name, bad.Err.Error()
	}
	return r
}

// Scan reads every sample of src and hands it to visit, on workers goroutines at once (fewer than 1 means one), in no
// particular order. visit gets the number of its worker, from 0, the sample's position and either the sample, valid
// during the call, or the *[SampleError] that rejects it. Scan returns the number of samples and what ended it: nil at
// the source's end, the cause of ctx, or the source's failure.
func Scan(
	ctx context.Context, src Source, workers int, visit func(worker, i int, s *Sample, err error),
) (int, error) {
	sc := scan{src: src}
	sc.indexed, _ = src.(Indexed)
	var wg sync.WaitGroup
	for w := range max(workers, 1) {
		wg.Go(func() {
			var s Sample
			for {
				i, err := sc.next(ctx, &s)
				if err == nil && sc.indexed != nil {
					err = sc.indexed.Read(i, &s)
				}
				if bad := (*SampleError)(nil); err != nil && !errors.As(err, &bad) {
					sc.end(err)
					return
				}
				visit(w, i, &s, err)
			}
		})
	}
	wg.Wait()
	if sc.err == io.EOF {
		return sc.n, nil
	}
	return sc.n, sc.err
}

type scan struct {
	src     Source
	indexed Indexed

	mu  sync.Mutex
	n   int
	err error // what ended the scan
}

// next gives out the next position, and reads its sample when the source can only stream.
func (sc *scan) next(ctx context.Context, s *Sample) (int, error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.err != nil {
		return 0, sc.err
	}
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	var err error
	if sc.indexed == nil {
		err = sc.src.Next(s)
	} else if sc.n >= sc.indexed.Len() {
		err = io.EOF
	}
	if bad := (*SampleError)(nil); err == nil || errors.As(err, &bad) {
		sc.n++
		return sc.n - 1, err
	}
	sc.err = err
	return 0, err
}

func (sc *scan) end(err error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.err == nil || sc.err == io.EOF { // another worker has come to the end while this one read
		sc.err = err
	}
}

// Check reads and decodes every sample of src on workers goroutines and returns how many there are and those that
// failed, in the source's order. JPEG files must be sound, see [DecodeOptions]. Where some samples have a label and others have none,
// which no sink takes, the first that differs from those before it has failed too. report, if not nil, is called after each with the numbers of samples so far and of those
// that failed. The error is that of [Scan].
func Check(ctx context.Context, src Source, workers int, report func(done, bad int)) (int, []Rejected, error) {
	workers = max(workers, 1)
	images, decoders := make([]raster.Image, workers), make([]Decoder, workers)
	var mu sync.Mutex
	done, bad := 0, []Rejected{}
	var labels mixedLabels
	n, err := Scan(ctx, src, workers, func(w, i int, s *Sample, err error) {
		if err == nil {
			err = decoders[w].Decode(ctx, &images[w], s, DecodeOptions{Sound: true})
			decoders[w].Release(&images[w])
			if ctx.Err() != nil {
				return // what was not decoded is not bad
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; err != nil {
			bad = append(bad, Reject(i, s, err))
		} else {
			labels.note(i, s)
		}
		if report != nil {
			report(done, len(bad))
		}
	})
	bad = append(bad, labels.rejected()...)
	slices.SortFunc(bad, func(a, b Rejected) int { return a.Index - b.Index })
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return n, bad, err
}

// mixedLabels finds, of samples in any order, the first that has a label where those before it have none, or the other way round.
type mixedLabels struct{ with, without *firstSample } // of either kind

type firstSample struct {
	Rejected
	label int
}

func (m *mixedLabels) note(i int, s *Sample) {
	first := &m.with
	if s.Label == NoLabel {
		first = &m.without
	}
	if *first == nil || i < (*first).Index {
		*first = &firstSample{Rejected{Index: i, Key: s.Key, Name: s.Name}, s.Label}
	}
}

func (m *mixedLabels) rejected() []Rejected {
	if m.with == nil || m.without == nil {
		return nil
	}
	odd, rule := m.with, LabelRule{Seen: true}
	if rule.Labeled = m.with.Index < m.without.Index; rule.Labeled {
		odd = m.without
	}
	if err := rule.Check(odd.Key, odd.label, 0); err != nil {
		odd.Reason = err.Error()
	}
	return []Rejected{odd.Rejected}
}

// Count returns the number of samples of src, those that cannot be read among them. Where only reading to the end says
// so, it does that.
func Count(src Source) (int, error) {
	if n := src.Info().Len; n >= 0 {
		return n, nil
	}
	var s Sample
	for n := 0; ; n++ {
		err := src.Next(&s)
		if bad := (*SampleError)(nil); err == nil || errors.As(err, &bad) {
			continue
		}
		if err == io.EOF {
			return n, nil
		}
		return 0, err
	}
}

// FirstSize returns the width and height in pixels of the first image of src that can be read. The error is the source's,
// or wraps [ErrFormat] where there is no such image. A src that is Indexed is read by position, and Next goes on as before; of others the
// samples up to that image are gone.
func FirstSize(src Source) (w, h int, err error) {
	next := src.Next
	if all, ok := src.(Indexed); ok {
		var at Cursor
		next = func(s *Sample) error { return at.Next(all, s) }
	}
	var s Sample
	var m raster.Image
	for {
		err := next(&s)
		if err == nil && s.Form == Channels {
			return s.W, s.H, nil
		}
		if err == nil {
			err = s.Decode(&m)
		}
		if bad := (*SampleError)(nil); errors.As(err, &bad) {
			continue
		}
		if err == io.EOF {
			return 0, 0, fmt.Errorf("%w: no image that can be read", ErrFormat)
		}
		return m.W, m.H, err
	}
}
