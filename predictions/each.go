package predictions

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/augmix-go/augmix/internal/regular"
)

// Each reads all of r and calls f for every batch from several goroutines: one reads while the others work. worker
// counts from 0 and tells which of them calls; f is never called twice at once for one worker. The batch is f's until
// it returns. The first error ends the reading; Each returns the one of the lowest batch among those that were seen, and so does
// r from then on.
//
// Files of one array are mapped on Unix, not copied: f must not write to the numbers of a batch, and a file that becomes shorter
// meanwhile is an error like any other.
func Each(ctx context.Context, r *Reader, workers int, f func(worker int, b *Batch) error) error {
	m := r.mapRows()
	if m == nil {
		return each(ctx, r, workers, f)
	}
	err := each(ctx, r, workers, func(worker int, b *Batch) error {
		defer m.done(b)
		return m.guard(func() error { return f(worker, b) })
	})
	if short := m.whole(); short != nil {
		err = short
	}
	if e := regular.Unmap(m.file.Bytes); err == nil {
		err = r.wrap(e)
	}
	if err != nil {
		r.err = err
	}
	return err
}

func each(ctx context.Context, r *Reader, workers int, f func(worker int, b *Batch) error) error {
	var (
		mu     sync.Mutex
		wg     sync.WaitGroup
		ended  bool
		failed error
		lowest int
	)
	fail := func(index int, err error) {
		mu.Lock()
		defer mu.Unlock()
		if failed == nil || index < lowest {
			failed, lowest = err, index
		}
		ended = true
	}
	read := func(b *Batch) bool {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return false
		}
		err := ctx.Err()
		if err != nil {
			err = context.Cause(ctx)
		} else {
			err = r.Next(b)
		}
		if err != nil {
			ended = true
			if !errors.Is(err, io.EOF) && failed == nil {
				failed, lowest = err, r.index
			}
		}
		return err == nil
	}
	for w := range max(workers, 1) {
		wg.Go(func() {
			var b Batch
			for read(&b) {
				if err := f(w, &b); err != nil {
					fail(b.Index, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return failed
}

// Count returns the number of rows of a file. Text files are read for it.
func Count(path string, opt Options) (int, error) {
	opt.Labels, opt.Block = nil, 0
	r, err := Open(path, opt)
	if err != nil {
		return 0, err
	}
	defer r.Close() // only read
	if r.Rows() >= 0 {
		return r.Rows(), nil
	}
	var b Batch
	for {
		if err := r.Next(&b); errors.Is(err, io.EOF) {
			return r.row, nil
		} else if err != nil {
			return 0, err
		}
	}
}
