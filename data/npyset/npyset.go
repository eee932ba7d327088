// Package npyset reads and writes data sets that are NumPy arrays: X.npy with its labels in an .npy file beside it, and
// .npz files that hold both, as NumPy's save and savez write them.
//
// Images are an array of uint8 in C order, of shape
//
//	[N, H, W, 3]  color, interleaved
//	[N, V, H, W, 3]  color, V views of each sample
//	[N, V, H, W, 1]  gray, V views of each sample
//	[N, H, W]     gray
//	[N, H, W, 1]  gray
//	[N, 3, H, W]  color, in planes
//	[N, 1, H, W]  gray
//
// and of any number of channels where [Options].Channels says which three, or which one, are taken.
//
// The layouts with the channels second are recognized where the last axis cannot be channels (it is neither 1 nor 3);
// otherwise [Options].Layout decides. Arrays of other integers and of floats are read with [Options].Window, and rejected
// without: what a number stands for, 0 to 1 or 0 to 4095, the file does not say.
//
// Views are read as N*V images, those of a sample one after the other, with the sample's label and keys that end in -v0, -v1
// and so on.
//
// Labels are integers of any width, one for each image or sample, -1 for none. They are looked for in STEM_labels.npy, then
// labels.npy, in the folder of STEM.npy, as the published CIFAR-10-C has them, then for NAME_data.npy in NAME_labels.npy, as
// CIFAR-10.1 has them; class names in the same way in
// STEM_classes.txt and classes.txt, one name a line. In an .npz file images are the first array found of images, x,
// data, X, x_train, train_images, arr_0, and labels the first of labels, y, label, Y, y_train, train_labels, targets;
// its class names lie beside it too.
//
// An .npy file, and an .npz file that is stored and not compressed, is read at random with one system call an image
// and without holding it in memory. A compressed .npz, and an .npy on standard input, is read from front to end. The checksum of an .npz
// file's images is compared when all of them were read.
package npyset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
)

// Names of the two formats in the table.
const (
	NameNPY = "npy"
	NameNPZ = "npz"
)

// Layout says where the channels are.
type Layout uint8

// The layouts.
const (
	LayoutAuto Layout = iota // by the shape; channels last where it could be either
	LayoutNHWC
	LayoutNCHW
)

// Options are the choices of Open; the zero value is the default.
type Options struct {
	Layout Layout
	Labels string // path of the labels' .npy file; "" looks beside the images
	// Unlabeled looks for no labels: those of another array may lie beside the images.
	Unlabeled bool
	// ImagesName and LabelsName name the arrays in an .npz file; "" tries the names that the package comment lists.
	ImagesName, LabelsName string
	Window                 *data.Window // makes images of arrays of other types than uint8
	// Channels are those that are taken, from 1 on, three or one, of arrays of any number of channels: [N, H, W, C], or with LayoutNCHW
	// [N, C, H, W]. nil: all of an array of 3 or 1.
	Channels []int
	// EveryChannel makes samples of the form data.Channels, of arrays of any number of channels, in the same layouts and [N, H, W].
	EveryChannel bool

	classes []string // in place of a list beside the file
}

var (
	imageNames = []string{"images", "x", "data", "X", "x_train", "train_images", "arr_0"}
	labelNames = []string{"labels", "y", "label", "Y", "y_train", "train_labels", "targets"}
)

// geometry is the shape of an array of images.
type geometry struct {
	n, w, h int // n counts views one by one
	views   int // of a sample, 0 where the array has no axis of them
	form    data.Form
	size    int    // bytes of an image
	raw     int    // bytes of an image in the file
	levels  levels // makes gray levels of numbers that are none; nil: they are
	stored  int    // channels in the file
	pick    []int  // of which these are taken, from 0 on; nil: all
	planes  bool   // and these are planes
}

// channels reports whether an axis can be that of the channels.
func channels(n int) bool { return n == 1 || n == 3 }

