package transform

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// What the table says of each corruption is what it does to dots: it moves them by a pixel and more, or it does not.
func TestGeometryTable(t *testing.T) {
	const side, cell = 96, 16
	src, dst := raster.New(side, side), new(raster.Image)
	dot := func(dx, dy float64) uint8 { return uint8(110 + 120*math.Exp(-(dx*dx+dy*dy)/8)) }
	for y := range side {
		for x := range side {
			v := dot(float64(x%cell)-cell/2, float64(y%cell)-cell/2)
			src.Set(x, y, raster.RGB{R: v, G: v, B: v})
		}
	}
	for _, r := range GeometryTable() {
		if r.Moves && r.How == "" {
			t.Errorf("%s moves, and nobody says how", r.Name)
		}
		if r.Set == "P" {
			continue
		}
		var op corrupt.Corruption
		if c, err := corrupt.ByName(r.Name); err == nil {
			op = c.WithFrost(corrupt.GeneratedFrost())
		} else {
			c, err := cbar.ByName(r.Name)
			if err != nil {
				t.Fatal(err)
			}
			p := cbar.ImageNet
			if !c.In(p) {
				p = cbar.CIFAR
			}
			op = c.WithProfile(p)
		}
		moved, cells := 0, 0
		for seed := range uint64(2) {
			if err := op.Apply(dst, src, 5, rng.New(seed), new(corrupt.Scratch)); err != nil {
				t.Fatal(err)
			}
			for y := cell; y < side-cell; y += cell {
				for x := cell; x < side-cell; x += cell {
					if cells++; shifted(dst, src, x, y, cell) {
						moved++
					}
				}
			}
		}
		if share := float64(moved) / float64(cells); share > 0.25 != (r.How != "") {
			t.Errorf("%s moves %.2f of the dots, and the table says: %v, %q", r.Name, share, r.Moves, r.How)
		}
	}
}

// shifted reports whether the cell at (x, y) of dst correlates better with a place in src a pixel away than with its own.
func shifted(dst, src *raster.Image, x, y, cell int) bool {
	corr := func(dx, dy int) float64 {
		var a, b, ab, aa, bb, n float64
		for j := range cell {
			for i := range cell {
				p, q := float64(dst.At(x+i, y+j).G), float64(src.At(x+i+dx, y+j+dy).G)
				a, b, ab, aa, bb, n = a+p, b+q, ab+p*q, aa+p*p, bb+q*q, n+1
			}
		}
		return (ab - a*b/n) / math.Sqrt((aa-a*a/n)*(bb-b*b/n)+1e-9)
	}
	own := corr(0, 0)
	for dy := -2; dy <= 2; dy++ {
		for dx := -2; dx <= 2; dx++ {
			if corr(dx, dy) > own+0.1 {
				return true
			}
		}
	}
	return false
}
