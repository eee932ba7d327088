package data

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// Filer is a [Source] of files on disk.
type Filer interface {
	Source
	// Files returns the paths of the files that samples and labels are read from, in the source's order.
	Files() []string
}

// Files returns the files of src, nil where it has none or does not know them.
func Files(src Source) []string {
	if f, ok := src.(Filer); ok {
		return f.Files()
	}
	return nil
}

// Fingerprint tells a source from what it was at another time, without reading its samples.
type Fingerprint struct {
	Samples int    `json:"samples"` // -1 where only reading to the end would say
	Files   int    `json:"files"`   // 0 for a source that is not of files
	Classes string `json:"classes"` // digest of the class names, in order
	Names   string `json:"names"`   // digest of the files' paths below the folder that holds all, in order
	Sizes   string `json:"sizes"`   // and of their sizes
	Times   string `json:"times"`   // and of the times at which they were written last
	// Content is what [Glance] says of the files, where that was asked for: it then counts in place of Times, so that a copy is the same.
	Content string `json:"content,omitempty"`
}

// TakeFingerprint looks at the files of src. One that is not there counts as such; another error is returned.
func TakeFingerprint(src Source) (Fingerprint, error) {
	info, files := src.Info(), Files(src)
	classes, names, sizes, times := sha256.New(), sha256.New(), sha256.New(), sha256.New()
	for _, c := range info.Classes {
		fmt.Fprintf(classes, "%q\n", c)
	}
	above := len(CommonFolder(files))
	err := storage.StatAll(context.Background(), storage.Clean(CommonFolder(files)), files, func(i int, st fs.FileInfo, err error) error {
		fmt.Fprintf(names, "%q\n", filepath.ToSlash(files[i][above:]))
		switch {
		case err == nil && st.Mode().IsRegular():
			fmt.Fprintln(sizes, st.Size())
			fmt.Fprintln(times, st.ModTime().UnixNano())
		case err == nil: // a pipe is another at each run
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintln(sizes, "missing")
		default:
			return fmt.Errorf("cannot look at the input: %w", err)
		}
		return nil
	})
	if err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{
		Samples: info.Len, Files: len(files), Classes: short(classes), Names: short(names), Sizes: short(sizes), Times: short(times),
	}, nil
}

// CommonFolder returns the folder that all files are below, with its last separator, and "" where there is none. Fingerprints
// leave it out: where a data set lies as a whole is of no importance.
func CommonFolder(files []string) string {
	if len(files) == 0 {
		return ""
	}
	dir, _ := filepath.Split(files[0])
	for _, path := range files[1:] {
		for !strings.HasPrefix(path, dir) {
			dir, _ = filepath.Split(strings.TrimSuffix(dir, string(filepath.Separator)))
		}
	}
	return dir
}

// short is a digest of 16 bytes, in hexadecimal.
func short(h hash.Hash) string { return fmt.Sprintf("%.16x", h.Sum(nil)[:16]) }

// Changes says in words what differs in now, nil where nothing does.
func (f Fingerprint) Changes(now Fingerprint) []string {
	var changes []string
	if f.Samples != now.Samples {
		changes = append(changes, fmt.Sprintf("samples: were %d, now %d", f.Samples, now.Samples))
	}
	if f.Classes != now.Classes {
		changes = append(changes, "classes: other names or another order")
	}
	switch {
	case f.Files != now.Files:
		changes = append(changes, fmt.Sprintf("files: were %d, now %d", f.Files, now.Files))
	case f.Names != now.Names:
		changes = append(changes, "files: other names or another order")
	case f.Sizes != now.Sizes:
		changes = append(changes, "files: other sizes")
	case f.Content != "" && now.Content != "":
		if f.Content != now.Content {
			changes = append(changes, "files: other contents")
		}
	case f.Times != now.Times:
		changes = append(changes, "files: written since")
	}
	return changes
}
