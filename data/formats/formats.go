// Package formats opens and creates data sets of every format: [Open] detects the format of what is there, [Create] goes by
// the name of the path, and the options of both can name it. [OpenSplit] takes one part of a data set that has several.
//
// The package holds the one table of formats. Another format is a package below data and a row here.
package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/storage"
	_ "github.com/augmix-go/augmix/data/storage/s3" // names may be those of objects
	"github.com/augmix-go/augmix/internal/scenes"
)

// Standard is the path that stands for standard input or output.
const Standard = "-"

// MedMNIST is the name of the format of MedMNIST's .npz files.
const MedMNIST = npyset.NameMedMNIST

// Options are the choices of Open; the zero value detects the format and takes every default.
type Options struct {
	Format string // name of a row of the table; "" detects it
	// Split is a part of a CIFAR set, "train", "test" or "all", or of a folder whose folders are its parts, "train",
	// "test" (which is val where there is no test) or "val". "" takes the part there is, or is a data.ErrSplit.
	Split  string
	Coarse bool // CIFAR-100: the 20 coarse classes

	// Classes joins or renames classes, after the choice of samples: the name of a built-in map (see [ClassMaps]), or a file of
	// lines FROM TO. Samples of other classes are left out.
	Classes string
	Only    []string // take the samples that are like one of these, see [data.Filter]; none: all
	Without []string // leave out those that are like one of these

	// Labels is the path of the labels: of npy and npz an .npy file, where "" looks beside the images; of a folder of images a
	// text file, see [data.LabelList]. Other formats hold their labels themselves, and it is an error.
	Labels string
	// Unlabeled is for those who want the images alone: of npy and npz it looks for no labels, and of a folder it takes the images that
	// lie beside the class folders as well.
	Unlabeled bool
	Channels  []int // npy, npz, MedMNIST: three channels that are taken, or one, from 1 on; nil: all of 3 or 1
	// EveryChannel makes samples of the form data.Channels of npy and npz of any number of channels; other formats refuse it.
	EveryChannel bool
	Layout       string // npy, npz: "nhwc" or "nchw"; "" goes by the shape
	ImagesName   string // npz: name of the images' array; "" tries the usual ones
	LabelsName   string // npz: name of the labels' array; "" tries the usual ones

	Images []string // annotated: patterns of the paths of the images, of a tree that has no layout that is known

	Reading data.Reading // how samples become images

	ShardKeys bool // wds: the shard's name in front of every key
	Stream    bool // wds: from front to end even where shards could be read at random

	Stdin io.Reader // where "-" leads; nil means os.Stdin
}

// HowRead says in words how samples become images where that is not the default: "gray, window 0:4095, channels 3,2,1".
func (o *Options) HowRead() string {
	how := o.Reading.String()
	if o.EveryChannel {
		how = strings.TrimPrefix(how+", every channel", ", ")
	}
	if len(o.Channels) > 0 {
		channels := "channels " + strings.ReplaceAll(strings.Trim(fmt.Sprint(o.Channels), "[]"), " ", ",")
		how = strings.TrimPrefix(how+", "+channels, ", ")
	}
	return how
}

// SinkOptions are the choices of Create; the zero value goes by the path's name and takes every default.
type SinkOptions struct {
	Format    string        // name of a row of the table; "" goes by the name of the path
	Classes   []string      // class names by label, if known
	Encoding  data.Encoding // folder, file, wds: how images are encoded
	Overwrite bool          // replace what is there
	Split     string        // CIFAR: "train" or "test"; "" is "train". MedMNIST: the part, "train", "val" or "test"; "" is "train"
	Like      string        // MedMNIST: a file in its layout, whose other parts are kept; "": none
	Deflate   bool          // npz: compress
	ViewAxis  int           // npy, npz: views of a sample, which get an axis of their own; 0: they follow each other
	PerShard  int           // wds: samples in a shard; 0 takes the default
	Prefix    string        // wds: beginning of the shards' names; "" takes the default
	Stdout    io.Writer     // where "-" leads; nil means os.Stdout
	Unlabeled bool          // for Layout: no sample has a label
	Soft      bool          // for Layout: samples have soft labels, of Classes
}

// Format is a row of the table.
type Format struct {
	Name  string
	Doc   string // one line: what it is and what is read and written
	Read  bool
	Write bool
	// Detect reports whether something that exists looks like this format. A row is asked before those below it.
	Detect func(p Probe) bool
	// Named reports whether a path that is to be written says this format by its name.
	Named func(path string) bool
	// OneFile says that what is written is a file, with the files of the names Beside in its folder where they have
	// something to say; other formats write a folder.
	OneFile bool
	Beside  []string
	// Ordered says that what is written keeps the order of the samples, as arrays do; a folder is read by name.
	Ordered bool
	// Labeled says that what is written holds the label of every sample.
	Labeled bool

	labels bool // Options.Labels has a meaning
	arrays bool // Options.Channels and Layout have
	open   func(path string, o Options) (data.Source, error)
	create func(path string, o SinkOptions, state []byte) (data.Sink, error)
	stream func(r io.Reader, o Options) (data.Source, error) // from standard input; nil where that cannot be
}

