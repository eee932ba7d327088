package predictions

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/metrics"
)

// parquetSource reads the needed columns of a Parquet file in step.
type parquetSource struct {
	f       io.Closer
	bytes   io.ReaderAt // of the file
	size    int64
	file    *parquet.File
	group   int
	c       columns
	cursors []*cursor // scores or the predicted class first, then label, then id
	leaves  []*parquet.Column
	classes int
	wide    bool // 64-bit scores
	scores  int  // cursors of scores
	left    int64
}

func openParquet(path string, opt Options) (source, info, error) { return openPQ(path, opt, true) }

func labelsParquet(path string) (*Labels, error) {
	s, _, err := openPQ(path, Options{}, false)
	return labelsFrom(s, err)
}

func openPQ(path string, opt Options, scoresToo bool) (source, info, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, info{}, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, info{}, errors.Join(err, f.Close())
	}
	s, i, err := newParquet(f, st.Size(), opt, scoresToo)
	if err != nil {
		return nil, i, errors.Join(err, f.Close())
	}
	s.f = f
	return s, i, nil
}

// guard makes an error of the panics with which the Parquet library answers some damaged files.
func guard(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("%w: damaged Parquet: %v", ErrFormat, v)
	}
}

func newParquet(r io.ReaderAt, size int64, opt Options, scoresToo bool) (s *parquetSource, i info, err error) {
	defer guard(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, i, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, i, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	top := file.Root().Columns()
	names := make([]string, len(top))
	for i, c := range top {
		names[i] = c.Name()
	}
	s = &parquetSource{bytes: r, size: size, file: file, left: file.NumRows()}
	if s.c, err = columnsOf(names, &opt, scoresToo); err != nil {
		return nil, i, fmt.Errorf("%w; columns: %.200q", err, names)
	}
	if scoresToo && s.c.list < 0 && s.c.class == nil {
		s.c.kind = Classes // columnsOf has found them
	}
	if err := s.choose(top, scoresToo); err != nil {
		return nil, i, err
	}
	i = info{kind: s.c.kind, rows: int(s.left), classes: len(s.c.class), labels: s.c.label >= 0, ids: s.c.id >= 0}
	return s, i, s.open()
}

// checkFooter holds the length that the end of a Parquet file declares for its footer against the file's size: the library
// takes memory for it before it reads.
func checkFooter(r io.ReaderAt, size int64) error {
	const magic, tail = 4, 8
	var b [tail]byte
	if size < magic+tail {
		return fmt.Errorf("%w: Parquet of %d bytes", ErrFormat, size)
	}
	if _, err := r.ReadAt(b[:], size-tail); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if n := int64(binary.LittleEndian.Uint32(b[:])); n > size-magic-tail {
		return fmt.Errorf("%w: a footer of %d bytes in a Parquet file of %d", ErrFormat, n, size)
	}
	return nil
}

// choose finds the leaves of the columns and checks their types.
func (s *parquetSource) choose(top []*parquet.Column, scoresToo bool) error {
	add := func(i int, list bool, kinds ...parquet.Kind) error {
		leaf := top[i]
		for !leaf.Leaf() && len(leaf.Columns()) == 1 {
			leaf = leaf.Columns()[0]
		}
		wantLevels := 0
		if list {
			wantLevels = 1
		}
		ok := false
		for _, k := range kinds {
			ok = ok || leaf.Leaf() && leaf.Type().Kind() == k
		}
		if !ok || leaf.MaxRepetitionLevel() != wantLevels {
			return fmt.Errorf("%w: column %q has %s (allowed: %s)", ErrContent, top[i].Name(), columnWords(leaf), allowedWords(wantLevels, kinds))
		}
		s.leaves = append(s.leaves, leaf)
		return nil
	}
	switch {
	case scoresToo && s.c.kind == Classes:
		if err := add(s.c.pred, false, parquet.Int32, parquet.Int64); err != nil {
			return err
		}
		s.scores = 1
	case scoresToo:
		at, list := s.c.class, false
		if s.c.list >= 0 {
			at, list = []int{s.c.list}, true
		} else if err := checkClasses(len(at)); err != nil {
			return err
		}
		for _, i := range at {
			if err := add(i, list, parquet.Float, parquet.Double); err != nil {
				return err
			}
		}
		for _, l := range s.leaves {
			s.wide = s.wide || l.Type().Kind() == parquet.Double
		}
		s.scores = len(s.leaves)
	case s.c.label < 0:
		return fmt.Errorf("%w: no column of labels", ErrContent)
	}
	if s.c.label >= 0 {
		if err := add(s.c.label, false, parquet.Int32, parquet.Int64); err != nil {
			return err
		}
	}
	if s.c.id >= 0 {
		return add(s.c.id, false, parquet.Int32, parquet.Int64, parquet.ByteArray)
	}
	return nil
}

// kindWords are the types of columns in words.
var kindWords = map[parquet.Kind]string{
	parquet.Boolean: "truth values", parquet.Int32: "32-bit integers", parquet.Int64: "64-bit integers", parquet.Int96: "96-bit integers",
	parquet.Float: "32-bit floats", parquet.Double: "64-bit floats", parquet.ByteArray: "text",
	parquet.FixedLenByteArray: "bytes of one length",
}

// columnWords says in words what is in a column, whose one leaf it is if it has one.
func columnWords(leaf *parquet.Column) string {
	if !leaf.Leaf() {
		return "several columns"
	}
	return listWords(leaf.MaxRepetitionLevel()) + kindWords[leaf.Type().Kind()]
}

func listWords(levels int) string { return strings.Repeat("lists of ", levels) }

func allowedWords(levels int, kinds []parquet.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = kindWords[k]
	}
	return listWords(levels) + strings.Join(words, " or ")
}

