package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// flipRows are flip probabilities and top-5 distances of perturbations at a difficulty, and their means where all are there.
func flipRows(model string, difficulty int, v float64, names ...string) []results.Row {
	all := score.Benchmark("cifar10-p").Primary()
	whole := len(names) == 0
	if whole {
		names = append(names, all...)
		names = append(names, "")
	}
	rows := []results.Row{row(model, "cifar10", "", 0, results.Top1Error, v)}
	for _, name := range names {
		for i, metric := range []string{results.FlipProbability, results.Top5Distance} {
			r := row(model, "cifar10-p", name, 0, metric, v+0.1*float64(i))
			r.Difficulty = difficulty
			rows = append(rows, r)
		}
	}
	return rows
}

// TestDifficulties: sequences at other difficulties than the first have tables, figures and differences too.
func TestDifficulties(t *testing.T) {
	rep := build(t, runOf(t, "a", flipRows("a", 2, 0.1)...), runOf(t, "b", append(flipRows("b", 2, 0.3), flipRows("b", 3, 0.4)[1:]...)...))
	for _, d := range []int{2, 3} {
		title := fmt.Sprintf("on CIFAR-10-P, difficulty %d", d)
		if n := len(rep.table(t, "Flip probability "+title).Columns); n != 11 {
			t.Errorf("difficulty %d: %d columns", d, n)
		}
		rep.table(t, "Top-5 distance "+title)
		f := rep.figure("Flip probability " + title)
		if f == nil || f.ID != fmt.Sprintf("cifar10-p-flip-probability-difficulty-%d", d) {
			t.Fatalf("difficulty %d: %+v", d, f)
		}
		if want := fmt.Sprintf("from a frame to the one %d later, under noise from the first frame to each later one, difficulty %d.", d, d); !strings.Contains(f.Caption, want) {
			t.Errorf("no %q in %q", want, f.Caption)
		}
	}
	saysAll(t, rep.table(t, "b − a").Markdown(), []string{"mFP, difficulty 2 (%) | lower | 10.00 | 30.00 | +20.00", "T5D, difficulty 2"}, "difficulty 3")
	saysAll(t, markdown(t, rep), []string{
		"not measured at difficulty 1, but at 2, 3, so not among", "no Flip probability on CIFAR-10-P at difficulty 1, but at 2, 3.",
	}, "measurements of single corruptions")
}

// TestSomePerturbations: where the mean is lacking, differences are of each perturbation.
func TestSomePerturbations(t *testing.T) {
	rows := func(model string, v float64) []results.Row {
		return flipRows(model, 1, v, "translate", "shot_noise", "own")[1:]
	}
	rep := build(t, runOf(t, "a", rows("a", 0.1)...), runOf(t, "b", rows("b", 0.3)...))
	saysAll(t, rep.table(t, "b − a").Markdown(), []string{"Flip probability on CIFAR-10-P, translate (%)", "CIFAR-10-P, own"})
	saysAll(t, rep.table(t, "Flip probability on CIFAR-10-P").Markdown(), []string{"| Shot (%) |", "| own (%) |"})
	saysAll(t, markdown(t, rep), []string{"no mean, which needs all 10 perturbations of the benchmark"}, "both have none of the measures",
		"the mean is over", "measurements of single corruptions")
	if f := rep.figure("Flip probability on CIFAR-10-P"); f == nil || !strings.Contains(f.Caption, "under noise from the first frame") {
		t.Errorf("%+v", f)
	}
}
