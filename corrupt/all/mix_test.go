package all_test

import (
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruptions of training images: one in two, by fog or frost, at severities 1 to 3.
func ExampleForMix() {
	m, err := mix.ParseMethod("corrupt-fog+frost-s1-3-p0.5+augmix", mix.Options{Corruptions: all.ForMix})
	fmt.Println(m, err)
	// Output: corrupt-frost-fog-s1-3-p0.5+augmix-m3-w3-d-1 <nil>
}

// TestForMix: every corruption of the catalog is there under its name and gives a mix the image that it gives by itself.
func TestForMix(t *testing.T) {
	src, err := raster.FromImage(gradient(48))
	if err != nil {
		t.Fatal(err)
	}
	names := all.Names()
	var s mix.Scratch
	for i, p := range corruption.Catalog {
		if i >= len(names) || names[i] != p.Name {
			t.Fatalf("%s is not where package corrupt/all has it", p.Name)
		}
		m, err := mix.ParseMethod("corrupt-"+p.Name+"-s3-p1", mix.Options{Corruptions: all.ForMix})
		if err != nil {
			t.Fatal(err)
		}
		a, err := m.Augmentation()
		if err != nil {
			t.Fatal(err)
		}
		var got, want raster.Image
		a.Apply(&got, src, rng.New(7), &s)
		r := rng.New(7)
		r.IntN(1) // which corruption, which severity
		r.IntN(1)
		op, err := all.ByName(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		if err := op.Apply(&want, src, 3, r, new(corrupt.Scratch)); err != nil || !raster.Equal(&got, &want) {
			t.Errorf("%s: another image than the corruption's, error %v", p.Name, err)
		}
		if p.Of == corruption.Bar {
			_, err = cbar.ByName(p.Name)
		} else {
			_, err = corrupt.ByName(p.Name)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestForMixAllocates nothing once every corruption has seen the size.
func TestForMixAllocates(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	m, err := mix.ParseMethod("corrupt-all-cbar-s3-p1", mix.Options{Corruptions: all.ForMix})
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Augmentation()
	if err != nil {
		t.Fatal(err)
	}
	src, err := raster.FromImage(gradient(32))
	if err != nil {
		t.Fatal(err)
	}
	var s mix.Scratch
	var dst raster.Image
	r := rng.New(1)
	run := func() {
		r.Seed(rng.NewKey(1))
		for range 100 {
			a.Apply(&dst, src, r, &s)
		}
	}
	run()
	n := 1.0
	for try := 0; try < 5 && n > 0; try++ { // a garbage collection, or what else runs in the process, may allocate once
		n = testing.AllocsPerRun(1, run)
	}
	if n > 0 {
		t.Errorf("%g allocations", n)
	}
}
