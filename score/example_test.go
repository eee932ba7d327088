package score_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// saveLogits writes the folder of a small -C form: for each corruption a file of the logits of four images at severity
// 1, then at 2, and so on. The model takes one image more for the wrong class at each severity up to the third.
func saveLogits(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "labels.txt"), []byte("0\n1\n0\n1\n"), 0o644); err != nil {
		return err
	}
	for _, corruption := range []string{"fog", "snow"} {
		var b strings.Builder
		for severity := 1; severity <= 5; severity++ {
			for image := range 4 {
				right := []string{"2.5,-1.5", "-1.5,2.5"}
				if image < min(severity, 3) {
					right[0], right[1] = right[1], right[0]
				}
				b.WriteString(right[image%2] + "\n")
			}
		}
		if err := os.WriteFile(filepath.Join(dir, corruption+".csv"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Saved logits of a -C form become rows: here of two corruptions. Result.Notes say which means lack the others.
func ExampleFiles_Score() {
	dir, err := os.MkdirTemp("", "logits")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	logits := filepath.Join(dir, "resnet20")
	if err := saveLogits(logits); err != nil {
		fmt.Println(err)
		return
	}
	r, err := score.Files{Path: logits}.Score(context.Background(), score.Options{Dataset: "cats-dogs-c"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Rows {
		if row.Metric == results.Top1Error && row.Severity == 0 {
			fmt.Println(row.Model, row.Dataset, row.Corruption, results.Metric(row.Metric).Format(row.Value), row.N)
		}
	}
	// Output:
	// resnet20 cats-dogs-c snow 60.00 % 20
	// resnet20 cats-dogs-c fog 60.00 % 20
}

// Three models that err on different images: the mean of their probabilities errs on none.
func ExampleFiles_ensemble() {
	dir, err := os.MkdirTemp("", "ensemble")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	var paths []string
	for wrong := range 3 {
		table := "label,prob_0,prob_1\n"
		for image := range 3 {
			table += map[bool]string{false: "0,0.9,0.1\n", true: "0,0.4,0.6\n"}[image == wrong]
		}
		path := filepath.Join(dir, fmt.Sprintf("seed%d.csv", wrong))
		if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
			fmt.Println(err)
			return
		}
		paths = append(paths, path)
	}
	for _, files := range []score.Files{{Path: paths[0]}, {Path: paths[0], Ensemble: paths[1:]}} {
		r, err := files.Score(context.Background(), score.Options{Dataset: "cats-dogs"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Model, results.Metric(r.Rows[0].Metric).Format(r.Rows[0].Value))
	}
	// Output:
	// seed0 33.33 %
	// seed0 + seed1 + seed2 0.00 %
}

// Two models on the same images: the difference has a paired interval.
func ExampleCompare() {
	labels := make([]int, 200)
	predict := func(wrong int) *score.Cell { // a model that errs on every so many images
		c, err := score.NewCell("", 0, 0)
		if err != nil {
			panic(err)
		}
		c.Keep = true
		for i := range labels {
			logits := []float32{2, 0}
			if i%wrong == 0 {
				logits = []float32{0, 2}
			}
			if err := score.AddLogits(c, logits, labels[i:i+1]); err != nil {
				panic(err)
			}
		}
		return c
	}
	o := score.Options{Dataset: "cifar10", Bootstrap: score.Bootstrap{Replicates: 1000}}
	o.Model = "standard"
	standard, err1 := score.Cells([]*score.Cell{predict(5)}, o)
	o.Model = "augmix"
	augmix, err2 := score.Cells([]*score.Cell{predict(10)}, o)
	if err1 != nil || err2 != nil {
		fmt.Println(err1, err2)
		return
	}
	rows, err := score.Compare(augmix, standard)
	fmt.Println(rows[0].Model, "minus", rows[0].Against, err)
	fmt.Println(results.Metric(rows[0].Metric).FormatInterval(rows[0].Value, rows[0].Interval))
	// Output:
	// augmix minus standard <nil>
	// -10.00 % [-14.00, -6.00]
}

// The outcome of each prediction, beside the rows: package report draws paired differences of runs that have both.
func ExampleWriteRecords() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "probs.csv")
	if err := os.WriteFile(path, []byte("label,prob_0,prob_1\n0,0.9,0.1\n1,0.6,0.4\n"), 0o644); err != nil {
		panic(err)
	}
	r, err := score.Files{Path: path}.Score(context.Background(), score.Options{Model: "net", Dataset: "cats-dogs", Keep: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(results.WriteFile(filepath.Join(dir, results.FileName), r.Rows))
	fmt.Println(score.WriteRecords(filepath.Join(dir, "records.npz"), r))
	// Output:
	// <nil>
	// <nil>
}

// An interval of a number whose row has none, from the records of the run.
func ExampleOpenRecorded() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		panic(err)
	}
	cell.Keep = true
	for i := range 100 { // every tenth is wrong
		if err := score.AddLogits(cell, []float32{float32(i % 10), 0.5}, []int{0}); err != nil {
			panic(err)
		}
	}
	r, err := score.Cells([]*score.Cell{cell}, score.Options{Model: "net", Dataset: "cats-dogs"})
	if err != nil {
		panic(err)
	}
	path := filepath.Join(dir, "records.npz")
	if err := score.WriteRecords(path, r); err != nil {
		panic(err)
	}

	net, err := score.OpenRecorded(path, "net", results.View{})
	if err != nil {
		panic(err)
	}
	defer net.Close()
	for _, row := range r.Rows {
		if row.Metric == results.Top1Error {
			d := score.Intervals([]*score.Recorded{net}, []float64{row.Value}, results.ByCell(&row), 1000)[0]
			fmt.Printf("%.2f [%.2f, %.2f] %v\n", row.Value, d.Interval.Lo, d.Interval.Hi, d.Err)
		}
	}
	_, err = score.OpenRecorded(path, "mesh", results.View{})
	fmt.Println(errors.Is(err, score.ErrOption), strings.HasSuffix(err.Error(), `records of "mesh" (allowed: of ["net"])`))
	// Output:
	// 0.10 [0.05, 0.17] <nil>
	// true true
}

// Out-of-distribution detection from scores: larger is less like the training data.
func ExampleDetection() {
	test := []float64{-0.9, -0.8, -0.7, -0.95}
	others := [][]float64{{-0.3, -0.2}, {-0.75, -0.1}}
	base := results.Row{Model: "resnet20", Dataset: "cifar10"}
	var rows []results.Row
	for i, name := range []string{"noise", "svhn"} {
		some, err := score.Detection(base, name, metrics.MSP, test, others[i])
		if err != nil {
			fmt.Println(err)
			return
		}
		rows = append(rows, some...)
	}
	for _, r := range score.DetectionMeans(base, rows) {
		fmt.Println(results.Metric(r.Metric).Label, results.Metric(r.Metric).Format(r.Value), "of", r.N, "images")
	}
	// Output:
	// AUROC 93.75 % of 12 images
	// AUPR 91.67 % of 12 images
	// FPR95 12.50 % of 12 images
}

// A book computes what rows do not say.
func ExampleBook() {
	var b score.Book
	for severity := 1; severity <= 5; severity++ {
		b.Add(results.Row{
			Model: "m", Dataset: "cifar10-c", Corruption: "fog", Severity: float64(severity), Metric: results.Top1Error,
			Value: 0.1 * float64(severity), N: 10000,
		})
	}
	fog := b.Get(results.Cell{Dataset: "cifar10-c", Corruption: "fog", Metric: results.Top1Error})
	fmt.Printf("%.2f of %d: %s\n", fog.Value, fog.N, fog.Note)
	all := b.Get(results.Cell{Dataset: "cifar10-c", Metric: results.Top1Error})
	fmt.Println(all.Has(), all.Note)
	// Output:
	// 0.30 of 50000: computed: mean of the rows of 5 severities
	// false only 1 of 15 corruptions
}
