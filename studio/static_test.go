package studio

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moduleFile writes what passes for a module, and wasm_exec.js beside it.
func moduleFile(t *testing.T, content string) (path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "some.wasm")
	for name, text := range map[string]string{path: content, filepath.Join(dir, "wasm_exec.js"): "// Go"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestWriteStatic(t *testing.T) {
	s, _ := serve(t, Options{Data: small})
	m := moduleFile(t, "\x00asm and more")
	parent := t.TempDir()
	dir := filepath.Join(parent, "site") + string(filepath.Separator)
	if err := s.WriteStatic(t.Context(), dir, m); err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(file)
	}
	index := read("index.html")
	for _, want := range []string{`http-equiv="Content-Security-Policy"`, "script-src 'self' 'wasm-unsafe-eval'", `data-data="` + small + `"`, `id="local"`} {
		if !strings.Contains(index, want) {
			t.Errorf("index.html has no %s", want)
		}
	}
	if strings.Contains(index, `"/`) || strings.Contains(index, "http:") || strings.Contains(index, "https:") {
		t.Errorf("an address that is not beside the page: %s", index)
	}
	for _, name := range pageFiles {
		if served, err := page.ReadFile("page/" + name); err != nil || read(name) != string(served) {
			t.Errorf("%s is not the served one, %v", name, err)
		}
	}
	unpacked, err := gzip.NewReader(strings.NewReader(read("studio.wasm.gz")))
	if err != nil {
		t.Fatal(err)
	}
	if was, err := io.ReadAll(unpacked); err != nil || string(was) != "\x00asm and more" {
		t.Errorf("the module is %q, %v", was, err)
	}
	if !strings.Contains(read("info.json"), `"samples":12`) || read("wasm_exec.js") != "// Go" || read("worker.js") == "" || read("chart.css") == "" {
		t.Error("a file has something else")
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
		t.Errorf("left beside the site: %v, %v", left, err)
	}

	if err := s.WriteStatic(t.Context(), dir, m); !errors.Is(err, ErrSite) || !strings.Contains(err.Error(), "it holds") {
		t.Errorf("over another site: %v", err)
	}
	s.opt.Data = "photos"
	if err := s.WriteStatic(t.Context(), filepath.Join(parent, "other"), m); !errors.Is(err, ErrSite) || !strings.Contains(err.Error(), "photos") {
		t.Errorf("of data on a disk: %v", err)
	}
}

func TestOpenModule(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("\x00asm"))
	_ = w.Close()
	if m, err := openModule(t.Context(), moduleFile(t, packed.String())); err != nil || !bytes.Equal(m.packed, packed.Bytes()) {
		t.Errorf("a packed one: %v", err)
	}
	if _, err := openModule(t.Context(), moduleFile(t, "hello")); !errors.Is(err, ErrSite) || !strings.Contains(err.Error(), "GOOS=js") {
		t.Errorf("text: %v", err)
	}
	path := moduleFile(t, "\x00asm")
	if err := os.Remove(filepath.Join(filepath.Dir(path), "wasm_exec.js")); err != nil {
		t.Fatal(err)
	}
	if _, err := openModule(t.Context(), path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "wasm_exec.js") {
		t.Errorf("without wasm_exec.js: %v", err)
	}
	// No Go command: the error says how a module is made.
	t.Setenv("PATH", t.TempDir())
	if _, err := openModule(t.Context(), ""); !errors.Is(err, ErrSite) || !strings.Contains(err.Error(), "GOOS=js") || strings.Contains(err.Error(), "\n") {
		t.Errorf("without Go: %v", err)
	}
}

// TestSign: a site's page has the fingerprint that its module's handlers answer, whatever data and version they have.
func TestSign(t *testing.T) {
	s, _ := serve(t, Options{Data: small, Version: "v1"})
	dir := filepath.Join(t.TempDir(), "site")
	if err := s.WriteStatic(t.Context(), dir, moduleFile(t, "\x00asm")); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	module, _ := serve(t, Options{Data: "scenes:n=3,size=16"})
	w := httptest.NewRecorder()
	module.Local().ServeHTTP(w, httptest.NewRequest("GET", "/api/sign", nil))
	var answer signature
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Sign) != 32 ||
		!strings.Contains(string(index), `data-sign="`+answer.Sign+`"`) {
		t.Errorf("%d %s, %v; the page is %s", w.Code, w.Body, err, index)
	}
}
