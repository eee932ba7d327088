package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/results"
)

// reportRun writes a run directory of a model of the given errors.
func reportRun(t testing.TB, model string, clean, c float64) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), model)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	row := func(set, corruption string, v float64) results.Row {
		return results.Row{
			Model: model, Dataset: set, Corruption: corruption, Metric: results.Top1Error, Value: v, N: 8,
			Origin:   results.Measured,
			Time:     time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
			Interval: &results.Interval{Lo: v - 0.01, Hi: v + 0.01, Level: 0.95},
		}
	}
	rows := []results.Row{row("cifar10", "", clean), row("cifar10-c", "", c), row("cifar10-c", "fog", c)}
	if err := results.WriteFile(filepath.Join(dir, results.FileName), rows); err != nil {
		t.Fatal(err)
	}
	var s records.Samples
	for i := range 8 {
		rank := uint32(1)
		if float64(i) < 8*clean {
			rank = 2
		}
		s.Rank, s.Classes = append(s.Rank, rank), 10
		s.Confidence, s.NLL, s.Brier = append(s.Confidence, 0.5), append(s.NLL, 1), append(s.Brier, 0.5)
	}
	w, err := records.Create(filepath.Join(dir, records.FileName))
	if err == nil {
		err = errors.Join(w.Add(records.Cell{Model: model, Dataset: "cifar10"}, &s), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "args.yaml"), []byte("model: "+model+"\n"))
	return dir
}

func TestReport(t *testing.T) {
	a, b := reportRun(t, "standard", 0.5, 0.75), reportRun(t, "robust", 0.25, 0.375)
	dir := t.TempDir()
	out := filepath.Join(dir, "report.html")
	o := augmix(t, exitDone, "report", a, b, "-o", out, "--title", "A & B")
	if !strings.Contains(o.err, "report.html: ") || o.out != "" {
		t.Errorf("out %q, err %q", o.out, o.err)
	}
	page, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<title>A &amp; B</title>", "robust − standard", "Options of robust (args.yaml)",
		"AugMix, tables 1, 4", "−25.00", ">paired<",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	again := filepath.Join(dir, "again.html")
	augmix(t, exitDone, "report", a, b, a, "-o", again, "--title", "A & B", "-q") // a again: it is there once
	if same, err := os.ReadFile(again); err != nil || string(same) != string(page) {
		t.Errorf("a second report differs, %v", err)
	}

	md := augmix(t, exitDone, "report", a, "-o", "-", "--format", "md").out
	if !strings.Contains(md, "| standard | measured | standard | 50.0 \\[49.0, 51.0\\] |") {
		t.Errorf("got\n%s", md)
	}
	tex := augmix(t, exitDone, "report", a, "-o", "-", "--format", "latex").out
	if !strings.Contains(tex, "\nstandard & 50.0 & 75.0 \\\\\n") {
		t.Errorf("got\n%s", tex)
	}
	rows := filepath.Join(a, results.FileName)
	text := augmix(t, exitDone, "report", rows, "-o", "-", "--format", "csv").out
	flat, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(flat) < 50 || flat[1][0] != "standard" || flat[1][9] != "0.5" {
		t.Errorf("%d lines, %v", len(flat), err)
	}

	names := augmix(t, exitDone, "report", a, b, "--table", "help").out
	if !strings.Contains(names, "cifar10-difference-robust    robust − standard\n") {
		t.Errorf("got\n%s", names)
	}
	one := augmix(t, exitDone, "report", a, b, "-o", "-", "--format", "latex", "--table", "cifar10-safety", "--intervals", "pm", "--digits", "2").out
	if strings.Count(one, "\\begin{tabular}") != 1 || !strings.Contains(one, `\ensuremath{\pm}1.00`) {
		t.Errorf("got\n%s", one)
	}
	single := filepath.Join(dir, "one.pdf")
	augmix(t, exitDone, "report", a, b, "-o", single, "--figure", "cifar10-c-error", "--width", "240", "--untitled")
	if file, err := os.ReadFile(single); err != nil || !strings.HasPrefix(string(file), "%PDF-") {
		t.Errorf("%.20q, %v", file, err)
	}

	figures := filepath.Join(dir, "figures")
	o = augmix(t, exitDone, "report", a, b, "-o", figures, "--format", "png", "--json")
	var r reportResult
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Format != "png" || len(r.Files) != r.Figures || r.Figures == 0 || r.Tables != 0 {
		t.Errorf("%+v", r)
	}
	for _, f := range r.Files {
		if _, err := os.Stat(filepath.Join(figures, f)); err != nil {
			t.Error(err)
		}
	}
}

// TestReportSays: what is said to be in a file is there.
func TestReportSays(t *testing.T) {
	a, b := reportRun(t, "standard", 0.5, 0.75), reportRun(t, "robust", 0.25, 0.5)
	dir := t.TempDir()
	for name, want := range map[string]string{"r.md": "\n| :--- |", "r.tex": `\begin{tabular}`, "r.csv": "\n", "r.html": "<table"} {
		file := filepath.Join(dir, name)
		said := augmix(t, exitDone, "report", a, b, "-o", file).err
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(string(text), want)
		count := terminal.Count(n, "table")
		if name == "r.csv" {
			count = terminal.Count(n-1, "number") // and a header
		}
		if name != "r.html" && !strings.HasSuffix(said, ": "+count+"\n") || name == "r.html" && !strings.Contains(said, " figures\n") {
			t.Errorf("%s: %q, %d are in it", name, said, n)
		}
	}
}

