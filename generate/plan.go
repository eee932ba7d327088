package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// A Layout says how an output keeps images, for [Estimate], which makes none of it.
type Layout struct {
	// Append appends an image as it is kept; nil where the task does it by itself.
	Append func(dst []byte, m *raster.Image) ([]byte, error)
	// Size returns the files of a part and their bytes: of n samples with images in all that take bytes as Append keeps them.
	Size func(n, images int, bytes int64) (files int, size int64)
}

// PartPlan is what a part of an output would be.
type PartPlan struct {
	Name   string `json:"name"`
	Images int    `json:"images"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
}

// Plan is what a job would write, by an estimate.
type Plan struct {
	Samples int           `json:"samples"`
	Images  int           `json:"images"`
	Files   int           `json:"files"` // without records
	Bytes   int64         `json:"bytes"`
	Time    time.Duration `json:"-"` // of making the images with the job's workers
	Parts   []PartPlan    `json:"parts"`
	Tried   int           `json:"tried"` // samples that were made for it

	// Of trees of annotated images: how many of the files are no images, and how many bytes hard links save, which Bytes is without.
	Carried int   `json:"carried,omitempty"`
	Saved   int64 `json:"saved,omitempty"`
}

// How many samples an estimate makes: at least the fewest, then more until the time is up.
const (
	fewestTried = 4
	mostTried   = 64
	trialTime   = 2 * time.Second
)

// Estimate makes a few samples of the job, evenly spaced over its source, in memory, and says from them what all samples
// would take in the layout. Nothing is written. samples is their number, which the source need not know. part names the part that
// a variant of Variants belongs to, several in a row the same; nil: everything is one part, called as the output. The time is that
// of reading, making and encoding on this machine; writing to a slow disk comes on top. The error is the source's, or that of a
// sample where none can be made, or wraps [ErrOption] for a job without source or task.
func Estimate(ctx context.Context, j Job, samples int, layout Layout, part func(variant int) string) (*Plan, error) {
	if j.Workers <= 0 {
		j.Workers = runtime.GOMAXPROCS(0)
	}
	if err := j.checkGiven(); err != nil {
		return nil, err
	}
	if samples <= 0 {
		return nil, fmt.Errorf("%w: nothing to plan", ErrEmpty)
	}
	t := &trial{job: j, source: data.Limit(j.Source, min(samples, mostTried)), encode: layout.Append}
	if _, makes := j.Source.(maker); makes {
		warm(ctx, t.source)
	}
	t.ends = time.Now().Add(trialTime)
	var wg sync.WaitGroup
	for range j.Workers {
		wg.Go(func() { t.work(ctx) })
	}
	wg.Wait()
	switch {
	case t.made == 0 && t.err != nil:
		return nil, t.err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case t.made == 0:
		return nil, fmt.Errorf("%w: nothing to plan", ErrEmpty)
	}
	plan := &Plan{Samples: samples, Tried: t.made}
	// The workers' own time, for the last of them work alone: each sample takes busy/made, and as many are made at once.
	plan.Time = time.Duration(float64(t.busy) / float64(t.made) * float64(samples) / float64(min(j.Workers, runtime.GOMAXPROCS(0))))
	each := func(n int64) int64 { return int64(float64(n) / float64(t.made) * float64(samples)) }
	for i, v := range t.variants {
		name := cmp.Or(j.Out.Path, formats.Standard)
		if part != nil {
			name = part(i)
		}
		if n := len(plan.Parts); n == 0 || plan.Parts[n-1].Name != name {
			plan.Parts = append(plan.Parts, PartPlan{Name: name})
		}
		p := &plan.Parts[len(plan.Parts)-1]
		p.Images += int(each(v.images))
		p.Bytes += each(v.bytes)
	}
	soft, isSoft := j.Task.(SoftImages)
	m, mirror := j.Task.(Mirror)
	var carried carriedFiles
	if mirror && !m.Bare {
		carried = m.beside()
		carried.n += int(each(int64(t.about.n)))
		carried.bytes += each(t.about.bytes)
	}
	for i := range plan.Parts {
		p := &plan.Parts[i]
		p.Files, p.Bytes = layout.Size(samples, p.Images, p.Bytes)
		if mirror {
			plan.carry(p, carried, m.Link)
		}
		if isSoft {
			soft.planBeside(p, j.Out.File, each(int64(t.lines)))
		}
		plan.Images, plan.Files, plan.Bytes = plan.Images+p.Images, plan.Files+p.Files, plan.Bytes+p.Bytes
	}
	return plan, nil
}

// carry adds to a part what lies beside the images, once for each of its trees: an image of a sample is in a tree of its own.
func (p *Plan) carry(part *PartPlan, beside carriedFiles, link bool) {
	trees := part.Images / p.Samples
	copies := trees
	switch {
	case link && p.Carried > 0: // all are links to those of the first tree
		copies = 0
	case link:
		copies = min(trees, 1)
	}
	p.Saved += beside.bytes * int64(trees-copies)
	p.Carried += beside.n * trees
	part.Files += beside.n * trees
	part.Bytes += beside.bytes * int64(copies)
}

// planBeside adds to a part the files of soft labels beside it, of which the first takes so many bytes.
func (t SoftImages) planBeside(part *PartPlan, file bool, lines int64) {
	part.Files, part.Bytes = part.Files+1, part.Bytes+lines
	if file {
		const header = 128
		part.Files, part.Bytes = part.Files+1, part.Bytes+header+4*int64(part.Images)*int64(t.Classes)
	}
}

// carriedFiles are the files of a tree that are no images.
type carriedFiles struct {
	n     int
	bytes int64
}

// beside returns the files that are carried as they are, and those about many images, which are rewritten, as if all images were taken.
func (t Mirror) beside() (c carriedFiles) {
	about := t.rewritten().about
	for _, name := range t.Tree.Carried() {
		if about[name] {
			continue
		}
		if st, err := os.Stat(t.Tree.File(name)); err == nil { // else the run says so before it begins
			c.n, c.bytes = c.n+1, c.bytes+st.Size()
		}
	}
	return c
}

// maker is a source whose reading makes images, such as a stream of corrupted ones, with tables that only the first of them ask for.
type maker interface{ MakesImages() }

// warm reads the samples of a part of a maker, for the tables that they leave behind.
func warm(ctx context.Context, src data.Source) {
	all, ok := src.(data.Indexed)
	if !ok {
		return
	}
	var s data.Sample
	for i := 0; i < all.Len() && ctx.Err() == nil; i++ {
		_ = all.Read(i, &s) // the trial meets the error again
	}
}

// trial is an estimate under way.
type trial struct {
	job    Job
	source data.Source
	encode encoder
	ends   time.Time

	mu       sync.Mutex
	made     int           // samples
	busy     time.Duration // of all workers
	least    time.Duration // of one sample
	variants []struct{ images, bytes int64 }
	lines    int          // bytes of soft labels
	about    carriedFiles // of the images, rewritten with them
	err      error        // the first
}

// work makes samples on one goroutine.
func (t *trial) work(ctx context.Context) {
	w := t.job.Task.worker()
	views := t.job.Task.images()
	var s slot
	s.reset(0, 1, views)
	c := &s.cells[0]
	warm := false
	for ctx.Err() == nil && t.next(&c.sample) {
		key := transform.SampleKey(rng.NewKey(t.job.Seed), c.sample.Key)
		if !warm { // tables and buffers that only the first image makes
			_ = w.make(ctx, c, key, t.encode)
			warm = true
		}
		begun := time.Now()
		err := w.make(ctx, c, key, t.encode)
		took := time.Since(begun)
		if err == nil && t.slow(took) { // this one may have made tables too, such as another photograph of frost
			begun = time.Now()
			err = w.make(ctx, c, key, t.encode)
			took = min(took, time.Since(begun))
		}
		t.add(c, took, err)
	}
}

// slow reports whether a sample took far longer than the quickest so far.
func (t *trial) slow(took time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.least == 0 || took < t.least {
		t.least = took
	}
	return took > 3*t.least
}

// next reads the next sample; it returns false at the end of the trial.
func (t *trial) next(s *data.Sample) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.made < fewestTried || time.Now().Before(t.ends) {
		begun := time.Now()
		err := t.source.Next(s)
		t.busy += time.Since(begun)
		if err == nil {
			return true
		}
		if err == io.EOF {
			return false
		}
		if t.err == nil {
			t.err = err
		}
		if bad := (*data.SampleError)(nil); !errors.As(err, &bad) {
			return false
		}
	}
	return false
}

// add counts what was made of a sample.
func (t *trial) add(c *cell, took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy += took
	if err != nil {
		if t.err == nil {
			t.err = err
		}
		return
	}
	t.made++
	count := func(variant, size int) {
		for variant >= len(t.variants) {
			t.variants = append(t.variants, struct{ images, bytes int64 }{})
		}
		t.variants[variant].images++
		t.variants[variant].bytes += int64(size)
	}
	for _, file := range c.files {
		count(0, len(file))
	}
	parts := c.parts.All()
	if m, ok := t.job.Task.(Mirror); ok && m.Warp != nil { // the first is the image
		for _, p := range parts[1:] {
			t.about.n, t.about.bytes = t.about.n+1, t.about.bytes+int64(len(p.Data))
		}
		parts = parts[:1]
	}
	for _, p := range parts {
		count(p.Variant, len(p.Data))
	}
	if soft, ok := t.job.Task.(SoftImages); ok {
		for v, suffix := range views(soft.Views) {
			line, _ := appendTarget(nil, c.sample.Key+suffix, c.targets[v])
			t.lines += len(line)
		}
	}
}

// SinkLayout is the layout of what formats.Create makes at path, with views of each sample. The error is formats.Layout's.
func SinkLayout(path string, o formats.SinkOptions, views int) (l Layout, err error) {
	l.Append, l.Size, err = formats.Layout(path, o, views)
	return l, err
}

// ArrayLayout is the layout of the arrays of [OpenArrays]: a file a part, three bytes a pixel, or one in gray.
func ArrayLayout() Layout {
	const header = 128
	return Layout{
		Append: func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendPixels(dst), nil },
		Size:   func(_, _ int, bytes int64) (int, int64) { return 1, bytes + header },
	}
}

// Layout is the layout of the files of [OpenTree].
func (o TreeOptions) Layout() Layout {
	return Layout{
		Append: (&treeSink{o: o}).AppendPart,
		Size:   func(_, images int, bytes int64) (int, int64) { return images, bytes },
	}
}
