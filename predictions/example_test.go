package predictions_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
)

func ExampleOpen() {
	dir, err := os.MkdirTemp("", "predictions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "test.csv")
	table := "file,label,logit_0,logit_1,logit_2\na.png,0,2.5,1,0\nb.png,2,0,3,1\n"
	if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	r, err := predictions.Open(path, predictions.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var c metrics.Classification
	err = predictions.Each(context.Background(), r, 1, func(_ int, b *predictions.Batch) error {
		return metrics.AddRows(&c, b.First, b.F64, b.Labels)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := c.Error()
	fmt.Println(r.Kind(), r.Classes(), "classes, error", e, err)
	// Output:
	// logits 3 classes, error 0.5 <nil>
}

func ExampleFind() {
	_, err := predictions.Find("no-such-folder", predictions.Auto)
	fmt.Println(os.IsNotExist(err))
	// Output:
	// true
}
