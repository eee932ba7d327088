package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Loader makes batches. It is made by [New] and serves one goroutine; it uses several itself.
type Loader struct {
	options Options
	source  data.Source
	info    data.Info
	seed    rng.Key
	set     *dataset.Set // nil for a source that is read from front to end
	stream  *stream      // of such a source
	samples int          // -1 where only reading to the end would say
	classes int          // length of a soft label; 0: labels are not mixed
	w, h    int
	forms   []Form
	slot    *Slot

	at      Position // the next batch
	began   bool     // the epoch of at is prepared
	order   []int    // of the samples, in that epoch
	picked  []pick
	images  []*raster.Image
	keys    []rng.Key
	refused [][]data.Rejected // of each sample of the batch
	workers []*worker
	mixing  mix.Batch
}

// pick is one sample of a batch: which, and whether it fills the batch up.
type pick struct {
	index  int
	filler bool
}

// Batch says what [Loader.Next] made.
type Batch struct {
	Epoch   int
	Index   int // in the epoch, counted over this rank's batches
	N       int // samples
	Last    bool
	After   Position        // where the run is once all ranks have had this batch
	Refused []data.Rejected // samples that others stand in for, in order of the rows they would have had
}

// New returns a loader of the samples of src, which must stay open while it is used. Of a source that is not
// [data.Indexed] it gives one epoch in the order of the source, to a single rank. The error wraps [ErrOption] where src is nil or the
// options are out of range or do not go together, else it is about the data, or the cause of ctx.
func New(ctx context.Context, src data.Source, o Options) (*Loader, error) {
	if src == nil {
		return nil, fmt.Errorf("%w: the source is nil (allowed: an open data set)", ErrOption)
	}
	if err := o.resolve(); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	l := &Loader{options: o, source: src, info: src.Info(), seed: rng.NewKey(o.Seed), samples: -1}
	l.mixing.Workers = o.Workers
	var err error
	if indexed, ok := src.(data.Indexed); ok {
		l.set, l.samples = dataset.Open(indexed, o.Cache), indexed.Len()
		err = l.checkSamples()
	} else {
		err = l.openStream()
	}
	if err != nil {
		return nil, err
	}
	if err := l.findClasses(ctx); err != nil {
		return nil, err
	}
	if err := l.seek(o.From); err != nil {
		return nil, err
	}
	if l.stream != nil {
		err = l.startStream(ctx)
	} else {
		err = l.findSize()
	}
	if err != nil {
		return nil, err
	}
	l.slot, err = l.options.layout(l.w, l.h, l.classes)
	return l, err
}

// checkSamples returns an error unless an epoch has a batch.
func (l *Loader) checkSamples() error {
	switch {
	case l.samples == 0:
		return fmt.Errorf("%w: a data set without samples", data.ErrFormat)
	case l.options.batches(l.samples) == 0:
		return option.Errorf(ErrOption, "%d samples make no {batch} of %d%s (allowed: smaller batches, or {tail} pad)", l.samples,
			l.options.Batch, forRanks(l.options.WorldSize))
	}
	return nil
}

// forRanks says that batches are for each of several ranks.
func forRanks(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" for each of %d ranks", n)
}

// all is how many samples all ranks together are given in a batch.
func (o *Options) all() int { return o.Batch * o.WorldSize }

// batches returns how many batches every rank has in an epoch of n samples.
func (o *Options) batches(n int) int {
	if o.Tail == Drop {
		return n / o.all()
	}
	return (n + o.all() - 1) / o.all()
}

// seek goes to a position.
func (l *Loader) seek(p Position) error {
	all := l.options.all()
	switch {
	case l.samples >= 0 && (p.Samples >= l.samples || p.Samples/all >= l.options.batches(l.samples)):
		p = Position{Epoch: p.Epoch + 1}
	case p.Samples%all != 0:
		return option.Errorf(ErrOption, "{from}: position %v is between two batches (allowed: multiples of %d, which is {batch} times {world-size})",
			p, all)
	}
	l.at, l.began = p, false
	return nil
}

// Position returns the place of the next batch.
func (l *Loader) Position() Position { return l.at }

// Layout says where the arrays of a batch lie in a slot.
func (l *Loader) Layout() *Slot { return l.slot }

