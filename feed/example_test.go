package feed_test

import (
	"context"
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/mix"
)

// A training loop that takes three views of each image, as AugMix's consistency loss needs them, straight into its own memory.
func Example() {
	src, err := formats.Open("scenes:n=10,size=32,seed=1", formats.Options{Split: "train"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	method, err := mix.ParseMethod("augmix-m3-w3-d-1", mix.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	l, err := feed.New(ctx, src, feed.Options{
		Mix: method, Views: 3, Flip: true, Batch: 4, Epochs: 1, Tail: feed.Short, DType: feed.Float32, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	slot := make([]byte, l.Layout().Bytes)
	for {
		b, err := l.Next(ctx, slot)
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		images := l.Float32s("images", slot, b.N) // [3, n, 3, 32, 32]
		fmt.Printf("batch %d: %d samples, %d values, then %v\n", b.Index, b.N, len(images), b.After)
	}
	// Output:
	// batch 0: 4 samples, 36864 values, then 0:4
	// batch 1: 4 samples, 36864 values, then 0:8
	// batch 2: 2 samples, 18432 values, then 1:0
}
