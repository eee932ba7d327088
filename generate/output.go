package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
)

// Output is where a run writes: a directory that becomes a data set, or one file, here or in an object store (see [Output.Local]). Its records (manifest.json, args.yaml)
// lie in the directory, or beside the file as FILE.manifest.json and so on. The state of an unfinished run lies in
// DIR/.augmix or FILE.augmix-state and is gone when the run is complete.
type Output struct {
	Path string // "" for a stream
	File bool   // the output is one file, with those of Beside
	// Beside are names of files that the sink may write into the file's directory, such as labels.npy: under that name,
	// which other outputs may share, or as STEM_labels.npy, which belongs to this output alone.
	Beside []string
}

// Epoch returns the output of an epoch, where p is that of several: p/epoch-001, or STEM-epoch-001.EXT of a file.
func (p Output) Epoch(n int) Output {
	name := fmt.Sprintf("epoch-%03d", n)
	if p.File {
		ext := filepath.Ext(p.Path)
		p.Path = strings.TrimSuffix(p.Path, ext) + "-" + name + ext
	} else {
		p.Path = storage.Join(p.Path, name)
	}
	return p
}

// Names of the records.
const (
	ManifestName = data.ManifestName
	ArgsName     = "args.yaml"
	stateDir     = data.StateDir
	stateSuffix  = ".augmix-state"
	journalName  = data.JournalName
	lockName     = "lock"
)

// Record returns the path of the record called name.
func (p Output) Record(name string) string {
	if p.File {
		return p.Path + "." + name
	}
	return storage.Join(p.Path, name)
}

func (p Output) state() string {
	if p.File {
		return p.Path + stateSuffix
	}
	return storage.Join(p.Path, stateDir)
}

func (p Output) journal() string { return storage.Join(p.state(), journalName) }

// gone reports whether the one file of a complete output was deleted: with whatever options it was made, that is to be said.
func (p Output) gone() bool { return p.File && !exists(p.Path) }

// records returns the names of records and the manifest, beneath the root.
func (p Output) records(names []string) []string {
	var out []string
	for _, name := range append(slices.Clone(names), ManifestName) {
		out = append(out, p.recordName(name))
	}
	return out
}

// recordName is the name of a record beneath the root.
func (p Output) recordName(name string) string {
	if p.File {
		return filepath.Base(p.Path) + "." + name
	}
	return name
}

// files returns the paths that belong to a File output alone, nil for a directory.
func (p Output) files() []string {
	if !p.File {
		return nil
	}
	paths := []string{p.Path}
	for _, name := range p.Beside {
		paths = append(paths, p.own(name))
	}
	return paths
}

// own returns the path STEM_name beside the file.
func (p Output) own(name string) string {
	return strings.TrimSuffix(p.Path, filepath.Ext(p.Path)) + "_" + name
}

