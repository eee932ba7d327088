package graph_test

import (
	"fmt"

	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
)

// A network with early exits is cut off behind one of them.
func ExampleGraph_At() {
	g, err := models.Build("msdnet-small-7-2", graph.Shape{H: 32, W: 32, C: 3}, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, exit := range []int{1, 7} {
		part, err := g.At(exit)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("exit", exit, "takes", part.MultiplyAdds()/1e6, "million multiply-adds")
	}
	// Output:
	// exit 1 takes 13 million multiply-adds
	// exit 7 takes 51 million multiply-adds
}
