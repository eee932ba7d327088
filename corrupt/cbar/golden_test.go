package cbar

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// replayCase is one golden case of a corruption, for one of its images at a time.
type replayCase struct {
	*golden.Case
	t      *testing.T
	i, at  int     // index of the image; draws used up by earlier ones
	level  float64 // severity value
	w, h   int
	s      *Scratch
	random sampled
}

// sampled holds the parameters drawn for one image, whatever the corruption.
type sampled struct {
	Threshold      float64
	Intensity      json.RawMessage // a number or one for each channel
	Angle          float64
	Scales         []float64
	Fraction       float64
	Center         [2]float64
	Centers        [Stars][2]float64
	Radius         float64
	Radii          [Stars]float64
	Rays           int
	NRays          [Stars]int
	Amount         float64
	NumPerAxis     int `json:"num_per_axis"`
	Angles         [][]float64
	Amplitudes     [2]float64
	Wavelengths    [2]float64
	Phases         [2]float64
	Length         float64
	Density        float64
	AngleVariation float64 `json:"angle_variation"`
	Time           float64
	Size           float64
	LensScale      float64 `json:"lens_scale"`
	Lighting       float64 `json:"lighting_amount"`
	Alpha          float64
	Iterations     int
	Sharpness      float64
	Scale          float64
	Offset         [2]float64
	Freq           json.RawMessage // a number, or a pair
	Amplitude      float64
	RingWidth      float64 `json:"ring_width"`
	Phase          float64
}

// replay returns the replay function of a corruption: apply runs once for each image of the case.
func replay(apply func(r *replayCase, dst, src *raster.Image)) golden.Func {
	return func(t *testing.T, c *golden.Case) {
		r := &replayCase{Case: c, t: t, s: new(Scratch)}
		r.checkLevel()
		var all []sampled
		c.Decode(&all, c.Sampled)
		src := c.Images(0)
		if len(all) != len(src) {
			t.Fatalf("parameters of %d images, want %d", len(all), len(src))
		}
		got := make([]*raster.Image, len(src))
		for r.i, r.random = range all {
			r.w, r.h = src[r.i].W, src[r.i].H
			got[r.i] = new(raster.Image)
			apply(r, got[r.i], src[r.i])
			if r.Lengths != nil {
				r.at += r.Lengths[r.i]
			}
		}
		golden.CompareImages(t, c, got, 0)
	}
}

// checkLevel compares the severity value with that of the table.
func (r *replayCase) checkLevel() {
	r.t.Helper()
	c, err := ByName(r.Op)
	if err != nil {
		r.t.Fatal(err)
	}
	r.level, err = c.WithProfile(map[int]Profile{32: CIFAR, 224: ImageNet}[r.Int("size")]).Level(float64(r.Int("level")))
	if err != nil {
		r.t.Fatal(err)
	}
	if want := r.Float("severity"); r.level != want {
		r.t.Errorf("severity value %v, want %v", r.level, want)
	}
}

// job returns the image at hand as Corruption.Apply would hand it on, so that its parameter law is that of a run.
func (r *replayCase) job() job { return job{level: r.level} }

// same checks a parameter against the one recorded.
func (r *replayCase) same(what string, got, want float64) {
	r.t.Helper()
	if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
		r.t.Errorf("image %d: %s is %v, want %v", r.i, what, got, want)
	}
}

// draw returns the draws of the image at hand.
func (r *replayCase) draw(name string) []float64 {
	all := r.Draw(name)
	if r.Lengths == nil {
		return all
	}
	return all[r.at:][:r.Lengths[r.i]]
}

func number[T any](r *replayCase, raw json.RawMessage) T {
	r.t.Helper()
	var v T
	r.Decode(&v, raw)
	return v
}

func TestGolden(t *testing.T) {
	golden.Run(t, "cbar", map[string]golden.Func{
		"blue_noise_sample":               replay(replayBlue),
		"plasma_noise":                    replay(replayPlasma),
		"checkerboard_cutout":             replay(replayCheckerboard),
		"cocentric_sine_waves":            replay(replayCocentric),
		"single_frequency_greyscale":      replay(replaySingleFrequency),
		"brownish_noise":                  replay(replayBrownish),
		"perlin_noise":                    replay(replayPerlin),
		"sparkles":                        replay(replaySparkles),
		"inverse_sparkles":                replay(replayInverseSparkles),
		"caustic_refraction":              replay(replayCaustic),
		"pinch_and_twirl":                 replay(replayPinch),
		"ripple":                          replay(replayRipple),
		"circular_motion_blur":            replay(replayCircular),
		"lines":                           replay(replayLines),
		"transverse_chromatic_abberation": replay(replayChromatic),
	})
}

func replayBlue(r *replayCase, dst, src *raster.Image) {
	c := BlueNoiseSample{r.job().scaled(3) - 2.5}
	r.same("threshold", c.Threshold, r.random.Threshold)
	c.Apply(dst, src, r.draw("uniform"), r.s)
	for _, file := range r.Debug {
		deviation := standardDeviation(r.s.a)
		want := r.Float64s(file)[r.i*r.w*r.h:]
		for i, v := range r.s.a {
			if math.Abs(v/deviation-want[i]) > 1e-11 {
				r.t.Fatalf("image %d: noise %d is %v, want %v", r.i, i, v/deviation, want[i])
			}
		}
	}
}

func replayBrownish(r *replayCase, dst, src *raster.Image) {
	c := BrownishNoise{r.job().scaled(64)}
	r.same("intensity", c.Intensity, number[float64](r, r.random.Intensity))
	c.Apply(dst, src, r.draw("uniform"), r.s)
}

