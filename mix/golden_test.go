package mix

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

func TestGolden(t *testing.T) {
	golden.Run(t, "augmix", map[string]golden.Func{
		"augmix":         replayAugMix,
		"augmix_numpy":   replayNumPy,
		"level_to_value": replayLevels,

		"pixmix":          replayPixMix,
		"pixmix_add":      replayGrid,
		"pixmix_multiply": replayGrid,

		"jsd_loss":  golden.Elsewhere("nn"),
		"cosine_lr": golden.Elsewhere("nn"),
	})
}

// choice is one image of a case's "choices".
type choice struct {
	W      []float32
	M      float32
	Chains [][]struct {
		Op    string
		Level float64
		Sign  int
		Value float64
	}
}

// replayed is one image with its draw, made from the recorded levels and signs.
type replayed struct {
	src  *raster.Image
	mix  AugMix
	draw Draw
}

// replayInputs pairs the case's images with its choices and checks that every recorded level leads to the recorded
// value.
func replayInputs(t *testing.T, c *golden.Case) []replayed {
	var choices []choice
	c.Decode(&choices, c.Choices)
	images := c.Images(0)
	index := []int{0}
	if c.Has("image_index") {
		index = c.Ints("image_index")
	}
	fill := raster.RGB{}
	if c.Has("fill") {
		f := c.Ints("fill")
		fill = raster.RGB{R: uint8(f[0]), G: uint8(f[1]), B: uint8(f[2])}
	}
	out := make([]replayed, len(choices))
	for i, ch := range choices {
		r := replayed{src: images[index[i]], mix: AugMix{Width: len(ch.Chains), Fill: fill}}
		r.draw.Weights, r.draw.M = ch.W, ch.M
		for _, chain := range ch.Chains {
			for _, s := range chain {
				op, err := augment.ByName(s.Op)
				if err != nil {
					t.Fatal(err)
				}
				v := op.Value(s.Level, r.src.W, r.src.H, s.Sign < 0)
				golden.Compared(t, c, v == s.Value, "%s at level %v is %v, want %v", s.Op, s.Level, v, s.Value)
				r.draw.Steps = append(r.draw.Steps, Step{op, v})
			}
			r.draw.Ends = append(r.draw.Ends, len(r.draw.Steps))
		}
		out[i] = r
	}
	return out
}

func replayAugMix(t *testing.T, c *golden.Case) {
	norm := normOf(c)
	var s Scratch
	var chains []*raster.Image
	var raw, normed []float32
	for _, r := range replayInputs(t, c) {
		for _, m := range r.mix.Chains(r.src, &r.draw, &s) {
			chains = append(chains, m.Clone())
		}
		planes := make([]float32, 3*r.src.W*r.src.H)
		r.mix.ReplayPlanes(planes, r.src, &Unit, &r.draw, &s)
		raw = append(raw, planes...)
		r.mix.ReplayPlanes(planes, r.src, &norm, &r.draw, &s)
		normed = append(normed, planes...)
	}
	if len(c.ChainsU8) == 1 {
		golden.CompareImagesFile(t, c, chains, c.ChainsU8[0], golden.MaxAbs(0))
	} else {
		for i, f := range c.ChainsU8 {
			golden.CompareImagesFile(t, c, chains[i:i+1], f, golden.MaxAbs(0))
		}
	}
	if strings.Contains(c.Expected[0], "every4th") {
		golden.CompareFloat(t, c, everyFourth(normed, 224), 0)
		return
	}
	golden.CompareFloat(t, c, raw, 0)
	golden.CompareFloat(t, c, normed, 1)
}

func normOf(c *golden.Case) Normalization {
	var n Normalization
	set := func(dst *[3]float32, name string) {
		if strings.HasPrefix(string(c.Params[name]), "[") {
			for i, v := range c.Floats(name) {
				dst[i] = float32(v)
			}
			return
		}
		v := float32(c.Float(name))
		*dst = [3]float32{v, v, v}
	}
	set(&n.Mean, "mean")
	set(&n.Std, "std")
	return n
}

// everyFourth keeps rows and columns 0, 4, 8, ... of square planes of the given side.
func everyFourth(planes []float32, side int) []float32 {
	var out []float32
	for i, v := range planes {
		if y, x := i/side%side, i%side; y%4 == 0 && x%4 == 0 {
			out = append(out, v)
		}
	}
	return out
}

// replayNumPy replays the reference's stand-alone NumPy version, whose output is interleaved.
func replayNumPy(t *testing.T, c *golden.Case) {
	norm := normOf(c)
	var s Scratch
	var out []float32
	for _, r := range replayInputs(t, c) {
		n := r.src.W * r.src.H
		planes := make([]float32, 3*n)
		r.mix.ReplayPlanes(planes, r.src, &norm, &r.draw, &s)
		for i := range n {
			out = append(out, planes[i], planes[n+i], planes[2*n+i])
		}
	}
	golden.CompareFloat(t, c, out, 0)
}

func replayLevels(t *testing.T, c *golden.Case) {
	var rows []struct {
		Size     int
		Op       string
		Level    float64
		Negative bool
		Value    float64
	}
	c.JSON(&rows, c.ExpectedFile(0))
	for _, r := range rows {
		op, err := augment.ByName(r.Op)
		if err != nil {
			t.Fatal(err)
		}
		v := op.Value(r.Level, r.Size, r.Size, r.Negative)
		golden.Compared(t, c, v == r.Value, "%s at level %v, size %d, negative %v is %v, want %v",
			r.Op, r.Level, r.Size, r.Negative, v, r.Value)
	}
}
