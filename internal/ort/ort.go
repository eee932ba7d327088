// Package ort runs ONNX files through ONNX Runtime, so that networks of other programs can be evaluated, and our
// exports checked. The runtime is a C library that is loaded when the first file is opened; a build without cgo or
// without the tag onnxruntime has this package's interface and no runtime:
//
//	CGO_ENABLED=1 go build -tags onnxruntime ./cmd/augmix
//
// The library is libonnxruntime of version 1.24 or later, from the project's releases, from the npm package
// onnxruntime-node (bin/napi-v6/linux/x64/libonnxruntime.so.1) or from the Python package onnxruntime. Its path is
// given to [Open] or by the environment variable [EnvLibrary].
package ort

import (
	"errors"
	"fmt"
	"os"

	"github.com/augmix-go/augmix/nn/graph"
)

// EnvLibrary is the environment variable that names the library where no flag does.
const EnvLibrary = "ONNXRUNTIME_LIB"

// Errors of this package.
var (
	// ErrNotBuilt is returned by a build without ONNX Runtime.
	ErrNotBuilt = errors.New("this build has no ONNX Runtime; build with " +
		"CGO_ENABLED=1 go build -tags onnxruntime ./cmd/augmix")
	// ErrNoLibrary is wrapped where the library is not named, not there or cannot be loaded.
	ErrNoLibrary = errors.New("no ONNX Runtime library")
	// ErrModel is wrapped by the errors about ONNX files that are damaged or are no classifiers.
	ErrModel = errors.New("not a classifier in ONNX")
)

// Info says what a classifier takes and gives.
type Info struct {
	Input   graph.Shape // of one image; it is fed as planes: [batch][channels][height][width]
	Classes int
	Batch   int // the only batch size that the file allows, 0 for any; Run fills up and cuts as needed
}

// Library returns the path of the library: path if it is not empty, else the value of [EnvLibrary]. The error wraps
// [ErrNoLibrary] and says how to name one.
func Library(path string) (string, error) {
	source := "the flag"
	if path == "" {
		path, source = os.Getenv(EnvLibrary), EnvLibrary
	}
	if path == "" {
		return "", fmt.Errorf("%w is named: give the path of libonnxruntime by flag or in %s", ErrNoLibrary, EnvLibrary)
	}
	if st, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w at the path of %s: %w", ErrNoLibrary, source, err)
	} else if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%w at the path of %s: %s is not a file", ErrNoLibrary, source, path)
	}
	return path, nil
}
