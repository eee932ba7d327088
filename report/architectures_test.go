package report

import (
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

// TestArchitectures: mCE and relative mCE stand over the clean error, beside all architectures of the ImageNet-C paper.
func TestArchitectures(t *testing.T) {
	rep := build(t, runOf(t, "r", methods(2, "imagenet")...))
	f := rep.figure("mCE and relative mCE on ImageNet-C over the clean error")
	if f == nil || f.ID != "imagenet-c-architectures" {
		t.Fatalf("%+v", f)
	}
	rows := rep.table(t, "Corruption error (CE) on ImageNet-C").Rows
	for i, n := range []int{15, 7} { // architectures that the paper prints mCE and relative mCE of
		p := f.Chart.(*chart.Panels).Charts[i].(*chart.Plot)
		paper := p.Series[len(p.Series)-1]
		if len(p.Series) != 3 || !paper.Published || len(paper.Y) != n {
			t.Fatalf("%d series, %d published points, want %d", len(p.Series), len(paper.Y), n)
		}
		k := slices.Index(paper.Labels, "AlexNet")
		if k < 0 || paper.X[k] != 0.435 || paper.Y[k] != 1 {
			t.Errorf("%s: %v at %v", p.Title, paper.Labels, paper.X)
		}
		one, want := p.Series[1], rows[len(rows)-1].Cells[i].Value
		if one.Name != "method 2" || math.Abs(one.X[0]-0.051) > 1e-12 || one.Y[0] != want {
			t.Errorf("%s of %s: %v over %v, want %v over 0.051", p.Title, one.Name, one.Y, one.X, want)
		}
	}
	if build(t, runOf(t, "r", methods(2, "cifar10")...)).figure("mCE and relative mCE on CIFAR-10-C over the clean error") != nil {
		t.Error("mCE without a divisor")
	}
}
