package eval

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"

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
			return changedFiles(place, was, sum)
		}
	}
	return nil
}

func changedFiles(place, was, now string) error {
	return fmt.Errorf("%w: %s: its files are not those that the results kept here were measured on (%s, now %s); measure "+
		"them into another folder, or put the files back", ErrChanged, place, was, now)
}

// sameMeasurement reports whether two rows differ in nothing but the metric, its bin and the severity, and in the outcome.
func sameMeasurement(a, b *results.Row) bool {
	x, y := a.Key(), b.Key()
	x.Metric, x.Bin, x.Bins, x.Severity, x.SkipLast = y.Metric, y.Bin, y.Bins, y.Severity, y.SkipLast
	return x == y
}

// ofForm is ofFiles of a corruption on disk. Folders have a sum for each severity, as a form may get more of them; see signFiles.
func (e *Evaluator) ofForm(row *results.Row, c *CorruptionSuite) error {
	place := filepath.Join(c.Dir, row.Corruption)
	if path := c.array(row.Corruption); path != "" {
		return e.ofFiles(row, place, func() (string, error) { return glanceOf(formats.Open(path, formats.Options{})) })
	}
	sums := map[float64]string{}
	var all []string
	for _, severity := range c.held(row.Corruption) { // not only those that are measured now
		src, err := c.open(row.Corruption, severity)
		if err != nil {
			return err
		}
		files := data.Files(src)
		all = append(all, files...)
		sums[severity], err = data.GlanceFiles(files)
		if err := errors.Join(err, src.Close()); err != nil {
			return err
		}
	}
	if c.files == nil {
		c.files = map[string]map[float64]string{}
	}
	c.files[row.Corruption] = sums
	together := sync.OnceValues(func() (string, error) { return data.GlanceFiles(all) }) // which older versions kept
	for i := range e.Known {
		k := &e.Known[i]
		was, now := k.Versions[results.VersionFiles], sums[k.Severity]
		if was == "" || now == "" || was == now || !sameMeasurement(k, row) {
			continue
		}
		if older, err := together(); err != nil {
			return err
		} else if was != older {
			return changedFiles(place, was, now)
		}
	}
	return nil
}

// signFiles says in rows of a corruption in folders which files their severities were read from.
func (c *CorruptionSuite) signFiles(rows []results.Row) {
	for i := range rows {
		if sum := c.files[rows[i].Corruption][rows[i].Severity]; sum != "" {
			rows[i].Versions = results.AddVersions(rows[i].Versions, map[string]string{results.VersionFiles: sum})
		}
	}
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
