package models_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
)

var (
	small = graph.Shape{H: 32, W: 32, C: 3}
	large = graph.Shape{H: 224, W: 224, C: 3}
)

func build(t testing.TB, spec string, input graph.Shape, classes int) *graph.Graph {
	t.Helper()
	g, err := models.Build(spec, input, classes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// specs are the goldens' names.
var specs = map[string]string{
	"wrn_40_2": "wrn-40-2", "wrn_40_4": "wrn-40-4", "wrn_40_2_c100": "wrn-40-2", "wrn_16_2": "wrn-16-2",
	"resnext29_4x32": "resnext29-4x32", "allconv": "allconv",
	"densenet_k12_L40":     "densenet-40-12",
	"densenet_bc_k12_L100": "densenet-bc-100-12", "densenet_bc_k12_L40": "densenet-bc-40-12",
	"resnet18": "resnet18", "resnet50": "resnet50", "resnet50_1000": "resnet50",
}

func TestGolden(t *testing.T) {
	golden.RunSome(t, "models", map[string]golden.Func{
		"model_structure":       structure,
		"model_forward_formula": tensors,
	})
}

// structure compares parameters and layers with the reference's, name by name and in order.
func structure(t *testing.T, c *golden.Case) {
	var final []int
	c.Decode(&final, mustField(t, c, "final_shape"))
	side := c.Int("input_size")
	g := build(t, specs[c.Text("name")], graph.Shape{H: side, W: side, C: 3}, final[0])

	var want struct {
		Parameters [][2]json.RawMessage
		Layers     [][4]json.RawMessage
	}
	c.JSON(&want, c.ExpectedFile(0))
	var params, wantParams []string
	buffers := 0
	for _, ts := range g.Tensors() {
		if ts.Role.Trained() {
			params = append(params, fmt.Sprintf("%q %s", ts.Name, dims(ts.Shape...)))
		} else {
			buffers += ts.Len()
		}
	}
	for _, p := range want.Parameters {
		wantParams = append(wantParams, fmt.Sprintf("%s %s", p[0], p[1]))
	}
	golden.Compared(t, c, slices.Equal(params, wantParams), "parameters are\n%s\nwant\n%s", params, wantParams)
	golden.CompareValue(t, c, float64(g.Parameters()), "parameters")
	golden.CompareValue(t, c, float64(len(params)), "parameter_tensors")
	// PyTorch counts one step counter a batch norm among the buffers, the goldens do not.
	golden.CompareValue(t, c, float64(buffers), "buffers")

	var layers, wantLayers []string
	for _, l := range want.Layers {
		if slices.Contains(containers, string(l[1])) {
			continue
		}
		wantLayers = append(wantLayers, fmt.Sprintf("%s %s -> %s", l[0], l[2], l[3]))
	}
	for _, n := range g.Nodes {
		if n.Name == "" {
			continue
		}
		layers = append(layers, fmt.Sprintf("%q %s -> %s", n.Name, planes(g.Nodes[n.In[0]].Shape), planes(n.Shape)))
	}
	golden.Compared(t, c, slices.Equal(flat(layers), flat(wantLayers)), "layers are\n%s\nwant\n%s",
		strings.Join(layers, "\n"), strings.Join(wantLayers, "\n"))
}

var containers = []string{
	`"Sequential"`, `"BasicBlock"`, `"Bottleneck"`, `"NetworkBlock"`, `"SingleLayer"`, `"Transition"`,
	`"ResNeXtBottleneck"`,
}

func mustField(t *testing.T, c *golden.Case, name string) json.RawMessage {
	t.Helper()
	var values map[string]json.RawMessage
	c.Decode(&values, c.Fields["values"])
	return values[name]
}

func dims(d ...int) string { return strings.ReplaceAll(fmt.Sprint(d), " ", ",") }

func planes(s graph.Shape) string { return dims(s.C, s.H, s.W) }

// flat writes vectors as the goldens do: a 1x1 image and a vector are the same to a graph.
func flat(layers []string) []string {
	var out []string
	for _, l := range layers {
		out = append(out, strings.ReplaceAll(l, ",1,1]", "]"))
	}
	return out
}

// tensors compares the state dict's names, roles and shapes in order. Package nn replays the logits.
func tensors(t *testing.T, c *golden.Case) {
	g := build(t, specs[c.Text("name")], small, 10)
	var want [][3]json.RawMessage
	c.JSON(&want, c.Inputs[1])
	role := map[graph.Role]string{
		graph.Weight: "weight", graph.Bias: "bias", graph.Gamma: "bn_weight", graph.Beta: "bn_bias",
		graph.RunningMean: "bn_mean", graph.RunningVar: "bn_var",
	}
	got := g.Tensors()
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = fmt.Sprintf("%q %q %s", got[i].Name, role[got[i].Role], dims(got[i].Shape...))
		}
		if i < len(want) {
			w = fmt.Sprintf("%s %s %s", want[i][0], want[i][1], want[i][2])
		}
		golden.Compared(t, c, g == w, "tensor %d is %s, want %s", i, g, w)
	}
}

