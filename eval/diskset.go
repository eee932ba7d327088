package eval

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// place is what a corruption of a form on disk at one severity is called.
func (c *CorruptionSuite) place(name string, severity float64) string {
	return filepath.Join(c.Dir, name, transform.SeverityName(severity))
}

// array is the file of a corruption of a form on disk that holds all images of one severity, then of the next, and so on: NAME.npy as
// of CIFAR-10-C, or NAME.npz as of MedMNIST-C; "" where there is neither.
func (c *CorruptionSuite) array(name string) string {
	for _, ext := range []string{".npy", ".npz"} {
		if path := filepath.Join(c.Dir, name+ext); isThere(path) {
			return path
		}
	}
	return ""
}

// open opens a corruption of a form on disk at one severity: a part of its array, or the data set Dir/NAME/SEVERITY. The error wraps
// fs.ErrNotExist where it is not there.
func (c *CorruptionSuite) open(name string, severity float64) (data.Source, error) {
	if _, err := os.Stat(c.Dir); err != nil {
		return nil, fmt.Errorf("cannot open the data set: %w", err)
	}
	path := c.array(name)
	if st, err := os.Stat(filepath.Join(c.Dir, name)); path == "" && (err != nil || !st.IsDir()) {
		return nil, c.lacks(name)
	}
	held := c.held(name)
	at := slices.Index(held, severity)
	if at < 0 {
		return nil, &lacksError{severity, held, cmp.Or(path, filepath.Join(c.Dir, name))}
	}
	if path == "" {
		return c.matched(formats.Open(c.place(name, severity), formats.Options{}))
	}
	return c.openBlock(path, at, len(held))
}

// lacks is the error of a form on disk without a corruption. It says which of the suite there are.
func (c *CorruptionSuite) lacks(name string) error {
	there := slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool { return len(c.held(name)) == 0 })
	neither := fmt.Sprintf("%s holds neither %s.npy or .npz nor a folder %[2]s", c.Dir, name)
	if len(there) == 0 || c.Suffix != results.SuffixC {
		return fmt.Errorf("%w: %s: %w", data.ErrFormat, neither, fs.ErrNotExist)
	}
	return option.Errorf(data.ErrFormat, "%s, of this suite only %s, which {the option subset} can name: %w", neither, strings.Join(there, ", "), fs.ErrNotExist)
}

// openBlock opens one of k equal parts of an array.
func (c *CorruptionSuite) openBlock(path string, i, k int) (data.Source, error) {
	src, err := c.matched(formats.Open(path, formats.Options{}))
	if err != nil {
		return nil, err
	}
	all, ok := src.(data.Indexed)
	if !ok || all.Len() == 0 || all.Len()%k != 0 {
		return nil, errors.Join(fmt.Errorf("%w: %s has %d images, which is not a multiple of %d severities",
			data.ErrFormat, path, src.Info().Len, k), src.Close())
	}
	each := all.Len() / k
	return data.Slice(all, i*each, (i+1)*each), nil
}

// held are the severities that a form on disk has of a corruption: those of its array, in their order, or what folders are named after,
// ascending.
func (c *CorruptionSuite) held(name string) []float64 {
	if c.array(name) != "" {
		if c.Held != nil {
			return c.Held
		}
		return severitiesOfSets
	}
	entries, _ := os.ReadDir(filepath.Join(c.Dir, name)) // whoever opens one says what is wrong
	var held []float64
	for _, e := range entries {
		if severity, err := strconv.ParseFloat(e.Name(), 64); err == nil && transform.SeverityName(severity) == e.Name() {
			held = append(held, severity)
		}
	}
	slices.Sort(held)
	return held
}

// lacksError is that of a severity that a form on disk has not, among others.
type lacksError struct {
	severity float64
	held     []float64
	path     string
}

func (e *lacksError) Error() string {
	var names []string
	for _, severity := range e.held {
		names = append(names, transform.SeverityName(severity))
	}
	return fmt.Sprintf("severity %v (allowed: %s, which %s holds)", e.severity, cmp.Or(strings.Join(names, ", "), "none"), e.path)
}

func (e *lacksError) Unwrap() []error { return []error{ErrOption, fs.ErrNotExist} }
