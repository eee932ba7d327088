package predictions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/torchfile"
	"github.com/augmix-go/augmix/metrics"
)

// arraySource reads the rows of an array of floats, or of integers, from the bytes of its data.
type arraySource struct {
	in      io.Reader
	h       npy.Header
	left    int // rows
	classes int // numbers of a row; 1 for predicted classes
	perItem int // rows of one step along the first axis, for messages
	labels  []int
	ids     []uint64
	at      int
	close   func() error
	tail    func() error // after the last row
	buf     []byte
	mapped  *mapped // if not nil, where rows are instead of in
}

func openNPY(path string, _ Options) (source, info, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, info{}, err
	}
	s, i, err := npySource(f)
	if err != nil {
		return nil, i, errors.Join(err, f.Close())
	}
	return s, i, nil
}

func npySource(f storage.File) (source, info, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, info{}, err
	}
	h, off, err := npy.ReadHeader(f)
	if err != nil {
		return nil, info{}, formatError(err)
	}
	s, i, err := newArraySource(h, f)
	if err != nil {
		return nil, i, err
	}
	s.close = f.Close
	// The size that the header promises must be there, or nothing is read.
	n, err := h.Len()
	if err != nil {
		return nil, i, formatError(err)
	}
	if want, have := int64(n)*int64(h.ItemSize()), st.Size()-int64(off); st.Mode().IsRegular() && want != have {
		return nil, i, fmt.Errorf("%w: %d bytes of data for shape %v of %s, want %d: cut short or damaged", ErrFormat,
			have, h.Shape, h.DType, want)
	}
	return s, i, s.reorder()
}

// integers says, after numbers of rows that do not fit, how integers of two axes were read: whoever saved logits as such cannot guess it.
func (i *info) integers() string {
	if i.kind != Classes || i.frames == 0 {
		return ""
	}
	return fmt.Sprintf("; integers are read as sequences of %d class numbers (logits and probabilities are floats)", i.frames)
}

// newArraySource checks the shape: [rows, classes] or [videos, frames, classes] of floats, [rows] or [videos, frames] of
// integers.
func newArraySource(h npy.Header, in io.Reader) (*arraySource, info, error) {
	i := info{kind: Unknown}
	s := &arraySource{in: in, h: h, perItem: 1}
	isInt := strings.ContainsRune("iu", rune(h.DType[1]))
	switch d := h.Shape; {
	case isInt && len(d) == 1:
		i.kind, s.classes = Classes, 1
	case isInt && len(d) == 2:
		i.kind, i.frames, s.classes = Classes, d[1], 1
		s.perItem = d[1]
	case isInt:
		return nil, i, fmt.Errorf("%w: integers of shape %v (allowed: floats, or predicted classes [rows] or [videos, frames])",
			ErrContent, d)
	case h.DType[1] != 'f':
		return nil, i, fmt.Errorf("%w: elements of type %s (allowed: f2, f4, f8)", ErrContent, h.DType)
	case len(d) == 2:
		s.classes = d[1]
	case len(d) == 3:
		s.classes, s.perItem = d[2], d[1]
		i.frames = d[1]
	default:
		return nil, i, fmt.Errorf("%w: shape %v (allowed: [rows, classes], [videos, frames, classes])", ErrContent, d)
	}
	if i.kind != Classes {
		if err := checkClasses(s.classes); err != nil {
			return nil, i, err
		}
		i.classes = s.classes
	}
	if i.frames == 0 && s.perItem != 1 || i.frames < 0 || s.perItem == 0 {
		return nil, i, fmt.Errorf("%w: shape %v has no frames", ErrContent, h.Shape)
	}
	s.left = h.Shape[0] * s.perItem
	i.rows = s.left
	return s, i, nil
}

// reorder reads a Fortran-ordered array whole.
func (s *arraySource) reorder() error {
	if !s.h.Fortran {
		return nil
	}
	var head bytes.Buffer
	if _, err := npy.WriteHeader(&head, s.h); err != nil {
		return formatError(err)
	}
	a, err := npy.Read(io.MultiReader(&head, s.in))
	if err != nil {
		return formatError(err)
	}
	if s.h, err = a.Header(); err != nil {
		return formatError(err)
	}
	var whole bytes.Buffer
	if err := npy.Write(&whole, a); err != nil {
		return formatError(err)
	}
	if _, _, err := npy.ReadHeader(&whole); err != nil {
		return formatError(err)
	}
	s.in = &whole
	return nil
}

