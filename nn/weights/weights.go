// Package weights keeps the tensors of networks on disk. It writes and reads safetensors, the format of the Python
// library of that name, and imports NumPy's npz and the state dicts of torch.save (.pt, .pth). Names, shapes and order of
// values are PyTorch's, so a file moves both ways: torch's load_state_dict takes what [WriteFile] writes.
//
// The safetensors format is eight bytes with the length of a header (little endian), the header (a JSON object of names
// with type, shape and offsets, and of strings under "__metadata__"), and the values one after another, little endian.
package weights

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
)

// Errors of this package.
var (
	// ErrFormat is wrapped by the errors about files that are not what they should be.
	ErrFormat = errors.New("not a file of weights")
	// ErrMismatch is wrapped by the errors about tensors that do not fit a network: missing, too many, of another shape.
	ErrMismatch = errors.New("the tensors are not the network's")
	// ErrTensor is wrapped by the errors about tensors that cannot be written.
	ErrTensor = errors.New("not a tensor")
)

// Tensor is a named array.
type Tensor struct {
	Name  string // "layer1.0.conv1.weight"
	Shape []int  // PyTorch's: [Out, In/Groups, KH, KW], [Out, In], [C]; empty for a single number
	Data  []float32
}

// size returns the product of a shape, -1 if an axis is negative or the product is more than most.
func size(shape []int, most int64) int64 {
	if len(shape) > 0 && slices.Min(shape) <= 0 {
		return max(int64(slices.Min(shape)), -1)
	}
	n := int64(1)
	for _, d := range shape {
		if n > most/int64(d) {
			return -1
		}
		n *= int64(d)
	}
	return n
}

// Prefix is what PyTorch's DataParallel puts before every name. [Fill] takes it away.
const Prefix = "module."

// Ignored reports whether a tensor of a PyTorch state dict is none of a network's here: batch norm's count of steps
// (num_batches_tracked), which only averages without momentum use and which is not even read, or a fixed filter of the antialiased-cnns
// package (filt), which the graph says by its number of taps. [FillGraph] compares the filters with the graph's.
func Ignored(name string) bool { return unread(name) || filtered(name) != "" }

// unread reports whether readers leave a tensor out.
func unread(name string) bool {
	return name[strings.LastIndexByte(name, '.')+1:] == "num_batches_tracked"
}

// formerDenseNet are the names of DenseNet's layers in torchvision's published files, which are older than its modules.
var formerDenseNet = regexp.MustCompile(`(\.denselayer\d+\.(?:norm|conv))\.([12]\.[a-z_]+)$`)

// today returns the name that a tensor of a file has in a network.
func today(name, prefix string) string {
	return formerDenseNet.ReplaceAllString(strings.TrimPrefix(name, prefix), "$1$2")
}

// Fill copies the values of src into the Data of dst, which are a network's, by name. Every tensor of dst must be in
// src with its shape and src must hold nothing else, but for what is [Ignored] and for a [Prefix] before every name. The former names of
// torchvision's DenseNets, "denselayer1.norm.1.weight", are taken for today's, "denselayer1.norm1.weight".
// Otherwise the error wraps [ErrMismatch], lists what is missing, what is not the network's and what has another shape,
// and dst is unchanged. A slice of Data in dst that is not as long as the Shape says panics.
func Fill(dst, src []Tensor) error {
	have, err := match(dst, src)
	if err != nil {
		return err
	}
	for i := range dst {
		copy(dst[i].Data, have[dst[i].Name].Data)
	}
	return nil
}

// FillGraph is [Fill] for tensors of g: dst are those of g, or some of them. It also compares the fixed filters of src, as the
// antialiased-cnns package has them, with those of g: networks with filters of other sizes have tensors of the same names and shapes.
// A filter that g has not, of another shape or with values that differ by more than 1e-6 is an error that wraps [ErrMismatch], and dst is
// unchanged. Files without filters are taken for what g is.
func FillGraph(g *graph.Graph, dst, src []Tensor) error {
	if err := checkFilters(g, src); err != nil {
		return err
	}
	return Fill(dst, src)
}

// Fits reports whether src has the tensors of g, by name and shape, and no others: whether [FillGraph] would take them.
func Fits(g *graph.Graph, src []Tensor) bool {
	shapes := map[string][]int{}
	strip := prefixed(src)
	for _, t := range src {
		if name := today(t.Name, strip); !Ignored(name) {
			shapes[name] = t.Shape
		}
	}
	all := g.Tensors()
	for _, t := range all {
		if !slices.Equal(shapes[t.Name], t.Shape) {
			return false
		}
	}
	return len(all) == len(shapes) && checkFilters(g, src) == nil
}

// Match returns the error that [Fill] would return, and copies nothing.
func Match(dst, src []Tensor) error {
	_, err := match(dst, src)
	return err
}

// match returns the tensors of src by the names that they have in dst.
func match(dst, src []Tensor) (map[string]*Tensor, error) {
	have, known := map[string]*Tensor{}, map[string]bool{}
	strip := prefixed(src)
	for i := range src {
		name := today(src[i].Name, strip)
		if have[name] != nil {
			return nil, fmt.Errorf("%w: two are called %q", ErrMismatch, name)
		}
		have[name] = &src[i]
	}
	var missing, extra, shapes []string
	for i := range dst {
		d := &dst[i]
		if size(d.Shape, int64(len(d.Data))) != int64(len(d.Data)) {
			panic(fmt.Sprintf("weights: %s has %d values and the shape %v", d.Name, len(d.Data), d.Shape))
		}
		known[d.Name] = true
		s := have[d.Name]
		switch {
		case s == nil:
			missing = append(missing, d.Name)
		case !slices.Equal(s.Shape, d.Shape) || len(s.Data) != len(d.Data):
			shapes = append(shapes, fmt.Sprintf("%s %v, not %v", d.Name, s.Shape, d.Shape))
		}
	}
	for i := range src {
		if name := today(src[i].Name, strip); !known[name] && !Ignored(name) {
			extra = append(extra, name)
		}
	}
	return have, mismatch(len(dst), missing, extra, shapes)
}

// mismatch makes the error, nil if there is nothing to say.
func mismatch(n int, missing, extra, shapes []string) error {
	var says []string
	for _, l := range []struct {
		what  string
		names []string
	}{{"missing", missing}, {"unknown", extra}, {"of another shape", shapes}} {
		if l.names != nil {
			says = append(says, fmt.Sprintf("%d %s (%s)", len(l.names), l.what, few(l.names)))
		}
	}
	if says == nil {
		return nil
	}
	return fmt.Errorf("%w: of %d tensors %s", ErrMismatch, n, strings.Join(says, ", "))
}

// prefixed returns Prefix if every name starts with it.
func prefixed(ts []Tensor) string {
	for _, t := range ts {
		if !strings.HasPrefix(t.Name, Prefix) {
			return ""
		}
	}
	return Prefix
}

// few joins the first names.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
