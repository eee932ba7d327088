package npyset

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
)

// SinkOptions are the choices of a Sink; the zero value is the default.
type SinkOptions struct {
	// Overwrite lets a fresh sink replace an existing file.
	Overwrite bool
	// Deflate compresses an .npz file, which then cannot be read at random. It has no meaning for .npy.
	Deflate bool
	// Views gives the views of a sample, of which there must be as many, an axis of their own: [N, Views, H, W, 3], with one
	// label for each sample. 0 makes a row of every view, those of a sample one after the other, with a label each.
	Views int
	// Of MedMNIST's layout: the part that is written, "train", "val" or "test", and a file whose other arrays are kept, "" for none.
	Split, Like string
}

// Sink writes images of one size as one array of shape [N, H, W, 3], or [N, H, W] of images that are marked Gray: an .npy
// file with labels.npy and classes.txt beside it, or an .npz file with the arrays images and labels and classes.txt beside
// it. Labels are 64-bit integers, as PyTorch wants them. Keys are not kept. [SinkOptions].Views adds an axis:
// [N, V, H, W, 3], in gray [N, V, H, W, 1]. Items with Channels make [N, H, W, C] and [N, V, H, W, C].
//
// If labels.npy or classes.txt exists with other content, or would be taken for that of another array in the folder, STEM_labels.npy
// or STEM_classes.txt is written instead. Where samples without labels, or labels without names, would be read with such a file of
// others, they get one of their own that says so: labels of -1, an empty list.
type Sink struct {
	path    string
	format  string
	o       SinkOptions
	classes []string
	st      sinkState
	header  int               // bytes before the first image
	images  *data.PartialFile // nil before the first image of a fresh sink
	labels  *data.PartialFile // raw 64-bit little-endian integers, or rows of bytes where there are columns
	buf     []byte
	tail    []byte // labels not written to the file yet
	kept    bool   // a checkpoint was made: Abort keeps the files
	done    bool
}

// sinkState is what a checkpoint remembers.
type sinkState struct {
	Count int  `json:"count"` // of the first axis
	W     int  `json:"w"`
	H     int  `json:"h"`
	Gray  bool `json:"gray,omitempty"` // one channel
	// Channels is how many there are where they are images of their own; 0: three, or one where Gray is set.
	Channels int            `json:"channels,omitempty"`
	Labels   data.LabelRule `json:"labels"`
	// Columns is the number of labels of a sample where MedMNIST's layout has several.
	Columns int `json:"columns,omitempty"`
	// CRC-32C of the images, with room for the header, and of the labels, as they lie in their files.
	ImagesCRC uint32 `json:"images_crc"`
	LabelsCRC uint32 `json:"labels_crc"`
}

var (
	_ data.ViewSink    = (*Sink)(nil)
	_ data.ChannelSink = (*Sink)(nil)
)

// KeepsChannels implements [data.ChannelSink].
func (s *Sink) KeepsChannels() {}

// CreateNPY begins an .npy file, or resumes one if state is not nil. An existing file is an error unless
// o.Overwrite.
func CreateNPY(path string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	return create(NameNPY, path, classes, o, state)
}

// CreateNPZ begins an .npz file, or resumes one if state is not nil. An existing file is an error unless
// o.Overwrite. Images wait in a file of their own, as large as they are, until Close.
func CreateNPZ(path string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	return create(NameNPZ, path, classes, o, state)
}

func create(format, path string, classes []string, o SinkOptions, state []byte) (*Sink, error) {
	s := &Sink{path: path, format: format, o: o, classes: slices.Clone(classes)}
	if _, err := data.EncodeLines(classes); err != nil {
		return nil, err
	}
	if state != nil {
		if err := s.resume(state); err != nil {
			return nil, errors.Join(fmt.Errorf("cannot resume %s: %w", path, err), s.closeFiles())
		}
		return s, nil
	}
	if _, err := os.Stat(path); err == nil && !o.Overwrite {
		return nil, fmt.Errorf("%s exists already (%w)", path, fs.ErrExist)
	}
	if err := storage.CheckLocal(path); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of %s: %w", path, err)
	}
	var err error
	if s.images, err = data.CreatePartial(s.imagesPath()); err != nil {
		return nil, err
	}
	if s.labels, err = data.CreatePartial(s.labelsPath()); err != nil {
		return nil, errors.Join(err, s.images.Remove())
	}
	return s, nil
}

