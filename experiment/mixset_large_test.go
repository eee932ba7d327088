package experiment

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// TestMixsetOfLargeImages: the size of the data is no more than mixing sets are made for; that of the configuration is left to the set to refuse.
func TestMixsetOfLargeImages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wide.png")
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 3000, 2))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for crop, want := range map[string]int{"": mixset.MaxSize, "2500": 2500} {
		s := &sources{config: train.Config{Data: file, Crop: crop}}
		if got, err := s.mixsetSize(); err != nil || got != want {
			t.Errorf("crop %q: %d, %v, want %d", crop, got, err, want)
		}
	}
}
