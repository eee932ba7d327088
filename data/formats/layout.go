package formats

import (
	"compress/flate"
	"fmt"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/raster"
)

// Layout says how large what [Create] makes would be, without making it: keep appends an image as the format keeps it, and
// size returns the number of files and their bytes for n samples, labeled but where o says otherwise, with images in all that take
// bytes as keep makes them. views is the number of images of a sample.
func Layout(path string, o SinkOptions, views int) (
	keep func(dst []byte, m *raster.Image) ([]byte, error), size func(n, images int, bytes int64) (files int, total int64), err error,
) {
	f, err := find(o.Format)
	if f == nil && err == nil {
		f = named(path)
	}
	if f == nil || !f.Write {
		return nil, nil, fmt.Errorf("%w: no format to write for %s", data.ErrUnsupported, path)
	}
	lists := 0 // classes.txt
	if o.Classes != nil {
		lists = 1
	}
	raw := func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendPixels(dst), nil }
	const header = 128 // of an array
	labels := 1
	if o.Unlabeled {
		labels = 0
	}
	switch f.Name {
	case npyset.NameNPY:
		return raw, func(n, images int, bytes int64) (int, int64) {
			return 1 + labels + lists, bytes + header + int64(labels)*(8*int64(max(images/max(o.ViewAxis, 1), n))+header)
		}, nil
	case npyset.NameNPZ, npyset.NameMedMNIST: // of the latter without the parts that are kept
		if o.Deflate {
			raw = deflated
		}
		return raw, func(n, images int, bytes int64) (int, int64) {
			return 1 + lists, bytes + 2*header + int64(labels)*(8*int64(images/max(o.ViewAxis, 1))+3*header)
		}, nil
	case wds.Name:
		perShard := o.PerShard
		if perShard == 0 {
			perShard = wds.DefaultPerShard
		}
		const block = 512
		each := int64(labels) * 2 * block // what a sample has besides images
		if size := int64(header + 4*max(views, 1)*len(o.Classes)); o.Soft && o.Classes != nil {
			each += block + (size+block-1)/block*block
		}
		return o.Encoding.Append, func(n, images int, bytes int64) (int, int64) {
			// A block before each entry and half a block on average after it; two at the end of a file.
			samples := images / max(views, 1)
			shards := (samples + perShard - 1) / perShard
			return shards + lists, bytes + int64(images)*(block+block/2) + int64(samples)*each + int64(shards)*2*block
		}, nil
	case "cifar10", "cifar100":
		bytesOf := int64(1) // the labels
		if f.Name == "cifar100" {
			bytesOf = 2
		}
		return raw, func(n, images int, bytes int64) (int, int64) {
			files := 1
			if bytesOf == 1 && o.Split != "test" {
				files = max(5, (images+9999)/10000)
			}
			return files + 1, bytes + bytesOf*int64(images)
		}, nil
	}
	return o.Encoding.Append, func(_, images int, bytes int64) (int, int64) { return images, bytes }, nil
}

// deflated appends the pixels as a compressed archive keeps them.
func deflated(dst []byte, m *raster.Image) ([]byte, error) {
	out := sliceWriter{dst}
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(m.AppendPixels(nil))
	}
	if err == nil {
		err = w.Close()
	}
	return out.b, err
}

type sliceWriter struct{ b []byte }

// Write appends p.
func (s *sliceWriter) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}