func (s *arraySource) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

func (s *arraySource) next(b *Batch, limit int) error {
	if s.left == 0 {
		if s.tail != nil {
			if err := s.tail(); err != nil {
				return err
			}
		}
		return io.EOF
	}
	n := min(limit, s.left)
	b.Rows, b.Classes = n, s.classes
	var err error
	switch {
	case s.native() && s.h.ItemSize() == 4:
		b.F32, err = readFloats(s, b.F32, n*s.classes)
	case s.native():
		b.F64, err = readFloats(s, b.F64, n*s.classes)
	default:
		err = s.convert(b, n)
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: cut short after row %d, in the next %d rows", ErrFormat, b.First, n)
		}
		return err
	}
	if s.labels != nil {
		b.Labels = append(b.Labels, s.labels[s.at:][:n]...)
	}
	if s.ids != nil {
		b.IDs = append(b.IDs, s.ids[s.at:][:n]...)
	}
	s.at += n
	s.left -= n
	return nil
}

// littleEndian says how this machine lays out numbers.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// native reports whether the bytes of numbers are as this machine has them.
func (s *arraySource) native() bool {
	return littleEndian == (s.h.DType[0] == '<') && (s.h.DType[1:] == "f4" || s.h.DType[1:] == "f8")
}

// readFloats reads n numbers into dst's memory, which is theirs as every bit pattern is a number.
func readFloats[F float32 | float64](s *arraySource, dst []F, n int) ([]F, error) {
	if s.mapped != nil {
		return take[F](s.mapped, n), nil
	}
	if cap(dst) < n {
		dst = make([]F, n)
	}
	dst = dst[:n]
	_, err := io.ReadFull(s.in, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), n*int(unsafe.Sizeof(dst[0]))))
	return dst, err
}

// convert reads rows of every other type through package npy.
func (s *arraySource) convert(b *Batch, n int) error {
	size := n * s.classes * s.h.ItemSize()
	if cap(s.buf) < size {
		s.buf = make([]byte, size)
	}
	s.buf = s.buf[:size]
	if _, err := io.ReadFull(s.in, s.buf); err != nil {
		return err
	}
	var head bytes.Buffer
	if _, err := npy.WriteHeader(&head, npy.Header{DType: s.h.DType, Shape: []int{n * s.classes}}); err != nil {
		return formatError(err)
	}
	head.Write(s.buf)
	a, err := npy.Read(&head)
	if err != nil {
		return formatError(err)
	}
	switch d := a.Data.(type) {
	case []float32:
		b.F32 = append(b.F32, d...)
	case []float64:
		b.F64 = append(b.F64, d...)
	default:
		b.Pred, err = toInts(b.Pred, a)
		b.Classes = 0
	}
	return err
}

// toInts appends the elements of an integer array, whose memory it may take. Numbers are refused that are no class's.
func toInts(dst []int, a *npy.Array) ([]int, error) {
	switch d := a.Data.(type) {
	case []float32, []float64, []bool:
		return dst, fmt.Errorf("%w: %s where class numbers are wanted (allowed: integers)", ErrContent, a.Kind())
	case []int64:
		if len(dst) == 0 && len(d) > 0 && strconv.IntSize == 64 {
			return unsafe.Slice((*int)(unsafe.Pointer(unsafe.SliceData(d))), len(d)), checkNumbers(d)
		}
	}
	numbers := a.Float64s()
	if err := checkNumbers(numbers); err != nil {
		return dst, err
	}
	for _, v := range numbers {
		dst = append(dst, int(v))
	}
	return dst, nil
}

// checkNumbers refuses what lies beyond any class.
func checkNumbers[N int64 | float64](numbers []N) error {
	for i, v := range numbers {
		if v > math.MaxInt32 || v < -math.MaxInt32 {
			return fmt.Errorf("%w: element %d is %v (allowed: class numbers)", metrics.ErrLabel, i, float64(v))
		}
	}
	return nil
}

