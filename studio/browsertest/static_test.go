package browsertest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/studio"
)

// static writes a site, with the module that AUGMIX_WASM names or a new one, and serves it as any file server does, under a path.
func static(t *testing.T, s *studio.Server) (base string) {
	t.Helper()
	chromium(t)
	dir := filepath.Join(t.TempDir(), "site")
	if err := s.WriteStatic(t.Context(), dir, os.Getenv("AUGMIX_WASM")); err != nil {
		t.Fatal(err)
	}
	files := httptest.NewServer(http.StripPrefix("/some/path", http.FileServer(http.Dir(dir))))
	t.Cleanup(files.Close)
	return files.URL + "/some/path/"
}

// TestStudioStatic: a site without a server makes the server's bytes, which are the command's.
func TestStudioStatic(t *testing.T) {
	s, err := studio.New(studio.Options{Data: scenes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := visit(t, static(t, s), 1400, 900, "")
	want := func(address string) []byte {
		w := httptest.NewRecorder()
		s.Local().ServeHTTP(w, httptest.NewRequest("GET", "/"+address, nil))
		if w.Code != http.StatusOK {
			b.Fatalf("%s: %d %s", address, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	b.sub("corrupt", func() {
		if n := eval[int](b, `document.querySelectorAll(".card img[src]").length`); n != 34 {
			b.Errorf("%d corruptions are shown, want 34", n)
		}
		for _, v := range []string{"4", "5", "2"} {
			b.change("severity", v)
		}
		b.settle()
		for _, name := range eval[[]string](b, `[...document.querySelectorAll("[data-name]")].map((c) => c.dataset.name)`) {
			if !bytes.Equal(b.bytesOf(`[data-name=`+name+`] img`), want("image/corrupt?image=d0&name="+name+"&severity=2")) {
				b.Errorf("%s has other bytes than the server's", name)
			}
		}
		eval[bool](b, `location.hash = "name=fog"; true`)
		b.settle()
		b.copied("command", "augmix corrupt "+scenes)
		eval[bool](b, `document.querySelector("#large-close").click() ?? true`)
	})
	b.sub("mix", func() {
		eval[bool](b, `document.getElementById("tab-mix").click() ?? true`)
		b.until(`document.querySelectorAll(".chain").length === 3`)
		b.settle()
		for spec, last := range map[string]string{"augmix-m5-w2-d1": `.anatomy > .tile:last-child img`, "pixmix-k4-b3": `.rounds > .tile:last-child img`} {
			b.change("spec", spec)
			b.until(fmt.Sprintf(`document.getElementById("spec").value === %q && document.getElementById("problem").hidden`, spec))
			b.settle()
			if !bytes.Equal(b.bytesOf(last), want("image/mix?image=d0&spec="+spec)) {
				b.Errorf("%s has other bytes than the server's", spec)
			}
		}
	})
	b.sub("save", func() {
		hash := "screen=mix&spec=augmix-w2&epoch=3"
		text := eval[string](b, fmt.Sprintf(`import(new URL("transport.js", document.baseURI)).then((t) => t.send(%q)).then((r) => r.text())`, "export?"+hash))
		if text != string(want("export?"+hash)) {
			b.Error("the saved screen is another file than the server's")
		}
	})
	b.sub("upload", func() { // which every worker must know
		file := base64.StdEncoding.EncodeToString(want("image/corrupt?image=d5&name=fog&severity=1"))
		eval[bool](b, fmt.Sprintf(`(() => { const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0)), d = new DataTransfer();
			d.items.add(new File([bytes], "mine.png", {type: "image/png"}));
			document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true})); return true })()`, file))
		b.until(`document.getElementById("about").textContent.includes("mine (dropped), 64×64")`)
		b.settle()
		eval[bool](b, `document.getElementById("tab-corrupt").click() ?? true`)
		b.settle()
		if n := eval[int](b, `document.querySelectorAll(".card img[src]").length`); n != 34 {
			b.Errorf("%d corruptions of it are shown, want 34", n)
		}
	})
	b.sub("names and contrast", func() { b.look([]string{"", "name=fog", "screen=mix"}) })
}

// TestStudioStaticVersion: a page beside the module of another version says so, and one beside its own does not.
func TestStudioStaticVersion(t *testing.T) {
	s, err := studio.New(studio.Options{Data: scenes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	site := filepath.Join(t.TempDir(), "site")
	chromium(t)
	if err := s.WriteStatic(t.Context(), site, os.Getenv("AUGMIX_WASM")); err != nil {
		t.Fatal(err)
	}
	files := httptest.NewServer(http.FileServer(http.Dir(site)))
	defer files.Close()
	const says = `document.getElementById("local").textContent.includes("another version")`
	signed := `import(new URL("transport.js", document.baseURI)).then((t) => t.send("api/sign")).then((r) => r.json()).then((a) => a.sign)`
	b := visit(t, files.URL+"/", 1400, 900, "")
	b.settle()
	sign := eval[string](b, signed) // after the page's own
	if eval[bool](b, says) || len(sign) != 32 {
		b.Errorf("%q of the same version: %s", sign, eval[string](b, `document.getElementById("local").textContent`))
	}
	index := filepath.Join(site, "index.html")
	page, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(index, bytes.Replace(page, []byte(sign), []byte("0"+sign[1:31]+"x"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	visit(t, files.URL+"/", 1400, 900, "").until(says)
}