// Probe is what detection sees of a path.
type Probe struct {
	Path string
	Dir  bool
	Head []byte // the first bytes of a file, up to 512

	entries []fs.DirEntry // of a folder in a store
}

// hasFile reports whether a folder holds a regular file of that name.
func (p *Probe) hasFile(name string) bool { return p.has(name, fs.FileMode.IsRegular) }

// hasFolder reports whether a folder holds a folder of that name.
func (p *Probe) hasFolder(name string) bool { return p.has(name, fs.FileMode.IsDir) }

// has looks a name up. In a store it is among those of one list, as to ask for each of the published names, two requests a name, would take
// seconds.
func (p *Probe) has(name string, is func(fs.FileMode) bool) bool {
	if p.entries != nil {
		return slices.ContainsFunc(p.entries, func(e fs.DirEntry) bool { return e.Name() == name && is(e.Type()) })
	}
	st, err := storage.Stat(storage.Join(p.Path, name))
	return err == nil && is(st.Mode())
}

// Table returns the rows, in the order in which formats are tried.
func Table() []Format { return append([]Format(nil), table...) }

// Open opens the data set at path, "-" for standard input. Errors name the path; one about a format that cannot be
// detected lists those there are. A set of several parts of which o chooses none is a [data.ErrSplit]; [OpenSplit] has a
// default. A folder that a run of this module has begun to write and not completed is a [data.ErrUnfinished]. An
// output of this module that holds data sets, of corruptions or of epochs, is an error that names them, unless o is Unlabeled.
func Open(path string, o Options) (data.Source, error) {
	if err := checkSplit(o.Split); err != nil {
		return nil, err
	}
	src, err := openWhole(path, o)
	if err != nil {
		return nil, err
	}
	return choose(src, path, o)
}

// openWhole is Open without a choice of samples.
func openWhole(path string, o Options) (data.Source, error) {
	if path == Standard {
		return openStdin(o)
	}
	if err := checkPath(path); err != nil {
		return nil, err
	}
	var top []fs.DirEntry // of a store
	if storage.Remote(path) {
		var err error
		if top, err = entriesOf(path); err != nil {
			return nil, err
		}
	}
	if err := checkFinished(path, top); err != nil {
		return nil, err
	}
	f, err := find(o.Format)
	if err != nil {
		return nil, err
	}
	if f == nil && (o.Images != nil || annotated.Detect(path) != "") {
		if f, err = find(annotated.Name); err != nil {
			return nil, err
		}
	}
	switch part, err := partOf(path, o.Split, top); {
	case f != nil && f.Name == annotated.Name: // parts of such a set are folders of its tree
		if o.Split != "" {
			return nil, fmt.Errorf("%w: split %q of %s, which is a tree of annotated images (choose by a pattern of keys)",
				data.ErrUnsupported, o.Split, path)
		}
	case err != nil:
		return nil, err
	case part != "":
		path, o.Split, top = part, "", nil
	}
	if f == nil {
		p, err := probe(path, top)
		if err != nil {
			return nil, err
		}
		if f = detect(p); f == nil {
			return nil, undetected(&p, path, func(f *Format) bool { return f.Read })
		}
	}
	if !f.Read {
		return nil, fmt.Errorf("%w: format %s is not read", data.ErrUnsupported, f.Name)
	}
	if err := f.check(&o); err != nil {
		return nil, err
	}
	return f.open(path, o)
}

// compressions are ways to compress that are not read, by the first bytes of such files.
var compressions = map[string]string{"BZh": "bzip2", "\xfd7zXZ": "xz", "\x28\xb5\x2f\xfd": "zstd", "\x04\x22\x4d\x18": "lz4"}

// undetected is the error about a file of a format that is not known. of is whether one can be named there.
func undetected(p *Probe, name string, of func(*Format) bool) error {
	for magic, compression := range compressions {
		if bytes.HasPrefix(p.Head, []byte(magic)) {
			return fmt.Errorf("%w: %s is compressed by %s (allowed: tar files as they are or compressed by gzip)", data.ErrFormat, name, compression)
		}
	}
	return fmt.Errorf("%w: cannot detect the format of %s; name it (allowed: %s)", data.ErrFormat, name, names(of))
}

