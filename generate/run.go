package generate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/augmix-go/augmix/data"
)

// Run does the job, or what an earlier run left of it. It returns when the output is complete, or an error:
//
//   - what the source, the sink or, under the policy Fail, a sample failed with;
//   - the cause of the context, when that was canceled;
//   - ErrDiffers, ErrChanged, ErrOccupied or ErrBusy when the output is not this job's to write, or not from this input, and
//     ErrInput when it is the input; nothing is touched then;
//   - ErrTaken when another run has started over in its place, in an object store, meanwhile;
//   - ErrOption when there is no source or task, or the task asks for what cannot be made of any sample.
//
// After an error the output keeps what the last checkpoint holds (after a cancellation or a rejected sample: everything
// that was done), and Run with the same job resumes there. The Result is valid in either case.
func Run(ctx context.Context, j Job) (Result, error) {
	if j.Workers <= 0 {
		j.Workers = runtime.GOMAXPROCS(0)
	}
	if err := j.checkTask(); err != nil {
		return Result{}, err
	}
	if err := j.apart(); err != nil {
		return Result{}, err
	}
	if j.Out.remote() {
		return runRemote(ctx, j)
	}
	r := &run{Job: j}
	r.total = -1
	if n := j.Source.Info().Len; n >= 0 {
		r.total = n
	}
	if j.Out.stream() {
		if err := r.checkEmpty(r.total); err != nil {
			return r.result(), err
		}
		r.journal = r.fresh()
		err := r.write(ctx)
		return r.result(), err
	}
	if r.Out.moving() {
		if _, err := finishMove(r.Out); err != nil {
			return r.result(), err
		}
	}
	if m, err := r.extensible(); m != nil || err != nil {
		if err != nil {
			return r.result(), err
		}
		if err := r.checkExtension(ctx, m); err != nil {
			return r.result(), err
		}
		return r.extend(ctx)
	}
	unlock, err := r.open(ctx)
	if err != nil || r.already {
		return r.result(), err
	}
	defer unlock()
	err = r.finish(ctx)
	return r.result(), err
}

// run is a Job under way.
type run struct {
	Job
	journal  *journal
	manifest *Manifest
	already  bool
	locked   bool // this run holds the lock
	source   data.Fingerprint
	labels   string // SHA-256 of the file Labels
	total    int
	resumed  int
	last     int       // position of the last checkpoint
	lastTime time.Time // and its time
}

func (r *run) result() Result {
	res := Result{Already: r.already, Manifest: r.manifest}
	res.Total = r.total
	if m := r.manifest; m != nil {
		res.Progress = Progress{Total: m.Samples, Done: m.Samples, Rejected: len(m.Rejected), Items: m.Items}
		res.Rejected = m.Rejected
	} else if r.journal != nil {
		res.Progress = r.progress()
		res.Rejected = r.journal.Rejected
	}
	if r.journal != nil {
		res.Alpha = r.journal.Alpha // what a manifest does not say
	}
	res.Resumed = r.resumed
	if r.already {
		res.Resumed = res.Done
	}
	return res
}

func (r *run) progress() Progress {
	return Progress{
		Total: r.total, Done: r.journal.Next, Resumed: r.resumed, Rejected: len(r.journal.Rejected), Items: r.journal.Items,
		Alpha: r.journal.Alpha,
	}
}

// finish takes the run from whatever phase the journal is in to a manifest.
func (r *run) finish(ctx context.Context) error {
	if r.journal.Phase != closed {
		if err := r.write(ctx); err != nil {
			return err
		}
	}
	if err := r.seal(ctx); err != nil {
		return err
	}
	return r.Out.removeState()
}

