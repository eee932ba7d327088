package predictions

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/pickle"
	"github.com/augmix-go/augmix/internal/torchfile"
	"github.com/augmix-go/augmix/metrics"
)

// arrays is a file of named arrays: an npz file, or a dict that torch.save wrote.
type arrays interface {
	Names() []string
	Open(name string) (npy.Header, io.ReadCloser, error)
	Read(name string) (*npy.Array, error)
	Shape(name string) ([]int, error)
	ReadText(name string) (*npy.Text, error)
	io.Closer
}

// openArchive opens a file of named arrays, nil for a file of another format.
func openArchive(path string) (arrays, error) {
	f, err := formatOf(path)
	switch {
	case err != nil:
		return nil, err
	case f.name == "npz":
		return openZip(path)
	case f.name != torchFormat:
		return nil, nil
	}
	d, err := openDict(path)
	if err != nil {
		return nil, err
	}
	if d.one != nil {
		return nil, d.Close()
	}
	return d, nil
}

func openZip(path string) (arrays, error) {
	z, err := npy.OpenZip(path)
	if err != nil {
		return nil, formatError(err)
	}
	return z, nil
}

// torchFormat is the row of formats that torch.save writes.
const torchFormat = "pt"

// dict is a file of torch.save: a dict of tensors, or one tensor.
type dict struct {
	*torchfile.File
	names   []string
	tensors map[string]*torchfile.Tensor
	lists   map[string][]any  // called as ids are, and no tensors
	one     *torchfile.Tensor // nil in a dict
}

func openDict(path string) (*dict, error) {
	f, err := torchfile.Open(path)
	if err != nil {
		return nil, formatError(err)
	}
	d := &dict{File: f, tensors: map[string]*torchfile.Tensor{}, one: torchfile.AsTensor(f.Value)}
	values, isDict := f.Value.(*pickle.Dict)
	if !isDict && d.one == nil {
		return nil, errors.Join(fmt.Errorf("%w: it holds neither a tensor nor a dict of tensors", ErrContent), f.Close())
	}
	if isDict {
		for _, n := range torchfile.Tensors(values) {
			d.names = append(d.names, n.Name)
			d.tensors[n.Name] = n.Tensor
		}
		d.addLists(values)
	}
	return d, nil
}

// addLists finds the lists and tuples that are called as ids are: of text, or of something that cannot be read, which is to be said.
func (d *dict) addLists(values *pickle.Dict) {
	d.lists = map[string][]any{}
	for i := 0; i+1 < len(values.Pairs); i += 2 {
		name, ok := pickle.String(values.Pairs[i])
		items, isList := pickle.Sequence(values.Pairs[i+1])
		if !ok || !isList || d.tensors[name] != nil || meaningOf(name).role != ids {
			continue
		}
		if d.lists[name] == nil {
			d.names = append(d.names, name)
		}
		d.lists[name] = items
	}
}

// Names implements arrays.
func (d *dict) Names() []string { return d.names }

// Open implements arrays.
func (d *dict) Open(name string) (npy.Header, io.ReadCloser, error) {
	t := d.tensors[name]
	if t == nil {
		return npy.Header{}, nil, fmt.Errorf("%w: %q is a list, and not one of integers", torchfile.ErrUnsupported, name)
	}
	return openTensor(t)
}

// Read implements arrays.
func (d *dict) Read(name string) (*npy.Array, error) {
	h, r, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	return readTensor(h, r)
}

// Shape implements arrays.
func (d *dict) Shape(name string) ([]int, error) {
	if t := d.tensors[name]; t != nil {
		return t.Shape, nil
	}
	return []int{len(d.lists[name])}, nil
}

// ReadText implements arrays.
func (d *dict) ReadText(name string) (*npy.Text, error) {
	if d.tensors[name] != nil {
		return nil, fmt.Errorf("%w: %q is a tensor, and not text", torchfile.ErrUnsupported, name)
	}
	text, err := d.Texts(d.lists[name])
	return &npy.Text{Shape: []int{len(text)}, Data: text}, err
}

// openTensor gives a tensor the form of an array's file.
func openTensor(t *torchfile.Tensor) (npy.Header, io.ReadCloser, error) {
	h, err := t.Header()
	if err != nil {
		return h, nil, formatError(err)
	}
	return h, &lazy{tensor: t}, nil
}

// lazy reads a tensor's values when they are asked for: a header is often all that is wanted.
type lazy struct {
	tensor *torchfile.Tensor
	r      *bytes.Reader
}

func (l *lazy) Read(p []byte) (int, error) {
	if l.r == nil {
		b, err := l.tensor.Values()
		if err != nil {
			return 0, formatError(err)
		}
		l.r = bytes.NewReader(b)
	}
	return l.r.Read(p)
}

func (*lazy) Close() error { return nil }

