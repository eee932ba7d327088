package studio

import (
	"context"
	"errors"

	"github.com/augmix-go/augmix/data"
)

// sums keeps the fingerprints of the data set by which rows of results name it, for each number of samples that was asked for. It is not
// safe for concurrent use.
type sums map[int]string

// of returns data.Sign's fingerprint of the names of limit samples, 0 for all.
func (c sums) of(ctx context.Context, source data.Indexed, limit int) (string, error) {
	if sum, ok := c[limit]; ok {
		return sum, nil
	}
	n := source.Len()
	if limit > 0 {
		n = min(n, limit)
	}
	describer, cheap := source.(data.Describer)
	signer := data.NewSigner(source.Info().Classes)
	var one data.Sample
	var bad *data.SampleError
	for i := range n {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		at := i * source.Len() / n
		if cheap {
			describer.Describe(at, &one)
		} else if err := source.Read(at, &one); errors.As(err, &bad) {
			continue
		} else if err != nil {
			return "", err
		}
		signer.Add(&one)
	}
	c[limit] = signer.Sum().Samples
	return c[limit], nil
}
