package npyset

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
)

// writeBeside writes a file about the images at path. Several arrays in a folder can share one (a -C data set has the
// same labels for every corruption). The array's own name is used where the shared name is taken by other content, where
// another array would take the shared file for its own, or where the own file is there already.
func writeBeside(path, name string, content []byte) error {
	b := beside(path, name)
	own, shared := b[0], b[1]
	target := own
	if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
		old, err := os.ReadFile(shared)
		switch {
		case err == nil && bytes.Equal(old, content):
			return nil
		case errors.Is(err, fs.ErrNotExist) && !adopted(path, name):
			target = shared
		}
	}
	return data.WriteFileAtomic(target, content)
}

// writeNone says with a file of the images' own that they have none of what name holds, where a file is there that would be taken
// for theirs.
func writeNone(path, name string, content func() ([]byte, error)) error {
	if !hasBeside(path, name) {
		return nil
	}
	text, err := content()
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(beside(path, name)[0], text)
}

// hasBeside reports whether a file lies beside path that is read with the images.
func hasBeside(path, name string) bool {
	for _, file := range beside(path, name) {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

// adopted reports whether another array in the folder of path would take a shared file of that name for its own.
func adopted(path, name string) bool {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		other := filepath.Join(dir, e.Name())
		if e.Name() == filepath.Base(path) || !e.Type().IsRegular() {
			continue
		}
		if _, err := os.Stat(beside(other, name)[0]); err == nil {
			continue
		}
		switch strings.ToLower(filepath.Ext(other)) {
		case ".npy":
			if holdsImages(other) {
				return true
			}
		case ".npz":
			if name != labelsFile || !holdsLabels(other) {
				return true
			}
		}
	}
	return false
}

// holdsImages reports whether an .npy file has the axes of images, which labels do not.
func holdsImages(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h, _, err := npy.ReadHeader(f)
	return err == nil && len(h.Shape) >= 3
}

// holdsLabels reports whether an .npz file has labels of its own.
func holdsLabels(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false
	}
	z, err := npy.NewZip(f, st.Size())
	if err != nil {
		return false
	}
	found, err := pickName(z, "", labelNames)
	return err == nil && found != ""
}
