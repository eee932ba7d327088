package mix

import (
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// imageList is a mixing set in memory.
type imageList []*raster.Image

func (l imageList) String() string            { return "images in memory" }
func (l imageList) Len() int                  { return len(l) }
func (l imageList) Image(i int) *raster.Image { return l[i] }

func mustPixMix(t *testing.T, set MixingSet, params PixMixParams) *PixMix {
	t.Helper()
	p, err := NewPixMix(set, params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pixOp is a recorded operation.
type pixOp struct {
	Op    string
	Level float64
	Sign  int
	Value float64
}

// step checks that the recorded level leads to the recorded value; a nil operation is none.
func (o *pixOp) step(t *testing.T, c *golden.Case, w, h int) Step {
	if o == nil {
		return Step{}
	}
	op, err := augment.ByName(o.Op)
	if err != nil {
		t.Fatal(err)
	}
	v := op.Value(o.Level, w, h, o.Sign < 0)
	golden.Compared(t, c, v == o.Value, "%s at level %v is %v, want %v", o.Op, o.Level, v, o.Value)
	return Step{op, v}
}

func replayPixMix(t *testing.T, c *golden.Case) {
	var choices []struct {
		Start       *pixOp
		MixingIndex int `json:"mixing_index"`
		Rounds      []struct {
			Source, Mix string
			Augment     *pixOp
			Branch      int
			A, B        float32
		}
	}
	c.Decode(&choices, c.Choices)
	images, index := c.Images(0), c.Ints("image_index")
	p := mustPixMix(t, imageList(c.Images(1)), DefaultPixMix())
	var s Scratch
	var raw, normed []float32
	for i, ch := range choices {
		src := images[index[i]]
		d := PixDraw{Image: ch.MixingIndex, Start: ch.Start.step(t, c, src.W, src.H)}
		for _, r := range ch.Rounds {
			golden.Compared(t, c, (r.Branch == 2) == (r.B < 0), "branch %d with b %v", r.Branch, r.B)
			golden.Compared(t, c, (r.Source == "augmented") == (r.Augment != nil), "source %s", r.Source)
			d.Rounds = append(d.Rounds, PixRound{
				Step: r.Augment.step(t, c, src.W, src.H), Multiply: r.Mix == "multiply", A: r.A, B: r.B,
			})
		}
		planes := make([]float32, 3*src.W*src.H)
		p.ReplayPlanes(planes, src, &Unit, &d, &s)
		raw = append(raw, planes...)
		dst := new(raster.Image)
		p.Replay(dst, src, &d, &s)
		mustRound(t, dst, planes)
		p.ReplayPlanes(planes, src, &Half, &d, &s)
		normed = append(normed, planes...)
	}
	golden.CompareFloat(t, c, raw, 0)
	if len(c.Expected) > 1 {
		golden.CompareFloat(t, c, normed, 1)
	}
}

// mustRound checks that 8-bit values are those of planes in [0, 1], rounded.
func mustRound(t *testing.T, m *raster.Image, planes []float32) {
	t.Helper()
	n := m.W * m.H
	for i := range n {
		for c := range 3 {
			if d := float64(planes[c*n+i])*255 - float64(m.Pix[4*i+c]); d > 0.5001 || d < -0.5001 {
				t.Fatalf("channel %d of pixel %d is %d in bytes, %v in planes", c, i, m.Pix[4*i+c], planes[c*n+i]*255)
			}
		}
	}
}

// replayGrid mixes a grid of pairs of values by the kernels. The second values are whole bytes.
func replayGrid(t *testing.T, c *golden.Case) {
	x1, x2 := c.Float64s(c.Inputs[0]), c.Float64s(c.Inputs[1])
	var pairs [][2]float64
	c.Param(&pairs, "ab")
	var got []float32
	for _, ab := range pairs {
		planes, other := make([]float32, 3*len(x1)), make([]uint8, 4*len(x1))
		for i := range x1 {
			for k := range 3 {
				planes[k*len(x1)+i] = float32(x1[i])
				other[4*i+k] = uint8(x2[i]*255 + 0.5)
			}
		}
		a, b := float32(ab[0]), float32(ab[1])
		if c.Op == "pixmix_add" {
			kernel.PixAdd(planes, other, a, b/255, (1-a-b)/2)
		} else {
			kernel.PixMultiply(planes, other, a, b)
		}
		got = append(got, planes[:len(x1)]...)
	}
	golden.CompareFloat(t, c, got, 0)
}