func replayPlasma(r *replayCase, dst, src *raster.Image) {
	c, p := PlasmaNoise{r.job().scaled(64)}, r.random
	r.same("intensity", c.Intensity, number[float64](r, p.Intensity))
	c.Apply(dst, src, &PlasmaDraws{p.Time, p.Iterations, p.Sharpness, p.Scale}, r.s)
}

func replayCheckerboard(r *replayCase, dst, src *raster.Image) {
	c := CheckerboardCutout{r.job().scaled(1)}
	r.same("fraction", c.Fraction, r.random.Fraction)
	c.Apply(dst, src, &CheckerboardDraws{r.random.Angle, r.random.Scales[0], r.draw("uniform")}, r.s)
}

func replayCocentric(r *replayCase, dst, src *raster.Image) {
	c, p := CocentricSineWaves{r.job().scaled(128)}, r.random
	r.same("intensity", c.Intensity, number[[]float64](r, p.Intensity)[0])
	d := &CocentricDraws{p.Offset[0], p.Offset[1], number[float64](r, p.Freq), p.Amplitude, p.RingWidth}
	c.Apply(dst, src, d, r.s)
}

func replaySingleFrequency(r *replayCase, dst, src *raster.Image) {
	c, f := SingleFrequencyGreyscale{r.job().scaled(196)}, number[[2]float64](r, r.random.Freq)
	r.same("intensity", c.Intensity, number[float64](r, r.random.Intensity))
	c.Apply(dst, src, &SingleFrequencyDraws{f[0], f[1], r.random.Phase}, r.s)
}

func replayPerlin(r *replayCase, dst, src *raster.Image) {
	c := PerlinNoise{r.job().scaled(0.5)}
	r.same("alpha", c.Alpha, r.random.Alpha)
	g, p := r.draw("g"), r.draw("p")
	d := new(PerlinDraws)
	for i := range lattice {
		d.Gradients[i] = [2]float64{g[2*i], g[2*i+1]}
		d.Permutation[i] = uint8(p[i])
	}
	for i := lattice; i < len(p); i++ { // the recorded tables repeat
		if p[i] != p[i-lattice] || g[2*i] != g[2*i-2*lattice] || g[2*i+1] != g[2*i+1-2*lattice] {
			r.t.Fatalf("the recorded tables do not repeat at %d", i)
		}
	}
	c.Apply(dst, src, d, r.s)
}

func replaySparkles(r *replayCase, dst, src *raster.Image) {
	c, z := Sparkles{r.job().scaled(0.1) * side(r.w, r.h)}, r.draw("randn")
	d := new(SparklesDraws)
	for i, n := range r.random.NRays {
		r.same("radius", c.Radius, r.random.Radii[i])
		p := r.random.Centers[i]
		d[i] = Star{Point{p[0], p[1]}, z[:n]}
		z = z[n:]
	}
	c.Apply(dst, src, d, r.s)
}

func replayInverseSparkles(r *replayCase, dst, src *raster.Image) {
	c, p := InverseSparkles{side(r.w, r.h) / 4, r.job().scaled(65) / 50}, r.random
	r.same("radius", c.Radius, p.Radius)
	r.same("exponent", c.Exponent, (100-p.Amount)/50)
	z := r.draw("randn")
	if len(z) != p.Rays {
		r.t.Fatalf("%d rays, want %d", len(z), p.Rays)
	}
	c.Apply(dst, src, &Star{Point{p.Center[0], p.Center[1]}, z}, r.s)
}

func replayCaustic(r *replayCase, dst, src *raster.Image) {
	c := CausticRefraction{r.job().scaled(0.5 * side(r.w, r.h)), r.job().scaled(2)}
	r.same("lens", c.Lens, r.random.LensScale)
	r.same("light", c.Light, r.random.Lighting)
	c.Apply(dst, src, &CausticDraws{r.random.Time, r.random.Size}, r.s)
}

func replayPinch(r *replayCase, dst, src *raster.Image) {
	c, p := PinchAndTwirl{3, r.job().scaled(math.Pi / 2), r.job().scaled(0.4) + 0.1}, r.random
	r.same("amount", c.Amount, p.Amount)
	var d Twirls
	for _, column := range p.Angles {
		for _, a := range column {
			r.same("angle", c.Angle, math.Abs(a))
			d = append(d, a < 0)
		}
	}
	if p.NumPerAxis != c.Blocks {
		r.t.Errorf("%d blocks, want %d", c.Blocks, p.NumPerAxis)
	}
	c.Apply(dst, src, d, r.s)
}

func replayRipple(r *replayCase, dst, src *raster.Image) {
	c := Ripple{r.job().scaled(0.025) * side(r.w, r.h)}
	r.same("amplitude", c.Amplitude, r.random.Amplitudes[0])
	c.Apply(dst, src, &RippleDraws{r.random.Wavelengths, r.random.Phases}, r.s)
}

func replayCircular(r *replayCase, dst, src *raster.Image) {
	c := CircularMotionBlur{r.job().scaled(15)}
	r.same("amount", c.Amount, r.random.Amount)
	c.Apply(dst, src, r.s)
}

func replayLines(r *replayCase, dst, src *raster.Image) {
	n := side(r.w, r.h)
	c, p := Lines{int(r.job().scaled(1) * n), r.random.Length * n}, r.random
	r.same("density", r.job().scaled(1), p.Density)
	c.Apply(dst, src, &LinesDraws{p.Angle, p.AngleVariation, r.draw("uniform")}, r.s)
}

func replayChromatic(r *replayCase, dst, src *raster.Image) {
	c := TransverseChromaticAbberation{r.job().scaled(0.5)}
	var d Order
	for k, f := range r.random.Scales {
		for o := range d {
			if math.Abs(f-1-c.Scale*float64(o)/2) < 1e-12 {
				d[k] = o
			}
		}
	}
	c.Apply(dst, src, d, r.s)
}
