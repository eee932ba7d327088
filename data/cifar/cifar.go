// Package cifar reads CIFAR-10 and CIFAR-100 as they are published, in the binary version and in the Python version,
// and writes the binary version.
//
// The binary version is records of one label byte (CIFAR-10) or a coarse and a fine label byte (CIFAR-100) and 3,072
// bytes of image: the red, the green and the blue plane of 32 by 32 pixels, rows from the top. The Python version is
// one pickled dict a file with the same bytes as a NumPy array; see package pickle for why reading it is safe. Both are also
// read straight from the .tar.gz they are published in.
//
// Samples have the form [data.Planar], 32 by 32, and keys such as "data_batch_3/0042" or "train/00042": the file's name
// without its extension and the record's number from 0, padded to the width of the file's last number and to at least
// four digits. Key, label, order and pixels are the same whichever version and container a data set lies in.
//
// Source: A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", 2009, and the file description at
// https://www.cs.toronto.edu/~kriz/cifar.html.
package cifar

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Side is the width and the height of every image.
const Side = 32

const pixels = 3 * Side * Side

// Kind tells the two data sets apart.
type Kind uint8

// The kinds. Auto means whichever the files are.
const (
	Auto Kind = iota
	CIFAR10
	CIFAR100
)

// String returns the kind's name in [data.Info]: "cifar10", "cifar100", or "cifar" for [Auto].
func (k Kind) String() string {
	switch k {
	case CIFAR10:
		return "cifar10"
	case CIFAR100:
		return "cifar100"
	}
	return "cifar"
}

// head returns the number of label bytes at the start of a record.
func (k Kind) head() int {
	if k == CIFAR100 {
		return 2
	}
	return 1
}

// Split names a part of the data set.
type Split string

// The splits. Anything is not a third part but the zero value: it takes the part a folder has, and is rejected where a
// folder has both, so that nobody trains on test images by leaving an option out.
const (
	Anything Split = ""
	Train    Split = "train" // data_batch_1 ..., or train
	Test     Split = "test"  // test_batch, or test
	All      Split = "all"   // train, then test
)

// Options selects what [Open] reads.
type Options struct {
	Kind   Kind  // Auto: detected by the files' names, sizes and contents
	Split  Split // of a folder or an archive; for a single file it must be Anything
	Coarse bool  // CIFAR-100: the 20 coarse labels instead of the 100 fine ones
}

// Set is an open data set of files on disk. It is a [data.Indexed].
type Set struct {
	info    data.Info
	batches []*batch
	starts  []int // index of each batch's first sample, and the total
	files   []storage.File
	paths   []string // of files
	cursor  data.Cursor
}

var _ data.Indexed = (*Set)(nil)

// Files returns the paths of the data files.
func (s *Set) Files() []string {
	return slices.Clone(s.paths)
}

// Open opens a data set: a folder with the published file names (or one that holds such a folder under its published
// name), a single data file of either version, or a .tar or .tar.gz archive of such a folder. The source of a folder or
// a file is a [*Set], that of an archive a [*Archive].
//
// A folder must hold all files of the split: data_batch_1 to data_batch_5, with no gap where there are more. Errors
// wrap [data.ErrFormat] (a length that is no integer of records, a broken pickle or archive), [data.ErrUnsafe] (a
// pickle that names a class, an archive entry that points outside), [data.ErrUnsupported] or a file-system error, and
// name the file.
func Open(path string, o Options) (data.Source, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	st, err := storage.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return openFolder(path, o)
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is neither a folder nor a regular file", data.ErrUnsupported, path)
	}
	isTar, err := sniffArchive(path)
	if err != nil {
		return nil, err
	}
	if isTar {
		return openArchive(path, o)
	}
	return openFile(path, o)
}

func (o Options) check() error {
	switch o.Split {
	case Anything, Train, Test, All:
	default:
		return fmt.Errorf("%w: split %q (allowed: train, test, all)", data.ErrUnsupported, o.Split)
	}
	if o.Kind > CIFAR100 {
		return fmt.Errorf("%w: kind %d (allowed: cifar10, cifar100)", data.ErrUnsupported, o.Kind)
	}
	if o.Coarse && o.Kind == CIFAR10 {
		return fmt.Errorf("%w: CIFAR-10 has no coarse labels", data.ErrUnsupported)
	}
	return nil
}

