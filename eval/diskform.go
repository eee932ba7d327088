package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/results"
)

// diskForm is what is known of a form on disk once it was compared with the clean set.
type diskForm struct {
	data  string           // fingerprint of what is looked at; "": not known, as nothing is there
	part  bool             // these are not the samples of the clean set that are looked at
	first string           // place of the first cell
	rows  []int            // of its samples that are looked at, ascending
	at    map[string][]int // samples that are looked at, by place, where they are not those that data.Limit takes
}

// compare takes a cell of a form. All cells of one have the same samples, so that means over them are of these.
func (e *Evaluator) compare(f *diskForm, c *CleanSet, dir string, l *cell, indexed bool) error {
	at, same := c.take(l, e.Limit, indexed)
	if !slices.Equal(at, limitOf(len(l.list), e.Limit, indexed)) {
		f.at[l.place] = at
	}
	sum, rows := c.printOf(l, at)
	if same {
		sum = e.Data
	}
	if f.first == "" {
		f.first, f.rows, f.data, f.part = l.place, rows, sum, !same
		if f.part {
			e.sayPart(c, dir, l, at)
		}
		return nil
	}
	if f.data == sum && slices.Equal(f.rows, rows) {
		return nil
	}
	return c.differ(f, l, rows)
}

// sayPart says that a form has not the samples of the clean set.
func (e *Evaluator) sayPart(c *CleanSet, dir string, l *cell, at []int) {
	switch {
	case e.Say == nil:
	case e.Limit > 0:
		e.Say("%s has %d of %d images, and not the %d that are looked at of the clean set, or it cannot be told: %d others are, evenly "+
			"spread, and rows have a fingerprint of their own", dir, len(l.list), len(c.listed), len(c.limited), len(at))
	default:
		e.Say("%s has %d of %d images: rows of it have a fingerprint of their own, and are not compared with those of all", dir,
			len(l.list), len(c.listed))
	}
}

// differ is the error of a cell that has other samples than the first one of its form.
func (c *CleanSet) differ(f *diskForm, l *cell, rows []int) error {
	for i := 0; ; i++ {
		switch {
		case i == len(rows) && i == len(f.rows):
			return fmt.Errorf("%w: %s has other images than %s (allowed: the same in all)", ErrOther, l.place, f.first)
		case i == len(rows) || i < len(f.rows) && f.rows[i] < rows[i]:
			return fmt.Errorf("%w: %s lacks %s, which %s has (allowed: the same images in all)", ErrOther, l.place,
				c.listed[f.rows[i]].key, f.first)
		case i == len(f.rows) || rows[i] < f.rows[i]:
			return fmt.Errorf("%w: %s has %s, which %s lacks (allowed: the same images in all)", ErrOther, l.place,
				c.listed[rows[i]].key, f.first)
		}
	}
}

// limit returns the samples of a cell that are looked at.
func (f *diskForm) limit(place string, src data.Source, n int) data.Source {
	if f != nil && f.at[place] != nil {
		return data.Select(src, f.at[place])
	}
	return data.Limit(src, n)
}

// taken returns the samples of a place that are looked at, nil where they are those that data.Limit takes.
func (f *diskForm) taken(place string) []int {
	if f == nil {
		return nil
	}
	return f.at[place]
}

// asCleanSet is what rows say of a part of a form whose images are those that a limit takes of the clean set. Older versions took
// others, where the form has an order of its own, and did not say it.
const asCleanSet = ", those of the clean set"

// text adds to how images are made which ones they are.
func (f *diskForm) text(how string) string {
	if f == nil || len(f.at) == 0 {
		return how
	}
	return how + asCleanSet
}

// mark gives a row the fingerprint of the form's samples, where these are not the clean set's.
func (f *diskForm) mark(row *results.Row) {
	if f == nil || !f.part {
		return
	}
	versions := map[string]string{results.VersionPartOf: row.Data}
	maps.Copy(versions, row.Versions)
	row.Data, row.Versions = f.data, versions
}

// samples returns the fingerprint of what is looked at of the form, given that of the clean set.
func (f *diskForm) samples(clean string) string {
	if f == nil || !f.part {
		return clean
	}
	return f.data
}

