package generate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// ArrayOptions say what an array sink writes.
type ArrayOptions struct {
	Dir      string
	Variants []transform.Variant // a file for each name; all names have the same severities
	Samples  int                 // the most samples that will be put
	Classes  []string            // class names by label, nil when unknown
	// Frames gives every sample a row of its own for all frames of a variant, [N, F, H, W, 3], as CIFAR-10-P has it;
	// otherwise a variant is one image a sample and severities follow each other, [S*N, H, W, 3], as CIFAR-10-C has it.
	// Gray images make arrays of [N, F, H, W, 1] and [S*N, H, W], samples of C channels those of [N, F, H, W, C] and [S*N, H, W, C].
	Frames bool
	// Wide makes labels int64, as in CIFAR-10-C-bar; otherwise they are uint8, as in CIFAR-10-C, unless there are more
	// than 256 classes.
	Wide bool
	// Archive makes NAME.npz in place of NAME.npy, with the images as the array ARCHIVE_images and the labels of all severities, as
	// MedMNIST keeps them, as ARCHIVE_labels: "test" gives the files of MedMNIST-C, but not compressed. It does not go with Frames.
	Archive string
}

// Names of the files beside the arrays.
const (
	labelsName  = "labels.npy"
	classesName = "classes.txt"
)

// arraySink writes NAME.npy for every name of the variants, labels.npy (the labels repeated for each severity) and, when
// classes are known, classes.txt. All files of images grow at the same time under temporary names, at their final
// offsets; a buffer for each block of rows makes the writes large. Samples that were rejected leave room at the end of
// every block, which Close takes out.
type arraySink struct {
	o      ArrayOptions
	group  []int // file of a variant
	place  []int // block of a variant
	files  []*arrayFile
	labels *data.PartialFile // raw 64-bit little-endian integers, or rows of bytes where there are columns
	tail   []byte            // labels not written yet
	st     arrayState
	done   bool
}

// arrayState is what a checkpoint remembers.
type arrayState struct {
	Count  int            `json:"count"`
	W      int            `json:"w"`
	H      int            `json:"h"`
	Planes int            `json:"planes"` // channels: 3, 1 of gray images, or those of samples of the form data.Channels
	Frames []int          `json:"frames"` // of each file
	Labels data.LabelRule `json:"labels"`
	Top    int            `json:"top"` // largest label
	// Columns is the number of labels of a sample where it has several, in an archive.
	Columns int `json:"columns,omitempty"`
	// CRC-32C of what was written: of each block of each file, and of the labels.
	CRC       [][]uint32 `json:"crc"`
	LabelsCRC uint32     `json:"labels_crc"`
}

// arrayFile is one file of images.
type arrayFile struct {
	path   string
	f      *data.PartialFile // nil before the first image, and when the file has its final name
	header int64             // bytes before the first row
	row    int64             // bytes of a row
	blocks []blockWriter     // one for each severity
}

// blockWriter collects rows that follow each other in the file.
type blockWriter struct {
	buf []byte
	off int64  // of buf in the file
	crc uint32 // of what lies before it in the block
}

// blockBuffer is the size from which on rows are written.
const blockBuffer = 1 << 18

// OpenArrays begins the arrays in the folder o.Dir, or resumes them if state is not nil.
func OpenArrays(o ArrayOptions, state []byte) (PartSink, error) {
	names, group, place, err := groups(o.Variants)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 || o.Samples < 0 {
		return nil, fmt.Errorf("%w: arrays of %d variants and at most %d samples (allowed: 1 variant or more, 0 samples or more)", ErrOption,
			len(names), o.Samples)
	}
	if _, err := data.EncodeLines(o.Classes); err != nil {
		return nil, err
	}
	s := &arraySink{o: o, group: group, place: place}
	ext := ".npy"
	if o.Archive != "" {
		ext = ".npz"
	}
	for _, name := range names {
		s.files = append(s.files, &arrayFile{
			path: filepath.Join(o.Dir, name+ext), blocks: make([]blockWriter, len(o.Variants)/len(names)),
		})
	}
	if state != nil {
		if err := s.resume(state); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot resume %s: %w", o.Dir, err), s.closeFiles())
		}
		return s, nil
	}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the arrays: %w", err)
	}
	s.labels, err = data.CreatePartial(s.labelsPath())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// labelsPath is the name, never given, of the file in which labels wait.
