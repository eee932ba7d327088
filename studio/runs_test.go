package studio

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rows writes a run of one model.
func rows(t *testing.T, dir, model string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	text := `{"v":2,"model":"` + model + `","dataset":"cifar10","metric":"error","value":0.05,"n":10000,"time":"2026-01-02T03:04:05Z","origin":"measured"}` + "\n"
	put(t, filepath.Join(dir, rowsName), []byte(text))
}

func TestFindRuns(t *testing.T) {
	dir := t.TempDir()
	at := func(p string) string { return filepath.Join(dir, filepath.FromSlash(p)) }
	rows(t, at("one"), "one")
	rows(t, at("quick[1]/standard/eval"), "standard")
	rows(t, at("quick[1]/standard"), "training")
	rows(t, at("quick[1]/augmix/eval"), "augmix")
	rows(t, at("several/a"), "a")
	rows(t, at("several/b"), "b")
	got, err := findRuns([]string{at("one"), at("quick[1]"), at("several"), at("one/" + rowsName), at("one")})
	want := []string{
		at("one"), at("quick[1]/augmix/eval"), at("quick[1]/standard/eval"), at("several/a"), at("several/b"), at("one/" + rowsName),
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, %v", got, err)
	}
	if names := runNames(want[:5]); !slices.Equal(names, []string{"one", "augmix", "standard", "a", "b"}) {
		t.Errorf("named %q", names)
	}
	if names := runNames([]string{at("several/a"), at("x/a")}); names[0] == names[1] {
		t.Errorf("two runs are called %q", names)
	}
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	rows(t, filepath.Join(dir, "a"), "first")
	rows(t, filepath.Join(dir, "b"), "second")
	_, do := serve(t, Options{Data: small, Runs: []string{dir}})
	w := do("GET", "report?runs=1", nil, nil)
	if body := w.Body.String(); w.Code != 200 || !strings.Contains(body, "second") || strings.Contains(body, ">first<") {
		t.Errorf("the report of one: %d %.300s", w.Code, body)
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "script-src 'sha256-") || strings.Contains(policy, "script-src 'unsafe") || !strings.Contains(policy, "frame-ancestors 'self'") {
		t.Errorf("its policy is %s", policy)
	}
	if w := do("GET", "report", nil, nil); !strings.Contains(w.Body.String(), "first") || !strings.Contains(w.Body.String(), "second") {
		t.Error("the report of all lacks one")
	}
	// A run without results: a message, and the server stays.
	if err := os.Remove(filepath.Join(dir, "a", rowsName)); err != nil {
		t.Fatal(err)
	}
	if w := do("GET", "report?runs=0", nil, nil); w.Code != 422 || !strings.Contains(w.Body.String(), rowsName) {
		t.Errorf("a run without results: %d %s", w.Code, w.Body)
	}
	if w := do("GET", "report?runs=1", nil, nil); w.Code != 200 {
		t.Errorf("the other run: %d", w.Code)
	}
}
