package parallel

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

var workerCounts = []int{-1, 0, 1, 2, 3, 7, 100}

// Every element is run once, and no worker runs two at a time.
func TestDo(t *testing.T) {
	for _, workers := range workerCounts {
		for _, n := range []int{0, 1, 2, 5, 100} {
			most := workers
			if most <= 0 {
				most = runtime.GOMAXPROCS(0)
			}
			most = min(most, n)
			counts := make([]atomic.Int32, n)
			busy := make([]atomic.Bool, most)
			Do(n, workers, func(worker, i int) {
				if busy[worker].Swap(true) {
					t.Errorf("worker %d of %d runs two elements at once", worker, workers)
				}
				counts[i].Add(1)
				runtime.Gosched()
				busy[worker].Store(false)
			})
			for i := range counts {
				if c := counts[i].Load(); c != 1 {
					t.Errorf("%d workers: element %d of %d was run %d times", workers, i, n, c)
				}
			}
		}
	}
}

func TestDoInOrder(t *testing.T) {
	var order []int
	Do(4, 1, func(_, i int) { order = append(order, i) })
	if !slices.Equal(order, []int{0, 1, 2, 3}) {
		t.Errorf("one worker runs %v", order)
	}
}

// Do runs as many elements at once as it was told to: each of these waits for all others.
func TestDoAtOnce(t *testing.T) {
	const workers = 4
	var all sync.WaitGroup
	all.Add(workers)
	Do(workers, workers, func(int, int) {
		all.Done()
		all.Wait()
	})
}

func TestTry(t *testing.T) {
	for _, workers := range workerCounts {
		for _, c := range []struct {
			failing []int
			want    string
		}{
			{nil, "<nil>"},
			{[]int{0}, "element 0"},
			{[]int{49}, "element 49"},
			{[]int{7, 8, 9, 30}, "element 7"},
			{[]int{48, 3}, "element 3"},
		} {
			for range 50 {
				err := Try(50, workers, func(_, i int) error {
					if slices.Contains(c.failing, i) {
						return fmt.Errorf("element %d", i)
					}
					return nil
				})
				if got := fmt.Sprint(err); got != c.want {
					t.Fatalf("%d workers, failing %v: error %s, want %s", workers, c.failing, got, c.want)
				}
			}
		}
	}
}

// The smallest failing element wins even if it is the last to end, and nothing begins after a failure that could not
// matter.
func TestTrySlow(t *testing.T) {
	second := make(chan struct{})
	var last atomic.Int64
	err := Try(1000, 2, func(_, i int) error {
		switch i {
		case 0:
			<-second
			return fmt.Errorf("element 0")
		case 1:
			defer close(second)
			return fmt.Errorf("element 1")
		}
		last.Store(int64(i))
		return nil
	})
	if got := fmt.Sprint(err); got != "element 0" || last.Load() != 0 {
		t.Errorf("error %s; element %d ran after the failure of element 1", got, last.Load())
	}
}

func BenchmarkDo(b *testing.B) {
	sums := make([]int, 1000)
	for b.Loop() {
		Do(len(sums), 0, func(_, i int) { sums[i] += i })
	}
}
