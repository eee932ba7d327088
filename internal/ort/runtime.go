//go:build onnxruntime && cgo

package ort

import (
	"errors"
	"fmt"
	"os"
	"sync"

	onnxruntime "github.com/yalue/onnxruntime_go"

	"github.com/augmix-go/augmix/nn/graph"
)

// Built says whether this build has ONNX Runtime.
const Built = true

// Session is an opened ONNX file. One goroutine at a time may use it.
type Session struct {
	Info
	s       *onnxruntime.DynamicAdvancedSession
	batch   int // size of the tensors
	in, out *onnxruntime.Tensor[float32]
}

// loaded is the library of the process: it can be loaded once.
var loaded struct {
	sync.Mutex
	path string
}

// load makes the library ready.
func load(path string) error {
	path, err := Library(path)
	if err != nil {
		return err
	}
	loaded.Lock()
	defer loaded.Unlock()
	switch loaded.path {
	case path:
		return nil
	case "":
	default:
		return fmt.Errorf("%w: %s is asked for, and %s is loaded already", ErrNoLibrary, path, loaded.path)
	}
	onnxruntime.SetSharedLibraryPath(path)
	if err := onnxruntime.InitializeEnvironment(onnxruntime.WithLogLevelError()); err != nil {
		return fmt.Errorf("%w: %s cannot be loaded (allowed: version 1.24 or later): %w", ErrNoLibrary, path, err)
	}
	loaded.path = path
	return nil
}

// Open loads the library, if it is not loaded yet, and opens the ONNX file at path: a network with one input of
// float32, [batch, channels, height, width], whose first output is [batch, classes]. With threads 0 the runtime takes
// all cores.
func Open(path, library string, threads int) (*Session, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a file", ErrModel, path)
	}
	if err := load(library); err != nil {
		return nil, err
	}
	s := &Session{}
	ins, outs, err := onnxruntime.GetInputOutputInfo(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrModel, path, err)
	}
	if err := s.describe(ins, outs); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrModel, path, err)
	}
	o, err := options(threads)
	if err != nil {
		return nil, fmt.Errorf("ort: %w", err)
	}
	defer o.Destroy()
	s.s, err = onnxruntime.NewDynamicAdvancedSession(path, []string{ins[0].Name}, []string{outs[0].Name}, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrModel, path, err)
	}
	return s, nil
}

func options(threads int) (*onnxruntime.SessionOptions, error) {
	o, err := onnxruntime.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	if err := o.SetIntraOpNumThreads(max(0, threads)); err != nil {
		return nil, errors.Join(err, o.Destroy())
	}
	return o, nil
}

// describe fills the Info from what the runtime says about the file.
func (s *Session) describe(ins, outs []onnxruntime.InputOutputInfo) error {
	if len(ins) != 1 || len(outs) < 1 {
		return fmt.Errorf("it has %d inputs and %d outputs, not 1 and 1 or more", len(ins), len(outs))
	}
	in, out := ins[0], outs[0]
	const float = onnxruntime.TensorElementDataTypeFloat
	if in.DataType != float || out.DataType != float {
		return fmt.Errorf("input %q and output %q are %v and %v, not float32", in.Name, out.Name, in.DataType, out.DataType)
	}
	d := in.Dimensions
	if len(d) != 4 || d[1] < 1 || d[2] < 1 || d[3] < 1 {
		return fmt.Errorf("input %q is %v, not [batch, channels, height, width] with all but the batch given", in.Name, d)
	}
	if o := out.Dimensions; len(o) != 2 || o[1] < 1 {
		return fmt.Errorf("output %q is %v, not [batch, classes] with the classes given", out.Name, o)
	}
	s.Input = graph.Shape{H: int(d[2]), W: int(d[3]), C: int(d[1])}
	s.Classes = int(out.Dimensions[1])
	s.Batch = int(max(0, d[0]))
	return nil
}

// Run computes the logits, dst [batch][classes], of normalized images, x [batch][channels][height][width]. It panics
// if the slices are shorter than that. The working memory is that of the batch size, and new only when the size
// changes.
func (s *Session) Run(dst, x []float32, batch int) error {
	n := s.Input.Len()
	if batch < 0 || len(x) < batch*n || len(dst) < batch*s.Classes {
		panic(fmt.Sprintf("ort: %d images of %v in %d values, %d logits", batch, s.Input, len(x), len(dst)))
	}
	if s.s == nil {
		return fmt.Errorf("ort: running: %w", os.ErrClosed)
	}
	size := batch
	if s.Batch > 0 {
		size = s.Batch
	}
	for done := 0; done < batch; done += size {
		if err := s.resize(size); err != nil {
			return fmt.Errorf("ort: %w", err)
		}
		k := min(size, batch-done)
		clear(s.in.GetData()[copy(s.in.GetData(), x[done*n:(done+k)*n]):])
		if err := s.s.Run([]onnxruntime.Value{s.in}, []onnxruntime.Value{s.out}); err != nil {
			return fmt.Errorf("ort: running %d images: %w", k, err)
		}
		copy(dst[done*s.Classes:(done+k)*s.Classes], s.out.GetData())
	}
	return nil
}

// resize makes the tensors for a batch.
func (s *Session) resize(batch int) error {
	if s.batch == batch {
		return nil
	}
	if err := s.free(); err != nil {
		return err
	}
	in, err := onnxruntime.NewEmptyTensor[float32](
		onnxruntime.NewShape(int64(batch), int64(s.Input.C), int64(s.Input.H), int64(s.Input.W)))
	if err != nil {
		return err
	}
	out, err := onnxruntime.NewEmptyTensor[float32](onnxruntime.NewShape(int64(batch), int64(s.Classes)))
	if err != nil {
		return errors.Join(err, in.Destroy())
	}
	s.in, s.out, s.batch = in, out, batch
	return nil
}

func (s *Session) free() error {
	if s.batch == 0 {
		return nil
	}
	err := errors.Join(s.in.Destroy(), s.out.Destroy())
	s.in, s.out, s.batch = nil, nil, 0
	return err
}

// Close frees the session. The library stays loaded.
func (s *Session) Close() error {
	if s.s == nil {
		return nil
	}
	err := errors.Join(s.free(), s.s.Destroy())
	s.s = nil
	return err
}
