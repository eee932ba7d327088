package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// trained is a run of one model whose training had a mix and further options.
func trained(t *testing.T, name, mix string, v float64, more ...string) *Run {
	t.Helper()
	r := runOf(t, name, row(name, "cifar10-c", "", 0, results.Top1Error, v))
	args := "model: wrn-40-2\nmix: " + mix + "\nepochs: 100\nworkers: " + fmt.Sprint(len(name)) + "\nmean:\n- 0.5\n" + strings.Join(more, "\n")
	r.settings = trainingSettings(args)
	return r
}

func TestTrainingSettings(t *testing.T) {
	s := trainingSettings("model: m\nepochs: 5\nmix: augmix-m1-w3-d-1-f800000+mixup\nworkers: 4\nmean:\n- 0.1\n- 0.2\n")
	for key, want := range map[string]string{
		"augmix-m": "1", "augmix-w": "3", "augmix-d": "-1", "augmix-a": "1", "mixup-a": "1", "mix": "augmix-f800000+mixup",
		"workers": "", "mean": "- 0.1- 0.2",
	} {
		if s[key] != want {
			t.Errorf("%s: %q, want %q", key, s[key], want)
		}
	}
	if trainingSettings("in: x\n") != nil {
		t.Error("settings of no training")
	}
}

// TestSweeps: errors stand over each number in which trainings differ that are equal otherwise, a line for each such set.
func TestSweeps(t *testing.T) {
	runs := []*Run{
		trained(t, "base", "augmix-m3-w3-d-1", 0.11, "lr: 0.1"), trained(t, "w5", "augmix-m3-w5-d-1", 0.108, "lr: 0.1"),
		trained(t, "w1", "augmix-m3-w1-d-1", 0.125, "lr: 0.1"), trained(t, "a2", "augmix-m3-w3-d-1-a2", 0.112, "lr: 0.1"),
		trained(t, "a0.5", "augmix-m3-w3-d-1-a0.5", 0.113, "lr: 0.1"),
		trained(t, "lr", "augmix-m3-w3-d-1", 0.13, "lr: 0.05"), trained(t, "none", "none", 0.3, "lr: 0.1"),
	}
	f := build(t, runs...).figure("Error on CIFAR-10-C over options of the training")
	if f == nil || f.ID != "cifar10-c-sweep" {
		t.Fatalf("%+v", f)
	}
	charts := f.Chart.(*chart.Panels).Charts
	if len(charts) != 2 {
		t.Fatalf("%d charts", len(charts))
	}
	for i, want := range []struct {
		label  string
		values []string
		y      []float64
	}{
		{"augmix-a", []string{"0.5", "1", "2"}, []float64{0.113, 0.11, 0.112}},
		{"augmix-w", []string{"1", "3", "5"}, []float64{0.125, 0.11, 0.108}},
	} {
		p := charts[i].(*chart.Plot)
		if p.X.Label != want.label || !slices.Equal(p.X.Categories, want.values) || len(p.Series) != 1 || !slices.Equal(p.Series[0].Y, want.y) {
			t.Errorf("%s: %v, %+v", p.X.Label, p.X.Categories, p.Series)
		}
	}
	// Two trainings of the same options: which of them is meant is not known.
	again := append(slices.Clone(runs), trained(t, "w5 again", "augmix-m3-w5-d-1", 0.109, "lr: 0.1"))
	if f := build(t, again...).figure("Error on CIFAR-10-C over options of the training"); len(f.Chart.(*chart.Panels).Charts) != 1 {
		t.Errorf("%d charts", len(f.Chart.(*chart.Panels).Charts))
	}
}

// TestSweepKey: a sweep that is asked for needs two values, and an option that has none is refused with those that do.
func TestSweepKey(t *testing.T) {
	runs := []*Run{trained(t, "a", "pixmix", 0.1, "lr: 0.1", "momentum: 0.9"), trained(t, "b", "pixmix", 0.2, "lr: 0.01", "momentum: 0.8")}
	rep, err := Build(t.Context(), runs, Options{Sweep: "lr"})
	if err != nil {
		t.Fatal(err)
	}
	p := rep.figure("Error on CIFAR-10-C over options of the training").Chart.(*chart.Panels).Charts[0].(*chart.Plot)
	if !slices.Equal(p.X.Categories, []string{"0.01", "0.1"}) || !slices.Equal(p.Series[0].Y, []float64{0.2, 0.1}) {
		t.Errorf("%v, %+v", p.X.Categories, p.Series)
	}
	_, err = Build(t.Context(), runs, Options{Sweep: "augmix-w"})
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "differ: lr, momentum)") {
		t.Errorf("%v", err)
	}
	loss := runOf(t, "a", row("a", "cifar10", "", 0, "train_loss", 1))
	if _, err = Build(t.Context(), []*Run{loss}, Options{Sweep: "lr"}); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "no run has an error") {
		t.Errorf("%v", err)
	}
}

// TestSweepApart: trainings of one value that differ otherwise are of different lines, whose names say in what; the caption says in what
// they still differ, and names what is in no line.
func TestSweepApart(t *testing.T) {
	var runs []*Run
	for i, more := range [][]string{
		{"lr: 0.1", "seed: 1", "momentum: 0.9"},
		{"lr: 0.01", "seed: 1", "momentum: 0.8"},
		{"lr: 0.1", "seed: 2", "momentum: 0.9"},
		{"lr: 0.01", "seed: 2", "momentum: 0.8"},
		{"lr: 0.1", "seed: 3", "momentum: 0.9"},
	} {
		runs = append(runs, trained(t, fmt.Sprintf("m%d", i), "augmix", []float64{0.1, 0.11, 0.12, 0.13, 0.14}[i], more...))
	}
	rep, err := Build(t.Context(), runs, Options{Sweep: "lr"})
	if err != nil {
		t.Fatal(err)
	}
	f := rep.figure("Error on CIFAR-10-C over options of the training")
	s := f.Chart.(*chart.Panels).Charts[0].(*chart.Plot).Series
	if len(s) != 2 || s[0].Name != "seed 1" || s[1].Name != "seed 2" || !slices.Equal(s[0].Y, []float64{0.11, 0.1}) ||
		!slices.Equal(s[1].Y, []float64{0.13, 0.12}) {
		t.Errorf("%+v", s)
	}
	want := "Each line is of trainings of one network with one mix and one value of seed; along a line trainings differ in momentum too. " +
		"In no line, as no other training with another value is of that kind: m4. After"
	if !strings.HasPrefix(f.Caption, want) {
		t.Errorf("caption %q", f.Caption)
	}
}