// parseShape reads the header of an array of images.
func parseShape(h npy.Header, o Options) (geometry, error) {
	g, layout := geometry{}, o.Layout
	width, err := g.setType(h.DType, o.Window)
	if err == nil {
		_, err = h.Len() // that its size fits an int
	}
	if err != nil {
		return geometry{}, wrap(err)
	}
	if h.Fortran {
		return geometry{}, fmt.Errorf("%w: images in Fortran order; save numpy.ascontiguousarray(x)",
			data.ErrUnsupported)
	}
	s := h.Shape
	if len(s) == 3 && layout != LayoutNCHW {
		s = append(slices.Clone(s), 1)
	}
	if len(s) == 5 && (channels(s[4]) || o.EveryChannel) && s[1] > 0 && s[0] <= math.MaxInt/s[1] && layout != LayoutNCHW {
		g.views = s[1]
		s = slices.Delete(slices.Clone(s), 1, 2)
		s[0] *= g.views
	}
	if len(s) != 4 {
		return geometry{}, badShape(data.ErrFormat, h)
	}
	g.n = s[0]
	switch {
	case o.EveryChannel:
		g.h, g.w, g.size, g.form = s[1], s[2], s[3], data.Channels
		if layout == LayoutNCHW {
			g.size, g.h, g.w, g.planes = s[1], s[2], s[3], true
		}
		if g.size < 1 || g.n > 0 && g.size > math.MaxInt/8/max(g.w, 1)/max(g.h, 1) {
			return geometry{}, badShape(data.ErrFormat, h)
		}
	case o.Channels != nil:
		if err := g.choose(s, o); err != nil {
			return geometry{}, err
		}
	case layout != LayoutNCHW && channels(s[3]):
		g.h, g.w, g.size, g.form = s[1], s[2], s[3], data.RGB
	case layout != LayoutNHWC && channels(s[1]):
		g.h, g.w, g.size, g.form = s[2], s[3], s[1], data.Planar
	default:
		return geometry{}, badShape(data.ErrChannels, h)
	}
	if g.size == 1 && !o.EveryChannel {
		g.form = data.GrayForm
	}
	if g.stored == 0 {
		g.stored = g.size
	}
	if g.n == 0 {
		return g, nil
	}
	if err := data.CheckSize(g.w, g.h); err != nil {
		return geometry{}, fmt.Errorf("%w: images of shape %v: %w", data.ErrFormat, h.Shape, err)
	}
	g.size *= g.w * g.h
	g.raw = width * g.stored * g.w * g.h // as the header has it, whose size fits
	return g, nil
}

// choose takes the channels that the options say of an array of shape s.
func (g *geometry) choose(s []int, o Options) error {
	g.h, g.w, g.stored, g.form = s[1], s[2], s[3], data.RGB
	if o.Layout == LayoutNCHW {
		g.stored, g.h, g.w, g.form, g.planes = s[1], s[2], s[3], data.Planar, true
	}
	g.pick, g.size = nil, len(o.Channels)
	if !channels(g.size) || g.stored < g.size {
		return fmt.Errorf("%w: %d channels of %d (allowed: one, or three of at least as many)", data.ErrUnsupported, g.size, g.stored)
	}
	for _, c := range o.Channels {
		if c < 1 || c > g.stored {
			return fmt.Errorf("%w: channel %d (allowed: 1 to %d)", data.ErrUnsupported, c, g.stored)
		}
		g.pick = append(g.pick, c-1)
	}
	return nil
}

// badShape wraps a sentinel.
func badShape(sentinel error, h npy.Header) error {
	return fmt.Errorf("%w: an array of shape %v (allowed: [N,H,W,3], [N,V,H,W,3], [N,H,W], [N,H,W,1], [N,V,H,W,1], [N,3,H,W], [N,1,H,W]; of other numbers of channels a choice of three or one)",
		sentinel, h.Shape)
}

// wrap gives an error of package npy the sentinel of package data.
func wrap(err error) error {
	switch {
	case errors.Is(err, npy.ErrUnsupported):
		return fmt.Errorf("%w: %w", data.ErrUnsupported, err)
	case errors.Is(err, npy.ErrFormat):
		return fmt.Errorf("%w: %w", data.ErrFormat, err)
	}
	return err
}