// TestReportUndrawn: what a format cannot show is a note, of one line.
func TestReportUndrawn(t *testing.T) {
	run, dir := reportRun(t, "模型", 0.1, 0.3), t.TempDir()
	for name, want := range map[string]string{"a.tex": "note: 模型: needs XeLaTeX", "figures": "--format svg", "a.html": ""} {
		args := []string{"report", run, "-o", filepath.Join(dir, name)}
		if name == "figures" {
			args = append(args, "--format", "png")
		}
		if o := augmix(t, exitDone, args...); strings.Contains(o.err, "note: ") != (want != "") || !strings.Contains(o.err, want) {
			t.Errorf("%s: %s", name, o.err)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	run := reportRun(t, "standard", 0.5, 0.75)
	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	write(t, bad, []byte("{}\n"))
	zip := filepath.Join(t.TempDir(), "logits.npz")
	write(t, zip, []byte("PK\x03\x04\xff"))
	out := filepath.Join(t.TempDir(), "r.html")
	for _, c := range []struct {
		code  int
		words string
		args  []string
	}{
		{exitUsage, "allowed: .html", []string{run, "-o", "report.docx"}},
		{exitUsage, "png writes a directory", []string{run, "-o", "-", "--format", "png"}},
		{exitUsage, "replicates", []string{run, "-o", out, "--replicates", "3"}},
		{exitUsage, "must be one of", []string{run, "-o", out, "--format", "gif"}},
		{exitUsage, "the name is that of html", []string{run, "-o", out, "--format", "pdf"}},
		{exitUsage, "-o is missing", []string{run}},
		{exitUsage, "a file holds one figure", []string{run, "-o", "x.pdf"}},
		{exitUsage, "--figure: html has no single figures", []string{run, "-o", out, "--figure", "cifar10-c-error"}},
		{exitUsage, "--table: html has no single tables", []string{run, "-o", out, "--table", "cifar10-safety"}},
		{exitUsage, "no such table or figure", []string{run, "-o", "x.tex", "--table", "cifar10-safty"}},
		{exitUsage, "digits", []string{run, "-o", "x.tex", "--digits", "9"}},
		{exitUsage, "--digits 2 has no effect (it needs LaTeX tables", []string{run, "-o", out, "--digits", "2"}},
		{exitUsage, "--intervals pm has no effect", []string{run, "-o", "x.md", "--intervals", "pm"}},
		{exitUsage, "--replicates 500 has no effect (it needs a run with records.npz)", []string{filepath.Join(run, results.FileName), "-o", out, "--replicates", "500"}},
		{exitUsage, "--width 240 has no effect (it needs figures", []string{run, "-o", out, "--width", "240"}},
		{exitFailed, "is no run", []string{run + "-none", "-o", out}},
		{exitFailed, bad + ":1", []string{bad, "-o", out}},
		{exitUsage, "augmix score " + zip + " -o ", []string{run, zip, "-o", out}},
	} {
		o := augmix(t, c.code, append([]string{"report"}, c.args...)...)
		if !strings.Contains(o.err, c.words) {
			t.Errorf("%v: %q lacks %q", c.args, o.err, c.words)
		}
		if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: there is a report, %v", c.args, err)
		}
	}
}

func TestListPublished(t *testing.T) {
	o := augmix(
		t,
		exitDone,
		"list",
		"published",
		"--paper",
		"PixMix",
		"--table",
		"8",
		"--metric",
		"error",
		"--dataset",
		"cifar10-c",
	)
	if !strings.Contains(
		o.out,
		"PixMix, table 8  PixMix              WRN-40-4  cifar10-c  error   -           -     9.5 %",
	) {
		t.Errorf("got\n%s", o.out)
	}
	var rows []struct {
		Method, Printed, Source string
		Value                   float64
	}
	o = augmix(t, exitDone, "list", "published", "--paper", "augmix", "--metric", "mce", "--method", "+ sin", "--json")
	if err := json.Unmarshal([]byte(o.out), &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Printed != "64.9" || rows[0].Value != 0.649 || rows[0].Source != "AugMix, table 2" {
		t.Errorf("%+v", rows)
	}
	if o := augmix(t, exitDone, "list", "published", "--metric", "mce", "--method", "+ sin"); !strings.Contains(
		o.out,
		"NOTES\n  AugMix, table 2: the running text says 64.1",
	) {
		t.Errorf("got\n%s", o.out)
	}
	if o := augmix(t, exitDone, "list", "published", "--table", "99", "--json"); strings.TrimSpace(o.out) != "[]" {
		t.Errorf("got %q", o.out)
	}
	if o := augmix(t, exitDone, "list", "published", "--table", "99"); o.out != "" ||
		!strings.Contains(o.err, "no published number") {
		t.Errorf("got %q, %q", o.out, o.err)
	}
	if o := augmix(t, exitUsage, "list", "published", "--paper", "other"); !strings.Contains(
		o.err,
		"allowed: augmix, pixmix, imagenet-c",
	) {
		t.Errorf("got %q", o.err)
	}
}
