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
// another array would take the shared file for its own, or where the own file is there already. What cannot be found out is an error:
// the other name would be right too, and not the one of a run without it.
func writeBeside(path, name string, content []byte) error {
	b := beside(path, name)
	own, shared := b[0], b[1]
	switch _, err := os.Stat(own); {
	case err == nil:
		return data.WriteFileAtomic(own, content)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	old, err := data.ReadFile(nil, shared, int64(len(content)))
	switch {
	case err == nil && bytes.Equal(old, content):
		return nil
	case err == nil, errors.Is(err, data.ErrFormat): // other content, longer, or no file
		return data.WriteFileAtomic(own, content)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	taken, err := adopted(path, name)
	if err != nil {
		return err
	}
	if taken {
		return data.WriteFileAtomic(own, content)
	}
	return data.WriteFileAtomic(shared, content)
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
func adopted(path, name string) (bool, error) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		other := filepath.Join(dir, e.Name())
		if e.Name() == filepath.Base(path) || !e.Type().IsRegular() {
			continue
		}
		if _, err := os.Stat(beside(other, name)[0]); err == nil {
			continue
		}
		var takes bool
		var err error
		switch strings.ToLower(filepath.Ext(other)) {
		case ".npy":
			takes, err = holdsImages(other)
		case ".npz":
			takes = name != labelsFile
			if !takes {
				takes, err = lacksLabels(other)
			}
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // nobody who cannot read it takes anything for it
			continue
		}
		if takes || err != nil {
			return takes, err
		}
	}
	return false, nil
}

// holdsImages reports whether an .npy file has the axes of images, which labels do not.
func holdsImages(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	h, _, err := npy.ReadHeader(f)
	return err == nil && len(h.Shape) >= 3, nil
}

// lacksLabels reports whether an .npz file has no labels of its own.
func lacksLabels(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
	z, err := npy.NewZip(f, st.Size())
	if err != nil {
		return true, nil
	}
	found, err := pickName(z, "", labelNames)
	return err != nil || found == "", nil
}
