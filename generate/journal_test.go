package generate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whatever lies where the journal and the manifest are looked for, reading them is an error in words or a value in range.
func FuzzRecords(f *testing.F) {
	f.Add([]byte(`{"version":1,"options":[{"name":"a","value":"b"}],"next":3,"items":9,"rejected":[],"state":"AAEC","phase":"writing"}`))
	f.Add([]byte(`{"version":1,"files":[{"path":"../../etc/passwd","size":1,"sha256":""}]}`))
	f.Add([]byte(`{"version":1,"next":1e99}`))
	f.Add([]byte(`[`))
	f.Add([]byte(nil))
	dir := f.TempDir()
	p := Output{Path: dir}
	if err := os.MkdirAll(p.state(), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, path := range []string{p.journal(), p.Record(ManifestName)} {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		j, err := readJournal(p)
		if err != nil && !errors.Is(err, ErrRecord) || err == nil && (j == nil || j.Next < 0 || j.Items < 0) {
			t.Errorf("journal %+v, %v", j, err)
		}
		m, err := ReadManifest(p)
		if err != nil && !errors.Is(err, ErrRecord) || err == nil && m.Version != manifestVersion {
			t.Errorf("manifest %+v, %v", m, err)
		}
		if err == nil {
			_ = p.clearFinished(m)
		}
	})
}

// A manifest that lists files elsewhere removes none of them.
func TestManifestStaysInside(t *testing.T) {
	base := t.TempDir()
	victim := filepath.Join(base, "victim")
	if err := os.WriteFile(victim, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Output{Path: filepath.Join(base, "out")}
	if err := os.MkdirAll(p.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../victim", victim, "a/../../victim"} {
		if err := p.clearFinished(&Manifest{Files: []File{{Path: path}}}); !errors.Is(err, ErrRecord) {
			t.Errorf("%s: error %v", path, err)
		}
		if err := p.clearFinished(&Manifest{Records: []string{path}}); !errors.Is(err, ErrRecord) {
			t.Errorf("record %s: error %v", path, err)
		}
	}
	if _, err := os.Stat(victim); err != nil {
		t.Error(err)
	}
}
