package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	scores "github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int, *cellSums), error](&countFn{})
	register.Combiner1[*cellSums](&sumFn{})
	register.DoFn3x1[context.Context, int, func(*scored) bool, error](&rowsFn{})
	register.Function2x2(scoredOf)
	register.Function1x2(together)
	register.Emitter2[int, *cellSums]()
	register.Iter1[scored]()
	beam.RegisterType(reflect.TypeFor[scored]())
	beam.RegisterCoder(reflect.TypeFor[*cellSums](), (*cellSums).encode, decodeSums)
}

// report says what a pipeline that is done has found.
type report func(w io.Writer) error

// scoring is predictions of one model and how they are scored.
type scoring struct {
	Path, Out, Model, Dataset string
	Layout                    predictions.Layout
	Kind                      predictions.Kind // of all files
	Classes                   int
	Files                     []scoredFile
	Rows                      int // of all files
	Parts                     int
	Bins                      int    // of equal width
	Size                      int    // rows in an adaptive bin
	Published                 bool   // without the last adaptive bin too
	Baseline                  string // as --baseline
	Versions                  map[string]string
	Time                      time.Time
}

// scoredFile is a file of predictions.
type scoredFile struct {
	Part       predictions.Part
	Labels     string // file, empty for those in the file
	LabelCount int    // of the file of labels those that count, 0 for all
	Options    predictions.Options
	Severities []int
	First      int // number of the first cell
	Rows       int
}

// scored is the sums of a cell, encoded.
type scored struct {
	Cell int
	Sums []byte
}

// readScoring reads the command line of score, and what the files say before their rows.
func readScoring(c program, n int) (*scoring, error) {
	s := &scoring{Parts: n, Bins: metrics.DefaultWidthBins, Size: metrics.DefaultBinSize, Time: time.Now().Truncate(time.Second), Versions: versions()}
	set := flag.NewFlagSet("score", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	var labels, layout, kind, bins string
	severity := 0
	set.StringVar(&s.Out, "out", "", "")
	set.StringVar(&s.Out, "o", "", "")
	set.StringVar(&labels, "labels", "", "")
	set.StringVar(&layout, "layout", "auto", "")
	set.StringVar(&kind, "kind", "auto", "")
	set.StringVar(&bins, "bins", "", "")
	set.IntVar(&severity, "severity", 0, "")
	set.StringVar(&s.Model, "model", "", "")
	set.StringVar(&s.Dataset, "dataset", "", "")
	set.StringVar(&s.Baseline, "baseline", "auto", "")
	set.BoolVar(&s.Published, "reference-binning", false, "")
	var paths []string
	for rest := c.Args[1:]; ; {
		if err := set.Parse(rest); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%w (allowed: %s; augmix score has the others)", err, scoreFlags)
		}
		if rest = set.Args(); len(rest) == 0 {
			break
		}
		paths, rest = append(paths, rest[0]), rest[1:]
	}
	switch {
	case len(paths) != 1:
		return nil, fmt.Errorf("%d PRED (allowed: one file or folder of predictions)", len(paths))
	case s.Out == "":
		return nil, errors.New("score without -o FILE, where the rows are written")
	case storage.URL(s.Out) != "" && !storage.Remote(s.Out):
		return nil, fmt.Errorf("-o %s (allowed: a file on a disk that all workers share, or s3://)", s.Out)
	case severity < 0 || severity > predictions.Severities:
		return nil, fmt.Errorf("--severity %d (allowed: 1 to %d)", severity, predictions.Severities)
	}
	if err := cmp.Or(generate.CheckApart(s.Out, paths[0], labels), s.readBins(bins)); err != nil {
		return nil, err
	}
	for _, path := range []*string{&paths[0], &labels, &s.Out} {
		if *path != "" && !strings.HasPrefix(*path, "s3://") && !filepath.IsAbs(*path) {
			*path = filepath.Join(c.Dir, *path)
		}
	}
	if b := &s.Baseline; !slices.Contains([]string{"auto", "alexnet", "none"}, *b) && !filepath.IsAbs(*b) {
		*b = filepath.Join(c.Dir, *b)
	}
	s.Path = paths[0]
	if strings.HasPrefix(s.Path, "s3://") {
		return nil, fmt.Errorf("%s (allowed: predictions on a disk that all workers share)", s.Path)
	}
	if _, err := s.baseline(); err != nil {
		return nil, err
	}
	if s.Model == "" {
		s.Model = results.ModelName(s.Path)
	}
	k, err := predictions.ParseKind(kind)
	if err != nil {
		return nil, err
	}
	return s, s.find(predictions.Layout(layout), k, labels, severity)
}

