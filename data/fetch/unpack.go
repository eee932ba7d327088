package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Limits on what an archive unpacks to; the published ones hold at most ten files and 190 MB.
const (
	maxFiles    = 100
	maxUnpacked = 1 << 30
)

// recordName is the file in an unpacked folder that says what it was unpacked from.
const recordName = "augmix-fetch.json"

// maxRecord limits the size of that file.
const maxRecord = 1 << 20

// record is its content.
type record struct {
	Archive string         `json:"archive"`
	MD5     string         `json:"md5"`
	Files   []recordedFile `json:"files"`
}

type recordedFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	MD5  string `json:"md5"`
}

// complete reports whether the folder holds the whole data set. A folder that this package made is recognized by its
// record and the sizes of its files; one that was unpacked by hand is read and held against the published sums. A
// folder that holds something else is an error: it is not ours to replace.
func (a archive) complete(folder string) (bool, error) {
	st, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !st.IsDir() {
		return false, fmt.Errorf("%s is in the way: it is no folder (%w)", folder, fs.ErrExist)
	}
	if a.matchesRecord(folder) {
		return true, nil
	}
	for _, f := range a.files {
		if err := f.check(folder); err != nil {
			return false, fmt.Errorf("%s is not the complete data set; move it away to fetch it anew (%w): %w",
				folder, fs.ErrExist, err)
		}
	}
	return true, nil
}

// matchesRecord reports whether the folder has a record of this archive and all its files in their sizes.
func (a archive) matchesRecord(folder string) bool {
	text, err := data.ReadFile(nil, filepath.Join(folder, recordName), maxRecord)
	var r record
	if err != nil || json.Unmarshal(text, &r) != nil || r.MD5 != a.md5 {
		return false
	}
	sizes := map[string]int64{}
	for _, f := range r.Files {
		st, err := os.Stat(filepath.Join(folder, filepath.FromSlash(f.Name)))
		if err != nil || st.Size() != f.Size {
			return false
		}
		sizes[f.Name] = f.Size
	}
	for _, f := range a.files {
		if _, ok := sizes[f.name]; !ok {
			return false
		}
	}
	return true
}

// check checks a file of an unpacked folder.
func (f file) check(folder string) error {
	name := filepath.Join(folder, f.name)
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	if st.Size() == 0 || f.size != 0 && st.Size() != f.size {
		return fmt.Errorf("%w: %s has %d bytes, want %d", ErrContent, name, st.Size(), f.size)
	}
	if f.md5 == "" {
		return nil
	}
	sum, _, err := sumFile(name)
	if err == nil && sum != f.md5 {
		err = fmt.Errorf("%w: %s has MD5 sum %s, want %s", ErrContent, name, sum, f.md5)
	}
	return err
}

// unpack makes the folder in dir from the archive: under a temporary name first, then under its own.
func (a archive) unpack(ctx context.Context, name, dir string) error {
	temp := filepath.Join(dir, "."+a.folder+storage.TempSuffix)
	if err := os.RemoveAll(temp); err != nil {
		return fmt.Errorf("cannot remove what an earlier call left: %w", err)
	}
	if err := os.Mkdir(temp, 0o777); err != nil {
		return fmt.Errorf("cannot unpack %s: %w", name, err)
	}
	err := a.unpackTo(ctx, temp, name)
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, a.folder))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot unpack %s: %w", name, err), os.RemoveAll(temp))
	}
	return storage.SyncDir(dir)
}

func (a archive) unpackTo(ctx context.Context, temp, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	root, err := os.OpenRoot(temp) // nothing below can leave the folder, whatever the checks let through
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := a.extract(ctx, root, in)
	if err != nil {
		return err
	}
	if err := a.checkFiles(files); err != nil {
		return err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "\t")
	if err := enc.Encode(record{Archive: a.file, MD5: a.md5, Files: files}); err != nil {
		return err
	}
	if _, err := writeFile(root, recordName, &text); err != nil {
		return err
	}
	return storage.SyncDir(temp)
}

