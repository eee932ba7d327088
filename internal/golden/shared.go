package golden

import (
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/webp"

	"github.com/augmix-go/augmix/raster"
)

// Beside returns a folder that lies beside the external golden folder: real data and published networks. The error wraps
// [fs.ErrNotExist] and says what is not there, or tells that AUGMIX_GOLDEN names no folder.
func Beside(name string) (string, error) {
	module, err := moduleRoot()
	if err != nil {
		return "", err
	}
	root, reason, err := externalRoot(module)
	if err != nil {
		return "", err
	}
	if root == "" {
		return "", fmt.Errorf("%s: %w", reason, fs.ErrNotExist)
	}
	dir := filepath.Join(filepath.Dir(filepath.Clean(root)), name)
	if !isDir(dir) {
		return "", fmt.Errorf("golden: %s beside the external goldens: %w", dir, fs.ErrNotExist)
	}
	return dir, nil
}

// NeedBeside is [Beside] for tests that are nothing without the folder: they are skipped, and say why.
func NeedBeside(t testing.TB, name string) string {
	t.Helper()
	dir, err := Beside(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// sheetColumns, sheetImages and sheetSide are the grid of a sheet of CIFAR-10: 25 rows of 40 images of 32 pixels.
const (
	sheetColumns = 40
	sheetImages  = 1000
	sheetSide    = 32
)

// CIFAR10 reads the first sheets of a part of CIFAR-10, "data_batch_1" to "data_batch_5" or "test_batch": 1,000 images
// of 32x32 pixels a sheet, and their labels, from the lossless sheets of the folder cifar10 that [Beside] finds. Errors
// are those of Beside and of the files.
func CIFAR10(part string, sheets int) ([]*raster.Image, []byte, error) {
	dir, err := Beside("cifar10")
	if err != nil {
		return nil, nil, err
	}
	labels, err := os.ReadFile(filepath.Join(dir, part+".labels"))
	if err != nil {
		return nil, nil, err
	}
	if len(labels) < sheets*sheetImages {
		return nil, nil, fmt.Errorf("golden: %d labels of %s for %d sheets", len(labels), part, sheets)
	}
	var images []*raster.Image
	for i := range sheets {
		path := filepath.Join(dir, fmt.Sprintf("%s_%d.webp", part, i))
		if images, err = appendSheet(images, path); err != nil {
			return nil, nil, fmt.Errorf("golden: %s: %w", path, err)
		}
	}
	return images, labels[:len(images)], nil
}

func appendSheet(dst []*raster.Image, path string) ([]*raster.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	decoded, err := webp.Decode(f)
	if err != nil {
		return nil, err
	}
	sheet, ok := decoded.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	if !ok {
		return nil, fmt.Errorf("an image of type %T", decoded)
	}
	for i := range sheetImages {
		x, y := i%sheetColumns*sheetSide, i/sheetColumns*sheetSide
		m := new(raster.Image)
		if err := m.SetImage(sheet.SubImage(image.Rect(x, y, x+sheetSide, y+sheetSide))); err != nil {
			return nil, err
		}
		dst = append(dst, m)
	}
	return dst, nil
}
