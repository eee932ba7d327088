package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
)

// A shard says in classes.txt what its own class folders do not: a class that it has no sample of is listed there, which may have
// some in another shard, and the list of numbered folders ends at its highest number. The output has to hold the list that
// a run in one piece writes, or none.

// joinClasses writes the list of classes of the shards that have one.
func joinClasses(out Output, parts []*Manifest, name string, owners []int) error {
	text, _, err := joinedList(out, parts, name, owners)
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(out.within(name), text)
}

// joinedList returns the longest of the shards' lists and its lines. All others are its beginning: lists of names are the same, and
// lists of numbers end at the highest that there is.
func joinedList(out Output, parts []*Manifest, name string, owners []int) (text []byte, longest []string, err error) {
	for _, i := range owners {
		one, err := os.ReadFile(Output{Path: out.shard(Shard{i, len(parts)})}.within(name))
		if err != nil {
			return nil, nil, err
		}
		list := data.DecodeLines(one)
		if n := min(len(list), len(longest)); !slices.Equal(list[:n], longest[:n]) {
			return nil, nil, fmt.Errorf("%w: shards %d and %d of %s list other classes in %s", ErrShards, owners[0], i, out.Path, name)
		}
		if text == nil || len(list) > len(longest) {
			text, longest = one, list
		}
	}
	return text, longest, nil
}

// dropLists returns the names without those of lists that a run in one piece would not write, for its class folders say the same.
func dropLists(out Output, parts []*Manifest, names []string, owners map[string][]int) ([]string, error) {
	needless := map[string]bool{}
	var held map[string]bool
	for _, name := range names {
		if path.Base(name) != classesName || parts[owners[name][0]].AsIs {
			continue
		}
		// A shard without samples lists classes even where the others have no labels.
		owners[name] = slices.DeleteFunc(owners[name], func(i int) bool { return !slices.Contains(written(parts), i) })
		_, list, err := joinedList(out, parts, name, owners[name])
		if err != nil {
			return nil, err
		}
		if held == nil {
			held = foldersOf(parts)
		}
		dir := path.Dir(name)
		needless[name] = len(owners[name]) == 0 || !held[path.Join(dir, besideData)] && len(list) > 0 &&
			folder.FoldersSuffice(list, func(class string) bool { return held[path.Join(dir, class)] })
	}
	return slices.DeleteFunc(names, func(name string) bool { return needless[name] }), nil
}

// written returns the shards that hold samples, all where none does.
func written(parts []*Manifest) []int {
	var hold, all []int
	for i, m := range parts {
		all = append(all, i)
		if m.Samples > len(m.Rejected) {
			hold = append(hold, i)
		}
	}
	if hold == nil {
		return all
	}
	return hold
}

// besideData stands for the arrays and tar files of a folder, which do not say what their classes are.
const besideData = "*"

// foldersOf returns the folders that hold a file of a shard, at any depth, and besideData in those of arrays and tar files.
func foldersOf(parts []*Manifest) map[string]bool {
	held := map[string]bool{}
	for _, m := range parts {
		for _, f := range m.Files {
			if ext := path.Ext(f.Path); ext == ".npy" || ext == ".npz" || ext == ".tar" {
				held[path.Join(path.Dir(f.Path), besideData)] = true
			}
			for dir := path.Dir(f.Path); dir != "." && !held[dir]; dir = path.Dir(dir) {
				held[dir] = true
			}
		}
	}
	return held
}

// joinFolders makes the folders of the shards that hold no file, such as those of classes without a sample.
func joinFolders(out Output, parts []*Manifest) error {
	for _, i := range written(parts) {
		from := out.shard(Shard{i, len(parts)})
		err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && !e.IsDir() {
				return nil
			}
			if err != nil {
				return err
			}
			if e.Name() == stateDir {
				return fs.SkipDir
			}
			rel, err := filepath.Rel(from, name)
			if err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(out.Path, rel), 0o777)
		})
		if err != nil {
			return fmt.Errorf("cannot make the folders of classes: %w", err)
		}
	}
	return nil
}
