package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/dataset"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// methods are small recipes of the methods that need more than a mix.
func methods() map[string]Config {
	all := map[string]Config{}
	add := func(name string, change func(r *Config)) {
		r := small()
		r.Epochs, r.Model = 2, "wrn-10-1-drop0.3"
		change(&r)
		all[name] = r
	}
	add("adversarial", func(r *Config) { r.Adversarial, r.AdvSteps, r.Mix = true, 2, "mixup-a1" })
	add("outliers", func(r *Config) { r.Outliers, r.OutlierBatch, r.Mix = "others", 24, "cutmix-a1-p0.5" })
	add("stability", func(r *Config) { r.Stability, r.Smoothing = 0.1, 0.1 })
	add("aux-mix", func(r *Config) { r.AuxMix, r.Mix, r.EMA = "afa-p1-s4", "augmix+mixup-a1", 0.9 })
	add("augmax", func(r *Config) { r.AugMax, r.Mix, r.Smoothing, r.ClipGrad = 2, "augmix-w2", 0.1, 5 })
	add("ant", func(r *Config) {
		r.ANT, r.ANTLR, r.ANTAlone, r.Epochs, r.Mix, r.Smoothing = 4, 0.01, 5, 3, "mixup-a1", 0.1
	})
	add("feature-mix", func(r *Config) { r.FeatureMix, r.Mix, r.JSD = 1, "augmix", true })
	add("preprocess", func(r *Config) { r.Preprocess, r.Mix, r.JSD = "clahe-t2", "augmix", true })
	return all
}

// unlabeled is a data set of images of no class.
type unlabeled struct{ *images }

func (u unlabeled) Read(i int, s *data.Sample) error {
	err := u.images.Read(i, s)
	s.Label = data.NoLabel
	return err
}

func (u unlabeled) Next(s *data.Sample) error {
	err := u.images.Next(s)
	s.Label = data.NoLabel
	return err
}

func methodOptions(dir string) Options {
	return Options{
		Dir: dir, Train: newImages(50, 8, 4), Val: newImages(20, 8, 4), Outliers: unlabeled{newImages(37, 8, 3)},
	}
}

// TestMethodsResume stops runs of each method after steps within and at the end of epochs and compares every byte with
// an undisturbed run.
func TestMethodsResume(t *testing.T) {
	t.Parallel()
	for name, r := range methods() {
		t.Run(name, func(t *testing.T) {
			whole, dir := t.TempDir(), t.TempDir()
			if _, err := Run(t.Context(), r, methodOptions(whole)); err != nil {
				t.Fatal(err)
			}
			for stops := 0; ; stops++ {
				ctx, cancel := context.WithCancelCause(t.Context())
				stopped, left := errors.New("stopped"), 1+stops%3
				o := methodOptions(dir)
				o.Resume = true
				o.OnStep = func(*Step) {
					if left--; left == 0 {
						cancel(stopped)
					}
				}
				_, err := Run(ctx, r, o)
				if err == nil {
					break
				}
				if !errors.Is(err, stopped) || stops > 20 {
					t.Fatal(err)
				}
			}
			sameFiles(t, finalFiles(t, dir), finalFiles(t, whole))
			// The method does something.
			plain, other := r, t.TempDir()
			plain.Adversarial, plain.Outliers, plain.Stability, plain.Preprocess = false, "", 0, ""
			plain.AuxMix, plain.AugMax, plain.FeatureMix, plain.ANT = "", 0, 0, 0
			if _, err := Run(t.Context(), plain, methodOptions(other)); err != nil {
				t.Fatal(err)
			}
			_, with := tensorsOf(t, whole)
			_, without := tensorsOf(t, other)
			if bytes.Equal(with, without) {
				t.Error("the weights are those of plain training")
			}
		})
	}
}