// open makes cursors for the next row group that has rows.
func (s *parquetSource) open() error {
	groups := s.file.RowGroups()
	for s.group < len(groups) && groups[s.group].NumRows() == 0 {
		s.group++
	}
	s.cursors = nil
	if s.group == len(groups) {
		return nil
	}
	chunks := groups[s.group].ColumnChunks()
	for _, leaf := range s.leaves {
		column := &s.file.Metadata().RowGroups[s.group].Columns[leaf.Index()]
		if err := checkPages(s.bytes, s.size, &column.MetaData); err != nil {
			return fmt.Errorf("column %q: %w", leaf.Name(), err)
		}
		s.cursors = append(s.cursors, &cursor{
			name: leaf.Name(), pages: chunks[leaf.Index()].Pages(), full: leaf.MaxDefinitionLevel(),
		})
	}
	s.group++
	return nil
}

func (s *parquetSource) Close() error {
	err := s.closeCursors()
	if s.f != nil {
		err = errors.Join(err, s.f.Close())
	}
	return err
}

func (s *parquetSource) closeCursors() error {
	var err error
	for _, c := range s.cursors {
		err = errors.Join(err, c.pages.Close())
	}
	return err
}

func (s *parquetSource) next(b *Batch, limit int) (err error) {
	defer guard(&err)
	for b.Rows < limit && s.cursors != nil {
		more, err := s.row(b)
		if err != nil {
			return fmt.Errorf("row %d: %w", b.First+b.Rows, err)
		}
		if more {
			b.Rows++
			s.left--
			continue
		}
		if err := s.closeCursors(); err != nil {
			return err
		}
		if err := s.open(); err != nil {
			return err
		}
	}
	if b.Rows == 0 {
		if s.left != 0 {
			return fmt.Errorf("%w: %d rows fewer than it declares", ErrFormat, s.left)
		}
		return io.EOF
	}
	b.Classes = s.classes
	return nil
}

// row reads a value of each column, or reports the end of the row group.
func (s *parquetSource) row(b *Batch) (bool, error) {
	ended := 0
	for i, c := range s.cursors {
		err := s.value(b, i, c)
		if err == io.EOF {
			ended++
			continue
		}
		if err != nil {
			return false, fmt.Errorf("column %q: %w", c.name, err)
		}
	}
	if ended > 0 && ended < len(s.cursors) {
		return false, fmt.Errorf("%w: columns of different lengths", ErrFormat)
	}
	if ended == 0 && s.scores == 0 {
		return true, nil
	}
	if ended == 0 && s.scores > 1 {
		s.classes = s.scores
	}
	return ended == 0, nil
}