// readTensor reads the values of a tensor's header as an array.
func readTensor(h npy.Header, r io.Reader) (*npy.Array, error) {
	var head bytes.Buffer
	if _, err := npy.WriteHeader(&head, h); err != nil {
		return nil, formatError(err)
	}
	a, err := npy.Read(io.MultiReader(&head, r))
	if err != nil {
		return nil, formatError(err)
	}
	return a, nil
}

func openTorch(path string, opt Options) (source, info, error) {
	d, err := openDict(path)
	if err != nil {
		return nil, info{}, err
	}
	var s *arraySource
	var i info
	if d.one == nil {
		s, i, err = archiveSource(d, opt)
	} else if h, r, e := openTensor(d.one); e != nil {
		err = e
	} else if s, i, err = newArraySource(h, r); err == nil {
		s.close = d.Close
	}
	if err != nil {
		return nil, i, errors.Join(err, d.Close())
	}
	return s, i, nil
}

func labelsTorch(path string) (*Labels, error) {
	d, err := openDict(path)
	if err != nil {
		return nil, err
	}
	defer d.Close() // only read
	if d.one == nil {
		return archiveLabels(d)
	}
	h, r, err := openTensor(d.one)
	if err != nil {
		return nil, err
	}
	a, err := readTensor(h, r)
	if err != nil {
		return nil, err
	}
	v, err := labelArray(a)
	return &Labels{Values: v}, err
}

// tables returns the arrays of an archive that can be predictions and have no name that says what they are, and whether
// the first is one of sequences, and of integers. Scores of a known name are a single file, and so is one array alone that is not named
// after a published corruption or perturbation: then there are none.
func tables(a arrays, alone bool) (names []string, sequences, integers bool) {
	all := namesOf(a)
	if _, err := columnsOf(all, &Options{}, true); !errors.Is(err, errNoScores) {
		return nil, false, false // what it is, a single file says
	}
	for _, name := range all {
		if meaningOf(name).role != other {
			continue
		}
		h, r, err := a.Open(name)
		if err != nil {
			continue // of a type that is no prediction
		}
		_ = r.Close() // nothing was read
		axes := len(h.Shape)
		isInt := strings.ContainsRune("iu", rune(h.DType[1]))
		if isInt {
			axes++ // class numbers lack the axis of classes
		} else if h.DType[1] != 'f' {
			continue
		}
		if axes == 2 || axes == 3 {
			if len(names) == 0 {
				sequences, integers = axes == 3, isInt
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) == 1 && !alone && !published(names[0], sequences) {
		return nil, false, false
	}
	return names, sequences, integers
}

// published reports whether a published benchmark has a corruption, or of sequences a perturbation, of the name.
func published(name string, sequences bool) bool {
	kind := metrics.CorruptionKind
	if sequences {
		kind = metrics.PerturbationKind
	}
	return slices.ContainsFunc(metrics.Profiles(), func(p *metrics.Profile) bool {
		return p.Kind == kind && slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return c.Name == name })
	})
}

// listArchive finds the parts of a benchmark in one file of arrays that are named after corruptions. It finds none in a
// file of another kind; force says that there must be some.
func (s *Set) listArchive(path string, force bool) error {
	if st, err := storage.Stat(path); err != nil || !st.Mode().IsRegular() {
		return err
	}
	a, err := openArchive(path)
	if a == nil || err != nil {
		if force && err == nil {
			err = fmt.Errorf("%w: %s is a file of one array; layout %s is a folder, or an .npz or .pt file with an array for each "+
				"corruption", ErrLayout, path, s.Layout)
		}
		return err
	}
	defer a.Close() // only read
	auto := s.Layout == Auto
	names, sequences, integers := tables(a, force)
	if len(names) == 0 {
		if force {
			err = fmt.Errorf("%w: %s has no arrays named after corruptions or perturbations; it holds %s", ErrLayout, path,
				npy.ListNames(a.Names()))
		}
		return err
	}
	if auto {
		if s.Layout = CIFARC; sequences {
			s.Layout = P
		}
	}
	if c, err := columnsOf(namesOf(a), &Options{}, false); err != nil {
		return err
	} else if c.label >= 0 {
		s.Labels = path
	} else {
		s.Labels = besides(path, nil)
	}
	if auto && s.Layout == P && integers {
		if err := s.notLabeled(&Part{Path: path, Array: names[0]}); err != nil {
			return err
		}
	}
	for _, name := range names {
		p := Part{Path: path, Name: name, Array: name}
		if i := strings.LastIndexAny(name, "_/"); i > 0 {
			if n, err := strconv.Atoi(name[i+1:]); err == nil && len(name)-i == 2 {
				p.Name, p.Severity = name[:i], n
			}
		}
		if p.Name == cleanName {
			p.Name = ""
		}
		if p.Severity > 0 && s.Layout == CIFARC {
			s.Layout = ImageNetC
		}
		s.Parts = append(s.Parts, p)
	}
	s.sort()
	return nil
}
