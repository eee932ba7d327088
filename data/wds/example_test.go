package wds_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/raster"
)

// Example writes three images as shards of two and reads them back.
func Example() {
	dir, err := os.MkdirTemp("", "wds")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	sink, err := wds.Create(dir, []string{"cat", "dog"}, wds.SinkOptions{PerShard: 2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		m := raster.New(8, 8)
		m.Fill(raster.RGB{R: uint8(i)})
		if err := sink.Put(&data.Item{Key: fmt.Sprintf("pets/%d", i), Label: i % 2, Image: m}); err != nil {
			log.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		log.Fatal(err)
	}

	src, err := wds.Open(filepath.Join(dir, "data-{000000..000001}.tar"), wds.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	var s data.Sample
	for range src.Info().Len {
		if err := src.Next(&s); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Key, src.Info().Classes[s.Label], filepath.Base(s.Name))
	}
	// Output:
	// pets/0 cat 0.png
	// pets/1 dog 1.png
	// pets/2 cat 2.png
}

// ExampleShards shows what a pattern stands for.
func ExampleShards() {
	shards, err := wds.Shards("train-{08..10}.tar::val.tar")
	fmt.Println(shards, err)
	// Output: [train-08.tar train-09.tar train-10.tar val.tar] <nil>
}