// TestTorchvision compares with testdata/torchvision.json, which testdata/structure.py records: counts, names, shapes
// and order of every network, and how each tensor of some starts.
func TestTorchvision(t *testing.T) {
	b, err := os.ReadFile("testdata/torchvision.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Networks map[string]struct {
			Parameters int64
			Adds       int64 `json:"multiply_adds"`
			Tensors    int
			Listing    string `json:"listing_sha256"`
			State      [][]any
		}
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if len(want.Networks) != 20 {
		t.Fatalf("%d networks, want 20", len(want.Networks))
	}
	for spec, w := range want.Networks {
		t.Run(spec, func(t *testing.T) {
			g := build(t, spec, large, 1000)
			ts := g.Tensors()
			if g.Parameters() != w.Parameters || g.MultiplyAdds() != w.Adds || len(ts) != w.Tensors {
				t.Errorf("%d parameters, %d multiply-adds, %d tensors, want %d, %d, %d",
					g.Parameters(), g.MultiplyAdds(), len(ts), w.Parameters, w.Adds, w.Tensors)
			}
			var list strings.Builder
			for _, s := range ts {
				fmt.Fprintf(&list, "%s %s\n", s.Name, strings.Trim(dims(s.Shape...), "[]"))
			}
			if sum := sha256.Sum256([]byte(list.String())); hex.EncodeToString(sum[:]) != w.Listing {
				t.Errorf("the listing differs from torchvision's:\n%s", list.String())
			}
			for i, row := range w.State {
				checkState(t, ts[i], row)
			}
		})
	}
}

// checkState compares the initial values of a tensor with the moments that torchvision's have.
func checkState(t *testing.T, s graph.Tensor, row []any) {
	t.Helper()
	mean, dev, most := row[2].(float64), row[3].(float64), row[4].(float64)
	ok := row[0] == s.Name
	n := float64(s.Len())
	switch s.Init.Dist {
	case graph.Constant:
		ok = ok && mean == s.Init.Scale && dev == 0
	case graph.Normal: // the deviation's own deviation is 1/sqrt(2n); only a small sample stays within 3 deviations
		ok = ok && math.Abs(dev/s.Init.Scale-1) < 5/math.Sqrt(2*n) && (n < 3000 || most > 3*s.Init.Scale)
	case graph.Uniform:
		bound := s.Init.Scale
		ok = ok && math.Abs(dev/(bound/math.Sqrt(3))-1) < 5/math.Sqrt(2*n) && most <= bound*1.0001 && most > bound*(1-20/n)
	}
	if !ok {
		t.Errorf("%s starts as %v %v; torchvision's %v has mean %v, deviation %v, largest %v",
			s.Name, s.Init.Dist, s.Init.Scale, row[0], mean, dev, most)
	}
}

