package eval

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/weights"
)

// Among returns p as a classifier of some of its classes: class i of the result is the class classes[i] of p and has the
// name names[i]; names may be nil. The logits of the other classes are left out, so that they take no part in predictions,
// probabilities, calibration, OOD scores and adversarial examples, as if the network had been without them: what is
// usual where a test set has only some of the classes, such as ImageNet-R and ImageNet-A. The result is Differentiable
// where p is a [Network], and a [Remote] where p is one. The error wraps [ErrOption].
func Among(p Predictor, classes []int, names []string) (Predictor, error) {
	if len(classes) < 2 || names != nil && len(names) != len(classes) {
		return nil, fmt.Errorf("%w: %d classes to choose among, with %d names (allowed: 2 or more, a name each or none)", ErrOption,
			len(classes), len(names))
	}
	taken := make([]bool, p.Classes())
	for _, c := range classes {
		if c < 0 || c >= len(taken) || taken[c] {
			return nil, fmt.Errorf("%w: class %d to choose among (allowed: 0 to %d, each once)", ErrOption, c, len(taken)-1)
		}
		taken[c] = true
	}
	a := &among{Predictor: p, classes: classes, names: names}
	switch p := p.(type) {
	case *Network:
		return &amongNetwork{a, p}, nil
	case Remote:
		return &amongRemote{a, p}, nil
	}
	return a, nil
}

// among is a Predictor of some of another's classes.
type among struct {
	Predictor
	classes []int
	names   []string
	all     []float32 // logits of all classes
}

// Classes implements [Predictor].
func (a *among) Classes() int { return len(a.classes) }

// Predict implements [Predictor].
func (a *among) Predict(dst, x []float32, n int) error {
	size := n * a.Predictor.Classes()
	if len(a.all) < size {
		a.all = make([]float32, size)
	}
	if err := a.Predictor.Predict(a.all[:size], x, n); err != nil {
		return err
	}
	gather(dst, a.all[:size], a.classes, n)
	return nil
}

// gather writes the columns classes of logits, which has n rows, to dst.
func gather(dst, logits []float32, classes []int, n int) {
	width := len(logits) / n
	for i := range n {
		row := logits[i*width:][:width]
		for k, c := range classes {
			dst[i*len(classes)+k] = row[c]
		}
	}
}

// ClassNames implements [Named].
func (a *among) ClassNames() []string { return a.names }

// Preparation implements [Prepared].
func (a *among) Preparation() *weights.Preparation {
	if p, ok := a.Predictor.(Prepared); ok {
		return p.Preparation()
	}
	return nil
}

// amongNetwork is an among of a Network.
type amongNetwork struct {
	*among
	network *Network
}

// Gradient implements [Differentiable]: the cross-entropy is that of the classes that were chosen.
func (a *amongNetwork) Gradient(dst, x []float32, labels []int) error {
	return a.network.gradientAmong(dst, x, labels, a.classes)
}

// amongRemote is an among of a Remote.
type amongRemote struct {
	*among
	remote Remote
}

// Ahead implements [Remote].
func (a *amongRemote) Ahead() int { return a.remote.Ahead() }

// Give implements [Remote].
func (a *amongRemote) Give(b *Shown) error { return a.remote.Give(b) }

// Logits implements [Remote].
func (a *amongRemote) Logits(dst []float32) error {
	n := len(dst) / len(a.classes)
	size := n * a.Predictor.Classes()
	if len(a.all) < size {
		a.all = make([]float32, size)
	}
	if err := a.remote.Logits(a.all[:size]); err != nil {
		return err
	}
	gather(dst, a.all[:size], a.classes, n)
	return nil
}
