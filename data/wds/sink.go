package wds

import (
	"archive/tar"
	"bufio"
	"bytes"
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
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
)

// DefaultPerShard is the number of samples in a shard of a sink without a number of its own. With ImageNet's images
// it makes shards of about 100 MB, which is in the range that WebDataset's authors advise.
const DefaultPerShard = 1000

// DefaultPrefix is the beginning of a shard's name.
const DefaultPrefix = "data"

// SinkOptions are the choices of a Sink; the zero value is the default.
type SinkOptions struct {
	Encoding data.Encoding
	PerShard int    // samples in a shard; 0 means DefaultPerShard
	Prefix   string // of the shards' names, "PREFIX-000000.tar"; "" means DefaultPrefix
	// Overwrite lets a fresh sink remove shards with the same prefix and the classes.txt that are in the folder already.
	Overwrite bool
}

// Sink writes shards of equal numbers of samples, the last one excepted. It is a [data.FileSink].
//
// A sample is an entry KEY.png or KEY.jpg and, if it has a label, an entry KEY.cls with the label in decimal. Views that belong
// together, see [Sink.PutViews], are one sample of the entries KEY.v0.png, KEY.v1.png and so on. A soft label is the entry
// KEY.target.npy, a NumPy array of float32: a weight for each class, [classes], or [views, classes]. It is an array and not JSON
// because WebDataset decodes both by their names, and arrays of one shape become a batch without code. The bytes
// depend on nothing but the samples: entries have mode 0644, owner 0 and time 0. In the key's base name a dot is
// written %2E and a percent sign %25, for a key ends at the first dot; an underscore that would make the first element
// like __this__ is written %5F. [Open] reads such keys back as they were; other readers see them as they are written.
//
// Each shard gets its final name as soon as it is full; classes.txt is written by Close.
type Sink struct {
	dir     string
	o       SinkOptions
	classes []string
	st      sinkState
	seen    *keySet

	f   *data.PartialFile // the shard being filled, nil between shards
	w   *bufio.Writer
	tw  *tar.Writer
	buf []byte

	named []data.FileSum // shards that got their names since the last Finished

	kept bool  // a checkpoint was made: Abort keeps the shard at hand
	err  error // first failure to write
	done bool
}

var (
	_ data.FileSink = (*Sink)(nil)
	_ data.ViewSink = (*Sink)(nil)
	_ data.Finisher = (*Sink)(nil)
)

// sinkState is what a checkpoint remembers.
type sinkState struct {
	Shard    int            `json:"shard"`    // the shard being filled
	Count    int            `json:"count"`    // samples in it
	Size     int64          `json:"size"`     // bytes of it
	CRC      uint32         `json:"crc"`      // CRC-32C of those
	PerShard int            `json:"pershard"` // options, which must be the same to resume
	Prefix   string         `json:"prefix"`
	Ext      string         `json:"ext"`
	Classes  int            `json:"classes"`
	Labels   data.LabelRule `json:"labels"`
}

// Create begins a data set in the folder dir, which is made if it is not there, or resumes one if state is not
// nil. classes are the names of the labels and may be nil. A fresh sink is rejected with an error that wraps
// [fs.ErrExist] where dir holds shards of the same prefix or another classes.txt, unless o.Overwrite.
func Create(dir string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	o.setDefaults()
	s := &Sink{dir: dir, o: o, classes: slices.Clone(classes), seen: newKeySet()}
	s.st = sinkState{PerShard: o.PerShard, Prefix: o.Prefix, Ext: o.Encoding.Ext(), Classes: len(classes)}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("cannot write shards to %s: %w", dir, err)
	}
	if err := storage.CheckLocal(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of shards: %w", err)
	}
	if state != nil {
		if err := s.resume(state); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot resume %s: %w", dir, err), s.closeFile())
		}
		return s, nil
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

func (o *SinkOptions) setDefaults() {
	if o.PerShard == 0 {
		o.PerShard = DefaultPerShard
	}
	if o.Prefix == "" {
		o.Prefix = DefaultPrefix
	}
}

