package stream_test

import (
	"fmt"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/transform"
)

// A stream of drawn images, first under fog, then under brightness: read like any data set, and said in a manifest from which
// Open makes the same stream again.
func Example() {
	src, err := formats.Open("scenes:n=2,size=32", formats.Options{})
	if err != nil {
		panic(err)
	}
	plan := &transform.Corruptions{Names: []string{"fog", "brightness"}}
	s, err := stream.Open(src, plan, stream.Options{Order: "continual-s3", Seed: 1})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	fmt.Println(data.Count(s))
	fmt.Println(s.WriteManifest(os.Stdout))
	// Output:
	// 4 <nil>
	// position,key,label,corruption,severity,corruption2,severity2,seed,images
	// 0,train/0000001,1,fog,3,,,1,profile auto
	// 1,train/0000000,0,fog,3,,,1,
	// 2,train/0000001,1,brightness,3,,,1,
	// 3,train/0000000,0,brightness,3,,,1,
	// <nil>
}