// TestCounts holds parameter counts of papers and reference programs for networks that neither the goldens nor
// torchvision have, in thousands.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		spec     string
		thousand float64
		within   float64
		source   string
	}{
		{"wrn-28-10", 36500, 50, "Wide Residual Networks, table 4: 36.5 million"},
		{"wrn-40-4", 8900, 60, "Wide Residual Networks, table 4: 8.9 million"},
		{"wrn-16-8", 11000, 60, "Wide Residual Networks, table 4: 11.0 million"},
		{"densenet-40-12", 1000, 60, "DenseNet, table 2: 1.0 million"},
		{"densenet-bc-100-12", 800, 50, "DenseNet, table 2: 0.8 million"},
		{"densenet-bc-250-24", 15300, 50, "DenseNet, table 2: 15.3 million"},
		{"densenet-bc-190-40", 25600, 50, "DenseNet, table 2: 25.6 million"},
		{"resnext29-8x64", 34400, 100, "ResNeXt, table 7: 34.4 million"},
		{"resnet20", 270, 5, "ResNet, table 6: 0.27 million"},
		{"resnet32", 460, 6, "ResNet, table 6: 0.46 million"},
		{"resnet44", 660, 6, "ResNet, table 6: 0.66 million"},
		{"resnet56", 850, 6, "ResNet, table 6: 0.85 million"},
		{"resnet110", 1700, 50, "ResNet, table 6: 1.7 million"},
		{"shakeshake26-2x32d", 2900, 60, "Shake-Shake, table 1: 2.9 million"},
		{"shakeshake26-2x64d", 11700, 60, "Shake-Shake, table 1: 11.7 million"},
		{"shakeshake26-2x96d", 26200, 140, "Shake-Shake, table 1: 26.2 million, with 16 channels before the first stage"},
		{"condensenet-small-50-c4-converted", 220, 7, "CondenseNet, README of the authors: 0.22 million"},
		{"condensenet-small-86-c4-converted", 520, 5, "CondenseNet, README of the authors: 0.52 million"},
		{"resnet1202", 19400, 50, "ResNet, table 6: 19.4 million"},
	} {
		if n := float64(build(t, c.spec, small, 10).Parameters()) / 1000; math.Abs(n-c.thousand) > c.within {
			t.Errorf("%s has %.0f thousand parameters, not %.0f (%s)", c.spec, n, c.thousand, c.source)
		}
	}
}

// TestCountsOfLarge is TestCounts for networks of large images, with multiply-adds in millions; the authors' count has other
// operations too.
func TestCountsOfLarge(t *testing.T) {
	for _, c := range []struct {
		spec               string
		thousand, millions float64
	}{
		{"rmg34", 32900, 5760},
		{"condensenet-c4-converted", 4800, 529},
		{"condensenet-c8-converted", 2900, 274},
	} {
		g := build(t, c.spec, large, 1000)
		n, adds := float64(g.Parameters())/1000, float64(g.MultiplyAdds())/1e6
		if math.Abs(n-c.thousand) > 60 || math.Abs(adds-c.millions) > 0.05*c.millions {
			t.Errorf("%s has %.0f thousand parameters and %.0f million multiply-adds, not %.0f and %.0f (README of the authors)",
				c.spec, n, adds, c.thousand, c.millions)
		}
	}
}