func (s *Sink) check() error {
	if s.o.PerShard < 0 {
		return fmt.Errorf("%w: %d samples in a shard (allowed: 1 and up, 0 for %d)",
			data.ErrUnsupported, s.o.PerShard, DefaultPerShard)
	}
	if err := data.CheckKey(s.o.Prefix); err != nil || strings.ContainsAny(s.o.Prefix, "/{}:") || s.o.Prefix[0] == '.' {
		return fmt.Errorf("%w: shard prefix %q (allowed: a file name without braces, colons or a dot in front)",
			data.ErrUnsupported, s.o.Prefix)
	}
	if _, err := data.EncodeLines(s.classes); err != nil {
		return err
	}
	return s.o.Encoding.Check()
}

// path returns the final name of shard k.
func (s *Sink) path(k int) string {
	return filepath.Join(s.dir, fmt.Sprintf("%s-%06d.tar", s.o.Prefix, k))
}

// number is the inverse of path, without the folder.
func (s *Sink) number(name string) (k int, ok bool) {
	digits, ok := strings.CutPrefix(name, s.o.Prefix+"-")
	if !ok {
		return 0, false
	}
	if digits, ok = strings.CutSuffix(digits, ".tar"); !ok {
		return 0, false
	}
	k, err := strconv.Atoi(digits)
	return k, err == nil && filepath.Join(s.dir, name) == s.path(k)
}

// shards returns the numbers of the sink's shards in the folder, finished or not.
func (s *Sink) shards() (finished, partial []int, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot list the folder of shards: %w", err)
	}
	for _, e := range entries {
		name, isPartial := strings.CutSuffix(e.Name(), storage.TempSuffix)
		k, ok := s.number(name)
		switch {
		case ok && isPartial:
			partial = append(partial, k)
		case ok:
			finished = append(finished, k)
		}
	}
	return finished, partial, nil
}

// begin clears away what an unfinished run left and, with Overwrite, the data set that is there: old and new shards
// side by side would be read as one.
func (s *Sink) begin() error {
	finished, partial, err := s.shards()
	if err != nil {
		return err
	}
	var old []string
	for _, k := range partial {
		old = append(old, s.path(k)+storage.TempSuffix)
	}
	if s.o.Overwrite {
		for _, k := range finished {
			old = append(old, s.path(k))
		}
		old = append(old, filepath.Join(s.dir, classesFile))
	} else {
		if len(finished) > 0 {
			return fmt.Errorf("%s exists already (%w)", s.path(finished[0]), fs.ErrExist)
		}
		if err := s.checkClasses(); err != nil {
			return err
		}
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove what an earlier run left: %w", err)
		}
	}
	return nil
}

// checkClasses rejects a list of classes that would be read with the shards and is not theirs.
func (s *Sink) checkClasses() error {
	name := filepath.Join(s.dir, classesFile)
	old, err := data.ReadFile(nil, name, maxClassesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot compare with the class names that are there: %w", err)
	}
	if text, err := data.EncodeLines(s.classes); err != nil || !bytes.Equal(text, old) {
		return fmt.Errorf("%s exists already and lists other classes (%w)", name, fs.ErrExist)
	}
	return nil
}

// resume goes back to a checkpoint: later shards are removed, and the one at hand, which may have been finished since,
// is cut to where it was.
func (s *Sink) resume(state []byte) error {
	var st sinkState
	if err := data.DecodeState(state, Name, &st); err != nil {
		return err
	}
	want := s.st
	want.Shard, want.Count, want.Size, want.CRC, want.Labels = st.Shard, st.Count, st.Size, st.CRC, st.Labels
	if st != want || st.Shard < 0 || st.Count < 0 || st.Size < 0 || (st.Count == 0) != (st.Size == 0) ||
		st.Count >= s.o.PerShard {
		return fmt.Errorf("%w: the checkpoint is of %d %s samples in a shard, prefix %q, %d classes; want %d, %s, %q, %d",
			data.ErrFormat, st.PerShard, st.Ext, st.Prefix, st.Classes, want.PerShard, want.Ext, want.Prefix, want.Classes)
	}
	s.st, s.kept = st, true
	if err := s.undo(); err != nil {
		return err
	}
	for k := range st.Shard {
		if err := s.recall(s.path(k), -1, s.o.PerShard); err != nil {
			return err
		}
	}
	if st.Count == 0 {
		return nil
	}
	if err := s.recall(s.path(st.Shard)+storage.TempSuffix, st.Size, st.Count); err != nil {
		return err
	}
	f, err := data.ResumePartial(s.path(st.Shard), st.Size)
	if err != nil {
		return err
	}
	if err := f.Verify(st.CRC); err != nil {
		return errors.Join(err, f.Close())
	}
	s.fill(f)
	return nil
}

