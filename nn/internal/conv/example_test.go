package conv_test

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/internal/conv"
)

// A 3x3 kernel that sums its neighborhood, over an image of ones: corners have four neighbors, edges six.
func ExampleConv() {
	c := conv.New(conv.Shape{H: 3, W: 4, In: 1, Out: 1, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1})
	ones := []float32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}
	c.Pack(ones[:9])
	scratch := make([]float32, c.Scratch())
	dst := make([]float32, c.OutH()*c.OutW())
	c.Forward(dst, ones, nil, false, 0, c.OutH(), scratch)
	for y := range c.OutH() {
		fmt.Println(dst[4*y:][:4])
	}

	// Every output has the gradient 1: how many outputs does each weight touch?
	dw, grad := make([]float32, c.GradLen()), make([]float32, 9)
	c.WeightGrad(dw, ones, ones, 0, c.OutH(), scratch)
	c.UnpackGrad(grad, dw)
	fmt.Println(grad)
	// Output:
	// [4 6 6 4]
	// [6 9 9 6]
	// [4 6 6 4]
	// [6 8 6 9 12 9 6 8 6]
}

func ExampleGemm() {
	a := []float32{1, 2, 3, 4} // 2 by 2
	b := []float32{1, 0, 1, 0, 1, 1}
	dst := make([]float32, 6)
	conv.Gemm(dst, a, b, 2, 3, 2, false, false, false)
	fmt.Println(dst[:3], dst[3:])
	// Output: [1 2 3] [3 4 7]
}
