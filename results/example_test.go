package results_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/augmix-go/augmix/results"
)

func row(model, corruption string, value float64) results.Row {
	return results.Row{
		Model: model, Dataset: "cifar10-c", Corruption: corruption, Metric: "error", Value: value, N: 50000,
		Time: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), Origin: results.Measured,
	}
}

func ExampleOpenAppend() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "results.jsonl")

	// A run that died in the middle of its second line.
	whole, err := new(row("wrn", "fog", 0.06)).AppendLine(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := os.WriteFile(path, append(whole, whole[:40]...), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	a, err := results.OpenAppend(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("rows:", a.Rows(), "cut:", a.Cut())
	if err := errors.Join(a.Append(row("wrn", "snow", 0.11)), a.Close()); err != nil {
		fmt.Println(err)
		return
	}
	rows, err := results.ReadFile(path)
	for _, r := range rows {
		fmt.Println(r.Line, r.Corruption, r.Value)
	}
	fmt.Println(err)
	// Output:
	// rows: 1 cut: 40
	// 1 fog 0.06
	// 2 snow 0.11
	// <nil>
}

func ExampleRead() {
	_, err := results.Read(strings.NewReader(`{"v":7}`+"\n"), "results.jsonl")
	fmt.Println(err)
	// Output:
	// results.jsonl:1: unknown version 7 (this program knows 1 to 2)
}

func ExampleMerge() {
	shard := func(file string, rows ...results.Row) (out []results.Located) {
		for i, r := range rows {
			out = append(out, results.Located{Row: r, File: file, Line: i + 1})
		}
		return out
	}
	a := shard("a.jsonl", row("wrn", "fog", 0.06), row("wrn", "snow", 0.11))
	b := shard("b.jsonl", row("wrn", "snow", 0.11), row("wrn", "frost", 0.12))
	rows, err := results.Merge(a, b)
	fmt.Println(len(rows), err)

	_, err = results.Merge(a, shard("c.jsonl", row("wrn", "fog", 0.07)))
	var conflict *results.ConflictError
	if errors.As(err, &conflict) {
		fmt.Println(conflict.A.Place(), conflict.A.Value, "against", conflict.B.Place(), conflict.B.Value)
	}
	// Output:
	// 3 <nil>
	// a.jsonl:1 0.06 against c.jsonl:1 0.07
}

func ExampleGroupBy() {
	var rows []results.Located
	for _, model := range []string{"augmix", "standard"} {
		for i, c := range []string{"fog", "snow"} {
			rows = append(rows, results.Located{Row: row(model, c, 0.1*float64(i+1))})
		}
	}
	for _, g := range results.GroupBy(rows, results.ByModel) {
		fmt.Println(g.Key, len(g.Rows))
	}
	r, err := results.One(rows, results.Is(results.ByModel, "standard"), results.Is(results.ByCorruption, "snow"))
	fmt.Println(r.Value, err)
	// Output:
	// augmix 2
	// standard 2
	// 0.2 <nil>
}
