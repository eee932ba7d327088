package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImage: an example is a PNG or a JPEG, or an error with a value of its own.
func TestImage(t *testing.T) {
	r := Run{Path: t.TempDir()}
	if err := os.Mkdir(filepath.Join(r.Path, "examples"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct{ content, media string }{
		"a.png": {"\x89PNG\r\n\x1a\n", "image/png"}, "b.png": {"\xff\xd8\xff\xe0", "image/jpeg"}, "c.png": {"GIF89a", ""},
	} {
		if err := os.WriteFile(filepath.Join(r.Path, "examples", name), []byte(x.content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, media, err := r.image(name)
		if media != x.media || (x.media == "") != errors.Is(err, ErrImage) {
			t.Errorf("%s: %q %v", name, media, err)
		}
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
	}
}
