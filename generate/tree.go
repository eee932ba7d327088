package generate

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// TreeOptions say what a tree sink writes.
type TreeOptions struct {
	Dir      string
	Variants []transform.Variant
	Classes  []string // class names by label, nil when unknown
	Ext      string   // of the files: ".jpg", ".png", ".gif"; a sample of the same format keeps its own, such as ".JPEG"
	// Quality of JPEG files, 1 to 100, 0 for data.DefaultQuality; ImageNet-C was saved at 85. Files are those of libjpeg with 4:2:0
	// chroma and optimized tables.
	Quality int
	// Frames gives every sample a folder of frames, KEY/frame-00.png, in place of a file.
	Frames bool
}

// treeSink writes ImageNet-C's tree, VARIANT/CLASS/KEY.jpg: every VARIANT is a folder of class folders by itself. A file
// of the format that the source has keeps the source's extension, such as .JPEG. Files are written under hidden temporary names and get their own at checkpoints, all of them after one sync.
type treeSink struct {
	o       TreeOptions
	folders []string              // by class
	dirs    sync.Map              // folders that are there
	seen    map[[16]byte]struct{} // places of samples, hashed
	st      treeState
	pending []data.FileSum // files that have their temporary names
	named   []data.FileSum // those that have their own, since the last Finished
	err     error          // the first that a write failed with
}

type treeState struct {
	Count  int            `json:"count"`
	Labels data.LabelRule `json:"labels"`
	Ext    string         `json:"ext"`
}

// mostPending bounds the files between two checkpoints, for the memory of their names.
const mostPending = 1 << 17

// filesAtOnce is how many files are written, synced or named at once. All of that happens on the one goroutine that keeps the
// order; without it a new file's 0.1 ms, 95 times a sample, would be a tenth of all the work and eight cores the most that help.
const filesAtOnce = 16

const treeFormat = "tree"

// OpenTree begins the tree in the folder o.Dir, or resumes it if state is not nil.
func OpenTree(o TreeOptions, state []byte) (PartSink, error) {
	if err := (data.Encoding{JPEG: true, Quality: o.Quality}).Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	o.Quality = cmp.Or(o.Quality, data.DefaultQuality)
	s := &treeSink{o: o, seen: map[[16]byte]struct{}{}, st: treeState{Ext: o.Ext}}
	seen := map[string]string{}
	for _, class := range o.Classes {
		dir, err := data.ClassFolder(class)
		if err != nil {
			return nil, err
		}
		if other, taken := seen[dir]; taken {
			return nil, fmt.Errorf("%w: class %q cannot name a folder of its own: %q is taken by %q",
				data.ErrLabel, class, dir, other)
		}
		seen[dir] = class
		s.folders = append(s.folders, dir)
	}
	if state != nil {
		if err := data.DecodeState(state, treeFormat, &s.st); err != nil {
			return nil, fmt.Errorf("cannot resume %s: %w", o.Dir, err)
		}
		if s.st.Ext != o.Ext {
			return nil, fmt.Errorf("cannot resume %s: %w: its files are %s", o.Dir, data.ErrFormat, s.st.Ext)
		}
	}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the tree: %w", err)
	}
	return s, nil
}

// AppendPart encodes an image by the files' extension.
func (s *treeSink) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	if s.o.Ext == ".jpg" {
		if err := data.CheckJPEG(m); err != nil {
			return dst, err
		}
		return jpeg.Encode(dst, m, jpeg.Options{Quality: s.o.Quality, Optimize: true}), nil
	}
	return data.Encoding{}.Append(dst, m)
}

// PutParts writes the files of one sample.
func (s *treeSink) PutParts(sample *data.Sample, parts []transform.Part) error {
	if s.err != nil {
		return s.err
	}
	labels := s.st.Labels
	ext := s.ext(sample.Ext)
	rel, err := s.place(sample.Key, sample.Label, &labels)
	if err == nil {
		err = data.CheckFileName(rel + ext)
	}
	if err != nil {
		return reject(sample.Key, err)
	}
	id := hashName(rel)
	if _, taken := s.seen[id]; taken {
		return fmt.Errorf("two samples would be written to %s below %s (%w)", rel, s.o.Dir, fs.ErrExist)
	}
	s.seen[id] = struct{}{}
	if err := s.writeAll(parts, func(i int) string {
		name := rel
		if s.o.Frames {
			name += fmt.Sprintf("/frame-%02d", parts[i].Frame)
		}
		return s.o.Variants[parts[i].Variant].Dir() + "/" + name + ext
	}); err != nil {
		return err
	}
	s.st.Labels = labels
	s.st.Count++
	if len(s.pending) >= mostPending {
		s.err = s.flush()
	}
	return s.err
}

// ext returns the extension of the files of a sample whose own is given: that one where it says the same format, so that
// a sample is found under the name it has in the source, otherwise the sink's.
func (s *treeSink) ext(own string) string {
	same := map[string][]string{".jpg": {".jpg", ".jpeg", ".jpe", ".jfif"}, ".png": {".png"}}[s.o.Ext]
	if !s.o.Frames && slices.Contains(same, strings.ToLower(own)) {
		return own
	}
	return s.o.Ext
}

