package predictions

import (
	"errors"
	"os"
	"runtime"
	"slices"
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

// The system is told to forget a stretch when the last of its bytes has been read, in whatever order.
func TestMappedStretches(t *testing.T) {
	const classes = 1 << 16
	rows := 2*stretch/(4*classes) + 3
	path := array(t, "a.npy", make([]float32, rows*classes), rows, classes)
	r, err := Open(path, Options{Kind: Logits})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := r.mapRows()
	if m == nil {
		t.Skip("no mapping")
	}
	defer regular.Unmap(m.file.Bytes)
	left := func() (n int64) {
		for i := range m.left {
			n += m.left[i].Load()
		}
		return n
	}
	if want := int64(len(m.file.Bytes) - m.at); len(m.left) != 3 || left() != want {
		t.Fatalf("%d stretches, %d bytes of %d", len(m.left), left(), want)
	}
	var batches []Batch
	for {
		var b Batch
		if r.Next(&b) != nil {
			break
		}
		batches = append(batches, b)
	}
	slices.Reverse(batches)
	for i := range batches {
		if b := &batches[i]; b.F32[0] != 0 || b.F32[len(b.F32)-1] != 0 {
			t.Fatal("other numbers")
		}
		m.done(&batches[i])
	}
	if left() != 0 || m.left[1].Load() != 0 {
		t.Errorf("%d bytes left", left())
	}
	if v := batches[1].F32; v[0] != 0 {
		t.Error("what was forgotten cannot be read")
	}
}
