package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
	"github.com/augmix-go/augmix/transform"
)

// PerturbationSuite says which -P form to measure.
type PerturbationSuite struct {
	Names      []string // perturbations, in order
	Difficulty int      // 1 to 3: which noise files, and how many frames lie between those that are compared otherwise

	// The form is made on the fly of the clean sets that Open returns, by Plan (whose Names and Difficulties are not
	// used) and Seed, ...
	Open func() (data.Source, error)
	Plan transform.Perturbations
	Seed uint64

	// ... or, where Dir is not empty, read from there, and prepared.
	Dir     string
	Prepare Prepare
	// Clean is what the form in Dir is compared with; nil: with nothing.
	Clean *CleanSet
	disk  *diskForm // what came of it
}

func (p *PerturbationSuite) seed() *uint64 {
	if p.Dir != "" {
		return nil
	}
	return &p.Seed
}

// file returns the name of the files of a perturbation: those of noises carry the difficulty, gaussian_noise_2.
func (p *PerturbationSuite) file(name string) string {
	if p.Difficulty > 1 && metrics.IsNoise(name) {
		return name + "_" + strconv.Itoa(p.Difficulty)
	}
	return name
}

// Perturbations measures a perturbed form of the data set: flip probability and top-5 distance of each perturbation,
// and the benchmark's means where all of its perturbations are there. The error wraps transform.ErrOption for names of none, and
// ErrOption for another difficulty.
func (e *Evaluator) Perturbations(ctx context.Context, p *PerturbationSuite) error {
	if p.Difficulty < 1 || p.Difficulty > perturb.Difficulties {
		return option.Errorf(ErrOption, "{difficulty} %d (allowed: 1 to %d)", p.Difficulty, perturb.Difficulties)
	}
	if p.Dir == "" {
		plan := p.Plan
		plan.Names, plan.Difficulties = p.Names, []int{1}
		if err := plan.Check(); err != nil {
			return err
		}
	}
	if err := e.comparePerturbations(ctx, p); err != nil {
		return err
	}
	dataset := e.Dataset + results.SuffixP
	book, _, err := e.book(dataset, metrics.PerturbationKind, p.Names, p.disk.samples(e.Data))
	if err != nil {
		return err
	}
	for _, name := range p.Names {
		base, err := e.perturbationBase(p, name)
		if err != nil {
			return err
		}
		rows := e.knownPerturbation(p, base)
		if rows != nil {
			e.reuse(name, rows)
		} else {
			if rows, err = e.perturbation(ctx, p, base); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := e.put(rows...); err != nil {
				return err
			}
		}
		book.Add(rows...)
	}
	base := e.base(dataset, p.seed())
	p.disk.mark(&base)
	base.Difficulty = p.Difficulty
	rows, _, err := book.BenchmarkMeans(base, score.Baseline{})
	if err != nil {
		return err
	}
	return e.put(rows...)
}

// spreadSequences is what rows say of some of the sequences of a folder. Older versions took its first ones and did not say it.
const spreadSequences = ", sequences evenly spread"

// perturbationBase returns the row of a perturbation without the measurement.
func (e *Evaluator) perturbationBase(p *PerturbationSuite, name string) (results.Row, error) {
	base := e.base(e.Dataset+results.SuffixP, p.seed())
	p.disk.mark(&base)
	base.Corruption, base.Difficulty = name, p.Difficulty
	if p.Dir == "" {
		return base, e.ofImages(&base, e.read(p.text()))
	}
	how := p.text()
	if path := filepath.Join(p.Dir, p.file(name)); e.Limit > 0 && !isThere(path+".npy") {
		if !isThere(path) { // what was measured of it stays
			return base, nil
		}
		how += spreadSequences
	}
	if err := e.ofImages(&base, p.disk.text(how)); err != nil {
		return base, err
	}
	return base, e.ofFiles(&base, filepath.Join(p.Dir, p.file(name)), func() (string, error) { return p.glance(name) })
}

// knownPerturbation returns the rows of a perturbation that an earlier run made, nil where they are not complete.
func (e *Evaluator) knownPerturbation(p *PerturbationSuite, base results.Row) []results.Row {
	rows := e.known(base, []string{results.FlipProbability}, []float64{0})
	if e.logitsThere(base, p.file(base.Corruption), nil) && e.Records.hasSeries(flipSeries(base)) {
		return rows
	}
	return nil
}

