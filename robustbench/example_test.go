package robustbench_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/robustbench"
)

// Rows come from a results.jsonl that augmix eval or augmix score wrote; these are made up.
func Example() {
	dir, err := os.MkdirTemp("", "robustbench")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	about, err := robustbench.ReadAbout(strings.NewReader(`{"link": "https://example.org", "name": "A paper", "authors": "A. Author",
		"additional_data": false, "number_forward_passes": 1, "venue": "", "architecture": "ResNet-18", "reported": null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	row := results.Row{Model: "Ours", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.06, Origin: results.Measured}
	rows := []results.Row{row}
	row.Dataset = "cifar10-c"
	for _, row.Corruption = range robustbench.Corruptions() {
		for row.Severity = 1; row.Severity <= 5; row.Severity++ {
			row.Value = 0.1 * float64(row.Severity)
			rows = append(rows, row)
		}
	}
	entry, err := robustbench.FromRows(rows, about)
	if err == nil {
		err = robustbench.Write(dir, entry)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	models, problems, err := robustbench.Check(dir)
	fmt.Println(models, "model,", len(problems), "problems,", err)
	// Output:
	// 1 model, 0 problems, <nil>
}
