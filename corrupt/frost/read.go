package frost

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/regular"
	"github.com/augmix-go/augmix/raster"
)

// files are the published photographs that the published program chooses from; it never takes the sixth.
var files = [...]string{"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"}

// Read returns the published photographs, the five files frost1.png, frost2.png, frost3.png, frost4.jpg and frost5.jpg in
// the folder dir, in this order and at full size, for corrupt.NewFrostSet. The error names the file: it wraps that of the
// file system or of the decoder.
func Read(dir string) ([]*raster.Image, error) {
	var photos []*raster.Image
	err := each(dir, func(path string, file []byte) error {
		m := new(raster.Image)
		photos = append(photos, m)
		if err := imagefile.Decode(m, file); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return photos, nil
}

// Sum returns the SHA-256 of the files of [Read], one after the other, in hexadecimal: it says which photographs an output
// was made with.
func Sum(dir string) (string, error) {
	h := sha256.New()
	err := each(dir, func(_ string, file []byte) error {
		_, err := h.Write(file)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

func readRegular(path string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// each calls f with every photograph's file.
func each(dir string, f func(path string, file []byte) error) error {
	for _, name := range files {
		path := filepath.Join(dir, name)
		file, err := readRegular(path)
		if err != nil {
			return fmt.Errorf("frost photographs (wanted: %s): %w", strings.Join(files[:], ", "), err)
		}
		if err := f(path, file); err != nil {
			return err
		}
	}
	return nil
}
