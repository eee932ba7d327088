package cifar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// perBatch is the number of records in one of CIFAR-10's training files.
const perBatch = 10000

// SinkOptions says what [Create] writes.
type SinkOptions struct {
	Kind  Kind  // Auto: CIFAR-10
	Split Split // Train (also Anything): data_batch_1.bin ..., or train.bin; Test: test_batch.bin, or test.bin
	// Overwrite lets a fresh sink replace files of the same split that are there already.
	Overwrite bool
}

// Sink writes a data set in the binary version. It is a [data.Sink]. The records hold no keys: a sample is found again
// by its place.
type Sink struct {
	dir     string
	kind    Kind
	split   Split
	over    bool // SinkOptions.Overwrite of a fresh sink
	classes []string
	coarse  []byte   // by label, of CIFAR-100
	n       int      // records put
	crcs    []uint32 // CRC-32C of the files that are full

	f   *data.PartialFile // the file being filled; nil between files
	w   *bufio.Writer
	rec []byte
	err error // first failure to write: what is on disk is unknown after it

	kept int // records that a checkpoint promised
	done bool
}

var _ data.Sink = (*Sink)(nil)

// state is a checkpoint. Classes are part of it so that a run cannot resume under other labels.
type state struct {
	Split   Split    `json:"split"`
	Classes []string `json:"classes"`
	Records int      `json:"records"`
	CRCs    []uint32 `json:"crcs"` // CRC-32C of each file, as far as it was written
}

// Create begins a data set in dir, which is made if it is not there, or resumes one if state is not nil.
//
// classes are the class names by label; nil means those of the published data set. CIFAR-10's form takes any 1 to 256
// names. CIFAR-100's takes names of its own fine classes only, because each record also holds the coarse label.
//
// CIFAR-10 training files hold 10,000 records each; there are at least five, as readers of the published set expect, of
// which the last can be short or empty. All files keep the suffix [storage.TempSuffix] until Close. A new data set is
// rejected with an error that wraps [fs.ErrExist] where dir already has files of the same split, unless o.Overwrite, and
// with one that wraps [data.ErrLabel] where it has the other split under other class names.
func Create(dir string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	s, err := newSink(dir, classes, o)
	if err != nil {
		return nil, fmt.Errorf("cannot write CIFAR files to %s: %w", dir, err)
	}
	if err := storage.CheckLocal(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of CIFAR files: %w", err)
	}
	if state != nil {
		if err := s.resume(state); err != nil {
			return nil, fmt.Errorf("cannot resume %s: %w", dir, err)
		}
		return s, nil
	}
	s.over = o.Overwrite
	if err := s.begin(); err != nil {
		return nil, err
	}
	return s, nil
}

func newSink(dir string, classes []string, o SinkOptions) (*Sink, error) {
	s := &Sink{dir: dir, kind: o.Kind, split: o.Split, classes: slices.Clone(classes)}
	switch {
	case s.kind > CIFAR100:
		return nil, fmt.Errorf("%w: kind %d (allowed: cifar10, cifar100)", data.ErrUnsupported, s.kind)
	case s.kind == Auto:
		s.kind = CIFAR10
	}
	switch s.split {
	case Anything:
		s.split = Train
	case Train, Test:
	default:
		return nil, fmt.Errorf("%w: split %q (allowed: train, test)", data.ErrUnsupported, s.split)
	}
	if s.classes == nil {
		if s.classes = Classes10(); s.kind == CIFAR100 {
			s.classes = Classes100()
		}
	}
	if len(s.classes) == 0 || len(s.classes) > maxClasses {
		return nil, fmt.Errorf("%w: %d classes (allowed: 1 to %d)", data.ErrUnsupported, len(s.classes), maxClasses)
	}
	for i, c := range s.classes { // readers cut lines and the white space around them
		if c == "" || strings.TrimSpace(c) != c || strings.ContainsAny(c, "\r\n\x00") || len(c) > maxName {
			return nil, fmt.Errorf("%w: class %d is named %.300q (allowed: 1 to %d bytes of one line)",
				data.ErrLabel, i, c, maxName)
		}
	}
	if s.kind == CIFAR100 {
		table := coarseOf()
		for _, c := range s.classes {
			coarse, ok := table[c]
			if !ok {
				return nil, fmt.Errorf("%w: class %q in CIFAR-100's form (allowed: its 100 fine classes)",
					data.ErrUnsupported, c)
			}
			s.coarse = append(s.coarse, coarse)
		}
	}
	return s, nil
}

// metaFiles returns the names and contents of the files of class names, as the published ones are.
func (s *Sink) metaFiles() []metaFile {
	text := func(names []string) []byte { return []byte(strings.Join(names, "\n") + "\n") }
	if s.kind == CIFAR100 {
		return []metaFile{
			{"fine_label_names.txt", text(s.classes)},
			{"coarse_label_names.txt", text(Coarse100())},
		}
	}
	return []metaFile{{"batches.meta.txt", text(s.classes)}}
}

