package generate

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/augmix-go/augmix/data"
)

// Scan reads every sample of src and hands it to visit, on workers goroutines at once (fewer than 1 means one), in no
// particular order. visit gets the number of its worker, from 0, the sample's position and either the sample, valid
// during the call, or the error that refused it. Scan returns the number of samples and what ended it: nil at the
// source's end, the cause of ctx, or the source's failure.
func Scan(
	ctx context.Context, src data.Source, workers int, visit func(worker, i int, s *data.Sample, err error),
) (int, error) {
	sc := scan{src: src}
	sc.indexed, _ = src.(data.Indexed)
	var wg sync.WaitGroup
	for w := range max(workers, 1) {
		wg.Go(func() {
			var s data.Sample
			for {
				i, err := sc.next(ctx, &s)
				if err == nil && sc.indexed != nil {
					err = sc.indexed.Read(i, &s)
				}
				if bad := (*data.SampleError)(nil); err != nil && !errors.As(err, &bad) {
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
	src     data.Source
	indexed data.Indexed

	mu  sync.Mutex
	n   int
	err error // what ended the scan
}

// next gives out the next position, and reads its sample when the source can only stream.
func (sc *scan) next(ctx context.Context, s *data.Sample) (int, error) {
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
	if bad := (*data.SampleError)(nil); err == nil || errors.As(err, &bad) {
		sc.n++
		return sc.n - 1, err
	}
	sc.err = err
	return 0, err
}

func (sc *scan) end(err error) {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.err == nil {
		sc.err = err
	}
}