// formatError makes this package's error of those of packages npy and torchfile.
func formatError(err error) error {
	if errors.Is(err, npy.ErrFormat) || errors.Is(err, npy.ErrUnsupported) || errors.Is(err, torchfile.ErrFormat) ||
		errors.Is(err, torchfile.ErrUnsupported) || errors.Is(err, torchfile.ErrUnsafe) {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return err
}

func openNPZ(path string, opt Options) (source, info, error) {
	z, err := openZip(path)
	if err != nil {
		return nil, info{}, err
	}
	s, i, err := archiveSource(z, opt)
	if err != nil {
		return nil, i, errors.Join(err, z.Close())
	}
	return s, i, nil
}

// archiveSource reads the scores of an archive, or the array that was asked for.
func archiveSource(z arrays, opt Options) (*arraySource, info, error) {
	all := namesOf(z)
	c := columns{list: slices.Index(all, opt.Array), label: -1, id: -1, pred: -1}
	if opt.Array == "" {
		var err error
		if c, err = columnsOf(all, &opt, true); err != nil && !errors.Is(err, errNoScores) {
			return nil, info{}, err
		}
		if err != nil {
			if c.list = onlyTable(z, all); c.list < 0 {
				return nil, info{}, fmt.Errorf("%w; it holds %s", err, npy.ListNames(all))
			}
			c.kind = Unknown
		}
	}
	if c.list < 0 && c.pred >= 0 && c.class == nil {
		c.list, c.kind = c.pred, Classes
	}
	if c.list < 0 {
		return nil, info{}, fmt.Errorf("%w: no array of scores; it holds %s", ErrContent, npy.ListNames(all))
	}
	h, r, err := z.Open(all[c.list])
	if err != nil {
		return nil, info{}, formatError(err)
	}
	s, i, err := newArraySource(h, r)
	if err != nil {
		return nil, i, errors.Join(fmt.Errorf("array %q: %w", all[c.list], err), r.Close())
	}
	if c.kind == Classes && i.kind != Classes {
		return nil, i, errors.Join(fmt.Errorf("%w: array %q of type %s (allowed: integers, as predicted classes are)", ErrContent,
			all[c.list], h.DType), r.Close())
	}
	if i.kind == Classes && (c.kind == Logits || c.kind == Probs) {
		return nil, i, errors.Join(fmt.Errorf("%w: array %q of type %s (allowed: floats, as %s are; integers are class numbers)", ErrContent,
			all[c.list], h.DType, c.kind), r.Close())
	}
	if i.kind == Unknown {
		i.kind = c.kind
	}
	s.close = func() error { return errors.Join(r.Close(), z.Close()) }
	s.tail = func() error { return drain(r) }
	if err := s.reorder(); err != nil {
		return nil, i, errors.Join(err, r.Close())
	}
	if err := s.beside(z, all, c, &i); err != nil {
		return nil, i, errors.Join(err, r.Close())
	}
	return s, i, nil
}

// drain reads to the end, which checks the checksum, and refuses what is left.
func drain(r io.Reader) error {
	n, err := io.Copy(io.Discard, r)
	if err != nil {
		return formatError(err)
	}
	if n > 0 {
		return fmt.Errorf("%w: %d bytes after the last row", ErrFormat, n)
	}
	return nil
}

// onlyTable returns the only array of two or three axes of floats, or -1.
func onlyTable(z arrays, all []string) int {
	found := -1
	for i, name := range all {
		if meaningOf(name).role != other {
			continue
		}
		h, r, err := z.Open(name)
		if err != nil {
			continue
		}
		_ = r.Close() // nothing was read
		if h.DType[1] != 'f' || len(h.Shape) < 2 || len(h.Shape) > 3 {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// beside reads labels and ids.
func (s *arraySource) beside(z arrays, all []string, c columns, i *info) error {
	if c.label >= 0 {
		a, err := z.Read(all[c.label])
		if err != nil {
			return formatError(err)
		}
		if s.labels, err = labelArray(a); err != nil {
			return fmt.Errorf("array %q: %w", all[c.label], err)
		}
		if len(s.labels) != s.left {
			return fmt.Errorf("%w: %d rows and %d labels%s", ErrContent, s.left, len(s.labels), i.integers())
		}
		i.labels = true
	}
	if c.id < 0 {
		return nil
	}
	var err error
	if s.ids, err = readIDs(z, all[c.id]); err != nil {
		return err
	}
	if len(s.ids) != s.left {
		return fmt.Errorf("%w: %d rows and %d ids in array %q", ErrContent, s.left, len(s.ids), all[c.id])
	}
	i.ids = true
	return nil
}

// labelArray reads class numbers of shape [rows] or [rows, 1].
func labelArray(a *npy.Array) ([]int, error) {
	if d := a.Shape; len(d) != 1 && !(len(d) == 2 && d[1] == 1) {
		return nil, fmt.Errorf("%w: labels of shape %v (allowed: [rows])", ErrContent, d)
	}
	return toInts([]int{}, a)
}
