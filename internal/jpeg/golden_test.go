package jpeg

import (
	"bytes"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

func TestGolden(t *testing.T) {
	golden.RunSome(t, "ops", map[string]golden.Func{"jpeg_roundtrip": replayRoundTrip})
}

// replayRoundTrip checks the three ways to the expected images, and the bytes of the first file.
func replayRoundTrip(t *testing.T, c *golden.Case) {
	if s := c.Text("subsampling"); s != "4:2:0" {
		t.Fatalf("subsampling %s", s)
	}
	q := c.Int("quality")
	var tripped, decoded []*raster.Image
	for i, src := range c.Images(0) {
		m, d := new(raster.Image), new(raster.Image)
		RoundTrip(m, src, q)
		tripped = append(tripped, m)
		file := Encode(nil, src, Options{Quality: q})
		if err := Decode(d, file); err != nil {
			t.Fatal(err)
		}
		decoded = append(decoded, d)
		if i == 0 {
			same := bytes.Equal(file, c.File(c.Stream[0]))
			golden.Compared(t, c, same, "the encoded first image differs from the stream")
		}
	}
	golden.CompareImages(t, c, tripped, 0)
	golden.CompareImages(t, c, decoded, 0)
}
