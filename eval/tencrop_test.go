package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/data"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
)

// numbered is an image whose red values count its pixels: 10 y + x.
func numbered(w, h int) *raster.Image {
	m := raster.New(w, h)
	for y := range h {
		for x := range w {
			m.Set(x, y, raster.RGB{R: uint8(10*y + x)})
		}
	}
	return m
}

// A temperature is that of the averages over crops, which it is fitted on.
func TestTemperatureOfTenCrops(t *testing.T) {
	set := &memory{format: "npy", classes: 3}
	for i := range 30 {
		m := raster.New(10, 10)
		for k := range 100 {
			v := [3]int{k * i * 37 % 100, k * i * 53 % 100, k * (i + 1) * 91 % 100}
			v[(i+i%4/3)%3] += 60 // one in four shows another class
			m.Set(k%10, k/10, raster.RGB{R: uint8(v[0]), G: uint8(v[1]), B: uint8(v[2])})
		}
		set.samples = append(set.samples, sample{fmt.Sprint(i), i % 3, m})
	}
	e := &Evaluator{Model: Model{Predictor: colors(), Name: "m", TenCrop: true}, Dataset: "own"}
	var want metrics.Classification
	var plain [][]float32
	var labels []int
	s := e.stream(func(p *part, row []float32) error {
		plain, labels = append(plain, slices.Clone(row)), append(labels, p.label)
		return nil
	})
	j := job{source: set, expander: Prepare{}.expander}
	if _, err := j.run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if err := e.Temperature(t.Context(), &memory{samples: set.samples, format: "npy", classes: 3}, Prepare{}); err != nil {
		t.Fatal(err)
	}
	for i, row := range plain {
		metrics.ScaleLogits(row, row, e.Rows[0].Value)
		if err := metrics.AddRows(&want, i, row, labels[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Clean(t.Context(), &memory{samples: set.samples, format: "npy", classes: 3}, Prepare{}); err != nil {
		t.Fatal(err)
	}
	nll, err := want.NLL()
	if got := value(t, e, results.NLL, "ten-crop"); err != nil || e.Rows[0].Value > 0.9 || math.Abs(got-nll) > 1e-5 {
		t.Errorf("at temperature %v the NLL is %v, want %v, error %v", e.Rows[0].Value, got, nll, err)
	}
}

// The ten crops of 3x2 pixels of an image of 6x4, by hand: the left upper pixel and the one right of it.
func TestCutTen(t *testing.T) {
	dst := make([]*raster.Image, tenCrops)
	for i := range dst {
		dst[i] = new(raster.Image)
	}
	cutTen(dst, numbered(6, 4), 3, 2)
	want := [tenCrops][2]uint8{
		{0, 1}, {3, 4}, {12, 13}, {20, 21}, {23, 24}, // the margin of 3 is halved to 2, the even one
		{2, 1}, {5, 4}, {14, 13}, {22, 21}, {25, 24},
	}
	for i, m := range dst {
		if m.W != 3 || m.H != 2 {
			t.Fatalf("crop %d is %dx%d", i, m.W, m.H)
		}
		if got := [2]uint8{m.At(0, 0).R, m.At(1, 0).R}; got != want[i] {
			t.Errorf("crop %d begins with %v, want %v", i, got, want[i])
		}
		if got := m.At(0, 1).R; got != want[i][0]+10 {
			t.Errorf("crop %d: second row begins with %d", i, got)
		}
	}
}

// A model of 2x2 pixels whose logits are its first pixel's red value and ten: the ten first pixels of an image of 3x4
// are known, so is the mean of the ten softmax vectors. Batches of three make it four calls.
func TestTenCropByHand(t *testing.T) {
	calls := []int{}
	model := &Func{H: 2, W: 2, Class: 2, Batch: 3, Norm: mix.Unit, Do: func(dst, x []float32, n int) error {
		calls = append(calls, n)
		for i := range n {
			dst[2*i], dst[2*i+1] = 255*x[i*12], 10
		}
		return nil
	}}
	set := &memory{format: "npy", classes: 2, samples: []sample{{"one", 1, numbered(3, 4)}, {"two", 0, numbered(3, 4)}}}
	e := &Evaluator{Model: Model{Predictor: model, Name: "m", TenCrop: true}, Dataset: "numbers", Workers: 1}
	if err := e.Clean(context.Background(), set, Prepare{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(calls, []int{3, 3, 3, 1, 3, 3, 3, 1}) {
		t.Errorf("batches of %v", calls)
	}
	// Left and right, the middle is the left one (half of 1, to even), rows 0, 1 and 2.
	p := 0.0
	for _, first := range []float64{0, 1, 10, 20, 21, 1, 2, 11, 21, 22} {
		p += 1 / (1 + math.Exp(10-first)) / tenCrops
	}
	for metric, want := range map[string]float64{
		results.NLL:   -(math.Log(p) + math.Log(1-p)) / 2,
		results.Brier: (2*p*p + 2*(1-p)*(1-p)) / 2,
	} {
		if got := value(t, e, metric, "ten-crop"); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s %v, want %v", metric, got, want)
		}
	}
	if got := value(t, e, results.Top1Error, "ten-crop"); got != 0.5 {
		t.Errorf("error %v", got)
	}
}

// Softmax of what logMeanSoftmax gives is the mean of the rows' softmax, whatever they are; of equal rows it is theirs.
func TestLogMeanSoftmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(1, 12).Draw(t, "classes")
		rows := rapid.IntRange(1, tenCrops).Draw(t, "rows")
		scale := rapid.SampledFrom([]float32{0.1, 1, 30, 1e4}).Draw(t, "scale")
		logits := make([]float32, rows*classes)
		for i := range logits {
			logits[i] = scale * rapid.Float32Range(-1, 1).Draw(t, "logit")
		}
		if rapid.Bool().Draw(t, "equal rows") {
			for r := range rows {
				copy(logits[r*classes:][:classes], logits)
			}
		}
		got, want := make([]float32, classes), make([]float64, classes)
		logMeanSoftmax(got, logits)
		for r := range rows {
			row := logits[r*classes:][:classes]
			top, sum := float64(slices.Max(row)), 0.0
			for _, v := range row {
				sum += math.Exp(float64(v) - top)
			}
			for c, v := range row {
				want[c] += math.Exp(float64(v)-top) / sum / float64(rows)
			}
		}
		for c := range got {
			// A logarithm of -x is rounded to about x/2^24; a probability is 1 at most.
			if p := math.Exp(float64(got[c])); math.Abs(p-want[c]) > 2e-6*max(want[c], 1e-3) {
				t.Fatalf("class %d: %v, want %v", c, p, want[c])
			}
		}
	})
}

// Nothing that a model can say makes an infinite logarithm: extremes are scored, what is not finite is refused.
func TestLogMeanSoftmaxExtremes(t *testing.T) {
	const big = math.MaxFloat32
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		logits []float32
		ok     bool
	}{
		{[]float32{big, -big, big, -big}, true},
		{[]float32{big, -big, -big, big}, true},
		{[]float32{0, -2000, 0, -3000}, true}, // the second probability is 0 in float64
		{[]float32{0, 1, inf, 1}, false},
		{[]float32{0, 1, 1, -inf}, false},
		{[]float32{nan, 1, 1, 1}, false},
	} {
		dst := make([]float32, 2)
		logMeanSoftmax(dst, c.logits)
		o, err := metrics.Score(3, dst, 1)
		if (err == nil) != c.ok || c.ok && (math.IsInf(o.NLL, 0) || o.NLL != o.NLL) {
			t.Errorf("%v gives %v: %v, %+v", c.logits, dst, err, o)
		}
		if !c.ok && !errors.Is(err, metrics.ErrLogit) {
			t.Errorf("%v: %v", c.logits, err)
		}
	}
	dst := make([]float32, 2)
	if logMeanSoftmax(dst, []float32{0, -2000, 0, -3000}); math.Abs(float64(dst[1])+2000+math.Ln2) > 1e-3 {
		t.Errorf("logarithm %v of an average of e^-2000 and e^-3000", dst[1])
	}
}