// imagesPath is the final name of the file that images go to: an .npz file is made from it at the end.
func (s *Sink) imagesPath() string {
	if s.format != NameNPY {
		return s.path + ".images"
	}
	return s.path
}

func (s *Sink) labelsPath() string { return s.path + ".labels" }

func (s *Sink) resume(state []byte) error {
	if err := data.DecodeState(state, s.format, &s.st); err != nil {
		return err
	}
	size := int64(0)
	if s.st.Count > 0 {
		var err error
		if s.header, err = npy.HeaderSize(s.shape()); err != nil {
			return wrap(err)
		}
		size = int64(s.header) + int64(s.st.Count)*int64(max(s.o.Views, 1))*int64(s.channels()*s.st.W*s.st.H)
	}
	if s.st.Count < 0 || size < 0 {
		return fmt.Errorf("%w: a checkpoint after %d images", data.ErrFormat, s.st.Count)
	}
	var err error
	s.images, err = data.ResumePartial(s.imagesPath(), size)
	if _, named := os.Stat(s.path); named == nil && errors.Is(err, fs.ErrNotExist) {
		s.done = true // the run had ended after the last name
		return s.verifyNamed(size)
	}
	if err != nil {
		return err
	}
	if s.labels, err = data.ResumePartial(s.labelsPath(), s.labelBytes()*int64(s.st.Count)); err != nil {
		return err
	}
	s.kept = true
	// A run that ended while it completed the file had written the header, which the checksum does not know.
	if _, err := s.images.WriteAt(make([]byte, s.header), 0); err != nil {
		return err
	}
	if err := s.images.Verify(s.st.ImagesCRC); err != nil {
		return err
	}
	return s.labels.Verify(s.st.LabelsCRC)
}

// shape is the header of the images put so far.
func (s *Sink) shape() npy.Header {
	shape := []int{s.st.Count, s.st.H, s.st.W, s.channels()}
	if s.o.Views > 0 {
		shape = slices.Insert(shape, 1, s.o.Views)
	} else if s.st.Gray {
		shape = shape[:3]
	}
	return npy.Header{DType: "|u1", Shape: shape}
}

// channels is the number of bytes of a pixel.
func (s *Sink) channels() int {
	if s.st.Gray {
		return 1
	}
	return cmp.Or(s.st.Channels, 3)
}

// labelBytes is what the labels of a sample take in their file.
func (s *Sink) labelBytes() int64 {
	if s.st.Columns > 0 {
		return int64(s.st.Columns)
	}
	return 8
}

// Put appends an image, which must be of the size of the first.
func (s *Sink) Put(it *data.Item) error { return s.PutViews([]data.Item{*it}) }

// kind says what images of an array are.
func kind(gray bool, channels int) string {
	switch {
	case gray:
		return "gray"
	case channels > 0:
		return fmt.Sprintf("%d-channel", channels)
	}
	return "color"
}

