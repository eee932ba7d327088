package train

import (
	"fmt"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/rng"
)

// adversarial is the working memory of adversarial training.
type adversarial struct {
	scratch attack.Scratch
	pixels  []float32 // of the batch, in [0, 1]
	found   []float32 // its adversarial examples
	keys    []rng.Key
}

// attack replaces the batch's images by adversarial examples of them. The network that is trained gives the gradient in
// evaluation mode (running statistics, no dropout), so that the attack moves no statistics and an example does not
// depend on the rest of its batch; with early exits it is that of the last exit's loss. The start of each is drawn from the stream of its seed, epoch and sample.
func (r *runner) attack(b *batch) error {
	a, norm, area := &r.adv, r.config.norm(), r.w*r.h
	a.pixels, a.found, a.keys = buffer.Resize(a.pixels, len(b.planes)), buffer.Resize(a.found, len(b.planes)), buffer.Resize(a.keys, b.n)
	for i, v := range b.planes {
		c := i / area % 3
		a.pixels[i] = float32(v*norm.Std[c]) + norm.Mean[c]
	}
	for i, key := range b.keys {
		a.keys[i] = key.Str("adversary")
	}
	gradient := func(dst, x []float32, _ []int) error {
		for i, v := range x {
			c := i / area % 3
			b.planes[i] = (v - norm.Mean[c]) / norm.Std[c]
		}
		logits := r.net.Forward(b.planes, b.n, nn.Mode{})
		d := r.dlogits[:b.n*r.classes]
		r.crossEntropy(d, logits, b)
		for i := range d {
			d[i] *= float32(b.n) // the sum, where the loss is the mean
		}
		r.net.Backward(d)
		for i, v := range r.net.InputGrad() {
			dst[i] = v / norm.Std[i/area%3]
		}
		return nil
	}
	a.scratch.Workers = r.workers
	if err := r.config.pgd().Attack(a.found, a.pixels, b.labels, a.keys, gradient, &a.scratch); err != nil {
		return r.diverged(fmt.Sprintf("no adversarial examples in epoch %d, step %d: %v", r.state.Epoch+1, r.state.InEpoch+1, err))
	}
	for i, v := range a.found {
		c := i / area % 3
		b.planes[i] = (v - norm.Mean[c]) / norm.Std[c]
	}
	return nil
}