// Every crop of a flat image is the image: the measurement is the plain one of smaller flat images.
func TestTenCropOfFlatImages(t *testing.T) {
	values := []uint8{0, 60, 100, 120, 126, 127, 128, 129, 140, 180, 255, 3}
	plain := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays", Calibration: true}
	ten := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m", TenCrop: true}, Dataset: "grays", Calibration: true}
	src, _ := openGrays(values...)()
	if err := plain.Clean(context.Background(), src, Prepare{}); err != nil {
		t.Fatal(err)
	}
	src, _ = openGrays(values...)()
	if err := ten.Clean(context.Background(), src, Prepare{Size: 11}); err != nil {
		t.Fatal(err)
	}
	if len(plain.Rows) != len(ten.Rows) || len(ten.Rows) < 8 {
		t.Fatalf("%d rows, %d of ten crops", len(plain.Rows), len(ten.Rows))
	}
	for i, p := range plain.Rows {
		q := ten.Rows[i]
		q.TenCrop = false
		if math.Abs(p.Value-q.Value) > 1e-6 || q.Key() != p.Key() || !ten.Rows[i].TenCrop {
			t.Errorf("%v: %v, of ten crops %v (%+v)", p.Key(), p.Value, q.Value, ten.Rows[i].View)
		}
	}
}

