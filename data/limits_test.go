package data_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// same is a source of n samples of one file.
type same struct {
	file []byte
	n    int
}

func (s *same) Info() data.Info { return data.Info{Len: s.n} }
func (s *same) Close() error    { return nil }

func (s *same) Next(m *data.Sample) error {
	if s.n--; s.n < 0 {
		return io.EOF
	}
	*m = data.Sample{Key: "k", Name: "n", Data: s.file}
	return nil
}

// TestWaitingDecodeEnds: a check that waits for memory which a held image takes ends with its context, and calls nothing bad
// that it has not decoded. Once the image is released it finds all samples good.
func TestWaitingDecodeEnds(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 400, 400))); err != nil {
		t.Fatal(err)
	}
	if err := data.SetDecodeLimits(data.DecodeLimits{MaxMemory: 5 << 18}); err != nil { // 1.25 MiB: one image, not two
		t.Fatal(err)
	}
	defer func() {
		if err := data.SetDecodeLimits(data.DecodeLimits{}); err != nil {
			t.Error(err)
		}
	}()
	var d data.Decoder
	var m raster.Image
	if err := d.Decode(t.Context(), &m, &data.Sample{Data: b.Bytes()}, data.DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	time.AfterFunc(20*time.Millisecond, func() { cancel(stop) })
	if _, bad, err := data.Check(ctx, &same{b.Bytes(), 4}, 3, nil); !errors.Is(err, stop) || len(bad) > 0 {
		t.Errorf("%v, %v", err, bad)
	}
	d.Release(&m)
	if n, bad, err := data.Check(t.Context(), &same{b.Bytes(), 4}, 3, nil); n != 4 || err != nil || len(bad) > 0 {
		t.Errorf("%d, %v, %v", n, err, bad)
	}
}
