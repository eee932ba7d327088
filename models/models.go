// Package models builds the networks that the robustness papers train and compare, as graphs of package nn/graph:
// layers, names and initial values, no arithmetic.
//
// # Networks
//
// A spec string names a network: "wrn-40-2", "densenet-bc-100-12", "resnet50-blur5". The families:
//
//	wrn, allconv, densenet, resnext29, resnet20 ... resnet110     for images of 32 by 32: CIFAR
//	shakeshake26-2x32d ... shakeshake26-2x96d, msdnet-small-7-2,   for these too
//	condensenet-small-86-c4
//	resnet18 ... resnet152, resnext50, resnext101                 for ImageNet; with -blurN the anti-aliased ones
//	densenet121 ... densenet201, msdnet-5-4 ... msdnet-5-7,        for ImageNet
//	condensenet-c4, condensenet-c8, rmg18, rmg34
//	alexnet, vgg11 ... vgg19, squeezenet1.0, squeezenet1.1        for ImageNet
//
// [Table] lists them with their options and papers, [Build] makes the graph of a spec for any size of image and number
// of classes.
//
//	g, err := models.Build("wrn-40-2", graph.Shape{H: 32, W: 32, C: 3}, 10)
//	net, err := nn.New(g, nn.Options{Batch: 128, Train: true})     // package nn runs it
//	net.Init(rng.NewKey(1))                                        // random weights, or those of package nn/weights
//
// # Parity
//
// Names, shapes and order of the parameters are those of the reference PyTorch programs and of torchvision, so weights
// move both ways. TestGolden and TestTorchvision compare them, TestInit the distributions of the initial values.
package models

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/nn/graph"
)

// ErrSpec is wrapped by errors about a spec string, a size of image or a number of classes that no network has.
var ErrSpec = errors.New("no such network")

// Limits of a spec. Every published network is far below; they keep a mistyped number from filling the memory.
const (
	maxDepth   = 1300 // layers: the deepest CIFAR ResNet has 1202
	maxWidth   = 1024 // widening factor, growth rate, cardinality, group width
	maxSide    = 4096 // pixels
	maxClasses = 1 << 20
	maxValues  = 1 << 31 // of all tensors: 8 GB
)

// Entry is one family of networks.
type Entry struct {
	// Name is the family's: "wrn", "resnet-cifar".
	Name string
	// Form is the syntax of its specs, with capitals for numbers: "wrn-DEPTH-WIDTH[-dropP]".
	Form string
	// Doc is one line.
	Doc string
	// Options are the options that may follow, one on each line.
	Options string
	// Paper is where the network was published.
	Paper string
	// Specs are the networks of the papers.
	Specs []string
	// Input is the image that the family was published for.
	Input graph.Shape

	match func(spec string) bool
	build func(p *parser, input graph.Shape, classes int) (*graph.Graph, error)
}

var (
	cifar    = graph.Shape{H: 32, W: 32, C: 3}
	imageNet = graph.Shape{H: 224, W: 224, C: 3}
)

var table = []Entry{
	wideResNet, allConvNet, denseNet, resNeXtCIFAR, resNetCIFAR, shakeShake, msdNetSmall, condenseNetSmall, resNet, resNeXt,
	denseNetLarge, msdNet, condenseNet, multigrid, alexNet, vgg, squeezeNet,
}

// Table returns the families that [Build] knows.
func Table() []Entry {
	t := slices.Clone(table)
	for i := range t {
		t[i].Specs = slices.Clone(t[i].Specs)
	}
	return t
}

// Build makes the network of a spec for images of the given height, width and channels (1 to 4096 each) and 1 to 2^20
// classes. The graph's name is the spec. The error wraps [ErrSpec] and says what is allowed, or graph.ErrGraph if the
// images are too small for the network.
func Build(spec string, input graph.Shape, classes int) (*graph.Graph, error) {
	e, err := Find(spec)
	if err != nil {
		return nil, err
	}
	if min(input.H, input.W, input.C) < 1 || max(input.H, input.W, input.C) > maxSide {
		return nil, fmt.Errorf("%w: %s over images of %v (allowed: 1 to %d in each)", ErrSpec, spec, input, maxSide)
	}
	if classes < 1 || classes > maxClasses {
		return nil, fmt.Errorf("%w: %s with %d classes (allowed: 1 to %d)", ErrSpec, spec, classes, maxClasses)
	}
	p := &parser{spec: spec, rest: spec}
	g, err := e.build(p, input, classes)
	if p.err != nil {
		return nil, fmt.Errorf("%w in %q: %w (a spec of this family is %s)", ErrSpec, spec, p.err, e.Form)
	}
	if err != nil {
		return nil, err
	}
	if n := values(g); n > maxValues {
		return nil, fmt.Errorf("%w: %s over images of %v with %d classes has %d values in its tensors (allowed: %d)",
			ErrSpec, spec, input, classes, n, int64(maxValues))
	}
	return g, nil
}

// values counts the values of all tensors.
func values(g *graph.Graph) int64 {
	total := int64(0)
	for _, t := range g.Tensors() {
		n := int64(1)
		for _, d := range t.Shape {
			n *= int64(d)
		}
		total += n
	}
	return total
}

// Input returns the image that the network of a spec was published for. The error wraps [ErrSpec].
func Input(spec string) (graph.Shape, error) {
	e, err := Find(spec)
	if err != nil {
		return graph.Shape{}, err
	}
	return e.Input, nil
}

// Find returns the family of a spec, which its first word decides; only [Build] reads the rest. The error wraps
// [ErrSpec].
func Find(spec string) (*Entry, error) {
	for _, e := range table {
		if e.match(spec) {
			e.Specs = slices.Clone(e.Specs)
			return &e, nil
		}
	}
	var forms, specs []string
	for _, e := range table {
		forms, specs = append(forms, e.Form), append(specs, e.Specs...)
	}
	return nil, fmt.Errorf("%w: %.60q%s (there are: %s)", ErrSpec, spec, suggest.Hint(spec, specs), strings.Join(forms, ", "))
}

// prefix matches the specs that start with one of the words, followed by nothing or '-'.
func prefix(words ...string) func(string) bool {
	return func(spec string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			rest, ok := strings.CutPrefix(spec, w)
			return ok && (rest == "" || rest[0] == '-')
		})
	}
}

// numbered matches the specs that start with a word and one of the numbers, followed by nothing or '-'.
func numbered(word string, numbers ...int) func(string) bool {
	var words []string
	for _, n := range numbers {
		words = append(words, fmt.Sprint(word, n))
	}
	return prefix(words...)
}
