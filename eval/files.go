package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/results"
)

// ofFiles says in a row which files its images are read from, by the sum that glance returns. An error that wraps
// [ErrChanged] and names the place says that results of an earlier run, which would be taken for those of the row, are of
// other files. Files that are gone are no other files: what was measured of them stays.
func (s *Store) ofFiles(row *results.Row, place string, glance func() (string, error)) error {
	sum, err := glance()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil || sum == "":
		return err
	}
	versions := maps.Clone(row.Versions)
	if versions == nil {
		versions = map[string]string{}
	}
	versions[results.VersionFiles] = sum
	row.Versions = versions
	for i := range s.Known {
		was := s.Known[i].Versions[results.VersionFiles]
		if was != "" && was != sum && sameMeasurement(&s.Known[i], row) {
			return fmt.Errorf("%w: %s: its files are not those that the results kept here were measured on (%s, now %s); measure "+
				"them into another folder, or put the files back", ErrChanged, place, was, sum)
		}
	}
	return nil
}

// sameMeasurement reports whether two rows differ in nothing but the metric, its bin and the severity, and in the outcome.
func sameMeasurement(a, b *results.Row) bool {
	x, y := a.Key(), b.Key()
	x.Metric, x.Bin, x.Bins, x.Severity, x.SkipLast = y.Metric, y.Bin, y.Bins, y.Severity, y.SkipLast
	return x == y
}

// glance returns the sum of the files of a corruption on disk.
func (c *CorruptionSuite) glance(name string) (string, error) {
	if path := c.array(name); path != "" {
		return glanceOf(formats.Open(path, formats.Options{}))
	}
	held := c.held(name) // all, not only those that are measured now
	if len(held) == 0 {
		return "", fs.ErrNotExist
	}
	var files []string
	for _, severity := range held {
		src, err := c.open(name, severity)
		if err != nil {
			return "", err
		}
		files = append(files, data.Files(src)...)
		if err := src.Close(); err != nil {
			return "", err
		}
	}
	return data.GlanceFiles(files)
}

// glance returns the sum of the files of a perturbation on disk.
func (p *PerturbationSuite) glance(name string) (string, error) {
	path := filepath.Join(p.Dir, p.file(name))
	if file := path + ".npy"; isThere(file) {
		return data.GlanceFiles([]string{file})
	}
	return glanceOf(formats.Open(path, formats.Options{}))
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// glanceOf looks at the files of a source that was opened, and closes it.
func glanceOf(src data.Source, err error) (string, error) {
	if err != nil {
		return "", err
	}
	sum, err := data.Glance(src)
	return sum, errors.Join(err, src.Close())
}
