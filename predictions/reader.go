package predictions

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/data/storage/s3" // names may be those of objects
	"github.com/augmix-go/augmix/internal/torchfile"
	"github.com/augmix-go/augmix/metrics"
)

const (
	// maxClasses bounds a row.
	maxClasses = 1_000_000
	// batchNumbers is how many numbers a batch has: 256 KiB of float32, which stay in a core's own cache between
	// reading and scoring.
	batchNumbers = 64 << 10
	// firstRows is how many rows are read to find out how long a row is.
	firstRows = 16
)

// Options say how a file is read. The zero value reads a file that says everything itself.
type Options struct {
	Kind   Kind
	Labels *Labels // nil: those in the file, if any
	// Unlabeled passes over labels and ids in the file: images of classes that the model does not know may have any.
	Unlabeled bool
	// Repeat is how often the labels repeat in the file, 5 for the severities of the published CIFAR-10-C files; 0
	// means once.
	Repeat int
	// Frames is how many rows make a video, for flat files of sequences; arrays of three axes say it themselves.
	Frames int
	// Block, if not 0, ends batches at multiples of so many rows, so that none holds rows of two severities.
	Block int
	// Predicted allows predicted classes alone: integers [rows] or [videos, frames], or a column pred.
	Predicted bool
	// Array names the array to read of a file that holds several parts (see [Part]); its labels are not the file's own.
	Array string
	// With are files of other models for the same samples: rows are then the mean of the probabilities of all, as
	// float64. Of a Part its path and array count.
	With []Part
}

// Batch is some rows of a file. Slices are valid until the batch is used again.
type Batch struct {
	Index   int // number of the batch, from 0
	First   int // number of its first row, from 0
	Rows    int
	Classes int
	// One of the three holds the rows: Rows*Classes numbers, or Rows classes.
	F32  []float32
	F64  []float64
	Pred []int
	// Labels holds a class for each row, or nothing; IDs a number made from each row's id, its own or its label's, or nothing.
	Labels []int
	IDs    []uint64
}

// reset empties the batch.
func (b *Batch) reset() {
	b.F32, b.F64, b.Pred, b.Labels, b.IDs = b.F32[:0], b.F64[:0], b.Pred[:0], b.Labels[:0], b.IDs[:0]
	b.Rows = 0
}

// info is what a format finds out before the first row.
type info struct {
	kind    Kind
	classes int
	rows    int // -1: known only at the end
	frames  int // of arrays of three axes, else 0
	labels  bool
	ids     bool
}

// source is a file of some format.
type source interface {
	// next fills an empty batch with at most max rows, and at least one, or returns io.EOF. It may be that Classes is
	// known only here.
	next(b *Batch, max int) error
	io.Closer
}

// Reader reads the rows of one file. It is not safe for concurrent use; [Each] is for that.
type Reader struct {
	path string
	info
	opt    Options
	src    source
	first  *Batch // read ahead to look at
	row    int
	index  int
	err    error
	repeat int
}

// check refuses options that no file fits.
func (o *Options) check() error {
	if l := o.Labels; l != nil && l.IDs != nil && len(l.IDs) != len(l.Values) {
		return fmt.Errorf("%w: %d labels and %d ids in %s (allowed: an id for each label, or none)", ErrContent, len(l.Values),
			len(l.IDs), cmp.Or(l.Path, "Options.Labels"))
	}
	if o.Frames < 0 {
		return fmt.Errorf("%w: %d frames a video (allowed: 0 or more)", ErrContent, o.Frames)
	}
	return nil
}

// Open opens a file of predictions. Errors name the file and wrap one of this package's sentinels, or the operating
// system's error.
func Open(path string, opt Options) (*Reader, error) {
	part := &Part{Path: path, Array: opt.Array}
	r := &Reader{path: part.String(), opt: opt, repeat: max(opt.Repeat, 1)}
	var err error
	open := openSource
	if len(opt.With) > 0 {
		open, r.opt.Kind = openEnsemble, Unknown // the mean is of probabilities
		r.path = "ensemble of " + r.path
	}
	if err = opt.check(); err != nil {
		return nil, r.wrap(err)
	}
	if r.src, r.info, err = open(path, opt); err == nil {
		err = r.look()
		if err != nil {
			err = errors.Join(err, r.src.Close())
		}
	}
	if err != nil {
		return nil, r.wrap(err)
	}
	return r, nil
}

func (r *Reader) wrap(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if strings.HasPrefix(err.Error(), r.path) {
		return err
	}
	return fmt.Errorf("%s: %w", r.path, err)
}

// Path returns the name of the file, and of the array where it holds several parts.
func (r *Reader) Path() string { return r.path }

// Kind returns what the numbers are.
func (r *Reader) Kind() Kind { return r.kind }

// Classes returns the number of classes, 0 for [Classes].
func (r *Reader) Classes() int { return r.classes }

// Frames returns how many rows make a video, 0 if the file does not hold sequences.
func (r *Reader) Frames() int { return r.frames }

