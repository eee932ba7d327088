package nn

import (
	"sync"
	"sync/atomic"

	"github.com/augmix-go/augmix/nn/internal/vec"
)

// worker is what one goroutine of a net works with.
type worker struct {
	pool    *pool
	index   int
	i0, i1  int          // its images of the step at hand
	taken   atomic.Int32 // how many of them somebody has begun
	arena   []float32    // buffers of several images: the net's, or the worker's part of it
	base    int          // the image that the first place of such a buffer holds
	scratch []float32    // of the convolutions
	local   []float32    // buffers that live within one step, one image each
	tmp     [tmps][]float32
	dw      []float32 // sums of weight gradients over the chunk of images in hand: the pool's or the worker's
	sums    []float32 // the worker's
	run     func()    // runs the pool's job and reports to its group
}

// tmps is how many dense images a task may need at once beside its buffers.
const tmps = 3

// pool runs one function on all workers at once. Goroutines live for one call only, so that an abandoned net needs no
// Close; starting one costs about a microsecond.
type pool struct {
	workers []*worker
	job     func(w *worker)
	step    step // what runStep runs
	group   sync.WaitGroup

	batch int          // images of a call
	chunk atomic.Int32 // how many chunks of a step that sums somebody has begun
	sum   []float32    // over the chunks that were added
	mu    sync.Mutex   // guards added
	turn  *sync.Cond
	added int
}

func newPool(n int) *pool {
	p := &pool{}
	p.turn = sync.NewCond(&p.mu)
	for i := range n {
		w := &worker{pool: p, index: i}
		w.run = func() {
			defer p.group.Done()
			p.job(w)
		}
		p.workers = append(p.workers, w)
	}
	return p
}

// do runs job on every worker and waits.
func (p *pool) do(job func(w *worker)) {
	p.job = job
	p.group.Add(len(p.workers))
	for _, w := range p.workers[1:] {
		go w.run()
	}
	p.workers[0].run()
	p.group.Wait()
	p.job = nil
}

// add adds the sums of chunk k to those of all chunks before it, for which it waits.
func (p *pool) add(k int, dw []float32) {
	p.mu.Lock()
	for p.added != k {
		p.turn.Wait()
	}
	p.mu.Unlock()
	if k > 0 { // the first is computed in place
		vec.Add(p.sum[:len(dw)], dw)
	}
	p.mu.Lock()
	p.added++
	p.mu.Unlock()
	p.turn.Broadcast()
}

// share returns part i of n of 0..total-1.
func share(total, i, n int) (from, to int) { return i * total / n, (i + 1) * total / n }
