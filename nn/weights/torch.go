package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/pickle"
	"github.com/augmix-go/augmix/internal/torchfile"
)

// checkpointKeys are where training programs keep the state dict in a checkpoint, in the order in which they are looked for.
var checkpointKeys = []string{"state_dict", "model_state_dict", "model", "net", "network"}

// maxNesting is how deep a state dict may lie: {"model": {"state_dict": {...}}} is 3.
const maxNesting = 3

// prefixes are what PyTorch's wrappers put before every name: torch.compile and DataParallel.
var prefixes = []string{"_orig_mod.", Prefix}

// ReadTorch reads the tensors of a file of torch.save of size bytes: a state dict, or a checkpoint that holds one under
// state_dict, model_state_dict, model, net or network, whatever lies beside it. Nothing in the file is executed, and what
// names classes other than those of tensors is an error: of a whole model save the state_dict(). Float16, float64 and
// bfloat16 values are converted, and indices of channels (".index"), which are whole; single integers, which count steps,
// are left out, as are batch norms' counts; a prefix of DataParallel or torch.compile before every name is taken away. Errors about the content wrap [ErrFormat].
func ReadTorch(r io.ReaderAt, size int64) ([]Tensor, error) {
	f, err := torchfile.New(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	named, err := stateDict(f.Value, maxNesting)
	if err != nil {
		return nil, err
	}
	var ts []Tensor
	for _, n := range named {
		if unread(n.Name) || len(n.Shape) == 0 && n.Integers() {
			continue
		}
		h, err := n.Header()
		if index := strings.HasSuffix(n.Name, ".index") && h.DType == "<i8"; err == nil && n.Integers() && !index {
			err = fmt.Errorf("a tensor of type %s (allowed: float16, bfloat16, float32, float64)", h.DType[1:])
		}
		t := Tensor{Name: n.Name, Shape: h.Shape}
		if err == nil {
			t.Data, err = torchValues(n.Tensor, h)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %.60q: %w", ErrFormat, n.Name, err)
		}
		ts = append(ts, t)
	}
	for _, p := range prefixes {
		strip(ts, p)
	}
	return ts, nil
}

// stateDict finds the state dict in what a file holds.
func stateDict(v any, depth int) ([]torchfile.Named, error) {
	d, ok := v.(*pickle.Dict)
	if !ok {
		return nil, fmt.Errorf("%w: the PyTorch file holds no dict (allowed: a state_dict, or a checkpoint with one)", ErrFormat)
	}
	for _, key := range checkpointKeys {
		if inner, ok := d.Get(key); ok && depth > 1 {
			if _, isDict := inner.(*pickle.Dict); isDict {
				return stateDict(inner, depth-1)
			}
		}
	}
	named := torchfile.Tensors(d)
	if len(named) == 0 {
		return nil, fmt.Errorf("%w: the PyTorch file holds no state dict (looked for tensors, and for dicts called %s); it holds %s",
			ErrFormat, strings.Join(checkpointKeys, ", "), keysOf(d))
	}
	return named, nil
}

// keysOf lists the keys of a dict.
func keysOf(d *pickle.Dict) string {
	var names []string
	for i := 0; i < len(d.Pairs); i += 2 {
		if name, ok := pickle.String(d.Pairs[i]); ok {
			names = append(names, name)
		}
	}
	if names == nil {
		return "nothing with a name"
	}
	return npy.ListNames(names)
}

// torchValues returns the values of a tensor of floats, or of 64-bit integers.
func torchValues(t *torchfile.Tensor, h npy.Header) ([]float32, error) {
	b, err := t.Values()
	if err != nil {
		return nil, err
	}
	width := h.ItemSize()
	dtype := map[int]string{2: "F16", 4: "F32", 8: "F64"}[width]
	data := make([]float32, len(b)/width)
	for i := range data {
		if t.Integers() {
			data[i] = float32(int64(binary.LittleEndian.Uint64(b[i*width:])))
		} else {
			data[i] = value(dtype, b[i*width:])
		}
	}
	return data, nil
}

// strip takes a prefix away if all names have it.
func strip(ts []Tensor, prefix string) {
	for _, t := range ts {
		if !strings.HasPrefix(t.Name, prefix) {
			return
		}
	}
	for i := range ts {
		ts[i].Name = ts[i].Name[len(prefix):]
	}
}
