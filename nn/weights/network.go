package weights

import (
	"fmt"

	"github.com/augmix-go/augmix/nn/image2image"
)

// ReadStyle reads a network of style transfer from a file that [ReadFile] reads. Errors name the file, and the tensor where
// one is not the network's: those wrap image2image.ErrWeights.
func ReadStyle(path string) (*image2image.Style, error) {
	return readNetwork(path, image2image.NewStyle)
}

// ReadNetwork reads a network that makes images of images, one of those of image2image.New. Errors are those of [ReadStyle].
func ReadNetwork(path string) (*image2image.Network, error) {
	return readNetwork(path, image2image.New)
}

func readNetwork[N any](path string, build func([]image2image.Tensor) (N, error)) (net N, err error) {
	ts, _, err := ReadFile(path)
	if err != nil {
		return net, err
	}
	list := make([]image2image.Tensor, len(ts))
	for i, t := range ts {
		list[i] = image2image.Tensor(t)
	}
	if err := CheckFinished(path, ts); err != nil {
		return net, err
	}
	if net, err = build(list); err != nil {
		return net, fmt.Errorf("%s: %w", path, err)
	}
	return net, nil
}

// CheckFinished returns an error that wraps [ErrFormat] for the tensors of a file that has the state of an optimizer too: weights on
// their way.
func CheckFinished(path string, ts []Tensor) error {
	if _, optimizer, _ := Split(ts); len(optimizer) > 0 {
		return fmt.Errorf("%w: %s is of a training that has not ended (allowed: finished weights; resume it to its end)", ErrFormat, path)
	}
	return nil
}
