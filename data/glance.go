package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// The rule of [Glance]: how many files are looked into, and how much of each.
const (
	glanceFiles  = 1024
	glanceWhole  = 64 << 10 // a file up to this size is read whole
	glanceBlocks = 16       // of a larger one so many blocks are read
	glanceBlock  = 4 << 10
)

// Glance returns a digest of the files of src, "files:" and 16 hexadecimal digits, at a cost that hardly grows with the
// data: of the names below their common folder and the sizes of all of them, and of bytes of 1,024 of them, the first and
// the last among these and the others evenly between. Of a file up to 64 KiB all bytes count, of a larger one 16 blocks of
// 4 KiB, from its first to its last. So files that were replaced as a whole are told apart though names and sizes are the
// same; a change of single bytes may not be. Times do not count: a copy of a data set is the same data set. It is "" for a
// source that is not of files. What is no regular file, or is not there, counts as such.
func Glance(src Source) (string, error) { return GlanceFiles(Files(src)) }

// GlanceFiles is [Glance] of files by their paths, in their order.
func GlanceFiles(files []string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	h := sha256.New()
	root := CommonFolder(files)
	chosen := min(len(files), glanceFiles)
	next := 0 // of the chosen ones
	err := storage.StatAll(context.Background(), storage.Clean(root), files, func(i int, st fs.FileInfo, err error) error {
		at := 0
		if chosen > 1 {
			at = next * (len(files) - 1) / (chosen - 1)
		}
		look := next < chosen && i == at
		if look {
			next++
		}
		fmt.Fprintf(h, "%q ", filepath.ToSlash(strings.TrimPrefix(files[i], root)))
		if err := glance(h, files[i], st, err, look); err != nil {
			return fmt.Errorf("cannot look at the data: %w", err)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return "files:" + hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// glance adds the size of a file to a digest, and its bytes where they are looked at.
func glance(h hash.Hash, path string, st fs.FileInfo, err error, look bool) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintln(h, "missing")
		return nil
	case err != nil:
		return err
	case !st.Mode().IsRegular():
		fmt.Fprintln(h, "not a file")
		return nil
	}
	fmt.Fprintln(h, st.Size())
	if !look {
		return nil
	}
	f, err := storage.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if st.Size() <= glanceWhole {
		_, err = io.Copy(h, f)
		return err
	}
	for i := range int64(glanceBlocks) {
		at := i * (st.Size() - glanceBlock) / (glanceBlocks - 1)
		if _, err := io.Copy(h, io.NewSectionReader(f, at, glanceBlock)); err != nil {
			return err
		}
	}
	return nil
}
