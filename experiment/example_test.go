package experiment_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/experiment"
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
	rows, err := experiment.Eval{
		File: filepath.Join(dir, train.ModelName), In: "scenes:n=20,size=32,split=test",
		Suites: []string{"c"}, Subset: []string{"fog", "contrast"}, Severity: "1,5",
	}.Run(context.Background())
	for i := range rows {
		if r := &rows[i]; r.Metric == results.Top1Error && r.Severity > 0 {
			fmt.Println(r.Dataset, r.Corruption, r.Severity, r.N, "images")
		}
	}
	fmt.Println(err)
	// Output:
	// scenes-c fog 1 20 images
	// scenes-c fog 5 20 images
	// scenes-c contrast 1 20 images
	// scenes-c contrast 5 20 images
	// <nil>
}