// openFolder opens the published files of a folder.
func openFolder(dir string, o Options) (*Set, error) {
	dir, names, err := findFiles(dir)
	if err != nil {
		return nil, err
	}
	parts, err := choose(names, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var s Set
	if err := s.open(dir, parts, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &s, nil
}

// findFiles returns the names of the regular files in dir or, when none of them is CIFAR's, in the one folder below it
// that has a published name.
func findFiles(dir string) (at string, names []string, err error) {
	names, err = regularFiles(dir)
	if err != nil {
		return "", nil, err
	}
	for _, n := range names {
		if _, ok := parsePart(n); ok {
			return dir, names, nil
		}
	}
	var below []string
	for _, sub := range publishedFolders {
		if st, err := storage.Stat(storage.Join(dir, sub)); err == nil && st.IsDir() {
			below = append(below, storage.Join(dir, sub))
		}
	}
	if len(below) > 1 {
		return "", nil, fmt.Errorf("%w: %s holds several data sets, name one: %q", data.ErrFormat, dir, below)
	}
	if len(below) == 0 {
		return dir, names, nil
	}
	names, err = regularFiles(below[0])
	return below[0], names, err
}

func regularFiles(dir string) ([]string, error) {
	entries, err := storage.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		st, err := storage.Stat(storage.Join(dir, e.Name())) // follows links, which data folders often are made of
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if st.Mode().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// openFile opens one data file.
func openFile(path string, o Options) (*Set, error) {
	if o.Split != Anything {
		return nil, fmt.Errorf("%s: %w: split %q of a single file", path, data.ErrUnsupported, o.Split)
	}
	p, err := identify(path, o.Kind)
	if err != nil {
		return nil, err
	}
	var s Set
	if err := s.open(storage.Dir(path), []part{p}, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &s, nil
}

// open opens the parts, all of one kind and version, in order.
func (s *Set) open(dir string, parts []part, o Options) error {
	meta, err := readMeta(parts[0], func(name string) ([]byte, error) {
		return data.ReadFile(nil, storage.Join(dir, name), maxMeta)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if o.Coarse && parts[0].kind != CIFAR100 {
		return fmt.Errorf("%s: %w: CIFAR-10 has no coarse labels", dir, data.ErrUnsupported)
	}
	labels := meta.labels(o.Coarse)
	for _, p := range parts {
		path := storage.Join(dir, p.name)
		f, err := data.OpenFile(path)
		if err != nil {
			return err
		}
		s.files, s.paths = append(s.files, f), append(s.paths, path)
		b, err := openBatch(f, path, p, o.Coarse)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		b.classes = len(labels)
		s.batches = append(s.batches, b)
	}
	s.starts = make([]int, 1, len(parts)+1)
	for i, b := range s.batches {
		s.starts = append(s.starts, s.starts[i]+b.n)
	}
	s.info = data.Info{Format: parts[0].kind.String(), Classes: labels, Len: s.starts[len(parts)], Part: splitOf(parts)}
	return nil
}

// openBatch opens one file of either version.
func openBatch(f storage.File, path string, p part, coarse bool) (*batch, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !p.pickle {
		return binaryBatch(f, path, p, st.Size(), coarse)
	}
	src, err := readPickle(f, st.Size())
	if err != nil {
		return nil, err
	}
	b, err := pickleBatch(src, path, p, coarse)
	if err != nil {
		return nil, err
	}
	if b.inFile { // read the pixels from there and let go of src
		b.r = f
	}
	return b, nil
}

// Info describes the data set.
func (s *Set) Info() data.Info { return s.info }

// Len returns the number of samples.
func (s *Set) Len() int { return s.info.Len }

// Read reads sample i, 0 to Len()-1, into t. It is safe for concurrent use with distinct samples. A label outside the
// classes gives a [*data.SampleError] that wraps [data.ErrLabel].
func (s *Set) Read(i int, t *data.Sample) error {
	if i < 0 || i >= s.info.Len {
		panic(fmt.Sprintf("cifar: sample %d of %d", i, s.info.Len))
	}
	k := sort.SearchInts(s.starts, i+1) - 1
	t.Index = i
	return s.batches[k].read(i-s.starts[k], t)
}

// Next reads the next sample into t, or returns io.EOF.
func (s *Set) Next(t *data.Sample) error { return s.cursor.Next(s, t) }

// Close closes the files.
func (s *Set) Close() error {
	var err error
	for _, f := range s.files {
		err = errors.Join(err, f.Close())
	}
	s.files = nil
	return err
}
