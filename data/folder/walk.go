package folder

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// class is one class and its files, as slash-separated paths below the root.
type class struct {
	name, folder string
	files        []string
}

// holds reports whether an image is of the class.
func (c class) holds() bool { return len(c.files) > 0 }

// listing is what lies in a data set.
type listing struct {
	classes []class
	flat    []string // images directly in the root
	others  others
}

// maxLinks bounds how many links to folders are followed in one data set, so that folders which link to each other
// cannot make an endless tree.
const maxLinks = 100_000

// walker lists folders.
type walker struct {
	root   string
	links  int
	others others
	above  []fs.FileInfo // the folders from the root to the one being listed
}

// walkRoot lists the class folders in order, with their files, and the images directly in the root.
func walkRoot(root string) (listing, error) {
	if storage.Remote(root) {
		return listRoot(root)
	}
	var found listing
	st, err := os.Stat(root)
	if err != nil {
		return found, err
	}
	w := &walker{root: root, above: []fs.FileInfo{st}} // a link to it would make the images of all classes those of one
	dirs, flat, err := w.list(".")
	if err != nil {
		return found, err
	}
	found.flat = flat
	for _, d := range dirs {
		c := class{name: d, folder: d}
		if c.files, err = w.class(d); err != nil {
			return found, err
		}
		found.classes = append(found.classes, c)
	}
	found.others = w.others
	return found, nil
}

// class lists a class folder at every depth, in torchvision's order.
func (w *walker) class(dir string) ([]string, error) {
	files := map[string][]string{} // by folder
	if err := w.walk(dir, files); err != nil {
		return nil, err
	}
	dirs := make([]string, 0, len(files))
	for d := range files {
		dirs = append(dirs, d)
	}
	slices.Sort(dirs)
	var all []string
	for _, d := range dirs {
		all = append(all, files[d]...)
	}
	return all, nil
}

// walk lists dir and what is below it into files, unless dir is one of the folders that hold it.
func (w *walker) walk(dir string, files map[string][]string) error {
	st, err := os.Stat(w.abs(dir))
	if err != nil {
		return err
	}
	for _, a := range w.above {
		if os.SameFile(a, st) {
			return nil
		}
	}
	w.above = append(w.above, st)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	dirs, images, err := w.list(dir)
	if err != nil {
		return err
	}
	if len(images) > 0 {
		files[dir] = images
	}
	for _, d := range dirs {
		if err := w.walk(d, files); err != nil {
			return err
		}
	}
	return nil
}

// list returns the folders and the images in dir, sorted, as paths below the root.
func (w *walker) list(dir string) (dirs, images []string, err error) {
	entries, err := os.ReadDir(w.abs(dir)) // sorted by name
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := path.Join(dir, e.Name())
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			if mode, err = w.follow(name); err != nil {
				return nil, nil, err
			}
		}
		switch {
		case mode.IsDir():
			dirs = append(dirs, name)
		case mode.IsRegular() && data.IsImageName(e.Name()):
			images = append(images, name)
		case mode.IsRegular():
			w.others.add(name)
		}
	}
	return dirs, images, nil
}

// follow returns the type of what a link leads to. A link that leads nowhere passes for a file, whose reading then
// gives the error.
func (w *walker) follow(name string) (fs.FileMode, error) {
	st, err := os.Stat(w.abs(name))
	if err != nil {
		return 0, nil
	}
	if st.IsDir() {
		if w.links++; w.links > maxLinks {
			return 0, fmt.Errorf("%w: more than %d links to folders below %s", data.ErrFormat, maxLinks, w.root)
		}
	}
	return st.Mode().Type(), nil
}

func (w *walker) abs(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

// listRoot is walkRoot of a folder in an object store: one listing of all of it, a page at a time.
func listRoot(root string) (found listing, err error) {
	byClass := map[string]map[string][]string{} // files by folder
	for e, err := range storage.List(context.Background(), root) {
		if err != nil {
			return found, err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(e.Name, storage.Clean(root)), "/")
		if strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") {
			continue
		}
		top, _, below := strings.Cut(rel, "/")
		if below && byClass[top] == nil {
			byClass[top] = map[string][]string{}
		}
		switch {
		case !data.IsImageName(rel):
			found.others.add(rel)
		case below:
			byClass[top][path.Dir(rel)] = append(byClass[top][path.Dir(rel)], rel)
		default:
			found.flat = append(found.flat, rel)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byClass)) {
		c := class{name: name, folder: name}
		for _, dir := range slices.Sorted(maps.Keys(byClass[name])) {
			c.files = append(c.files, slices.Sorted(slices.Values(byClass[name][dir]))...)
		}
		found.classes = append(found.classes, c)
	}
	slices.Sort(found.flat)
	return found, nil
}
