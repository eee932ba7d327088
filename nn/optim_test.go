package nn

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

func param(n int) *Tensor {
	r := rng.New(9)
	t := &Tensor{Tensor: graph.Tensor{Name: "p", Shape: []int{n}}, Data: make([]float32, n), Grad: make([]float32, n)}
	r.FillNormal32(t.Data)
	return t
}

// TestAdam compares with the formulas of the papers in float64, written out.
func TestAdam(t *testing.T) {
	for _, decoupled := range []bool{false, true} {
		const decay, lr = 0.1, 0.01
		p := param(37)
		var opt Optimizer = &Adam{WeightDecay: decay}
		if decoupled {
			opt = &AdamW{Adam{WeightDecay: decay}}
		}
		w := widen(p.Data)
		m, v := make([]float64, len(w)), make([]float64, len(w))
		r := rng.New(4)
		for step := 1; step <= 5; step++ {
			r.FillNormal32(p.Grad)
			opt.Step([]*Tensor{p}, lr)
			for i := range w {
				g := float64(p.Grad[i])
				if decoupled {
					w[i] *= 1 - lr*decay
				} else {
					g += decay * w[i]
				}
				m[i] = 0.9*m[i] + 0.1*g
				v[i] = 0.999*v[i] + 0.001*g*g
				mHat, vHat := m[i]/(1-math.Pow(0.9, float64(step))), v[i]/(1-math.Pow(0.999, float64(step)))
				w[i] -= lr * mHat / (math.Sqrt(vHat) + 1e-8)
			}
			compare(t, "parameter", p.Data, w, 1e-5)
		}
	}
}

// TestStateResumes stops an optimizer, copies its state into a fresh one, and compares bits with an undisturbed run.
func TestStateResumes(t *testing.T) {
	makers := map[string]func() Optimizer{
		"sgd":      func() Optimizer { return &SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 1e-3} },
		"sgd bare": func() Optimizer { return &SGD{WeightDecay: 1e-3} },
		"adam":     func() Optimizer { return &Adam{} },
		"adamw":    func() Optimizer { return &AdamW{Adam{WeightDecay: 0.1}} },
	}
	for name, make := range makers {
		whole, part := param(40), param(40)
		a, b := make(), make()
		r := rng.New(6)
		for step := range 6 {
			r.FillNormal32(whole.Grad)
			copy(part.Grad, whole.Grad)
			a.Step([]*Tensor{whole}, 0.1)
			b.Step([]*Tensor{part}, 0.1)
			if step == 2 {
				fresh := make()
				fresh.Prepare([]*Tensor{part})
				for i, s := range b.State() {
					if s.Name != fresh.State()[i].Name {
						t.Fatalf("%s: state %q became %q", name, s.Name, fresh.State()[i].Name)
					}
					copy(fresh.State()[i].Data, s.Data)
				}
				b = fresh
			}
		}
		for i, v := range whole.Data {
			if v != part.Data[i] {
				t.Fatalf("%s: element %d is %v after resuming, want %v", name, i, part.Data[i], v)
			}
		}
	}
}

func TestCounterIsExactBeyondFloats(t *testing.T) {
	c := counter()
	c.Data[0], c.Data[1] = digit-1, 3
	if n := increment(c); n != 4*digit || count(c) != n || c.Data[0] != 0 {
		t.Errorf("counted to %d, %v", n, c.Data)
	}
}

func TestClipNorm(t *testing.T) {
	p, q := param(3), param(1)
	copy(p.Grad, []float32{1, 2, 4})
	q.Grad[0] = -2
	buffer := &Tensor{Data: []float32{100}}
	ts := []*Tensor{p, buffer, q}
	if norm := ClipNorm(ts, 10); norm != 5 || p.Grad[2] != 4 {
		t.Errorf("norm %v, gradient %v", norm, p.Grad)
	}
	if norm := ClipNorm(ts, 2.5); norm != 5 || p.Grad[2] != 2 || q.Grad[0] != -1 {
		t.Errorf("norm %v, gradients %v %v", norm, p.Grad, q.Grad)
	}
	p.Grad[0] = float32(math.Inf(1))
	if norm := ClipNorm(ts, 1); !math.IsInf(norm, 1) || p.Grad[2] != 2 {
		t.Errorf("norm %v, gradient %v", norm, p.Grad)
	}
}

func TestEMA(t *testing.T) {
	p := param(2)
	copy(p.Data, []float32{1, 10})
	e := NewEMA([]*Tensor{p}, 0.75)
	copy(p.Data, []float32{5, 2})
	e.Update()
	if m := e.State()[0].Data; m[0] != 2 || m[1] != 8 {
		t.Errorf("average %v, want 2 and 8", m)
	}
	e.Swap()
	if p.Data[0] != 2 || e.State()[0].Data[0] != 5 {
		t.Errorf("swapped to %v and %v", p.Data, e.State()[0].Data)
	}
	e.Swap()
	if p.Data[0] != 5 {
		t.Errorf("swapped back to %v", p.Data)
	}
}

func TestSchedules(t *testing.T) {
	cosine := Cosine{Max: 1, Min: 0.5, Steps: 4}
	for _, c := range []struct {
		s    Schedule
		step int
		want float64
	}{
		{Constant(0.3), 7, 0.3},
		{cosine, 0, 1},
		{cosine, 2, 0.75},
		{cosine, 4, 0.5},
		{cosine, 9, 0.5},
		{Steps{Start: 1, Factor: 0.5, Marks: []int{2, 4}}, 1, 1},
		{Steps{Start: 1, Factor: 0.5, Marks: []int{2, 4}}, 2, 0.5},
		{Steps{Start: 1, Factor: 0.5, Marks: []int{2, 4}}, 5, 0.25},
		{Warmup{Steps: 4, Then: Constant(2)}, 0, 0.5},
		{Warmup{Steps: 4, Then: Constant(2)}, 3, 2},
		{Warmup{Steps: 2, Then: cosine}, 2, 0.75},
	} {
		if got := c.s.At(c.step); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%#v at %d is %v, want %v", c.s, c.step, got, c.want)
		}
	}
}

func TestOptimizerPanicsOnOtherTensors(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	opt := &SGD{Momentum: 0.9}
	opt.Step([]*Tensor{param(3)}, 0.1)
	opt.Step([]*Tensor{param(3)}, 0.1)
}
