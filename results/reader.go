package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/data/storage/s3" // names may be those of objects
)

// Located is a row and the place it was read from.
type Located struct {
	Row
	File string
	Line int // from 1
}

// Place returns file:line.
func (l *Located) Place() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// Reader reads rows one after the other. Its memory does not grow with the file.
type Reader struct {
	r    *bufio.Reader
	name string
	line int
	buf  []byte
	err  error
}

// NewReader returns a reader; name names the file in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), name: name}
}

// Next returns the next row, or io.EOF after the last one. Any other error names file and line, wraps [ErrFormat],
// [ErrVersion], [ErrTorn] or the underlying reader's error, and ends the reading: Next returns it again.
func (r *Reader) Next() (Located, error) {
	if r.err != nil {
		return Located{}, r.err
	}
	row, err := r.next()
	if err != nil {
		r.err = err
		return Located{}, err
	}
	return Located{Row: row, File: r.name, Line: r.line}, nil
}

func (r *Reader) next() (Row, error) {
	r.line++
	line, err := r.readLine()
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // of an editor
	}
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return Row{}, io.EOF
	case errors.Is(err, io.EOF):
		return Row{}, fmt.Errorf("%s:%d: %w: %d bytes without a newline", r.name, r.line, ErrTorn, len(line))
	case err != nil:
		return Row{}, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
	}
	row, err := ParseLine(line)
	if err != nil {
		return Row{}, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
	}
	return row, nil
}

// readLine returns a line with its newline, or what there is and io.EOF.
func (r *Reader) readLine() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.r.ReadSlice('\n')
		r.buf = append(r.buf, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.buf, err
		}
		if len(r.buf) > MaxLine {
			return nil, formatErr("a line of more than %d bytes", MaxLine)
		}
	}
}

// Read returns all rows of r, with the errors of [Reader.Next].
func Read(r io.Reader, name string) ([]Located, error) {
	in := NewReader(r, name)
	var rows []Located
	for {
		row, err := in.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

// ReadFile returns all rows of a file.
func ReadFile(path string) ([]Located, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	return Read(f, path)
}