func (s *arraySink) labelsPath() string { return filepath.Join(s.o.Dir, "labels") }

const arraysFormat = "arrays"

func (s *arraySink) resume(state []byte) error {
	if err := data.DecodeState(state, arraysFormat, &s.st); err != nil {
		return err
	}
	if c := s.st.Count; c < 0 || c > s.o.Samples || c > 0 && (len(s.st.Frames) != len(s.files) || len(s.st.CRC) != len(s.files)) {
		return fmt.Errorf("%w: a checkpoint after %d of %d samples, for %d files", data.ErrFormat, c, s.o.Samples,
			len(s.st.Frames))
	}
	var err error
	s.labels, err = data.ResumePartial(s.labelsPath(), s.labelBytes()*int64(s.st.Count))
	if errors.Is(err, os.ErrNotExist) && s.named() {
		s.done = true // the run had ended between the last file and the journal
		return s.verifyNamed()
	}
	if err == nil {
		err = s.labels.Verify(s.st.LabelsCRC)
	}
	if err != nil || s.st.Count == 0 {
		return err
	}
	for i, a := range s.files {
		if err := s.layout(a, s.st.Frames[i]); err != nil {
			return err
		}
		a.f, err = data.ResumePartial(a.path, s.full(a))
		if errors.Is(err, os.ErrNotExist) && exists(a.path) {
			continue // a run that ended while it completed the files had given this one its name
		}
		if err != nil {
			return err
		}
		for b := range a.blocks {
			a.blocks[b].off = s.offset(a, b, s.st.Count)
		}
	}
	return parallel.Try(len(s.files), runtime.GOMAXPROCS(0), func(_, i int) error { return s.verify(s.files[i], s.st.CRC[i]) })
}

// verifyNamed reads back what a run has completed that ended before its journal said so.
func (s *arraySink) verifyNamed() error {
	for i, a := range s.files[:len(s.st.Frames)] {
		if err := s.layout(a, s.st.Frames[i]); err != nil {
			return err
		}
		if err := s.verify(a, s.st.CRC[i]); err != nil {
			return err
		}
	}
	if !s.st.Labels.Labeled {
		return nil
	}
	return npyset.VerifyLabels(filepath.Join(s.o.Dir, labelsName), len(s.files[0].blocks), s.st.LabelsCRC)
}

// verify reads a file back and compares its blocks with their checksums. The error wraps data.ErrFormat where one differs.
func (s *arraySink) verify(a *arrayFile, crc []uint32) error {
	if len(crc) != len(a.blocks) {
		return fmt.Errorf("%w: %d checksums of %s, want %d", data.ErrFormat, len(crc), a.path, len(a.blocks))
	}
	if a.f == nil && s.o.Archive != "" { // it has its name already, and checksums of its own
		for b := range a.blocks {
			a.blocks[b].crc = crc[b]
		}
		return nil
	}
	var in io.ReaderAt = a.f
	rows := s.o.Samples // of a block in the file
	if a.f == nil {     // it has its name already, and no room for rejected samples any more
		f, err := os.Open(a.path)
		if err != nil {
			return err
		}
		defer f.Close()
		in, rows = f, s.st.Count
	}
	for b := range a.blocks {
		start := a.header + int64(b)*int64(rows)*a.row
		sum, err := data.ReadCRC(io.NewSectionReader(in, start, int64(s.st.Count)*a.row))
		if err == nil && sum != crc[b] {
			err = fmt.Errorf("%w: %s is not what was written", data.ErrFormat, a.path)
		}
		if err != nil {
			return err
		}
		a.blocks[b].crc = sum
	}
	return nil
}

// named reports whether every file has its final name.
func (s *arraySink) named() bool {
	for _, a := range s.files {
		if !exists(a.path) {
			return false
		}
	}
	return !s.st.Labels.Labeled || s.o.Archive != "" || exists(filepath.Join(s.o.Dir, labelsName))
}

