package eval

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
)

// LoadOptions are what a caller says about a file of weights that does not say it itself.
type LoadOptions struct {
	Model string             // spec of the network, as package models builds it; it wins over the file
	H, W  int                // of the images; they win over the file, whose preparation is then not taken; 0: the file's, else the network's published ones
	Norm  *mix.Normalization // normalization; refused where the file says another, as the weights are of no use with it
	// Exit is the exit, from 1, behind which a network with early ones is cut off, or [LastExit]; 0 leaves it whole.
	Exit int
}

// LastExit cuts off what a network has beside its last exit.
const LastExit = -1

// Network is a Predictor that package nn runs.
type Network struct {
	Graph *graph.Graph
	// Workers is how many cores are used; 0 means all. Set it before the first Predict.
	Workers int
	// Preprocess is what the network's images went through in training, nil for nothing.
	Preprocess Preprocess

	trained map[string]string // what the file says of its training, under trainedon.Keys; none: nothing, or not known
	names   []string          // of classes; nil: not known
	prepare *weights.Preparation
	told    told
	net     *nn.Net
	made    int // the batch it was made for
	norm    mix.Normalization
	weights []weights.Tensor
	slope   gradient
}

// LoadNetwork reads a checkpoint or a file of weights (safetensors, npz, PyTorch's pth), or an ONNX file that this program
// exported. A checkpoint that keeps an average of the weights is measured by that. The error wraps [ErrModel], which for ONNX files
// of other programs is [ErrForeign], or [ErrOption], or is an error of packages weights and models, and names the file.
func LoadNetwork(path string, d LoadOptions) (*Network, error) {
	ts, meta, exported, err := readNetwork(path)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (*Network, error) { return nil, fmt.Errorf("%s: %w", path, err) }
	ts = weights.Network(ts)
	info, err := weights.ParseInfo(meta)
	if err != nil {
		if meta[weights.KeyModel] != "" { // described, and wrongly
			return fail(err)
		}
		info = &weights.Info{}
	}
	own := *info
	if d.Model != "" {
		info.Model = d.Model
	}
	if info.Model == "" {
		return fail(noNetwork(ts))
	}
	if info.Input == (graph.Shape{}) {
		if info.Input, err = models.Input(info.Model); err != nil {
			return fail(err)
		}
	}
	if d.H > 0 && (info.Input.H != d.H || info.Input.W != d.W) {
		info.Input.H, info.Input.W, info.Preparation = d.H, d.W, nil
	}
	n := &Network{weights: ts}
	if n.norm, err = normOf(info, d.Norm); err != nil {
		return fail(err)
	}
	n.names, n.prepare = info.Names, info.Preparation
	n.trained = map[string]string{}
	for _, key := range trainedon.Keys {
		if v := info.Other[key]; v != "" {
			n.trained[key] = v
		}
	}
	if info.Classes == 0 {
		if info.Classes, err = countClasses(info, ts); err != nil {
			return fail(err)
		}
	}
	if n.Graph, err = models.Build(info.Model, info.Input, info.Classes); err != nil {
		return fail(err)
	}
	n.told = toldOf(&own, n.norm)
	if info.Model != own.Model || info.Input != own.Input {
		n.told.add(fmt.Sprintf("%s of %v", n.Graph.Name, n.Graph.Input()))
	}
	if spec := info.Other[weights.KeyPreprocess]; spec != "" {
		if n.Preprocess, err = preprocess.Parse(spec); err != nil {
			return fail(err)
		}
	}
	if exported != nil && !exported.Computes(n.Graph) {
		if d.Model != "" {
			return fail(fmt.Errorf("%w: its graph is not that of %s", ErrModel, d.Model))
		}
		return fail(graphError{info.Model})
	}
	// Looked at now, so that a file that does not fit fails here and not in the middle of a run.
	if err := n.make(1); err != nil {
		return fail(err)
	}
	n.weights = slices.DeleteFunc(n.weights, func(t weights.Tensor) bool { return weights.Ignored(t.Name) })
	if err := n.leave(d.Exit); err != nil {
		return fail(err)
	}
	return n, nil
}

