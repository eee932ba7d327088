// Package torchfile reads what torch.save writes of tensors, and of lists and dicts of them: the zip format of PyTorch 1.6
// and later and the one before it (.pt, .pth). It executes nothing: package pickle reads the values, and a file may name
// only what rebuilds a tensor. A whole model, which names the classes of a program, is refused; its state_dict is what can
// be read.
//
// A file declares sizes and places in it; all are checked against the bytes that are there. Members of the zip format must
// be stored, as PyTorch stores them, so that none can unpack to more. All storages together are not larger than the file,
// no tensor has more values than its storage, and all tensors together are at most [maxShare] times as large as the file.
// Values are read when they are asked for.
package torchfile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	store "github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/pickle"
)

// Sentinel errors: every error about a file's content wraps one of them.
var (
	// ErrFormat: not a file of PyTorch, or a damaged one.
	ErrFormat = errors.New("bad PyTorch file")
	// ErrUnsupported: a whole file of something that is not read here.
	ErrUnsupported = errors.New("unsupported PyTorch file")
	// ErrUnsafe: a file that names a class or a function that is not allowed.
	ErrUnsafe = errors.New("unsafe PyTorch file")
)

// maxShare is how many times the bytes of the file all tensors together may have, each counted whole: tensors share
// storages where weights are tied, not many times.
const maxShare = 16

// slack is what a file may have beyond maxShare: small files are mostly frame.
const slack = 1 << 20

// File is an open file. It is not safe for concurrent use.
type File struct {
	// Value is what was saved: a *[Tensor], a *pickle.Dict, a list, ... Walk it with a bound: it may hold itself.
	Value any

	size     int64
	stored   int64 // bytes of the storages
	tensors  int64 // bytes of the tensors
	storages map[string]*storage
	locate   func(key string, s *storage) error // nil: storages are found after the values
	close    func() error
}

// Open opens the file at path. The caller closes it. Errors about the content wrap a sentinel; the caller names the file.
func Open(path string) (*File, error) {
	f, err := store.OpenFile(path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%w: it is not a regular file", ErrFormat)
	}
	var t *File
	if err == nil {
		t, err = New(f, st.Size())
	}
	if err != nil {
		f.Close() // only read
		return nil, err
	}
	t.close = f.Close
	return t, nil
}

// New reads a file of size bytes from r, which is used as long as values are read.
func New(r io.ReaderAt, size int64) (*File, error) {
	f := &File{size: size, storages: map[string]*storage{}, close: func() error { return nil }}
	var err error
	if startsWith(r, zipMagic) {
		err = f.readZip(r)
	} else {
		err = f.readLegacy(r)
	}
	return f, err
}

// Close closes the file that [Open] opened.
func (f *File) Close() error { return f.close() }

// zipMagic begins every zip file.
const zipMagic = "PK\x03\x04"

func startsWith(r io.ReaderAt, magic string) bool {
	b := make([]byte, len(magic))
	n, _ := r.ReadAt(b, 0) // a shorter file does not start with it
	return string(b[:n]) == magic
}

// Is reports whether a file looks like one of PyTorch's, by its content.
func Is(r io.ReaderAt, size int64) bool {
	if startsWith(r, zipMagic) {
		z, err := openZip(r, size)
		return err == nil && z.values != nil
	}
	return isLegacy(r)
}

// dialect is what the pickle of a file may name.
func (f *File) dialect() *pickle.Dialect {
	d := &pickle.Dialect{
		Globals: map[string]pickle.Call{
			"collections.OrderedDict":         pickle.NewOrderedDict,
			"torch._utils._rebuild_tensor":    f.rebuildTensor,
			"torch._utils._rebuild_tensor_v2": f.rebuildTensor,
			"torch._utils._rebuild_tensor_v3": f.rebuildTensor,
			"torch._utils._rebuild_parameter": first,
			"torch.Size":                      first,
			"torch.device":                    first,
			"torch.storage.UntypedStorage":    nil,
			"torch.storage._UntypedStorage":   nil,
		},
		Persistent: f.persistent,
		Allowed:    "tensors, dicts and lists of them, numbers and text; of a model save its state_dict()",
	}
	for name := range storageTypes {
		d.Globals["torch."+name] = nil
	}
	for name := range dtypes {
		d.Globals["torch."+name] = nil
	}
	return d
}

// first returns the first argument: a parameter is the tensor, a torch.Size the tuple.
func first(args []any) (any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	return args[0], nil
}

// pickleError gives an error of package pickle the sentinel of this package.
func pickleError(err error) error {
	for is, wrap := range map[error]error{
		pickle.ErrFormat: ErrFormat, pickle.ErrUnsupported: ErrUnsupported, pickle.ErrUnsafe: ErrUnsafe,
	} {
		if errors.Is(err, is) {
			return fmt.Errorf("%w: %s", wrap, strings.Replace(err.Error(), is.Error()+": ", "", 1))
		}
	}
	return err
}

// Named is a tensor of a dict.
type Named struct {
	Name string
	*Tensor
}

// Tensors returns the tensors of a dict with their names, in their order; of two with one name the later. NumPy arrays and
// lists of integers are tensors too; other values are left out.
func Tensors(d *pickle.Dict) []Named {
	var list []Named
	at := map[string]int{}
	made := map[*pickle.List]*Tensor{} // a list that is there many times is copied once
	for i := 0; i+1 < len(d.Pairs); i += 2 {
		name, ok := pickle.String(d.Pairs[i])
		l, isList := d.Pairs[i+1].(*pickle.List)
		t := made[l]
		if t == nil {
			t = AsTensor(d.Pairs[i+1])
		}
		if isList {
			made[l] = t
		}
		if !ok || t == nil {
			continue
		}
		if j, twice := at[name]; twice {
			list[j].Tensor = t
			continue
		}
		at[name] = len(list)
		list = append(list, Named{name, t})
	}
	return list
}

// Texts returns the items of a list or a tuple of text alone. The error wraps [ErrUnsupported] where one is something else.
func (f *File) Texts(items []any) ([]string, error) {
	out := make([]string, len(items))
	left := maxShare*f.size + slack // a text that is there many times is copied as often
	for i, it := range items {
		s, ok := pickle.String(it)
		if !ok {
			return nil, fmt.Errorf("%w: element %d of a list is no text, and not all are integers", ErrUnsupported, i)
		}
		if left -= int64(len(s)); left < 0 {
			return nil, fmt.Errorf("%w: the texts have more than %d times the bytes of the file", ErrFormat, maxShare)
		}
		out[i] = s
	}
	return out, nil
}
