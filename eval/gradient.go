package eval

import (
	"github.com/augmix-go/augmix/nn"
)

// gradient is what a Network needs to compute gradients by its images.
type gradient struct {
	net *nn.Net
	x   []float32 // normalized images
	dz  []float32
	// Of some of the classes.
	logits, dlogits []float32
}

// Gradient implements [Differentiable].
func (n *Network) Gradient(dst, x []float32, labels []int) error {
	return n.gradientAmong(dst, x, labels, nil)
}

// gradientAmong is Gradient with the softmax over the given classes, whose places in the list the labels are; nil: over all.
func (n *Network) gradientAmong(dst, x []float32, labels, classes []int) error {
	count := len(labels)
	if count > batchLimit {
		return errBatch(count)
	}
	g := &n.slope
	if g.net == nil {
		net, err := n.Net(nn.Options{Workers: n.Workers, Batch: batchLimit, InputGrad: true})
		if err != nil {
			return err
		}
		g.net, g.x, g.dz = net, make([]float32, batchLimit*n.Graph.Input().Len()), make([]float32, batchLimit*n.Classes())
	}
	s := n.Graph.Input()
	normalize(g.x[:len(x)], x, s.H*s.W, &n.norm)
	logits := g.net.Forward(g.x[:len(x)], count, nn.Mode{})
	dz := g.dz[:len(logits)]
	if classes == nil {
		nn.CrossEntropy(dz, logits, labels, n.Classes(), 0)
	} else {
		g.crossEntropyAmong(dz, logits, labels, classes)
	}
	for i := range dz {
		dz[i] *= float32(count) // the sum, where the loss is the mean
	}
	g.net.Backward(dz)
	for i, v := range g.net.InputGrad() {
		dst[i] = v / n.norm.Std[i/(s.H*s.W)%3]
	}
	return nil
}

// crossEntropyAmong writes the gradient of the cross-entropy of some of the classes to dz, which is 0 for the others.
func (g *gradient) crossEntropyAmong(dz, logits []float32, labels, classes []int) {
	count, k := len(labels), len(classes)
	if len(g.logits) < count*k {
		g.logits, g.dlogits = make([]float32, batchLimit*k), make([]float32, batchLimit*k)
	}
	gather(g.logits, logits, classes, count)
	nn.CrossEntropy(g.dlogits[:count*k], g.logits[:count*k], labels, k, 0)
	clear(dz)
	width := len(dz) / count
	for i := range count {
		for j, c := range classes {
			dz[i*width+c] = g.dlogits[i*k+j]
		}
	}
}
