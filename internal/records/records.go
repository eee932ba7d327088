// Package records is the file of a run directory that holds a model's outputs on each single sample, so that two
// runs on the same samples can be compared in pairs: records.npz.
//
// It is a NumPy .npz file. For each scored set of samples (model, data set, corruption, severity, view and difficulty: a
// [Cell]) it has four arrays of one value a sample, in the order of the data set: rank (the rank of the true class, from 1),
// confidence, nll and brier, as in metrics.Outcome, and classes, a single number. Members are named by the cell:
//
//	MODEL/DATASET/CORRUPTION/SEVERITY/VIEW/rank
//
// each part escaped as in a URL, and "_" where it is empty. VIEW is results.View.Encode with the difficulty of sequences
// among its words where that is not 1: "difficulty=2&limit=1000". Files of version 1 of the results have words there,
// "limit 1000, difficulty 2", and are read too. That is 28 bytes a sample.
//
// What is measured otherwise than by labeled predictions has a [Series], one number a sample: the flip probability of
// each sequence of a -P form, the OOD score of each image. Its member is named by the cell and the quantity:
//
//	MODEL/DATASET/CORRUPTION/SEVERITY/VIEW/flip_probability
package records

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// FileName is the name of the file in a run directory.
const FileName = "records.npz"

// Sentinel errors.
var (
	// ErrFormat: a file that is not what this package's documentation says.
	ErrFormat = errors.New("not a file of records")
	// ErrMissing: a cell that the file does not hold.
	ErrMissing = errors.New("no such records")
)

// Cell is one scored set of samples: fields as in results.Row.
type Cell struct {
	Model, Dataset, Corruption string
	Severity                   float64
	// Difficulty of sequences where it is not the first; 0 otherwise, also for difficulty 1.
	Difficulty int
	results.View
}

const parts = 5

// name returns the cell's part of the names of its members.
func (c Cell) name() string {
	return strings.Join([]string{
		escape(c.Model), escape(c.Dataset), escape(c.Corruption), strconv.FormatFloat(c.Severity, 'f', -1, 64), escape(c.view()),
	}, "/")
}

// wordDifficulty names the difficulty among the words of a view.
const wordDifficulty = "difficulty"

// view returns the part VIEW of a name.
func (c Cell) view() string {
	word := c.View.Encode()
	if c.Difficulty != 0 {
		word = strings.TrimSuffix(wordDifficulty+"="+strconv.Itoa(c.Difficulty)+"&"+word, "&")
	}
	return word
}

// parseView reads the part VIEW of a name. series is the name of the array, which version 1 needs to be understood.
func (c *Cell) parseView(text, series string) (err error) {
	number := ""
	if strings.Contains(text, "=") {
		if rest, ok := strings.CutPrefix(text, wordDifficulty+"="); ok {
			number, text, _ = strings.Cut(rest, "&")
		}
		c.View, err = results.DecodeView(text)
	} else {
		const before = wordDifficulty + " "
		if i := strings.LastIndex(text, before); i == 0 || i > 1 && text[i-2:i] == ", " {
			number, text = text[i+len(before):], text[:max(i-2, 0)]
		}
		c.View = results.ParseText(text, series == OODScore)
	}
	if number == "" || err != nil {
		return err
	}
	if c.Difficulty, err = strconv.Atoi(number); err == nil && (c.Difficulty < 2 || c.Difficulty > 1000) {
		err = fmt.Errorf("difficulty %d (allowed: 2 to 1000)", c.Difficulty)
	}
	return err
}

func escape(s string) string {
	switch s {
	case "":
		return "_"
	case "_":
		return "%5F"
	}
	// A dot could make the part ".." for a program that unpacks the file.
	return strings.ReplaceAll(url.PathEscape(s), ".", "%2E")
}

func unescape(s string) (string, error) {
	if s == "_" {
		return "", nil
	}
	return url.PathUnescape(s)
}

