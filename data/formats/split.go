package formats

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/suggest"
)

// parts are the folder names of the parts of a data set, the preferred ones first: some sets, ImageNet among them, have
// only a validation part to test on.
var parts = map[string][]string{
	"train": {"train"},
	"test":  {"test", "val", "valid", "validation"},
	"val":   {"val", "valid", "validation"},
}

// ErrOption is wrapped by the error about an option that has no such value in any format.
var ErrOption = errors.New("formats: bad option")

// splits are the values of [Options].Split: each is a part of data sets of some format.
var splits = []string{"train", "test", "val", "all", "extra"}

// checkSplit returns an error for a part that data sets of no format have, which those without parts would pass over.
func checkSplit(split string) error {
	if split == "" || slices.Contains(splits, split) {
		return nil
	}
	return fmt.Errorf("%w: %w: split %q%s (allowed: %s)", data.ErrUnsupported, ErrOption, split, suggest.Hint(split, splits),
		strings.Join(splits, ", "))
}

// OpenSplit is [Open] that takes the part split, "train" or "test", where o.Split chooses none and the data set has
// several: a CIFAR set with both, or a folder whose folders are train and test (or val). taken is the part that was
// opened: o.Split, or split where the data set has parts, otherwise "".
func OpenSplit(path string, o Options, split string) (src data.Source, taken string, err error) {
	src, err = Open(path, o)
	if o.Split == "" && errors.Is(err, data.ErrSplit) {
		o.Split = split
		src, err = Open(path, o)
	}
	if err != nil {
		return nil, "", err
	}
	return src, o.Split, nil
}

// partOf returns the folder of the part split of the data set at path, "" where path is no folder of parts.
func partOf(path, split string) (string, error) {
	folders := partFolders(path)
	if folders == nil {
		return "", nil
	}
	for _, name := range parts[split] {
		if slices.Contains(folders, name) {
			return storage.Join(path, name), nil
		}
	}
	there := strings.Join(folders, ", ")
	if split == "" {
		return "", fmt.Errorf("%s: %w: folders %s (choose split train or test)", path, data.ErrSplit, there)
	}
	return "", fmt.Errorf("%s: %w: split %q of folders %s (allowed: train, test, val)", path, data.ErrUnsupported, split, there)
}

// partFolders returns the folders in path where they are the parts of a data set: train, at least one other, and no
// folder of another name. Otherwise it returns nil.
func partFolders(path string) []string {
	entries, err := storage.ReadDir(path)
	if err != nil {
		return nil // no folder
	}
	var folders []string
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, ".") || !isFolder(path, e):
		case name == "train" || slices.Contains(parts["test"], name):
			folders = append(folders, name)
		default:
			return nil
		}
	}
	if len(folders) < 2 || !slices.Contains(folders, "train") {
		return nil
	}
	return folders
}

// isFolder follows links, as package folder does.
func isFolder(path string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	st, err := os.Stat(filepath.Join(path, e.Name()))
	return err == nil && st.IsDir()
}

// Parts returns what [Options].Split can name of the data set at path: "train", "val" and "test", those there are. It returns
// nil for a data set that has no parts.
func Parts(path string, o Options) ([]string, error) {
	o.Split = ""
	src, err := Open(path, o)
	if err == nil {
		return nil, src.Close()
	}
	if !errors.Is(err, data.ErrSplit) {
		return nil, err
	}
	var list []string
	folders := partFolders(path)
	for _, part := range []string{"train", "val", "test"} {
		switch {
		case folders == nil:
			o.Split = part
			if src, err := Open(path, o); err == nil {
				list = append(list, part)
				_ = src.Close()
			}
		case slices.ContainsFunc(folders, func(name string) bool {
			return name == part || part == "val" && name != "test" && name != "train"
		}):
			list = append(list, part)
		}
	}
	return list, nil
}
