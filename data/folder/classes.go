package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// maxLabel bounds labels of data sets without class names, whose folders are numbered with five digits so that names
// sort as numbers do.
const maxLabel = 99999

// Numbered returns the folder of a label without a class name, or an error that wraps [data.ErrLabel] where five digits are too few.
func Numbered(label int) (string, error) {
	if label > maxLabel {
		return "", fmt.Errorf("%w: %d (allowed without class names: 0 to %d)", data.ErrLabel, label, maxLabel)
	}
	return numbered(label), nil
}

func numbered(label int) string { return fmt.Sprintf("%05d", label) }

// WriteClasses completes the labeled data set in the folder root, all of whose images have their names: it makes the folders of
// classes without samples and writes classes.txt where the folders that hold something would not say the classes and their numbers
// by themselves. An empty folder says nothing: object stores, archives and git lose it. classes are the names of the labels, nil
// for numbered folders. Those of earlier runs count, and a list that one of them left is replaced.
func WriteClasses(root string, classes []string) error {
	for _, c := range classes {
		dir, err := data.ClassFolder(c)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(root, dir), 0o777); err != nil {
			return fmt.Errorf("cannot make a class folder: %w", err)
		}
	}
	list, err := classList(root, classes)
	if err != nil || list == nil {
		return err
	}
	text, err := data.EncodeLines(list)
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(filepath.Join(root, classesFile), text)
}

// classList returns what classes.txt has to say, nil where it need not be there.
func classList(root string, classes []string) ([]string, error) {
	if classes == nil {
		var err error
		if classes, err = numberedClasses(root); err != nil {
			return nil, err
		}
	}
	var bad error
	enough := FoldersSuffice(classes, func(dir string) bool {
		held, err := holds(filepath.Join(root, dir))
		bad = errors.Join(bad, err)
		return held
	})
	if bad != nil {
		return nil, fmt.Errorf("cannot list the class folders: %w", bad)
	}
	if !enough {
		return classes, nil
	}
	switch _, err := os.Lstat(filepath.Join(root, classesFile)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("cannot look for a list of classes: %w", err)
	}
	return classes, nil
}

// FoldersSuffice reports whether folders say the classes and their numbers without classes.txt: each class has one of its own name that holds
// something, and they sort as they are numbered.
func FoldersSuffice(classes []string, holds func(dir string) bool) bool {
	if !slices.IsSorted(classes) {
		return false
	}
	for _, c := range classes {
		if dir, err := data.ClassFolder(c); err != nil || dir != c || !holds(dir) {
			return false
		}
	}
	return true
}

// numberedClasses returns the names of all numbered folders up to the highest in root.
func numberedClasses(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot list the class folders: %w", err)
	}
	highest := -1
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && e.IsDir() && n >= 0 && e.Name() == numbered(n) && n <= maxLabel {
			highest = max(highest, n)
		}
	}
	list := make([]string, highest+1)
	for label := range list {
		list[label] = numbered(label)
	}
	return list, nil
}

// holds reports whether a folder holds something that is not hidden.
func holds(dir string) (bool, error) {
	f, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(16)
		if slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, ".") }) {
			return true, nil
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
}