// TestBlur: the anti-aliased networks have the parameters and the shapes of the plain ones under the names that
// numbered modules give.
func TestBlur(t *testing.T) {
	for _, depth := range []string{"18", "34", "50", "101"} {
		plain := build(t, "resnet"+depth, large, 1000)
		for _, option := range []string{"-blur", "-blur2", "-blur3", "-blur4", "-blur5", "-blur6", "-blur7"} {
			g := build(t, "resnet"+depth+option, large, 1000)
			a, b := plain.Tensors(), g.Tensors()
			if len(a) != len(b) {
				t.Fatalf("%s has %d tensors, the plain one %d", g.Name, len(b), len(a))
			}
			for i := range a {
				if want := blurred(a[i].Name, depth); b[i].Name != want || !slices.Equal(a[i].Shape, b[i].Shape) {
					t.Errorf("%s has %s %v, want %s %v", g.Name, b[i].Name, b[i].Shape, want, a[i].Shape)
				}
			}
			blurs := 0
			for i, n := range g.Nodes {
				if o, ok := n.Op.(graph.BlurPool); ok {
					blurs++
					want := 4
					if option != "-blur" {
						want = int(option[5] - '0')
					}
					if o.Stride != 2 || o.Taps != want {
						t.Errorf("node %d of %s is %+v", i, g.Name, o)
					}
				}
				if c, ok := n.Op.(graph.Conv); ok && c.Stride != 1 && n.Name != "conv1" {
					t.Errorf("%s of %s has the stride %d", n.Name, g.Name, c.Stride)
				}
			}
			if blurs != 7 { // after the max pool, and in branch and shortcut of three stages
				t.Errorf("%s has %d filters", g.Name, blurs)
			}
		}
	}
}

// blurred renames a tensor of a plain ResNet.
func blurred(name, depth string) string {
	if len(name) < 9 || name[7:9] != "0." || name[5] < '2' || !strings.HasPrefix(name, "layer") {
		return name
	}
	conv := ".conv2."
	if depth == "50" || depth == "101" {
		conv = ".conv3."
	}
	return strings.NewReplacer(
		conv, conv+"1.", "downsample.1", "downsample.2", "downsample.0", "downsample.1",
	).Replace(name)
}

// TestEveryListed builds each row's networks for their images, and others.
func TestEveryListed(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range models.Table() {
		if e.Name == "" || e.Doc == "" || e.Form == "" || e.Paper == "" || len(e.Specs) == 0 || seen[e.Name] {
			t.Errorf("row %+v is not complete", e)
		}
		seen[e.Name] = true
		for _, spec := range e.Specs {
			g := build(t, spec, e.Input, 7)
			if g.Name != spec || g.Classes != 7 || g.Input() != e.Input {
				t.Errorf("%s is %s over %v with %d classes", spec, g.Name, g.Input(), g.Classes)
			}
			if in, err := models.Input(spec); err != nil || in != e.Input {
				t.Errorf("%s is for %v, %v", spec, in, err)
			}
			gray := e.Input
			gray.C, gray.H, gray.W = 1, gray.H*2, gray.W*2
			if g := build(t, spec, gray, 3); g.Input() != gray {
				t.Errorf("%s over %v", spec, g.Input())
			}
		}
	}
}