// A network gives what comes out when its crops are cut, preprocessed, predicted one by one and averaged by hand.
// Images differ in size, as those that are resized by the shorter side do.
func TestTenCropOfNetwork(t *testing.T) {
	const side, classes = 16, 7
	info := weights.Info{
		Model: "wrn-10-1", Input: graph.Shape{H: side, W: side, C: 3}, Classes: classes,
		Mean: []float64{.4, .5, .6}, Std: []float64{.2, .3, .25},
	}
	n, err := LoadNetwork(saved(t, "wrn-10-1", side, classes, info.Metadata(), ""), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	clahe, err := preprocess.Parse("clahe-t1")
	if err != nil {
		t.Fatal(err)
	}
	set := &memory{format: "folder", classes: classes}
	for i := range 5 {
		m := raster.New(17+i%3, 24-i)
		r := rng.NewKey(uint64(i)).Rand()
		for k := range m.Pix {
			m.Pix[k] = uint8(r.IntN(256)) | uint8(255*(k%4/3)) // opaque
		}
		set.samples = append(set.samples, sample{fmt.Sprint(i), i, m})
	}
	for _, method := range []preprocess.Method{nil, clahe} {
		e := &Evaluator{Model: Model{Predictor: n, Name: "m", TenCrop: true, Preprocess: method}, Dataset: "d"}
		src, _ := set.again()
		if err := e.Clean(context.Background(), src, Prepare{}); err != nil {
			t.Fatal(err)
		}
		nll, brier := 0.0, 0.0
		for i, s := range set.samples {
			mean := byHand(t, n, s.image, method)
			o, err := metrics.ScoreProbs(i, mean, s.label)
			if err != nil {
				t.Fatal(err)
			}
			nll, brier = nll+o.NLL/5, brier+o.Brier/5
		}
		if got := value(t, e, results.NLL, "ten-crop"); math.Abs(got-nll) > 1e-5 {
			t.Errorf("preprocessed by %v: NLL %v, by hand %v", method, got, nll)
		}
		if got := value(t, e, results.Brier, "ten-crop"); math.Abs(got-brier) > 1e-5 {
			t.Errorf("preprocessed by %v: Brier score %v, by hand %v", method, got, brier)
		}
	}
}

// byHand returns the mean softmax over ten crops, pixel by pixel.
func byHand(t *testing.T, n *Network, m *raster.Image, method preprocess.Method) []float64 {
	h, w, norm := n.Input()
	mean := make([]float64, n.Classes())
	at := [][2]int{
		{0, 0},
		{m.W - w, 0},
		{0, m.H - h},
		{m.W - w, m.H - h},
		{int(math.RoundToEven(float64(m.W-w) / 2)), int(math.RoundToEven(float64(m.H-h) / 2))},
	}
	for k := range 2 * len(at) {
		crop := raster.New(w, h)
		for y := range h {
			for x := range w {
				from := x
				if k%2 == 1 {
					from = w - 1 - x
				}
				crop.Set(x, y, m.At(at[k/2][0]+from, at[k/2][1]+y))
			}
		}
		if method != nil {
			done := new(raster.Image)
			method.Apply(done, crop, new(preprocess.Scratch))
			crop = done
		}
		x, logits := make([]float32, 3*h*w), make([]float32, n.Classes())
		for i := range h * w {
			for c := range 3 {
				x[c*h*w+i] = (float32(crop.Pix[4*i+c])/255 - norm.Mean[c]) / norm.Std[c]
			}
		}
		if err := n.Predict(logits, x, 1); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range logits {
			sum += math.Exp(float64(v))
		}
		for c, v := range logits {
			mean[c] += math.Exp(float64(v)) / sum / tenCrops
		}
	}
	return mean
}

func TestTenCropErrors(t *testing.T) {
	for _, c := range []struct {
		prepare Prepare
		says    string
	}{
		{Prepare{}, "0 is 8x8 pixels, and ten crops are cut from images wider and higher than the model's 8x8"},
		{Prepare{Size: 20, Crop: 8}, "such as of a shorter side of 9"},
		{Prepare{Size: 6}, "is 6x6"},
	} {
		e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m", TenCrop: true}, Dataset: "grays"}
		src, _ := openGrays(1, 2)()
		err := e.Clean(context.Background(), src, c.prepare)
		if !errors.Is(err, ErrImages) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want one that says %q", c.prepare, err, c.says)
		}
	}
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m", TenCrop: true}, Dataset: "grays"}
	large := Prepare{Size: 12}
	if err := e.Adversarial(context.Background(), openGrays(1), large, attack.PixMix(), 1); !errors.Is(err, ErrOption) {
		t.Errorf("an attack: %v", err)
	}
	s := &FourierSuite{Open: openGrays(1), Prepare: large, Length: 1, Radius: 1}
	if _, err := e.Fourier(context.Background(), s); !errors.Is(err, ErrOption) {
		t.Errorf("a Fourier map: %v", err)
	}
	noise := &OODSuite{Open: openGrays(1), Prepare: large, Folders: []OODFolder{{Name: "x", Open: openGrays(1)}}}
	if err := e.OOD(context.Background(), noise); !errors.Is(err, ErrOption) {
		t.Errorf("OOD: %v", err)
	}
	if err := checkTen("a", 300, 224, 224, 224); err == nil || !strings.Contains(err.Error(), "a shorter side of 256") {
		t.Errorf("224 of 300x224: %v", err)
	}
}

