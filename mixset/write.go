package mixset

import (
	"bufio"
	"context"
	"fmt"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
)

// maker makes image i. It is called from several goroutines at once.
type maker func(dst *raster.Image, i int) error

// writeCache makes n images and the cache file of them. The file appears under its name when it is complete and
// durable; after an error nothing is left.
func writeCache(ctx context.Context, path string, o Options, id identity, n int, mk maker) error {
	f, err := storage.CreateAtomic(path)
	if err != nil {
		return fmt.Errorf("cannot make the cache of a mixing set: %w", err)
	}
	defer f.Abort()
	sizes := make([][2]int, n)
	w := bufio.NewWriterSize(f, 1<<20)
	if _, err = w.Write(make([]byte, len(header(id, sizes)))); err != nil {
		return err
	}
	err = inOrder(ctx, n, o, mk, func(m *raster.Image, i int) error {
		sizes[i] = [2]int{m.W, m.H}
		_, err := w.Write(m.Pix)
		return err
	})
	if err != nil {
		return err
	}
	if err = w.Flush(); err == nil {
		_, err = f.WriteAt(header(id, sizes), 0)
	}
	if err != nil {
		return err
	}
	return f.Commit()
}

// inOrder makes n images on o.Workers goroutines and gives them to put in order. It takes a few for each worker at a
// time, so that memory is bounded, and stops at the first error, or with the cause of ctx.
func inOrder(ctx context.Context, n int, o Options, mk maker, put func(m *raster.Image, i int) error) error {
	block := make([]raster.Image, min(n, 8*o.Workers))
	for start := 0; start < n; start += len(block) {
		b := block[:min(len(block), n-start)]
		err := parallel.Try(len(b), o.Workers, func(_, i int) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return mk(&b[i], start+i)
		})
		if err != nil {
			return err
		}
		for i := range b {
			if err := put(&b[i], start+i); err != nil {
				return err
			}
		}
		if o.Report != nil {
			o.Report(start+len(b), n)
		}
	}
	return nil
}
