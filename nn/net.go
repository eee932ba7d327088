package nn

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/rng"
)

// ErrOptions is wrapped by the errors about [Options] that cannot be.
var ErrOptions = errors.New("bad options")

// Options are what a Net is made for.
type Options struct {
	// Workers is how many goroutines compute; 0 is one a core.
	Workers int
	// Batch is the largest number of images of a call. 0 is 1.
	Batch int
	// Train allows Forward with Mode.Train, and gives tensors a Grad.
	Train bool
	// InputGrad makes Backward compute the gradient with respect to the images, also after a Forward without Mode.Train.
	// Such a Forward then keeps activations; a net without InputGrad is faster.
	InputGrad bool
	// AuxNorm gives each batch norm a second set of statistics and parameters, [Net.Aux], for the images of Mode.Aux: auxiliary
	// batch norms (Xie et al., CVPR 2020).
	AuxNorm bool
	// Places allows Mode.Mix at [Places] of the graph. It takes a copy of the activations there.
	Places bool
}

// Tensor is a parameter or a buffer of a network.
type Tensor struct {
	graph.Tensor
	// Data are the values in PyTorch's order. After writing them call Net.Changed.
	Data []float32
	// Grad is what Backward fills, in the same order. It is nil for buffers and in a Net without Options.Train.
	Grad []float32

	net *Net
}

// changed notes that Data is new. Optimizers call it; a tensor that belongs to no net has nothing to note.
func (t *Tensor) changed() {
	if t.net != nil {
		t.net.Changed()
	}
}

// Mode says how a Forward computes.
type Mode struct {
	// Train normalizes by the batch's statistics, updates the running ones, and applies dropout. Where a batch norm sees 1x1 pixels
	// one image, or one image of Aux, has no variance: see graph.BatchNorm. That is no error here.
	Train bool
	// Key names the random choices of dropout. Use another one for every step.
	Key rng.Key
	// Aux is how many images, the last of the batch, go through the auxiliary batch norms. It takes Options.AuxNorm, and Train or
	// Options.InputGrad.
	Aux int
	// Mix mixes the features of images at one place, in training with Options.Places; nil for none.
	Mix *FeatureMix
}

// Net is a network with its parameters. It is not safe for concurrent use; it uses its workers itself.
type Net struct {
	g       *graph.Graph
	outputs []int // nodes of the exits' logits
	opt     Options
	tensors []*Tensor
	byNode  map[int][]*Tensor // in the order of graph.Tensors
	// auxTensors and auxByNode are those of the auxiliary batch norms.
	auxTensors []*Tensor
	auxByNode  map[int][]*Tensor
	places     []int
	partnerOf  []int // of each image: whose partner it is in Mode.Mix
	pool       *pool
	arena      []float32
	planes     []float32 // gradient of the images
	logits     []float32 // [exits][Options.Batch][classes]
	version    uint64    // counts changes of Data

	train, eval, evalGrad *plan // made at first use
	last                  *plan // of the last Forward
	gradient              bool  // the last Forward can be followed by Backward
	x                     []float32
	dlogits               []float32
	batch                 int
	aux                   int // the first image of the auxiliary batch norms; batch where there is none
	mode                  Mode
}

// New makes a network. All parameters are zero: call Init, or write Tensors and call Changed. It returns an error that
// wraps graph.ErrGraph if the graph is not sound or larger than the kernels take: 2^30 numbers in an activation (with
// the borders of a convolution) or a weight, 255 pixels in a side of a maximum's window; or [ErrOptions]
// if Workers or Batch is below 0.
func New(g *graph.Graph, o Options) (*Net, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	if o.Workers < 0 || o.Batch < 0 {
		return nil, fmt.Errorf("%w: %d workers, batches of %d (allowed: 0 or more)", ErrOptions, o.Workers, o.Batch)
	}
	if err := runnable(g); err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Batch = max(o.Batch, 1)
	n := &Net{g: g, outputs: g.Outputs(), opt: o, byNode: map[int][]*Tensor{}, pool: newPool(o.Workers), version: 1}
	for _, t := range g.Tensors() {
		x := &Tensor{Tensor: t, Data: make([]float32, t.Len()), net: n}
		if o.Train && t.Role.Trained() {
			x.Grad = make([]float32, t.Len())
		}
		n.tensors = append(n.tensors, x)
		n.byNode[t.Node] = append(n.byNode[t.Node], x)
	}
	if o.AuxNorm {
		n.addAux()
	}
	if o.Places {
		n.places = Places(g)
	}
	n.logits = make([]float32, len(n.outputs)*o.Batch*g.Classes)
	return n, nil
}

// limit bounds activations and weights such that the kernels' offsets fit 32 bits, borders included.
const limit = 1 << 30

func runnable(g *graph.Graph) error {
	for i, n := range g.Nodes {
		h, w, c := n.Shape.H, n.Shape.W, n.Shape.C
		switch op := n.Op.(type) {
		case graph.Conv:
			in := g.Nodes[n.In[0]].Shape
			h, w, c = in.H+2*(op.Pad+op.KH), in.W+2*(op.Pad+op.KW), max(in.C, c)
		case graph.MaxPool:
			if op.K > 255 {
				return fmt.Errorf("%w: node %d of %q has a window of %d pixels (allowed: up to 255)",
					graph.ErrGraph, i, g.Name, op.K)
			}
		}
		if float64(h)*float64(w)*float64(c) >= limit {
			return fmt.Errorf("%w: node %d (%s %q) of %q computes with an activation of %dx%dx%d",
				graph.ErrGraph, i, n.Op.Kind(), n.Name, g.Name, h, w, c)
		}
	}
	for _, t := range g.Tensors() {
		size := 1.0
		for _, d := range t.Shape {
			size *= float64(d)
		}
		if size >= limit {
			return fmt.Errorf("%w: tensor %s of %q has the shape %v", graph.ErrGraph, t.Name, g.Name, t.Shape)
		}
	}
	return nil
}

