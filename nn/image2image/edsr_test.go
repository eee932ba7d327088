package image2image

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/graph"
)

// edsrTensors are weights that tools/oracle/edsr.py computes alike.
func edsrTensors(t testing.TB, e EDSR) []Tensor {
	g, err := e.Graph(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	var ts []Tensor
	for _, x := range g.Tensors() {
		data := make([]float32, x.Len())
		if !e.FillShift(x.Name, data) {
			fan := 16
			if len(x.Shape) > 1 {
				fan = x.Len() / x.Shape[0]
			}
			for i := range data {
				data[i] = float32((float64((i*7919+31*len(x.Name))%1009)/1009 - 0.5) * math.Sqrt(18/float64(fan)))
			}
		}
		ts = append(ts, Tensor{x.Name, x.Shape, data})
	}
	return ts
}

// TestEDSR compares with PyTorch, by tools/oracle/edsr.py, for the three scales and the factor of wide networks.
func TestEDSR(t *testing.T) {
	for _, c := range []struct {
		e    EDSR
		want expected
	}{
		{EDSR{2, 16, 2}, expected{[12]float64{
			0.914051, 0.702279, 0.72233, 1.139445, 0.60368, 0.56565, 0.432511, -0.391315, 0.552883, -0.001787, -0.113154, -0.055878,
		}, 0.443079}},
		{EDSR{3, 24, 3}, expected{[12]float64{
			0.416101, 0.273073, 0.583453, 0.192456, -0.355367, 0.703105, 0.534221, 0.695397, -0.014185, 0.471112, 1.320119, 0.706889,
		}, 0.427564}},
		{EDSR{1, 256, 4}, expected{[12]float64{
			0.449097, 0.467814, 0.504808, 0.246652, 0.536427, 0.704547, 0.291111, 0.43535, 0.363555, 0.053257, 0.591665, 0.369336,
		}, 0.428584}},
	} {
		ts := edsrTensors(t, c.e)
		n, err := New(ts)
		if err != nil || n.String() != "EDSR" || n.Scale() != c.e.Scale {
			t.Fatal(n, err)
		}
		var s Scratch
		for range 2 {
			c.want.check(t, "EDSR", n.enlarge(&s, s.load(pattern(10, 7), 10, 7)))
		}
		// The same through the exported function, clipped; and an image of the same size, made smaller first.
		k := c.e.Scale
		v, large := pattern(10, 7), make([]float32, 3*10*7*k*k)
		n.Enlarge(large, v, 10, 7, &s)
		if !slices.Equal(v, pattern(10, 7)) {
			t.Error("Enlarge changes its input")
		}
		repeated := make([]float32, 3*10*7*k*k)
		for i := range repeated {
			c, y, x := i/(70*k*k), i/(10*k)%(7*k), i%(10*k)
			repeated[i] = v[(c*7+y/k)*10+x/k]
		}
		n.Apply(repeated, 10*k, 7*k, &s)
		for i, v := range large {
			if math.Abs(float64(repeated[i]-v)) > 1e-5 {
				t.Fatalf("value %d: %v, enlarged %v", i, repeated[i], v)
			}
		}
		// Colors up to 1 in place of 255: the same where the means say so, but for the biases.
		if c.e.Width == 256 {
			continue
		}
		for i := range ts {
			if strings.HasSuffix(ts[i].Name, ".bias") {
				for j := range ts[i].Data {
					ts[i].Data[j] /= 255
				}
			}
		}
		if n, err = New(ts); err != nil {
			t.Fatal(err)
		}
		c.want.check(t, "EDSR up to 1", n.enlarge(&s, s.load(pattern(10, 7), 10, 7)))
	}
}

// TestEDSRSizes: the published numbers of parameters.
func TestEDSRSizes(t *testing.T) {
	for e, want := range map[EDSR]int64{
		{16, 64, 2}: 1369859, {16, 64, 3}: 1554499, {16, 64, 4}: 1517571, {32, 256, 2}: 40729603, {32, 256, 3}: 43680003, {32, 256, 4}: 43089923,
	} {
		g, err := e.Graph(8, 8)
		if err != nil {
			t.Fatal(err)
		}
		const means = 2 * (9 + 3)
		if got := g.Parameters() - means; got != want {
			t.Errorf("%+v has %d parameters, want %d", e, got, want)
		}
		if factors := slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Op == graph.Scale{Factor: float64(float32(0.1))} }); factors != (e.Width == 256) {
			t.Errorf("%+v multiplies its residuals by 0.1: %v", e, factors)
		}
	}
}

// TestHostileEDSR: shapes of head and tail that no network has.
func TestHostileEDSR(t *testing.T) {
	good := edsrTensors(t, EDSR{1, 4, 2})
	for _, c := range []struct {
		name  string
		shape []int
	}{{"head.0.weight", []int{0, 3, 3, 3}}, {"head.0.weight", nil}, {"tail.0.0.weight", []int{1 << 40}}, {"body.0.body.2.weight", []int{4, 4, 3}}} {
		ts := slices.Clone(good)
		for i := range ts {
			if ts[i].Name == c.name {
				ts[i].Shape = c.shape
			}
		}
		if _, err := New(ts); !errors.Is(err, ErrWeights) {
			t.Errorf("%s of shape %v: %v", c.name, c.shape, err)
		}
	}
	if _, err := (EDSR{16, 64, 5}).Graph(4, 4); !errors.Is(err, ErrWeights) {
		t.Error(err)
	}
}
