package train

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// TestMethodsWorkers: the bytes of auxiliary views, AugMax, adversarial noise and mixed features do not depend on the number of workers, and the weights
// name all that was trained on.
func TestMethodsWorkers(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]string{
		"aux-mix": "augmix-m3-w3-d-1+mixup-a1+gaussian-p1", "augmax": "augmix", "feature-mix": "augmix", "ant": "mixup-a1",
	} {
		var want []byte
		for _, workers := range []int{1, 3} {
			r, dir := methods()[name], t.TempDir()
			if r.Epochs, r.Workers = 1, workers; r.AuxMix != "" {
				r.Mix, r.AuxMix = "augmix-m3-w3-d-1+mixup-a1", "gaussian-p1"
			}
			if r.AugMax > 0 {
				r.Mix = "augmix"
			}
			if _, err := Run(t.Context(), r, methodOptions(dir)); err != nil {
				t.Fatal(err)
			}
			meta, got := tensorsOf(t, dir)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) || meta[weights.KeyMix] != spec {
				t.Errorf("%s: %d workers give other weights, or a mix %s", name, workers, meta[weights.KeyMix])
			}
		}
	}
}

// testRunner is a run of a small network on 8 images, with its first batch.
func testRunner(t *testing.T, r Config) (*runner, *batch) {
	t.Helper()
	set, err := dataset.Load(t.Context(), newImages(8, 8, 4), 1<<30, 2)
	if err != nil {
		t.Fatal(err)
	}
	g, err := models.Build("wrn-10-1", graph.Shape{H: 8, W: 8, C: 3}, 4)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{Workers: 2, Batch: 16, Train: true, InputGrad: true, AuxNorm: true, Places: true})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(5))
	net.InitAux()
	run := &runner{config: r, net: net, classes: 4, w: 8, h: 8, workers: 2, dlogits: make([]float32, 64), state: newState()}
	f := &feed{
		config: &run.config, set: set, method: new(mix.Method), norm: r.norm(), classes: 4, w: 8, h: 8, workers: 2,
		seed: rng.NewKey(r.Seed),
	}
	if r.AuxMix != "" {
		if f.auxMethod, err = mix.ParseMethod(r.mixes(), mix.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	f.begin(0)
	b := new(batch)
	if err := f.fill(b); err != nil {
		t.Fatal(err)
	}
	return run, b
}

// grays is images of one channel that stay gray.
type grays struct{ *images }

func (g grays) Read(i int, s *data.Sample) error {
	err := g.images.Read(i, s)
	s.Form, s.Data, s.Reading = data.GrayForm, s.Data[:g.side*g.side], &data.Reading{Gray: true}
	return err
}

// TestAugMaxGray: AugMax's chains of gray images are gray, whatever color fills what they move in.
func TestAugMaxGray(t *testing.T) {
	c := small()
	c.Crop, c.Gray, c.Mix, c.AugMax = "", true, "augmix-f800000", 1
	set, err := dataset.Load(t.Context(), grays{newImages(16, 8, 4)}, 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{config: &c, set: set, method: new(mix.Method), norm: c.norm(), classes: 4, w: 8, h: 8, workers: 1, seed: rng.NewKey(1)}
	f.begin(0)
	var b batch
	if err := f.fill(&b); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(b.chains.planes); at += 3 * 64 {
		for j := range 64 {
			p := b.chains.planes[at+j:]
			if p[0] != p[64] || p[0] != p[128] {
				t.Fatalf("chain %d has the color %v, %v, %v", at/(3*64), p[0], p[64], p[128])
			}
		}
	}
}

// TestAugMaxClimbs: AugMix's own blend comes first; one step moves each score and each share to where the finite difference of
// the loss points, and five steps raise the loss of every image on average.
func TestAugMaxClimbs(t *testing.T) {
	c := small()
	c.Crop, c.Flip, c.Mix, c.AugMax, c.AugMaxStep = "", false, "augmix", 1, 0.01
	r, b := testRunner(t, c)
	size, width := 3*8*8, 3
	loss := func() (each []float64) {
		blends := b.planes[b.n*size:][:b.n*size]
		r.blend(b, blends, width)
		logits := r.net.Forward(blends, b.n, nn.Mode{Aux: b.n})
		for i, label := range b.labels {
			each = append(each, nn.CrossEntropy(nil, logits[i*4:][:4], []int{label}, 4, 0))
		}
		return each
	}
	// The method's own AugMix, before any step.
	m, want := mix.NewAugMix(), make([]float32, size)
	set, err := dataset.Load(t.Context(), newImages(8, 8, 4), 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{config: &c, set: set, method: new(mix.Method), norm: c.norm(), classes: 4, w: 8, h: 8, workers: 1, seed: rng.NewKey(c.Seed)}
	f.begin(0)
	if err := f.fill(new(batch)); err != nil {
		t.Fatal(err)
	}
	key := f.keys[2].Rand()
	m.ApplyPlanes(want, f.images[2], f.norm, &key, new(mix.Scratch))
	before := loss()
	for k, v := range want {
		if got := b.planes[(b.n+2)*size+k]; math.Abs(float64(v-got)) > 1e-5 {
			t.Fatalf("value %d of the first blend is %g, AugMix has %g", k, got, v)
		}
	}
	weights0, share0 := slices.Clone(b.chains.weights), slices.Clone(b.chains.share)
	slope := func(move func(h float64)) []float64 {
		const h = 1e-2
		move(h)
		up := loss()
		move(-h)
		down := loss()
		copy(b.chains.weights, weights0)
		copy(b.chains.share, share0)
		for i := range up {
			up[i] = (up[i] - down[i]) / (2 * h)
		}
		return up
	}
	scored := func(k int) func(h float64) {
		return func(h float64) {
			for i := range b.n {
				row := make([]float64, width)
				for j := range row {
					row[j] = math.Log(max(weights0[i*width+j], leastWeight))
				}
				row[k] += h
				softmax(b.chains.weights[i*width:][:width], row)
			}
		}
	}
	var slopes [][]float64
	for k := range width {
		slopes = append(slopes, slope(scored(k)))
	}
	slopes = append(slopes, slope(func(h float64) {
		for i := range b.chains.share {
			b.chains.share[i] = share0[i] + h
		}
	}))
	r.searchAugMax(b)
	checked := 0
	for i := range b.n {
		for k := range width {
			moved := r.augMax.scores[i*width+k] - math.Log(max(weights0[i*width+k], leastWeight))
			if d := slopes[k][i]; math.Abs(d) > 3e-4 {
				if checked++; math.Abs(moved-0.01*sign(d)) > 1e-9 {
					t.Errorf("image %d, chain %d: the score moved by %g, the slope is %g", i, k, moved, d)
				}
			}
		}
		moved, d := b.chains.share[i]-share0[i], slopes[width][i]
		if inside := share0[i] > 0.02 && share0[i] < 0.98; inside && math.Abs(d) > 3e-4 {
			if checked++; math.Abs(moved-0.01*sign(d)) > 1e-9 {
				t.Errorf("image %d: the share moved by %g, the slope is %g", i, moved, d)
			}
		}
	}
	if checked < 15 {
		t.Errorf("only %d slopes are large enough to compare", checked)
	}
	r.config.AugMax, r.config.AugMaxStep = 5, 0.2
	r.searchAugMax(b)
	sum := 0.0
	for i, v := range loss() {
		sum += v - before[i]
	}
	if sum <= 0 {
		t.Errorf("the search changes the sum of losses by %g", sum)
	}
}

// TestMixFeatures: targets are mixed as features are, views stay with their views, and the draws depend on the step alone.
func TestMixFeatures(t *testing.T) {
	c := small()
	c.Crop, c.Flip, c.FeatureMix, c.JSD, c.Views = "", false, 1, true, 2
	r, b := testRunner(t, c)
	was := slices.Clone(b.targets)
	m := r.mixFeatures(b)
	if len(m.Partner) != 16 || m.Lambda <= 0 || m.Lambda >= 1 || m.Add != 0.4 || m.Multiply != 0.2 {
		t.Fatalf("%+v", m)
	}
	for i, k := range m.Partner[:8] {
		if m.Partner[8+i] != 8+k {
			t.Errorf("view 1 of image %d has partner %d, view 0 %d", i, m.Partner[8+i], k)
		}
		for j := range 4 {
			want := float64(m.Lambda*was[i*4+j]) + float64((1-m.Lambda)*was[k*4+j])
			if got := float64(b.targets[i*4+j]); math.Abs(got-want) > 1e-6 {
				t.Errorf("target %d of image %d is %g, want %g", j, i, got, want)
			}
		}
	}
	first := *m
	first.Partner = slices.Clone(m.Partner)
	copy(b.targets, was)
	if again := r.mixFeatures(b); again.Lambda != first.Lambda || !slices.Equal(again.Partner, first.Partner) {
		t.Error("the same step draws otherwise")
	}
	copy(b.targets, was)
	r.state.Steps++
	if next := r.mixFeatures(b); next.Lambda == first.Lambda {
		t.Error("another step draws the same")
	}
}

// TestAuxViews: auxiliary views have the partners of the others and their own draws of the rest.
func TestAuxViews(t *testing.T) {
	c := small()
	c.Crop, c.Flip, c.Mix, c.AuxMix = "", false, "none", "gaussian-p1-s0.1"
	_, b := testRunner(t, c)
	half, squares := len(b.planes)/2, 0.0
	for i, v := range b.planes[:half] {
		d := float64(b.planes[half+i]-v) / 2 // back to values in [0, 1]
		squares += d * d
	}
	if std := math.Sqrt(squares / float64(half)); math.Abs(std-0.1) > 0.01 {
		t.Errorf("the auxiliary views differ by %g, want 0.1", std)
	}
}
