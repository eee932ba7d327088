package sbom

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func sample() *debug.BuildInfo {
	return &debug.BuildInfo{
		GoVersion: "go1.26.0", Path: "example.org/prog/cmd/prog",
		Main: debug.Module{Path: "example.org/prog", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.org/a_b", Version: "v0.1.0", Sum: "h1:abc="},
			{Path: "example.org/a-b/v2", Version: "v2.0.0+incompatible"},
			{Path: "example.org/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/new", Version: "v1.0.1"}},
		},
		Settings: []debug.BuildSetting{
			{Key: "GOOS", Value: "linux"}, {Key: "GOARCH", Value: "arm64"}, {Key: "vcs.time", Value: "2026-01-02T04:04:05+01:00"},
		},
	}
}

func read(t *testing.T, info *debug.BuildInfo) (d document, text string) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, info); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d, b.String()
}

// TestDocument: what the specification requires is there, and every module once.
func TestDocument(t *testing.T) {
	d, text := read(t, sample())
	if d.Version != "SPDX-2.3" || d.License != "CC0-1.0" || d.ID != "SPDXRef-DOCUMENT" || d.Name != "prog-v1.2.3-linux-arm64" ||
		d.Creation.Created != "2026-01-02T03:04:05Z" || len(d.Creation.Creators) != 1 {
		t.Errorf("%+v", d)
	}
	if !regexp.MustCompile(`^https://example\.org/prog/spdx/[0-9a-f]{64}$`).MatchString(d.Namespace) {
		t.Errorf("namespace %q", d.Namespace)
	}
	refs := []string{
		"pkg:golang/example.org/prog@v1.2.3", "pkg:golang/std@1.26.0", "pkg:golang/example.org/a_b@v0.1.0",
		"pkg:golang/example.org/a-b/v2@v2.0.0%2Bincompatible", "pkg:golang/example.org/new@v1.0.1",
	}
	ids := map[string]bool{}
	for i, p := range d.Packages {
		if p.Refs[0].Locator != refs[i] {
			t.Errorf("module %d is %s, want %s", i, p.Refs[0].Locator, refs[i])
		}
		if ids[p.ID] || !regexp.MustCompile(`^SPDXRef-[A-Za-z0-9.-]+$`).MatchString(p.ID) {
			t.Errorf("identifier %q", p.ID)
		}
		ids[p.ID] = true
	}
	if len(d.Packages) != len(refs) || len(d.Relationships) != len(refs) || d.Relationships[0].Type != "DESCRIBES" {
		t.Errorf("%d modules, %d relationships", len(d.Packages), len(d.Relationships))
	}
	for _, r := range d.Relationships {
		if !ids[r.To] || r.From != "SPDXRef-DOCUMENT" && !ids[r.From] {
			t.Errorf("relationship %+v", r)
		}
	}
	if d.Packages[0].LicenseDeclared != "Apache-2.0" || d.Packages[2].LicenseDeclared != unsaid ||
		d.Packages[2].Source != "go.sum h1:abc=" || strings.Contains(text, `"sourceInfo": ""`) {
		t.Errorf("%s", text)
	}
}

// TestSameBytes: the same program has the same document, another program one of another name.
func TestSameBytes(t *testing.T) {
	d, a := read(t, sample())
	if _, b := read(t, sample()); a != b {
		t.Error("two documents of one program differ")
	}
	other := sample()
	other.Deps[0].Version = "v0.1.1"
	if e, _ := read(t, other); e.Namespace == d.Namespace {
		t.Error("documents of two programs have one name")
	}
	bare := &debug.BuildInfo{Main: debug.Module{Path: "example.org/prog"}}
	if d, _ := read(t, bare); d.Creation.Created != "1970-01-01T00:00:00Z" || d.Packages[0].Version != "(devel)" ||
		d.Packages[0].Refs[0].Locator != "pkg:golang/example.org/prog" {
		t.Errorf("%+v", d)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestErrors(t *testing.T) {
	for _, info := range []*debug.BuildInfo{nil, {}} {
		if err := Write(&bytes.Buffer{}, info); !errors.Is(err, ErrNoModules) {
			t.Errorf("%v", err)
		}
	}
	if err := Write(full{}, sample()); !errors.Is(err, errFull) {
		t.Errorf("%v", err)
	}
}