// graphError is the [ErrForeign] of a file that says which network it is, and whose graph is another.
type graphError struct{ model string }

func (e graphError) Error() string {
	return fmt.Sprintf("%v: the file says that it is %s, and its graph is not that network's: it is damaged, or was changed after its export",
		ErrModel, e.model)
}

func (graphError) Unwrap() error { return ErrForeign }

// readNetwork reads a file's tensors and metadata. exported is the whole content of an ONNX file, nil for others.
func readNetwork(path string) (ts []weights.Tensor, meta map[string]string, exported *onnx.Model, err error) {
	if !isONNX(path) {
		ts, meta, err = weights.ReadFile(path)
		return ts, meta, nil, err
	}
	m, err := onnx.ReadFile(path)
	if err != nil {
		return nil, nil, nil, err
	}
	if m.Metadata[weights.KeyModel] == "" {
		return nil, nil, nil, fmt.Errorf("%s: %w", path, ErrForeign)
	}
	return m.Weights(), m.Metadata, m, nil
}

// isONNX tells by the name, as ONNX files have no mark at their beginning.
func isONNX(path string) bool { return strings.EqualFold(filepath.Ext(path), ".onnx") }

// normOf returns the normalization of a file, or the one that is said where the file says none. The error wraps [ErrOption] where they are
// not the same.
func normOf(info *weights.Info, said *mix.Normalization) (mix.Normalization, error) {
	var n mix.Normalization
	switch known := len(info.Mean) == 3 && len(info.Std) == 3; {
	case known:
		for c := range 3 {
			n.Mean[c], n.Std[c] = float32(info.Mean[c]), float32(info.Std[c])
		}
		if said != nil && *said != n {
			return n, option.Errorf(ErrOption, "{norm}: mean %v, std %v, but the network was trained with mean %v, std %v (allowed: what the "+
				"file says, or nothing)", said.Mean, said.Std, n.Mean, n.Std)
		}
	case said != nil:
		n = *said
	default:
		return n, ErrNoNorm
	}
	return n, n.Check()
}

// noNetwork is the [ErrNoNetwork] of a file with these tensors. It names the networks that have such tensors; it does not choose one, as
// tensors do not say all of what a network computes.
func noNetwork(ts []weights.Tensor) error {
	var specs []string
	for _, e := range models.Table() {
		for _, spec := range e.Specs {
			classes, err := countClasses(&weights.Info{Model: spec, Input: e.Input}, ts)
			if err != nil {
				continue
			}
			if g, err := models.Build(spec, e.Input, classes); err == nil && weights.Fits(g, ts) {
				specs = append(specs, spec)
			}
		}
	}
	if specs == nil {
		return ErrNoNetwork
	}
	return fmt.Errorf("%w; its tensors are those of %s", ErrNoNetwork, strings.Join(specs, " or "))
}

// countClasses finds the number of classes of a file that does not say it: the length of the network's last tensor.
func countClasses(info *weights.Info, ts []weights.Tensor) (int, error) {
	const guess = 10
	g, err := models.Build(info.Model, info.Input, guess)
	if err != nil {
		return 0, err
	}
	all := g.Tensors()
	last := all[len(all)-1].Name
	for _, t := range ts {
		if (t.Name == last || t.Name == weights.Prefix+last) && len(t.Shape) > 0 {
			return t.Shape[0], nil
		}
	}
	return 0, fmt.Errorf("%w: no tensor %s, which %s has", ErrModel, last, info.Model)
}

// make builds the network for batches of up to n.
func (n *Network) make(batch int) error {
	net, err := n.Net(nn.Options{Workers: n.Workers, Batch: batch})
	if err != nil {
		return err
	}
	n.net = net
	n.made = batch
	return nil
}