// videos collects frames, which arrive in order, to sequences.
type videos struct {
	cell    *score.Cell
	classes int
	save    *saver
	key     string    // of the sequence at hand
	logits  []float32 // of its frames so far
	label   int
	// ended is told of a sequence that was measured, with its logits; nil: nobody listens.
	ended func(label int, logits []float32) error
}

func (v *videos) add(t *part, logits []float32) error {
	if t.frame == 0 {
		if err := v.end(); err != nil {
			return err
		}
		v.key, v.label = t.key, t.label
	}
	v.logits = append(v.logits, logits...)
	return nil
}

// end measures the sequence at hand.
func (v *videos) end() error {
	if len(v.logits) == 0 {
		return nil
	}
	err := v.saveRow(v.label, v.logits)
	if err == nil {
		err = score.AddVideo(v.cell, v.logits, v.classes)
	}
	if err == nil && v.ended != nil {
		err = v.ended(v.label, v.logits)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.key, err)
	}
	v.logits = v.logits[:0]
	return nil
}

// saveRow saves the logits of a sequence, where that is wanted.
func (v *videos) saveRow(label int, logits []float32) error {
	if v.save.paths == nil {
		return nil
	}
	frames := len(logits) / v.classes
	if v.save.frames != 0 && v.save.frames != frames {
		return fmt.Errorf("%w: a sequence of %d frames, those before it have %d", data.ErrFormat, frames, v.save.frames)
	}
	v.save.frames = frames
	return v.save.row(0, label, logits)
}

// perturbation measures one perturbation.
func (e *Evaluator) perturbation(ctx context.Context, p *PerturbationSuite, base results.Row) ([]results.Row, error) {
	k, err := e.tallied(base, nil)
	if k == nil && err == nil {
		k, err = e.measurePerturbation(ctx, p, base)
	}
	if err != nil {
		return nil, err
	}
	defer k.save.abort()
	cell := k.cells[0]
	if cell.N() == 0 {
		return nil, fmt.Errorf("%w: no sequence", data.ErrFormat)
	}
	rows, _, err := cell.Rows(base, score.Metrics{})
	if err == nil {
		err = e.agree(rows)
	}
	if err != nil {
		return nil, err
	}
	if err := k.save.commit(); err != nil {
		return nil, err
	}
	flips, top5 := cell.Videos()
	e.Records.putSeries(flipSeries(base), flips)
	e.Records.putSeries(top5Series(base), top5)
	return rows, e.Records.write()
}

// measurePerturbation sends a perturbation to the model.
func (e *Evaluator) measurePerturbation(ctx context.Context, p *PerturbationSuite, base results.Row) (*tally, error) {
	k, err := e.tallySequences(base, p.file(base.Corruption))
	if err != nil {
		return nil, err
	}
	s := e.stream(k.add)
	s.shown(p.form(base.Corruption), nil)
	if p.Dir != "" {
		err = e.perturbationFromDisk(ctx, p, base.Corruption, s)
	} else {
		err = e.perturbationOnTheFly(ctx, p, base.Corruption, s)
	}
	if err == nil {
		err = k.videos.end()
	}
	if err != nil {
		k.save.abort()
		return nil, err
	}
	return k, nil
}

// form says what frames of a perturbation are.
func (p *PerturbationSuite) form(name string) Form {
	return Form{Suite: suiteP, Corruption: p.file(name)}
}

// planOf is the plan of one perturbation.
func (p *PerturbationSuite) planOf(name string) *transform.Perturbations {
	plan := p.Plan
	plan.Names, plan.Difficulties = []string{name}, []int{1}
	if metrics.IsNoise(name) {
		plan.Difficulties = []int{p.Difficulty}
	}
	return &plan
}

// flipSeries names the flip probabilities of the sequences behind a row.
func flipSeries(base results.Row) records.Series {
	return records.Series{Cell: records.Sequences(cellOf(base, 0), base.Difficulty), Name: results.FlipProbability}
}