// seal hashes the complete output and writes its manifest.
func (r *run) seal(ctx context.Context) error {
	if err := r.Out.sweep(r.journal.PIDs); err != nil {
		return err
	}
	names, err := listFiles(r.Out, r.journal.Records)
	if err != nil {
		return err
	}
	noted, err := r.noted()
	if err != nil {
		return err
	}
	for name := range noted {
		if _, ok := slices.BinarySearch(names, name); !ok {
			return fmt.Errorf("%w: %s was written and is not there any more", ErrDamaged, r.Out.within(name))
		}
	}
	files, sums, err := hashFiles(ctx, r.Out, names, noted, r.Workers)
	if err != nil {
		return err
	}
	records, err := r.recordSums(ctx)
	if err != nil {
		return err
	}
	if err := r.close(noted, sums); err != nil {
		return err
	}
	m := r.newManifest()
	m.RecordSums, m.Files = records, files
	mirror, isMirror := r.Task.(Mirror)
	if isMirror {
		if m.Annotations, err = mirror.annotations(ctx, r.Workers); err != nil {
			return err
		}
	}
	if r.whole != nil {
		m.Input, m.Shard, m.PerShard = r.whole, r.shard, r.PerShard
		m.AsIs = isMirror // whose other files may be arrays and archives of the user's
	}
	for _, f := range files {
		m.Bytes += f.Size
	}
	if err := m.write(r.Out); err != nil {
		return err
	}
	r.manifest = m
	return nil
}

// newManifest returns the manifest of the run, without what is known of the files.
func (r *run) newManifest() *Manifest {
	info, done := r.Source.Info(), r.journal
	m := &Manifest{
		Version: manifestVersion, Build: r.Build, Seed: r.Seed, Plan: r.basis().Plan, OptionSums: r.OptionSums, Labels: r.labels, Source: info.Format, Classes: info.Classes,
		Samples: done.Next, Items: done.Items, Rejected: done.Rejected, Records: done.Records,
		Parts:   slices.Sorted(slices.Values(r.Parts)),
		Content: fmt.Sprintf("%016x", done.Content),
		Options: make(map[string]string, len(r.Options)),
	}
	for _, o := range r.Options {
		m.Options[o.Name] = o.Value
	}
	return m
}

// write puts the samples that are left into the sink and completes it.
func (r *run) write(ctx context.Context) error {
	out, err := r.openSink()
	if err != nil || out == nil {
		return err
	}
	if r.journal.Phase == writing {
		err := r.pump(ctx, out)
		if err == nil {
			err = r.checkEmpty(r.journal.Next)
		}
		if err != nil {
			return errors.Join(err, out.Abort())
		}
		r.journal.Phase = closing
		if err := r.checkpoint(out); err != nil {
			return errors.Join(err, out.Abort())
		}
	}
	if err := out.Close(); err != nil || r.Out.stream() || r.journal.Phase == named {
		return err
	}
	// Hashing all files takes a while. Who interrupts that has to find what is here.
	if err := r.noteFinished(out); err != nil {
		return err
	}
	r.journal.Phase = named
	return r.journal.write(r.Out)
}

// close makes the journal say that the data set is complete. Files that got their names at the very end are noted with it.
func (r *run) close(noted map[string]data.FileSum, sums []data.FileSum) error {
	if r.journal.Phase == closed {
		return nil
	}
	sums = slices.DeleteFunc(sums, func(f data.FileSum) bool { _, ok := noted[f.Path]; return ok })
	if err := r.note(sums); err != nil {
		return err
	}
	r.journal.Phase, r.journal.State = closed, nil
	return r.journal.write(r.Out)
}

// openSink opens the sink where the journal says. It returns nil when a run that ended while it completed the sink had
// come to its end.
func (r *run) openSink() (sink, error) {
	s, err := r.Task.open(r.Out, r.journal.State)
	if r.journal.State != nil && errors.Is(err, data.ErrFormat) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if r.journal.State == nil && !r.Out.stream() && errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; Open of a task needs SinkOptions.Overwrite: the run's own files lie there, and it has looked for those of others",
			err)
	}
	if err == nil || r.journal.Phase == writing || !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	// The temporary files of the last checkpoint are gone: the sink had begun to give final names. A file gets its name
	// after those beside it.
	if r.journal.Phase == named || r.Out.File && exists(r.Out.Path) {
		return nil, nil
	}
	// It had given some of several. Only the sink could say which; doing the work again is always right.
	if err := r.restart(r.journal); err != nil {
		return nil, err
	}
	r.resumed = 0
	return r.Task.open(r.Out, nil)
}

