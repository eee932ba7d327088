package train

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// TestNoiseScale works the projection out by hand: nothing cut; one value cut, so that the others carry the rest; more than the
// image has room for; a value outside [0, 1], which is not moved further out; and no noise.
func TestNoiseScale(t *testing.T) {
	for _, c := range []struct {
		name       string
		x, noise   []float32
		length     float64
		scale      float64
		difference []float64
	}{
		{"free", []float32{0.5, 0.5}, []float32{3, -4}, 0.25, 0.05, []float64{0.15, -0.2}},
		{"one cut", []float32{0.875, 0.5}, []float32{2, -2}, 0.325, 0.15, []float64{0.125, -0.3}}, // 0.325² = 0.125² + 0.3²
		{"all cut", []float32{0.75, 0.25}, []float32{1, -2}, 5, 0.25, []float64{0.25, -0.25}},
		{"outside", []float32{1.5, 0.5}, []float32{1, 1}, 0.125, 0.125, []float64{0, 0.125}},
		{"none", []float32{0.5}, []float32{0}, 1, 0, []float64{0}},
	} {
		scale := noiseScale(c.x, c.noise, c.length)
		if scale < c.scale-1e-9 || c.name != "all cut" && scale > c.scale+1e-9 {
			t.Errorf("%s: scale %v, want %v", c.name, scale, c.scale)
		}
		for i, want := range c.difference {
			if got := noiseAt(c.x[i], c.noise[i], scale); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: value %d changes by %v, want %v", c.name, i, got, want)
			}
		}
	}
	// Of random images the change has the length, also where much of it is cut.
	r := rng.NewKey(1).Rand()
	for _, length := range []float64{0.1, 3, 8, 15} {
		x, noise := make([]float32, 768), make([]float32, 768)
		for i := range x {
			x[i], noise[i] = float32(r.Float64()), float32(r.Normal())
		}
		sum, scale := 0.0, noiseScale(x, noise, length)
		for i, v := range x {
			d := noiseAt(v, noise[i], scale)
			if sum += d * d; v+float32(d) < 0 || v+float32(d) > 1 {
				t.Fatalf("%v with noise %v", v, d)
			}
		}
		if got := math.Sqrt(sum); math.Abs(got-length) > 1e-6*length {
			t.Errorf("a length of %v, want %v", got, length)
		}
	}
}

// TestNoiseGradient compares with finite differences of a linear loss, through the projection.
func TestNoiseGradient(t *testing.T) {
	r := rng.NewKey(2).Rand()
	x, noise, d := make([]float32, 40), make([]float32, 40), make([]float32, 40)
	for i := range x {
		x[i], noise[i], d[i] = float32(r.Float64()), float32(r.Normal()), float32(r.Normal())
	}
	slope := slices.Clone(d)
	loss := func() (sum float64) {
		scale := noiseScale(x, noise, 2)
		for i, v := range x {
			sum += float64(slope[i]) * noiseAt(v, noise[i], scale)
		}
		return sum
	}
	noiseGradient(d, x, noise, noiseScale(x, noise, 2))
	const step = 1. / 1024
	cut := 0
	for i, v := range noise {
		noise[i] = v + step
		up := loss()
		noise[i] = v - step
		down := loss()
		noise[i] = v
		if want := (up - down) / (2 * step); math.Abs(float64(d[i])-want) > 1e-4 {
			t.Errorf("value %d: %v, want %v", i, d[i], want)
		}
		if d[i] == 0 {
			cut++
		}
	}
	if cut < 5 || cut > 35 {
		t.Errorf("%d of 40 values are cut: the test shows nothing", cut)
	}
}

func antRunner(t *testing.T, change func(c *Config)) (*runner, *batch) {
	t.Helper()
	c := small()
	c.Crop, c.Flip, c.ANT = "", false, 3
	change(&c)
	run, b := testRunner(t, c)
	var err error
	if run.ant, err = newANT(8, 8, 16, 2); err != nil {
		t.Fatal(err)
	}
	run.ant.noise.Init(rng.NewKey(3))
	return run, b
}

