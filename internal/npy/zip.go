package npy

import (
	"archive/zip"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

const suffix = ".npy"

// Zip is an open .npz file, read only. Its methods may be called from several goroutines at once.
type Zip struct {
	names []string
	files map[string]*zip.File
	at    io.ReaderAt
	size  int64
	close func() error
}

// OpenZip opens the .npz file at path. The caller closes it. Only the directory of the file is read. The error wraps
// [ErrFormat] if it is not a zip file or holds two arrays of one name.
func OpenZip(path string) (*Zip, error) {
	f, err := storage.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("npy: %w", err)
	}
	z, err := NewZip(f, st.Size())
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("npy: opening %s: %w", path, err)
	}
	z.close = f.Close
	return z, nil
}

// NewZip reads an .npz file of size bytes from r, as [OpenZip] does.
func NewZip(r io.ReaderAt, size int64) (*Zip, error) {
	r = forward{r}
	d, err := zip.NewReader(r, size)
	if err != nil {
		return nil, zipError(err)
	}
	z := &Zip{files: map[string]*zip.File{}, at: r, size: size, close: func() error { return nil }}
	for _, f := range d.File {
		name, ok := strings.CutSuffix(f.Name, suffix)
		if !ok {
			continue
		}
		if z.files[name] != nil {
			return nil, fmt.Errorf("%w: two members named %q", ErrFormat, f.Name)
		}
		z.files[name] = f
		z.names = append(z.names, name)
	}
	if strings.HasPrefix(d.Comment, signature) && d.Comment != sign(z.names) {
		return nil, fmt.Errorf("%w: the directory is not what was written: its checksum differs", ErrFormat)
	}
	return z, nil
}

// VerifyZip reads the .npz file at path to its end. The error wraps [ErrFormat] where a checksum in it says that it is damaged;
// the copies of names and sizes before each member have none.
func VerifyZip(path string) error {
	z, err := OpenZip(path)
	if err != nil {
		return err
	}
	defer z.close()
	for name, f := range z.files {
		in, err := f.Open()
		if err != nil {
			return fmt.Errorf("%s, member %q: %w", path, name, zipError(err))
		}
		_, err = io.Copy(io.Discard, &member{r: in, name: name, deflated: f.Method == zip.Deflate})
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// signature begins the comment of a zip file that holds a checksum of the names in its directory. Contents have checksums of their own.
const signature = "names crc32c "

func sign(names []string) string {
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, name := range names {
		fmt.Fprintf(sum, "%q\n", name)
	}
	return fmt.Sprintf("%s%08x", signature, sum.Sum32())
}

// forward refuses offsets below zero, which a damaged directory can ask for.
type forward struct{ io.ReaderAt }

func (f forward) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("%w: the zip directory points to byte %d", ErrFormat, off)
	}
	return f.ReaderAt.ReadAt(p, off)
}

// zipError classes an error of archive/zip; errors of the file below it are wrapped as they are.
func zipError(err error) error {
	switch {
	case errors.Is(err, ErrFormat):
		return err
	case errors.Is(err, zip.ErrAlgorithm):
		return fmt.Errorf("%w: %w (allowed: stored, deflated)", ErrUnsupported, err)
	case errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrChecksum), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return fmt.Errorf("npy: reading a zip file: %w", err)
}

// Close closes the file that [OpenZip] opened. Readers taken from z are not usable afterwards.
func (z *Zip) Close() error { return z.close() }

// Names returns the names of the arrays, without .npy, in the order of the file. Other members are left out.
func (z *Zip) Names() []string { return append([]string(nil), z.names...) }

func (z *Zip) find(name string) (*zip.File, error) {
	f := z.files[name]
	if f == nil {
		return nil, fmt.Errorf("%w: no array %q (it holds: %s)", ErrFormat, name, ListNames(z.names))
	}
	if f.Flags&1 != 0 {
		return nil, fmt.Errorf("%w: array %q is encrypted", ErrUnsupported, name)
	}
	return f, nil
}

// ListNames writes the names of arrays for an error: the first ten, cut, and how many there are besides.
func ListNames(names []string) string {
	const most, width = 10, 60
	var b strings.Builder
	for i, name := range names[:min(len(names), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%.*s", width, name)
	}
	if n := len(names) - most; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	return b.String()
}

// member reads a member; errors of the decompressor and the checksum become ErrFormat.
type member struct {
	r        io.ReadCloser
	name     string
	deflated bool
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: array %q: %w", ErrFormat, m.name, m.explain(err))
	}
	return n, err
}

// explain says what archive/zip means by ErrFormat within a member, and by the end: that it holds more or less than it declares.
func (m *member) explain(err error) error {
	size := errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF)
	var corrupt flate.CorruptInputError
	switch {
	case m.deflated && size:
		return errors.New("its compressed bytes are damaged: they do not make as many as it declares")
	case m.deflated && errors.As(err, &corrupt):
		return fmt.Errorf("its compressed bytes are damaged: %w", err)
	case size:
		return errors.New("it does not have as many bytes as it declares")
	}
	return err
}

func (m *member) Close() error { return m.r.Close() }

// Open returns the header of the array called name and a reader of its data, in file order and as the bytes are there.
// The caller closes the reader; only reading to its end checks the checksum. The error wraps [ErrFormat] or
// [ErrUnsupported].
func (z *Zip) Open(name string) (Header, io.ReadCloser, error) { return z.open(name, normalType) }

