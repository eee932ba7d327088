package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/ood"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// grays is a data set of flat images: 8x8 pixels of each value, class 0 above 127 and 1 below.
type grays struct {
	values []uint8
	next   int
}

func (g *grays) Info() data.Info { return data.Info{Format: "grays", Len: len(g.values)} }
func (g *grays) Close() error    { return nil }
func (g *grays) Len() int        { return len(g.values) }

func (g *grays) Next(s *data.Sample) error {
	if g.next == len(g.values) {
		return io.EOF
	}
	g.next++
	return g.Read(g.next-1, s)
}

func (g *grays) Read(i int, s *data.Sample) error {
	*s = data.Sample{Key: fmt.Sprint(i), Index: i, Name: fmt.Sprint(i), Form: data.RGB, W: 8, H: 8, Data: make([]byte, 8*8*3)}
	for j := range s.Data {
		s.Data[j] = g.values[i]
	}
	if g.values[i] < 128 {
		s.Label = 1
	}
	return nil
}

func openGrays(values ...uint8) func() (data.Source, error) {
	return func() (data.Source, error) { return &grays{values: values}, nil }
}

// brightness is a model whose two logits are 20 times the mean value of an image and 10: class 0 is what is brighter
// than 1/2. It normalizes like AugMix's networks, which must not matter.
type brightness struct{}

func (brightness) Classes() int                              { return 2 }
func (brightness) Input() (h, w int, norm mix.Normalization) { return 8, 8, mix.Half }
func (brightness) MaxBatch() int                             { return 3 }

func (brightness) Predict(dst, x []float32, n int) error {
	each := len(x) / n
	for i := range n {
		sum := 0.0
		for _, v := range x[i*each:][:each] {
			sum += float64(v+1) / 2
		}
		dst[2*i], dst[2*i+1] = float32(20*sum/float64(each)), 10
	}
	return nil
}

// Gradient is the derivative of the cross-entropy: 20/size times (p0 - 1) for label 0, times p0 for label 1.
func (b brightness) Gradient(dst, x []float32, labels []int) error {
	each := len(x) / len(labels)
	for i, label := range labels {
		mean := 0.0
		for _, v := range x[i*each:][:each] {
			mean += float64(v) / float64(each)
		}
		g := 1 / (1 + math.Exp(10-20*mean))
		if label == 0 {
			g--
		}
		for j := range each {
			dst[i*each+j] = float32(20 * g / float64(each))
		}
	}
	return nil
}

func value(t *testing.T, e *Evaluator, metric, view string) float64 {
	t.Helper()
	for _, r := range e.Rows {
		if r.Metric == metric && r.Text() == view {
			return r.Value
		}
	}
	t.Fatalf("no row of %s, view %q in %+v", metric, view, e.Rows)
	return 0
}

// An l-inf attack of 2/255 moves a flat image's mean by that much: what lies within it of the border is lost.
func TestAdversarial(t *testing.T) {
	open := openGrays(0, 100, 125, 126, 127, 128, 129, 130, 200, 255)
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	if err := e.Adversarial(context.Background(), open, Prepare{}, attack.PixMix(), 1); err != nil {
		t.Fatal(err)
	}
	// 127.5 is the border: 126, 127, 128 and 129 can be pushed over it.
	if got := value(t, e, results.Top1Error, results.AttackPGD); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("error %v, want 0.4", got)
	}
	strong := attack.Training()
	if err := e.Adversarial(context.Background(), open, Prepare{}, strong, 1); err != nil {
		t.Fatal(err)
	}
	if got := value(t, e, results.Top1Error, strong.String()); math.Abs(got-0.6) > 1e-12 {
		t.Errorf("error %v under %v, want 0.6", got, strong)
	}
	// What is known is not measured again.
	again := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Store: Store{Known: e.Rows}, Dataset: "grays"}
	failing := func() (data.Source, error) { return nil, errors.New("read again") }
	if err := again.Adversarial(context.Background(), failing, Prepare{}, attack.PixMix(), 1); err != nil {
		t.Error(err)
	}
	blind := &Evaluator{Model: Model{Predictor: &Func{H: 8, W: 8, Class: 2, Batch: 1}, Name: "m"}, Dataset: "grays"}
	if err := blind.Adversarial(context.Background(), open, Prepare{}, attack.PixMix(), 1); !errors.Is(err, ErrModel) {
		t.Errorf("a model without gradients gives %v", err)
	}
	wrong := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	if err := wrong.Adversarial(context.Background(), open, Prepare{}, attack.PGD{}, 1); !errors.Is(err, attack.ErrOption) {
		t.Errorf("an attack of nothing gives %v", err)
	}
}

