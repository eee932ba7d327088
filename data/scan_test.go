package data_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
)

func TestScan(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		for _, workers := range []int{0, 1, 7} {
			var src data.Source = &numbers{n: 60, unreadable: map[int]bool{3: true, 59: true}}
			if streaming {
				src = stream{src}
			}
			var mu sync.Mutex
			got := map[int]string{}
			n, err := data.Scan(t.Context(), src, workers, func(w, i int, s *data.Sample, err error) {
				mu.Lock()
				defer mu.Unlock()
				if w < 0 || w >= max(workers, 1) {
					t.Errorf("worker %d of %d", w, workers)
				}
				got[i] = s.Key
				if err != nil {
					got[i] = err.Error()
				}
			})
			if n != 60 || err != nil || len(got) != 60 {
				t.Fatalf("stream %v, %d workers: %d samples, %d visited, %v", streaming, workers, n, len(got), err)
			}
			for i := range 60 {
				want := fmt.Sprintf("k%03d", i)
				if i == 3 || i == 59 {
					want = fmt.Sprintf("in/%03d.bin: %v", i, errBroken)
				}
				if got[i] != want {
					t.Errorf("sample %d: %q, want %q", i, got[i], want)
				}
			}
		}
	}
}

// lateError is a source whose last sample fails when all others were read and the end was seen.
type lateError struct{ *numbers }

func (l lateError) Read(i int, s *data.Sample) error {
	if i == l.n-1 {
		time.Sleep(10 * time.Millisecond)
		return errBroken
	}
	return l.numbers.Read(i, s)
}

// TestScanLateError: the failure of a source at its last sample is not lost where another worker has come to its end.
func TestScanLateError(t *testing.T) {
	if _, err := data.Scan(t.Context(), lateError{&numbers{n: 60}}, 3, func(int, int, *data.Sample, error) {}); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

func TestScanEnds(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		var src data.Source = &numbers{n: 60, fatalAt: 10}
		if streaming {
			src = stream{src}
		}
		if _, err := data.Scan(t.Context(), src, 3, func(int, int, *data.Sample, error) {}); !errors.Is(err, errBroken) {
			t.Errorf("stream %v: error %v", streaming, err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		if streaming {
			src = stream{&numbers{n: 1 << 20}}
		} else {
			src = &numbers{n: 1 << 20}
		}
		n, err := data.Scan(ctx, src, 3, func(_, i int, _ *data.Sample, _ error) {
			switch {
			case i == 20:
				cancel(why)
			case i > 20:
				<-ctx.Done() // or a busy machine lets the others run on for long before that
			}
		})
		if !errors.Is(err, why) || n > 1000 {
			t.Errorf("stream %v: %d samples, error %v", streaming, n, err)
		}
	}
}