// place returns the path of a sample in a variant, without extension: CLASS/KEY where CLASS is not the front of the key
// already, and flat, with underscores for slashes, when samples have no label.
func (s *treeSink) place(key string, label int, labels *data.LabelRule) (string, error) {
	if err := data.CheckKey(key); err != nil {
		return "", err
	}
	if err := labels.Check(key, label, len(s.o.Classes)); err != nil {
		return "", err
	}
	elems := strings.Split(key, "/")
	for i, e := range elems {
		if e[0] == '.' {
			elems[i] = "_" + e[1:] // a hidden file is no part of a data set
		}
	}
	if label == data.NoLabel {
		return strings.Join(elems, "_"), nil
	}
	dir, err := s.folder(label)
	if err != nil {
		return "", err
	}
	if elems[0] == dir && len(elems) > 1 {
		elems = elems[1:]
	}
	return path.Join(dir, path.Join(elems...)), nil
}

// folder returns the folder of a label.
func (s *treeSink) folder(label int) (string, error) {
	if s.o.Classes != nil {
		return s.folders[label], nil
	}
	return folder.Numbered(label)
}

// hashName is wide enough to stand for a name, so that a million take little memory.
func hashName(name string) [16]byte {
	h := fnv.New128a()
	_, _ = h.Write([]byte(name))
	return [16]byte(h.Sum(nil))
}

// temporary is the name of a file before it has its own.
func temporary(name string) string {
	dir, base := filepath.Split(name)
	return dir + "." + base + storage.TempSuffix
}

func (s *treeSink) mkdir(dir string) error {
	if _, there := s.dirs.Load(dir); there {
		return nil
	}
	if err := data.MakeFolder(dir); err != nil {
		return err
	}
	s.dirs.Store(dir, nil)
	return nil
}

// writeAll puts the parts of a sample, several at once, under the temporary names of the paths below the sink's folder that name
// returns for their numbers.
func (s *treeSink) writeAll(parts []transform.Part, name func(i int) string) error {
	files := make([]data.FileSum, len(parts))
	s.err = parallel.Try(len(parts), filesAtOnce, func(_, i int) error {
		c := &parts[i]
		path := filepath.Join(s.o.Dir, filepath.FromSlash(name(i)))
		files[i] = data.FileSum{Path: path, Size: int64(len(c.Data)), CRC: data.UpdateCRC(0, c.Data)}
		return s.write(path, c.Data)
	})
	s.pending = append(s.pending, files...)
	return s.err
}

// write puts a file under its temporary name.
func (s *treeSink) write(name string, file []byte) error {
	if err := s.mkdir(filepath.Dir(name)); err != nil {
		return err
	}
	f, err := data.CreateNew(temporary(name))
	if err == nil {
		_, err = f.Write(file)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return nil
}

// Checkpoint gives the files put so far their names.
func (s *treeSink) Checkpoint() ([]byte, error) {
	if s.err == nil {
		s.err = s.flush()
	}
	if s.err != nil {
		return nil, s.err
	}
	return data.EncodeState(treeFormat, s.st)
}

// Finished returns the files that got their own names since it was called last.
func (s *treeSink) Finished() []data.FileSum {
	files := s.named
	s.named = nil
	return files
}

// fewFiles is up to how many files a sync of each is cheaper than one of the file system.
const fewFiles = 64

// flush makes the pending files durable, gives them their names and makes the names durable.
func (s *treeSink) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	whole := len(s.pending) > fewFiles
	if whole {
		err := syncAll(s.o.Dir)
		if whole = !errors.Is(err, errors.ErrUnsupported); whole && err != nil {
			return fmt.Errorf("cannot sync %s: %w", s.o.Dir, err)
		}
	}
	if !whole {
		if err := syncEach(s.pending); err != nil {
			return err
		}
	}
	err := parallel.Try(len(s.pending), filesAtOnce, func(_, i int) error {
		name := s.pending[i].Path
		return data.NameFile(temporary(name), name)
	})
	if err != nil {
		return err
	}
	touched := map[string]bool{}
	root := len(filepath.Clean(s.o.Dir))
	for _, f := range s.pending {
		for dir := filepath.Dir(f.Path); !whole && !touched[dir] && len(dir) >= root; dir = filepath.Dir(dir) {
			touched[dir] = true
		}
	}
	s.named = append(s.named, s.pending...)
	s.pending = s.pending[:0]
	if whole {
		if err := syncAll(s.o.Dir); err != nil {
			return fmt.Errorf("cannot sync %s: %w", s.o.Dir, err)
		}
		return nil
	}
	for dir := range touched {
		if err := storage.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// syncEach makes files durable that lie under their temporary names.
func syncEach(files []data.FileSum) error {
	return parallel.Try(len(files), filesAtOnce, func(_, i int) error { return syncFile(temporary(files[i].Path)) })
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot sync %s: %w", name, err)
	}
	return nil
}

// Close names the last files and completes the class folders of every variant, with a list where they would not give the classes
// back.
func (s *treeSink) Close() error {
	if s.err == nil {
		s.err = s.flush()
	}
	if s.err != nil || !s.st.Labels.Labeled {
		return s.err
	}
	return parallel.Try(len(s.o.Variants), filesAtOnce, func(_, v int) error {
		return folder.WriteClasses(filepath.Join(s.o.Dir, filepath.FromSlash(s.o.Variants[v].Dir())), s.o.Classes)
	})
}

// Abort drops the files that have no names yet.
func (s *treeSink) Abort() error {
	var errs []error
	for _, f := range s.pending {
		if err := os.Remove(temporary(f.Path)); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	s.pending = nil
	return errors.Join(errs...)
}