// PutViews appends the views of a sample, which must be of the size of the first image: a row, or a row each.
func (s *Sink) PutViews(views []data.Item) error {
	if s.done {
		return fmt.Errorf("cannot write to %s: %w", s.path, fs.ErrClosed)
	}
	if s.o.Views > 0 && len(views) != s.o.Views {
		return fmt.Errorf("cannot write to %s: sample %q has %d views, the array %d", s.path, views[0].Key, len(views), s.o.Views)
	}
	w, h, holds := s.st.W, s.st.H, kind(s.st.Gray, s.st.Channels)
	for i := range views {
		it := &views[i]
		if s.st.Count == 0 && i == 0 {
			w, h, holds = it.Image.W, it.Image.H, kind(it.Image.Gray, it.Channels)
		}
		if is := kind(it.Image.Gray, it.Channels); is != holds {
			return it.Reject(fmt.Errorf("%w: sample %q is %s, %s holds %s images (an array holds one kind)", data.ErrFormat, it.Key,
				is, filepath.Base(s.path), holds))
		}
		if it.Image.W != w || it.Image.H != h {
			return it.Reject(fmt.Errorf("%w: sample %q is %dx%d, %s holds %dx%d (an array holds one size)", data.ErrFormat,
				it.Key, it.Image.W, it.Image.H, filepath.Base(s.path), w, h))
		}
		if it.Channels > 0 && len(it.File) != w*h*it.Channels {
			return it.Reject(fmt.Errorf("%w: sample %q has %d bytes of %dx%d pixels of %d channels", data.ErrFormat, it.Key, len(it.File), w, h, it.Channels))
		}
	}
	labels, columns := s.st.Labels, s.st.Columns
	if err := labels.Check(views[0].Key, views[0].Label, len(s.classes)); err != nil {
		return views[0].Reject(err)
	}
	if s.format == NameMedMNIST {
		if s.st.Count == 0 {
			columns = len(views[0].Multi)
		}
		if len(views[0].Multi) != columns || columns == 0 && (views[0].Label < 0 || views[0].Label > math.MaxUint8) {
			return views[0].Reject(fmt.Errorf("%w: sample %q has label %d and %d others (allowed in MedMNIST's layout: one of 0 to 255, or %d)",
				data.ErrLabel, views[0].Key, views[0].Label, len(views[0].Multi), columns))
		}
	}
	s.st.Labels, s.st.Columns = labels, columns
	if s.st.Count == 0 {
		s.st.Gray, s.st.Channels = views[0].Image.Gray, views[0].Channels
		if err := s.begin(w, h); err != nil {
			return err
		}
	}
	for i := range views {
		pixels := views[i].File
		if views[i].Channels == 0 {
			s.buf = views[i].Image.AppendPixels(s.buf[:0])
			pixels = s.buf
		}
		if _, err := s.images.Write(pixels); err != nil {
			return err
		}
		if i == 0 || s.o.Views == 0 {
			if err := s.putLabel(&views[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

// putLabel adds the label of a row.
func (s *Sink) putLabel(it *data.Item) error {
	if s.st.Columns > 0 {
		s.tail = append(s.tail, it.Multi...)
	} else {
		s.tail = binary.LittleEndian.AppendUint64(s.tail, uint64(int64(it.Label)))
	}
	s.st.Count++
	if len(s.tail) >= 1<<16 {
		return s.flushLabels()
	}
	return nil
}

// begin leaves room for the header, whose size the count does not change.
func (s *Sink) begin(w, h int) (err error) {
	s.st.W, s.st.H = w, h
	if s.header, err = npy.HeaderSize(s.shape()); err != nil {
		return fmt.Errorf("cannot write to %s: %w", s.path, wrap(err))
	}
	_, err = s.images.Write(make([]byte, s.header))
	return err
}

func (s *Sink) flushLabels() error {
	_, err := s.labels.Write(s.tail)
	s.tail = s.tail[:0]
	return err
}

// Checkpoint makes the images and labels put so far durable.
func (s *Sink) Checkpoint() ([]byte, error) {
	if s.done {
		return nil, fmt.Errorf("cannot make a checkpoint of %s: %w", s.path, fs.ErrClosed)
	}
	if err := s.flushLabels(); err != nil {
		return nil, err
	}
	if err := s.images.Sync(); err != nil {
		return nil, err
	}
	if err := s.labels.Sync(); err != nil {
		return nil, err
	}
	s.kept = true
	s.st.ImagesCRC, s.st.LabelsCRC = s.images.CRC(), s.labels.CRC()
	return data.EncodeState(s.format, s.st)
}

// Close writes labels and class names, then gives the images their final name: where that name is, all is there.
// After an error the files of a checkpoint are kept.
func (s *Sink) Close() error {
	if s.done {
		return nil
	}
	if err := s.finish(); err != nil {
		return errors.Join(err, s.Abort())
	}
	s.done = true
	return nil
}

func (s *Sink) finish() error {
	if err := s.flushLabels(); err != nil {
		return err
	}
	var header bytes.Buffer
	if _, err := npy.WriteHeader(&header, s.shape()); err != nil {
		return fmt.Errorf("cannot write to %s: %w", s.path, wrap(err))
	}
	if _, err := s.images.WriteAt(header.Bytes(), 0); err != nil {
		return err
	}
	s.header = header.Len()
	if err := s.writeClasses(); err != nil {
		return err
	}
	labels, err := s.labelArray()
	if err != nil {
		return err
	}
	if s.format != NameNPY {
		return s.finishNPZ(labels)
	}
	if err := s.writeLabels(labels); err != nil {
		return err
	}
	if err := s.images.Commit(); err != nil {
		return err
	}
	return s.labels.Remove()
}

// writeClasses writes the names of the classes beside the images.
func (s *Sink) writeClasses() error {
	if s.classes == nil {
		if s.format == NameMedMNIST && medClasses(s.path) != nil {
			return nil // the file's name says them
		}
		return writeNone(s.path, classesFile, func() ([]byte, error) { return nil, nil })
	}
	text, err := data.EncodeLines(s.classes)
	if err != nil {
		return err
	}
	return writeBeside(s.path, classesFile, text)
}

// writeLabels writes the labels beside the images; nil labels are none.
func (s *Sink) writeLabels(labels *npy.Array) error {
	encode := func(labels *npy.Array) ([]byte, error) {
		var file bytes.Buffer
		if err := npy.Write(&file, labels); err != nil {
			return nil, fmt.Errorf("cannot write the labels of %s: %w", s.path, wrap(err))
		}
		return file.Bytes(), nil
	}
	if labels == nil {
		return writeNone(s.path, labelsFile, func() ([]byte, error) { return encode(s.noLabels()) })
	}
	text, err := encode(labels)
	if err != nil {
		return err
	}
	return writeBeside(s.path, labelsFile, text)
}

// noLabels are the labels of samples that have none.
func (s *Sink) noLabels() *npy.Array {
	none := make([]int64, s.st.Count)
	for i := range none {
		none[i] = data.NoLabel
	}
	return &npy.Array{Shape: []int{len(none)}, Data: none}
}

// labelArray reads the labels back, nil if the samples have none.
func (s *Sink) labelArray() (*npy.Array, error) {
	if s.st.Labels.Seen && !s.st.Labels.Labeled && s.st.Columns == 0 {
		return nil, nil
	}
	raw := make([]byte, int(s.labelBytes())*s.st.Count)
	if _, err := s.labels.ReadAt(raw, 0); err != nil && len(raw) > 0 {
		return nil, fmt.Errorf("cannot read back %s: %w", s.labels.TempName(), err)
	}
	if s.st.Columns > 0 {
		return &npy.Array{Shape: []int{s.st.Count, s.st.Columns}, Data: raw}, nil
	}
	if s.format == NameMedMNIST {
		for i := range s.st.Count {
			raw[i] = raw[8*i] // they are bytes
		}
		return &npy.Array{Shape: []int{s.st.Count, 1}, Data: raw[:s.st.Count]}, nil
	}
	labels := make([]int64, s.st.Count)
	for i := range labels {
		labels[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return &npy.Array{Shape: []int{len(labels)}, Data: labels}, nil
}

// finishNPZ makes the zip file and drops the file that images waited in.
func (s *Sink) finishNPZ(labels *npy.Array) error {
	if labels == nil && hasBeside(s.path, labelsFile) {
		labels = s.noLabels()
	}
	z, err := npy.CreateZip(s.path, s.o.Deflate)
	if err != nil {
		return err
	}
	defer z.Abort()
	if s.format == NameMedMNIST {
		err = s.finishMedMNIST(z, labels)
	} else if err = s.writeImages(z, imageNames[0]); err == nil && labels != nil {
		err = z.Write(labelNames[0], labels)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path, err)
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := storage.SyncDir(filepath.Dir(s.path)); err != nil {
		return err
	}
	return errors.Join(s.images.Remove(), s.labels.Remove())
}

// writeImages writes the images as the array of that name.
func (s *Sink) writeImages(z *npy.ZipWriter, name string) error {
	w, err := z.Create(name, s.shape())
	if err == nil {
		_, err = io.Copy(w, io.NewSectionReader(s.images, int64(s.header), s.images.Size()-int64(s.header)))
	}
	return err
}

// Abort stops. What a checkpoint made durable stays under temporary names; without one nothing stays.
func (s *Sink) Abort() error {
	s.done = true
	if s.kept {
		return s.closeFiles()
	}
	var errs []error
	for _, p := range []*data.PartialFile{s.images, s.labels} {
		if p != nil {
			errs = append(errs, p.Remove())
		}
	}
	return errors.Join(errs...)
}

func (s *Sink) closeFiles() error {
	var errs []error
	for _, p := range []*data.PartialFile{s.images, s.labels} {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(errs...)
}
