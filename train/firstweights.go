package train

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

// loadWeights starts the network from a file, but for its last layer where that is to be new. Where the file and the training data
// both name their classes, the rows of the last layer go by the names.
func (r *runner) loadWeights() error {
	newHead := r.config.NewHead
	path, err := WeightsOf(r.config.Weights)
	if err != nil {
		return option.Errorf(ErrConfig, "{weights}: %w", err)
	}
	ts, meta, err := weights.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := weights.ParseInfo(meta)
	if err != nil {
		if meta[weights.KeyModel] != "" { // described, and wrongly
			return fmt.Errorf("%s: %w", path, err)
		}
		info = &weights.Info{}
	}
	var rows []int
	if !newHead {
		if rows, err = matchRows(r.train.Info().Classes, info.Names); err != nil {
			return option.Errorf(ErrConfig, "{weights}: %s: %w (allowed: weights of the same classes, by name, in any order; with {new-head} "+
				"of any)", path, err)
		}
	}
	dst, src := tensors(r.net.Tensors(), ""), weights.Network(ts)
	heads := headsOf(r.net.Graph())
	if newHead {
		isHead := func(t weights.Tensor) bool {
			layer := layerOf(t.Name)
			return slices.ContainsFunc(heads, func(head string) bool {
				return layer == head || strings.HasSuffix(layer, "."+head) // behind "module." and the like
			})
		}
		dst, src = slices.DeleteFunc(dst, isHead), slices.DeleteFunc(src, isHead)
	}
	if err := weights.FillGraph(r.net.Graph(), dst, src); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if rows != nil {
		for _, t := range dst {
			if slices.Contains(heads, layerOf(t.Name)) {
				reorder(t.Data, rows)
			}
		}
	}
	r.net.Changed()
	if err := r.net.CheckIndices(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r.earlier = results.JoinVersions(r.earlier, trainedon.Of(info.Other))
	r.otherwise = r.preparedOtherwise(info)
	return nil
}

// matchRows returns for each class the number that it has in a file of weights; nil where it is the same, or where one side has no
// names.
func matchRows(classes, file []string) ([]int, error) {
	if len(classes) == 0 || len(file) == 0 || slices.Equal(classes, file) {
		return nil, nil
	}
	at := make(map[string]int, len(file))
	for i, name := range file {
		if j, twice := at[name]; twice {
			return nil, fmt.Errorf("its classes %d and %d are both named %q", j, i, name)
		}
		at[name] = i
	}
	rows := make([]int, 0, len(classes))
	for _, name := range classes {
		i, ok := at[name]
		if !ok {
			return nil, fmt.Errorf("it has no class %q, which the training data has, but %s", name, some(file))
		}
		if slices.Contains(rows, i) {
			return nil, fmt.Errorf("two classes of the training data are named %q", name)
		}
		rows = append(rows, i)
	}
	if len(rows) < len(file) {
		return nil, fmt.Errorf("it has %d classes, the training data %d of them", len(file), len(rows))
	}
	return rows, nil
}

// some is the first few names.
func some(names []string) string {
	const most = 5
	text := fmt.Sprintf("%q", names[:min(len(names), most)])
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// reorder gives a tensor, whose rows are of classes, for each class the row of the number in rows.
func reorder(values []float32, rows []int) {
	old, n := slices.Clone(values), len(values)/len(rows)
	for c, row := range rows {
		copy(values[c*n:][:n], old[row*n:])
	}
}

// preparedOtherwise returns what the images of a file's network went through and those of this run do not, see [Plan]. Sizes and
// crops are not compared: a network is often trained on with others.
func (r *runner) preparedOtherwise(info *weights.Info) (list []string) {
	if info.Model == "" {
		return nil
	}
	for _, v := range []struct {
		name      string
		was, here []float64
	}{{"mean", info.Mean, r.config.Mean}, {"std", info.Std, r.config.Std}} {
		same := func(a, b float64) bool { return float32(a) == float32(b) } // the network knows no more
		if !slices.EqualFunc(v.was, v.here, same) {
			list = append(list, fmt.Sprintf("%s %s, here %s", v.name, words(v.was), words(v.here)))
		}
	}
	was, here := info.Other[weights.KeyPreprocess], ""
	if m := r.config.preprocess(); m != nil {
		here = m.String()
	}
	if was != here {
		list = append(list, fmt.Sprintf("preprocess %s, here %s", cmp.Or(was, "none"), cmp.Or(here, "none")))
	}
	return list
}

// words writes numbers with spaces in between.
func words(values []float64) string { return strings.Trim(fmt.Sprint(values), "[]") }

// layerOf returns the name of a tensor's layer.
func layerOf(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// headsOf returns the names of the layers that the logits come from, one for each exit.
func headsOf(g *graph.Graph) (names []string) {
	weighted := map[int]bool{}
	for _, t := range g.Tensors() {
		weighted[t.Node] = true
	}
	for _, i := range g.Outputs() {
		for !weighted[i] && len(g.Nodes[i].In) > 0 { // pooling behind a last convolution
			i = g.Nodes[i].In[0]
		}
		names = append(names, g.Nodes[i].Name)
	}
	return names
}
