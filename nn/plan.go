package nn

import "slices"

// task is a part of a step: what one operation does for an image, or (whole) for all images of a worker at once.
type task struct {
	run   func(w *worker, i int)
	whole func(w *worker, i0, i1 int) // in a step of its own; run, if there, does one image of the same
	conv  *convOp                     // what run does, if it can be divided among workers
	end   func()                      // once, after all workers
	uses  []*buffer
	fence bool // the next task needs the end of this one
	heavy bool // streams weights: one such task a step, so that they stay in the cache from image to image
	sums  int  // floats that run adds up in worker.dw over the images of a chunk; of heavy tasks only
	chunk int  // images of a chunk
}

// step is a list of tasks that each worker runs image by image.
type step []task

type planOptions struct{ train, backward bool }

// plan is the network made ready for one way of running it.
type plan struct {
	net *Net
	planOptions
	vals    []*value // by node
	buffers []*buffer
	fwd     []step
	bwd     []step
	packers []func()
	packed  uint64 // version of the parameters that are packed
	group   int    // images a worker takes through the whole network at once; 0: layer by layer over the batch

	// Methods bound once, as a bound method takes memory.
	groups, packing, rows func(w *worker)

	conv *convOp // of rowShare
	job  convJob

	arena, local, tmp, scratch, dw, own int // floats needed; arena a worker if they run in groups; own of dw a worker
}

func newPlan(n *Net, o planOptions) *plan {
	p := &plan{net: n, planOptions: o, vals: make([]*value, len(n.g.Nodes))}
	p.groups, p.packing, p.rows = p.runGroups, p.packShare, p.rowShare
	b := &builder{plan: p, g: n.g}
	b.represent()
	b.place()
	b.emitForward()
	p.fwd = b.cut(0)
	if o.backward {
		b.emitBackward()
		p.bwd = b.cut(len(p.fwd))
	}
	p.allocate()
	return p
}

// newBuffer returns a buffer that no step touches yet.
func (p *plan) newBuffer(n int) *buffer {
	b := &buffer{n: n, first: -1}
	p.buffers = append(p.buffers, b)
	return b
}

// cut divides the emitted tasks into steps, numbered from start, and notes when each buffer is needed.
func (b *builder) cut(start int) []step {
	var steps []step
	var s step
	heavy := false
	flush := func() {
		if len(s) > 0 {
			steps = append(steps, s)
			s, heavy = nil, false
		}
	}
	for _, t := range b.tasks {
		if t.whole != nil || t.heavy && heavy {
			flush()
		}
		s = append(s, t)
		heavy = heavy || t.heavy
		if t.fence || t.whole != nil {
			flush()
		}
	}
	flush()
	b.tasks = nil
	for i, s := range steps {
		for _, t := range s {
			for _, u := range t.uses {
				if u.first < 0 {
					u.first = start + i
				}
				u.last = start + i
				u.whole = u.whole || t.whole != nil
			}
			b.plan.dw = max(b.plan.dw, t.sums)
			if t.chunk < b.net.opt.Batch { // the first chunk is summed in the pool's memory
				b.plan.own = max(b.plan.own, t.sums)
			}
		}
	}
	return steps
}

// allocate lays out the buffers: those of one step in the workers' local memory, one image each; the others in the
// arena.
func (p *plan) allocate() {
	var local, wide []*buffer
	for _, b := range p.buffers {
		switch {
		case b.first < 0: // of no interest to any task
			b.local = true
		case b.first == b.last && !b.whole:
			b.local = true
			local = append(local, b)
		default:
			wide = append(wide, b)
		}
	}
	p.local = layout(local)
	images := p.net.opt.Batch
	if !p.backward {
		images = min(p.groupSize(wide), images)
		p.group = images
	}
	p.arena = layout(wide) * images
	for _, b := range wide {
		b.off *= images
	}
}

// groupFloats is about how much activation a group of images should touch at once: a quarter of a 1 MiB cache.
const groupFloats = 1 << 16

// groupSize returns how many images a worker takes through the network together when nothing is kept for a backward
// pass: enough to use each weight several times while it is in the cache, few enough for the activations to stay there.
func (p *plan) groupSize(wide []*buffer) int {
	largest := 1
	for _, b := range wide {
		largest = max(largest, b.n)
	}
	return min(max(groupFloats/largest, 4), 16)
}

// layout gives every buffer an offset such that buffers needed at the same time do not overlap, and returns the length
// of the whole. Largest first, each at the lowest place: close to the best possible for networks' lifetimes.
func layout(buffers []*buffer) int {
	order := slices.Clone(buffers)
	slices.SortStableFunc(order, func(a, b *buffer) int { return b.n - a.n })
	var placed []*buffer // by offset
	total := 0
	for _, b := range order {
		off := 0
		for _, o := range placed {
			if o.last < b.first || b.last < o.first {
				continue
			}
			if off+b.n <= o.off {
				break
			}
			off = max(off, o.off+o.n)
		}
		b.off = off
		at, _ := slices.BinarySearchFunc(placed, off, func(o *buffer, off int) int { return o.off - off })
		placed = slices.Insert(placed, at, b)
		total = max(total, off+(b.n+15)&^15)
	}
	return total
}

