package feed

import (
	"bytes"
	"errors"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/raster"
)

// TestPacker: images that are packed lie as a loader's.
func TestPacker(t *testing.T) {
	open := func() data.Source {
		src, err := formats.Open("scenes:n=5,size=24,seed=1", formats.Options{Split: "train"})
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	var images []*raster.Image
	var labels, index []int
	src := open()
	defer src.Close()
	for i := range src.Info().Len {
		var s data.Sample
		m := new(raster.Image)
		if err := errors.Join(src.Next(&s), s.Decode(m)); err != nil {
			t.Fatal(err)
		}
		images, labels, index = append(images, m), append(labels, s.Label), append(index, i)
	}
	for dtype := range DType(4) {
		for layout := range Layout(2) {
			o := Options{DType: dtype, Layout: layout, Batch: len(images), InOrder: true, Tail: Short, Epochs: 1}
			in := open()
			l, err := New(t.Context(), in, o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := NewPacker(24, 24, o)
			if err != nil {
				t.Fatal(err)
			}
			want, got := make([]byte, l.Layout().Bytes), make([]byte, p.Layout().Bytes)
			if _, err := l.Next(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			p.Pack(got, images, labels, index)
			if !bytes.Equal(got, want) {
				t.Errorf("%v %v: other bytes", dtype, layout)
			}
			_ = in.Close()
		}
	}
	if _, err := NewPacker(24, 24, Options{Batch: -1}); !errors.Is(err, ErrOption) {
		t.Errorf("error %v", err)
	}
}