// parseCell reads a cell from the name of an array without the array's own, which is series.
func parseCell(name, series string) (Cell, error) {
	f := strings.Split(name, "/")
	if len(f) != parts {
		return Cell{}, fmt.Errorf("%w: array %q (allowed: MODEL/DATASET/CORRUPTION/SEVERITY/VIEW/rank)", ErrFormat, name)
	}
	var c Cell
	var errs [parts]error
	c.Model, errs[0] = unescape(f[0])
	c.Dataset, errs[1] = unescape(f[1])
	c.Corruption, errs[2] = unescape(f[2])
	c.Severity, errs[3] = strconv.ParseFloat(f[3], 64)
	view, err := unescape(f[4])
	errs[4] = errors.Join(err, c.parseView(view, series))
	if errs[3] == nil && !(c.Severity >= 0 && c.Severity <= 5) {
		errs[3] = fmt.Errorf("severity %v (allowed: 0 to 5)", c.Severity)
	}
	if err := errors.Join(errs[:]...); err != nil {
		return Cell{}, fmt.Errorf("%w: array %q: severity 0 to 5 and parts escaped as in a URL: %w", ErrFormat, name, err)
	}
	return c, nil
}

// check refuses cells that a reader could not read back: one of them would make the whole file unreadable.
func (c Cell) check() error {
	back, err := parseCell(c.name(), "")
	if err == nil && back != c {
		err = fmt.Errorf("%w: the cell %+v would be read as %+v (allowed: text in UTF-8)", ErrFormat, c, back)
	}
	return err
}

// Samples are the outcomes of one cell, in the order of the data set. The zero value is empty and ready.
type Samples struct {
	Classes                int
	Rank                   []uint32 // of the true class, from 1: 1 is a correct prediction
	Confidence, NLL, Brier []float64
}

// Add adds the outcome of a sample. It returns an error if the outcome has no label, or another number of classes than
// those before.
func (s *Samples) Add(o *metrics.Outcome) error {
	if o.Rank == 0 {
		return fmt.Errorf("%w: row %d has no label", metrics.ErrLabel, o.Row)
	}
	if s.Classes == 0 {
		s.Classes = o.Classes
	}
	if s.Classes != o.Classes {
		return fmt.Errorf("%w: row %d has %d classes, the rows before %d", metrics.ErrLength, o.Row, o.Classes, s.Classes)
	}
	s.Rank = append(s.Rank, uint32(o.Rank))
	s.Confidence = append(s.Confidence, o.Conf)
	s.NLL = append(s.NLL, o.NLL)
	s.Brier = append(s.Brier, o.Brier)
	return nil
}

// N returns the number of samples.
func (s *Samples) N() int { return len(s.Rank) }

// Records returns the samples as the bootstrap takes them.
func (s *Samples) Records() (*metrics.Records, error) {
	var r metrics.Records
	for i, rank := range s.Rank {
		o := metrics.Outcome{
			Row: i, Classes: s.Classes, Rank: int(rank), Conf: s.Confidence[i], NLL: s.NLL[i], Brier: s.Brier[i],
		}
		if err := r.Add(&o); err != nil {
			return nil, err
		}
	}
	return &r, nil
}

// Wrong returns 1 for each sample whose prediction is wrong and 0 for the others: the top-1 errors for
// metrics.ImageGrid.
func (s *Samples) Wrong() []float64 {
	out := make([]float64, len(s.Rank))
	for i, r := range s.Rank {
		if r != 1 {
			out[i] = 1
		}
	}
	return out
}