func openStdin(o Options) (data.Source, error) {
	f, err := find(o.Format)
	if err != nil {
		return nil, err
	}
	in := o.Stdin
	if in == nil {
		in = os.Stdin
	}
	r := bufio.NewReaderSize(in, 1<<16)
	streams := func(f *Format) bool { return f.stream != nil }
	if f == nil {
		head, err := r.Peek(headSize)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("cannot read standard input: %w", err)
		}
		p := Probe{Path: Standard, Head: head}
		if f = detect(p); f == nil {
			return nil, undetected(&p, "standard input", streams)
		}
	}
	if !streams(f) {
		return nil, fmt.Errorf("%w: format %s cannot be read from standard input (allowed: %s)", data.ErrUnsupported,
			f.Name,
			names(streams))
	}
	if err := f.check(&o); err != nil {
		return nil, err
	}
	return f.stream(r, o)
}

// Create begins a data set at path, "-" for standard output, or resumes one if state is not nil. The format goes
// by the name of the path unless o names it: .npy, .npz, .png, .jpg or .jpeg, and a folder of image files for a name
// without an extension. Classes of a CIFAR data set may be left out. A path in a store is a storage.ErrLocal: package generate
// makes an output here and publishes it there.
func Create(path string, o SinkOptions, state []byte) (data.Sink, error) {
	if err := storage.CheckLocal(path); err != nil {
		return nil, err
	}
	f, err := find(o.Format)
	if err != nil {
		return nil, err
	}
	if f == nil {
		if f = named(path); f == nil {
			return nil, fmt.Errorf("%w: the name %s says no format to write; name it (allowed: %s)",
				data.ErrUnsupported,
				path, names(func(f *Format) bool { return f.Write }))
		}
	}
	if !f.Write {
		return nil, fmt.Errorf("%w: format %s is not written (allowed: %s)", data.ErrUnsupported, f.Name,
			names(func(f *Format) bool { return f.Write }))
	}
	if path == Standard && f.Name != "file" {
		return nil, fmt.Errorf("%w: format %s cannot go to standard output (allowed: file)", data.ErrUnsupported,
			f.Name)
	}
	return f.create(path, o, state)
}

// find returns the row of that name, nil for "".
func find(name string) (*Format, error) {
	if name == "" {
		return nil, nil
	}
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	return nil, fmt.Errorf("%w: format %q (allowed: %s)", data.ErrUnsupported, name,
		names(func(*Format) bool { return true }))
}

func names(want func(*Format) bool) string {
	var out []string
	for i := range table {
		if want(&table[i]) {
			out = append(out, table[i].Name)
		}
	}
	return strings.Join(out, ", ")
}

// headSize is how much of a file is looked at: a tar file shows its magic at byte 257.
const headSize = 512

// entriesOf lists a folder; of what is none it is empty and not nil. Whoever looks into a folder of a store shares one list, which is a
// request, or more where there are many objects.
func entriesOf(path string) ([]fs.DirEntry, error) {
	entries, err := storage.ReadDir(path)
	if storage.Failed(err) {
		return nil, fmt.Errorf("cannot open the data set: %w", err) // not known: parts would be taken for classes
	}
	return append([]fs.DirEntry{}, entries...), nil
}

// probe reads what detection needs. top is the list of a folder in a store, or nil.
func probe(path string, top []fs.DirEntry) (Probe, error) {
	p := Probe{Path: path, entries: top}
	st, err := storage.Stat(path)
	if (errors.Is(err, os.ErrNotExist) || errors.Is(err, storage.ErrName)) && isPattern(path) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("cannot open the data set: %w", err)
	}
	if p.Dir = st.IsDir(); p.Dir {
		if storage.Remote(path) && top == nil {
			p.entries, err = entriesOf(path)
		}
		return p, err
	}
	f, err := data.OpenFile(path)
	if err != nil {
		return p, fmt.Errorf("cannot open the data set: %w", err)
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return p, fmt.Errorf("cannot read %s: %w", path, err)
	}
	p.Head = head[:n]
	return p, nil
}

// isPattern reports whether a path that does not exist can stand for several files, by the rules of package wds, or for
// images that need no file.
func isPattern(path string) bool {
	return strings.Contains(path, "{") || strings.Contains(path, "::") || strings.HasPrefix(path, scenes.Scheme)
}

func detect(p Probe) *Format {
	for i := range table {
		if f := &table[i]; f.Read && f.Detect != nil && f.Detect(p) {
			return f
		}
	}
	return nil
}

func named(path string) *Format {
	for i := range table {
		if f := &table[i]; f.Write && f.Named != nil && f.Named(path) {
			return f
		}
	}
	return nil
}

// hasExt returns a test for the extension of a path, in any case.
func hasExt(exts ...string) func(string) bool {
	return func(path string) bool {
		for _, e := range exts {
			if strings.EqualFold(filepath.Ext(path), e) {
				return true
			}
		}
		return false
	}
}