// Rows returns the number of rows if the file says it before its end, else -1.
func (r *Reader) Rows() int { return r.rows }

// Labeled reports whether batches have labels.
func (r *Reader) Labeled() bool { return r.labels || r.opt.Labels != nil }

// Identified reports whether batches have ids.
func (r *Reader) Identified() bool { return r.ids || r.opt.Labels != nil && r.opt.Labels.IDs != nil }

// Close closes the file.
func (r *Reader) Close() error { return r.src.Close() }

// look reads the first batch to check what the file is.
func (r *Reader) look() error {
	if r.frames == 0 {
		r.frames = r.opt.Frames
	} else if r.opt.Frames != 0 && r.opt.Frames != r.frames {
		return fmt.Errorf("%w: %d frames a video, asked for %d", ErrContent, r.frames, r.opt.Frames)
	}
	if r.rows >= 0 {
		if err := r.checkRows(r.rows); err != nil {
			return err
		}
	}
	b := new(Batch)
	if err := r.fill(b); err != nil {
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: no rows", ErrContent)
		}
		return err
	}
	r.first, r.classes = b, b.Classes
	return r.decideKind(b)
}

// checkRows checks the whole number of rows.
func (r *Reader) checkRows(n int) error {
	if l := r.opt.Labels; l != nil && n != r.repeat*len(l.Values) {
		if r.repeat > 1 {
			return fmt.Errorf("%w: %d rows for %d labels in %s (want %d rows, %d times as many)%s", ErrContent, n,
				len(l.Values), l.Path, r.repeat*len(l.Values), r.repeat, r.integers())
		}
		return fmt.Errorf("%w: %d rows for %d labels in %s%s", ErrContent, n, len(l.Values), l.Path, r.integers())
	}
	if r.frames > 0 && n%r.frames != 0 {
		return fmt.Errorf("%w: %d rows are not whole videos of %d frames", ErrContent, n, r.frames)
	}
	return nil
}

// decideKind settles what the numbers are.
func (r *Reader) decideKind(b *Batch) error {
	if r.kind == Classes {
		if !r.opt.Predicted {
			return fmt.Errorf("%w: predicted classes alone (integers); logits or probabilities are needed", ErrKind)
		}
		if r.opt.Kind != Unknown {
			return fmt.Errorf("%w: predicted classes alone (integers), asked for %s", ErrKind, r.opt.Kind)
		}
		return nil
	}
	if r.kind != Unknown {
		if r.opt.Kind != Unknown && r.opt.Kind != r.kind {
			return fmt.Errorf("%w: named %s in the file, asked for %s", ErrKind, r.kind, r.opt.Kind)
		}
		return nil
	}
	if r.kind = r.opt.Kind; r.kind != Unknown {
		return nil
	}
	k, sum := Unknown, 0.0
	if len(b.F32) > 0 {
		k, sum = looksLike(b.F32, b.Classes)
	} else {
		k, sum = looksLike(b.F64, b.Classes)
	}
	if k == Unknown {
		return fmt.Errorf("%w: numbers from 0 to 1 that do not sum to one (a row sums to %g); say which they are",
			ErrKind, sum)
	}
	r.kind = k
	return nil
}

// looksLike returns Unknown and the first odd sum if rows look like probabilities that are not right. NaN counts as a
// logit, which scoring then refuses.
func looksLike[F metrics.Float](rows []F, classes int) (Kind, float64) {
	odd, oddSum := false, 0.0
	for ; len(rows) >= classes; rows = rows[classes:] {
		sum := 0.0
		for _, v := range rows[:classes] {
			x := float64(v)
			if !(x >= 0 && x <= 1+metrics.ProbTolerance) {
				return Logits, 0
			}
			sum += x
		}
		if !odd && math.Abs(sum-1) > metrics.ProbTolerance {
			odd, oddSum = true, sum
		}
	}
	if odd {
		return Unknown, oddSum
	}
	return Probs, 0
}

// Next reads the next batch, or returns io.EOF after the last row. Other errors name the file, and row or line; they
// end the reading, and Next returns them again.
func (r *Reader) Next(b *Batch) error {
	if r.err == nil {
		if r.first != nil {
			*b, r.first = *r.first, nil
			return nil
		}
		r.err = r.wrap(r.fill(b))
	}
	return r.err
}

// Skip passes over the first rows before [Reader.Next] is called: at most so many, none where they would have to be read.
func (r *Reader) Skip(rows int) error {
	s, ok := r.src.(*arraySource)
	if !ok || r.first == nil {
		return nil
	}
	in, ok := s.in.(*os.File)
	n := rows - r.first.Rows // which are behind
	if !ok || n <= 0 || n > s.left {
		return nil
	}
	if _, err := in.Seek(int64(n)*int64(s.classes)*int64(s.h.ItemSize()), io.SeekCurrent); err != nil {
		return r.wrap(err)
	}
	s.at, s.left, r.row, r.first = s.at+n, s.left-n, rows, nil
	return nil
}