// Options returns the options with their defaults filled in. Views is the number of images of a sample, whatever they are.
func (l *Loader) Options() Options { return l.options }

// Forms returns what the images of a sample are; nil for views.
func (l *Loader) Forms() []Form { return l.forms }

// Classes returns the names of the classes by label; nil where the data has none.
func (l *Loader) Classes() []string { return l.info.Classes }

// Samples returns the number of samples of an epoch, -1 where only reading to the end would say.
func (l *Loader) Samples() int { return l.samples }

// Batches returns the number of batches of an epoch, which is the same for every rank; -1 where only reading to the end
// would say.
func (l *Loader) Batches() int {
	if l.samples < 0 {
		return -1
	}
	return l.options.batches(l.samples)
}

// Next makes the next batch in slot, whose length is Layout().Bytes and whose address is a multiple of 8. After the last
// batch of the last epoch it returns io.EOF. After any other error, which is about the data, or the cause of ctx, the
// loader is where it was before.
func (l *Loader) Next(ctx context.Context, slot []byte) (*Batch, error) {
	if len(slot) != l.slot.Bytes {
		panic(fmt.Sprintf("feed: a slot of %d bytes, want %d", len(slot), l.slot.Bytes))
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if l.stream != nil {
		return l.nextOfStream(ctx, slot)
	}
	if l.options.Epochs > 0 && l.at.Epoch >= l.options.Epochs {
		return nil, io.EOF
	}
	l.begin()
	b := &Batch{Epoch: l.at.Epoch, Index: l.at.Samples / l.options.all(), After: l.at}
	l.pick(b.Index)
	if err := l.fill(ctx, slot, b); err != nil {
		return nil, err
	}
	b.After.Samples = min(l.at.Samples+l.options.all(), l.samples)
	if b.Last = b.Index+1 == l.Batches(); b.Last {
		b.After = Position{Epoch: l.at.Epoch + 1}
	}
	l.at, l.began = b.After, !b.Last
	return b, nil
}

// begin prepares the epoch.
func (l *Loader) begin() {
	if l.began {
		return
	}
	l.began = true
	l.prepareWorkers()
	l.order = buffer.Resize(l.order, l.samples)
	if !l.options.InOrder {
		dataset.Order(l.order, l.seed, l.at.Epoch)
		return
	}
	for i := range l.order {
		l.order[i] = i
	}
}

// pick chooses the samples of batch b of this rank.
func (l *Loader) pick(b int) {
	first := (b*l.options.WorldSize + l.options.Rank) * l.options.Batch
	l.picked = l.picked[:0]
	for p := first; p < first+l.options.Batch; p++ {
		if p < l.samples {
			l.picked = append(l.picked, pick{index: l.order[p]})
		} else if l.options.Tail == Pad {
			l.picked = append(l.picked, pick{l.order[p%l.samples], true})
		}
	}
}

// pipeline is what is done to the images of an epoch before they are mixed.
func (l *Loader) pipeline(epoch int) *transform.Pipeline {
	o := &l.options
	return &transform.Pipeline{Size: o.Size, Filter: o.Filter, Crop: o.Crop, Flip: o.Flip, Epoch: epoch}
}

// soft reports whether labels are mixed.
func (l *Loader) soft() bool { return l.options.Mix.NeedsPartner() }

// findClasses counts the classes where soft labels need to know.
func (l *Loader) findClasses(ctx context.Context) error {
	if !l.soft() {
		return nil
	}
	if l.set == nil {
		return fmt.Errorf("%w: mix %s takes partners from anywhere in the data, and %s; convert it to files or shards", data.ErrUnsupported,
			l.options.Mix, l.info.FrontToEnd())
	}
	n, err := l.set.CountClasses(ctx)
	if err != nil {
		return fmt.Errorf("mix %s mixes labels: %w", l.options.Mix, err)
	}
	l.classes = n
	return nil
}

// refusable reports whether an error concerns one sample alone.
func refusable(err error) bool {
	var bad *data.SampleError
	return errors.As(err, &bad)
}

// sizeError says that an image does not fit the others.
func sizeError(w, h, otherW, otherH int) error {
	return fmt.Errorf("%w: an image of %dx%d among those of %dx%d; give them one size with crop", raster.ErrSize, w, h, otherW, otherH)
}
