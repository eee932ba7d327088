package formats

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/suggest"
)

// partNames are the parts that names of folders mean, in lower case.
var partNames = map[string]string{
	"train": "train", "training": "train", "test": "test", "testing": "test", "val": "val", "valid": "val", "validation": "val",
}

// stands are the parts that are taken for another, the preferred ones first: some sets, ImageNet among them, have only a validation
// part to test on.
var stands = map[string][]string{"train": {"train"}, "test": {"test", "val"}, "val": {"val"}}

// partFolder is a folder that is a part of a data set.
type partFolder struct{ name, part string }

// ErrOption is wrapped by the error about an option that has no such value in any format.
var ErrOption = errors.New("bad option")

// splits are the values of [Options].Split: each is a part of data sets of some format.
var splits = []string{"train", "test", "val", "all", "extra"}

// checkSplit returns an error for a part that data sets of no format have, which those without parts would pass over.
func checkSplit(split string) error {
	if split == "" || slices.Contains(splits, split) {
		return nil
	}
	return option.Errorf(fmt.Errorf("%w: %w", data.ErrUnsupported, ErrOption), "{split} %q%s (allowed: %s)", split, suggest.Hint(split, splits),
		strings.Join(splits, ", "))
}

// Validation returns the parts that validate where none is named, the preferred one first: weights that the test part has
// chosen are better on it than on images that nobody has seen.
func Validation() []string { return []string{"val", "test"} }

// OpenPart is [Open] of the first of the parts that the data set has. taken is that part; where there is none the error is
// that of the last.
func OpenPart(path string, o Options, parts ...string) (src data.Source, taken string, err error) {
	for _, o.Split = range parts {
		if src, err = Open(path, o); !errors.Is(err, data.ErrUnsupported) {
			break
		}
	}
	if err != nil {
		return nil, "", err
	}
	return src, o.Split, nil
}

// OpenSplit is [Open] that takes the first of parts that there is, of "train", "val" and "test", where o.Split chooses none and the data set has
// several: a CIFAR set with both, or a folder whose folders are train and test (or val). taken is the part that was
// opened: o.Split, or of parts where the data set has some, or the only part that a folder has, otherwise "".
func OpenSplit(path string, o Options, parts ...string) (src data.Source, taken string, err error) {
	src, err = Open(path, o)
	if o.Split == "" && errors.Is(err, data.ErrSplit) {
		return OpenPart(path, o, parts...)
	}
	if err != nil {
		return nil, "", err
	}
	if o.Split == "" && o.Format != annotated.Name && src.Info().Format != annotated.Name {
		o.Split = onlyPart(path)
	}
	return src, o.Split, nil
}

// CheckPart returns an error that wraps [data.ErrUnsupported] and [ErrOption] where o.Split names a part of a data set that has none, such
// as a folder of classes: [Open] takes all of it, whichever part a recipe for other data says. key is what the error calls the option.
// Where the data set cannot be opened CheckPart leaves it to Open to say so.
func CheckPart(path string, o Options, key string) error {
	asked := o.Split
	if asked == "" || asked == "all" || checkSplit(asked) != nil { // of a name that is none Open tells
		return nil
	}
	if path != Standard { // tar files, which have no parts
		for _, o.Split = range []string{"extra", "val", "train", "test"} { // what few sets have first: who has parts refuses another
			src, err := Open(path, o)
			if err != nil {
				return nil
			}
			drawn := src.Info().Format == "scenes" // which stands for sets of any kind
			if err := src.Close(); err != nil || drawn {
				return err
			}
		}
	}
	return option.Errorf(fmt.Errorf("%w: %w", data.ErrUnsupported, ErrOption), "%v %q has no effect: %s has no parts (allowed: without, or a data set that has some)",
		option.Key(key), asked, path)
}

// PartName is what messages call a part of the data set at path: "the test part", and the folder that it is where that is another
// part, as ImageNet's val stands for test.
func PartName(path, part string) string {
	name := "the " + part + " part"
	dir, err := partOf(path, part, nil)
	if folder := filepath.Base(dir); err == nil && dir != "" && partNames[strings.ToLower(folder)] != part {
		name += ", the folder " + folder
	}
	return name
}

// onlyPart returns the part that the only folder in path is, "" where there are others or it is none.
func onlyPart(path string) string {
	if folders, err := partFolders(path, nil); err == nil && len(folders) == 1 {
		return folders[0].part
	}
	return ""
}

// partOf returns the folder of the part split of the data set at path, "" where path is no folder of parts. Without a split it is the
// only part, where there is one. top is its list, or nil.
func partOf(path, split string, top []fs.DirEntry) (string, error) {
	folders, err := partFolders(path, top)
	if folders == nil || err != nil {
		return "", err
	}
	if split == "" && len(folders) == 1 {
		return storage.Join(path, folders[0].name), nil
	}
	for _, part := range stands[split] {
		for _, f := range folders {
			if f.part == part {
				return storage.Join(path, f.name), nil
			}
		}
	}
	var names []string
	for _, f := range folders {
		names = append(names, f.name)
	}
	there := strings.Join(names, ", ")
	if split == "" {
		return "", fmt.Errorf("%s: %w: folders %s (choose split train or test)", path, data.ErrSplit, there)
	}
	return "", fmt.Errorf("%s: %w: split %q of folders %s (allowed: train, test, val)", path, data.ErrUnsupported, split, there)
}

// partFolders returns the folders in path where they are the parts of a data set: there is no folder of another name, and either
// train and another one, or folders in one of them, which are classes then. Otherwise it returns nil. Two folders of one part are an error.
// top is the list of path, or nil.
func partFolders(path string, top []fs.DirEntry) ([]partFolder, error) {
	if top == nil {
		var err error
		if top, err = entriesOf(path); err != nil {
			return nil, err
		}
	}
	var folders []partFolder
	by := map[string]string{}
	var twice error
	for _, e := range top {
		name := e.Name()
		if strings.HasPrefix(name, ".") || !isFolder(path, e) {
			continue
		}
		part := partNames[strings.ToLower(name)]
		if part == "" {
			return nil, nil
		}
		if other := by[part]; other != "" && twice == nil {
			twice = fmt.Errorf("%s: %w: folders %s and %s are both the %s part (allowed: one folder for each part)", path, data.ErrUnsupported,
				other, name, part)
		}
		by[part] = name
		folders = append(folders, partFolder{name, part})
	}
	if len(folders) == 0 || (len(by) < 2 || by["train"] == "") && !slices.ContainsFunc(folders, func(f partFolder) bool {
		return hasFolders(storage.Join(path, f.name))
	}) {
		return nil, nil
	}
	return folders, twice
}

// hasFolders reports whether there are folders in path.
func hasFolders(path string) bool {
	entries, err := storage.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), ".") && isFolder(path, e)
	})
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
	folders, err := partFolders(path, nil)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"train", "val", "test"} {
		switch {
		case folders == nil:
			o.Split = part
			if src, err := Open(path, o); err == nil {
				list = append(list, part)
				_ = src.Close()
			}
		case slices.ContainsFunc(folders, func(f partFolder) bool { return f.part == part }):
			list = append(list, part)
		}
	}
	return list, nil
}
