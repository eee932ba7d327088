package nn

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/internal/vec"
)

// Optimizer changes parameters by their gradients.
type Optimizer interface {
	// Step changes Data of all tensors that have a Grad. It must be given the same tensors every time.
	Step(ts []*Tensor, lr float64)
	// State returns what the optimizer remembers between steps, for checkpoints: moments named after their tensors, and
	// counts. Restoring is copying Data into the State of a fresh optimizer that was given the tensors by Prepare.
	State() []*Tensor
	// Prepare makes the State for tensors, at the value it has before the first step. Step does it by itself.
	Prepare(ts []*Tensor)
}

// moment makes a tensor of zeros for the state of t.
func moment(t *Tensor, suffix string) *Tensor {
	s := t.Tensor
	s.Name += suffix
	s.Init = graph.Init{}
	return &Tensor{Tensor: s, Data: make([]float32, len(t.Data))}
}

// counter makes a tensor that counts steps, exactly up to 2^24 in each of its two digits.
func counter() *Tensor {
	return &Tensor{Tensor: graph.Tensor{Name: "steps", Shape: []int{2}}, Data: make([]float32, 2)}
}

const digit = 1 << 24

func count(c *Tensor) int { return int(c.Data[0]) + digit*int(c.Data[1]) }

func increment(c *Tensor) int {
	n := count(c) + 1
	c.Data[0], c.Data[1] = float32(n%digit), float32(n/digit)
	return n
}

// trained returns the tensors an optimizer changes.
func trained(ts []*Tensor) []*Tensor {
	var out []*Tensor
	for _, t := range ts {
		if t.Grad != nil {
			out = append(out, t)
		}
	}
	return out
}

// state holds an optimizer's tensors: a counter, and the same number of moments for every trained tensor.
type state struct {
	steps   *Tensor
	params  []*Tensor
	moments []*Tensor
}

func (s *state) prepare(ts []*Tensor, suffixes ...string) {
	if s.steps == nil {
		s.steps = counter()
		s.params = trained(ts)
		for _, t := range s.params {
			for _, suffix := range suffixes {
				s.moments = append(s.moments, moment(t, suffix))
			}
		}
	}
	k := 0
	for _, t := range ts {
		if t.Grad == nil {
			continue
		}
		if k >= len(s.params) || s.params[k] != t {
			panic(fmt.Sprintf("nn: an optimizer was given %s where it had other tensors before", t.Name))
		}
		k++
	}
	if k != len(s.params) {
		panic(fmt.Sprintf("nn: an optimizer was given %d tensors after %d", k, len(s.params)))
	}
}

func (s *state) all() []*Tensor {
	if s.steps == nil {
		return nil
	}
	return append([]*Tensor{s.steps}, s.moments...)
}

// done tells the nets of all tensors.
func (s *state) done() {
	for _, t := range s.params {
		t.changed()
	}
}

// SGD is stochastic gradient descent as PyTorch computes it: the gradient plus WeightDecay times the parameter goes
// into a buffer b = Momentum*b + d, which starts as d; the step is lr*b, or lr*(d + Momentum*b) with Nesterov.
type SGD struct {
	Momentum    float64
	Nesterov    bool
	WeightDecay float64
	state
}

// Prepare implements Optimizer.
func (o *SGD) Prepare(ts []*Tensor) {
	if o.Momentum == 0 {
		o.prepare(ts)
		return
	}
	o.prepare(ts, ".momentum")
}

// State implements Optimizer: "steps", and NAME.momentum for every parameter if there is momentum.
func (o *SGD) State() []*Tensor { return o.all() }

// Step implements Optimizer.
func (o *SGD) Step(ts []*Tensor, lr float64) {
	o.Prepare(ts)
	first := increment(o.steps) == 1
	for k, t := range o.params {
		var m []float32
		if o.Momentum != 0 {
			m = o.moments[k].Data
		}
		vec.SGD(t.Data, t.Grad, m, float32(lr), float32(o.Momentum), float32(o.WeightDecay), o.Nesterov, first)
	}
	o.done()
}

