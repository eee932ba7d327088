package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data/storage"
)

// PartialFile is a file that grows over a long run, survives crashes at the points where it was synced, and appears
// under its name only at the end. Until then it is called name + [storage.TempSuffix], which is how a later run finds it.
type PartialFile struct {
	name string
	f    *os.File // nil once committed, closed or removed
	size int64
	crc  uint32
}

// CreatePartial begins the file anew and throws away what an earlier run may have left of it.
func CreatePartial(name string) (*PartialFile, error) {
	f, err := CreateNew(name + storage.TempSuffix)
	if err != nil {
		return nil, fmt.Errorf("cannot create %s: %w", name, err)
	}
	return &PartialFile{name: name, f: f}, nil
}

// ResumePartial resumes a file whose first size bytes a Sync made durable; what follows them is cut off. It is an
// error that wraps ErrFormat when the file is shorter than that.
func ResumePartial(name string, size int64) (*PartialFile, error) {
	st, err := os.Lstat(name + storage.TempSuffix)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s is no regular file", ErrUnsafe, name+storage.TempSuffix)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot resume %s: %w", name, err)
	}
	f, err := os.OpenFile(name+storage.TempSuffix, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot resume %s: %w", name, err)
	}
	p := &PartialFile{name: name, f: f, size: size}
	if err := p.cut(); err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot resume %s: %w", name, err)
	}
	return p, nil
}

func (p *PartialFile) cut() error {
	st, err := p.f.Stat()
	if err != nil {
		return err
	}
	if p.size < 0 || st.Size() < p.size {
		return fmt.Errorf("%w: %s holds %d bytes, the checkpoint says %d", ErrFormat, p.f.Name(), st.Size(), p.size)
	}
	if err := p.f.Truncate(p.size); err != nil {
		return err
	}
	_, err = p.f.Seek(p.size, io.SeekStart)
	return err
}

// Name returns the final name.
func (p *PartialFile) Name() string { return p.name }

// TempName returns the name under which the file lies until Commit.
func (p *PartialFile) TempName() string { return p.name + storage.TempSuffix }

// Size returns the number of bytes in the file.
func (p *PartialFile) Size() int64 { return p.size }

// CRC returns the CRC-32C of what Write and, before it, Verify went over. It is that of the file where nothing but Write
// made it.
func (p *PartialFile) CRC() uint32 { return p.crc }

// Verify reads a resumed file back. The error wraps ErrFormat unless its bytes have the CRC that the checkpoint says.
func (p *PartialFile) Verify(crc uint32) error {
	have, err := ReadCRC(io.NewSectionReader(p.f, 0, p.size))
	if err == nil && have != crc {
		err = fmt.Errorf("%w: it is not what was written", ErrFormat)
	}
	if err != nil {
		return fmt.Errorf("cannot resume %s: %w", p.TempName(), err)
	}
	p.crc = crc
	return nil
}

// Write appends b.
func (p *PartialFile) Write(b []byte) (int, error) {
	if p.f == nil {
		return 0, fmt.Errorf("cannot write %s: %w", p.name, fs.ErrClosed)
	}
	n, err := p.f.Write(b)
	p.size += int64(n)
	p.crc = UpdateCRC(p.crc, b[:n])
	if err != nil {
		return n, fmt.Errorf("cannot write %s: %w", p.name, err)
	}
	return n, nil
}

// WriteAt overwrites bytes that exist: a header that holds the final count.
func (p *PartialFile) WriteAt(b []byte, off int64) (int, error) {
	if p.f == nil {
		return 0, fmt.Errorf("cannot write %s: %w", p.name, fs.ErrClosed)
	}
	n, err := p.f.WriteAt(b, off)
	p.size = max(p.size, off+int64(n))
	if err != nil {
		return n, fmt.Errorf("cannot write %s: %w", p.name, err)
	}
	return n, nil
}

// ReadAt reads back what was written.
func (p *PartialFile) ReadAt(b []byte, off int64) (int, error) {
	if p.f == nil {
		return 0, fmt.Errorf("cannot read %s: %w", p.name, fs.ErrClosed)
	}
	return p.f.ReadAt(b, off)
}

// Sync makes everything written so far durable, under the temporary name. Size afterwards is what [ResumePartial]
// takes.
func (p *PartialFile) Sync() error {
	if p.f == nil {
		return fmt.Errorf("cannot sync %s: %w", p.name, fs.ErrClosed)
	}
	if err := p.f.Sync(); err != nil {
		return fmt.Errorf("cannot sync %s: %w", p.name, err)
	}
	return storage.SyncDir(filepath.Dir(p.name))
}

// Commit makes the file durable and gives it its final name. After an error the file is closed and keeps its temporary
// name.
func (p *PartialFile) Commit() error {
	if err := p.Sync(); err != nil {
		return errors.Join(err, p.Close())
	}
	if err := p.Close(); err != nil {
		return err
	}
	if err := os.Rename(p.TempName(), p.name); err != nil {
		return fmt.Errorf("cannot finish %s: %w", p.name, err)
	}
	return storage.SyncDir(filepath.Dir(p.name))
}

// Close closes the file and leaves it under its temporary name, for a later run to resume. After Commit, Close or
// Remove it does nothing.
func (p *PartialFile) Close() error {
	if p.f == nil {
		return nil
	}
	err := p.f.Close()
	p.f = nil
	if err != nil {
		return fmt.Errorf("cannot close %s: %w", p.TempName(), err)
	}
	return nil
}

// Remove closes the file and deletes it. After Commit, Close or Remove it does nothing.
func (p *PartialFile) Remove() error {
	if p.f == nil {
		return nil
	}
	err := p.Close()
	if rerr := os.Remove(p.TempName()); err == nil && rerr != nil {
		err = fmt.Errorf("cannot remove %s: %w", p.TempName(), rerr)
	}
	return err
}