// shape is the header of a file when each block has n rows.
func (s *arraySink) shape(a *arrayFile, frames, n int) npy.Header {
	shape := []int{len(a.blocks) * n, s.st.H, s.st.W, s.st.Planes}
	if s.o.Frames {
		shape = slices.Insert(shape, 1, frames)
	} else if s.st.Planes == 1 {
		shape = shape[:3]
	}
	return npy.Header{DType: "|u1", Shape: shape}
}

// labelBytes is what the labels of a sample take in their file.
func (s *arraySink) labelBytes() int64 {
	if s.st.Columns > 0 {
		return int64(s.st.Columns)
	}
	return 8
}

// layout fixes where rows lie.
func (s *arraySink) layout(a *arrayFile, frames int) error {
	size, err := npy.HeaderSize(s.shape(a, frames, s.o.Samples))
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", a.path, err)
	}
	a.header, a.row = int64(size), int64(frames)*int64(s.st.Planes*s.st.W*s.st.H)
	return nil
}

// offset is where row i of block b lies.
func (s *arraySink) offset(a *arrayFile, b, i int) int64 {
	return a.header + (int64(b)*int64(s.o.Samples)+int64(i))*a.row
}

// full is the size of the file with every row.
func (s *arraySink) full(a *arrayFile) int64 { return s.offset(a, len(a.blocks), 0) }

// AppendPart appends the pixels, three bytes each, or one in gray.
func (s *arraySink) AppendPart(dst []byte, m *raster.Image) ([]byte, error) {
	return m.AppendPixels(dst), data.CheckOpaque(m, "an array")
}

// PutParts adds the rows of one sample.
func (s *arraySink) PutParts(sample *data.Sample, parts []transform.Part) error {
	key, label := sample.Key, sample.Label
	if s.done || s.st.Count >= s.o.Samples {
		return fmt.Errorf("cannot write to %s: more than the %d samples it was made for", s.o.Dir, s.o.Samples)
	}
	labels := s.st.Labels
	if err := labels.Check(key, label, len(s.o.Classes)); err != nil {
		return reject(key, err)
	}
	columns := s.st.Columns
	if s.st.Count == 0 && s.o.Archive != "" {
		columns = len(sample.Multi)
	}
	if n := len(sample.Multi); s.o.Archive != "" && (n != columns || n == 0 && (label < 0 || label > 255)) {
		return reject(key, fmt.Errorf("%w: sample %q has label %d and %d others (allowed in MedMNIST's layout: one of 0 to 255, or %d)",
			data.ErrLabel, key, label, n, columns))
	}
	if s.st.Count == 0 {
		if err := s.begin(parts); err != nil {
			return err
		}
		s.st.Columns = columns
	}
	if err := s.check(key, parts); err != nil {
		return reject(key, err)
	}
	s.st.Labels, s.st.Top = labels, max(s.st.Top, label)
	for i := range parts {
		c := &parts[i]
		if err := s.files[s.group[c.Variant]].put(s.place[c.Variant], c.Data); err != nil {
			return err
		}
	}
	if s.st.Columns > 0 {
		s.tail = append(s.tail, sample.Multi...)
	} else {
		s.tail = binary.LittleEndian.AppendUint64(s.tail, uint64(int64(label)))
	}
	s.st.Count++
	return nil
}

// begin creates the files: the first sample says the size of images and the number of frames.
func (s *arraySink) begin(parts []transform.Part) error {
	s.st.W, s.st.H, s.st.Frames = parts[0].W, parts[0].H, make([]int, len(s.files))
	s.st.Planes = len(parts[0].Data) / (s.st.W * s.st.H)
	for _, c := range parts {
		if s.place[c.Variant] == 0 {
			s.st.Frames[s.group[c.Variant]]++
		}
	}
	for i, a := range s.files {
		if err := s.layout(a, s.st.Frames[i]); err != nil {
			return err
		}
		var err error
		if a.f, err = data.CreatePartial(a.path); err != nil {
			return err
		}
		// The last byte makes the file as long as it will be; what is not written takes no room.
		if _, err := a.f.WriteAt([]byte{0}, s.full(a)-1); err != nil {
			return err
		}
		for b := range a.blocks {
			a.blocks[b].off = s.offset(a, b, 0)
		}
	}
	return nil
}