func tensorsOf(t *testing.T, dir string) (meta map[string]string, all []byte) {
	t.Helper()
	ts, meta, err := weights.ReadFile(filepath.Join(dir, ModelName))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range ts {
		for _, v := range one.Data {
			bits := math.Float32bits(v)
			all = append(all, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
	}
	return meta, all
}

// TestMethodLoss works the losses out by hand, from logits of two classes.
func TestMethodLoss(t *testing.T) {
	three := float32(math.Log(3))
	b := &batch{n: 1, labels: []int{0}, targets: []float32{1, 0}}
	for _, c := range []struct {
		name     string
		change   func(r *Config)
		loss     float64
		gradient []float64
	}{
		// CE log(2); the outlier has softmax (1/4, 3/4): -(log(1/4) + log(3/4))/2.
		{
			"outliers", func(r *Config) { r.Outliers, r.OutlierBatch, r.OutlierWeight = "x", 1, 0.5 },
			math.Log(2) - 0.25*(math.Log(0.25)+math.Log(0.75)),
			[]float64{-0.5, 0.5, -0.125, 0.125},
		},
		// p = (1/2, 1/2), q = (1/4, 3/4); the costs are log(4) and log(4/3), their mean under p is m.
		{
			"stability", func(r *Config) { r.Stability = 0.1 },
			math.Log(2) + 0.05*(math.Log(4)+math.Log(4./3)),
			[]float64{-0.5 + 0.025*math.Log(3), 0.5 - 0.025*math.Log(3), -0.025, 0.025},
		},
		// The auxiliary view has softmax (1/4, 3/4): a cross-entropy of log(4), weighted.
		{
			"aux-mix", func(r *Config) { r.AuxMix, r.AuxWeight = "afa", 0.5 }, math.Log(2) + 0.5*math.Log(4),
			[]float64{-0.5, 0.5, -0.375, 0.375},
		},
		// The blend likewise; without the divergence the loss is the mean of both.
		{
			"augmax", func(r *Config) { r.AugMax, r.Lambda = 1, 0 }, (math.Log(2) + math.Log(4)) / 2,
			[]float64{-0.25, 0.25, -0.375, 0.375},
		},
		// M = (3/8, 5/8); the divergence is half of KL((1/2, 1/2) || M) + KL((1/4, 3/4) || M). Its derivative by a row's logit
		// is half of p(g - Σ p g), with g = log(p/M).
		{
			"augmax with divergence", func(r *Config) { r.AugMax, r.Lambda = 1, 2 },
			(math.Log(2)+math.Log(4))/2 + math.Log(4./3)/2 + math.Log(4./5)/2 + math.Log(2./3)/4 + 3*math.Log(6./5)/4,
			[]float64{-0.25 + math.Log(5./3)/4, 0.25 - math.Log(5./3)/4, -0.375 - 3*math.Log(9./5)/16, 0.375 + 3*math.Log(9./5)/16},
		},
	} {
		r := &runner{config: small(), classes: 2}
		c.change(&r.config)
		d := []float32{9, 9, 9, 9}
		if got := r.loss(d, []float32{0, 0, 0, three}, b); math.Abs(got-c.loss) > 1e-6 {
			t.Errorf("%s: loss %v, want %v", c.name, got, c.loss)
		}
		for i, want := range c.gradient {
			if math.Abs(float64(d[i])-want) > 1e-6 {
				t.Errorf("%s: gradient %d is %v, want %v", c.name, i, d[i], want)
			}
		}
	}
}

// firstBatch returns the first batch of an epoch.
func firstBatch(t *testing.T, r *Config, epoch int) *batch {
	t.Helper()
	set, err := dataset.Load(t.Context(), newImages(16, 8, 4), 1<<30, 2)
	if err != nil {
		t.Fatal(err)
	}
	f := &feed{
		config: r, set: set, method: new(mix.Method), norm: r.norm(), classes: 4, w: 8, h: 8, workers: 2, seed: rng.NewKey(r.Seed),
	}
	if r.Outliers != "" {
		if f.extra, err = readOutliers(t.Context(), unlabeled{newImages(5, 8, 3)}, 1<<30, 2); err != nil {
			t.Fatal(err)
		}
	}
	f.begin(epoch)
	b := &batch{epoch: epoch}
	if err := f.fill(b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDisturb: the noise stays within its bounds, in pixel values, fills them, and is another in another epoch.
func TestDisturb(t *testing.T) {
	r := small()
	r.Crop, r.Flip, r.Stability, r.StabilityNoise = "", false, 1, 0.1
	noise := func(epoch int) []float64 {
		b := firstBatch(t, &r, epoch)
		half := len(b.planes) / 2
		out := make([]float64, half)
		for i := range out {
			out[i] = float64(b.planes[half+i]-b.planes[i]) * r.Std[0]
		}
		return out
	}
	sum, squares, most := 0.0, 0.0, 0.0
	first := noise(0)
	for _, u := range first {
		sum, squares, most = sum+u, squares+u*u, max(most, math.Abs(u))
	}
	n := float64(len(first))
	if most > 0.1+1e-6 || most < 0.095 || math.Abs(sum/n) > 0.006 || math.Abs(squares/n-0.01/3) > 3e-4 {
		t.Errorf("most %v, mean %v, variance %v", most, sum/n, squares/n)
	}
	if again := noise(1); again[0] == first[0] {
		t.Error("the noise of two epochs is one")
	}
}

// TestOutlierRows: five images in order from a drawn place, around the end.
func TestOutlierRows(t *testing.T) {
	r := small()
	r.Crop, r.Flip, r.Outliers, r.OutlierBatch = "", false, "x", 7
	b := firstBatch(t, &r, 0)
	size := 3 * 8 * 8
	if len(b.planes) != (16+7)*size {
		t.Fatalf("%d values", len(b.planes))
	}
	row := func(i int) []float32 { return b.planes[(16+i)*size:][:size] }
	set, err := dataset.Load(t.Context(), newImages(5, 8, 3), 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	first := -1
	image := func(i int) *raster.Image {
		m, _, err := set.Fetcher(nil, nil).Image(i, rng.NewKey(0))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for i := range 5 {
		if row(0)[0] == (float32(image(i).Pix[0])/255-0.5)/0.5 {
			first = i
		}
	}
	for i := range 7 {
		m := image((first + i) % 5)
		want := (float64(m.Pix[4])/255 - 0.5) / 0.5
		if first < 0 || math.Abs(float64(row(i)[1])-want) > 1e-6 {
			t.Errorf("outlier %d: %v, want %v (first %d)", i, row(i)[1], want, first)
		}
	}
}

// TestAdversaries: within the ball and the range, and with a larger loss than the images.
func TestAdversaries(t *testing.T) {
	r := small()
	r.Adversarial, r.Epochs = true, 1
	run := &runner{config: r, options: methodOptions(t.TempDir())}
	if err := run.prepare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	defer run.log.close()
	b := firstBatch(t, &r, 0)
	clean := append([]float32(nil), b.planes...)
	loss := func() float64 {
		return run.loss(run.dlogits[:b.n*4], run.net.Forward(b.planes, b.n, nn.Mode{}), b)
	}
	before := loss()
	if err := run.attack(b); err != nil {
		t.Fatal(err)
	}
	if after := loss(); after < before*1.01 {
		t.Errorf("loss %v, of adversaries %v", before, after)
	}
	moved := 0.0
	for i, v := range b.planes {
		moved = max(moved, math.Abs(float64(v-clean[i]))/2*255)
		if v < -1 || v > 1 {
			t.Fatalf("value %v", v)
		}
	}
	if moved > 8.001 || moved < 7.9 {
		t.Errorf("moved by %v/255", moved)
	}
	// In the l2 norm the length of each image's change is what is bounded, and no value is at a bound of its own.
	run.config.AdvNorm, run.config.AdvEps, run.config.AdvStep = "l2", 255, 64
	copy(b.planes, clean)
	if err := run.attack(b); err != nil {
		t.Fatal(err)
	}
	size := len(clean) / b.n
	for i := range b.n {
		sum := 0.0
		for j, v := range b.planes[i*size:][:size] {
			d := float64(v-clean[i*size+j]) / 2 // the standard deviation is 0.5
			sum += d * d
		}
		if length := math.Sqrt(sum); length > 1.0001 || length < 0.5 {
			t.Errorf("image %d moved by %v, want nearly 1", i, length)
		}
	}
	b.planes[0] = float32(math.NaN())
	if err := run.attack(b); !errors.Is(err, ErrDiverged) {
		t.Errorf("%v for images that are not numbers", err)
	}
}

// TestPreprocessing: what the network sees is the preprocessed crop, and the files say so.
func TestPreprocessing(t *testing.T) {
	r := small()
	r.Preprocess, r.Crop, r.Flip, r.Epochs = "clahe", "", false, 1
	set, err := dataset.Load(t.Context(), newImages(3, 8, 2), 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	var got, want raster.Image
	f := set.Fetcher(r.geometry(0), r.preprocess())
	if _, err := f.Fetch(&got, 1, 2, rng.NewKey(1)); err != nil {
		t.Fatal(err)
	}
	plain, _, err := set.Fetcher(nil, nil).Image(1, rng.NewKey(1))
	if err != nil {
		t.Fatal(err)
	}
	r.preprocess().Apply(&want, plain, new(preprocess.Scratch))
	if !bytes.Equal(got.Pix, want.Pix) || bytes.Equal(got.Pix, plain.Pix) {
		t.Error("not preprocessed")
	}
	dir := t.TempDir()
	if _, err := Run(t.Context(), r, methodOptions(dir)); err != nil {
		t.Fatal(err)
	}
	if meta, _ := tensorsOf(t, dir); meta[weights.KeyPreprocess] != "clahe-c2-t8" {
		t.Errorf("metadata %v", meta)
	}
}

func TestMethodErrors(t *testing.T) {
	for want, change := range map[string]func(r *Config){
		"jsd and adversarial do not go together": func(r *Config) { r.JSD, r.Adversarial = true, true },
		"outliers and stability":                 func(r *Config) { r.Outliers, r.Stability = "x", 1 },
		"adv-eps 0":                              func(r *Config) { r.AdvEps = 0 },
		"adv-eps: 300":                           func(r *Config) { r.AdvEps = 300 },
		"allowed: 1 to 10000":                    func(r *Config) { r.AdvSteps = 0 },
		"a step of":                              func(r *Config) { r.AdvStep = math.NaN() },
		"outlier-batch: 0 (allowed: 1 to":        func(r *Config) { r.OutlierBatch = 0 },
		"outlier-weight: -1 (allowed":            func(r *Config) { r.OutlierWeight = -1 },
		"stability: -1 (allowed":                 func(r *Config) { r.Stability = -1 },
		"stability-noise: 0 (allowed":            func(r *Config) { r.StabilityNoise = 0 },
		"aux-mix and augmax do not go":           func(r *Config) { r.AuxMix, r.AugMax, r.Mix = "afa", 1, "augmix" },
		"feature-mix and stability":              func(r *Config) { r.FeatureMix, r.Stability = 1, 1 },
		"aux-mix: bad spec: no method":           func(r *Config) { r.AuxMix = "wave" },
		"aux-mix: pixmix-k4-b3 needs more":       func(r *Config) { r.AuxMix = "pixmix" },
		"augmax: the mix is augmix+cutout (allo": func(r *Config) { r.AugMax, r.Mix = 1, "augmix+cutout" },
		"feature-mix: -1 (allowed: 0 to 1000)":   func(r *Config) { r.FeatureMix = -1 },
		"there are: clahe, nlm":                  func(r *Config) { r.Preprocess = "blur" },
	} {
		r := small()
		change(&r)
		if err := r.Check(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r := small()
	r.Outliers = "x"
	o := methodOptions(t.TempDir())
	o.Outliers = nil
	if _, err := Run(t.Context(), r, o); !errors.Is(err, ErrConfig) {
		t.Error(err)
	}
	o = methodOptions(t.TempDir())
	o.Outliers = newImages(9, 12, 3)
	r.Crop = ""
	if _, err := Run(t.Context(), r, o); !errors.Is(err, raster.ErrSize) {
		t.Error(err)
	}
}

// TestOlderCheckpoint: a checkpoint from before these keys has their defaults, and can be gone on from.
func TestOlderCheckpoint(t *testing.T) {
	r, dir := small(), t.TempDir()
	r.Epochs = 1
	if _, err := Run(t.Context(), r, methodOptions(dir)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, LastName)
	ts, meta, err := weights.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]any{}
	if err := json.Unmarshal([]byte(meta[keyConfig]), &keys); err != nil {
		t.Fatal(err)
	}
	before := len(keys)
	for _, key := range []string{
		"adv-eps", "adv-step", "adv-steps", "outlier-batch", "outlier-weight", "stability-noise",
	} {
		delete(keys, key)
	}
	text, err := json.Marshal(keys)
	if err != nil || len(keys) != before-6 {
		t.Fatalf("%d keys, then %d, %v", before, len(keys), err)
	}
	meta[keyConfig] = string(text)
	delete(meta, keySum) // as old
	if err := weights.WriteFile(path, ts, meta); err != nil {
		t.Fatal(err)
	}
	c, err := ReadCheckpoint(path)
	if err != nil {
		t.Fatal(err)
	}
	if differ := Differences(&c.Config, &r); len(differ) > 0 {
		t.Error(differ)
	}
}