// top5Series names their top-5 distances.
func top5Series(base results.Row) records.Series {
	return records.Series{Cell: records.Sequences(cellOf(base, 0), base.Difficulty), Name: results.Top5Distance}
}

func (e *Evaluator) perturbationOnTheFly(ctx context.Context, p *PerturbationSuite, name string, s *stream) error {
	src, err := p.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	j := job{
		source: data.Limit(src, e.Limit), expander: p.planOf(name).Transform, seed: p.Seed, workers: e.Workers,
		report: e.reporter(name),
	}
	_, err = j.run(ctx, s)
	return err
}

// perturbationFromDisk reads NAME.npy, uint8 [N, frames, H, W, 3] or 1, or the folder NAME of sequences of images.
func (e *Evaluator) perturbationFromDisk(ctx context.Context, p *PerturbationSuite, name string, s *stream) error {
	file := filepath.Join(p.Dir, p.file(name)+".npy")
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return e.frameFolder(ctx, p, filepath.Join(p.Dir, p.file(name)), s)
	}
	if err != nil {
		return err
	}
	src, err := openFrames(file)
	if err != nil {
		return err
	}
	defer src.Close()
	if e.Limit > 0 {
		src.taken = min(src.videos, e.Limit)
	}
	s.stamp = func(t *part) error {
		t.frame = t.row % src.frames
		return nil
	}
	j := job{source: src, expander: p.Prepare.expander, workers: e.Workers, report: e.reporter(file)}
	_, err = j.run(ctx, s)
	return err
}

// errEnough ends a run that has seen as many sequences as it was to look at.
var errEnough = errors.New("enough sequences")

// frameFolder reads a tree of frames as single images and puts them together by their keys: IMAGE/frame-00 in
// folders, IMAGE-00 in shards.
func (e *Evaluator) frameFolder(ctx context.Context, p *PerturbationSuite, dir string, s *stream) error {
	src, err := formats.Open(dir, formats.Options{})
	if err != nil {
		return err
	}
	defer src.Close()
	var some data.Source
	if at := p.disk.taken(dir); at != nil {
		some, err = theseSequences(src, at)
	} else {
		some, err = someSequences(src, e.Limit)
	}
	if err != nil {
		return err
	}
	last, frame, count := "", 0, 0
	s.stamp = func(t *part) error {
		video, err := videoOf(t.key)
		if err != nil {
			return err
		}
		if frame++; video != last || count == 0 {
			last, frame = video, 0
			count++
		}
		if e.Limit > 0 && count > e.Limit {
			return errEnough
		}
		t.frame, t.key = frame, video
		return nil
	}
	j := job{source: some, expander: p.Prepare.expander, workers: e.Workers, report: e.reporter(dir)}
	if _, err = j.run(ctx, s); errors.Is(err, errEnough) {
		err = s.flush()
	}
	return err
}

// someSequences returns the frames of n sequences, evenly spread as data.Limit spreads samples, of all for n 0. Of a source that is
// read from front to end that is the source itself.
func someSequences(src data.Source, n int) (data.Source, error) {
	all, ok := src.(data.Indexed)
	if !ok || n <= 0 {
		return src, nil
	}
	starts, err := startsOf(all)
	if err != nil || n >= len(starts) {
		return src, err
	}
	return theseOf(src, starts, all.Len(), limitOf(len(starts), n, true)), nil
}

// theseSequences returns the frames of the sequences at the given places.
func theseSequences(src data.Source, at []int) (data.Source, error) {
	all, ok := src.(data.Indexed)
	if !ok {
		return nil, fmt.Errorf("%w: sequences of format %s can only be read from front to end, and those of the samples that are looked at "+
			"are picked from files", data.ErrUnsupported, src.Info().Format)
	}
	starts, err := startsOf(all)
	if err != nil {
		return nil, err
	}
	return theseOf(src, starts, all.Len(), at), nil
}

// startsOf returns the first frame of every sequence.
func startsOf(all data.Indexed) (starts []int, err error) {
	var s data.Sample
	last := ""
	for i := range all.Len() {
		if err := data.Describe(all, i, &s); err != nil {
			return nil, err
		}
		video, err := videoOf(s.Key)
		if err != nil {
			return nil, err
		}
		if i == 0 || video != last {
			starts, last = append(starts, i), video
		}
	}
	return starts, nil
}

