//go:build !onnxruntime || !cgo

package ort_test

import (
	"errors"
	"testing"

	"github.com/augmix-go/augmix/internal/ort"
)

func TestNotBuilt(t *testing.T) {
	if ort.Built {
		t.Error("Built is true")
	}
	if s, err := ort.Open("x.onnx", "", 1); s != nil || !errors.Is(err, ort.ErrNotBuilt) {
		t.Errorf("%v %v", s, err)
	}
	var s ort.Session
	if err := s.Run(nil, nil, 0); !errors.Is(err, ort.ErrNotBuilt) {
		t.Errorf("%v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
