package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
)

// enlarger writes a network of super-resolution as ONNX, and reports whether MODEL is one.
func (c *exportCmd) enlarger(a *app) (done bool, err error) {
	if strings.ToLower(filepath.Ext(c.Out)) != ".onnx" || strings.ToLower(filepath.Ext(c.File)) == ".onnx" || c.Model != "" {
		return false, nil
	}
	ts, _, err := weights.ReadFile(c.File)
	if err != nil {
		return false, nil // told where it is taken for a classifier
	}
	net := weights.Network(ts)
	list := make([]image2image.Tensor, len(net))
	for i, t := range net {
		list[i] = image2image.Tensor(t)
	}
	e, white, ok := image2image.EDSROf(list)
	if !ok {
		return false, nil
	}
	if err := weights.CheckFinished(c.File, ts); err != nil {
		return true, err
	}
	if err := c.checkONNX(); err != nil {
		return true, err
	}
	g, err := e.Graph(48, 48)
	if err != nil {
		return true, err
	}
	var b bytes.Buffer
	err = onnx.Export(&b, g, ts, onnx.Options{
		Batch: c.Batch, Opset: c.Opset, Version: build().Version, Image: true, Metadata: map[string]string{"augmix.white": fmt.Sprint(white)},
	})
	if err != nil {
		return true, err
	}
	return true, c.write(a, g, b.Bytes())
}