// TestInit holds how the networks of small images start, as their programs say.
func TestInit(t *testing.T) {
	normal := func(v float64) graph.Init { return graph.Init{Dist: graph.Normal, Scale: math.Sqrt(v)} }
	uniform := func(v float64) graph.Init { return graph.Init{Dist: graph.Uniform, Scale: math.Sqrt(v)} }
	for _, c := range []struct {
		spec, tensor string
		want         graph.Init
	}{
		{"wrn-40-2", "conv1.weight", normal(2.0 / (9 * 16))},
		{"wrn-40-2", "block2.layer.0.conv_shortcut.weight", normal(2.0 / 64)},
		{"wrn-40-2", "fc.weight", uniform(1.0 / 128)},
		{"wrn-40-2", "fc.bias", graph.Init{}},
		{"wrn-40-2", "bn1.weight", graph.Init{Scale: 1}},
		{"allconv", "features.0.weight", normal(2.0 / (9 * 96))},
		{"allconv", "features.0.bias", graph.Init{}},
		{"allconv", "classifier.weight", uniform(1.0 / 192)},
		{"densenet-bc-100-12", "dense1.0.conv1.weight", normal(2.0 / 48)},
		{"densenet-bc-100-12", "trans1.conv1.weight", normal(2.0 / 108)},
		{"densenet-bc-100-12", "fc.bias", graph.Init{}},
		{"resnext29-4x32", "stage_2.0.conv_conv.weight", normal(2.0 / (9 * 256))}, // groups are not counted
		{"resnext29-4x32", "classifier.weight", normal(2.0 / 1024)},
		{"resnext29-4x32", "classifier.bias", graph.Init{}},
		{"resnet20", "layer2.0.conv1.weight", normal(2.0 / (9 * 16))},                             // by inputs
		{"densenet121", "features.denseblock1.denselayer1.conv2.weight", normal(2.0 / (9 * 128))}, // by inputs
		{"densenet121", "classifier.weight", uniform(1.0 / 1024)},
		{"densenet121", "classifier.bias", graph.Init{}},
		{"resnet20", "linear.weight", normal(2.0 / 64)},
		{"resnet20", "linear.bias", uniform(1.0 / 64)},
	} {
		found := false
		for _, s := range build(t, c.spec, small, 10).Tensors() {
			if s.Name == c.tensor {
				found = true
				if s.Init.Dist != c.want.Dist || math.Abs(s.Init.Scale-c.want.Scale) > 1e-12 {
					t.Errorf("%s of %s starts as %+v, want %+v", c.tensor, c.spec, s.Init, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no %s", c.spec, c.tensor)
		}
	}
}

func TestDropout(t *testing.T) {
	plain, dropped := build(t, "wrn-40-4", small, 10), build(t, "wrn-40-4-drop0.3", small, 10)
	if a, b := len(plain.Nodes), len(dropped.Nodes); b-a != 18 {
		t.Errorf("%d nodes with dropout, %d without, want one more in each of 18 blocks", b, a)
	}
	for i, n := range dropped.Nodes {
		if d, ok := n.Op.(graph.Dropout); ok {
			_, relu := dropped.Nodes[n.In[0]].Op.(graph.ReLU)
			_, conv := dropped.Nodes[i+1].Op.(graph.Conv)
			if d.P != 0.3 || !relu || !conv {
				t.Errorf("node %d is %+v", i, n)
			}
		}
	}
}

func TestZeroGamma(t *testing.T) {
	zeros := 0
	for _, s := range build(t, "resnet50-zerogamma", large, 10).Tensors() {
		if s.Role == graph.Gamma && s.Init.Scale == 0 {
			zeros++
			if !strings.HasSuffix(s.Name, "bn3.weight") {
				t.Errorf("%s starts at 0", s.Name)
			}
		}
	}
	if zeros != 16 {
		t.Errorf("%d batch norms start at 0, want one in each of 16 blocks", zeros)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ spec, says string }{
		{"", "there are: wrn-DEPTH-WIDTH"},
		{"resnet", "resnet18|34|50|101|152"},
		{"resnet19", "there are"},
		{"resnet200", "there are"},
		{"wrn-40", `"" where "-" is expected`},
		{"wrn-40-", "where the width is expected"},
		{"wrn-41-2", "the depth 41 is not 6n+4 (10, 16, 22"},
		{"wrn-40-0", "the width 0 is not 1 to 1024"},
		{"wrn-040-2", "the depth 040 is not 10 to"},
		{"wrn-99999999999999999999-2", "is not 10 to"},
		{"wrn-40-2-drop1.5", "the dropout probability 1.5 is not 0 to 0.99"},
		{"wrn-40-2-drop", "where the dropout probability is expected"},
		{"wrn-40-2-drop.1.2", "where the dropout probability is expected"},
		{"wrn-40-2-drop0.1-drop0.2", "-drop is given twice"},
		{"wrn-40-2-x", `"x" is none of -drop`},
		{"wrn-40-2x", `"x" where "-" is expected`},
		{"allconv-2", `nothing may follow, not "2"`},
		{"densenet-bc-101-12", "the depth 101 is not 6n+4 (10, 16, 22, ...)"},
		{"densenet-41-12", "the depth 41 is not 3n+4 (7, 10, 13, ...)"},
		{"densenet-40-12-r2", "the kept fraction 2 is not 0.01 to 1"},
		{"resnext29-4", `where "x" is expected`},
		{"resnext50-32x4", `where "d" is expected`},
		{"resnet50-blur8", "the number of taps 8 is not 2 to 7"},
		{"resnet50-blur1", "the number of taps 1 is not 2 to 7"},
		{"resnet20-blur", "nothing may follow"},
		{"shakeshake26-2x96", `where "d" is expected`},
		{"condensenet-c3", "3 groups are not 1, 2, 4 or 8"},
		{"condensenet-small-9-c4", "the depth 9 is not 6n+2 (8, 14, 20"},
		{"msdnet-5-99999", "is not 1 to 1300"},
		{"msdnet-1000-1000", "1000 blocks of 1000 layers are more than 1300 layers"},
		{"vgg11-bnx", `"x" where "-" is expected`},
		{"squeezenet1.2", "there are"},
	} {
		_, err := models.Build(c.spec, small, 10)
		if !errors.Is(err, models.ErrSpec) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want ErrSpec and %q", c.spec, err, c.says)
		}
	}
	for _, c := range []struct {
		spec    string
		input   graph.Shape
		classes int
		is      error
	}{
		{"wrn-40-2", graph.Shape{}, 10, models.ErrSpec},
		{"wrn-40-2", graph.Shape{H: 1 << 30, W: 32, C: 3}, 10, models.ErrSpec},
		{"wrn-40-2", small, 0, models.ErrSpec},
		{"wrn-40-2", small, 1 << 30, models.ErrSpec},
		{"allconv", graph.Shape{H: 32, W: 28, C: 3}, 10, models.ErrSpec},
		{"allconv", graph.Shape{H: 8, W: 8, C: 3}, 10, models.ErrSpec},
		{"resnext29-1024x1024", small, 10, models.ErrSpec},
		{"vgg11", large, 1 << 20, models.ErrSpec},
		{"alexnet", small, 10, graph.ErrGraph},
		{"vgg11", graph.Shape{H: 16, W: 16, C: 3}, 10, graph.ErrGraph},
		{"squeezenet1.0", graph.Shape{H: 8, W: 8, C: 3}, 10, graph.ErrGraph},
	} {
		if _, err := models.Build(c.spec, c.input, c.classes); !errors.Is(err, c.is) {
			t.Errorf("%s over %v with %d classes: %v, want %v", c.spec, c.input, c.classes, err, c.is)
		}
	}
	if _, err := models.Input("nothing"); !errors.Is(err, models.ErrSpec) {
		t.Errorf("Input of no network: %v", err)
	}
}

// FuzzBuild: no spec panics, and what builds carries its spec.
func FuzzBuild(f *testing.F) {
	for _, e := range models.Table() {
		for _, s := range e.Specs {
			f.Add(s, 32, 10)
		}
	}
	f.Add("wrn-10-1-drop0.5", 8, 1)
	f.Add("densenet-b-10-1-r0.01", 8, 2)
	f.Fuzz(func(t *testing.T, spec string, side, classes int) {
		if side > 64 || len(spec) > 40 {
			return
		}
		g, err := models.Build(spec, graph.Shape{H: side, W: side, C: 3}, classes)
		switch {
		case err == nil && (g.Name != spec || g.Check() != nil):
			t.Fatalf("%q builds %q, %v", spec, g.Name, g.Check())
		case err != nil && !errors.Is(err, models.ErrSpec) && !errors.Is(err, graph.ErrGraph):
			t.Fatalf("%q: %v", spec, err)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build(b, "resnet50", large, 1000)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "networks/s")
}

func ExampleBuild() {
	g, err := models.Build("wrn-40-2", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Parameters(), "parameters,", g.MultiplyAdds()/1e6, "million multiply-adds")
	fmt.Println(g.Tensors()[0].Name, g.Tensors()[0].Shape)
	// Output:
	// 2243546 parameters, 327 million multiply-adds
	// conv1.weight [16 3 3 3]
}

func ExampleTable() {
	for _, e := range models.Table()[:3] {
		fmt.Println(e.Form)
	}
	// Output:
	// wrn-DEPTH-WIDTH[-dropP]
	// allconv
	// densenet[-b|-bc]-DEPTH-GROWTH[-rR]
}
