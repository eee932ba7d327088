package corrupt

import (
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// replayCase is one golden case of a corruption, for one of its images at a time.
type replayCase struct {
	*golden.Case
	t    *testing.T
	v    params // of the profile that the case names
	i, n int    // index and number of images
	s    *Scratch
}

// replay returns the replay function of a corruption: apply runs once for each image of the case, names are the
// parameters in the order of the corruption's table.
func replay(tab *table, names []string, apply func(r *replayCase, dst, src *raster.Image)) golden.Func {
	return func(t *testing.T, c *golden.Case) {
		p := map[int]Profile{32: P32, 224: P224}[c.Int("size")]
		v := tab.At(p.Side(), c.Int("severity")-1, c.Int("size"))
		checkParams(t, c, names, v)
		src := c.Images(0)
		r := &replayCase{Case: c, t: t, v: v, n: len(src), s: new(Scratch)}
		got := make([]*raster.Image, len(src))
		for r.i = range src {
			got[r.i] = new(raster.Image)
			apply(r, got[r.i], src[r.i])
		}
		golden.CompareImages(t, c, got, 0)
	}
}

func checkParams(t *testing.T, c *golden.Case, names []string, v params) {
	t.Helper()
	for i, name := range names {
		if name != "" && c.Float(name) != v[i] {
			t.Errorf("parameter %s is %v, want %v", name, v[i], c.Float(name))
		}
	}
}

// draw returns the draws of the image at hand.
func (r *replayCase) draw(name string) []float64 {
	all := r.Draw(name)
	n := len(all) / r.n
	return all[r.i*n:][:n]
}

func (r *replayCase) draw32(name string) []float32 { return narrow(r.draw(name)) }

func narrow(v []float64) []float32 {
	out := make([]float32, len(v))
	for i := range v {
		out[i] = float32(v[i])
	}
	return out
}

// debug returns the image at hand of the debug file whose name contains part, or nil if the case has none.
func (r *replayCase) debug(part string) []uint8 {
	for _, file := range r.Debug {
		if strings.Contains(file, part) {
			_, all := r.Uint8s(file)
			n := len(all) / r.n
			return all[r.i*n:][:n]
		}
	}
	return nil
}

// sameBytes fails unless an intermediate result is that of the debug file, where there is one.
func (r *replayCase) sameBytes(part string, got []uint8) {
	r.t.Helper()
	want := r.debug(part)
	if want == nil {
		return
	}
	differ := 0
	for i := range want {
		if got[i] != want[i] {
			differ++
		}
	}
	if differ > 0 {
		r.t.Errorf("image %d: %s differs in %d of %d bytes", r.i, part, differ, len(want))
	}
}

func TestGolden(t *testing.T) {
	golden.Run(t, "corrupt", map[string]golden.Func{
		"gaussian_noise": replay(&gaussianNoiseTable, []string{"sigma"}, func(r *replayCase, dst, src *raster.Image) {
			GaussianNoise{r.v[0]}.Apply(dst, src, r.draw32("normal"))
		}),
		"speckle_noise": replay(&speckleNoiseTable, []string{"sigma"}, func(r *replayCase, dst, src *raster.Image) {
			SpeckleNoise{r.v[0]}.Apply(dst, src, r.draw32("normal"))
		}),
		"shot_noise":        replay(&shotNoiseTable, []string{"lambda"}, replayShot),
		"impulse_noise":     replay(&impulseNoiseTable, []string{"amount"}, replayImpulse),
		"defocus_blur":      replay(&defocusBlurTable, []string{"radius", "alias_sigma"}, replayDefocus),
		"glass_blur":        replay(&glassBlurTable, []string{"sigma", "max_delta", "iterations"}, replayGlass),
		"motion_blur":       replay(&motionBlurTable, []string{"radius", "sigma"}, replayMotion),
		"zoom_blur":         replay(&zoomBlurTable, nil, replayZoom),
		"snow":              replay(&snowTable, snowNames, replaySnow),
		"frost":             replay(&frostTable, []string{"image_weight", "frost_weight"}, replayFrost),
		"fog":               replay(&fogTable, []string{"amount", "decay"}, replayFog),
		"elastic_transform": replay(&elasticTable, []string{"alpha", "sigma", "affine"}, replayElastic),
		"spatter":           replay(&spatterTable, spatterNames, replaySpatter),
		"plasma":            replayPlasma,
		"brightness": replay(&brightnessTable, []string{"add"}, func(r *replayCase, dst, src *raster.Image) {
			Brightness{r.v[0]}.Apply(dst, src)
		}),
		"saturate": replay(&saturateTable, []string{"multiply", "add"}, func(r *replayCase, dst, src *raster.Image) {
			Saturate{r.v[0], r.v[1]}.Apply(dst, src)
		}),
		"contrast": replay(&contrastTable, []string{"factor"}, func(r *replayCase, dst, src *raster.Image) {
			Contrast{r.v[0]}.Apply(dst, src)
		}),
		"pixelate": replay(&pixelateTable, []string{"scale"}, func(r *replayCase, dst, src *raster.Image) {
			Pixelate{r.v[0]}.Apply(dst, src, r.s)
		}),
		"jpeg_compression": replay(&jpegTable, []string{"quality"}, func(r *replayCase, dst, src *raster.Image) {
			JPEGCompression{int(r.v[0])}.Apply(dst, src)
		}),
		"gaussian_blur": replay(&gaussianBlurTable, []string{"sigma"}, func(r *replayCase, dst, src *raster.Image) {
			GaussianBlur{r.v[0]}.Apply(dst, src, r.s)
		}),
	})
}

var (
	snowNames    = []string{"loc", "scale", "zoom", "threshold", "radius", "sigma", "mix"}
	spatterNames = []string{"loc", "scale", "sigma", "threshold", "strength", "mud"}
)

func replayShot(r *replayCase, dst, src *raster.Image) {
	var d Counts
	for _, n := range r.draw("counts") {
		d = append(d, uint16(n))
	}
	ShotNoise{r.v[0]}.Apply(dst, src, d)
}

func replayImpulse(r *replayCase, dst, src *raster.Image) {
	flip, salt := r.draw("flip"), r.draw("salt")
	white := func(u float64) bool { return u < 0.5 }
	if r.Int("size") == 224 { // already compared
		white = func(u float64) bool { return u == 1 }
	}
	d := make(Impulses, len(flip))
	for i, u := range flip {
		switch {
		case u >= r.v[0]:
		case white(salt[i]):
			d[i] = Salt
		default:
			d[i] = Pepper
		}
	}
	ImpulseNoise{r.v[0]}.Apply(dst, src, d)
}

func replayDefocus(r *replayCase, dst, src *raster.Image) {
	DefocusBlur{r.v[0], r.v[1]}.Apply(dst, src, r.s)
	kernel, _ := filter.DefocusKernel(r.v[0], r.v[1])
	for _, file := range r.Debug {
		golden.CompareFloatFile(r.t, r.Case, kernel, file, golden.MaxAbs(2e-9)) // one unit of float32
	}
}

func replayGlass(r *replayCase, dst, src *raster.Image) {
	raw := r.draw("offsets")
	d := make(Offsets, len(raw)/2)
	for i := range d {
		d[i] = Offset{int8(raw[2*i]), int8(raw[2*i+1])}
	}
	GlassBlur{r.v[0], int(r.v[1]), int(r.v[2])}.Apply(dst, src, d, r.s)
}

// replayMotion also checks the truncating conversion of later ImageMagick releases where the case has it.
func replayMotion(r *replayCase, dst, src *raster.Image) {
	c, degrees := MotionBlur{r.v[0], r.v[1]}, r.draw("angle")[0]
	c.Apply(dst, src, degrees, r.s)
	for _, file := range r.Alt {
		m, cut := filter.Motion{Truncate: true}, new(raster.Image)
		m.Set(c.Radius, c.Sigma, degrees)
		m.Image(cut, src)
		if !raster.Equal(cut, r.ImagesOf(file)[r.i]) {
			r.t.Errorf("image %d: the truncated result differs", r.i)
		}
	}
}

func replayZoom(r *replayCase, dst, src *raster.Image) {
	c := ZoomBlur{r.v[0], r.v[1]}
	n, step := c.factors()
	want := r.Floats("factors")
	if n != len(want) {
		r.t.Fatalf("%d factors, want %d", n, len(want))
	}
	for j, z := range want {
		if got := 1 + float64(float64(j)*step); got != z {
			r.t.Errorf("factor %d is %v, want %v", j, got, z)
		}
	}
	c.Apply(dst, src, r.s)
}

func replaySnow(r *replayCase, dst, src *raster.Image) {
	v := r.v
	c := Snow{v[0], v[1], v[2], v[3], v[4], v[5], v[6]}
	d := &SnowDraws{r.draw32("normal"), r.draw("angle")[0]}
	c.Apply(dst, src, d, r.s)
	r.sameBytes("snow_layer", r.s.bytes[0])
	r.sameBytes("snow_blurred", r.s.bytes[1])
}

// replayFrost cuts the parts out of the photographs where the case has them (scaled already), and lays the recorded
// part over the image where it has not.
func replayFrost(r *replayCase, dst, src *raster.Image) {
	part := r.ImagesOf(r.Draws["crop"])[r.i]
	c := Frost{r.v[0], r.v[1], 1}
	if len(r.Photos) == 0 {
		prepare(dst, src)
		c.blend(dst, src, part)
		return
	}
	var photos []*raster.Image
	for _, file := range r.Photos {
		photos = append(photos, r.ImagesOf(file)...)
	}
	set, err := NewFrostSet(photos...)
	if err != nil {
		r.t.Fatal(err)
	}
	pick := r.Picks[r.i]
	c.Apply(dst, src, set, FrostDraws{pick[0], pick[1], pick[2]}, r.s)
	if !raster.Equal(&r.s.image, part) {
		r.t.Errorf("image %d: another part of the photograph than recorded", r.i)
	}
}

func replayFog(r *replayCase, dst, src *raster.Image) {
	Fog{r.v[0], r.v[1]}.Apply(dst, src, r.draw32("uniforms"), r.s)
}

func replayElastic(r *replayCase, dst, src *raster.Image) {
	p := r.draw32("offsets")
	d := &ElasticDraws{[3][2]float32{{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}}, r.draw32("dx"), r.draw32("dy")}
	ElasticTransform{r.v[0], r.v[1], r.v[2]}.Apply(dst, src, d, r.s)
}

func replaySpatter(r *replayCase, dst, src *raster.Image) {
	v := r.v
	c := Spatter{v[0], v[1], v[2], v[3], v[4], v[5] != 0}
	c.Apply(dst, src, r.draw32("normal"), r.s)
	if !c.Mud {
		edges := make([]uint8, src.W*src.H)
		r.s.drops.Edges(edges, r.s.bytes[0], src.W, src.H)
		r.sameBytes("spatter_edges", edges)
		r.sameBytes("spatter_liquid", r.s.bytes[0])
		r.sameBytes("spatter_distance", r.s.drops.Relief())
		return
	}
	for _, file := range r.Debug {
		want := r.Float64s(file)
		n := len(want) / r.n
		for i, w := range want[r.i*n:][:n] {
			if math.Abs(r.s.field.Pix[i]-w) > 1e-6 {
				r.t.Fatalf("image %d: coverage %d is %v, want %v", r.i, i, r.s.field.Pix[i], w)
			}
		}
	}
}

func replayPlasma(t *testing.T, c *golden.Case) {
	n := c.Int("map_size")
	a := make([]float64, n*n)
	plasma(a, n, c.Float("decay"), narrow(c.Float64s(c.Inputs[0])))
	lo, span := extent(a)
	stretch(a, lo, span)
	golden.CompareFloat(t, c, a, 0)
}
