package studio

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/formats"
)

var dataImage = regexp.MustCompile(`<img src="data:image/png;base64,([A-Za-z0-9+/=&#;]*)"`)

// shownIn returns the image files in a saved screen. It fails where the file needs anything else.
func shownIn(t *testing.T, file []byte) (images [][]byte) {
	t.Helper()
	for _, bad := range []string{"<script", "http:", "https:", "url(", "@import", `class="note"`, "<link rel=\"stylesheet\"", "ZgotmplZ"} {
		if bytes.Contains(file, []byte(bad)) {
			t.Errorf("the file has %s in it", bad)
		}
	}
	if n := bytes.Count(file, []byte("src=")); n != len(dataImage.FindAll(file, -1)) {
		t.Errorf("%d sources, not all of them data", n)
	}
	for _, m := range dataImage.FindAllSubmatch(file, -1) {
		png, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(m[1]), "&#43;", "+"))
		if err != nil {
			t.Fatal(err)
		}
		images = append(images, png)
	}
	return images
}

func TestExportImages(t *testing.T) {
	s, do := serve(t, Options{Data: small})
	for _, test := range []struct {
		hash, says string
		images     int
		first      string // the request of an image that is among them
	}{
		{"", "severity 3", 34, "image/corrupt?image=d0&name=fog&severity=3"},
		{"#corrupt?image=d3&severity=4&name=fog&seed=7&zoom=2", "augmix corrupt " + small, 36, "image/corrupt?image=d3&severity=4&name=fog&seed=7"},
		{"name=snow&look=difference&profile=32", "--profile 32", 35, "image/corrupt?image=d0&severity=3&name=snow&look=difference&profile=32"},
		{"screen=mix&image=d2", "augmix augment " + small, 0, "image/mix?image=d2&spec=augmix"},
		{"mix?spec=augmix-w2&pins=1:5", "pinned 1:5", 0, "image/mix?image=d0&spec=augmix-w2&pins=1:5"},
		{"mix?spec=pixmix-k4-b3&epoch=2", "round 1", 0, "image/mix?image=d0&spec=pixmix-k4-b3&epoch=2"},
		{"mix?spec=randaugment%2Bcutmix&draws=1", "Label: ", 0, "image/mix?image=d0&spec=randaugment%2Bcutmix&part=stage.1"},
		{"mix?spec=none", "original", 0, "image/mix?image=d0&spec=none"},
	} {
		file, err := s.Export(t.Context(), test.hash)
		if err != nil {
			t.Errorf("%s: %v", test.hash, err)
			continue
		}
		images := shownIn(t, file)
		if test.images > 0 && len(images) != test.images || strings.Contains(test.hash, "draws") && len(images) < 64 {
			t.Errorf("%s: %d images", test.hash, len(images))
		}
		if !bytes.Contains(file, []byte(test.says)) || !bytes.Contains(file, []byte("augmix studio "+small+" --export")) {
			t.Errorf("%s: does not say %s, or how it is made", test.hash, test.says)
		}
		want, found := do("GET", test.first, nil, nil), false
		for _, m := range images {
			found = found || bytes.Equal(m, want.Body.Bytes())
		}
		if want.Code != http.StatusOK || !found {
			t.Errorf("%s: no image is that of %s", test.hash, test.first)
		}
		again, err := s.Export(t.Context(), test.hash)
		if err != nil || !bytes.Equal(file, again) {
			t.Errorf("%s: another file the second time, %v", test.hash, err)
		}
	}
}

