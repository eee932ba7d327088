package nn_test

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// tiny builds a convolution, a batch norm and a classifier of two classes over images of 8x8 pixels.
func tiny() *graph.Graph {
	b := graph.NewBuilder("tiny", graph.Shape{H: 8, W: 8, C: 3}, 2)
	x := b.Add("conv", graph.Conv{Out: 8, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1, Init: graph.FanOut(3, 3, 8)}, 0)
	x = b.Add("bn", graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}, x)
	x = b.Add("", graph.ReLU{}, x)
	x = b.Add("", graph.AdaptivePool{H: 1, W: 1}, x)
	b.Add("fc", graph.Linear{Out: 2, Bias: true, Init: graph.Default(8)}, x)
	g, err := b.Done()
	if err != nil {
		panic(err)
	}
	return g
}

// A network learns to tell bright images from dark ones.
func ExampleNet() {
	const batch, classes = 16, 2
	net, err := nn.New(tiny(), nn.Options{Batch: batch, Train: true, Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(rng.NewKey(1))
	x, labels := make([]float32, batch*3*8*8), make([]int, batch)
	opt := &nn.SGD{Momentum: 0.9, Nesterov: true, WeightDecay: 5e-4}
	rate := nn.Cosine{Max: 0.1, Min: 1e-6, Steps: 40}
	dlogits := make([]float32, batch*classes)
	var loss float64
	for step := range 40 {
		key := rng.NewKey(2).Uint(uint64(step))
		r := key.Rand()
		r.FillNormal32(x)
		for i := range labels {
			labels[i] = r.IntN(classes)
			for j := range 3 * 8 * 8 {
				x[i*3*8*8+j] += float32(labels[i]) * 2
			}
		}
		logits := net.Forward(x, batch, nn.Mode{Train: true, Key: key})
		loss = nn.CrossEntropy(dlogits, logits, labels, classes, 0)
		net.Backward(dlogits)
		opt.Step(net.Tensors(), rate.At(step))
	}
	fmt.Println("learned:", loss < 0.1)
	// Output: learned: true
}

// Three views of two images: the clean ones first. Views that agree cost nothing.
func ExampleJSD() {
	view := []float32{2, 0, 0, 1}
	logits := append(append(append([]float32{}, view...), view...), view...)
	dlogits := make([]float32, len(logits))
	loss, ce, js := nn.JSD(dlogits, logits, []int{0, 1}, 2, 3, 12)
	fmt.Printf("%.4f %.4f %.4f\n", loss, ce, math.Abs(js))
	// Output: 0.2201 0.2201 0.0000
}

// Warm-up to the cosine schedule of AugMix.
func ExampleWarmup() {
	s := nn.Warmup{Steps: 2, Then: nn.Cosine{Max: 0.1, Min: 1e-6, Steps: 100}}
	for _, step := range []int{0, 1, 2, 50, 100} {
		fmt.Printf("%.4f\n", s.At(step))
	}
	// Output:
	// 0.0500
	// 0.1000
	// 0.0999
	// 0.0500
	// 0.0000
}

// A CondenseNet loses connections while it is trained, and is converted after.
func ExampleCondenser() {
	build := func(spec string) *graph.Graph {
		g, err := models.Build(spec, graph.Shape{H: 8, W: 8, C: 3}, 2)
		if err != nil {
			panic(err)
		}
		return g
	}
	net, err := nn.New(build("condensenet-small-8-c4"), nn.Options{Train: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(rng.NewKey(1))
	condenser := nn.NewCondenser(net)
	for step := range 10 {
		// Here come Forward, the loss, Backward, condenser.Gradient and the optimizer's Step.
		condenser.Step(float64(step+1) / 10)
	}
	converted, err := nn.Convert(net, build("condensenet-small-8-c4-converted"), nn.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(net.Graph().MultiplyAdds(), "multiply-adds become", converted.Graph().MultiplyAdds())
	// Output: 216208 multiply-adds become 157768
}

// Two images and, behind them, auxiliary views of both, whose batch norms are others; features are mixed at the second place.
func ExampleNet_Aux() {
	net, err := nn.New(tiny(), nn.Options{Batch: 4, Train: true, Workers: 1, AuxNorm: true, Places: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	net.Init(rng.NewKey(1))
	net.InitAux()
	x := make([]float32, 4*3*8*8)
	r := rng.New(1)
	r.FillNormal32(x)
	mixed := &nn.FeatureMix{Place: 1, Partner: []int{1, 0, 3, 2}, Lambda: 0.8, Add: 0.1, Key: rng.NewKey(2)}
	net.Forward(x, 4, nn.Mode{Train: true, Aux: 2, Mix: mixed})
	fmt.Println(len(net.Places()), "places,", net.Aux()[0].Name)
	// Output: 2 places, aux.bn.weight
}