const scoreFlags = "--baseline, --bins, --dataset, --kind, --labels, --layout, --model, -o, --out, --reference-binning, --severity"

// readBins reads --bins, as augmix does.
func (s *scoring) readBins(text string) error {
	for b := range strings.SplitSeq(text, ",") {
		how, number, _ := strings.Cut(b, ":")
		n, err := strconv.Atoi(number)
		switch {
		case text == "":
		case err == nil && n > 0 && how == "adaptive":
			s.Size = n
		case err == nil && n > 0 && n <= 10000 && how == "equal":
			s.Bins = n
		default:
			return fmt.Errorf("--bins %s (allowed: adaptive:N, N rows in a bin; equal:N, 1 to 10000 bins)", b)
		}
	}
	return nil
}

func (s *scoring) baseline() (score.Baseline, error) {
	switch s.Baseline {
	case "auto":
		return score.Baseline{}, nil
	case "alexnet":
		return score.Baseline{Required: true}, nil
	case "none":
		return score.Baseline{None: true}, nil
	}
	return score.ReadBaseline(s.Baseline)
}

// versions are those of rows.
func versions() map[string]string {
	v := map[string]string{"go": runtime.Version(), "augmix-beam": "(devel)"}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v["augmix-beam"] = info.Main.Version
	}
	return v
}

// find lists the files.
func (s *scoring) find(layout predictions.Layout, kind predictions.Kind, labels string, severity int) error {
	set, err := predictions.Find(s.Path, layout)
	if err != nil {
		return err
	}
	if s.Layout = set.Layout; s.Layout == predictions.P {
		return errors.New("layout p (allowed: single, cifar-c, imagenet-c; augmix score has videos)")
	}
	cells := 0
	for i := range set.Parts {
		f := scoredFile{Part: set.Parts[i], Labels: labels, First: cells, Options: predictions.Options{Kind: kind, Array: set.Parts[i].Array}}
		for _, other := range []string{f.Part.Labels, set.Labels} {
			if f.Labels == "" {
				f.Labels = other
			}
		}
		if err := s.look(&f, severity); err != nil {
			return err
		}
		cells += len(f.Severities)
		s.Rows += f.Rows
		s.Files = append(s.Files, f)
	}
	return s.name()
}

// look asks a file how many rows it has, of what and of which severities.
func (s *scoring) look(f *scoredFile, severity int) error {
	opt, err := f.open()
	if err != nil {
		return err
	}
	f.Severities = []int{f.Part.Severity}
	if s.Layout == predictions.CIFARC {
		before := opt.Labels
		if f.Severities, err = score.Blocks(&f.Part, &opt, severity); err != nil {
			return err
		}
		if opt.Labels != before {
			f.LabelCount = len(opt.Labels.Values)
		}
		f.Options.Block, f.Options.Repeat = opt.Block, opt.Repeat
	}
	in, err := predictions.Open(f.Part.Path, opt)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	switch {
	case !in.Labeled():
		return fmt.Errorf("%w: %s has none, in it or beside it; --labels gives them", score.ErrNoLabels, &f.Part)
	case in.Frames() > 0:
		return fmt.Errorf("%s holds videos (allowed: rows of single images)", &f.Part)
	case s.Kind != predictions.Unknown && (in.Kind() != s.Kind || in.Classes() != s.Classes):
		return fmt.Errorf("%s has %s of %d classes, %s has %s of %d", &f.Part, in.Kind(), in.Classes(), &s.Files[0].Part, s.Kind, s.Classes)
	}
	s.Kind, s.Classes = in.Kind(), in.Classes()
	f.Options.Kind = s.Kind
	f.Rows, err = predictions.Count(f.Part.Path, opt)
	return err
}