// check rejects parts that do not fit the arrays.
func (s *arraySink) check(key string, parts []transform.Part) error {
	want := 0
	for _, f := range s.st.Frames {
		want += f * len(s.files[0].blocks)
	}
	for i := range parts {
		if c := &parts[i]; c.W == s.st.W && c.H == s.st.H && len(c.Data) != s.st.Planes*c.W*c.H {
			return fmt.Errorf("%w: sample %q is %s, those before it are %s (an array holds one kind)", data.ErrFormat, key,
				kindOf(len(c.Data)/(c.W*c.H)), kindOf(s.st.Planes))
		} else if c.W != s.st.W || c.H != s.st.H || len(parts) != want {
			return fmt.Errorf("%w: sample %q is %dx%d with %d images, those before it are %dx%d with "+
				"%d (an array holds one size)", ErrSize, key, c.W, c.H, len(parts), s.st.W, s.st.H, want)
		}
	}
	return nil
}

// kindOf says what images of so many channels are.
func kindOf(planes int) string {
	switch planes {
	case 1:
		return "gray"
	case 3:
		return "color"
	}
	return fmt.Sprintf("of %d channels", planes)
}

// put adds an image to block b.
func (a *arrayFile) put(b int, pixels []byte) error {
	if a.f == nil {
		return fmt.Errorf("cannot write %s: %w", a.path, os.ErrClosed)
	}
	w := &a.blocks[b]
	if w.buf == nil {
		w.buf = make([]byte, 0, max(blockBuffer, len(pixels)))
	}
	if len(w.buf)+len(pixels) > cap(w.buf) {
		if err := a.flush(b); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, pixels...)
	return nil
}

// flush writes what block b has collected.
func (a *arrayFile) flush(b int) error {
	w := &a.blocks[b]
	if len(w.buf) == 0 {
		return nil
	}
	n, err := a.f.WriteAt(w.buf, w.off)
	w.off += int64(n)
	w.crc = data.UpdateCRC(w.crc, w.buf[:n])
	w.buf = w.buf[:0]
	return err
}

// Checkpoint makes everything put so far durable.
func (s *arraySink) Checkpoint() ([]byte, error) {
	if err := s.flush(); err != nil {
		return nil, err
	}
	for _, a := range s.files {
		if a.f != nil {
			if err := a.f.Sync(); err != nil {
				return nil, err
			}
		}
	}
	if err := s.labels.Sync(); err != nil {
		return nil, err
	}
	s.st.LabelsCRC, s.st.CRC = s.labels.CRC(), nil
	for _, a := range s.files {
		sums := make([]uint32, len(a.blocks))
		for b := range a.blocks {
			sums[b] = a.blocks[b].crc
		}
		s.st.CRC = append(s.st.CRC, sums)
	}
	return data.EncodeState(arraysFormat, s.st)
}

func (s *arraySink) flush() error {
	for _, a := range s.files {
		for b := range a.blocks {
			if err := a.flush(b); err != nil {
				return err
			}
		}
	}
	_, err := s.labels.Write(s.tail)
	s.tail = s.tail[:0]
	return err
}

// Close completes the files and gives them their names. The file in which labels wait goes last: while it is there, a
// sink opened again with the state of the last checkpoint can do what is left.
func (s *arraySink) Close() error {
	if s.done {
		return nil
	}
	s.done = true
	if err := s.finish(); err != nil {
		return errors.Join(err, s.closeFiles())
	}
	return s.labels.Remove()
}

func (s *arraySink) finish() error {
	if err := s.flush(); err != nil {
		return err
	}
	for i, a := range s.files {
		if a.f == nil {
			continue // has its name, or there was no sample
		}
		if err := s.complete(a, s.st.Frames[i]); err != nil {
			return err
		}
	}
	if s.o.Classes != nil {
		text, err := data.EncodeLines(s.o.Classes)
		if err != nil {
			return err
		}
		if err := data.WriteFileAtomic(filepath.Join(s.o.Dir, classesName), text); err != nil {
			return err
		}
	}
	return s.writeLabels()
}