// attach makes the memory of the net and its workers large enough.
func (p *plan) attach() {
	n := p.net
	parts := 1
	if p.group > 0 { // workers are at different steps, so that they cannot share
		parts = len(n.pool.workers)
	}
	n.arena = grow(n.arena, parts*p.arena)
	n.pool.sum = grow(n.pool.sum, p.dw)
	if p.backward && n.opt.InputGrad {
		n.planes = grow(n.planes, n.opt.Batch*n.g.Input().Len())
	}
	for i, w := range n.pool.workers {
		w.arena = n.arena[i%parts*p.arena:]
		w.local, w.scratch, w.sums = grow(w.local, p.local), grow(w.scratch, p.scratch), grow(w.sums, p.own)
		for i := range w.tmp {
			w.tmp[i] = grow(w.tmp[i], p.tmp)
		}
	}
}

// pack brings weights into the form the kernels take, if they changed.
func (p *plan) pack() {
	if p.packed == p.net.version {
		return
	}
	p.net.pool.do(p.packing)
	p.packed = p.net.version
}

func (p *plan) packShare(w *worker) {
	for i := w.index; i < len(p.packers); i += len(p.net.pool.workers) {
		p.packers[i]()
	}
}

func (p *plan) runForward() {
	if p.group == 0 {
		p.runSteps(p.fwd)
		return
	}
	if p.net.batch < len(p.net.pool.workers) {
		p.runNarrow()
		return
	}
	p.net.pool.do(p.groups)
}

// runNarrow takes fewer images than there are workers through the network: the first worker does everything but the
// convolutions, whose rows all divide.
func (p *plan) runNarrow() {
	w := p.net.pool.workers[0]
	for i0 := 0; i0 < p.net.batch; i0 += p.group {
		w.i0, w.i1, w.base = i0, min(i0+p.group, p.net.batch), i0
		for _, s := range p.fwd {
			if s[0].whole != nil && s[0].conv == nil {
				s[0].whole(w, w.i0, w.i1)
				continue
			}
			for i := w.i0; i < w.i1; i++ {
				p.runTasks(s, w, i)
			}
		}
	}
}

func (p *plan) runTasks(s step, w *worker, i int) {
	for j := range s {
		if p.conv = s[j].conv; p.conv == nil {
			s[j].run(w, i)
			continue
		}
		p.job = p.conv.prepare(w, i)
		p.net.pool.do(p.rows)
		p.conv.finish(w, i, p.job)
	}
}

func (p *plan) rowShare(w *worker) {
	c, j := p.conv, &p.job
	c.Forward(j.dst, j.src, c.offset, j.add, w.index, len(p.net.pool.workers), w.scratch)
}

// runGroups takes the worker's images through the whole network, a group at a time.
func (p *plan) runGroups(w *worker) {
	i0, i1 := share(p.net.batch, w.index, len(p.net.pool.workers))
	for ; i0 < i1; i0 += p.group {
		w.i0, w.i1 = i0, min(i0+p.group, i1)
		w.base = i0
		for _, s := range p.fwd {
			s.run(w)
		}
	}
}

func (p *plan) runBackward() { p.runSteps(p.bwd) }

func (p *plan) runSteps(steps []step) {
	pool := p.net.pool
	pool.batch = p.net.batch
	for _, w := range pool.workers {
		w.i0, w.i1 = share(p.net.batch, w.index, len(pool.workers))
		w.base = 0
	}
	for i := range steps {
		pool.step = steps[i]
		for _, w := range pool.workers {
			w.taken.Store(0)
		}
		pool.chunk.Store(0)
		pool.added = 0
		pool.do(runStep)
		for j := range steps[i] {
			if end := steps[i][j].end; end != nil {
				end()
			}
		}
	}
}

// runStep does the worker's own images, then what others have not begun.
func runStep(w *worker) {
	s, all := w.pool.step, w.pool.workers
	if t := s.summing(); t != nil {
		s.chunks(w, t)
		return
	}
	if len(all) == 1 || s[0].whole != nil {
		s.run(w)
		return
	}
	for k := range all {
		from := all[(w.index+k)%len(all)]
		for {
			i := from.i0 + int(from.taken.Add(1)) - 1
			if i >= from.i1 {
				break
			}
			s.image(w, i)
		}
	}
}

// run takes the worker's images through the tasks.
func (s step) run(w *worker) {
	if s[0].whole != nil {
		if w.i0 < w.i1 {
			s[0].whole(w, w.i0, w.i1)
		}
		return
	}
	for i := w.i0; i < w.i1; i++ {
		s.image(w, i)
	}
}

func (s step) image(w *worker, i int) {
	for j := range s {
		s[j].run(w, i)
	}
}

// summing returns the task of a step that adds up over images; nil if there is none.
func (s step) summing() *task {
	for j := range s {
		if s[j].sums > 0 {
			return &s[j]
		}
	}
	return nil
}

// chunks takes chunks of images that nobody has begun, in their order. What a chunk holds does not depend on the number
// of workers, and neither do the sums.
func (s step) chunks(w *worker, t *task) {
	batch := w.pool.batch
	for {
		k := int(w.pool.chunk.Add(1)) - 1
		if k*t.chunk >= batch {
			return
		}
		w.dw = w.pool.sum[:t.sums]
		if k > 0 {
			w.dw = w.sums[:t.sums]
		}
		clear(w.dw)
		from, to := k*t.chunk, min((k+1)*t.chunk, batch)
		if t.whole != nil {
			t.whole(w, from, to)
		}
		for i := from; i < to && t.whole == nil; i++ {
			s.image(w, i)
		}
		w.pool.add(k, w.dw)
	}
}