// checkFiles holds what was unpacked against what is published.
func (a archive) checkFiles(files []recordedFile) error {
	got := map[string]recordedFile{}
	for _, f := range files {
		got[f.Name] = f
	}
	for _, want := range a.files {
		f, ok := got[want.name]
		switch {
		case !ok:
			return fmt.Errorf("%w: %s is missing", ErrContent, want.name)
		case f.Size == 0 || want.size != 0 && f.Size != want.size:
			return fmt.Errorf("%w: %s has %d bytes, want %d", ErrContent, want.name, f.Size, want.size)
		case want.md5 != "" && f.MD5 != want.md5:
			return fmt.Errorf("%w: %s has MD5 sum %s, want %s", ErrContent, want.name, f.MD5, want.md5)
		}
	}
	return nil
}

// extract writes the entries of a .tar.gz below root, without the name of the folder that all of them are in.
func (a archive) extract(ctx context.Context, root *os.Root, in io.Reader) ([]recordedFile, error) {
	gz, err := gzip.NewReader(in)
	if err != nil {
		return nil, badArchive(err)
	}
	limited := &io.LimitedReader{R: gz, N: maxUnpacked}
	tr := tar.NewReader(limited)
	var files []recordedFile
	room := int64(maxUnpacked)
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		h, err := tr.Next()
		if errors.Is(err, io.EOF) && limited.N > 0 {
			_, err = io.Copy(io.Discard, limited) // to the check sum
			return files, badArchive(err)
		}
		if err != nil {
			return nil, badArchive(err)
		}
		name, err := a.entryName(h)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		if len(files) == maxFiles {
			return nil, fmt.Errorf("%w: more than %d files", data.ErrFormat, maxFiles)
		}
		f, err := writeFile(root, name, io.LimitReader(tr, room+1))
		if err != nil {
			return nil, fmt.Errorf("entry %.200q: %w", h.Name, badArchive(err))
		}
		if room -= f.Size; room < 0 { // a sparse entry has more bytes than the archive
			return nil, badArchive(io.ErrUnexpectedEOF)
		}
		files = append(files, f)
	}
}

// entryName returns where a file is written, "" for an entry that is none. The archives are flat: one folder of files.
func (a archive) entryName(h *tar.Header) (string, error) {
	clean := path.Clean(h.Name)
	name, inside := strings.CutPrefix(clean, a.folder+"/")
	isDir := h.Typeflag == tar.TypeDir
	switch {
	case h.Typeflag == tar.TypeXGlobalHeader:
		return "", nil
	case isDir && clean == a.folder, isDir && clean == ".":
		return "", nil
	case h.Typeflag != tar.TypeReg, !inside, !filepath.IsLocal(name), strings.ContainsAny(name, `/\:`),
		strings.Contains("/"+h.Name+"/", "/../"), name == recordName:
		return "", fmt.Errorf("%w: entry %.200q of type %q (allowed: files in the folder %s)",
			data.ErrUnsafe, h.Name, h.Typeflag, a.folder)
	}
	return name, nil
}

// writeFile writes a new file and makes it durable.
func writeFile(root *os.Root, name string, r io.Reader) (recordedFile, error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return recordedFile{}, err
	}
	h := md5.New()
	n, err := io.Copy(io.MultiWriter(f, h), r)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	return recordedFile{Name: name, Size: n, MD5: hex.EncodeToString(h.Sum(nil))}, err
}

// badArchive gives what the unpackers find the class of bad data and leaves errors of the file system as they are.
func badArchive(err error) error {
	var pe *fs.PathError
	switch {
	case err == nil, errors.As(err, &pe), errors.Is(err, data.ErrUnsafe):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: cut off, or unpacks to more than %d bytes", data.ErrFormat, int64(maxUnpacked))
	}
	return fmt.Errorf("%w: %w", data.ErrFormat, err)
}