// wrapZip is wrap for an .npz file: whatever the operating system did not say, such as that an offset in the zip
// directory is negative, is the fault of the file.
func wrapZip(err error) error {
	err = wrap(err)
	var errno syscall.Errno
	if errors.Is(err, data.ErrFormat) || errors.Is(err, data.ErrUnsupported) || errors.As(err, &errno) ||
		storage.Failed(err) {
		return err
	}
	return fmt.Errorf("%w: %w", data.ErrFormat, err)
}

// Open opens an .npy or .npz file, detected by their first bytes. The source is a [data.Indexed] except for a
// compressed .npz.
func Open(path string, o Options) (data.Source, error) {
	f, err := data.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the images: %w", err)
	}
	var magic [4]byte
	_, err = f.ReadAt(magic[:], 0)
	if err != nil && err != io.EOF {
		f.Close()
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	if string(magic[:2]) == "PK" {
		return openNPZ(f, path, o)
	}
	src, err := openNPY(f, path, o)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return src, nil
}

func openNPY(f storage.File, path string, o Options) (*Source, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	h, off, err := npy.ReadHeader(f)
	if err != nil {
		return nil, wrap(err)
	}
	g, err := parseShape(h, o)
	if err != nil {
		return nil, err
	}
	if want := int64(off) + int64(g.n)*int64(g.raw); st.Size() < want {
		return nil, fmt.Errorf("%w: truncated: %d bytes, want %d for shape %v", data.ErrFormat, st.Size(), want,
			h.Shape)
	}
	s := &Source{set: set{file: path, geometry: g}, at: f, off: int64(off), close: f.Close}
	if o.Unlabeled {
		s.files = files(path, "")
		return s, s.annotate(NameNPY, path, nil, "", o.classes)
	}
	labels, from, err := labelsBeside(path, o.Labels)
	if err != nil {
		return nil, err
	}
	s.files = files(path, from)
	return s, s.annotate(NameNPY, path, labels, from, o.classes)
}

func openNPZ(f storage.File, path string, o Options) (src data.Source, err error) {
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := npy.NewZip(f, st.Size())
	if err != nil {
		return nil, wrapZip(err)
	}
	images, err := pickName(z, o.ImagesName, imageNames)
	if err != nil {
		return nil, err
	}
	if len(z.Names()) == 0 {
		return nil, fmt.Errorf("%w: a zip file without NumPy arrays (image files are read from a folder or a tar file)", data.ErrFormat)
	}
	if images == "" {
		return nil, fmt.Errorf("%w: no array of images among %s (looked for: %s)", data.ErrFormat, npy.ListNames(z.Names()),
			strings.Join(imageNames, ", "))
	}
	labels, from, err := labelsInside(z, images, o)
	outside := ""
	if err == nil && labels == nil && !o.Unlabeled {
		labels, from, err = labelsBeside(path, o.Labels)
		outside = from
	}
	if err != nil {
		return nil, err
	}
	h, section, err := z.Section(images)
	if errors.Is(err, npy.ErrUnsupported) { // compressed
		src, err := openCompressed(f, z, path, images, labels, from, o)
		if err != nil {
			return nil, err
		}
		src.files, src.info.Note = files(path, outside), unread(z, images, labels, o)
		return src, nil
	}
	if err != nil {
		return nil, wrapZip(err)
	}
	g, err := parseShape(h, o)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", images, err)
	}
	sum, err := z.Pieces(images, g.raw, g.n)
	if err != nil {
		return nil, wrapZip(err)
	}
	s := &Source{set: set{file: path, files: files(path, outside), geometry: g}, at: section, sum: sum, close: f.Close}
	err = s.annotate(NameNPZ, path, labels, from, o.classes)
	s.info.Note = unread(z, images, labels, o)
	return s, err
}

// unread is a note of the arrays that are not read, where one of them may be the labels that are missing.
func unread(z *npy.Zip, images string, labels []int, o Options) string {
	others := slices.DeleteFunc(slices.Clone(z.Names()), func(name string) bool { return name == images })
	if labels != nil || o.Unlabeled || len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("arrays not read: %s; the images have no labels (looked for: %s)", npy.ListNames(others), strings.Join(labelNames, ", "))
}

