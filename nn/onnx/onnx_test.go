package onnx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
)

func build(t testing.TB, spec string, side int) *graph.Graph {
	t.Helper()
	g, err := models.Build(spec, graph.Shape{H: side, W: side, C: 3}, 10)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// numbered fills a network's tensors with numbers that differ.
func numbered(g *graph.Graph) []weights.Tensor {
	var ts []weights.Tensor
	n := 0
	for _, t := range g.Tensors() {
		w := weights.Tensor{Name: t.Name, Shape: t.Shape, Data: make([]float32, t.Len())}
		for i := range w.Data {
			w.Data[i] = float32(n%1000003) / 1000003
			n += 7
		}
		ts = append(ts, w)
	}
	return ts
}

func export(t testing.TB, g *graph.Graph, ts []weights.Tensor, o onnx.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	room := 1 << 20
	for _, x := range ts {
		room += 4 * len(x.Data)
	}
	b.Grow(room)
	if err := onnx.Export(&b, g, ts, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestExportReadsBack reads every family's export: the weights come back bit for bit, every node reads what comes
// before it, and there are as many operators of each kind as the graph has layers.
func TestExportReadsBack(t *testing.T) {
	for _, spec := range []string{
		"wrn-16-2-drop0.3", "allconv", "densenet-bc-40-12", "resnext29-4x32", "resnet20", "resnet18-blur4", "squeezenet1.1",
		"densenet121", "shakeshake26-2x32d", "msdnet-small-7-2",
		"condensenet-small-8-c4", "condensenet-small-8-c4-converted",
		"rmg18",
	} {
		t.Run(spec, func(t *testing.T) {
			g := build(t, spec, 64)
			ts := numbered(g)
			o := onnx.Options{Version: "v1", Opset: 15, Batch: 4, Metadata: map[string]string{"b": "2", "a": "1"}}
			b := export(t, g, ts, o)
			m, err := onnx.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			if m.IR != 8 || m.Opset != 15 || m.Producer != "augmix" || m.ProducerVersion != "v1" || m.Name != spec ||
				!reflect.DeepEqual(m.Metadata, o.Metadata) {
				t.Errorf("the model is %+v", m)
			}
			if in := []onnx.Value{{Name: "input", Type: 1, Shape: []int64{4, 3, 64, 64}}}; !reflect.DeepEqual(m.Inputs, in) {
				t.Errorf("inputs %+v", m.Inputs)
			}
			out := []onnx.Value{{Name: "logits", Type: 1, Shape: []int64{4, 10}}}
			for i := range g.Exits {
				out = append(out, onnx.Value{Name: fmt.Sprintf("logits_%d", i+1), Type: 1, Shape: []int64{4, 10}})
			}
			if !reflect.DeepEqual(m.Outputs, out) {
				t.Errorf("outputs %+v, want %+v", m.Outputs, out)
			}
			if !reflect.DeepEqual(m.Weights(), ts) {
				t.Error("the weights are others")
			}
			checkFlow(t, m)
			checkOps(t, g, m)
			if again := export(t, g, ts, o); !bytes.Equal(b, again) {
				t.Error("a second export gives other bytes")
			}
		})
	}
}

// TestExportImage: a network that makes images has an output with four axes, and takes any size.
func TestExportImage(t *testing.T) {
	g, err := (image2image.EDSR{Blocks: 2, Width: 4, Scale: 3}).Graph(8, 8)
	if err != nil {
		t.Fatal(err)
	}
	ts := numbered(g)
	m, err := onnx.Read(export(t, g, ts, onnx.Options{Image: true}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		got  []onnx.Value
		want string
	}{{m.Inputs, "[{input 1 [0 3 0 0]}]"}, {m.Outputs, "[{image 1 [0 3 0 0]}]"}} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
	if !reflect.DeepEqual(m.Weights(), ts) {
		t.Error("the weights are others")
	}
	checkFlow(t, m)
	counts := map[string]int{}
	for _, n := range m.Nodes {
		if counts[n.Op]++; n.Op == "DepthToSpace" && (n.Attributes["blocksize"] != int64(3) || n.Attributes["mode"] != "CRD") {
			t.Errorf("%+v", n)
		}
	}
	if got := fmt.Sprint(counts); got != "map[Add:3 Conv:10 DepthToSpace:1 Identity:1 Relu:2]" {
		t.Error(got)
	}
	classifier := build(t, "resnet20", 32)
	if err := onnx.Export(io.Discard, classifier, numbered(classifier), onnx.Options{Image: true}); !errors.Is(err, onnx.ErrExport) {
		t.Errorf("a classifier: %v", err)
	}
}

// checkFlow: every name that is read exists before, no name is given twice, and every node is read.
func checkFlow(t *testing.T, m *onnx.Model) {
	t.Helper()
	known := map[string]bool{m.Inputs[0].Name: true, "": true} // an input that is left out has no name
	used := map[string]bool{"": true}
	for _, out := range m.Outputs {
		used[out.Name] = true
	}
	for _, x := range m.Initializers {
		known[x.Name] = true
	}
	for _, x := range m.Ints {
		known[x.Name] = true
	}
	for _, n := range m.Nodes {
		for _, in := range n.Inputs {
			if !known[in] {
				t.Errorf("%s reads %q, which does not exist", n.Name, in)
			}
			used[in] = true
		}
		for _, out := range n.Outputs {
			if known[out] {
				t.Errorf("%q is there twice", out)
			}
			known[out] = true
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("nobody reads %q", name)
		}
	}
}

// checkOps counts operators.
func checkOps(t *testing.T, g *graph.Graph, m *onnx.Model) {
	t.Helper()
	want, got := map[string]int{}, map[string]int{}
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case graph.Conv, graph.BlurPool, graph.LearnedGroupConv:
			want["Conv"]++
		case graph.Select:
			want["Gather"]++
		case graph.Upsample:
			want["Resize"]++
		case graph.BatchNorm:
			want["BatchNormalization"]++
		case graph.ReLU:
			want["Relu"]++
		case graph.MaxPool:
			want["MaxPool"]++
		case graph.Linear:
			want["Gemm"]++
		case graph.Add, graph.ShakeShake:
			want["Add"]++
		case graph.Concat:
			want["Concat"]++
		case graph.GELU:
			if op.Sigmoid {
				want["Sigmoid"]++
			}
		}
	}
	for _, n := range m.Nodes {
		got[n.Op]++
	}
	for op, n := range want {
		if got[op] != n {
			t.Errorf("%d nodes are %s, want %d", got[op], op, n)
		}
	}
	if got["Dropout"] != 0 {
		t.Error("there is dropout")
	}
}

// TestAttributes pins the attributes and constants of operators that are easy to get wrong.
func TestAttributes(t *testing.T) {
	g := build(t, "resnet18-blur4", 64)
	m, err := onnx.Read(export(t, g, numbered(g), onnx.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	ints, floats := map[string][]int64{}, map[string]weights.Tensor{}
	for _, x := range m.Ints {
		ints[x.Name] = x.Data
	}
	for _, x := range m.Initializers {
		floats[x.Name] = x
	}
	if m.IR != 7 || m.Opset != 13 || m.Inputs[0].Shape[0] != 0 {
		t.Errorf("version %d, operator set %d, input %v", m.IR, m.Opset, m.Inputs[0].Shape)
	}
	blur := -1
	for i, n := range m.Nodes {
		if n.Op == "Pad" && blur < 0 {
			blur = i
		}
	}
	pad, conv := m.Nodes[blur], m.Nodes[blur+1]
	// Four taps: one pixel is reflected before and two after.
	if pad.Attributes["mode"] != "reflect" || !slices.Equal(ints[pad.Inputs[1]], []int64{0, 0, 1, 1, 0, 0, 2, 2}) {
		t.Errorf("the blur's border is %+v %v", pad, ints[pad.Inputs[1]])
	}
	want := map[string]any{"group": int64(64), "kernel_shape": []int64{4, 4}, "strides": []int64{2, 2}}
	if conv.Op != "Conv" || !reflect.DeepEqual(conv.Attributes, want) {
		t.Errorf("the blur is %+v, want %v", conv, want)
	}
	w := floats[conv.Inputs[1]]
	row := []float32{1, 3, 3, 1}
	for i, v := range w.Data {
		if v != row[i/4%4]*row[i%4]/64 {
			t.Fatalf("the blur's filter is %v", w.Data[:16])
		}
	}
	if !slices.Equal(w.Shape, []int{64, 1, 4, 4}) {
		t.Errorf("the blur's filter has the shape %v", w.Shape)
	}
	for _, n := range m.Nodes {
		if n.Op == "BatchNormalization" {
			eps, momentum := n.Attributes["epsilon"], n.Attributes["momentum"]
			if eps != float32(1e-5) || momentum != float32(0.9) || len(n.Inputs) != 5 {
				t.Errorf("%+v", n)
			}
		}
	}
}

func TestExportErrors(t *testing.T) {
	g := build(t, "wrn-10-1", 32)
	ts := numbered(g)
	for _, o := range []onnx.Options{{Opset: 12}, {Opset: 18}, {Batch: -1}} {
		err := onnx.Export(io.Discard, g, ts, o)
		if !errors.Is(err, onnx.ErrExport) || !strings.Contains(err.Error(), "13 to 17") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := onnx.Export(io.Discard, g, ts[1:], onnx.Options{}); !errors.Is(err, weights.ErrMismatch) {
		t.Errorf("a tensor less: %v", err)
	}
	for _, none := range []*graph.Graph{{}, nil} {
		err := onnx.Export(io.Discard, none, nil, onnx.Options{})
		if !errors.Is(err, onnx.ErrExport) || !errors.Is(err, graph.ErrGraph) {
			t.Errorf("no graph: %v", err)
		}
	}
	if err := onnx.Export(failing{}, g, ts, onnx.Options{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a full disk: %v", err)
	}
	// DataParallel's names are taken as weights.Fill takes them.
	for i := range ts {
		ts[i].Name = weights.Prefix + ts[i].Name
	}
	m, err := onnx.Read(export(t, g, ts, onnx.Options{}))
	if err != nil || m.Initializers[0].Name != "conv1.weight" || !slices.Equal(m.Initializers[0].Data, ts[0].Data) {
		t.Errorf("with a prefix: %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// msg encodes fields by hand, independently of the package: pairs of a key byte (number<<3 | wire type) and a value.
func msg(pairs ...any) []byte {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = append(b, byte(pairs[i].(int)))
		switch v := pairs[i+1].(type) {
		case int:
			b = binary.AppendUvarint(b, uint64(v))
		case int64:
			b = binary.AppendUvarint(b, uint64(v))
		case string:
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		}
	}
	return b
}

// file wraps a tensor and a node as a model.
func file(tensor, node []byte) []byte {
	out := msg(10, "y")
	return msg(8, 7, 58, msg(10, node, 18, "g", 42, tensor, 98, out))
}

var relu = msg(10, "x", 18, "y", 34, "Relu")

func TestRead(t *testing.T) {
	m, err := onnx.Read(file(msg(10, []byte{2, 1}, 16, 1, 66, "w", 74, []byte{0, 0, 128, 63, 0, 0, 0, 64}), relu))
	if err != nil {
		t.Fatal(err)
	}
	want := weights.Tensor{Name: "w", Shape: []int{2, 1}, Data: []float32{1, 2}}
	if len(m.Initializers) != 1 || !reflect.DeepEqual(m.Initializers[0], want) || m.Nodes[0].Op != "Relu" {
		t.Errorf("%+v", m)
	}
	// Values in the typed fields, packed and not; a type that is not kept; fields that are not known.
	typed := msg(8, 2, 16, 1, 66, "w", 34, []byte{0, 0, 128, 63, 0, 0, 0, 64})
	if m, err = onnx.Read(file(typed, relu)); err != nil || !slices.Equal(m.Initializers[0].Data, []float32{1, 2}) {
		t.Errorf("float_data: %+v %v", m, err)
	}
	whole := msg(8, 2, 16, 7, 66, "w", 58, []byte{5, 6})
	if m, err = onnx.Read(file(whole, relu)); err != nil || !slices.Equal(m.Ints[0].Data, []int64{5, 6}) {
		t.Errorf("int64_data: %+v %v", m, err)
	}
	other := msg(8, 2, 16, 2, 66, "w", 74, "\x00\x00")
	if m, err = onnx.Read(file(other, relu)); err != nil || len(m.Initializers) != 0 {
		t.Errorf("uint8: %+v %v", m, err)
	}
	if _, err = onnx.Read(append(file(typed, relu), msg(120, 1, 122, "?")...)); err != nil {
		t.Errorf("unknown fields: %v", err)
	}
}

// TestReadFloats: floats of other sizes are converted, wherever their values lie.
func TestReadFloats(t *testing.T) {
	const one, half = "\x00\x00\x00\x00\x00\x00\xf0\x3f", "\x00\x00\x00\x00\x00\x00\xe0\x3f" // in 64 bits
	for name, tensor := range map[string][]byte{
		"float16, raw":            msg(8, 2, 16, 10, 66, "w", 74, "\x00\x3c\x00\x38"),
		"float16, int32_data":     msg(8, 2, 16, 10, 66, "w", 42, binary.AppendUvarint(binary.AppendUvarint(nil, 0x3c00), 0x3800)),
		"bfloat16, raw":           msg(8, 2, 16, 16, 66, "w", 74, "\x80\x3f\x00\x3f"),
		"bfloat16, int32_data":    msg(8, 2, 16, 16, 66, "w", 40, 0x3f80, 40, 0x3f00),
		"double, raw":             msg(8, 2, 16, 11, 66, "w", 74, one+half),
		"double, double_data":     msg(8, 2, 16, 11, 66, "w", 82, one+half),
		"double, one by one":      append(msg(8, 2, 16, 11, 66, "w"), "\x51"+one+"\x51"+half...),
		"float32, for comparison": msg(8, 2, 16, 1, 66, "w", 74, "\x00\x00\x80\x3f\x00\x00\x00\x3f"),
	} {
		m, err := onnx.Read(file(tensor, relu))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []weights.Tensor{{Name: "w", Shape: []int{2}, Data: []float32{1, .5}}}
		if !reflect.DeepEqual(m.Initializers, want) {
			t.Errorf("%s: %+v", name, m.Initializers)
		}
	}
}

// rewrite gives the members of a message with a number what f makes of them.
func rewrite(b []byte, number uint64, f func([]byte) []byte) (out []byte) {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		member := n
		v, k := binary.Uvarint(b[n:])
		if member += k; key&7 == 2 {
			member += int(v)
		}
		if key == number<<3|2 {
			x := f(b[n+k : member])
			out = append(binary.AppendUvarint(append(out, b[:n]...), uint64(len(x))), x...)
		} else {
			out = append(out, b[:member]...)
		}
		b = b[member:]
	}
	return out
}

// TestFloat16: a file of Export whose weights were converted to 16 bits is the same network.
func TestFloat16(t *testing.T) {
	g := build(t, "wrn-10-1", 32)
	ts := numbered(g)
	for _, x := range ts {
		for i := range x.Data {
			x.Data[i] = 1.5
		}
	}
	b := rewrite(export(t, g, ts, onnx.Options{}), 7, func(graph []byte) []byte {
		return rewrite(graph, 5, func(tensor []byte) []byte {
			if !bytes.Contains(tensor, []byte("\x10\x01\x42")) { // of another type
				return tensor
			}
			tensor = rewrite(tensor, 9, func(raw []byte) []byte { return bytes.Repeat([]byte("\x00\x3e"), len(raw)/4) })
			return bytes.Replace(tensor, []byte("\x10\x01\x42"), []byte("\x10\x0a\x42"), 1)
		})
	})
	m, err := onnx.Read(b)
	if err != nil || !m.Computes(g) {
		t.Fatal(err)
	}
	if err := weights.Match(ts, m.Weights()); err != nil || !slices.Equal(m.Weights()[0].Data, ts[0].Data) {
		t.Error(err)
	}
}

func TestReadErrors(t *testing.T) {
	one := "\x00\x00\x80\x3f"
	good := msg(8, 1, 16, 1, 66, "w", 74, one)
	if _, err := onnx.Read(file(good, relu)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file []byte
		says string
	}{
		{nil, "0 graphs"},
		{[]byte("not a network at all"), "not an ONNX file"},
		{msg(8, 7), "0 graphs"},
		{msg(8, 7, 58, msg(18, "g")), "0 nodes"},
		{msg(58, msg(10, relu, 98, msg(10, "y"))), "version 0"},
		{append(file(good, relu), file(good, relu)...), "2 graphs"},
		{msg(8, 7, 56, 3), "field 7 has the wire type 0, not 2"},
		{msg(10, "7"), "field 1 has the wire type 2, not 0"},
		{msg(11, 7), "the wire type 3"},
		{file(good, msg(10, "x", 18, "y")), "node 0 has no operator or no output"},
		{file(good, msg(34, "Relu")), "node 0 has no operator or no output"},
		{file(good, msg(18, "y", 34, "Relu", 42, msg(10, "a", 160, 1))), "node 0: "},
		{file(msg(8, 2, 16, 1, 66, "w", 74, one), relu), `tensor "w" has 1 values and the shape [2]`},
		{file(msg(8, 1, 16, 1, 66, "w", 74, one+"\x00"), relu), `tensor "w": a message ends in the middle`},
		{file(msg(8, int64(1<<40), 16, 1, 66, "w", 74, one), relu), `tensor "w": the shape [1099511627776]`},
		{file(msg(8, 1<<30, 8, 1<<30, 16, 1, 66, "w"), relu), `tensor "w": the shape [1073741824 1073741824]`},
		{file(msg(10, bytes.Repeat([]byte{1}, 40), 16, 1, 66, "w", 74, one), relu), "40 axes"},
		{file(msg(8, 1, 16, 1, 66, "w", 112, 1), relu), `tensor "w" lies in another file`},
		{file(msg(8, 1, 16, 7, 66, "w", 74, one), relu), `tensor "w": a message ends in the middle`},
		{file(msg(8, 1, 16, 11, 66, "w", 74, one), relu), `tensor "w": a message ends in the middle`},
		{file(msg(8, 1, 16, 10, 66, "w", 74, one), relu), `tensor "w" has 2 values and the shape [1]`},
		{file(msg(8, 1, 16, 10, 66, "w", 40, 1<<16), relu), `tensor "w": a value of 65536 in a type of 16 bits`},
	} {
		_, err := onnx.Read(c.file)
		if !errors.Is(err, onnx.ErrFormat) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%x: %v, want ErrFormat and %q", c.file, err, c.says)
		}
	}
	g := build(t, "wrn-10-1", 32)
	whole := export(t, g, numbered(g), onnx.Options{})
	for n := 0; n < len(whole); n += max(1, len(whole)/500) {
		if _, err := onnx.Read(whole[:n]); !errors.Is(err, onnx.ErrFormat) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "net.onnx")
	g := build(t, "wrn-10-1", 32)
	if err := os.WriteFile(path, export(t, g, numbered(g), onnx.Options{}), 0o666); err != nil {
		t.Fatal(err)
	}
	if m, err := onnx.ReadFile(path); err != nil || m.Name != "wrn-10-1" {
		t.Errorf("%v %v", m, err)
	}
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := onnx.ReadFile(path); !errors.Is(err, onnx.ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("truncated: %v", err)
	}
	if _, err := onnx.ReadFile(dir); !errors.Is(err, onnx.ErrFormat) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := onnx.ReadFile(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// TestForeign reads a file that PyTorch wrote.
func TestForeign(t *testing.T) {
	path := filepath.Join(golden.NeedBeside(t, "models"), "resnet20-12fca82f.onnx")
	m, err := onnx.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, n := range m.Nodes {
		counts[n.Op]++
	}
	if m.Producer != "pytorch" || counts["Conv"] != 19 || counts["Add"] != 9 || counts["Gemm"] != 1 || len(m.Inputs) != 1 {
		t.Errorf("%s %s has %v", m.Producer, m.ProducerVersion, counts)
	}
	values := 0
	for _, x := range m.Initializers {
		values += len(x.Data)
	}
	// 269722 parameters, 688 channels of batch norms: gamma, beta and bias become one bias a channel.
	if want := 269722 - 688; values != want {
		t.Errorf("%d values, want %d", values, want)
	}
}

// FuzzRead: no input panics, and what is read takes no more than some times the memory of the file.
func FuzzRead(f *testing.F) {
	b := graph.NewBuilder("tiny", graph.Shape{H: 4, W: 4, C: 2}, 2)
	x := b.Add("a", graph.Conv{Out: 2, KH: 3, KW: 3, Stride: 1, Pad: 1, Groups: 1, Bias: true}, 0)
	x = b.Add("", graph.GELU{}, b.Add("bn", graph.BatchNorm{Eps: 1e-5, Momentum: 0.1}, x))
	x = b.Add("", graph.Subsample{Stride: 2, Before: 1, After: 1}, b.Add("", graph.BlurPool{Taps: 3, Stride: 1}, x))
	b.Add("fc", graph.Linear{Out: 2, Bias: true}, b.Add("", graph.Flatten{}, x))
	g, err := b.Done()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(export(f, g, numbered(g), onnx.Options{Metadata: map[string]string{"k": "v"}}))
	f.Add(file(msg(8, 1, 16, 1, 66, "w", 74, "\x00\x00\x80\x3f"), relu))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := onnx.Read(b)
		if err != nil {
			if !errors.Is(err, onnx.ErrFormat) {
				t.Fatalf("%v is not ErrFormat", err)
			}
			return
		}
		values := len(m.Nodes)
		for _, x := range m.Initializers {
			values += len(x.Data)
		}
		for _, x := range m.Ints {
			values += len(x.Data)
		}
		if values > len(b) {
			t.Fatalf("%d values and nodes of %d bytes", values, len(b))
		}
	})
}

func BenchmarkExport(b *testing.B) {
	g := build(b, "resnet18", 64)
	ts := numbered(g)
	b.SetBytes(4 * g.Parameters())
	for b.Loop() {
		if err := onnx.Export(io.Discard, g, ts, onnx.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "files/s")
}

func ExampleExport() {
	b := graph.NewBuilder("tiny", graph.Shape{H: 8, W: 8, C: 1}, 2)
	x := b.Add("", graph.Flatten{}, 0)
	b.Add("fc", graph.Linear{Out: 2, Bias: true}, x)
	g, err := b.Done()
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err = onnx.Export(&file, g, []weights.Tensor{
		{Name: "fc.weight", Shape: []int{2, 64}, Data: make([]float32, 128)},
		{Name: "fc.bias", Shape: []int{2}, Data: make([]float32, 2)},
	}, onnx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := onnx.Read(file.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range m.Nodes {
		fmt.Println(n.Op, n.Inputs)
	}
	// Output:
	// Flatten [input]
	// Gemm [Flatten_1 fc.weight fc.bias]
	// Identity [Gemm_2]
}