// check says whether the samples could have been written.
func (s *Samples) check() error {
	n := len(s.Rank)
	if n == 0 || len(s.Confidence) != n || len(s.NLL) != n || len(s.Brier) != n {
		return fmt.Errorf("%w: %d ranks, %d confidences, %d losses, %d Brier scores (allowed: as many of each, not none)",
			ErrFormat, n, len(s.Confidence), len(s.NLL), len(s.Brier))
	}
	if s.Classes < 1 || s.Classes > math.MaxInt32 {
		return fmt.Errorf("%w: %d classes", ErrFormat, s.Classes)
	}
	for i, r := range s.Rank {
		switch {
		case r < 1 || int64(r) > int64(s.Classes):
			return fmt.Errorf("%w: sample %d has rank %d (allowed: 1 to %d)", ErrFormat, i, r, s.Classes)
		case !(s.Confidence[i] >= 0 && s.Confidence[i] <= 1):
			return fmt.Errorf("%w: sample %d has confidence %v (allowed: 0 to 1)", ErrFormat, i, s.Confidence[i])
		case !(s.NLL[i] >= 0) || !(s.Brier[i] >= 0 && s.Brier[i] <= 2.001):
			return fmt.Errorf("%w: sample %d has loss %v and Brier score %v (allowed: 0 and up, 0 to 2)", ErrFormat, i,
				s.NLL[i], s.Brier[i])
		}
	}
	return nil
}

// Series names one number a sample that belongs to a cell, whose samples need not be there.
type Series struct {
	Cell Cell
	Name string // of the quantity: a metric of package results, or [OODScore]
}

// OODScore is the series of how out of distribution each image looks to the model: those of the test set itself under its
// plain view, those of an out-of-distribution set with View.OOD.
const OODScore = "anomaly_score"

// Sequences returns the cell of the sequences of a perturbation at a difficulty: the cell itself at the first.
func Sequences(c Cell, difficulty int) Cell {
	if difficulty > 1 {
		c.Difficulty = difficulty
	}
	return c
}

// ofSamples are the arrays of [Samples], which no series can be called.
var ofSamples = []string{"rank", "confidence", "nll", "brier", "classes"}

// name returns the name of the member.
func (s Series) name() string { return s.Cell.name() + "/" + s.Name }

// check refuses names that the file could not tell from others.
func (s Series) check() error {
	plain := s.Name != "" && strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
	if !plain || slices.Contains(ofSamples, s.Name) {
		return fmt.Errorf("%w: a series called %q (allowed: small letters, digits and _, but none of %s)", ErrFormat, s.Name,
			strings.Join(ofSamples, ", "))
	}
	return nil
}

// checkValues says whether values could have been written.
func checkValues(v []float64) error {
	if len(v) == 0 {
		return fmt.Errorf("%w: a series without values", ErrFormat)
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: sample %d has the value %v (allowed: finite numbers)", ErrFormat, i, x)
		}
	}
	return nil
}

// Writer writes a file of records, a cell at a time. It is made by [Create].
type Writer struct{ z *npy.ZipWriter }

// Create starts a file that appears at path when [Writer.Close] succeeds, and not before.
func Create(path string) (*Writer, error) {
	z, err := npy.CreateZip(path, true)
	if err != nil {
		return nil, err
	}
	z.SignNames()
	return &Writer{z}, nil
}

// Add writes a cell. It returns an error that wraps [ErrFormat] for samples that are none and for a cell that no file can
// hold, and npy's errors, also for a cell written twice.
func (w *Writer) Add(c Cell, s *Samples) error {
	if err := errors.Join(c.check(), s.check()); err != nil {
		return err
	}
	n := []int{s.N()}
	name := c.name()
	for _, a := range []struct {
		name string
		npy.Array
	}{
		{"classes", npy.Array{Data: []uint32{uint32(s.Classes)}}},
		{"rank", npy.Array{Shape: n, Data: s.Rank}},
		{"confidence", npy.Array{Shape: n, Data: s.Confidence}},
		{"nll", npy.Array{Shape: n, Data: s.NLL}},
		{"brier", npy.Array{Shape: n, Data: s.Brier}},
	} {
		if err := w.z.Write(name+"/"+a.name, &a.Array); err != nil {
			return err
		}
	}
	return nil
}