// complete gives a file its header and its name, and takes out the room of samples that were rejected.
func (s *arraySink) complete(a *arrayFile, frames int) error {
	if s.o.Archive != "" {
		return s.completeArchive(a, frames)
	}
	var header bytes.Buffer
	if _, err := npy.WriteHeader(&header, s.shape(a, frames, s.st.Count)); err != nil {
		return fmt.Errorf("cannot write %s: %w", a.path, err)
	}
	if s.st.Count == s.o.Samples {
		if _, err := a.f.WriteAt(header.Bytes(), 0); err != nil {
			return err
		}
		return a.f.Commit()
	}
	out, err := storage.CreateAtomic(a.path)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(header.Bytes()); err != nil {
		return err
	}
	for b := range a.blocks {
		rows := io.NewSectionReader(a.f, s.offset(a, b, 0), int64(s.st.Count)*a.row)
		if _, err := io.Copy(out, rows); err != nil {
			return fmt.Errorf("cannot write %s: %w", a.path, err)
		}
	}
	if err := out.Commit(); err != nil {
		return err
	}
	return a.f.Remove()
}

// completeArchive makes the archive of a file's rows, and of the labels.
func (s *arraySink) completeArchive(a *arrayFile, frames int) error {
	raw, err := s.rawLabels()
	if err != nil {
		return err
	}
	if s.st.Columns == 0 {
		for i := range s.st.Count {
			raw[i] = raw[8*i] // they are bytes
		}
		raw = raw[:s.st.Count]
	}
	labels := &npy.Array{Shape: []int{len(a.blocks) * s.st.Count, max(s.st.Columns, 1)}, Data: slices.Repeat(raw, len(a.blocks))}
	z, err := npy.CreateZip(a.path, false)
	if err != nil {
		return err
	}
	defer z.Abort()
	w, err := z.Create(s.o.Archive+"_images", s.shape(a, frames, s.st.Count))
	for b := range a.blocks {
		if err == nil {
			_, err = io.Copy(w, io.NewSectionReader(a.f, s.offset(a, b, 0), int64(s.st.Count)*a.row))
		}
	}
	if err == nil {
		err = z.Write(s.o.Archive+"_labels", labels)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", a.path, err)
	}
	return a.f.Remove()
}

// rawLabels reads the labels back, as they wait in their file.
func (s *arraySink) rawLabels() ([]byte, error) {
	raw := make([]byte, int(s.labelBytes())*s.st.Count)
	if _, err := s.labels.ReadAt(raw, 0); err != nil && len(raw) > 0 {
		return nil, fmt.Errorf("cannot read back %s: %w", s.labels.TempName(), err)
	}
	return raw, nil
}

// writeLabels writes labels.npy, unless the samples have none or archives hold them.
func (s *arraySink) writeLabels() error {
	if !s.st.Labels.Labeled || s.o.Archive != "" {
		return nil
	}
	raw, err := s.rawLabels()
	if err != nil {
		return err
	}
	labels := make([]int64, 0, s.st.Count*len(s.files[0].blocks))
	for range s.files[0].blocks {
		for i := range s.st.Count {
			labels = append(labels, int64(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	}
	a := labelArray(labels, !s.o.Wide && len(s.o.Classes) <= 256 && s.st.Top <= 255)
	var file bytes.Buffer
	if err := npy.Write(&file, a); err != nil {
		return fmt.Errorf("cannot write the labels: %w", err)
	}
	return data.WriteFileAtomic(filepath.Join(s.o.Dir, labelsName), file.Bytes())
}

// Abort stops and leaves the files under their temporary names for a later run to resume.
func (s *arraySink) Abort() error {
	s.done = true
	return s.closeFiles()
}

func (s *arraySink) closeFiles() error {
	var errs []error
	for _, a := range s.files {
		if a.f != nil {
			errs = append(errs, a.f.Close())
		}
	}
	if s.labels != nil {
		errs = append(errs, s.labels.Close())
	}
	return errors.Join(errs...)
}
