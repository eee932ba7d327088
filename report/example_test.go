package report_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

func ExampleBuild() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	row := results.Row{
		Model: "mine", Dataset: "cifar10-c", Metric: results.Top1Error, Value: 0.112, N: 50000, Origin: results.Measured,
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	if err := results.WriteFile(filepath.Join(dir, results.FileName), []results.Row{row}); err != nil {
		fmt.Println(err)
		return
	}
	run, err := report.Load(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := report.Build(context.Background(), []*report.Run{run}, report.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var html, md strings.Builder
	if err := errors.Join(report.WriteHTML(&html), report.WriteMarkdown(&md)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(html.String(), "<!doctype html>"))
	for _, line := range strings.Split(md.String(), "\n") {
		if strings.HasPrefix(line, "| AugMix, WRN-40-2 | published | AugMix, table 1 ") {
			fmt.Println(line)
		}
	}
	// Output:
	// true
	// | AugMix, WRN-40-2 | published | AugMix, table 1 | 11.2 |
}

// One table of a report for a paper, in LaTeX.
func ExampleReport_Select() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path, now := filepath.Join(dir, "mine.jsonl"), time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	rows := []results.Row{
		{Model: "mine", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.05, Origin: results.Measured, Time: now},
		{Model: "mine", Dataset: "cifar10-c", Metric: results.Top1Error, Value: 0.12, Origin: results.Measured, Time: now},
	}
	if err := results.WriteFile(path, rows); err != nil {
		panic(err)
	}
	run, err := report.Load(path)
	if err != nil {
		panic(err)
	}
	rep, err := report.Build(context.Background(), []*report.Run{run}, report.Options{})
	if err != nil {
		panic(err)
	}
	one, err := rep.Select("cifar10-safety")
	if err != nil {
		panic(err)
	}
	var tex strings.Builder
	if err := one.WriteLaTeX(&tex, report.LaTeX{Published: report.PublishedNone}); err != nil {
		panic(err)
	}
	fmt.Println(strings.Contains(tex.String(), "mine & 5.0 & 12.0"))
	// Output:
	// true
}

// Models side by side, as augmix run ends.
func ExampleWriteComparison() {
	rows := []results.Row{
		{Model: "standard", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.054},
		{Model: "augmix", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.049},
		{Model: "standard", Dataset: "cifar10-c", Metric: results.Top1Error, Value: 0.264},
		{Model: "augmix", Dataset: "cifar10-c", Metric: results.Top1Error, Value: 0.112},
	}
	report.WriteComparison(os.Stdout, []string{"standard", "augmix"}, rows)
	// Output:
	//                standard  augmix
	//   clean error      5.4     4.9*
	//       C error     26.4    11.2*
	// percent; * is the best of its line
}

// What augmix score prints of saved probabilities.
func ExampleWriteScores() {
	dir, err := os.MkdirTemp("", "scores")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "net.csv")
	if err := os.WriteFile(path, []byte("label,prob_0,prob_1\n0,0.9,0.1\n1,0.3,0.7\n1,0.6,0.4\n1,0.2,0.8\n"), 0o644); err != nil {
		panic(err)
	}
	r, err := score.Files{Path: path}.Score(context.Background(), score.Options{Dataset: "cats-dogs"})
	if err != nil {
		panic(err)
	}
	r.Path = filepath.Base(r.Path)
	report.WriteScores(os.Stdout, []*score.Result{r}, nil, false)
	// Output:
	// net on cats-dogs: 2 classes, probabilities (net.csv)
	//   note: adaptive calibration: 4 images fill no bin of 100, so that there are no RMS and MAD calibration errors
	//
	// METRIC       VALUE    ROWS
	// Error        25.00 %  4
	// ECE          30.00 %  4
	// NLL          0.4004   4
	// Brier score  0.2500   4
}
