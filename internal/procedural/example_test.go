package procedural_test

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/raster"
)

func ExampleGenerator() {
	kind, err := procedural.ByName("escape")
	if err != nil {
		fmt.Println(err)
		return
	}
	var g procedural.Generator
	var m raster.Image
	g.Generate(&m, kind, 1, 0, 64) // image 0 of seed 1
	fmt.Println(m.W, m.H)
	// Output: 64 64
}
