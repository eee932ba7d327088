// Package parallel runs a loop on several goroutines. What a program computes must not depend on their number, so a
// body may use its worker's number only to find memory of its own, and what it writes must be its own element's.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls f(worker, i) once for every i from 0 to n-1 and returns when all calls have. At most the given number of
// workers run at once, all processors' if that is not positive; worker, from 0 to below that number and below n, tells
// them apart: no two calls with the same one run at the same time. Elements are begun in order. With one worker they
// run in order, on the caller's goroutine.
func Do(n, workers int, f func(worker, i int)) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	if workers <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	group.Wait()
}

// Try is [Do] for bodies that can fail. It returns the error of the smallest i whose call fails, which is the same one
// whatever the number of workers. After a failure no call for a larger i begins.
func Try(n, workers int, f func(worker, i int) error) error {
	var (
		lowest atomic.Int64 // the smallest i that failed so far
		mu     sync.Mutex
		found  error
	)
	lowest.Store(int64(n))
	Do(n, workers, func(worker, i int) {
		if int64(i) > lowest.Load() {
			return
		}
		if err := f(worker, i); err != nil {
			mu.Lock()
			defer mu.Unlock()
			if int64(i) < lowest.Load() {
				lowest.Store(int64(i))
				found = err
			}
		}
	})
	return found
}
