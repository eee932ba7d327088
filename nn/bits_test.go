package nn

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// wide are networks beside those of net_test.go whose channels fill vectors of every width and leave some over.
var wide = []struct {
	name  string
	input graph.Shape
	build func(b *graph.Builder) int
}{
	{"widths", graph.Shape{H: 8, W: 8, C: 3}, func(b *graph.Builder) int {
		conv := func(name string, out, k, stride, pad, groups, x int) int {
			c := tconv(out, k, stride, pad, groups, stride == 2)
			c.Init.Scale = 0.1
			return b.Add("", graph.ReLU{}, b.Add(name+".bn", bn, b.Add(name, c, x)))
		}
		x := conv("stem", 16, 7, 1, 3, 1, 0)
		x = conv("winograd", 48, 3, 1, 1, 1, x)
		x = conv("groups of 3", 48, 3, 1, 1, 16, x)
		x = conv("groups of 24", 48, 3, 2, 1, 2, x)
		x = conv("odd", 29, 1, 1, 0, 1, x)
		return conv("depthwise", 29, 3, 1, 1, 29, x)
	}},
	{"large kernels", graph.Shape{H: 4, W: 5, C: 16}, func(b *graph.Builder) int {
		conv := func(name string, out, k, x int) int {
			c := tconv(out, k, 1, k/2, 1, true)
			c.Init.Scale = 0.05
			return b.Add(name, c, x)
		}
		x := b.Add("", graph.ReLU{}, b.Add("bn", bn, conv("c0", 160, 1, 0)))
		x = b.Add("", graph.Add{}, conv("c1", 112, 1, x), conv("c2", 112, 3, x))
		return conv("c3", 160, 3, x)
	}},
	{"long sums", graph.Shape{H: 4, W: 4, C: 40}, func(b *graph.Builder) int {
		l := head
		l.Out, l.Init.Scale = 70, 0.05
		x := b.Add("", graph.ReLU{}, b.Add("fc0", l, b.Add("", graph.Flatten{}, 0)))
		c := tconv(20, 1, 1, 0, 1, false)
		return b.Add("c", c, x)
	}},
}

// bits trains a network for three steps of SGD and two of Adam, evaluates it, and returns the SHA-256 of every loss, logit,
// gradient and value on the way.
func bits(t *testing.T, g *graph.Graph, workers int) string {
	t.Helper()
	const batch = 11
	sum := sha256.New()
	n := mustNet(t, g, Options{Workers: workers, Batch: batch, Train: true, InputGrad: true})
	labels := []int{0, 1, 2, 0, 1, 2, 0, 2, 1, 1, 0}
	sgd := &SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 5e-4}
	adam := &AdamW{Adam{WeightDecay: 0.01}}
	average := NewEMA(n.Tensors(), 0.9)
	d := make([]float32, batch*g.Classes)
	rate := Warmup{2, Cosine{Max: 0.05, Min: 1e-4, Steps: 5}}
	for step := range 5 {
		key := rng.NewKey(uint64(step))
		size := batch - 2*(step%2)
		x, d := noise(uint64(step), size*g.Input().Len()), d[:size*g.Classes]
		logits := n.Forward(x, size, Mode{Train: true, Key: key})
		add(sum, logits)
		var loss float64
		if step == 2 { // three views of three images
			loss, _, _ = JSD(d[:9*g.Classes], logits[:9*g.Classes], labels[:3], g.Classes, 3, 12)
		} else {
			loss = CrossEntropy(d, logits, labels[:size], g.Classes, 0.1)
		}
		add(sum, []float32{float32(loss)})
		n.Backward(d)
		add(sum, n.InputGrad())
		ClipNorm(n.Tensors(), 3)
		var opt Optimizer = sgd
		if step >= 3 {
			opt = adam
		}
		opt.Step(n.Tensors(), rate.At(step))
		average.Update()
	}
	average.Swap()
	x := noise(9, batch*g.Input().Len())
	add(sum, n.Forward(x, batch, Mode{}))
	n.Backward(d)
	add(sum, n.InputGrad())
	for _, v := range n.Tensors() {
		add(sum, v.Data)
	}
	// A net for evaluation alone folds batch norms into convolutions.
	e := mustNet(t, g, Options{Workers: workers, Batch: batch})
	for i, v := range n.Tensors() {
		copy(e.Tensors()[i].Data, v.Data)
	}
	e.Changed()
	all := slices.Clone(e.Forward(x, batch, Mode{}))
	add(sum, all)
	if one := e.Forward(x[:g.Input().Len()], 1, Mode{}); !slices.Equal(one, all[:g.Classes]) {
		t.Errorf("%s: %d workers: an image alone has other logits", g.Name, workers)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// add adds the bits of values to a sum.
func add(sum hash.Hash, values []float32) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	sum.Write(b)
}

// pinned returns the hashes of docs/reproducibility.md.
func pinned(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../docs/reproducibility.md")
	if err != nil {
		t.Fatal(err)
	}
	pins := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(.+?)` \\| .+ \\| `(.+?)` \\|$").FindAllSubmatch(text, -1) {
		pins[string(m[1])] = string(m[2])
	}
	return pins
}

// TestPinnedBits trains networks of all kinds of layers, with different numbers of workers: one of them in short mode.
func TestPinnedBits(t *testing.T) {
	pins := pinned(t)
	counts := []int{3, 1, 2, 7}
	if testing.Short() {
		counts = counts[:1]
	}
	for _, net := range append(slices.Clone(networks), wide...) {
		b := graph.NewBuilder(net.name, net.input, 3)
		g := finish(t, b, net.build(b))
		for _, workers := range counts {
			if got, want := bits(t, g, workers), pins[net.name]; got != want {
				t.Errorf("%q: %q, want %q, with %d workers", net.name, got, want, workers)
			}
		}
	}
}

// TestPinnedBitsElsewhere is TestPinnedBits with less of the processor than it has. How images are shared among workers has
// nothing to do with the level, so one number of them is enough for each.
func TestPinnedBitsElsewhere(t *testing.T) {
	for _, l := range cpu.Levels()[:len(cpu.Levels())-1] {
		cmd := exec.Command(os.Args[0], "-test.short", "-test.run", "^TestPinnedBits$")
		cmd.Env = append(os.Environ(), cpu.Variable+"="+l.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s=%v: %v\n%s", cpu.Variable, l, err, out)
		}
	}
}