// written returns the names of the files of a complete File output: the file, and of each of Beside the one that counts.
func (p Output) written() []string {
	var names []string
	if exists(p.Path) {
		names = append(names, filepath.Base(p.Path))
	}
	for _, name := range p.Beside {
		if own := p.own(name); exists(own) {
			names = append(names, filepath.Base(own))
		} else if exists(storage.Join(p.root(), name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// taken returns the paths that must be free for a File output with these records, nil for a directory.
func (p Output) taken(records []string) []string {
	paths := p.files()
	for _, name := range checked(records) {
		if p.File {
			paths = append(paths, p.Record(name))
		}
	}
	return paths
}

func (p Output) stream() bool { return p.Path == "" }

// lock takes the lock of the output. A process that ends removes the file with the state directory.
func (p Output) lock() (*filelock.File, error) {
	path := filepath.Join(p.state(), lockName)
	f, err := filelock.OpenNamed(path, func() error {
		if err := os.MkdirAll(p.state(), 0o777); err != nil {
			return err
		}
		return p.checkPlain()
	})
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("%w: another process holds %s", ErrBusy, path)
	}
	return f, err
}

// removeState removes the state directory of a complete output. The caller holds its lock, which goes last: whoever gets
// a lock there finds all of the state, or none. A process that comes late may make a lock of its own before
// the directory is gone; it finds the output complete and removes the directory.
func (p Output) removeState() error {
	entries, err := os.ReadDir(p.state())
	if err != nil {
		return ignoreMissing(err)
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(filepath.Join(p.state(), e.Name())); err != nil {
			return err
		}
	}
	if err := ignoreMissing(os.Remove(filepath.Join(p.state(), lockName))); err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(p.state())); !errors.Is(err, fs.ErrExist) { // it is not empty
		return err
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// vacant returns an error that wraps ErrOccupied when something lies there that no run of ours put there. Only
// the state directory may: a run that stopped before its first journal leaves one. records are those of the run to come.
func (p Output) vacant(records []string) error {
	for _, path := range p.taken(records) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			return fmt.Errorf("%w: %s is there already and no run of this program says it is its own (there is no %s); "+
				"choose another name or remove it", ErrOccupied, path, filepath.Base(p.Record(ManifestName)))
		}
	}
	entries, err := os.ReadDir(p.root())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if p.File && p.partial(e.Name()) {
			return fmt.Errorf("%w: %s is there already, which an unfinished output would be called, and no run of this "+
				"program says it is its own; choose another name or remove it", ErrOccupied, filepath.Join(p.root(), e.Name()))
		}
		if !p.File && e.Name() != stateDir {
			return fmt.Errorf("%w: %s is not empty (it holds %s) and no run of this program began there; "+
				"choose another directory or empty it", ErrOccupied, p.Path, e.Name())
		}
	}
	return nil
}

// clearUnfinished removes everything an unfinished run has written. The directory was empty, or the file absent, when
// that run began, so that nothing else is lost.
func (p Output) clearUnfinished(records []string) error {
	root, err := os.OpenRoot(p.root())
	if err != nil {
		return err
	}
	defer root.Close()
	if p.File {
		// Exactly the names a run uses: a neighbor may well be called FILE.gz.
		names := p.records(records)
		for _, path := range p.files() {
			names = append(names, filepath.Base(path))
		}
		if err := removeFiles(root, names); err != nil {
			return err
		}
		return os.RemoveAll(p.journal())
	}
	entries, err := os.ReadDir(p.Path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == stateDir {
			continue // holds the lock
		}
		if err := root.RemoveAll(e.Name()); err != nil {
			return err
		}
	}
	return os.RemoveAll(p.journal())
}

// clearFinished removes a complete output: the files its manifest lists, its records and the directories left empty.
// Files that the manifest does not know stay, and make the output occupied.
func (p Output) clearFinished(m *Manifest) error {
	root, err := os.OpenRoot(p.root())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range m.Files {
		if p.File && slices.Contains(p.Beside, f.Path) {
			continue // other outputs may share it
		}
		if err := removeFiles(root, []string{f.Path}); err != nil {
			return err
		}
		for dir := path.Dir(f.Path); !p.File && dir != "."; dir = path.Dir(dir) {
			if root.Remove(filepath.FromSlash(dir)) != nil {
				break // not empty yet
			}
		}
	}
	if err := removeFiles(root, p.records(m.Records)); err != nil {
		return err
	}
	return p.vacant(m.Records)
}

// sweep removes the temporary files that crashes left behind. No sink is open when it runs. pids are the processes that
// worked on the output.
func (p Output) sweep(pids []int) error {
	if p.File {
		entries, err := os.ReadDir(p.root())
		if err != nil {
			return err
		}
		for _, e := range entries {
			if p.temporary(e.Name()) || p.shared(e.Name(), pids) {
				if err := os.Remove(filepath.Join(p.root(), e.Name())); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return filepath.WalkDir(p.folder(), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, storage.TempSuffix) {
			err = os.Remove(path)
		}
		return err
	})
}

// temporary reports whether name is that of an unfinished file of a File output: the sink's own, such as
// FILE.labels.partial, or a record's, or the FILE.tmp and a number of earlier versions.
func (p Output) temporary(name string) bool {
	for _, path := range append(p.files(), p.Record(ManifestName), p.Record(ArgsName)) {
		base := filepath.Base(path)
		if rest, ok := strings.CutPrefix(name, base+".tmp"); ok && rest != "" && strings.Trim(rest, "0123456789") == "" {
			return true
		}
		ours := strings.HasPrefix(name, "."+base+".") || strings.HasPrefix(name, base+".")
		if ours && strings.HasSuffix(name, storage.TempSuffix) {
			return true
		}
	}
	return false
}

// partial reports whether name is that of a data.PartialFile of a File output, which begins without asking whether there
// is one.
func (p Output) partial(name string) bool {
	return strings.HasPrefix(name, filepath.Base(p.Path)+".") && p.temporary(name)
}

// shared reports whether name is the temporary file of one of the processes for a name of Beside that other outputs may
// be writing too: storage.AtomicFile puts the process into it.
func (p Output) shared(name string, pids []int) bool {
	for _, b := range p.Beside {
		for _, pid := range pids {
			if strings.HasPrefix(name, fmt.Sprintf(".%s.%d-", b, pid)) && strings.HasSuffix(name, storage.TempSuffix) {
				return true
			}
		}
	}
	return false
}