// gone takes from an earlier run what is known of a form of which nothing is there any more.
func (s *Store) gone(f *diskForm, base results.Row) {
	if f.first != "" {
		return
	}
	for i := range s.Known {
		k := &s.Known[i]
		if k.Model == base.Model && k.Dataset == base.Dataset && k.View == base.View && k.Versions[results.VersionPartOf] == base.Data &&
			base.Data != "" {
			f.part, f.data = true, k.Data
		}
	}
}

// sameSamples refuses results of an earlier run that are of other samples of a form, which would be taken for those of the row.
func (s *Store) sameSamples(f *diskForm, dir string, base results.Row) error {
	f.mark(&base)
	for i := range s.Known {
		k := &s.Known[i]
		if k.Model == base.Model && k.Dataset == base.Dataset && k.View == base.View && k.Seed == nil && k.Data != "" && k.Data != base.Data {
			return fmt.Errorf("%w: %s: its images are not those that the results kept here were measured on (%s, now %s); measure them "+
				"into another folder", ErrChanged, dir, k.Data, base.Data)
		}
	}
	return nil
}

// compareCorruptions compares the form on disk with the clean set. What is not there is the measurement's error.
func (e *Evaluator) compareCorruptions(ctx context.Context, c *CorruptionSuite) error {
	if c.Dir == "" || c.Clean == nil || c.disk != nil {
		return nil
	}
	f := &diskForm{at: map[string][]int{}}
	for _, name := range c.Names {
		for _, severity := range c.severities() {
			err := e.compareSource(ctx, f, c.Clean, c.Dir, c.place(name, severity), func() (data.Source, error) { return c.open(name, severity) })
			if err != nil {
				return err
			}
		}
	}
	base := e.base(e.Dataset+c.Suffix, nil)
	e.gone(f, base)
	c.disk = f
	return e.sameSamples(f, c.Dir, base)
}

// compareSource compares a cell of still images.
func (e *Evaluator) compareSource(ctx context.Context, f *diskForm, c *CleanSet, dir, place string, open func() (data.Source, error)) error {
	src, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer src.Close()
	_, indexed := src.(data.Indexed)
	l := &cell{place: place}
	if l.list, err = readList(ctx, src); err == nil {
		err = c.match(l, numberedFormats[src.Info().Format])
	}
	if err != nil {
		return err
	}
	return e.compare(f, c, dir, l, indexed)
}

// comparePerturbations compares the form on disk with the clean set.
func (e *Evaluator) comparePerturbations(ctx context.Context, p *PerturbationSuite) error {
	if p.Dir == "" || p.Clean == nil || p.disk != nil {
		return nil
	}
	f := &diskForm{at: map[string][]int{}}
	for _, name := range p.Names {
		path := filepath.Join(p.Dir, p.file(name))
		l, indexed, err := p.cell(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = p.Clean.match(l, l.place != path)
		}
		if err == nil {
			err = e.compare(f, p.Clean, p.Dir, l, indexed)
		}
		if err != nil {
			return err
		}
	}
	base := e.base(e.Dataset+results.SuffixP, nil)
	e.gone(f, base)
	p.disk = f
	return e.sameSamples(f, p.Dir, base)
}

// cell lists the sequences of a perturbation: those of an array, whose place ends in .npy, or of a folder.
func (p *PerturbationSuite) cell(ctx context.Context, path string) (l *cell, indexed bool, err error) {
	if _, err := os.Stat(path + ".npy"); err == nil {
		return arrayCell(path + ".npy")
	}
	src, err := formats.Open(path, formats.Options{})
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	_, indexed = src.(data.Indexed)
	l = &cell{place: path}
	matched, err := data.MatchClasses(src, p.Clean.classes)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	frames, err := readList(ctx, matched)
	if err != nil {
		return nil, false, err
	}
	p.Clean.renumber(frames)
	for i := range frames {
		video, err := videoOf(frames[i].key)
		if err != nil {
			return nil, false, err
		}
		if n := len(l.list); n == 0 || l.list[n-1].key != video {
			frames[i].key = video
			l.list = append(l.list, frames[i])
		}
	}
	return l, indexed, nil
}

// arrayCell lists the sequences of an array, which have no labels.
func arrayCell(path string) (*cell, bool, error) {
	src, err := openFrames(path)
	if err != nil {
		return nil, false, err
	}
	l := &cell{place: path}
	for i := range src.videos {
		l.list = append(l.list, listed{key: fmt.Sprint(i), label: data.NoLabel})
	}
	return l, true, src.Close()
}