// undo removes the shards that the checkpoint does not know and gives the one at hand its temporary name again.
func (s *Sink) undo() error {
	finished, partial, err := s.shards()
	if err != nil {
		return err
	}
	for _, k := range partial {
		if k != s.st.Shard || s.st.Count == 0 {
			if err := os.Remove(s.path(k) + storage.TempSuffix); err != nil {
				return err
			}
		}
	}
	for _, k := range finished {
		switch {
		case k == s.st.Shard && s.st.Count > 0:
			err = os.Rename(s.path(k), s.path(k)+storage.TempSuffix)
		case k >= s.st.Shard:
			err = os.Remove(s.path(k))
		}
		if err != nil {
			return err
		}
	}
	return storage.SyncDir(s.dir)
}

// recall puts the keys in a shard, or in the first size bytes of it, into the set of those that were used. want is how
// many there must be.
func (s *Sink) recall(name string, size int64, want int) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("a shard of the checkpoint: %w", err)
	}
	defer f.Close()
	var in io.ReaderAt = f
	if size >= 0 {
		in = io.NewSectionReader(f, 0, size)
	}
	tr := tar.NewReader(&fileReader{f: in})
	found := 0
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w: %w", name, data.ErrFormat, err)
		}
		if key, kind := splitName(h.Name); strings.HasSuffix("."+kind, s.st.Ext) && s.seen.add(key) {
			found++ // at the first of its views
		}
	}
	if found != want {
		return fmt.Errorf("%s: %w: %d samples, the checkpoint says %d", name, data.ErrFormat, found, want)
	}
	return nil
}

func (s *Sink) fill(f *data.PartialFile) {
	s.f = f
	s.w = bufio.NewWriterSize(f, 1<<18)
	s.tw = tar.NewWriter(s.w)
}

// Encoding returns how images are encoded.
func (s *Sink) Encoding() data.Encoding { return s.o.Encoding }

// Put adds one sample. It rejects a key that is no path ([data.ErrUnsafe]), and a label outside the classes or there for
// some samples only ([data.ErrLabel]). A key that was used before is an error that wraps [fs.ErrExist].
func (s *Sink) Put(it *data.Item) error { return s.putSample([]data.Item{*it}, false) }

// PutViews adds the views of one sample as one sample, which no shuffling of samples tears apart.
func (s *Sink) PutViews(views []data.Item) error { return s.putSample(views, true) }

// putSample adds a sample of one image, or of several views.
func (s *Sink) putSample(items []data.Item, views bool) error {
	it := &items[0]
	if err := s.usable(); err != nil {
		return err
	}
	if err := data.CheckKey(it.Key); err != nil {
		return it.Reject(err)
	}
	key := escape(it.Key)
	if err := data.CheckKey(key); err != nil { // escaping makes it longer
		return it.Reject(err)
	}
	if s.seen.has(key) {
		return fmt.Errorf("cannot write to %s: two samples have the key %q (%w)", s.dir, it.Key, fs.ErrExist)
	}
	labels := s.st.Labels
	if err := labels.Check(it.Key, it.Label, len(s.classes)); err != nil {
		return it.Reject(err)
	}
	s.seen.add(key)
	s.st.Labels = labels
	s.err = s.put(key, items, views)
	return s.err
}

// file returns the image of an item as it is kept.
func (s *Sink) file(it *data.Item) ([]byte, error) {
	if it.File != nil {
		return it.File, nil
	}
	var err error
	if s.buf, err = s.o.Encoding.Append(s.buf[:0], it.Image); err != nil {
		err = fmt.Errorf("cannot encode sample %q for %s: %w", it.Key, s.dir, err)
	}
	return s.buf, err
}

func (s *Sink) usable() error {
	if s.done {
		return fmt.Errorf("cannot write to %s: %w", s.dir, fs.ErrClosed)
	}
	return s.err
}

