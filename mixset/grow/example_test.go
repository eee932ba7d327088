package grow_test

import (
	"fmt"

	"github.com/augmix-go/augmix/mixset/grow"
	"github.com/augmix-go/augmix/raster"
)

func ExampleGrower() {
	kind, err := grow.ByName("escape")
	if err != nil {
		fmt.Println(err)
		return
	}
	var g grow.Grower
	var m raster.Image
	g.Grow(&m, kind, 1, 0, 64) // picture 0 of seed 1
	fmt.Println(m.W, m.H)
	// Output: 64 64
}