// Noise has a mean near one half, about which the model is unsure; the test images are black and white.
func TestOOD(t *testing.T) {
	values := make([]uint8, 50)
	for i := range values {
		values[i] = uint8(255 * (i % 2))
	}
	var sets []*ood.Set
	for _, name := range []string{"gaussian", "rademacher"} {
		s, err := ood.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, s)
	}
	a := &OODSuite{Open: openGrays(values...), Score: metrics.MSP, Generated: sets, Seed: 3}
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	if err := e.OOD(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	for _, view := range []string{"gaussian", "rademacher", ""} {
		if got := value(t, e, results.AUROC, view); got != 1 {
			t.Errorf("AUROC of %q: %v, want 1", view, got)
		}
		if got := value(t, e, results.FPR95, view); got != 0 {
			t.Errorf("FPR95 of %q: %v, want 0", view, got)
		}
	}
	if n := e.Rows[0].N; n != 60 {
		t.Errorf("%d images, want 50 and a fifth as many anomalies", n)
	}
	// A folder of the same images cannot be told from the test set: every score is tied.
	same := &OODSuite{
		Open: openGrays(values...), Score: metrics.MSP,
		Folders: []OODFolder{{Name: "same", Open: openGrays(255, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 0)}},
	}
	if err := e.OOD(context.Background(), same); err != nil {
		t.Fatal(err)
	}
	if got := value(t, e, results.AUROC, "same"); got != 0.5 {
		t.Errorf("AUROC of the same images: %v", got)
	}
	if err := e.OOD(context.Background(), &OODSuite{Open: openGrays(0)}); !errors.Is(err, ErrOption) {
		t.Errorf("no set gives %v", err)
	}
}

// TestOODFewer: a set that has not a fifth as many images as the test set is named, measured or reused.
func TestOODFewer(t *testing.T) {
	gaussian, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	test := openGrays(255, 0, 250, 1, 240, 130, 120, 9, 3, 200, 11, 12, 13, 14, 15)
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	for range 2 {
		var said []string
		e.Say = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
		a := &OODSuite{Open: test, Score: metrics.MSP, Generated: []*ood.Set{gaussian}, Folders: []OODFolder{
			{Name: "few", Open: openGrays(7)}, {Name: "enough", Open: openGrays(7, 8, 9, 10)},
		}}
		if err := e.OOD(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "note: few has fewer images than the others (by 2)") {
			t.Errorf("said %q", said)
		}
		e.Known, e.Rows = e.Rows, nil
	}
}

// TestOODOtherSets: sets that are measured one after the other into one folder leave means that do not contradict each other: over
// all that are there.
func TestOODOtherSets(t *testing.T) {
	path := filepath.Join(t.TempDir(), results.FileName)
	gaussian, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	var e *Evaluator
	for _, names := range [][]string{{"b"}, {"a"}, {"a", "b"}, {"b"}, {"c"}, {"b"}, {"a"}, {"a", "b", "c"}, nil} {
		rows, err := results.OpenAppend(path)
		if err != nil {
			t.Fatal(err)
		}
		known, err := results.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e = &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
		e.Results, e.Known = rows, results.Rows(known)
		a := &OODSuite{Open: openGrays(255, 0, 250, 1, 240, 130, 120, 9, 3, 200), Score: metrics.MSP, Generated: []*ood.Set{gaussian}, Seed: 3}
		for _, name := range names {
			a.Folders = append(a.Folders, OODFolder{Name: name, Open: openGrays([]uint8{135, 12, 90, 252, 131}[name[0]-'a':]...)})
		}
		if err := errors.Join(e.OOD(t.Context(), a), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	merged, err := results.MergeFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range merged {
		if r.OOD == "" && fmt.Sprint(r.Over) != "[a b c gaussian]" {
			t.Errorf("%s is over %v", r.Metric, r.Over)
		}
	}
	if len(merged) != 15 {
		t.Errorf("%d rows, want 3 metrics of 4 sets and their means", len(merged))
	}
}

// TestOODScore: rows by another score say which, are not taken for the papers', and their records give the same number.
func TestOODScore(t *testing.T) {
	set, err := ood.ByName("gaussian")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), records.FileName)
	keep, err := OpenRecorder(path)
	if err != nil {
		t.Fatal(err)
	}
	a := &OODSuite{Open: openGrays(0, 100, 120, 130, 255, 0, 100, 120, 130, 255), Generated: []*ood.Set{set}, Seed: 3}
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Store: Store{Records: keep}, Dataset: "grays"}
	scores := []metrics.OODScore{metrics.MSP, metrics.GEN, metrics.MaxLogit}
	for _, a.Score = range scores {
		if err := e.OOD(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	f, err := records.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(e.Rows) != 18 {
		t.Fatalf("%d rows, want 3 scores of 3 metrics and their means", len(e.Rows))
	}
	for i := range e.Rows {
		r := &e.Rows[i]
		if want := string(scores[i/6]); r.Score != want && (want != "msp" || r.Score != "") {
			t.Errorf("row %d of %s has score %q", i, want, r.Score)
		}
		d := score.Intervals([]*score.Recorded{score.NewRecorded(f, "m", results.View{})}, []float64{r.Value}, results.ByCell(r), 10)
		if d[0].Err != nil {
			t.Errorf("%s %s: %v", r.MetricName(r.Metric), r.OOD, d[0].Err)
		}
	}
	again := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Store: Store{Known: e.Rows}, Dataset: "grays"}
	a.Open = func() (data.Source, error) { return nil, errors.New("read again") }
	if err := again.OOD(t.Context(), a); err != nil {
		t.Errorf("what is known: %v", err)
	}
	if a.Score = metrics.Energy; again.OOD(t.Context(), a) == nil {
		t.Error("energy was taken from rows of other scores")
	}
}