type metaFile struct {
	name string
	text []byte
}

// checkMeta rejects a folder that has the other split under other class names: both would then be read under ours.
func (s *Sink) checkMeta() error {
	names, err := regularFiles(s.dir)
	if err != nil {
		return err
	}
	shared := slices.ContainsFunc(names, func(name string) bool {
		p, ok := parsePart(name)
		return ok && p.kind == s.kind && !p.pickle && p.train != (s.split == Train)
	})
	if !shared {
		return nil
	}
	for _, m := range s.metaFiles() {
		path := filepath.Join(s.dir, m.name)
		old, err := data.ReadFile(nil, path, maxMeta)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !slices.Equal(splitNames(string(old)), splitNames(string(m.text))) {
			return fmt.Errorf("%w: %s lists other classes than the data set to be written", data.ErrLabel, path)
		}
	}
	return nil
}

// path returns the final name of file k, from 0.
func (s *Sink) path(k int) string {
	name := "test_batch.bin"
	switch {
	case s.kind == CIFAR100:
		name = string(s.split) + ".bin"
	case s.split == Train:
		name = "data_batch_" + strconv.Itoa(k+1) + ".bin"
	}
	return filepath.Join(s.dir, name)
}

// inFile returns how many records a file takes, 0 for any number.
func (s *Sink) inFile() int {
	if s.kind == CIFAR10 && s.split == Train {
		return perBatch
	}
	return 0
}

func (s *Sink) recordSize() int { return s.kind.head() + pixels }

// files returns the numbers of the sink's files in dir, finished or not.
func (s *Sink) files() (finished, partial []int, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name, isPartial := strings.CutSuffix(e.Name(), storage.TempSuffix)
		p, ok := parsePart(name)
		if !ok || p.pickle || p.kind != s.kind || p.train != (s.split == Train) {
			continue
		}
		k := max(p.number-1, 0)
		if isPartial {
			partial = append(partial, k)
		} else {
			finished = append(finished, k)
		}
	}
	return finished, partial, nil
}

// begin clears away what an unfinished run left.
func (s *Sink) begin() error {
	if err := s.checkMeta(); err != nil {
		return err
	}
	finished, partial, err := s.files()
	if err != nil {
		return err
	}
	if len(finished) > 0 && !s.over {
		return fmt.Errorf("%s exists already (%w)", s.path(finished[0]), fs.ErrExist)
	}
	for _, k := range partial {
		if err := os.Remove(s.path(k) + storage.TempSuffix); err != nil {
			return err
		}
	}
	return nil
}

// resume goes back to a checkpoint: files that it does not know are removed, and those it knows are given their
// temporary names again, for the run may have ended anywhere, even in Close or after it.
func (s *Sink) resume(text []byte) error {
	var st state
	if err := data.DecodeState(text, s.kind.String(), &st); err != nil {
		return err
	}
	if st.Split != s.split || !slices.Equal(st.Classes, s.classes) {
		return fmt.Errorf("%w: the checkpoint is of a %s set of %d classes, not of a %s set of %d or of other names",
			data.ErrFormat, st.Split, len(st.Classes), s.split, len(s.classes))
	}
	if st.Records < 0 {
		return fmt.Errorf("%w: a checkpoint after %d records", data.ErrFormat, st.Records)
	}
	s.n, s.kept = st.Records, st.Records
	whole, rest := 0, s.n
	if per := s.inFile(); per > 0 {
		whole, rest = s.n/per, s.n%per
	}
	known := whole
	if rest > 0 {
		known++
	}
	if err := s.unfinish(known); err != nil {
		return err
	}
	if len(st.CRCs) != known {
		return fmt.Errorf("%w: a checkpoint with %d checksums of %d files", data.ErrFormat, len(st.CRCs), known)
	}
	for k := range whole {
		f, err := data.ResumePartial(s.path(k), int64(perBatch*s.recordSize()))
		if err != nil {
			return err
		}
		if err := errors.Join(f.Verify(st.CRCs[k]), f.Close()); err != nil {
			return err
		}
	}
	s.crcs = st.CRCs[:whole:whole]
	if rest == 0 {
		return nil
	}
	f, err := data.ResumePartial(s.path(whole), int64(rest*s.recordSize()))
	if err != nil {
		return err
	}
	if err := f.Verify(st.CRCs[whole]); err != nil {
		return errors.Join(err, f.Close())
	}
	s.fill(f)
	return nil
}

// unfinish gives the first files their temporary names and removes all others.
func (s *Sink) unfinish(known int) error {
	finished, partial, err := s.files()
	if err != nil {
		return err
	}
	for _, k := range finished {
		if k < known {
			err = os.Rename(s.path(k), s.path(k)+storage.TempSuffix)
		} else {
			err = os.Remove(s.path(k))
		}
		if err != nil {
			return err
		}
	}
	for _, k := range partial {
		if k >= known {
			if err := os.Remove(s.path(k) + storage.TempSuffix); err != nil {
				return err
			}
		}
	}
	return storage.SyncDir(s.dir)
}

