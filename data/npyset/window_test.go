package npyset_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
)

// TestWindow: arrays of every type that a window makes levels of, of two images of 1x2 pixels, with hand-worked levels.
func TestWindow(t *testing.T) {
	window := func(lo, hi float64) *data.Window { return &data.Window{Lo: lo, Hi: hi} }
	for _, c := range []struct {
		dtype, shape, body string
		window             *data.Window
		want               string // of both images
		form               data.Form
	}{
		{"<u2", "(2, 1, 2)", "\x00\x00\x00\x08\xff\x0f\xe8\x03", window(0, 4095), "\x00\x80\xff\x3e", data.GrayForm}, // 0 2048 4095 1000
		{">u2", "(2, 1, 2, 1)", "\x00\x00\x08\x00\x0f\xff\x03\xe8", window(0, 4095), "\x00\x80\xff\x3e", data.GrayForm},
		{"<i2", "(2, 1, 2)", "\x60\xff\xf0\x00\x00\x00\x28\x00", window(-160, 240), "\x00\xff\x66\x80", data.GrayForm}, // -160 240 0 40: 102, 127.5
		{"|i1", "(2, 1, 2)", "\xff\x01\x00\x7f", window(-1, 1), "\x00\xff\x80\xff", data.GrayForm},
		{"<i4", "(2, 1, 2)", "\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00", window(-1, 1), "\x00\xff\x80\xff", data.GrayForm},
		{"<u4", "(2, 1, 2)", "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00", window(0, 2), "\x00\x80\x80\xff", data.GrayForm},
		{"<f4", "(2, 1, 2)", "\x00\x00\x00\x00\x00\x00\x00\x3f\x00\x00\x80\x3f\x00\x00\x80\xbf", window(0, 1), "\x00\x80\xff\x00", data.GrayForm}, // 0 .5 1 -1
		{"<f8", "(2, 1, 1, 1)", "\x00\x00\x00\x00\x00\x00\xe0\x3f\x00\x00\x00\x00\x00\x00\xf0\x3f", window(0, 1), "\x80\xff", data.GrayForm},
		{"<u2", "(2, 1, 1, 3)", "\x00\x00\x00\x08\xff\x0f\xe8\x03\x00\x00\xff\xff", window(0, 4095), "\x00\x80\xff\x3e\x00\xff", data.RGB},
	} {
		path := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(path, []byte(header(c.dtype, c.shape)+c.body), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := npyset.Open(path, npyset.Options{}); !errors.Is(err, data.ErrWindow) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s without a window: %v", c.dtype, err)
		}
		random, err := npyset.Open(path, npyset.Options{Window: c.window})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := npyset.NewStream(strings.NewReader(header(c.dtype, c.shape)+c.body), "in", npyset.Options{Window: c.window})
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range []data.Source{random, stream} {
			got := ""
			for _, s := range all(t, src) {
				if got += string(s.Data); s.Form != c.form {
					t.Errorf("%s: form %d", c.dtype, s.Form)
				}
			}
			if got != c.want {
				t.Errorf("%s: levels %q, want %q", c.dtype, got, c.want)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestWindowOfOneSample: an image that a window clips, or that has no numbers, is left out alone.
func TestWindowOfOneSample(t *testing.T) {
	file := header("<f4", "(3, 1, 1)") + "\x00\x00\x40\x40" + "\x00\x00\xc0\x7f" + "\x00\x00\x80\x3f" // 3, NaN, 1
	src, err := npyset.NewStream(strings.NewReader(file), "in", npyset.Options{Window: &data.Window{Hi: 2}})
	if err != nil {
		t.Fatal(err)
	}
	var s data.Sample
	for _, want := range []string{"0:2 clips all", "NaN"} {
		var bad *data.SampleError
		if err := src.Next(&s); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "in row") {
			t.Errorf("%v, want one of the sample with %q", err, want)
		}
	}
	if err := src.Next(&s); err != nil || s.Key != "000002" || s.Data[0] != 128 {
		t.Errorf("sample %q: %v, %v", s.Key, s.Data, err)
	}
	if err := src.Next(&s); err != io.EOF {
		t.Errorf("end: %v", err)
	}
}