// Only the constant function changes the mean of an image: it alone can fool the model, where its sign is wrong.
func TestFourier(t *testing.T) {
	values := make([]uint8, 40)
	for i := range values {
		values[i] = 100
	}
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	m, err := e.Fourier(context.Background(), &FourierSuite{Open: openGrays(values...), Length: 2, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if m.Side != 8 || m.N != 40 {
		t.Fatalf("%d rows, %d images", m.Side, m.N)
	}
	for i, v := range m.Error {
		switch {
		case i == 4*8+4:
			// The mean grows by 2/8 = 0.25 with each plane's sign: 100/255 + (the sum of three signs)/3*0.25 is above
			// 1/2 for three or two positive signs of three (by 0.25 or 0.083, cut by nothing): half of the images.
			// 40 coin flips: four deviations are 0.32.
			if 100./255+0.25/3 < 0.5 && v > 0.4 || v < 0.01 {
				t.Errorf("constant: error %v", v)
			}
		case v != 0:
			t.Errorf("frequency %d, %d: error %v", i/8-4, i%8-4, v)
		}
	}
	if _, err := e.Fourier(context.Background(), &FourierSuite{Open: openGrays(0), Length: -1}); !errors.Is(err, ErrOption) {
		t.Errorf("a negative length gives %v", err)
	}
}

// Preprocessing changes what the model sees, on any number of workers alike, and rows say when it is not the model's own.
func TestPreprocess(t *testing.T) {
	values := make([]uint8, 30)
	for i := range values {
		values[i] = uint8(9*i) % 251
	}
	m, err := preprocess.Parse("clahe-t1")
	if err != nil {
		t.Fatal(err)
	}
	logits := map[int][]float32{}
	for _, workers := range []int{1, 3} {
		e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m", Preprocess: m, Override: true}, Dataset: "grays", Workers: workers}
		s := e.stream(func(_ *part, z []float32) error {
			logits[workers] = append(logits[workers], z...)
			return nil
		})
		src, _ := openGrays(values...)()
		j := job{source: src, expander: Prepare{}.expander, workers: workers}
		if _, err := j.run(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if e.view() != (results.View{Preprocess: "clahe-c2-t1"}) {
			t.Errorf("view %+v", e.view())
		}
	}
	for i, v := range logits[1] {
		if logits[3][i] != v {
			t.Fatalf("logit %d differs between 1 and 3 workers", i)
		}
	}
	// By hand: a flat image of value v becomes what the table of its one tile says.
	for i, v := range values {
		src, dst := raster.New(8, 8), new(raster.Image)
		src.Fill(raster.RGB{R: v, G: v, B: v})
		m.Apply(dst, src, new(preprocess.Scratch))
		want := 0.0
		for j := 0; j < len(dst.Pix); j += 4 {
			for c := range 3 {
				want += float64(dst.Pix[j+c]) / 255 / (3 * 64)
			}
		}
		if got := float64(logits[1][2*i]) / 20; math.Abs(got-want) > 1e-4 {
			t.Errorf("image %d: mean %v, want %v", i, got, want)
		}
	}
}
