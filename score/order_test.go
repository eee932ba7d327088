package score

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// TestOrder: the order of classes is told whatever their numbers are.
func TestOrder(t *testing.T) {
	sum := func(labels ...int) string {
		var o order
		for _, l := range labels {
			o.add(l)
		}
		var r results.Row
		o.mark(&r)
		return r.Versions[results.VersionOrder]
	}
	if a, b := sum(3, 7, 3, 0), sum(1, 0, 1, 2); a != b || a == "" {
		t.Errorf("other numbers: %s, %s", a, b)
	}
	for _, other := range [][]int{{3, 3, 7, 0}, {3, 7, 3}, {3, 7, 3, 0, 0}} {
		if sum(other...) == sum(3, 7, 3, 0) {
			t.Errorf("%v has the order of others", other)
		}
	}
	if sum() != "" {
		t.Error("no images have an order")
	}
}

// TestOrderOfFiles: every row of labeled images says the order of their classes, whoever reads them and whether outcomes are kept, and
// the same images in another order say another one.
func TestOrderOfFiles(t *testing.T) {
	const n = 900 // several batches
	r := rand.New(rand.NewPCG(1, 2))
	logits, labels := make([]float64, n*classes), make([]int, n)
	for i := range logits {
		logits[i] = r.NormFloat64()
	}
	for i := range labels {
		labels[i] = r.IntN(classes)
	}
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := npy.WriteFile(path, &npy.Array{Shape: []int{n, classes}, Data: logits}); err != nil {
		t.Fatal(err)
	}
	cell, err := NewCell("", 0, 0)
	if err == nil {
		err = AddLogits(cell, logits, labels)
	}
	if err != nil {
		t.Fatal(err)
	}
	memory, err := Cells([]*Cell{cell}, Options{Model: "m", Dataset: "own"})
	if err != nil {
		t.Fatal(err)
	}
	want := memory.Rows[0].Versions[results.VersionOrder]
	if want == "" {
		t.Fatal("rows do not say the order")
	}
	backwards := slices.Clone(labels)
	slices.Reverse(backwards)
	for _, workers := range []int{1, 4} {
		for _, keep := range []bool{false, true} {
			for same, labels := range map[bool][]int{true: labels, false: backwards} {
				f := Files{Path: path, Labels: &predictions.Labels{Values: labels}, Workers: workers}
				m, err := f.Score(t.Context(), Options{Dataset: "own", Keep: keep, Versions: map[string]string{"own": "1"}})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range m.Rows {
					if got := row.Versions[results.VersionOrder]; got == "" || (got == want) != same || row.Versions["own"] != "1" {
						t.Fatalf("%d workers, kept %t, same order %t: %s is of %q, want %q", workers, keep, same, row.Metric, got, want)
					}
				}
			}
		}
	}
}

