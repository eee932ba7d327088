package torchfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"github.com/augmix-go/augmix/internal/pickle"
)

// maxValues is the largest data.pkl that is read: a tensor takes some 200 bytes of it.
const maxValues = 64 << 20

// archive is the directory of the zip format.
type archive struct {
	r       io.ReaderAt
	size    int64
	members map[string]*zip.File
	values  *zip.File // data.pkl
	prefix  string    // of all members: the name of the file as it was written, with a slash
}

// openZip reads the directory. values is nil if there is no data.pkl.
func openZip(r io.ReaderAt, size int64) (*archive, error) {
	d, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names are only compared
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	z := &archive{r: r, size: size, members: map[string]*zip.File{}}
	for _, f := range d.File {
		if z.members[f.Name] != nil {
			return nil, fmt.Errorf("%w: two members named %.80q", ErrFormat, f.Name)
		}
		z.members[f.Name] = f
		if path.Base(f.Name) == "data.pkl" && strings.Count(f.Name, "/") <= 1 {
			if z.values != nil {
				return nil, fmt.Errorf("%w: two members data.pkl", ErrFormat)
			}
			z.values, z.prefix = f, strings.TrimSuffix(f.Name, "data.pkl")
		}
	}
	return z, nil
}

// section returns where a member's bytes lie, which are stored.
func (z *archive) section(f *zip.File) (int64, error) {
	if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 || f.Flags&1 != 0 {
		return 0, fmt.Errorf("%w: member %.80q is compressed or encrypted (allowed: stored, as PyTorch writes it)", ErrUnsupported,
			f.Name)
	}
	off, err := f.DataOffset()
	if err != nil {
		return 0, fmt.Errorf("%w: member %.80q: %w", ErrFormat, f.Name, err)
	}
	if n := f.UncompressedSize64; off < 0 || n > uint64(z.size) || off > z.size-int64(n) {
		return 0, fmt.Errorf("%w: member %.80q reaches beyond the end of the file", ErrFormat, f.Name)
	}
	return off, nil
}

// readZip reads the values of the zip format.
func (f *File) readZip(r io.ReaderAt) error {
	z, err := openZip(r, f.size)
	if err != nil {
		return err
	}
	switch {
	case z.values == nil:
		return fmt.Errorf("%w: a zip file without data.pkl", ErrFormat)
	case z.members[z.prefix+"constants.pkl"] != nil:
		return fmt.Errorf("%w: a TorchScript program (torch.jit.save); of a model save its state_dict() with torch.save", ErrUnsupported)
	}
	if m := z.members[z.prefix+"byteorder"]; m != nil {
		order, err := z.read(m, 16)
		if err != nil {
			return err
		}
		if string(order) != "little" {
			return fmt.Errorf("%w: byte order %q (allowed: little)", ErrUnsupported, order)
		}
	}
	f.locate = func(key string, s *storage) error {
		m := z.members[z.prefix+"data/"+key]
		if m == nil {
			return fmt.Errorf("%w: no member data/%.40s", ErrFormat, key)
		}
		off, err := z.section(m)
		if err != nil {
			return err
		}
		if m.UncompressedSize64 != uint64(s.bytes) {
			return fmt.Errorf("%w: storage %.40q has %d bytes, want %d", ErrFormat, key, m.UncompressedSize64, s.bytes)
		}
		s.at, s.r, s.crc = off, r, &m.CRC32
		return nil
	}
	src, err := z.read(z.values, maxValues)
	if err != nil {
		return err
	}
	if f.Value, _, err = pickle.Read(src, f.dialect()); err != nil {
		return fmt.Errorf("data.pkl: %w", pickleError(err))
	}
	return nil
}

// read reads a member of at most so many bytes.
func (z *archive) read(f *zip.File, most uint64) ([]byte, error) {
	off, err := z.section(f)
	if err != nil {
		return nil, err
	}
	if f.UncompressedSize64 > most {
		return nil, fmt.Errorf("%w: member %.80q of %d bytes (allowed: %d)", ErrUnsupported, f.Name, f.UncompressedSize64, most)
	}
	return readSum(z.r, off, int64(f.UncompressedSize64), &f.CRC32)
}

// readSum reads bytes and compares their checksum; sum is nil where there is none.
func readSum(r io.ReaderAt, off, n int64, sum *uint32) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(io.NewSectionReader(r, off, n), b); err != nil {
		return nil, fmt.Errorf("%w: cut short: %w", ErrFormat, err)
	}
	if sum != nil && crc32.ChecksumIEEE(b) != *sum {
		return nil, fmt.Errorf("%w: %d bytes at %d have another checksum than the zip directory says: damaged", ErrFormat, n, off)
	}
	return b, nil
}
