// Score prints the numbers of saved predictions: a file, or the folder of a benchmark.
//
//	go run ./examples/score CIFAR-10-C-logits
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: score PRED")
	}
	r, err := score.Files{Path: os.Args[1]}.Score(context.Background(), score.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, line := range r.Summary() {
		fmt.Println(line.Label, results.Metric(line.Row.Metric).Format(line.Row.Value))
	}
}
