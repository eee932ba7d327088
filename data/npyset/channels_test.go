package npyset_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/raster"
)

// TestChannels takes channels of arrays of 1x2 pixels, hand-worked.
func TestChannels(t *testing.T) {
	for _, c := range []struct {
		dtype, shape, body string
		o                  npyset.Options
		want               string
		form               data.Form
	}{
		{"|u1", "(1, 1, 2, 4)", "abcdABCD", npyset.Options{Channels: []int{3, 2, 1}}, "cbaCBA", data.RGB},
		{"|u1", "(1, 1, 2, 4)", "abcdABCD", npyset.Options{Channels: []int{4, 4, 1}}, "ddaDDA", data.RGB},
		{"|u1", "(1, 1, 2, 5)", "abcdeABCDE", npyset.Options{Channels: []int{5}}, "eE", data.GrayForm},
		{"|u1", "(1, 1, 2, 3)", "abcABC", npyset.Options{Channels: []int{3, 2, 1}}, "cbaCBA", data.RGB},
		{"|u1", "(1, 4, 1, 2)", "aAbBcCdD", npyset.Options{Channels: []int{3, 1, 4}, Layout: npyset.LayoutNCHW}, "cCaAdD", data.Planar},
		{"|u1", "(1, 4, 1, 2)", "aAbBcCdD", npyset.Options{Channels: []int{2}, Layout: npyset.LayoutNCHW}, "bB", data.GrayForm},
		{
			"<u2", "(1, 1, 2, 4)", "\x00\x00\x02\x00\x04\x00\x09\x00\x04\x00\x00\x00\x02\x00\x09\x00",
			npyset.Options{Channels: []int{3, 2, 1}, Window: &data.Window{Hi: 4}},
			"\xff\x80\x00\x80\x00\xff", data.RGB,
		},
	} {
		path := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(path, []byte(header(c.dtype, c.shape)+c.body), 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := npyset.Open(path, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all(t, src) {
			if string(s.Data) != c.want || s.Form != c.form || s.Decode(new(raster.Image)) != nil {
				t.Errorf("%s %v: %q of form %d, want %q", c.shape, c.o.Channels, s.Data, s.Form, c.want)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestChannelErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bands.npy")
	if err := os.WriteFile(path, []byte(header("|u1", "(1, 2, 1, 4)")+"abcdABCD"), 0o666); err != nil {
		t.Fatal(err)
	}
	for says, channels := range map[string][]int{
		"a choice of three or one": nil, "channel 5 (allowed: 1 to 4)": {1, 2, 5}, "channel 0 (allowed": {0, 1, 2}, "2 channels of 4": {1, 2},
	} {
		_, err := npyset.Open(path, npyset.Options{Channels: channels})
		if !errors.Is(err, data.ErrUnsupported) && !errors.Is(err, data.ErrFormat) || err == nil || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%v: %v, want %q", channels, err, says)
		}
	}
}

// TestSinkChannels: items with channels make an array of as many, across a checkpoint; others are rejected.
func TestSinkChannels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy")
	size := raster.New(2, 1)
	put := func(s *npyset.Sink, pixels string) {
		t.Helper()
		if err := s.Put(&data.Item{Key: pixels, Image: size, File: []byte(pixels), Channels: 4}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := npyset.CreateNPY(path, nil, npyset.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	put(s, "abcdABCD")
	state, err := s.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	put(s, "lostLOST")
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}
	if s, err = npyset.CreateNPY(path, nil, npyset.SinkOptions{}, state); err != nil {
		t.Fatal(err)
	}
	for says, it := range map[string]data.Item{
		"is color, x.npy holds 4-channel":     {Image: size},
		"is 5-channel, x.npy holds 4-channel": {Image: size, File: []byte("abcdeABCDE"), Channels: 5},
		"7 bytes of 2x1 pixels":               {Image: size, File: []byte("abcdefg"), Channels: 4},
		"is 1x1, x.npy holds 2x1":             {Image: raster.New(1, 1), File: []byte("abcd"), Channels: 4},
	} {
		bad := (*data.SampleError)(nil)
		if err := s.Put(&it); !errors.As(err, &bad) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
	put(s, "efghEFGH")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(file), "(2, 1, 2, 4)") || !strings.HasSuffix(string(file), "\nabcdABCDefghEFGH") {
		t.Errorf("%q, %v", file, err)
	}
}
