package generate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/wds"
)

// An output takes the place of what an earlier run left there: that is removed with Force, and files of a name are replaced. So nothing
// that is read may lie in it. And an output in the folder that is read would be read too, by the run that resumes or comes next.

// apart returns an error that wraps ErrInput where the output would be written over what is read, or read with it.
func (j *Job) apart() error {
	if j.Out.stream() || j.whole != nil {
		return nil
	}
	if inside := j.insideInput(); inside != "" {
		return readNextTime(j.Out.Path, inside)
	}
	within := j.Out.holds()
	if within == nil {
		return nil
	}
	for _, name := range slices.Concat(j.Reads, data.Files(j.Source)) {
		if within(name) {
			return j.overInput(name)
		}
	}
	return nil
}

// CheckApart returns an error that wraps [ErrInput] where a file that is to be written, one that no job makes, would take the place of a
// file that is read, or lie in a folder that is; empty names are none. What reads folders takes no notice of names that begin with a dot.
func CheckApart(file string, reads ...string) error {
	if storage.Remote(file) {
		return nil // what no job makes is written to this machine
	}
	over := holdsFile(map[string]bool{file: true})
	for _, name := range reads {
		if name == "" {
			continue
		}
		if over != nil && over(name) {
			return fmt.Errorf("%w: %s, which is read, would be replaced by the output %s (allowed: another name)", ErrInput, name, file)
		}
		if liesIn(file, name) {
			return readNextTime(file, name)
		}
	}
	return nil
}

// CheckFolderApart is [CheckApart] of a folder that gets files, folders among them, where a data set of the format at read is read. It may
// lie in one of a format that goes by names of files. An empty dir is none.
func CheckFolderApart(dir, read, format string) error {
	if dir == "" || storage.Remote(dir) || !looksEverywhere(format) || !liesIn(filepath.Join(dir, ArgsName), read) {
		return nil
	}
	if (Output{Path: dir}).is(read) {
		return readAndWritten(dir)
	}
	return readNextTime(dir, read)
}

// readNextTime and readAndWritten are the errors about an output in what is read, and about one that is that.
func readNextTime(out, read string) error {
	return fmt.Errorf("%w: %s lies in %s, and would be read with it the next time (allowed: an output outside of the input)", ErrInput, out, read)
}

func readAndWritten(path string) error {
	return fmt.Errorf("%w: %s is read and written (allowed: an output apart from the input)", ErrInput, path)
}

// looksEverywhere reports whether a format looks at all folders in a folder, but for those whose names begin with a dot.
func looksEverywhere(format string) bool { return format == folder.Name || format == wds.Name }

// liesIn reports whether a file, which need not be there, lies in a folder at a place that is looked at.
func liesIn(file, folder string) bool {
	if storage.Remote(folder) {
		return false
	}
	st, err := os.Stat(folder)
	if err != nil || !st.IsDir() {
		return false
	}
	rel := filepath.Base(file)
	for dir := storage.Resolve(filepath.Dir(file)); ; dir = filepath.Dir(dir) {
		if at, err := os.Stat(dir); err == nil && os.SameFile(at, st) {
			return !hidden(rel)
		}
		if dir == filepath.Dir(dir) {
			return false
		}
		rel = filepath.Join(filepath.Base(dir), rel)
	}
}

// hidden reports whether an element of a path begins with a dot.
func hidden(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(e string) bool { return strings.HasPrefix(e, ".") })
}

// overInput is the error about a file that is read and that the output would remove or replace.
func (j *Job) overInput(name string) error {
	if j.In != "" && storage.Clean(j.In) != storage.Clean(name) && j.Out.is(j.In) {
		return readAndWritten(j.Out.Path)
	}
	if j.Out.File {
		return fmt.Errorf("%w: %s, which is read, would be replaced by the output %s (allowed: another name)", ErrInput, name, j.Out.Path)
	}
	return fmt.Errorf("%w: %s, which is read, lies in the output %s and would be removed or read with it (allowed: an output apart from "+
		"the input)", ErrInput, name, j.Out.Path)
}

// is reports whether a path is that of the output.
func (p Output) is(path string) bool {
	if p.remote() || storage.Remote(path) {
		return p.Path == storage.Clean(path)
	}
	return storage.Resolve(p.Path) == storage.Resolve(path)
}