// Adam is that of Kingma and Ba (ICLR 2015) as PyTorch computes it, with WeightDecay added to the gradient. Zero fields
// mean Beta1 0.9, Beta2 0.999, Eps 1e-8.
type Adam struct {
	Beta1, Beta2, Eps float64
	WeightDecay       float64
	state
}

// AdamW is Adam whose weight decay shrinks the parameter by lr*WeightDecay and does not pass through the moments
// (Loshchilov and Hutter, ICLR 2019).
type AdamW struct{ Adam }

// Prepare implements Optimizer.
func (o *Adam) Prepare(ts []*Tensor) { o.prepare(ts, ".exp_avg", ".exp_avg_sq") }

// State implements Optimizer: "steps", and for every parameter NAME.exp_avg and NAME.exp_avg_sq.
func (o *Adam) State() []*Tensor { return o.all() }

// Step implements Optimizer.
func (o *Adam) Step(ts []*Tensor, lr float64) { o.step(ts, lr, o.WeightDecay, 1) }

// Step implements Optimizer.
func (o *AdamW) Step(ts []*Tensor, lr float64) { o.step(ts, lr, 0, 1-float64(lr*o.WeightDecay)) }

func (o *Adam) step(ts []*Tensor, lr, decay, shrink float64) {
	o.Prepare(ts)
	b1, b2, eps := orDefault(o.Beta1, 0.9), orDefault(o.Beta2, 0.999), orDefault(o.Eps, 1e-8)
	n := float64(increment(o.steps))
	rate, root := lr/(1-detmath.Pow(b1, n)), 1/math.Sqrt(1-detmath.Pow(b2, n))
	for k, t := range o.params {
		vec.Adam(t.Data, t.Grad, o.moments[2*k].Data, o.moments[2*k+1].Data,
			float32(b1), float32(b2), float32(rate), float32(root), float32(eps), float32(decay), float32(shrink))
	}
	o.done()
}

func orDefault(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// ClipNorm scales all gradients by the same factor such that their joint Euclidean norm is at most limit, and returns
// the norm before. A norm that is not finite changes nothing. A negative limit panics.
func ClipNorm(ts []*Tensor, limit float64) float64 {
	if !(limit >= 0) {
		panic(fmt.Sprintf("nn: ClipNorm: limit %v (allowed: 0 and up)", limit))
	}
	var sum float64
	for _, t := range ts {
		sum += vec.SumSquares(t.Grad)
	}
	norm := math.Sqrt(sum)
	if norm > limit && !math.IsInf(norm, 0) {
		for _, t := range ts {
			vec.Scale(t.Grad, float32(limit/norm))
		}
	}
	return norm
}

// EMA is the exponential moving average of a network's tensors, buffers included.
type EMA struct {
	// Decay is the weight of the past: average = Decay*average + (1-Decay)*value.
	Decay float64
	ts    []*Tensor
	mean  []*Tensor
}

// NewEMA starts the average at the tensors' present values.
func NewEMA(ts []*Tensor, decay float64) *EMA {
	if !(decay >= 0 && decay <= 1) {
		panic(fmt.Sprintf("nn: an average that keeps %v of the past (allowed: 0 to 1)", decay))
	}
	e := &EMA{Decay: decay, ts: ts}
	for _, t := range ts {
		m := moment(t, "")
		copy(m.Data, t.Data)
		e.mean = append(e.mean, m)
	}
	return e
}

// Update moves the average towards the tensors; call it after each step.
func (e *EMA) Update() {
	for k, t := range e.ts {
		vec.Lerp(e.mean[k].Data, t.Data, float32(1-e.Decay))
	}
}

// State returns the averages, named as the tensors. They are live.
func (e *EMA) State() []*Tensor { return e.mean }

// Swap exchanges the averages and the network's values, to evaluate with them; a second call brings the values back.
func (e *EMA) Swap() {
	for k, t := range e.ts {
		for i, v := range t.Data {
			t.Data[i], e.mean[k].Data[i] = e.mean[k].Data[i], v
		}
		t.changed()
	}
}
