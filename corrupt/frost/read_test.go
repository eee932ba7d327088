package frost

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	var all []byte
	for i, name := range files {
		if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name+":") {
			t.Errorf("without %s: %v", name, err)
		}
		encode := func(m *raster.Image) ([]byte, error) { return imagefile.EncodePNG(nil, m, imagefile.LevelFast) }
		if filepath.Ext(name) == ".jpg" {
			encode = func(m *raster.Image) ([]byte, error) { return imagefile.EncodeJPEG(nil, m, 90) }
		}
		file, err := encode(raster.New(40+i, 30))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file...)
		if err := os.WriteFile(filepath.Join(dir, name), file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	photos, err := Read(dir)
	if err != nil || len(photos) != 5 {
		t.Fatalf("%d photographs, %v", len(photos), err)
	}
	for i, m := range photos {
		if m.W != 40+i || m.H != 30 {
			t.Errorf("photograph %d is %dx%d", i, m.W, m.H)
		}
	}
	if sum, err := Sum(dir); err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(all)) {
		t.Errorf("sum %s, %v", sum, err)
	}
	if err := os.WriteFile(filepath.Join(dir, files[3]), []byte("no image"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); !errors.Is(err, imagefile.ErrFormat) || !strings.Contains(err.Error(), files[3]) {
		t.Errorf("a damaged file: %v", err)
	}
}