// insideInput returns the folder that is read where the output is another folder in it, at a place that the format looks at. Formats
// that go by names of files take no notice of another folder, and no format does of names that begin with a dot.
func (j *Job) insideInput() string {
	if j.Out.File || j.In == "" || !looksEverywhere(j.Source.Info().Format) {
		return ""
	}
	var rel string
	if storage.Remote(j.In) || j.Out.remote() {
		var ok bool
		if rel, ok = strings.CutPrefix(j.Out.Path, storage.Clean(j.In)+"/"); !ok {
			return ""
		}
	} else {
		in, out := storage.Resolve(j.In), storage.Resolve(j.Out.Path)
		if st, err := os.Stat(in); err != nil || !st.IsDir() {
			return ""
		}
		var err error
		if rel, err = filepath.Rel(in, out); err != nil || rel == "." || !filepath.IsLocal(rel) {
			return ""
		}
	}
	if hidden(rel) {
		return ""
	}
	return j.In
}

// holds returns what reports whether a file or folder belongs to the output or lies in it, however either is spelled and whichever
// links lead there. It is nil where nothing can.
func (p Output) holds() func(name string) bool {
	if p.remote() {
		own := p.ownNames()
		return func(name string) bool {
			name = storage.Clean(name)
			return own[name] || !p.File && (name == p.Path || strings.HasPrefix(name, p.Path+"/"))
		}
	}
	if p.File {
		return holdsFile(p.ownNames())
	}
	root, err := os.Stat(p.Path)
	if err != nil {
		return nil // what is not there holds nothing
	}
	f := &folderHolds{root: root, known: map[string]bool{}}
	return f.path
}

// holdsFile is holds of files on this machine; those that are not there hold nothing.
func holdsFile(names map[string]bool) func(name string) bool {
	own := map[string]fs.FileInfo{} // by the path without links
	for name := range names {
		if st, err := os.Stat(name); err == nil {
			own[storage.Resolve(name)] = st
		}
	}
	if len(own) == 0 {
		return nil
	}
	return func(name string) bool {
		st, err := os.Lstat(name)
		if err != nil || storage.Remote(name) {
			return false
		}
		for path, other := range own {
			// A disk may know a name in capitals and in small letters. A hard link of another name is another file: replacing one
			// leaves the other.
			like := strings.EqualFold(filepath.Base(path), filepath.Base(name))
			if st.Mode()&fs.ModeSymlink != 0 && storage.Resolve(name) == path || like && (os.SameFile(st, other) || storage.Resolve(name) == path) {
				return true
			}
		}
		return false
	}
}

// ownNames are the paths that a File output and its records take.
func (p Output) ownNames() map[string]bool {
	own := map[string]bool{}
	for _, name := range p.files() {
		own[name] = true
	}
	if p.File {
		own[p.Record(ManifestName)], own[p.Record(ArgsName)] = true, true
	}
	return own
}

// folderHolds knows which folders lie in another.
type folderHolds struct {
	root  fs.FileInfo
	known map[string]bool
}

// path reports whether a file or folder lies there: it, or what it is a link to.
func (f *folderHolds) path(name string) bool {
	if storage.Remote(name) {
		return false
	}
	st, err := os.Lstat(name)
	if err != nil {
		return false
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		target := storage.Resolve(name)
		if st, err := os.Stat(target); err == nil && st.IsDir() && f.dir(target) || f.dir(filepath.Dir(target)) {
			return true
		}
	} else if st.IsDir() && f.dir(storage.Resolve(name)) {
		return true
	}
	return f.dir(filepath.Dir(name))
}

// dir reports whether a folder is the root or lies in it. Folders are compared by what they are, for a disk may know one by many names.
func (f *folderHolds) dir(name string) bool {
	if in, ok := f.known[name]; ok {
		return in
	}
	real := storage.Resolve(name)
	in := false
	if st, err := os.Stat(real); err == nil && os.SameFile(st, f.root) {
		in = true
	} else if up := filepath.Dir(real); up != real {
		in = f.dir(up)
	}
	f.known[name] = in
	return in
}