func openCompressed(f storage.File, z *npy.Zip, path, images string, labels []int, from string, o Options) (*Stream, error) {
	h, r, err := z.Open(images)
	if err != nil {
		return nil, wrapZip(err)
	}
	g, err := parseShape(h, o)
	if err != nil {
		return nil, fmt.Errorf("array %q: %w", images, err)
	}
	s := &Stream{
		set: set{file: path, geometry: g}, r: r, sealed: true,
		close: func() error { return errors.Join(r.Close(), z.Close()) },
	}
	err = s.annotate(NameNPZ, path, labels, from, o.classes)
	s.info.Packed = true
	return s, err
}

// pickName returns the wanted name, which must exist, or else the first of the usual ones that does, or "".
func pickName(z *npy.Zip, want string, usual []string) (string, error) {
	have := z.Names()
	if want != "" {
		if !slices.Contains(have, want) {
			return "", fmt.Errorf("%w: no array %q (it holds: %s)", data.ErrFormat, want, npy.ListNames(have))
		}
		return want, nil
	}
	for _, name := range usual {
		if slices.Contains(have, name) {
			return name, nil
		}
	}
	return "", nil
}

// set is what random access and streaming have in common.
type set struct {
	geometry
	file   string // for messages
	files  []string
	info   data.Info
	labels []int // nil for none
	// Labels of samples that have several, columns of them in a row; no columns: they have one or none.
	multi   []uint8
	columns int
}

// annotate adds labels and classes, where they are nil those of a list beside the file, and checks them against the images.
func (s *set) annotate(format, path string, labels []int, from string, classes []string) error {
	s.info = data.Info{Format: format, Len: s.n, Classes: classes}
	list := "" // what else has to fit the labels
	if classes == nil {
		names, file, err := classesBeside(path)
		if err != nil {
			return err
		}
		s.info.Classes = names
		list = ", the classes of " + file
	}
	if labels == nil {
		return nil
	}
	if n := s.n / max(s.views, 1); len(labels) != n {
		return fmt.Errorf("%w: %d labels in %s for %d samples", data.ErrFormat, len(labels), from, n)
	}
	for i, l := range labels {
		if l < data.NoLabel {
			return fmt.Errorf("%w: %s row %d is %d (allowed: 0 and up, -1 for none)", data.ErrLabel, from, i, l)
		}
		if n := len(s.info.Classes); n > 0 && l >= n {
			return fmt.Errorf("%w: %s row %d is %d (allowed: 0 to %d%s)", data.ErrLabel, from, i, l, n-1, list)
		}
	}
	s.labels = labels
	return nil
}

// Files returns the path of the images and, where labels lie in a file of their own, of that.
func (s *set) Files() []string { return slices.Clone(s.files) }

// files returns paths without the empty ones.
func files(paths ...string) []string {
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// Info describes the data set.
func (s *set) Info() data.Info {
	info := s.info
	info.Classes = slices.Clone(info.Classes)
	return info
}

// describe fills in everything about sample i but its bytes.
func (s *set) describe(i int, sample *data.Sample) {
	// One string holds both: "FILE row 000042".
	var digits [20]byte
	name := s.file + " row " + string(pad6(digits[:0], i))
	sample.Name, sample.Key = name, name[len(s.file)+len(" row "):]
	sample.Index, sample.Label = i, data.NoLabel
	if s.views > 0 {
		row, view := i/s.views, i%s.views
		sample.Key = string(pad6(digits[:0], row)) + "-v" + strconv.Itoa(view)
		sample.Name = s.file + " row " + sample.Key
		i = row
	}
	if s.labels != nil {
		sample.Label = s.labels[i]
	}
	if sample.Multi = nil; s.columns > 0 {
		sample.Multi = s.multi[i*s.columns:][:s.columns:s.columns]
	}
	sample.Ext, sample.Form, sample.W, sample.H = "", s.form, s.w, s.h
	if sample.C = 0; s.form == data.Channels {
		sample.C = s.stored
	}
}

// pad6 appends i in decimal, at least six digits, so that keys sort as rows do.
func pad6(dst []byte, i int) []byte {
	for limit := 100000; limit > 1 && i < limit; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(i), 10)
}
