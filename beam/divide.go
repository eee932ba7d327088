package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
)

func init() {
	register.Function1x2(keyed)
	register.Function2x1(add)
	register.DoFn5x1[context.Context, int, func(*int) bool, func(tally), func(rejection), error](&partFn{})
	register.DoFn3x1[context.Context, tally, func(*rejection) bool, error](&joinFn{})
	register.Iter1[int]()
	register.Iter1[rejection]()
	register.Emitter1[tally]()
	register.Emitter1[rejection]()
	beam.RegisterType(reflect.TypeFor[tally]())
	beam.RegisterType(reflect.TypeFor[rejection]())
}

// tally is what is known of some of the parts.
type tally struct{ Parts, Rejected int }

func add(a, b tally) tally { return tally{a.Parts + b.Parts, a.Rejected + b.Rejected} }

// rejection is a sample that was left out of an output.
type rejection struct {
	Out    string `json:"-"`
	Key    string `json:"key,omitempty"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// rejectedSuffix is what the file of an output's rejections ends in.
const rejectedSuffix = ".rejected.jsonl"

// divide does a command that makes data sets in n parts.
func divide(p *beam.Pipeline, c program, n int) (report, error) {
	s := p.Root()
	done, rejected := beam.ParDo2(s, &partFn{c, n}, spread(s, n))
	beam.ParDo0(s, &joinFn{c, n}, beam.Combine(s, add, done), beam.SideInput{Input: rejected})
	return nil, nil
}

// spread returns KV{i, [i]} of the numbers below n, on as many workers as there are. Grouping by key is what every runner does by
// sending; a Reshuffle Flink may leave out.
func spread(s beam.Scope, n int) beam.PCollection {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return beam.GroupByKey(s, beam.ParDo(s, keyed, beam.CreateList(s, numbers)))
}

func keyed(i int) (int, int) { return i, i }

// partFn does one part.
type partFn struct {
	Program program
	N       int
}

// ProcessElement does part i. It is safe to be called twice, also at once: the part has the same bytes.
func (f *partFn) ProcessElement(ctx context.Context, i int, _ func(*int) bool, done func(tally), rejected func(rejection)) error {
	begun := time.Now()
	outs, err := f.Program.part(ctx, i, f.N)
	if err != nil {
		return err
	}
	t := tally{Parts: 1}
	for _, s := range outs {
		for _, r := range s.Rejected {
			rejected(rejection{s.Out, r.Key, r.Name, r.Reason})
		}
		t.Rejected += len(s.Rejected)
	}
	partsDone.Inc(ctx, 1)
	seconds.Update(ctx, int64(time.Since(begun).Seconds()))
	done(t)
	return nil
}

// joinFn ends a command whose parts are all done.
type joinFn struct {
	Program program
	N       int
}

// ProcessElement puts the parts together, where the worker that ended last has not, and lists what was rejected.
func (f *joinFn) ProcessElement(ctx context.Context, t tally, rejected func(*rejection) bool) error {
	if t.Parts != f.N {
		return fmt.Errorf("%d of %d parts are done", t.Parts, f.N)
	}
	outs, err := f.Program.part(ctx, 0, f.N) // which finds it complete, or joins it
	if err != nil {
		return err
	}
	for _, s := range outs {
		m, err := generate.ReadManifest(generate.Output{Path: s.Out})
		if errors.Is(err, fs.ErrNotExist) && len(s.Waiting) == 0 {
			return fmt.Errorf("%s is being joined by a process of another pipeline (allowed: the same command when that is done)", s.Out)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not complete on this worker, which lacks %s (allowed: an OUT on a disk that all workers share, or s3://)",
				s.Out, strings.Join(s.Waiting, ", "))
		}
		if err != nil {
			return err
		}
		samples.Inc(ctx, int64(m.Samples))
		images.Inc(ctx, int64(m.Items))
		refused.Inc(ctx, int64(len(m.Rejected)))
	}
	return writeRejected(ctx, rejected)
}

// writeRejected writes OUT.rejected.jsonl of each output of which something was rejected, a line a sample, sorted by name. A part
// that comes late, when the output is complete, has told of all of it.
func writeRejected(ctx context.Context, rejected func(*rejection) bool) error {
	files := map[string][]rejection{}
	var r rejection
	for rejected(&r) {
		files[r.Out] = append(files[r.Out], r)
	}
	for _, out := range slices.Sorted(maps.Keys(files)) {
		rows := files[out]
		slices.SortFunc(rows, func(a, b rejection) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Key, b.Key), strings.Compare(a.Reason, b.Reason))
		})
		var text bytes.Buffer
		for _, r := range slices.Compact(rows) {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			text.Write(append(line, '\n'))
		}
		if err := write(ctx, out+rejectedSuffix, text.Bytes()); err != nil {
			return err
		}
		log.Warnf(ctx, "%s: samples that were rejected are listed in %s", out, out+rejectedSuffix)
	}
	return nil
}

// write writes a file of the disk or an object.
func write(ctx context.Context, name string, text []byte) error {
	s, err := storage.For(name)
	if err != nil {
		return err
	}
	w, err := s.Create(ctx, name, storage.CreateOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Commit()
}