func TestTenCropView(t *testing.T) {
	m, err := preprocess.Parse("clahe-t1")
	if err != nil {
		t.Fatal(err)
	}
	for want, e := range map[string]*Evaluator{
		"ten-crop":                     {Model: Model{TenCrop: true}},
		"ten-crop, limit 5":            {Model: Model{TenCrop: true}, Limit: 5},
		"not preprocessed, ten-crop":   {Model: Model{TenCrop: true, Override: true}},
		m.String() + ", ten-crop":      {Model: Model{TenCrop: true, Override: true, Preprocess: m}},
		m.String() + ", limit 3":       {Limit: 3, Model: Model{Override: true, Preprocess: m}},
		"not preprocessed, limit 1000": {Limit: 1000, Model: Model{Override: true}},
	} {
		if got := e.view().Text(); got != want {
			t.Errorf("view %q, want %q", got, want)
		}
	}
}

// A stream with ten crops allocates no more for a batch than a plain one.
func TestTenCropAllocations(t *testing.T) {
	cost := func(ten bool) float64 {
		nothing := func([]float32, []float32, int) error { return nil }
		model := &Func{H: 8, W: 8, Class: 3, Batch: 20, Norm: mix.Half, Do: nothing}
		e := &Evaluator{Model: Model{Predictor: model, TenCrop: ten}, Workers: 1}
		s := e.stream(func(*part, []float32) error { return nil })
		m := raster.New(8, 8)
		if ten {
			m = raster.New(11, 10)
		}
		one := func() {
			for range s.parts {
				if err := s.add(part{key: "k", label: data.NoLabel}, m); err != nil {
					t.Fatal(err)
				}
			}
		}
		one()
		return testing.AllocsPerRun(20, one)
	}
	if plain, ten := cost(false), cost(true); ten > plain {
		t.Errorf("%v allocations a batch, %v plainly", ten, plain)
	}
}

func ExampleEvaluator_tenCrop() {
	// Images are made 36 pixels high and wide at least; corners and middle of 32x32 go through the model.
	model := &Func{H: 32, W: 32, Class: 2, Batch: 64, Norm: mix.Half, Do: func(dst, _ []float32, n int) error {
		for i := range n {
			dst[2*i], dst[2*i+1] = 1, 0
		}
		return nil
	}}
	e := &Evaluator{Model: Model{Predictor: model, Name: "constant", TenCrop: true}, Dataset: "grays"}
	src, _ := openGrays(0, 255)()
	err := e.Clean(context.Background(), src, Prepare{Size: 36})
	fmt.Println(err, e.Rows[0].Metric, e.Rows[0].Value, e.Rows[0].TenCrop)
	// Output: <nil> error 0.5 true
}