// leave cuts the network off behind an exit.
func (n *Network) leave(exit int) error {
	exits := len(n.Graph.Outputs())
	if exit == LastExit {
		exit = exits
	}
	if exit < 0 || exit > exits {
		return option.Errorf(ErrOption, "{exit}: %d of %s (allowed: 1 to %d)", exit, n.Graph.Name, exits)
	}
	if exit == 0 || exits == 1 {
		return nil
	}
	g, err := n.Graph.At(exit)
	if err != nil {
		return err
	}
	n.Graph, n.weights, n.net, n.made = g, n.tensorsOf(g), nil, 0
	return nil
}

// tensorsOf returns the weights of a graph that is a part of the network's.
func (n *Network) tensorsOf(g *graph.Graph) (ts []weights.Tensor) {
	kept := map[string]bool{}
	for _, t := range g.Tensors() {
		kept[t.Name] = true
	}
	for _, t := range n.net.Tensors() {
		if kept[t.Name] {
			ts = append(ts, weights.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
		}
	}
	return ts
}

// Net makes the network anew, with the weights of the file.
func (n *Network) Net(o nn.Options) (*nn.Net, error) {
	net, err := nn.New(n.Graph, o)
	if err != nil {
		return nil, err
	}
	var dst []weights.Tensor
	for _, t := range net.Tensors() {
		dst = append(dst, weights.Tensor{Name: t.Name, Shape: t.Shape, Data: t.Data})
	}
	if err := weights.FillGraph(n.Graph, dst, n.weights); err != nil {
		return nil, err
	}
	net.Changed()
	return net, net.CheckIndices()
}

// Weights returns the network's tensors in the file, those of the checkpoint's average where it keeps one. Do not change them.
func (n *Network) Weights() []weights.Tensor { return n.weights }

// Info describes the network as files of weights do.
func (n *Network) Info() *weights.Info {
	i := &weights.Info{Model: n.Graph.Name, Input: n.Graph.Input(), Classes: n.Graph.Classes, Names: n.names, Preparation: n.prepare}
	for c := range 3 {
		// The shortest decimal that is the float32, not its neighbors as a float64.
		mean, _ := strconv.ParseFloat(strconv.FormatFloat(float64(n.norm.Mean[c]), 'g', -1, 32), 64)
		std, _ := strconv.ParseFloat(strconv.FormatFloat(float64(n.norm.Std[c]), 'g', -1, 32), 64)
		i.Mean, i.Std = append(i.Mean, mean), append(i.Std, std)
	}
	i.Other = map[string]string{}
	maps.Copy(i.Other, n.trained)
	if n.Preprocess != nil {
		i.Other[weights.KeyPreprocess] = n.Preprocess.String()
	}
	return i
}

// TrainedOn returns what of the benchmarks' corruptions the network was trained on, as far as its file says it, by the keys of
// results.Row.Versions.
func (n *Network) TrainedOn() map[string]string { return trainedon.Of(n.trained) }

// Classes implements [Predictor].
func (n *Network) Classes() int { return n.Graph.Classes }

// ClassNames implements [Named].
func (n *Network) ClassNames() []string { return n.names }

// Preparation implements [Prepared].
func (n *Network) Preparation() *weights.Preparation { return n.prepare }

// Told implements [Told].
func (n *Network) Told() (text string, described bool) { return n.told.text, n.told.described }

// Input implements [Predictor].
func (n *Network) Input() (h, w int, norm mix.Normalization) {
	s := n.Graph.Input()
	return s.H, s.W, n.norm
}

// MaxBatch implements [Predictor].
func (n *Network) MaxBatch() int { return batchLimit }

// errBatch is the error about more images in one call than MaxBatch.
func errBatch(count int) error {
	return fmt.Errorf("%w: a batch of %d (allowed: up to %d)", ErrImages, count, batchLimit)
}

// Predict implements [Predictor].
func (n *Network) Predict(dst, x []float32, count int) error {
	if count > batchLimit {
		return errBatch(count)
	}
	if n.made < batchLimit {
		if err := n.make(batchLimit); err != nil {
			return err
		}
	}
	copy(dst, n.net.Forward(x, count, nn.Mode{}))
	return nil
}