func (s *Sink) fill(f *data.PartialFile) {
	s.f = f
	s.w = bufio.NewWriterSize(f, 1<<18)
}

// Put adds one image. An image that is not 32x32 gives an error that wraps [data.ErrUnsupported], a label outside
// the classes one that wraps [data.ErrLabel]; both name the sample and leave the sink as it was.
func (s *Sink) Put(it *data.Item) error {
	if err := s.usable(); err != nil {
		return err
	}
	if it.Image.W != Side || it.Image.H != Side {
		return it.Reject(fmt.Errorf("%w: sample %q is %dx%d (CIFAR's files hold %dx%d)",
			data.ErrUnsupported, it.Key, it.Image.W, it.Image.H, Side, Side))
	}
	if it.Label < 0 || it.Label >= len(s.classes) {
		return it.Reject(fmt.Errorf("%w: sample %q has label %d (allowed: 0 to %d)", data.ErrLabel, it.Key, it.Label,
			len(s.classes)-1))
	}
	s.err = s.put(it)
	return s.err
}

func (s *Sink) usable() error {
	if s.done {
		return fmt.Errorf("cannot write to %s: %w", s.dir, fs.ErrClosed)
	}
	return s.err
}

func (s *Sink) put(it *data.Item) error {
	if s.f == nil {
		k := 0
		if per := s.inFile(); per > 0 {
			k = s.n / per
		}
		f, err := data.CreatePartial(s.path(k))
		if err != nil {
			return err
		}
		s.fill(f)
	}
	s.rec = s.rec[:0]
	if s.kind == CIFAR100 {
		s.rec = append(s.rec, s.coarse[it.Label])
	}
	s.rec = append(s.rec, byte(it.Label))
	s.rec = it.Image.AppendPlanar(s.rec)
	if _, err := s.w.Write(s.rec); err != nil {
		return err
	}
	s.n++
	if per := s.inFile(); per > 0 && s.n%per == 0 {
		return s.park()
	}
	return nil
}

// park makes the current file durable and leaves it under its temporary name.
func (s *Sink) park() error {
	if s.f == nil {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	f := s.f
	s.f = nil
	s.crcs = append(s.crcs, f.CRC())
	return f.Close()
}

func (s *Sink) flush() error {
	if err := s.w.Flush(); err != nil {
		return err
	}
	return s.f.Sync()
}

// Checkpoint makes everything put so far durable.
func (s *Sink) Checkpoint() ([]byte, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	if s.f != nil {
		if s.err = s.flush(); s.err != nil {
			return nil, s.err
		}
	}
	crcs := slices.Clone(s.crcs)
	if s.f != nil {
		crcs = append(crcs, s.f.CRC())
	}
	text, err := data.EncodeState(s.kind.String(), state{s.split, s.classes, s.n, crcs})
	if err != nil {
		return nil, err
	}
	s.kept = s.n
	return text, nil
}

// Close completes the data set: it writes the class names and gives the files their final names.
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
	if err := s.park(); err != nil {
		return err
	}
	files := 1
	if per := s.inFile(); per > 0 {
		files = max(batchFiles, (s.n+per-1)/per)
	}
	for _, m := range s.metaFiles() {
		path := filepath.Join(s.dir, m.name)
		if old, err := data.ReadFile(nil, path, maxMeta); err == nil && bytes.Equal(old, m.text) {
			continue
		}
		if err := data.WriteFileAtomic(path, m.text); err != nil {
			return err
		}
	}
	for k := range files {
		if per := s.inFile(); per > 0 && k*per >= s.n || s.n == 0 { // a file that no record went to
			if err := data.WriteFileAtomic(s.path(k), nil); err != nil {
				return err
			}
			continue
		}
		if err := os.Rename(s.path(k)+storage.TempSuffix, s.path(k)); err != nil {
			return err
		}
	}
	return errors.Join(s.removeOld(files), storage.SyncDir(s.dir))
}

// removeOld removes what a longer data set that was overwritten had beyond this one.
func (s *Sink) removeOld(files int) error {
	if !s.over {
		return nil
	}
	finished, _, err := s.files()
	for _, k := range finished {
		if k >= files {
			err = errors.Join(err, os.Remove(s.path(k)))
		}
	}
	return err
}

// Abort stops. The files keep their temporary names if a checkpoint promised records of them, and are removed
// otherwise.
func (s *Sink) Abort() error {
	if s.done {
		return nil
	}
	s.done = true
	var err error
	if s.f != nil {
		err = s.f.Close()
		s.f = nil
	}
	if s.kept > 0 {
		return err
	}
	_, partial, ferr := s.files()
	err = errors.Join(err, ferr)
	for _, k := range partial {
		err = errors.Join(err, os.Remove(s.path(k)+storage.TempSuffix))
	}
	return err
}
