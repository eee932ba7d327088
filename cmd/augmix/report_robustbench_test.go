package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/robustbench"
)

const modelInfo = `{"link": "https://example.org", "name": "A paper", "authors": "A, B", "additional_data": false,
 "number_forward_passes": 1, "venue": "", "architecture": "ResNet-18", "reported": "88.8"}`

func TestReportRobustBench(t *testing.T) {
	dir := t.TempDir()
	row := results.Row{
		Model: "Ours", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.0625, N: 80, Origin: results.Measured,
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	rows := []results.Row{row}
	row.Dataset, row.Value = "cifar10-c", 0.25
	for _, row.Corruption = range robustbench.Corruptions() {
		for row.Severity = 1; row.Severity <= 5; row.Severity++ {
			rows = append(rows, row)
		}
	}
	run, info, board := filepath.Join(dir, "rows.jsonl"), filepath.Join(dir, "info.json"), filepath.Join(dir, "board")
	write(t, info, []byte(modelInfo))
	if err := results.WriteFile(run, rows); err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, "report", run, "--format", "robustbench", "--model-info", info, "-o", board)
	text, err := os.ReadFile(filepath.Join(board, "model_info", "cifar10", "corruptions", "Ours.json"))
	if err != nil || !strings.Contains(string(text), `"clean_acc": "93.75",`) || !strings.Contains(string(text), `"corruptions_acc": "75.00"`) {
		t.Errorf("%v:\n%s", err, text)
	}
	if o := augmix(t, exitDone, "verify", board); !strings.Contains(o.out, "good (1 model)") {
		t.Error(o.out)
	}
	write(t, filepath.Join(board, "model_info", "cifar10", "corruptions", "Ours.json"), []byte(strings.Replace(string(text), "75.00", "76.00", 1)))
	if o := augmix(t, exitFailed, "verify", board); !strings.Contains(o.out, "bad: model_info/cifar10/corruptions/Ours.json: corruptions_acc is 76.00") {
		t.Error(o.out)
	}

	if err := results.WriteFile(run, rows[:75]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{exitFailed, "no error of elastic_transform 5", []string{"--model-info", info}},
		{exitUsage, "--model-info is missing", nil},
		{exitUsage, "--digits 2 has no effect (it needs another format", []string{"--model-info", info, "--digits", "2"}},
		{exitUsage, "--untitled has no effect", []string{"--model-info", info, "--untitled"}},
		{exitFailed, "rows.jsonl: bad model info", []string{"--model-info", run}},
	} {
		args := append([]string{"report", run, "--format", "robustbench", "-o", filepath.Join(dir, "other")}, c.args...)
		if o := augmix(t, c.status, args...); !strings.Contains(o.err, c.want) {
			t.Errorf("%q: %s", c.args, o.err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("something was written")
	}
}