func (s *Sink) put(key string, items []data.Item, views bool) error {
	if s.f == nil {
		f, err := data.CreatePartial(s.path(s.st.Shard))
		if err != nil {
			return err
		}
		s.fill(f)
	}
	for v := range items {
		name := key
		if views {
			name += ".v" + strconv.Itoa(v)
		}
		file, err := s.file(&items[v])
		if err != nil {
			return err
		}
		if err := s.entry(name+s.st.Ext, file); err != nil {
			return err
		}
	}
	if items[0].Target != nil {
		target, err := encodeTarget(items, views)
		if err != nil {
			return err
		}
		if err := s.entry(key+".target.npy", target); err != nil {
			return err
		}
	}
	if label := items[0].Label; label != data.NoLabel {
		if err := s.entry(key+".cls", strconv.AppendInt(nil, int64(label), 10)); err != nil {
			return err
		}
	}
	if s.st.Count++; s.st.Count == s.o.PerShard {
		return s.finishShard()
	}
	return nil
}

// encodeTarget makes the array of the soft labels of a sample.
func encodeTarget(items []data.Item, views bool) ([]byte, error) {
	classes := len(items[0].Target)
	a := &npy.Array{Shape: []int{classes}}
	if views {
		a.Shape = []int{len(items), classes}
	}
	var all []float32
	for _, it := range items {
		if len(it.Target) != classes {
			return nil, fmt.Errorf("%w: views of %q with soft labels of %d and %d classes", data.ErrLabel, it.Key, classes, len(it.Target))
		}
		all = append(all, it.Target...)
	}
	a.Data = all
	var file bytes.Buffer
	if err := npy.Write(&file, a); err != nil {
		return nil, fmt.Errorf("cannot write a soft label: %w", err)
	}
	return file.Bytes(), nil
}

func (s *Sink) entry(name string, content []byte) error {
	h := tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o644}
	err := s.tw.WriteHeader(&h)
	if err == nil {
		_, err = s.tw.Write(content)
	}
	if err == nil {
		err = s.tw.Flush()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s to %s: %w", name, s.f.Name(), err)
	}
	return nil
}

// finishShard completes the shard at hand and gives it its final name.
func (s *Sink) finishShard() error {
	if err := s.tw.Close(); err != nil {
		return fmt.Errorf("cannot finish %s: %w", s.f.Name(), err)
	}
	if err := s.w.Flush(); err != nil {
		return err
	}
	f := s.f
	s.f = nil
	if err := f.Commit(); err != nil {
		return err
	}
	s.named = append(s.named, data.FileSum{Path: f.Name(), Size: f.Size(), CRC: f.CRC()})
	s.st.Shard, s.st.Count, s.st.Size, s.st.CRC = s.st.Shard+1, 0, 0, 0
	return nil
}

// Finished returns the shards that got their final names since it was called last.
func (s *Sink) Finished() []data.FileSum {
	files := s.named
	s.named = nil
	return files
}

// Checkpoint makes everything put so far durable.
func (s *Sink) Checkpoint() ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if s.f != nil {
		if s.err = s.w.Flush(); s.err == nil {
			s.err = s.f.Sync()
		}
		if s.err != nil {
			return nil, s.err
		}
		s.st.Size, s.st.CRC = s.f.Size(), s.f.CRC()
	}
	state, err := data.EncodeState(Name, s.st)
	if err == nil {
		s.kept = true
	}
	return state, err
}

// Close completes the last shard and writes classes.txt. A data set without samples is one empty shard.
func (s *Sink) Close() error {
	if err := s.usable(); err != nil {
		return err
	}
	if s.err = s.finish(); s.err != nil {
		return s.err
	}
	s.done = true
	return nil
}

func (s *Sink) finish() error {
	if s.f == nil && s.st.Shard == 0 {
		f, err := data.CreatePartial(s.path(0))
		if err != nil {
			return err
		}
		s.fill(f)
	}
	if s.f != nil {
		if err := s.finishShard(); err != nil {
			return err
		}
	}
	if s.classes == nil {
		return nil
	}
	text, err := data.EncodeLines(s.classes)
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(filepath.Join(s.dir, classesFile), text)
}

// Abort stops. Finished shards stay; the one at hand stays under its temporary name if a checkpoint was made and is
// removed otherwise.
func (s *Sink) Abort() error {
	if s.done {
		return nil
	}
	s.done = true
	if s.f == nil {
		return nil
	}
	f := s.f
	s.f = nil
	if s.kept {
		return f.Close()
	}
	return f.Remove()
}

func (s *Sink) closeFile() error {
	if s.f == nil {
		return nil
	}
	return s.f.Close()
}
