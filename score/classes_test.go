package score_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

func ExampleClasses() {
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	cell.ByClass = &score.Classes{Names: []string{"cat", "dog"}}
	if err := score.AddLogits(cell, []float64{3, 1, 0, 2, 1, 2}, []int{0, 0, 1}); err != nil {
		fmt.Println(err)
	}
	_ = cell.ByClass.WriteCSV(os.Stdout)
	for _, c := range cell.ByClass.Confused(5) {
		fmt.Printf("%s taken for %s: %.0f %%\n", cell.ByClass.Name(c.Label), cell.ByClass.Name(c.Pred), 100*c.Share)
	}
	// Output:
	// class,cat,dog
	// cat,1,1
	// dog,0,1
	// cat taken for dog: 50 %
}

// TestClassRows: rows come with the cell's, for classes that have images, and can be written; a name cannot become a formula.
func TestClassRows(t *testing.T) {
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	cell.ByClass = &score.Classes{Names: []string{"=1+1", "b"}}
	if err := score.AddLogits(cell, []float64{0, 2, 1, 0, 2, 1, 1, 2, 3}, []int{0, 0, 0}); err != nil {
		t.Fatal(err)
	}
	rows, _, err := cell.Rows(results.Row{Model: "m", Dataset: "d", Origin: results.Measured, Time: time.Unix(1, 0)}, score.Metrics{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range rows {
		if _, err := rows[i].AppendLine(nil); err != nil {
			t.Error(err)
		}
		if r := &rows[i]; r.Class != "" {
			got = append(got, fmt.Sprintf("%s %s %s %.3f %d", r.Metric, r.Class, r.Said, r.Value, r.N))
		}
	}
	if want := "[error =1+1  1.000 3 confusion =1+1 b 0.667 3 confusion =1+1 2 0.333 3]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	var b bytes.Buffer
	if err := cell.ByClass.WriteCSV(&b); err != nil || b.String() != "class,'=1+1,b,2\n'=1+1,0,2,1\nb,0,0,0\n2,0,0,0\n" {
		t.Errorf("%q %v", b.String(), err)
	}
}

// TestManyClasses: a prediction of class 2,000,000,000 is no more work than another, and no matrix.
func TestManyClasses(t *testing.T) {
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	cell.ByClass = new(score.Classes)
	if err := score.AddLogits(cell, []float64{0, 2, 1, 0}, []int{1, 1}); err != nil {
		t.Fatal(err)
	}
	cell.ByClass.Widen(2_000_000_001)
	rows, err := cell.ByClass.Rows(results.Row{})
	if err != nil || len(rows) != 2 {
		t.Errorf("%+v %v", rows, err)
	}
	var b bytes.Buffer
	if err := cell.ByClass.WriteCSV(&b); !errors.Is(err, score.ErrOption) || b.Len() > 0 {
		t.Errorf("%d bytes, %v", b.Len(), err)
	}
}
