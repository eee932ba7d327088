//go:build !onnxruntime || !cgo

package ort

// Built says whether this build has ONNX Runtime.
const Built = false

// Session is an opened ONNX file. There is none in this build.
type Session struct{ Info }

// Open returns [ErrNotBuilt].
func Open(path, library string, threads int) (*Session, error) { return nil, ErrNotBuilt }

// Run returns [ErrNotBuilt].
func (*Session) Run(dst, x []float32, batch int) error { return ErrNotBuilt }

// Close returns nil.
func (*Session) Close() error { return nil }
