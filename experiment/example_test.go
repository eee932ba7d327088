package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// A recipe from training to the report. The images are drawn on the spot, the networks are tiny.
func ExampleExperiment() {
	dir, err := os.MkdirTemp("", "experiment")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "tiny.yaml")
	err = os.WriteFile(file, []byte(`{data: "scenes:n=40,size=16", val: "scenes:n=20,size=16,split=test",
model: wrn-10-1, crop: pad2:16, epochs: 1, batch: 20, methods: {standard: {}, augmix: {mix: augmix-m3}},
run: {methods: [standard, augmix], suites: [clean, ood], eval: {input-size: 16}}}`), 0o644)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := experiment.New(file, experiment.Options{
		Dir: filepath.Join(dir, "out"), Before: func(s *experiment.Stage) { fmt.Println(s.Name) },
	})
	if err == nil {
		err = x.Run(context.Background())
	}
	fmt.Println(x.Methods, err)
	// Output:
	// train standard
	// train augmix
	// eval standard
	// eval augmix
	// sheet.png
	// report.html
	// report.md
	// [standard augmix] <nil>
}

// bright is a model in another program, as far as package experiment knows: the class is how bright an image is.
type bright struct {
	side    int
	answers [][]float32
}

func (b *bright) Classes() int                              { return 10 }
func (b *bright) Input() (h, w int, norm mix.Normalization) { return b.side, b.side, mix.Unit }
func (b *bright) MaxBatch() int                             { return 8 }
func (b *bright) Ahead() int                                { return 1 }
func (b *bright) Predict(_, _ []float32, _ int) error       { return errors.New("its images are given") }

func (b *bright) Give(batch *eval.Shown) error {
	var logits []float32
	for _, m := range batch.Images {
		sum := 0
		for _, v := range m.Pix {
			sum += int(v)
		}
		row := make([]float32, 10)
		row[sum/len(m.Pix)*10/256] = 1
		logits = append(logits, row...)
	}
	b.answers = append(b.answers, logits)
	return nil
}

func (b *bright) Logits(dst []float32) error {
	copy(dst, b.answers[0])
	b.answers = b.answers[1:]
	return nil
}

// A model that another program runs is measured: it is given images and returns logits.
func ExampleEval_remote() {
	rows, err := experiment.Eval{
		In: "scenes:n=20,size=32,split=test", Name: "bright", Suites: []string{"c"},
		Subset: []string{"brightness"}, Severity: "1,5",
		Remote: func(t experiment.TestSet) (eval.Remote, error) {
			fmt.Println(t.Samples, "images of", t.W, "x", t.H, "of", len(t.Classes), "classes")
			return &bright{side: t.W}, nil
		},
	}.Run(context.Background())
	for i := range rows {
		if r := &rows[i]; r.Metric == results.Top1Error && r.Severity > 0 {
			fmt.Println(r.Corruption, r.Severity, r.N, "images")
		}
	}
	fmt.Println(err)
	// Output:
	// 20 images of 32 x 32 of 10 classes
	// brightness 1 20 images
	// brightness 5 20 images
	// <nil>
}

// A network is trained as a built-in recipe says, but for a moment, and its checkpoint is measured on two corruptions of -C.
func ExampleEval() {
	dir, err := os.MkdirTemp("", "eval")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	r, err := recipe.Read("quickstart")
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Config.Data, r.Config.Val, r.Config.Epochs = "scenes:n=64,size=32", experiment.NoValidation, 1
	if _, err := (&experiment.Train{Config: r.Config, Dir: dir}).Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	e := experiment.Eval{
		File: filepath.Join(dir, train.ModelName), In: "scenes:n=20,size=32,split=test",
		Suites: []string{"c"}, Subset: []string{"fog", "contrast"}, Severity: "1,5",
	}
	plan, err := e.Plan(context.Background()) // with plan.Time, how long that takes
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Passes, "images through the model")
	rows, err := e.Run(context.Background())
	for i := range rows {
		if r := &rows[i]; r.Metric == results.Top1Error && r.Severity > 0 {
			fmt.Println(r.Dataset, r.Corruption, r.Severity, r.N, "images")
		}
	}
	fmt.Println(err)
	// Output:
	// 80 images through the model
	// scenes-c fog 1 20 images
	// scenes-c fog 5 20 images
	// scenes-c contrast 1 20 images
	// scenes-c contrast 5 20 images
	// <nil>
}