// theseOf returns the frames of some sequences of a source of n frames, whose sequences have the given first ones.
func theseOf(src data.Source, starts []int, n int, at []int) data.Source {
	ends := append(slices.Clone(starts[1:]), n)
	var rows []int
	for _, k := range at {
		for i := starts[k]; i < ends[k]; i++ {
			rows = append(rows, i)
		}
	}
	return data.Select(src, rows)
}

// videoOf returns the key of the sequence that a frame belongs to.
func videoOf(key string) (string, error) {
	dir, base := path.Split(key)
	if strings.HasPrefix(base, "frame-") && dir != "" {
		return dir[:len(dir)-1], nil
	}
	i := strings.LastIndexByte(base, '-')
	if i < 1 || i+1 == len(base) || strings.Trim(base[i+1:], "0123456789") != "" {
		return "", fmt.Errorf("%w: %s is not named as a frame (allowed: IMAGE/frame-00, IMAGE-00; animations are to look at)",
			data.ErrFormat, key)
	}
	return dir + base[:i], nil
}

// frames is an array of sequences as a source of single images.
type frames struct {
	f interface {
		io.ReaderAt
		io.Closer
	}
	name                 string
	offset               int64
	videos, frames, h, w int
	channels             int // 1 or 3
	taken                int // sequences that are looked at, spread over all
	cursor               data.Cursor
}

// openFrames opens an npy file uint8 [N, frames, H, W, 3], or gray with 1, which must hold what it declares.
func openFrames(name string) (*frames, error) {
	f, err := data.OpenFile(name)
	if err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) (*frames, error) {
		_ = f.Close()
		return nil, fmt.Errorf("%w: %s: %w", data.ErrFormat, name, fmt.Errorf(format, args...))
	}
	h, n, err := npy.ReadHeader(f)
	if err != nil {
		return fail("%v", err)
	}
	d := h.Shape
	if h.DType != "|u1" || h.Fortran || len(d) != 5 || d[4] != 3 && d[4] != 1 || slices.Min(d) < 1 {
		return fail("an array %s %v (allowed: |u1 [N, frames, H, W, 3] or [N, frames, H, W, 1])", h.DType, d)
	}
	if err := data.CheckSize(d[3], d[2]); err != nil {
		return fail("an array %v: %w", d, err)
	}
	size, err := h.Len()
	st, err2 := f.Stat()
	if err = errors.Join(err, err2); err != nil {
		return fail("%v", err)
	}
	if st.Size()-int64(n) < int64(size) {
		return fail("it declares %d bytes and holds %d", size, st.Size()-int64(n))
	}
	return &frames{f: f, name: name, offset: int64(n), videos: d[0], taken: d[0], frames: d[1], h: d[2], w: d[3], channels: d[4]}, nil
}

// Info describes the array.
func (s *frames) Info() data.Info { return data.Info{Format: "npy", Len: s.Len()} }

// Len returns the number of frames of the sequences that are looked at.
func (s *frames) Len() int { return s.taken * s.frames }

// Read reads frame i.
func (s *frames) Read(i int, t *data.Sample) error {
	video, frame := i/s.frames*s.videos/s.taken, i%s.frames
	t.Key = fmt.Sprintf("%d-%02d", video, frame)
	t.Index, t.Label, t.Ext, t.Form, t.W, t.H = i, data.NoLabel, "", data.RGB, s.w, s.h
	t.Name = fmt.Sprintf("%s sequence %d, frame %d", s.name, video, frame)
	if s.channels == 1 {
		t.Form = data.GrayForm
	}
	size := s.channels * s.w * s.h
	if cap(t.Data) < size {
		t.Data = make([]byte, size)
	}
	t.Data = t.Data[:size]
	_, err := s.f.ReadAt(t.Data, s.offset+int64(video*s.frames+frame)*int64(size))
	return err
}

// Next reads the next frame.
func (s *frames) Next(t *data.Sample) error { return s.cursor.Next(s, t) }

// Close closes the file.
func (s *frames) Close() error { return s.f.Close() }
