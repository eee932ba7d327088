package graph

import "math"

// Role is what a tensor is to its layer.
type Role int

// The roles. Running statistics and indices are buffers: saved, but not trained.
const (
	Weight      Role = iota // of a convolution or linear layer
	Bias                    // of a convolution or linear layer
	Gamma                   // weight of a batch norm
	Beta                    // bias of a batch norm
	RunningMean             // of a batch norm
	RunningVar              // of a batch norm
	Index                   // of a selection of channels
)

// Trained reports whether the optimizer changes a tensor of this role.
func (r Role) Trained() bool { return r <= Beta }

// Tensor is one named array of a network.
type Tensor struct {
	Name  string // as in the reference: "fc.weight"
	Shape []int  // PyTorch's: [Out, In/Groups, KH, KW], [Out, In], [C]
	Role  Role
	Init  Init
	Node  int // the layer it belongs to
}

// Len returns the number of values.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Distribution is a kind of initial values.
type Distribution int

// The distributions.
const (
	Constant Distribution = iota // every value is Scale
	Normal                       // mean 0, standard deviation Scale
	Uniform                      // on [-Scale, Scale)
)

// Init is how a tensor starts.
type Init struct {
	Dist  Distribution
	Scale float64
}

// FanOut is the normal distribution with deviation sqrt(2/(kh*kw*out)): He initialization by fan-out.
func FanOut(kh, kw, out int) Init {
	return Init{Normal, math.Sqrt(2 / float64(kh*kw*out))}
}

// Default is PyTorch's default of convolutions and linear layers and of their biases: uniform on +-1/sqrt(fanIn), where
// fanIn counts the inputs of one output.
func Default(fanIn int) Init { return Init{Uniform, 1 / math.Sqrt(float64(fanIn))} }

// Tensors lists the network's arrays: by layer, in each weight, bias, running mean, running variance.
func (g *Graph) Tensors() []Tensor {
	var all []Tensor
	for i, n := range g.Nodes {
		in := make([]Shape, len(n.In))
		for j, k := range n.In {
			in[j] = g.Nodes[k].Shape
		}
		for _, t := range n.Op.params(in) {
			t.Name, t.Node = n.Name+"."+t.Name, i
			all = append(all, t)
		}
	}
	return all
}

// Parameters counts the trained values.
func (g *Graph) Parameters() int64 {
	var n int64
	for _, t := range g.Tensors() {
		if t.Role.Trained() {
			n += int64(t.Len())
		}
	}
	return n
}

// MultiplyAdds counts the multiply-adds of convolutions and linear layers for one image.
func (g *Graph) MultiplyAdds() int64 {
	var sum int64
	for _, n := range g.Nodes {
		in := make([]Shape, len(n.In))
		for j, k := range n.In {
			in[j] = g.Nodes[k].Shape
		}
		sum += n.Op.multiplyAdds(in, n.Shape)
	}
	return sum
}

func (Input) params([]Shape) []Tensor { return nil }

func (o Conv) params(in []Shape) []Tensor {
	t := []Tensor{{Name: "weight", Shape: []int{o.Out, in[0].C / o.Groups, o.KH, o.KW}, Role: Weight, Init: o.Init}}
	if o.Bias {
		t = append(t, Tensor{Name: "bias", Shape: []int{o.Out}, Role: Bias, Init: o.InitBias})
	}
	return t
}

func (o BatchNorm) params(in []Shape) []Tensor {
	c, gamma := []int{in[0].C}, 1.0
	if o.ZeroGamma {
		gamma = 0
	}
	return []Tensor{
		{Name: "weight", Shape: c, Role: Gamma, Init: Init{Constant, gamma}},
		{Name: "bias", Shape: c, Role: Beta},
		{Name: "running_mean", Shape: c, Role: RunningMean},
		{Name: "running_var", Shape: c, Role: RunningVar, Init: Init{Constant, 1}},
	}
}
func (ReLU) params([]Shape) []Tensor         { return nil }
func (GELU) params([]Shape) []Tensor         { return nil }
func (MaxPool) params([]Shape) []Tensor      { return nil }
func (AvgPool) params([]Shape) []Tensor      { return nil }
func (AdaptivePool) params([]Shape) []Tensor { return nil }
func (BlurPool) params([]Shape) []Tensor     { return nil }

func (o Linear) params(in []Shape) []Tensor {
	t := []Tensor{{Name: "weight", Shape: []int{o.Out, in[0].C}, Role: Weight, Init: o.Init}}
	if o.Bias {
		t = append(t, Tensor{Name: "bias", Shape: []int{o.Out}, Role: Bias, Init: o.InitBias})
	}
	return t
}
func (Flatten) params([]Shape) []Tensor    { return nil }
func (Dropout) params([]Shape) []Tensor    { return nil }
func (Add) params([]Shape) []Tensor        { return nil }
func (Concat) params([]Shape) []Tensor     { return nil }
func (Subsample) params([]Shape) []Tensor  { return nil }
func (ShakeShake) params([]Shape) []Tensor { return nil }
func (Shift) params([]Shape) []Tensor      { return nil }

func (o LearnedGroupConv) params(in []Shape) []Tensor {
	return []Tensor{{Name: "weight", Shape: []int{o.Out, in[0].C, 1, 1}, Role: Weight, Init: o.Init}}
}

func (o Select) params([]Shape) []Tensor {
	return []Tensor{{Name: "index", Shape: []int{o.Out}, Role: Index}}
}
func (Shuffle) params([]Shape) []Tensor      { return nil }
func (Upsample) params([]Shape) []Tensor     { return nil }
func (PixelShuffle) params([]Shape) []Tensor { return nil }
func (Scale) params([]Shape) []Tensor        { return nil }
