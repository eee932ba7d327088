package ort_test

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/internal/ort"
)

func ExampleOpen() {
	s, err := ort.Open("resnet50.onnx", "/usr/lib/libonnxruntime.so.1", 0)
	if errors.Is(err, ort.ErrNotBuilt) {
		fmt.Println("use our own engine")
		return
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	x := make([]float32, 8*s.Input.Len()) // eight images, planes, normalized
	logits := make([]float32, 8*s.Classes)
	if err := s.Run(logits, x, 8); err != nil {
		fmt.Println(err)
	}
}
