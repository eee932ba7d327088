package dataset

import (
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/parallel"
)

// CheckSizes calls check with the size of every image, as it is stored: one that lies on its side is not turned. Images that are not in
// memory are read for it, of files the header alone is decoded. The error is that of reading, or names the sample and wraps check's.
func (d *Set) CheckSizes(ctx context.Context, workers int, check func(w, h int) error) error {
	samples := make([]data.Sample, max(workers, 1))
	return parallel.Try(d.n, len(samples), func(worker, i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if d.samples != nil {
			h := &d.samples[i]
			return rejected(h.name, h.key, check(h.image.W, h.image.H))
		}
		s := &samples[worker]
		if err := d.source.Read(i, s); err != nil {
			return err
		}
		if s.Form == data.Encoded {
			info, err := imagefile.Inspect(s.Data)
			if err != nil {
				return rejected(s.Name, s.Key, fmt.Errorf("%w: %w", data.ErrFormat, err))
			}
			s.W, s.H = info.W, info.H
		}
		return rejected(s.Name, s.Key, check(s.W, s.H))
	})
}

// rejected is an error about a sample, nil for none.
func rejected(name, key string, err error) error {
	if err == nil {
		return nil
	}
	return &data.SampleError{Name: name, Key: key, Err: err}
}
