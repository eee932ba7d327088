package predictions

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersions: what was written is read, no file says nothing, and a damaged one is an error that names it.
func TestVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fog_3.npy")
	if got, err := ReadVersions(path); got != nil || err != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}
	name := VersionsPath(path)
	if filepath.Base(name) != "fog_3.versions.json" {
		t.Error(name)
	}
	for _, want := range []map[string]string{nil, {"trained_on": "fog, frost", "go": "go1.26"}} {
		text, err := MarshalVersions(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadVersions(path); !maps.Equal(got, want) || err != nil {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	for _, text := range []string{
		"", "{", "null", "[]", `{"trained_on":["fog"]}`, `{"":"fog"}`, "{} {}", "{\"a\":\"\xff\"}", `{"a":"` + strings.Repeat("b", mostVersions) + `"}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ReadVersions(path)
		if err == nil || !strings.Contains(err.Error(), "fog_3.versions.json") || len(text) < mostVersions && !errors.Is(err, ErrContent) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}