// open returns the options for the file, with its labels.
func (f *scoredFile) open() (predictions.Options, error) {
	opt := f.Options
	if f.Labels == "" {
		return opt, nil
	}
	var err error
	if opt.Labels, err = predictions.ReadLabels(f.Labels); err == nil && f.LabelCount > 0 {
		l := opt.Labels
		l.Values = l.Values[:f.LabelCount]
		l.IDs = l.IDs[:min(len(l.IDs), f.LabelCount)]
		if len(l.IDs) == 0 {
			l.IDs = nil
		}
	}
	return opt, err
}

// name finds the data set's name, where it was not said, and the benchmark.
func (s *scoring) name() error {
	names := s.names()
	switch {
	case s.Layout == predictions.Single && s.Dataset == "":
		if s.Dataset = results.ByClasses(s.Classes); s.Dataset == "" {
			s.Dataset = "own"
		}
	case s.Dataset == "":
		if s.Dataset = score.GuessBenchmark(names, s.Classes, metrics.CorruptionKind); s.Dataset == "" {
			return fmt.Errorf("%s: no published benchmark has %d classes and one of %s (allowed: --dataset NAME)", s.Path, s.Classes, strings.Join(names, ", "))
		}
	}
	profile, err := s.profile()
	if err != nil || profile == nil {
		return err
	}
	known := metrics.NewGrid(profile, metrics.Other)
	for _, f := range s.Files {
		for _, severity := range f.Severities {
			if f.Part.Name != "" {
				if err := known.Set(f.Part.Name, severity, 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *scoring) names() (names []string) {
	for _, f := range s.Files {
		if name := f.Part.Name; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// profile returns the benchmark, nil for clean images.
func (s *scoring) profile() (*metrics.Profile, error) {
	if s.Layout == predictions.Single {
		return nil, nil
	}
	return score.BenchmarkOf(s.Dataset, metrics.CorruptionKind, s.names())
}

// scorePredictions scores saved predictions in n parts, each a range of the rows of all files.
func scorePredictions(p *beam.Pipeline, c program, n int) (report, error) {
	s, err := readScoring(c, n)
	if err != nil {
		return nil, err
	}
	root := p.Root()
	cells := beam.CombinePerKey(root, &sumFn{}, beam.ParDo(root, &countFn{*s}, spread(root, n)))
	all := beam.GroupByKey(root, beam.ParDo(root, together, beam.ParDo(root, scoredOf, cells)))
	beam.ParDo0(root, &rowsFn{*s}, all)
	return s.report, nil
}

func scoredOf(cell int, s *cellSums) (scored, error) {
	text, err := s.encode()
	return scored{cell, text}, err
}

func together(s scored) (int, scored) { return 0, s }

// countFn makes sums of one part of the rows.
type countFn struct{ Scoring scoring }

// ProcessElement does part i, again if it has to: it changes nothing.
func (f *countFn) ProcessElement(ctx context.Context, i int, _ func(*int) bool, cells func(int, *cellSums)) error {
	s := &f.Scoring
	from, to := i*s.Rows/s.Parts, (i+1)*s.Rows/s.Parts
	for k := range s.Files {
		file := &s.Files[k]
		if a, b := max(from, 0), min(to, file.Rows); a < b {
			all, err := s.count(ctx, file, a, b)
			if err != nil {
				return err
			}
			for c, sums := range all {
				if sums.Rows > 0 {
					cells(file.First+c, sums)
				}
			}
		}
		from, to = from-file.Rows, to-file.Rows
	}
	partsDone.Inc(ctx, 1)
	return nil
}

// count makes sums of rows from to to of a file, of each severity in it.
func (s *scoring) count(ctx context.Context, f *scoredFile, from, to int) ([]*cellSums, error) {
	var all []*cellSums
	for range f.Severities {
		all = append(all, newSums(s.Classes, s.Bins))
	}
	opt, err := f.open()
	if err != nil {
		return nil, err
	}
	in, err := predictions.Open(f.Part.Path, opt)
	if err != nil {
		return nil, err
	}
	defer in.Close() // only read
	if err := in.Skip(from); err != nil {
		return nil, err
	}
	var b predictions.Batch
	for row := from; row < to; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := in.Next(&b); err != nil {
			return nil, fmt.Errorf("%s: row %d of %d: %w", &f.Part, row, f.Rows, err)
		}
		for ; row >= b.First && row < min(to, b.First+b.Rows); row++ {
			o, err := outcome(&b, row, s.Kind)
			cell, image := 0, row
			if block := opt.Block; block > 0 {
				cell, image = row/block, row%block
			}
			if err == nil {
				err = all[cell].add(image, &o)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", &f.Part, err)
			}
		}
	}
	if to < f.Rows {
		return all, nil
	}
	if err := in.Next(&b); !errors.Is(err, io.EOF) { // what only the end says, and files that grew
		return nil, fmt.Errorf("%s: the file has not the %d rows that it had: %w", &f.Part, f.Rows, err)
	}
	return all, nil
}

// outcome scores a row of a batch.
func outcome(b *predictions.Batch, row int, kind predictions.Kind) (metrics.Outcome, error) {
	i := row - b.First
	label := b.Labels[i]
	if label < 0 {
		return metrics.Outcome{}, fmt.Errorf("%w: row %d: %d (allowed: 0 to %d)", metrics.ErrLabel, row, label, b.Classes-1)
	}
	if len(b.F32) > 0 {
		return outcomeOf(b.F32[i*b.Classes:][:b.Classes], row, label, kind)
	}
	return outcomeOf(b.F64[i*b.Classes:][:b.Classes], row, label, kind)
}

func outcomeOf[F metrics.Float](values []F, row, label int, kind predictions.Kind) (metrics.Outcome, error) {
	if kind == predictions.Probs {
		return metrics.ScoreProbs(row, values, label)
	}
	return metrics.Score(row, values, label)
}

// sumFn adds the sums of a cell.
type sumFn struct{}

// CreateAccumulator returns sums of nothing.
func (*sumFn) CreateAccumulator() *cellSums { return &cellSums{} }

// MergeAccumulators changes neither.
func (*sumFn) MergeAccumulators(a, b *cellSums) *cellSums { return merged(a, b) }

// rowsFn makes the rows.
type rowsFn struct{ Scoring scoring }

// ProcessElement takes the cells and writes the rows, the same when it is called again.
func (f *rowsFn) ProcessElement(ctx context.Context, _ int, cells func(*scored) bool) error {
	s := &f.Scoring
	all := map[int]*cellSums{}
	var c scored
	for cells(&c) {
		var err error
		if all[c.Cell], err = decodeSums(c.Sums); err != nil {
			return err
		}
	}
	rows, err := s.rows(all)
	if err != nil {
		return err
	}
	var text []byte
	for i := range rows {
		if text, err = rows[i].AppendLine(text); err != nil {
			return err
		}
	}
	return write(ctx, s.Out, text)
}

// report prints the rows that a pipeline wrote as augmix score does.
func (s *scoring) report(w io.Writer) error {
	if strings.HasPrefix(s.Out, "s3://") {
		_, err := fmt.Fprintf(w, "augmix-beam: the rows are in %s\n", terminal.OneLine(s.Out))
		return err
	}
	read, err := results.ReadFile(s.Out)
	if err != nil {
		return err
	}
	r := &score.Result{Model: s.Model, Dataset: s.Dataset, Rows: results.Rows(read)}
	if r.Benchmark, err = s.profile(); err != nil {
		return err
	}
	var cells []results.Row
	for _, row := range r.Rows {
		if row.Severity > 0 && row.Corruption != "" || row.Corruption == "" && row.Dataset == results.Base(s.Dataset) {
			cells = append(cells, row)
		}
	}
	_, notes, err := s.means(cells)
	if err != nil {
		return err
	}
	r.Path, r.Layout, r.Kind, r.Classes = s.Path, s.Layout, s.Kind, s.Classes
	r.Notes = append(notes, bounds(r)...)
	var text bytes.Buffer
	scores.WriteScores(&text, []*score.Result{r}, nil, false)
	_, err = w.Write(text.Bytes())
	return err
}

// bounds says of each approximate number that is shown first how far off it is at most.
func bounds(r *score.Result) (notes []string) {
	for _, l := range r.Summary() {
		if bound := l.Row.Versions[approximate]; bound != "" {
			notes = append(notes, fmt.Sprintf("%s: %s of what all rows in order would give", l.Label, bound))
		}
	}
	return notes
}