// Graph returns the network's description.
func (n *Net) Graph() *graph.Graph { return n.g }

// Tensors returns the parameters and buffers in the graph's order. They are the net's own.
func (n *Net) Tensors() []*Tensor { return n.tensors }

// Changed tells the net that somebody wrote Data of its tensors. Optimizers and EMA call it themselves.
func (n *Net) Changed() { n.version++ }

// Init starts every tensor as the graph says. Each has a stream of its own: key narrowed by the tensor's name.
func (n *Net) Init(key rng.Key) {
	for _, t := range n.tensors {
		r := key.Str(t.Name).Rand()
		scale := t.Init.Scale
		for i := range t.Data {
			switch t.Init.Dist {
			case graph.Constant:
				t.Data[i] = float32(scale)
			case graph.Normal:
				t.Data[i] = float32(scale * r.Normal())
			case graph.Uniform:
				t.Data[i] = float32(r.Uniform(-scale, scale))
			}
		}
	}
	n.Changed()
}

// Forward computes the logits, [batch][classes], of images [batch][channels][rows][columns], the planes that
// mix.Batch writes: those of the last exit, where there are several. They are valid until the next call; x is not needed after this one. It panics if the sizes do not
// fit, or for training in a net that was not made for it.
func (n *Net) Forward(x []float32, batch int, m Mode) []float32 {
	in := n.g.Input()
	if batch < 1 || batch > n.opt.Batch || len(x) != batch*in.Len() {
		panic(fmt.Sprintf("nn: Forward of %d floats as %d images of %v (allowed: up to %d images)",
			len(x), batch, in, n.opt.Batch))
	}
	if m.Train && !n.opt.Train {
		panic("nn: Forward with Mode.Train in a net made without Options.Train")
	}
	if m.Aux < 0 || m.Aux > batch || m.Aux > 0 && (!n.opt.AuxNorm || !m.Train && !n.opt.InputGrad) {
		panic(fmt.Sprintf("nn: Forward with %d of %d images for auxiliary batch norms in a net without", m.Aux, batch))
	}
	n.x, n.batch, n.aux, n.mode = x, batch, batch-m.Aux, m
	n.mustMix(m.Mix)
	n.last = n.planFor(m.Train)
	n.gradient = n.last.backward
	n.last.pack()
	n.last.runForward()
	if m.Train {
		n.version++ // running statistics
		n.last.packed = n.version
	}
	return n.ExitLogits(len(n.outputs) - 1)
}

// Backward takes the gradient of the loss with respect to the logits of the last Forward: of the last exit, or of all,
// [exits][batch][classes]. After one with Mode.Train it
// overwrites Grad of all parameters. With Options.InputGrad it fills what InputGrad returns; after a Forward without
// Mode.Train that is all it does. It may be called once after a Forward, and panics otherwise.
func (n *Net) Backward(dlogits []float32) {
	if !n.gradient {
		panic("nn: Backward without a Forward that it can follow")
	}
	if each := n.batch * n.g.Classes; len(dlogits) != each && len(dlogits) != each*len(n.outputs) {
		panic(fmt.Sprintf("nn: Backward of %d gradients for %d images and %d classes", len(dlogits), n.batch, n.g.Classes))
	}
	n.gradient = false
	n.dlogits = dlogits
	n.last.runBackward()
}

// InputGrad returns the gradient with respect to the images of the last Forward, in their layout, valid until the
// next Backward. It is nil without Options.InputGrad.
func (n *Net) InputGrad() []float32 {
	if n.planes == nil {
		return nil
	}
	return n.planes[:n.batch*n.g.Input().Len()]
}

// Bytes returns how much memory tensors, gradients, activations and work areas take so far. Weights in the form that
// the kernels read come on top: two to four times their size, depending on the kernels.
func (n *Net) Bytes() int64 {
	sum := len(n.arena) + len(n.planes) + len(n.logits) + len(n.pool.sum)
	for _, t := range n.tensors {
		sum += len(t.Data) + len(t.Grad)
	}
	for _, w := range n.pool.workers {
		sum += len(w.scratch) + len(w.local) + len(w.sums)
		for _, t := range w.tmp {
			sum += len(t)
		}
	}
	return 4 * int64(sum)
}

// planFor returns the plan of a mode, making it at first use.
func (n *Net) planFor(train bool) *plan {
	at, o := &n.eval, planOptions{}
	switch {
	case train:
		at, o = &n.train, planOptions{train: true, backward: true}
	case n.opt.InputGrad:
		at, o = &n.evalGrad, planOptions{backward: true}
	}
	if *at == nil {
		*at = newPlan(n, o)
	}
	(*at).attach()
	return *at
}

// grow returns x with at least n elements.
func grow(x []float32, n int) []float32 {
	if len(x) < n {
		return make([]float32, n)
	}
	return x
}