// checkpoint makes what was put durable, then the journal that says so. A stream has neither.
func (r *run) checkpoint(out sink) error {
	if r.Out.stream() {
		return nil
	}
	state, err := out.Checkpoint()
	if err != nil {
		return err
	}
	if state == nil {
		state = []byte{} // nil means a new sink
	}
	if err := r.noteFinished(out); err != nil {
		return err
	}
	r.journal.State = state
	return r.journal.write(r.Out)
}

// pump runs the pool and puts what it makes into the sink, in order, with checkpoints between. When it stops early for a
// reason that leaves the sink sound, it takes a last checkpoint so that nothing done is done again.
func (r *run) pump(ctx context.Context, out sink) error {
	inner, cancel := context.WithCancel(ctx)
	p := r.start(inner, out, r.journal.Next, r.Workers)
	defer p.stop()
	defer cancel()

	r.last, r.lastTime = r.journal.Next, time.Now()
	for {
		sound, err := r.drain(ctx, out, p)
		if r.Report != nil {
			r.Report(r.progress())
		}
		if errors.Is(err, errEnd) {
			return data.Seal(r.Source) // of which a run that was resumed has read a part only
		}
		if err != nil {
			if sound {
				cancel()
				p.stop()
				err = errors.Join(err, r.checkpoint(out))
			}
			return err
		}
	}
}

// drain puts the next slot into the sink. It returns errEnd at the source's end. sound says of an error that the sink
// holds exactly the samples before the journal's position.
func (r *run) drain(ctx context.Context, out sink, p *pool) (sound bool, err error) {
	var s *slot
	select {
	case next, ok := <-p.order:
		if !ok {
			return true, context.Cause(ctx) // the reader ends without a fatal slot only when canceled
		}
		s = next
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
	select {
	case <-s.done:
	case <-ctx.Done():
		return true, context.Cause(ctx)
	}
	for i := range s.n {
		if ctx.Err() != nil {
			return true, context.Cause(ctx)
		}
		if sound, err := r.put(out, &s.cells[i]); err != nil {
			return sound, err
		}
		if r.journal.Next-r.last >= r.every() || time.Since(r.lastTime) >= r.after() {
			if err := r.checkpoint(out); err != nil {
				return false, err
			}
			r.last, r.lastTime = r.journal.Next, time.Now()
		}
	}
	if s.fatal != nil {
		if ctx.Err() != nil && errors.Is(s.fatal, ctx.Err()) {
			return true, context.Cause(ctx)
		}
		return true, s.fatal
	}
	p.free <- s
	return true, nil
}

// put writes the images of one sample, or rejects it.
func (r *run) put(out sink, c *cell) (sound bool, err error) {
	if c.bad != nil {
		return true, r.reject(c)
	}
	n, err := out.put(c)
	if bad := (*data.SampleError)(nil); errors.As(err, &bad) {
		c.bad = bad.Err // what it is called is the source's to say
		return true, r.reject(c)
	}
	if err != nil {
		return false, err
	}
	r.journal.Items += n
	r.journal.Content += c.id
	if c.alpha {
		r.journal.Alpha++
	}
	r.journal.Next++
	return true, nil
}

// reject lists the sample, or returns why the run stops at it.
func (r *run) reject(c *cell) error {
	rejected := data.Reject(r.journal.Next, &c.sample, c.bad)
	if bad := (*data.SampleError)(nil); !errors.As(c.bad, &bad) && c.sample.Name != "" {
		c.bad = &data.SampleError{Name: c.sample.Name, Key: c.sample.Key, Err: c.bad}
	}
	if r.OnError == Fail {
		return c.bad
	}
	r.journal.Rejected = append(r.journal.Rejected, rejected)
	r.journal.Content += c.id
	r.journal.Next++
	return nil
}
