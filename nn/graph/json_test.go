package graph_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
)

// TestJSONRoundTrip: every network comes back as it was.
func TestJSONRoundTrip(t *testing.T) {
	kinds := map[string]bool{}
	for _, e := range models.Table() {
		for _, spec := range append(e.Specs, e.Specs[0]) {
			if e.Name == "wrn" {
				spec += "-drop0.3"
			}
			g, err := models.Build(spec, e.Input, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range g.Nodes {
				kinds[n.Op.Kind()] = true
			}
			b, err := json.Marshal(g)
			if err != nil {
				t.Fatal(err)
			}
			var back graph.Graph
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			if !reflect.DeepEqual(g, &back) {
				t.Errorf("%s comes back different", spec)
			}
		}
	}
	kinds["pixel_shuffle"], kinds["scale"] = true, true // of networks that make images: TestJSONOfImages
	for kind := range graph.Ops() {
		if !kinds[kind] {
			t.Errorf("no network has %s", kind)
		}
	}
}

// TestJSONOfImages: operations that no classifier has come back, with what they are refused for.
func TestJSONOfImages(t *testing.T) {
	b := graph.NewBuilder("image", graph.Shape{H: 2, W: 3, C: 8}, 48)
	b.Add("", graph.Flatten{}, b.Add("", graph.PixelShuffle{By: 2}, b.Add("", graph.Scale{Factor: 0.25}, 0)))
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	var back graph.Graph
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(g, &back) {
		t.Errorf("%v comes back as %v, %v", g, back, err)
	}
	for _, op := range []graph.Op{
		graph.PixelShuffle{By: 3}, graph.PixelShuffle{}, graph.PixelShuffle{By: -2}, graph.PixelShuffle{By: 1 << 62}, graph.Scale{Factor: math.Inf(1)},
	} {
		b := graph.NewBuilder("bad", graph.Shape{H: 2, W: 3, C: 8}, 48)
		b.Add("", graph.Flatten{}, b.Add("", op, 0))
		if _, err := b.Done(); !errors.Is(err, graph.ErrGraph) {
			t.Errorf("%+v: %v", op, err)
		}
	}
}

const tiny = `{"format":"augmix-graph-1","name":"tiny","classes":2,"nodes":[` +
	`{"op":"input","shape":[2,2,1]},` +
	`{"op":"adaptive_pool","in":[0],"shape":[1,1,1],"with":{"h":1,"w":1}},` +
	`{"op":"linear","name":"fc","in":[1],"shape":[1,1,2],"with":{"bias":true,"init":{"dist":"normal","scale":0.5},` +
	`"init_bias":{"dist":"constant","scale":0},"out":2}}]}`

func tinyGraph(t testing.TB) *graph.Graph {
	b := graph.NewBuilder("tiny", graph.Shape{H: 2, W: 2, C: 1}, 2)
	x := b.Add("", graph.AdaptivePool{H: 1, W: 1}, 0)
	b.Add("fc", graph.Linear{Out: 2, Bias: true, Init: graph.Init{Dist: graph.Normal, Scale: 0.5}}, x)
	g, err := b.Done()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestJSONForm pins the form, which other programs read.
func TestJSONForm(t *testing.T) {
	b, err := json.Marshal(tinyGraph(t))
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != tiny {
		t.Errorf("the form is\n%s\nwant\n%s", b, tiny)
	}
}

func TestJSONErrors(t *testing.T) {
	for _, c := range []struct{ from, to, says string }{
		{`{"format"`, `"format"`, "invalid character"},
		{"graph-1", "graph-9", `the format is "augmix-graph-9"`},
		{`"classes":2`, `"classes":3`, "ends in 1x1x2, not in 3 logits"},
		{`"classes":2`, `"classes":-2`, "-2 classes"},
		{`"adaptive_pool"`, `"lstm"`, "no such operation"},
		{`{"h":1,"w":1}`, `{"h":1}`, `no field "w"`},
		{`{"h":1,"w":1}`, `{"h":1,"w":1,"depth":1}`, `unknown field "depth"`},
		{`{"h":1,"w":1}`, `{"h":1,"w":1000000000}`, `field "w" is 1000000000`},
		{`{"h":1,"w":1}`, `{"h":1,"w":-1}`, `field "w" is -1`},
		{`{"h":1,"w":1}`, `{"h":1,"w":"1"}`, `field "w"`},
		{`"in":[1]`, `"in":[2]`, "reads node 2"},
		{`"in":[1]`, `"in":[-1]`, "reads node -1"},
		{`"shape":[1,1,2]`, `"shape":[1,1,4]`, "gives 1x1x2, not 1x1x4"},
		{`"shape":[2,2,1]`, `"shape":[16777216,16777216,16777216]`, "is empty or too large"},
		{`"shape":[2,2,1]`, `"shape":[0,2,1]`, "is empty or too large"},
		{`"in":[1]`, `"in":[1],"out":[2]`, `unknown field "out"`},
		{`"classes":2`, `"classes":2,"layers":2`, `unknown field "layers"`},
		{`,"scale":0.5`, ``, "without dist or scale"},
		{`"scale":0.5`, `"scale":0.5,"mean":1`, `unknown field "mean"`},
		{`"normal"`, `"cauchy"`, `no distribution "cauchy" (there are: constant, normal, uniform)`},
		{`"name":"fc"`, `"name":""`, "has parameters and the name"},
		{tiny, `{}`, "the format is"},
		{tiny, `{"format":"augmix-graph-1","classes":1}`, "has 0 nodes"},
	} {
		if !strings.Contains(tiny, c.from) {
			t.Fatalf("the form has no %s", c.from)
		}
		var g graph.Graph
		err := json.Unmarshal([]byte(strings.Replace(tiny, c.from, c.to, 1)), &g)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s instead of %s: %v, want %q", c.to, c.from, err, c.says)
		}
		if c.says != "invalid character" && !errors.Is(err, graph.ErrGraph) {
			t.Errorf("%s instead of %s: %v is not ErrGraph", c.to, c.from, err)
		}
	}
	if _, err := json.Marshal(&graph.Graph{Nodes: make([]graph.Node, 1)}); !errors.Is(err, graph.ErrGraph) {
		t.Errorf("a node without operation: %v", err)
	}
	if _, err := graph.Distribution(7).MarshalText(); !errors.Is(err, graph.ErrGraph) {
		t.Errorf("distribution 7: %v", err)
	}
}

// FuzzJSON: no input panics, and what is read is written again as the same network.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(tiny))
	for _, spec := range []string{
		"wrn-10-1", "allconv", "densenet-7-1", "resnet20", "resnet18-blur3", "squeezenet1.1", "shakeshake26-2x2d", "msdnet-small-2-1",
		"condensenet-small-8-c4", "condensenet-small-8-c4-converted",
	} {
		g, err := models.Build(spec, graph.Shape{H: 32, W: 32, C: 3}, 2)
		if err != nil {
			f.Fatal(err)
		}
		b, err := json.Marshal(g)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var g, again graph.Graph
		if json.Unmarshal(b, &g) != nil {
			return
		}
		out, err := json.Marshal(&g)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s does not come back: %v", out, err)
		}
		if g.Parameters() != again.Parameters() || g.MultiplyAdds() != again.MultiplyAdds() {
			t.Fatalf("%s comes back different", out)
		}
	})
}

func ExampleGraph_MarshalJSON() {
	b := graph.NewBuilder("mean", graph.Shape{H: 2, W: 2, C: 2}, 2)
	b.Add("", graph.AdaptivePool{H: 1, W: 1}, 0)
	g, err := b.Done()
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := json.MarshalIndent(g, "", " ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out[:70]))
	// Output:
	// {
	//  "format": "augmix-graph-1",
	//  "name": "mean",
	//  "classes": 2,
	//  "nodes
}