func (s *parquetSource) value(b *Batch, i int, c *cursor) error {
	switch {
	case i < s.scores && s.c.kind == Classes:
		return class(&b.Pred, c)
	case i < s.scores && s.c.list >= 0:
		return s.list(b, c)
	case i < s.scores:
		v, err := c.next()
		if err == nil {
			s.score(b, v)
		}
		return err
	case i == s.scores && s.c.label >= 0:
		return class(&b.Labels, c)
	}
	v, err := c.next()
	if err != nil {
		return err
	}
	if v.Kind() == parquet.ByteArray {
		b.IDs = append(b.IDs, hashID(v.ByteArray()))
	} else {
		b.IDs = append(b.IDs, hashID(fmt.Append(nil, integer(v))))
	}
	return nil
}

// class appends the next class number.
func class(to *[]int, c *cursor) error {
	v, err := c.next()
	if err != nil {
		return err
	}
	n := integer(v)
	if n < 0 || n >= maxClasses {
		return fmt.Errorf("%w: %d (allowed: 0 to classes-1)", metrics.ErrLabel, n)
	}
	*to = append(*to, int(n))
	return nil
}

func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func (s *parquetSource) score(b *Batch, v parquet.Value) {
	switch {
	case !s.wide:
		b.F32 = append(b.F32, v.Float())
	case v.Kind() == parquet.Float:
		b.F64 = append(b.F64, float64(v.Float()))
	default:
		b.F64 = append(b.F64, v.Double())
	}
}

// list reads the numbers of one row.
func (s *parquetSource) list(b *Batch, c *cursor) error {
	n := 0
	for {
		v, err := c.peek()
		if err == io.EOF && n > 0 {
			break
		}
		if err != nil {
			return err
		}
		if n > 0 && v.RepetitionLevel() == 0 {
			break
		}
		if n == 0 && v.RepetitionLevel() != 0 {
			return fmt.Errorf("%w: a list without its beginning", ErrFormat)
		}
		if n++; n > maxClasses {
			return checkClasses(n)
		}
		if v, err = c.next(); err != nil {
			return err
		}
		s.score(b, v)
	}
	if s.classes == 0 {
		s.classes = n
		return checkClasses(n)
	}
	if n != s.classes {
		return fmt.Errorf("%w: %d scores, the first row has %d", ErrContent, n, s.classes)
	}
	return nil
}

// cursor walks over the values of a column of a row group.
type cursor struct {
	name   string
	pages  parquet.Pages
	full   int // definition level of a value that is there
	values parquet.ValueReader
	buf    [512]parquet.Value
	got    []parquet.Value
}

// peek returns the next value, or io.EOF.
func (c *cursor) peek() (parquet.Value, error) {
	for len(c.got) == 0 {
		if c.values == nil {
			p, err := c.pages.ReadPage()
			if err == io.EOF {
				return parquet.Value{}, io.EOF
			}
			if err != nil {
				return parquet.Value{}, fmt.Errorf("%w: %w", ErrFormat, err)
			}
			c.values = p.Values()
		}
		n, err := c.values.ReadValues(c.buf[:])
		c.got = c.buf[:n]
		if err == io.EOF || n == 0 && err == nil {
			c.values = nil
		} else if err != nil {
			return parquet.Value{}, fmt.Errorf("%w: %w", ErrFormat, err)
		}
	}
	return c.got[0], nil
}

// next returns the next value and moves on. A missing one is an error.
func (c *cursor) next() (parquet.Value, error) {
	v, err := c.peek()
	if err != nil {
		return v, err
	}
	if v.IsNull() || v.DefinitionLevel() != c.full {
		return v, fmt.Errorf("%w: a missing value (null)", ErrContent)
	}
	c.got = c.got[1:]
	return v, nil
}