// TestOrderOfIDs: where images have ids, of their own or of their labels, rows say the order of these, in another form.
func TestOrderOfIDs(t *testing.T) {
	const n = 900
	score := func(rows, labels string, keep bool) string {
		t.Helper()
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			return path
		}
		f := Files{Path: write("m.csv", rows), Workers: 3}
		if labels != "" {
			l, err := predictions.ReadLabels(write("l.csv", labels))
			if err != nil {
				t.Fatal(err)
			}
			f.Labels = l
		}
		m, err := f.Score(t.Context(), Options{Dataset: "own", Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		return m.Rows[0].Versions[results.VersionIDs]
	}
	// Two images of each class change places, which classes alone do not tell.
	rows := func(id func(int) int) (named, plain, labels string) {
		named, plain, labels = "id,label,logit_0,logit_1\n", "label,logit_0,logit_1\n", "id,label\n"
		for i := range n {
			row := fmt.Sprintf("%d,%d,%d", i%2, i%7, i%5)
			named += fmt.Sprintf("%d,%s\n", id(i), row)
			plain += row + "\n"
			labels += fmt.Sprintf("%d,%d\n", id(i), i%2)
		}
		return named, plain, labels
	}
	named, plain, labels := rows(func(i int) int { return i })
	other, _, otherLabels := rows(func(i int) int { return n - 2 - i + i%2*2 })
	want, without := score(named, "", false), score(plain, "", false)
	if want == "" || without != "" {
		t.Errorf("order %q, without ids %q", want, without)
	}
	for _, keep := range []bool{false, true} {
		for _, got := range []string{score(named, "", keep), score(plain, labels, keep), score(named, labels, keep)} {
			if got != want {
				t.Errorf("kept %t: order %q, want %q", keep, got, want)
			}
		}
		for _, got := range []string{score(other, "", keep), score(plain, otherLabels, keep)} {
			if got == want || got == "" {
				t.Errorf("kept %t: images in another order have order %q", keep, got)
			}
		}
	}
}

// TestSameLabels: files of labels of an ensemble agree in ids too.
func TestSameLabels(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, plain := write("a.csv", "id,label\nx,0\ny,0\n"), write("plain.csv", "label\n0\n0\n")
	five := write("five.csv", "id,label\n"+strings.Repeat("x,0\ny,0\n", 5))
	for _, same := range []string{a, plain, five} {
		if err := sameLabels(a, same, predictions.CIFARC); err != nil {
			t.Error(err)
		}
	}
	err := sameLabels(a, write("b.csv", "id,label\ny,0\nx,0\n"), predictions.CIFARC)
	if !errors.Is(err, predictions.ErrEnsemble) || !strings.Contains(err.Error(), "the ids in") {
		t.Errorf("other ids: error %v", err)
	}
}

// TestOrdersOfParts: a mean over parts whose images have ids in other orders has no interval that draws an image in all of them.
func TestOrdersOfParts(t *testing.T) {
	const n = 40
	r := rand.New(rand.NewPCG(1, 2))
	of := func(last uint64) *Result {
		var cells []*Cell
		for severity := 1; severity <= 5; severity++ {
			c, err := NewCell("fog", float64(severity), 0)
			if err != nil {
				t.Fatal(err)
			}
			c.Keep = true
			logits := make([]float64, n*classes)
			for i := range logits {
				logits[i] = r.NormFloat64()
			}
			if err := AddLogits(c, logits, make([]int, n)); err != nil {
				t.Fatal(err)
			}
			for id := range uint64(n) {
				if severity == 5 {
					id ^= last
				}
				c.order.addID(id)
			}
			cells = append(cells, c)
		}
		m, err := Cells(cells, Options{Model: "m", Dataset: "cifar10-c", Bootstrap: Bootstrap{Replicates: 20}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for last, want := range map[uint64]bool{0: true, 1: false} {
		m := of(last)
		i := slices.IndexFunc(m.Rows, func(r results.Row) bool {
			return r.Corruption == "fog" && r.Severity == 0 && r.Metric == results.Top1Error
		})
		said := slices.ContainsFunc(m.Notes, func(n string) bool {
			return strings.Contains(n, "ids of fog, severity 5 are not those of fog, severity 1")
		})
		if has := m.Rows[i].Interval != nil; has != want || said == want {
			t.Errorf("last ids %d: an interval %t, a note %t", last, has, said)
		}
	}
}

// TestRepeatedIDs: rows whose id another has are counted and said.
func TestRepeatedIDs(t *testing.T) {
	for _, c := range []struct {
		ids  []int64
		want string
	}{{[]int64{7, 3, 5, 4}, ""}, {[]int64{7, 3, 7, 7}, "repeated ids: 2 rows, which count again "}} {
		f := Files{Path: saveZip(t, filepath.Join(t.TempDir(), "a.npz"), map[string]*npy.Array{
			"logits": {Shape: []int{4, 2}, Data: make([]float32, 8)}, "labels": {Shape: []int{4}, Data: make([]int64, 4)},
			"id": {Shape: []int{4}, Data: c.ids},
		})}
		notes := strings.Join(scored(t, f, Options{Dataset: "own"}).Notes, "\n")
		if said := strings.Contains(notes, "repeated ids"); said != (c.want != "") || !strings.Contains(notes, c.want) {
			t.Errorf("%v: notes %q", c.ids, notes)
		}
	}
}
