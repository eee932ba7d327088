package cifar_test

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/raster"
)

// Example writes a test set of two images and reads it back.
func Example() {
	dir, err := os.MkdirTemp("", "cifar")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	sink, err := cifar.Create(dir, nil, cifar.SinkOptions{Split: cifar.Test}, nil)
	if err != nil {
		log.Fatal(err)
	}
	m := raster.New(cifar.Side, cifar.Side)
	for label := range 2 {
		m.Fill(raster.RGB{R: 200, G: uint8(label)})
		if err := sink.Put(&data.Item{Key: "any", Label: label, Image: m}); err != nil {
			log.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		log.Fatal(err)
	}

	src, err := cifar.Open(dir, cifar.Options{Split: cifar.Test})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	var s data.Sample
	for {
		err := src.Next(&s)
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Decode(m); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Key, src.Info().Classes[s.Label], m.At(3, 4))
	}
	// Output:
	// test_batch/0000 airplane {200 0 0}
	// test_batch/0001 automobile {200 1 0}
}