func (z *Zip) open(name string, typ func(string) (string, error)) (Header, io.ReadCloser, error) {
	f, err := z.find(name)
	if err != nil {
		return Header{}, nil, err
	}
	r, err := f.Open()
	if err != nil {
		return Header{}, nil, zipError(err)
	}
	m := &member{r: r, name: name, deflated: f.Method == zip.Deflate}
	h, _, err := readHeader(m, typ)
	if err != nil {
		r.Close()
		return Header{}, nil, fmt.Errorf("array %q: %w", name, err)
	}
	return h, m, nil
}

// Section gives random access to the data of the array called name, which must be stored without compression, as
// numpy.savez does; otherwise the error wraps [ErrUnsupported]. The section holds at least the bytes that the header
// declares. The checksum is not checked; [Zip.Pieces] does that.
func (z *Zip) Section(name string) (Header, *io.SectionReader, error) {
	p, err := z.place(name)
	if err != nil {
		return Header{}, nil, err
	}
	return p.header, io.NewSectionReader(z.at, p.data, p.end-p.data), nil
}

// place is where a stored array lies in the file.
type place struct {
	header          Header
	head, data, end int64 // where its member begins, its data begin, and both end
}

func (z *Zip) place(name string) (place, error) {
	f, err := z.find(name)
	if err != nil {
		return place{}, err
	}
	if f.Method != zip.Store {
		return place{}, fmt.Errorf("%w: array %q is compressed, want it stored", ErrUnsupported, name)
	}
	off, err := f.DataOffset()
	if err != nil {
		return place{}, zipError(err)
	}
	size := f.UncompressedSize64
	if f.CompressedSize64 != size {
		return place{}, fmt.Errorf("%w: array %q is stored but declares two sizes", ErrFormat, name)
	}
	if size > uint64(z.size) || off > z.size-int64(size) {
		return place{}, fmt.Errorf("%w: array %q reaches beyond the end of the file", ErrFormat, name)
	}
	h, n, err := ReadHeader(io.NewSectionReader(z.at, off, int64(size)))
	if err != nil {
		return place{}, fmt.Errorf("array %q: %w", name, err)
	}
	elements, err := h.Len()
	if err != nil {
		return place{}, err
	}
	if want, have := int64(elements)*int64(h.ItemSize()), int64(size)-int64(n); have < want {
		return place{}, fmt.Errorf("%w: array %q has %d bytes of data, want %d", ErrFormat, name, have, want)
	}
	return place{header: h, head: off, data: off + int64(n), end: off + int64(size)}, nil
}

// Read reads the array called name, as the function [Read] does, and checks its checksum.
func (z *Zip) Read(name string) (*Array, error) {
	h, r, err := z.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := readData(r, h, -1)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", name, err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return nil, err
	}
	return &Array{Shape: h.Shape, Data: data}, nil
}

// ZipWriter writes an .npz file. It is made by [CreateZip].
type ZipWriter struct {
	file   *storage.AtomicFile
	w      *zip.Writer
	path   string
	method uint16
	names  map[string]bool
	order  []string
	signed bool
}

// SignNames gives the file a checksum of its directory, which [NewZip] checks.
func (z *ZipWriter) SignNames() { z.signed = true }

// CreateZip starts an .npz file that appears at path when [ZipWriter.Close] succeeds, and not before. Members are
// deflated, or else stored, which is larger but can be read at random. The same arrays give the same bytes: no times
// are recorded.
func CreateZip(path string, deflate bool) (*ZipWriter, error) {
	f, err := storage.CreateAtomic(path)
	if err != nil {
		return nil, err
	}
	method := zip.Store
	if deflate {
		method = zip.Deflate
	}
	return &ZipWriter{file: f, w: zip.NewWriter(f), path: path, method: method, names: map[string]bool{}}, nil
}

// Create starts the array called name and returns a writer for its data, which must be of the size that h declares. The
// writer is valid until the next call on z.
func (z *ZipWriter) Create(name string, h Header) (io.Writer, error) {
	if name == "" || z.names[name] {
		return nil, fmt.Errorf("%w: array name %q is empty or given twice", ErrFormat, name)
	}
	b, err := appendHeader(nil, h)
	if err != nil {
		return nil, err
	}
	z.names[name] = true
	z.order = append(z.order, name)
	w, err := z.w.CreateHeader(&zip.FileHeader{Name: name + suffix, Method: z.method})
	if err == nil {
		_, err = w.Write(b)
	}
	if err != nil {
		return nil, fmt.Errorf("npy: writing array %q to %s: %w", name, z.path, err)
	}
	return w, nil
}

// Write adds a as the array called name.
func (z *ZipWriter) Write(name string, a *Array) error {
	h, err := a.Header()
	if err != nil {
		return err
	}
	w, err := z.Create(name, h)
	if err != nil {
		return err
	}
	return writeData(w, a.Data)
}

// Close completes the file and gives it its name. After an error nothing is left.
func (z *ZipWriter) Close() error {
	var err error
	if z.signed {
		err = z.w.SetComment(sign(z.order))
	}
	if err = errors.Join(err, z.w.Close()); err != nil {
		z.file.Abort()
		return fmt.Errorf("npy: writing %s: %w", z.path, err)
	}
	return z.file.Commit()
}

// Abort removes what was written. It does nothing after [ZipWriter.Close], so it can be deferred.
func (z *ZipWriter) Abort() { z.file.Abort() }
