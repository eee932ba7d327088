package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// A checkpoint on the clean test set and on a -C form that is made on the fly: 20 drawn scenes, one corruption at one
// severity. The network is as it was before training, so it guesses.
func ExampleEvaluator_Corruptions() {
	dir, err := os.MkdirTemp("", "eval")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := save(path, "wrn-10-1", 32, 10, nil, ""); err != nil {
		fmt.Println(err)
		return
	}

	net, err := LoadNetwork(path, LoadOptions{Model: "wrn-10-1", H: 32, W: 32, Norm: &mix.Half})
	if err != nil {
		fmt.Println(err)
		return
	}
	open := func() (data.Source, error) { return formats.Open("scenes:n=20,split=test", formats.Options{}) }
	e := &Evaluator{Model: Model{Predictor: net, Name: "untrained"}, Dataset: "scenes"}
	src, err := open()
	if err != nil {
		fmt.Println(err)
		return
	}
	err = e.Clean(context.Background(), src, Prepare{})
	if err := errors.Join(err, src.Close(), e.Corruptions(context.Background(), &CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"fog"}, Open: open, Plan: transform.Corruptions{Severities: []float64{3}},
	})); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range e.Rows {
		if r.Metric == results.Top1Error {
			fmt.Println(r.Dataset, r.Corruption, r.Severity, results.Metric(r.Metric).Format(r.Value), "of", r.N)
		}
	}
	// Output:
	// scenes  0 75.00 % of 20
	// scenes-c fog 3 80.00 % of 20
}