// AddSeries writes a series. It returns an error that wraps [ErrFormat] for a cell, a name or values that no file can hold,
// and npy's errors, also for a series written twice.
func (w *Writer) AddSeries(s Series, v []float64) error {
	if err := errors.Join(s.Cell.check(), s.check(), checkValues(v)); err != nil {
		return err
	}
	return w.z.Write(s.name(), &npy.Array{Shape: []int{len(v)}, Data: v})
}

// Close completes the file.
func (w *Writer) Close() error { return w.z.Close() }

// Abort drops the file.
func (w *Writer) Abort() { w.z.Abort() }

// File is an open file of records.
type File struct {
	z      *npy.Zip
	path   string
	cells  []Cell
	series []Series
	names  map[Cell]string   // of cells, as the file has them
	arrays map[Series]string // of series
}

// Open opens a file and reads which cells it has. The caller closes it. The error wraps [ErrFormat] or npy's.
func Open(path string) (*File, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, err
	}
	f, err := newFile(z, path)
	if err != nil {
		return nil, errors.Join(err, z.Close())
	}
	return f, nil
}

// newFile reads which cells and series a file has.
func newFile(z *npy.Zip, path string) (*File, error) {
	f := &File{z: z, path: path, names: map[Cell]string{}, arrays: map[Series]string{}}
	for _, name := range z.Names() {
		i := strings.LastIndexByte(name, '/')
		cell, array := name[:max(i, 0)], name[i+1:]
		if array != "rank" && slices.Contains(ofSamples, array) {
			continue
		}
		c, err := parseCell(cell, array)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if array == "rank" {
			if f.names[c] != "" {
				return nil, fmt.Errorf("%s: %w: %q and %q are of one cell", path, ErrFormat, f.names[c], cell)
			}
			f.cells, f.names[c] = append(f.cells, c), cell
			continue
		}
		s := Series{c, array}
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("%s: array %q: %w", path, name, err)
		}
		if f.arrays[s] != "" {
			return nil, fmt.Errorf("%s: %w: %q and %q are one series", path, ErrFormat, f.arrays[s], name)
		}
		f.series, f.arrays[s] = append(f.series, s), name
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.z.Close() }

// Cells returns the cells of the file, in its order.
func (f *File) Cells() []Cell { return append([]Cell(nil), f.cells...) }

// Series returns the series of the file, in its order.
func (f *File) Series() []Series { return append([]Series(nil), f.series...) }

// ReadSeries returns the values of a series. Errors are those of [File.Read].
func (f *File) ReadSeries(s Series) ([]float64, error) {
	name := f.arrays[s]
	if name == "" {
		return nil, fmt.Errorf("%s: %w: %s", f.path, ErrMissing, s.name())
	}
	a, err := f.z.Read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	v, _ := a.Data.([]float64) // another type leaves it empty, which is refused
	if err := checkValues(v); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	return v, nil
}

// Read returns the samples of a cell. The error wraps [ErrMissing] if the file does not have it, else [ErrFormat] or
// npy's.
func (f *File) Read(c Cell) (*Samples, error) {
	name := f.names[c]
	if name == "" {
		return nil, fmt.Errorf("%s: %w: %s", f.path, ErrMissing, c.name())
	}
	s, err := f.read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.path, name, err)
	}
	return s, nil
}

func (f *File) read(name string) (*Samples, error) {
	var s Samples
	classes, err := f.z.Read(name + "/classes")
	if err != nil {
		return nil, err
	}
	if v, ok := classes.Data.([]uint32); ok && len(v) == 1 {
		s.Classes = int(v[0])
	}
	rank, err := f.z.Read(name + "/rank")
	if err != nil {
		return nil, err
	}
	s.Rank, _ = rank.Data.([]uint32) // another type leaves it empty, which check refuses
	for _, a := range []struct {
		name string
		dst  *[]float64
	}{{"confidence", &s.Confidence}, {"nll", &s.NLL}, {"brier", &s.Brier}} {
		v, err := f.z.Read(name + "/" + a.name)
		if err != nil {
			return nil, err
		}
		*a.dst, _ = v.Data.([]float64)
	}
	return &s, s.check()
}
