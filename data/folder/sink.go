package folder

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/parallel"
)

// SinkOptions are the choices of a Sink; the zero value is the default.
type SinkOptions struct {
	Encoding data.Encoding
	// Overwrite lets a fresh sink write into a folder that already holds files, and over them. Several sinks may then
	// share a folder, as long as no two write the same sample.
	Overwrite bool
}

// Sink writes one image file for every sample: ROOT/<class>/<key>.png or .jpg, without the class where the key begins
// with it, and flat, with underscores for slashes, when samples have no label. Files get their final names in groups of
// [group], each synced before; until then they are hidden.
type Sink struct {
	root    string
	o       SinkOptions
	classes []string
	folders []string // by class
	state   sinkState
	resumed bool
	done    bool
	seen    map[[16]byte]struct{} // names put, hashed
	dirs    map[string]bool       // folders made
	pending []pendingFile
	named   []data.FileSum // since the last Finished
	buf     []byte
}

// sinkState is what a checkpoint remembers.
type sinkState struct {
	Count  int            `json:"count"`
	Labels data.LabelRule `json:"labels"`
	Ext    string         `json:"ext"`
}

// pendingFile is a file that is written but not synced nor named yet.
type pendingFile struct {
	f   *os.File
	sum data.FileSum // with the final name, absolute or as the root is
}

// group is the number of files that are synced together, by several goroutines: file systems make many syncs at once
// durable in little more time than one.
const group = 64

var (
	_ data.FileSink = (*Sink)(nil)
	_ data.Finisher = (*Sink)(nil)
)

// Create begins a data set in the folder root, which must be empty or missing unless o.Overwrite, or resumes one
// if state is not nil. classes are the names of the labels; without them folders are named by number.
func Create(root string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	s := &Sink{
		root: root, o: o, classes: slices.Clone(classes), resumed: state != nil,
		seen: map[[16]byte]struct{}{}, dirs: map[string]bool{},
	}
	s.state.Ext = o.Encoding.Ext()
	if err := o.Encoding.Check(); err != nil {
		return nil, err
	}
	if err := s.nameFolders(); err != nil {
		return nil, err
	}
	if state != nil {
		if err := s.resume(state); err != nil {
			return nil, fmt.Errorf("cannot resume %s: %w", root, err)
		}
	}
	if err := storage.CheckLocal(root); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the image folder: %w", err)
	}
	if state == nil && !o.Overwrite {
		if err := mustBeEmpty(root); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Sink) resume(state []byte) error {
	st := sinkState{}
	if err := data.DecodeState(state, Name, &st); err != nil {
		return err
	}
	if st.Count < 0 || st.Ext != s.state.Ext {
		return fmt.Errorf("%w: a checkpoint after %d files named %s, want a count of %s", data.ErrFormat, st.Count,
			st.Ext,
			s.state.Ext)
	}
	s.state = st
	return nil
}

// nameFolders finds a folder for every class.
func (s *Sink) nameFolders() error {
	if _, err := data.EncodeLines(s.classes); err != nil {
		return err
	}
	owner := map[string]string{}
	for _, c := range s.classes {
		dir, err := data.ClassFolder(c)
		if err != nil {
			return err
		}
		if other, taken := owner[dir]; taken {
			return fmt.Errorf("%w: classes %q and %q would share the folder %q", data.ErrLabel, other, c, dir)
		}
		owner[dir] = c
		s.folders = append(s.folders, dir)
	}
	return nil
}

// mustBeEmpty rejects a folder that holds a file other than leftovers of a crash. The separator makes a link stand for its folder.
func mustBeEmpty(root string) error {
	return filepath.WalkDir(root+string(filepath.Separator), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot list the image folder: %w", err)
		}
		if d.IsDir() || strings.HasSuffix(name, storage.TempSuffix) {
			return nil
		}
		return fmt.Errorf("%s is not empty: it holds %s (%w)", root, name, fs.ErrExist)
	})
}

// Encoding returns how images are encoded.
func (s *Sink) Encoding() data.Encoding { return s.o.Encoding }

// Put writes one file under a temporary name. It rejects a key that is no path or too long for a file
// ([data.ErrUnsafe]), and a label outside the classes or there for some samples only ([data.ErrLabel]).
func (s *Sink) Put(it *data.Item) error {
	if s.done {
		return fmt.Errorf("cannot write to %s: %w", s.root, fs.ErrClosed)
	}
	labels := s.state.Labels
	rel, err := s.place(it, &labels)
	if err != nil {
		return it.Reject(err)
	}
	file := it.File
	if file == nil {
		if s.buf, err = s.o.Encoding.Append(s.buf[:0], it.Image); err != nil {
			return fmt.Errorf("cannot encode sample %q for %s: %w", it.Key, s.root, err)
		}
		file = s.buf
	}
	name := filepath.Join(s.root, filepath.FromSlash(rel))
	id := nameID(rel)
	if err := s.vacant(id, name, file); err != nil {
		return err
	}
	if err := s.write(name, file); err != nil {
		return err
	}
	s.seen[id] = struct{}{}
	s.state.Labels = labels
	s.state.Count++
	if len(s.pending) >= group {
		return s.flush()
	}
	return nil
}

