package predictions

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
)

// Labels are the true classes of a data set, in the order of its images.
type Labels struct {
	Path   string
	Values []int
	IDs    []uint64 // one for each value; nil without
}

// ReadLabels reads a file of labels: an .npy array of integers [rows]; an .npz, .pt, .csv, .tsv, .jsonl or Parquet file with
// labels under one of the names that the package comment lists; or a .txt file with a number a line. Errors name the
// file, and row or line.
func ReadLabels(path string) (*Labels, error) {
	f, err := formatOf(path)
	if err == nil {
		var l *Labels
		if l, err = f.labels(path); err == nil {
			l.Path = path
			err = l.check()
		}
		if err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

func (l *Labels) check() error {
	if len(l.Values) == 0 {
		return fmt.Errorf("%w: no labels", ErrContent)
	}
	for i, v := range l.Values {
		if v < 0 || v >= maxClasses {
			return fmt.Errorf("%w: label %d of row %d (allowed: 0 to classes-1)", metrics.ErrLabel, v, i)
		}
	}
	return nil
}

func labelsNPY(path string) (*Labels, error) {
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, formatError(err)
	}
	v, err := labelArray(a)
	return &Labels{Values: v}, err
}

func labelsNPZ(path string) (*Labels, error) {
	z, err := openZip(path)
	if err != nil {
		return nil, err
	}
	defer z.Close() // only read
	return archiveLabels(z)
}

// archiveLabels reads the labels of an archive.
func archiveLabels(z arrays) (*Labels, error) {
	all := namesOf(z)
	c, err := columnsOf(all, &Options{}, false)
	if err != nil {
		return nil, err
	}
	if c.label < 0 {
		if c.label = onlyLabels(all); c.label < 0 {
			return nil, fmt.Errorf("%w: no array called labels; it holds %s", ErrContent, npy.ListNames(all))
		}
	}
	a, err := z.Read(all[c.label])
	if err != nil {
		return nil, formatError(err)
	}
	l := &Labels{}
	if l.Values, err = labelArray(a); err != nil {
		return nil, fmt.Errorf("array %q: %w", all[c.label], err)
	}
	if c.id < 0 {
		return l, nil
	}
	if l.IDs, err = readIDs(z, all[c.id]); err == nil && len(l.IDs) != len(l.Values) {
		err = fmt.Errorf("%w: %d labels and %d ids in array %q", ErrContent, len(l.Values), len(l.IDs), all[c.id])
	}
	return l, err
}

// onlyLabels returns the array that can be labels whatever its name, the only one but for ids, or -1.
func onlyLabels(all []string) int {
	isIDs := func(name string) bool { return meaningOf(name).role == ids }
	i := slices.IndexFunc(all, func(name string) bool { return !isIDs(name) })
	if i < 0 && len(all) == 1 {
		return 0
	}
	if i >= 0 && slices.ContainsFunc(all[i+1:], func(name string) bool { return !isIDs(name) }) {
		return -1
	}
	return i
}

// labelsFrom reads the labels of a table.
func labelsFrom(s source, err error) (*Labels, error) {
	if err != nil {
		return nil, err
	}
	defer s.Close() // only read
	l := &Labels{}
	var b Batch
	for {
		b.reset()
		b.First = len(l.Values)
		if err := s.next(&b, batchNumbers); err == io.EOF {
			return l, nil
		} else if err != nil {
			return nil, err
		}
		l.Values = append(l.Values, b.Labels...)
		l.IDs = append(l.IDs, b.IDs...)
	}
}

// labelsText reads a number a line.
func labelsText(path string) (*Labels, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	l := &Labels{}
	in := bufio.NewScanner(withoutBOM(f))
	for line := 1; in.Scan(); line++ {
		v, err := strconv.Atoi(string(bytes.TrimSpace(in.Bytes())))
		if err != nil {
			return nil, fmt.Errorf("%w: line %d: %.40q (allowed: a class number a line)", ErrFormat, line, in.Text())
		}
		l.Values = append(l.Values, v)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return l, nil
}
