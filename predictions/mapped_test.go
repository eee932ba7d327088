package predictions

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/regular"
	"github.com/augmix-go/augmix/metrics"
)

// A file that becomes shorter while its rows are scored is one error that names it, wherever the cut is; the program lives on. The
// rest of the last page reads as zeros and faults nowhere.
func TestFileShrinksMeanwhile(t *testing.T) {
	const rows, classes = 5000, 100
	s := newSample(rows, classes)
	for _, keep := range []int64{0, 1 << 20, 128 + rows*classes*4 - 1} {
		for _, workers := range []int{1, 3} {
			path := array(t, "a.npy", s.rows, rows, classes)
			r, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			cut := make(chan struct{})
			err = Each(t.Context(), r, workers, func(_ int, b *Batch) error {
				if b.Index == 0 {
					defer close(cut)
					return os.Truncate(path, keep)
				}
				<-cut
				for i := range b.Rows {
					if _, err := metrics.Score(i, b.F32[i*classes:][:classes], 0); err != nil {
						return err
					}
				}
				return nil
			})
			if !errors.Is(err, ErrFormat) || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), "cut short") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%d bytes left, %d workers: %v", keep, workers, err)
			}
			if again := r.Next(new(Batch)); !errors.Is(again, ErrFormat) {
				t.Errorf("after that: %v", again)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A panic of the caller's is the caller's.
func TestEachPanics(t *testing.T) {
	s := newSample(5000, 100) // of fewer rows Open has read all
	r, err := Open(array(t, "a.npy", s.rows, 5000, 100), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := r.mapRows()
	if m == nil && runtime.GOOS == "linux" {
		t.Fatal("rows of a file are not mapped")
	}
	if m == nil {
		t.Skip("files are not mapped on this system")
	}
	defer func() {
		if err := regular.Unmap(m.file.Bytes); err != nil {
			t.Error(err)
		}
	}()
	var p *int
	for _, f := range []func() error{func() error { panic("mine") }, func() error { *p = 1; return nil }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a panic is gone")
				}
			}()
			_ = m.guard(f)
		}()
	}
}
