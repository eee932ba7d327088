package data

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// steps is a source of samples and errors in a row.
type steps struct {
	list []any
	at   int
}

func (*steps) Info() Info   { return Info{} }
func (*steps) Close() error { return nil }
func (s *steps) Next(dst *Sample) error {
	if s.at == len(s.list) {
		return io.EOF
	}
	s.at++
	switch v := s.list[s.at-1].(type) {
	case error:
		return v
	case Sample:
		*dst = v
	}
	return nil
}

func TestImages(t *testing.T) {
	gray := func(key string, label int, v uint8) Sample {
		return Sample{Key: key, Name: key, Label: label, Form: GrayForm, W: 2, H: 1, Data: []byte{v, v}}
	}
	broken := gray("broken", 1, 0)
	broken.Data = nil
	src := &steps{list: []any{
		gray("a", 3, 10), &SampleError{Name: "b", Key: "b", Err: ErrFormat}, broken, gray("odd", 1, 99), gray("c", 4, 20),
		ErrUnsupported, gray("never", 5, 30),
	}}
	prep := func(dst, src *raster.Image) error {
		if src.Pix[0] == 99 {
			return raster.ErrSize
		}
		dst.CopyFrom(src)
		dst.Pix[0]++
		return nil
	}
	var got []string
	var kept []*raster.Image
	for img, err := range Images(src, prep) {
		if err != nil {
			got = append(got, fmt.Sprint(img.Key, img.Image == nil, errors.As(err, new(*SampleError))))
			continue
		}
		kept = append(kept, img.Image)
		got = append(got, fmt.Sprint(img.Key, img.Label))
	}
	want := "[a3 btrue true brokentrue true oddtrue true c4 true false]"
	if text := fmt.Sprint(got); text != want || kept[0].Pix[0] != 11 || kept[1].Pix[0] != 21 {
		t.Errorf("%s, want %s", text, want)
	}
	src.at = 0
	for range Images(src, nil) {
		break
	}
	if src.at != 1 {
		t.Errorf("a loop that ends read %d samples", src.at)
	}
}