// The page gets the file that the command writes; of a data set that was not read, what is seen.
func TestExportRoute(t *testing.T) {
	s, do := serve(t, Options{Data: small})
	w := do("GET", "export?screen=mix&image=d1", nil, nil)
	file, err := s.Export(t.Context(), "mix?image=d1")
	if err != nil || w.Code != http.StatusOK || !bytes.Equal(w.Body.Bytes(), file) {
		t.Errorf("%d, another file, %v", w.Code, err)
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") || strings.Contains(p, "script") {
		t.Errorf("policy %q", p)
	}
	if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, "attachment") {
		t.Errorf("disposition %q", got)
	}
	w = do("GET", "export?screen=data&q=00", nil, nil)
	if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "nearly repeat") || len(shownIn(t, w.Body.Bytes())) != 12 {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	if w = do("GET", "export?screen=break", nil, nil); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "allowed: corrupt, mix, runs, train, data") {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

func TestExportOthers(t *testing.T) {
	run := filepath.Join(t.TempDir(), "first & run")
	if err := os.Mkdir(run, 0o755); err != nil {
		t.Fatal(err)
	}
	rows := ""
	for epoch := range 3 {
		rows += fmt.Sprintf(`{"v":2,"model":"x","dataset":"cifar10","epoch":%d,"metric":"train_loss","value":2.5,"n":100,"time":"2026-01-02T03:04:05Z","origin":"measured"}`+"\n", epoch+1)
	}
	rows += `{"v":2,"model":"x","dataset":"cifar10","metric":"error","value":0.05,"n":100,"time":"2026-01-02T03:04:05Z","origin":"measured"}` + "\n"
	if err := os.WriteFile(filepath.Join(run, "results.jsonl"), []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	s, do := serve(t, Options{Data: small, Runs: []string{run}})
	for hash, says := range map[string][]string{
		"data":  {"12 images, 0 without a label", "Images that nearly repeat", `class="wide"`},
		"train": {"first &amp; run", "<svg", "--runs"},
	} {
		file, err := s.Export(t.Context(), hash)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range says {
			if !bytes.Contains(file, []byte(want)) {
				t.Errorf("%s: does not say %s", hash, want)
			}
		}
		shownIn(t, bytes.ReplaceAll(file, []byte("http://www.w3.org/2000/svg"), nil)) // a name
	}
	file, err := s.Export(t.Context(), "runs")
	if report := do("GET", "report", nil, nil); err != nil || !bytes.Equal(file, report.Body.Bytes()) {
		t.Errorf("runs: not the report, %v", err)
	}
}

func TestExportRefuses(t *testing.T) {
	s, _ := serve(t, Options{Data: small})
	for hash, says := range map[string]string{
		"break": "cannot be saved", "screen=": "cannot be saved", "image=d12": "d12", "name=smog": "smog", "zoom=9": "1 to 8", "severity=6": "0 to 5",
		"seed=1&seed=2": "seed", "colour=red": "colour", "mix?spec=augmxi": "did you mean", "a=%zz": "escape", "runs": "--runs", "train": "no run",
		"name=fog&look=x": "difference",
	} {
		if _, err := s.Export(t.Context(), hash); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", hash, err, says)
		} else if !errors.Is(err, ErrRequest) && !errors.Is(err, errGone) {
			t.Errorf("%s: %v is no error of a request", hash, err)
		}
	}
}

// What the page and the exports both know is the same.
func TestStateIsThePages(t *testing.T) {
	read := func(name, from, to string) string {
		text, err := page.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), from)
		inside, _, found := strings.Cut(rest, to)
		if !found {
			t.Fatalf("%s has no %s", name, from)
		}
		return inside
	}
	fields := regexp.MustCompile(`(\w+): "([^"]*)"`).FindAllStringSubmatch(read("lib.js", "const defaults = {", "};"), -1)
	for _, f := range fields {
		if value, known := stateFields[f[1]]; !known || value != f[2] {
			t.Errorf("%s is %q here and %q in the page", f[1], value, f[2])
		}
	}
	if len(fields) != len(stateFields) {
		t.Errorf("%d fields here, %d in the page", len(stateFields), len(fields))
	}
	groups := regexp.MustCompile(`\["(\w+)", "([^"]*)"\]`).FindAllStringSubmatch(read("corrupt.js", "const groups = [", "];"), -1)
	if len(groups) != len(corruptGroups) {
		t.Fatalf("%d groups here, %d in the page", len(corruptGroups), len(groups))
	}
	for i, g := range groups {
		if corruptGroups[i] != [2]string{g[1], g[2]} {
			t.Errorf("group %v here, %v in the page", corruptGroups[i], g)
		}
	}
}

// TestExportWithoutCommand: a key that no pattern takes alone costs the command of its image, and not the file.
func TestExportWithoutCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file has such a name")
	}
	dir := t.TempDir()
	for i, name := range []string{"q*r", "qqr", "x,y"} {
		put(t, filepath.Join(dir, "a", name+".png"), blobs(t, i+1, 8, 0))
	}
	s, do := serve(t, Options{Data: dir})
	for _, hash := range []string{"corrupt?image=d0&name=fog", "mix?image=d0&spec=none"} {
		file, err := s.Export(t.Context(), hash)
		if err != nil {
			t.Errorf("%s: %v", hash, err)
			continue
		}
		shownIn(t, file)
		if !bytes.Contains(file, []byte("no command makes this image alone")) || bytes.Count(file, []byte("<section")) != bytes.Count(file, []byte("</section>")) {
			t.Errorf("%s: does not say that there is no command, or a section does not end", hash)
		}
	}
	if w := do("GET", "api/copy?image=d0&name=fog&severity=3", nil, nil); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "no pattern of --only takes a/q*r alone") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s, _ = serve(t, Options{Data: dir, Input: formats.Options{Only: []string{"x,y"}}})
	if file, err := s.Export(t.Context(), "mix?image=d0&spec=none"); err != nil || !bytes.Contains(file, []byte(`--only &#39;x\,y&#39;`)) {
		t.Errorf("the command does not have the comma of a pattern, %v", err)
	}
}

// TestListItem: what splits at a comma in spite of its backslash is no pattern to copy.
func TestListItem(t *testing.T) {
	for value, want := range map[string]bool{"a": false, "x,y": false, `x\y`: false, `x\,y`: true, `x\\,y`: false, `,`: false} {
		if splits(value) != want {
			t.Errorf("%s: %v", value, !want)
		}
	}
	if got := listItem("x,y,z"); got != `x\,y\,z` {
		t.Error(got)
	}
}

// TestCheckExport: an earlier export may be replaced, and a file of another kind may not.
func TestCheckExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.html")
	if err := CheckExport(path); err != nil {
		t.Errorf("no file: %v", err)
	}
	for text, want := range map[string]error{"": ErrRequest, "<title>mine</title>": ErrRequest, exportHTML: nil} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := CheckExport(path); !errors.Is(err, want) || err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}