// TestGeneratorClimbs: steps of the generator raise the loss of images with noise drawn anew, and change neither network nor images.
func TestGeneratorClimbs(t *testing.T) {
	r, b := antRunner(t, func(*Config) {})
	all := r.net.Tensors()
	for i := range all[len(all)-2].Data { // the classifier: a network without training is nearly indifferent
		all[len(all)-2].Data[i] *= 20
	}
	r.net.Changed()
	clean, before := slices.Clone(b.planes), slices.Clone(r.net.Tensors()[0].Data)
	loss := func() float64 {
		sum, noisy := 0.0, make([]float32, len(b.planes))
		for i := range 8 {
			r.ant.draw(b.keys, fmt.Sprint("test", i), 3*8*8, 2)
			r.addNoise(noisy, b.planes, r.ant.noise.Forward(r.ant.z, b.n, nn.Mode{}))
			sum += r.crossEntropy(r.dlogits[:b.n*4], r.net.Forward(noisy, b.n, nn.Mode{}), b)
		}
		return sum / 8
	}
	first := loss()
	for range 60 {
		if err := r.teachNoise(b, 0.01); err != nil {
			t.Fatal(err)
		}
	}
	if last := loss(); last < first*1.1 {
		t.Errorf("the loss was %v, and is %v", first, last)
	}
	if !slices.Equal(b.planes, clean) || !slices.Equal(r.net.Tensors()[0].Data, before) {
		t.Error("the images or the network are others")
	}
	b.planes[0] = float32(math.NaN())
	if err := r.teachNoise(b, 0.01); !errors.Is(err, ErrDiverged) {
		t.Errorf("%v for images that are not numbers", err)
	}
}

// TestNoisyRows: the first half of a batch has noise of the length that is asked for, the other has none; from the second epoch on two
// tenths have that of earlier generators.
func TestNoisyRows(t *testing.T) {
	r, b := antRunner(t, func(c *Config) { c.Std = []float64{0.25, 0.5, 0.75} })
	const size = 3 * 8 * 8
	b.planes, b.n = append(b.planes, b.planes[:2*size]...), 10
	b.keys = append(b.keys, b.keys[:2]...)
	clean := slices.Clone(b.planes)
	r.disturbBatch(b)
	now := slices.Clone(b.planes)
	for i := range b.n {
		sum := 0.0
		for j, v := range b.planes[i*size:][:size] {
			d := float64(v-clean[i*size+j]) * r.config.Std[j/64]
			sum += d * d
		}
		want := 3.0
		if i >= 5 {
			want = 0
		}
		if length := math.Sqrt(sum); math.Abs(length-want) > 1e-4 {
			t.Errorf("image %d changes by %v, want %v", i, length, want)
		}
	}
	// An earlier generator with other weights: rows 3 and 4 have its noise, the rest is as it was.
	for _, x := range r.ant.noise.Tensors() {
		for i := range x.Data {
			x.Data[i]++
		}
	}
	r.ant.keep()
	for _, x := range r.ant.noise.Tensors() {
		for i := range x.Data {
			x.Data[i]--
		}
	}
	copy(b.planes, clean)
	r.state.Epoch = 1
	r.disturbBatch(b)
	for i := range b.n {
		same := slices.Equal(now[i*size:][:size], b.planes[i*size:][:size])
		if earlier := i == 3 || i == 4; same == earlier {
			t.Errorf("image %d has the noise of the generator at hand: %v", i, same)
		}
	}
}

// TestForgedNoise: a checkpoint without the generators of its epochs is refused.
func TestForgedNoise(t *testing.T) {
	r, dir := methods()["ant"], t.TempDir()
	r.Epochs = 2
	if _, err := Run(t.Context(), r, methodOptions(dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, LastName)
	ts, meta, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ts = slices.DeleteFunc(ts, func(x weights.Tensor) bool { return x.Name == weights.PrefixOptimizer+keyANT+"earlier" })
	delete(meta, keySum)
	if err := weights.WriteFile(path, ts, meta); err != nil {
		t.Fatal(err)
	}
	o := methodOptions(dir)
	o.Resume = true
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrCheckpoint) {
		t.Errorf("%v", err)
	}
}

// TestPinnedNoise pins network and generators after adversarial noise training: the same on every machine.
func TestPinnedNoise(t *testing.T) {
	r, dir := methods()["ant"], t.TempDir()
	r.Epochs = 2
	if _, err := Run(t.Context(), r, methodOptions(dir)); err != nil {
		t.Fatal(err)
	}
	last, _, err := weights.ReadFile(filepath.Join(dir, LastName))
	if err != nil {
		t.Fatal(err)
	}
	const want = "f8adc165e95572aceb2e5c6c96c297518ee16417e4fab420cd32f38560144999"
	if got := checksum(last, nil); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
