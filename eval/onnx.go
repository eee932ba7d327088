package eval

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/internal/ort"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
)

// ONNX is a Predictor that ONNX Runtime runs, in builds that have it. Files that this program exported need no such build:
// [LoadNetwork] reads them.
type ONNX struct {
	session *ort.Session
	norm    mix.Normalization
	names   []string // of classes; nil: not known
	prepare *weights.Preparation
	told    told
}

// OpenONNX opens an ONNX file with the library at the given path ("": that of the environment, see package ort). Files
// that this program wrote say how images are normalized; for others norm must be given. Another than the
// file says is refused, see [LoadOptions].
func OpenONNX(path, library string, norm *mix.Normalization, workers int) (*ONNX, error) {
	info, err := exportedInfo(path)
	if err != nil && norm == nil {
		return nil, err
	}
	own, err := normOf(info, norm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s, err := ort.Open(path, library, workers)
	if err != nil {
		if _, why := LoadNetwork(path, LoadOptions{Norm: norm}); errors.As(why, new(graphError)) { // which needs no library to be known
			return nil, fmt.Errorf("%w; to run the graph as it is: %w", why, err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &ONNX{
		session: s, norm: own, names: info.Names, prepare: info.Preparation, told: toldOf(info, own),
	}, nil
}

// Close gives the model back.
func (o *ONNX) Close() error { return o.session.Close() }

// Classes implements [Predictor].
func (o *ONNX) Classes() int { return o.session.Classes }

// ClassNames implements [Named].
func (o *ONNX) ClassNames() []string { return o.names }

// Preparation implements [Prepared].
func (o *ONNX) Preparation() *weights.Preparation { return o.prepare }

// Told implements [Told].
func (o *ONNX) Told() (text string, described bool) { return o.told.text, o.told.described }

// Input implements [Predictor].
func (o *ONNX) Input() (h, w int, norm mix.Normalization) {
	return o.session.Input.H, o.session.Input.W, o.norm
}

// MaxBatch implements [Predictor].
func (o *ONNX) MaxBatch() int { return batchLimit }

// Predict implements [Predictor].
func (o *ONNX) Predict(dst, x []float32, n int) error { return o.session.Run(dst, x, n) }

// exportedInfo reads what an ONNX file's metadata says; of a file of another program, and with an error, that is nothing.
func exportedInfo(path string) (*weights.Info, error) {
	m, err := onnx.ReadFile(path)
	if err != nil {
		return &weights.Info{}, err
	}
	info, err := weights.ParseInfo(m.Metadata)
	if err != nil {
		return &weights.Info{}, nil
	}
	return info, nil
}