func (r *Reader) fill(b *Batch) error {
	b.reset()
	n := firstRows
	if r.classes > 0 || r.kind == Classes {
		n = max(batchNumbers/max(r.classes, 1), 1)
	}
	if r.frames > 0 {
		n = max(n/r.frames, 1) * r.frames
	}
	if r.opt.Block > 0 {
		n = min(n, r.opt.Block-r.row%r.opt.Block)
	}
	b.First, b.Index = r.row, r.index
	err := r.src.next(b, n)
	if err == io.EOF {
		if e := r.checkRows(r.row); e != nil {
			return e
		}
		return io.EOF
	}
	if err != nil {
		return err
	}
	if r.frames > 0 && b.Rows%r.frames != 0 {
		return fmt.Errorf("%w: the last video, after row %d, has %d frames of %d", ErrContent, r.row, b.Rows%r.frames,
			r.frames)
	}
	if err := r.label(b); err != nil {
		return err
	}
	r.row += b.Rows
	r.index++
	return nil
}

// label takes labels and ids from the labels' file.
func (r *Reader) label(b *Batch) error {
	l := r.opt.Labels
	if l == nil {
		return nil
	}
	n := len(l.Values)
	if b.First+b.Rows > n*r.repeat {
		return fmt.Errorf("%w: more than %d rows for %d labels in %s", ErrContent, n*r.repeat, n, l.Path)
	}
	own, unnamed := len(b.Labels) > 0, len(b.IDs) == 0
	for i := range b.Rows {
		at := (b.First + i) % n
		switch {
		case !own:
			b.Labels = append(b.Labels, l.Values[at])
		case b.Labels[i] != l.Values[at]:
			return fmt.Errorf("%w: row %d has label %d, in %s %d", ErrContent, b.First+i, b.Labels[i], l.Path, l.Values[at])
		}
		switch {
		case l.IDs == nil:
		case unnamed:
			b.IDs = append(b.IDs, l.IDs[at])
		case b.IDs[i] != l.IDs[at]:
			return fmt.Errorf("%w: row %d has another id than its label in %s", ErrContent, b.First+i, l.Path)
		}
	}
	return nil
}

// openSource tells the format and opens it.
func openSource(path string, opt Options) (source, info, error) {
	f, err := formatOf(path)
	if err != nil {
		return nil, info{}, err
	}
	return f.open(path, opt)
}

// format is a row of the table of formats.
type format struct {
	name       string
	extensions string
	magic      string // the file's first bytes, empty for text and where they do not tell
	open       func(path string, opt Options) (source, info, error)
	labels     func(path string) (*Labels, error)
}

func formats() []format {
	return []format{
		{"npy", ".npy", "\x93NUMPY", openNPY, labelsNPY},
		{torchFormat, ".pt .pth", "", openTorch, labelsTorch}, // formatOf knows it
		{"npz", ".npz", "PK\x03\x04", openNPZ, labelsNPZ},
		{"parquet", ".parquet .pq", "PAR1", openParquet, labelsParquet},
		{"jsonl", ".jsonl .ndjson", "", openJSONL, labelsJSONL},
		{"csv", ".csv", "", openCSV, labelsCSV},
		{"tsv", ".tsv", "", openTSV, labelsTSV},
		{"text", ".txt", "", nil, labelsText},
	}
}

// formatOf tells a file's format.
func formatOf(path string) (format, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return format{}, err
	}
	defer f.Close()
	head := make([]byte, 8)
	n, err := io.ReadFull(f, head)
	if n == 0 {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: the file is empty", ErrFormat)
		}
		return format{}, err
	}
	ext := strings.ToLower(filepath.Ext(path))
	st, err := f.Stat()
	if err != nil {
		return format{}, err
	}
	torch := st.Mode().IsRegular() && torchfile.Is(f, st.Size())
	var byName *format
	for _, f := range formats() {
		if torch && f.name == torchFormat {
			return f, nil
		}
		if f.magic != "" && strings.HasPrefix(string(head[:n]), f.magic) {
			return f, nil
		}
		if ext != "" && strings.Contains(" "+f.extensions+" ", " "+ext+" ") {
			byName = &f
		}
	}
	switch {
	case byName == nil:
		return format{}, fmt.Errorf("%w: neither its content nor its name says its format (allowed: %s)", ErrFormat,
			strings.Join(Extensions(), " "))
	case byName.magic != "", byName.name == torchFormat:
		return format{}, fmt.Errorf("%w: it does not begin as a %s file", ErrFormat, byName.name)
	}
	return *byName, nil
}

// Extensions lists the extensions of files of predictions.
func Extensions() []string {
	var out []string
	for _, f := range formats() {
		if f.open != nil {
			out = append(out, strings.Fields(f.extensions)...)
		}
	}
	return out
}

func checkClasses(n int) error {
	if n < 2 || n > maxClasses {
		return fmt.Errorf("%w: %d classes (allowed: 2 to %d)", ErrContent, n, maxClasses)
	}
	return nil
}