// place returns the slash-separated path of a sample below the root.
func (s *Sink) place(it *data.Item, labels *data.LabelRule) (string, error) {
	if err := data.CheckKey(it.Key); err != nil {
		return "", err
	}
	if err := labels.Check(it.Key, it.Label, len(s.classes)); err != nil {
		return "", err
	}
	key := unhide(it.Key)
	if it.Label == data.NoLabel {
		name := strings.ReplaceAll(key, "/", "_") + s.state.Ext
		return name, data.CheckFileName(name)
	}
	dir, err := s.folder(it.Label)
	if err != nil {
		return "", err
	}
	name := path.Join(dir, s.below(dir, key, it.Label)) + s.state.Ext
	return name, data.CheckFileName(name)
}

// below returns a key without the folder of its class, which is called as the class or, where that cannot be a folder's name, as dir.
func (s *Sink) below(dir, key string, label int) string {
	if rest, ok := strings.CutPrefix(key, dir+"/"); ok || s.classes == nil {
		return rest
	}
	rest, _ := strings.CutPrefix(key, unhide(data.EscapeKey(s.classes[label]))+"/")
	return rest
}

// folder returns the folder of a label.
func (s *Sink) folder(label int) (string, error) {
	if s.classes != nil {
		return s.folders[label], nil
	}
	return Numbered(label)
}

// unhide replaces dots at the front of a path element: a hidden file is not part of a data set.
func unhide(key string) string {
	if !strings.HasPrefix(key, ".") && !strings.Contains(key, "/.") {
		return key
	}
	elems := strings.Split(key, "/")
	for i, e := range elems {
		if e[0] == '.' {
			elems[i] = "_" + e[1:]
		}
	}
	return strings.Join(elems, "/")
}

// nameID is a hash of a name wide enough to stand for it, so that a million names take little memory.
func nameID(rel string) [16]byte {
	h := fnv.New128a()
	h.Write([]byte(rel))
	return [16]byte(h.Sum(nil))
}

// vacant rejects the name of an earlier sample: one of this run, or, after a resume, one that lies there with other
// bytes (a file put between the checkpoint and the crash has the same).
func (s *Sink) vacant(id [16]byte, name string, file []byte) error {
	if _, taken := s.seen[id]; taken {
		return fmt.Errorf("two samples would be written to %s (%w)", name, fs.ErrExist)
	}
	if !s.resumed || s.o.Overwrite {
		return nil
	}
	old, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot compare with the file of an earlier run: %w", err)
	}
	if !bytes.Equal(old, file) {
		return fmt.Errorf("%s of an earlier run has other content (%w)", name, fs.ErrExist)
	}
	return nil
}

// write puts the bytes under the temporary name.
func (s *Sink) write(name string, file []byte) error {
	dir, base := filepath.Split(name)
	if err := s.mkdir(filepath.Clean(dir)); err != nil {
		return err
	}
	f, err := data.CreateNew(dir + "." + base + storage.TempSuffix)
	if err != nil {
		return fmt.Errorf("cannot create %s: %w", name, err)
	}
	if _, err := f.Write(file); err != nil {
		f.Close()
		os.Remove(f.Name())
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	sum := data.FileSum{Path: name, Size: int64(len(file)), CRC: data.UpdateCRC(0, file)}
	s.pending = append(s.pending, pendingFile{f: f, sum: sum})
	return nil
}

func (s *Sink) mkdir(dir string) error {
	if s.dirs[dir] {
		return nil
	}
	if err := data.MakeFolder(dir); err != nil {
		return err
	}
	s.dirs[dir] = true
	return nil
}

// flush makes the pending files durable and gives them their names.
func (s *Sink) flush() error {
	files := s.pending
	s.pending = s.pending[:0]
	const syncers = 8
	errs := make([]error, len(files))
	parallel.Do(len(files), syncers, func(_, i int) {
		errs[i] = files[i].f.Sync()
		if err := files[i].f.Close(); errs[i] == nil {
			errs[i] = err
		}
	})
	touched := map[string]bool{}
	for i, p := range files {
		if errs[i] != nil {
			errs[i] = fmt.Errorf("cannot finish %s: %w", p.sum.Path, errs[i])
		} else {
			errs[i] = data.NameFile(p.f.Name(), p.sum.Path)
		}
		if errs[i] != nil {
			os.Remove(p.f.Name())
			continue
		}
		s.named = append(s.named, p.sum)
		for dir := filepath.Dir(p.sum.Path); !touched[dir]; dir = filepath.Dir(dir) {
			touched[dir] = true
			if dir == filepath.Clean(s.root) {
				break
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for dir := range touched {
		if err := storage.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// Finished returns the files that got their final names since it was called last.
func (s *Sink) Finished() []data.FileSum {
	files := s.named
	s.named = nil
	return files
}

// Checkpoint gives all files put so far their final names.
func (s *Sink) Checkpoint() ([]byte, error) {
	if s.done {
		return nil, fmt.Errorf("cannot make a checkpoint of %s: %w", s.root, fs.ErrClosed)
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return data.EncodeState(Name, s.state)
}

// Close names the last files, makes the folders of classes without samples and, where the folders that hold samples would not
// give the classes back, writes classes.txt.
func (s *Sink) Close() error {
	if s.done {
		return nil
	}
	s.done = true
	if err := s.flush(); err != nil {
		return err
	}
	switch labels := s.state.Labels; {
	case labels.Seen && !labels.Labeled: // flat, whatever classes there could have been
		return nil
	case s.classes == nil && !labels.Labeled: // no sample has said that there are classes
		return nil
	}
	return WriteClasses(s.root, s.classes)
}

// Abort drops the files that are not named yet.
func (s *Sink) Abort() error {
	s.done = true
	var errs []error
	for _, p := range s.pending {
		p.f.Close()
		errs = append(errs, os.Remove(p.f.Name()))
	}
	s.pending = nil
	return errors.Join(errs...)
}
