package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/augmix-go/augmix/data/storage"
)

// CreateNew creates a file for reading and writing in place of a file or a link that has the name. What a link leads to
// is left alone.
func CreateNew(name string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(name, flags, 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, flags, 0o666)
}

// NameFile gives the file of a sample, written under a temporary name, its own. The error names the file and wraps [fs.ErrExist] where a
// folder has the name: of keys such as a and a.png/c only one can be had.
func NameFile(temporary, name string) error {
	err := os.Rename(temporary, name)
	if errors.Is(err, fs.ErrExist) { // which is said of folders alone
		return fmt.Errorf("cannot finish %s: other samples lie in a folder of that name (%w)", name, fs.ErrExist)
	}
	if err != nil {
		return fmt.Errorf("cannot finish %s: %w", name, err)
	}
	return nil
}

// MakeFolder makes a folder for samples, and those above it. The error names it and wraps [fs.ErrExist] where one of them is a file: see
// [NameFile].
func MakeFolder(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("cannot make the folder %s: another sample has a file of that name, or of one above it (%w)", dir, fs.ErrExist)
	}
	if err != nil {
		return fmt.Errorf("cannot make a folder for samples: %w", err)
	}
	return nil
}

// WriteFileAtomic writes a whole file: temporary name, sync, rename, sync of the folder.
func WriteFileAtomic(name string, content []byte) error {
	return storage.WriteAtomic(name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// EncodeLines makes the text of a list file (classes.txt): one line each, and an error that wraps ErrLabel for a name
// that would not survive as one line.
func EncodeLines(lines []string) ([]byte, error) {
	var b bytes.Buffer
	for i, s := range lines {
		if s == "" || strings.ContainsAny(s, "\r\n\x00") {
			return nil, fmt.Errorf("%w: class %d is named %q (a name is one line of text, not empty)", ErrLabel, i, s)
		}
		b.WriteString(s)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// DecodeLines is the inverse of EncodeLines. It takes either line ending and a last line without one.
func DecodeLines(text []byte) []string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if len(text) == 0 {
		return nil
	}
	var lines []string
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		lines = append(lines, string(bytes.TrimSuffix(line, []byte("\r"))))
	}
	return lines
}
