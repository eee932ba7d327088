package generate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// cell is one sample in the pool, and what is made of it.
type cell struct {
	sample  data.Sample
	bad     error           // why the sample is rejected
	id      uint64          // hash of what was read
	alpha   bool            // it had an alpha channel, which is dropped
	views   []*raster.Image // of Images and SoftImages
	targets []mix.Target    // the soft labels of the views
	files   [][]byte        // the views as the sink keeps them; nil when it takes images
	parts   transform.Parts // of Variants
}

// slot is the batch of consecutive samples that one worker takes at a time, so that images of microseconds do not pay
// for a hand-over each. Slots are reused; their number bounds the memory of a run.
type slot struct {
	start int // position of the first sample
	cells []cell
	n     int           // cells in use
	fatal error         // what ended the source after these cells; errEnd at its end
	done  chan struct{} // receives when the cells are made
}

const maxBatch = 64

// pool reads samples, makes their images on several goroutines and gives them back in order.
type pool struct {
	source  data.Source
	indexed data.Indexed // nil when the source can only stream
	views   int
	seed    rng.Key
	encode  encoder // nil when the sink takes images as they are

	free, work, order chan *slot
	batch             atomic.Int32 // samples a slot takes, adapted so that a batch lasts about half a millisecond
	wg                sync.WaitGroup
}

// start launches the reader at position next and the workers. They end when the source does or ctx is canceled.
func (j *Job) start(ctx context.Context, out sink, next, workers int) *pool {
	p := &pool{
		source: j.Source, views: j.Task.images(), seed: rng.NewKey(j.Seed), encode: out.encoder(),
		free: make(chan *slot, 2*workers+1), work: make(chan *slot, 2*workers+1), order: make(chan *slot, 2*workers+1),
	}
	p.indexed, _ = j.Source.(data.Indexed)
	p.batch.Store(1)
	for range cap(p.free) {
		p.free <- &slot{done: make(chan struct{}, 1)}
	}
	p.wg.Go(func() { p.read(ctx, next) })
	for range workers {
		w := j.Task.worker()
		p.wg.Go(func() { p.make(ctx, w) })
	}
	return p
}

// read fills slots in the source's order. It sends a slot to the workers and, for the order, to the writer.
func (p *pool) read(ctx context.Context, next int) {
	defer close(p.order)
	defer close(p.work)
	skip := next // samples that an earlier run finished
	if p.indexed != nil {
		skip = 0
	}
	for {
		var s *slot
		select {
		case s = <-p.free:
		case <-ctx.Done():
			return
		}
		s.reset(next, int(p.batch.Load()), p.views)
		if p.indexed != nil {
			if s.n = min(s.n, max(p.indexed.Len()-next, 0)); s.n < len(s.cells) && next+s.n >= p.indexed.Len() {
				s.fatal = errEnd
			}
		} else {
			for ; skip > 0 && s.fatal == nil; skip-- {
				s.fatal = p.skip(ctx, &s.cells[0].sample)
			}
			if s.fatal == nil {
				p.stream(s)
			} else {
				s.n = 0
			}
		}
		next += s.n
		end := s.fatal != nil
		p.work <- s // never blocks: there are no more slots than places
		p.order <- s
		if end {
			return
		}
	}
}

// skip passes over a sample that is in the sink already, or that was rejected and is in the journal.
func (p *pool) skip(ctx context.Context, s *data.Sample) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := p.source.Next(s)
	if ofSample(err) {
		return nil
	}
	if err == io.EOF {
		return errShrunk
	}
	return err
}

// errEnd is the end of the source. It is not io.EOF, which a damaged sample or a failing sink may wrap.
var errEnd = errors.New("end of the source")

var errShrunk = fmt.Errorf("%w: it has fewer samples than an earlier run read from it", ErrChanged)

// stream reads the cells of s from a source without random access.
func (p *pool) stream(s *slot) {
	for i := range s.n {
		c := &s.cells[i]
		err := p.source.Next(&c.sample)
		if ofSample(err) {
			c.bad = err
		} else if err != nil {
			s.n, s.fatal = i, err
			if err == io.EOF {
				s.fatal = errEnd
			}
			return
		}
	}
}

func (s *slot) reset(start, n, views int) {
	for len(s.cells) < n {
		c := cell{
			views: make([]*raster.Image, views), files: make([][]byte, views), targets: make([]mix.Target, views),
		}
		for v := range c.views {
			c.views[v] = new(raster.Image)
		}
		s.cells = append(s.cells, c)
	}
	s.start, s.n, s.fatal = start, n, nil
	for i := range n {
		s.cells[i].bad = nil
	}
}

// make is one worker at work.
func (p *pool) make(ctx context.Context, w worker) {
	for s := range p.work {
		begun := time.Now()
		for i := range s.n {
			if ctx.Err() != nil {
				// The writer has stopped listening or is about to: it drops what is not done.
				s.cells[i].bad = context.Cause(ctx)
				continue
			}
			if err := p.one(ctx, &s.cells[i], s.start+i, w); err != nil {
				s.n, s.fatal = i, err
				break
			}
		}
		if s.n > 0 {
			each := max(time.Since(begun)/time.Duration(s.n), time.Microsecond)
			p.batch.Store(int32(min(max(500*time.Microsecond/each, 1), maxBatch)))
		}
		s.done <- struct{}{}
	}
}

// one makes a cell. The error is the source's end.
func (p *pool) one(ctx context.Context, c *cell, i int, w worker) error {
	if p.indexed != nil {
		if c.bad = p.indexed.Read(i, &c.sample); c.bad != nil && !ofSample(c.bad) {
			return c.bad
		}
	}
	c.identify()
	if c.bad == nil {
		c.alpha = c.sample.HasAlpha() && !c.sample.KeepsAlpha()
		c.bad = w.make(ctx, c, transform.SampleKey(p.seed, c.sample.Key), p.encode)
		if end := (*transform.SourceError)(nil); errors.As(c.bad, &end) || storage.Failed(c.bad) { // when a partner was read
			return c.bad
		}
	}
	return nil
}

// ofSample reports whether a source's error concerns a sample alone.
func ofSample(err error) bool {
	bad := (*data.SampleError)(nil)
	return errors.As(err, &bad) && !storage.Failed(err)
}

// identify sets the hash of the sample as it was read.
func (c *cell) identify() {
	h := fnv.New64a()
	var sum [20]byte
	key := c.sample.Key
	if c.bad != nil {
		if one := (*data.SampleError)(nil); errors.As(c.bad, &one) {
			key = one.Key
		}
	} else {
		binary.LittleEndian.PutUint64(sum[:], uint64(int64(c.sample.Label)))
		binary.LittleEndian.PutUint64(sum[8:], uint64(len(c.sample.Data)))
		binary.LittleEndian.PutUint32(sum[16:], data.UpdateCRC(0, c.sample.Data))
	}
	_, _ = h.Write(sum[:])
	_, _ = io.WriteString(h, key)
	c.id = h.Sum64()
}

// stop waits until the reader and the workers have ended; the context they run under has been canceled.
func (p *pool) stop() { p.wg.Wait() }
