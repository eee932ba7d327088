package data_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

func TestDecodeForms(t *testing.T) {
	want := raster.New(2, 1)
	want.Set(0, 0, raster.RGB{R: 1, G: 2, B: 3})
	want.Set(1, 0, raster.RGB{R: 4, G: 5, B: 6})
	gray := raster.New(2, 1)
	gray.Set(0, 0, raster.RGB{R: 7, G: 7, B: 7})
	gray.Set(1, 0, raster.RGB{R: 8, G: 8, B: 8})
	file, err := data.Encoding{}.Append(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		form  data.Form
		bytes []byte
		want  *raster.Image
	}{
		{data.Encoded, file, want},
		{data.RGB, []byte{1, 2, 3, 4, 5, 6}, want},
		{data.Planar, []byte{1, 4, 2, 5, 3, 6}, want},
		{data.GrayForm, []byte{7, 8}, gray},
	} {
		s := data.Sample{Form: c.form, W: 2, H: 1, Data: c.bytes}
		var m raster.Image
		if err := s.Decode(&m); err != nil {
			t.Errorf("form %d: %v", c.form, err)
		} else if !raster.Equal(&m, c.want) {
			t.Errorf("form %d: %v", c.form, m.Pix)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		sample data.Sample
		want   error
	}{
		{"no image", data.Sample{Data: []byte("hello")}, data.ErrFormat},
		{"unsupported image", data.Sample{Data: []byte("8BPS")}, data.ErrUnsupported},
		{"too few bytes", data.Sample{Form: data.RGB, W: 2, H: 2, Data: make([]byte, 11)}, data.ErrFormat},
		{"too many bytes", data.Sample{Form: data.GrayForm, W: 2, H: 2, Data: make([]byte, 12)}, data.ErrFormat},
		{"no size", data.Sample{Form: data.Planar}, data.ErrFormat},
		{"huge size", data.Sample{Form: data.RGB, W: math.MaxInt, H: math.MaxInt}, raster.ErrSize},
		{"unknown form", data.Sample{Form: 9, W: 1, H: 1, Data: make([]byte, 3)}, data.ErrUnsupported},
	} {
		c.sample.Name, c.sample.Key = "set.tar entry x", "x"
		var m raster.Image
		err := c.sample.Decode(&m)
		var se *data.SampleError
		if !errors.Is(err, c.want) || !errors.As(err, &se) || se.Key != "x" ||
			!strings.HasPrefix(err.Error(), "set.tar entry x: ") {
			t.Errorf("%s: %v, want a SampleError that wraps %v", c.name, err, c.want)
		}
	}
}

func TestEncoding(t *testing.T) {
	m := raster.New(8, 8)
	m.Fill(raster.RGB{R: 90, G: 60, B: 30})
	for _, e := range []data.Encoding{{}, {Level: data.LevelNone}, {JPEG: true}, {JPEG: true, Quality: 30}} {
		if err := e.Check(); err != nil {
			t.Error(err)
		}
		file, err := e.Append(nil, m)
		if err != nil {
			t.Fatal(err)
		}
		var got raster.Image
		s := data.Sample{Data: file}
		if err := s.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if e.Lossless() && !raster.Equal(&got, m) {
			t.Errorf("%+v loses pixels", e)
		}
		if want := map[bool]string{false: ".png", true: ".jpg"}[e.JPEG]; e.Ext() != want {
			t.Errorf("%+v has extension %s", e, e.Ext())
		}
	}
	q95, err := data.Encoding{JPEG: true, Quality: data.DefaultQuality}.Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	q0, err := data.Encoding{JPEG: true}.Append(nil, m)
	if err != nil || string(q0) != string(q95) {
		t.Errorf("quality 0 is not %d (%v)", data.DefaultQuality, err)
	}
	for _, q := range []int{-1, 101} {
		if (data.Encoding{Quality: q}).Check() == nil {
			t.Errorf("quality %d is accepted", q)
		}
	}
}

func ExampleSample_Decode() {
	s := data.Sample{Name: "records.bin record 0", Form: data.Planar, W: 2, H: 1, Data: []byte{255, 0, 0, 255, 0, 0}}
	var m raster.Image
	if err := s.Decode(&m); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.At(0, 0), m.At(1, 0))

	s.Data = s.Data[:4]
	fmt.Println(s.Decode(&m))
	// Output:
	// {255 0 0} {0 255 0}
	// records.bin record 0: bad data: 4 bytes of pixels for a 2x1 image, want 6
}
