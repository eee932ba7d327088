package browsertest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	downloads "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/augmix-go/augmix/studio"
)

// TestStudioExport saves screens by the button, and opens the files without a server.
func TestStudioExport(t *testing.T) {
	dir := t.TempDir()
	b := open(t, studio.Options{Data: scenes}, 1400, 900, "")
	b.run(downloads.SetDownloadBehavior(downloads.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	for _, screen := range []string{"corrupt", "mix", "data"} {
		eval[bool](b, `location.hash = "screen=`+screen+`&image=d3"; true`)
		b.settle()
		b.run(chromedp.Click("#save", chromedp.ByQuery))
		b.until(`document.getElementById("said").textContent === "Saved"`)
		eval[bool](b, `document.getElementById("said").textContent = ""; true`)
	}
	eval[bool](b, `location.hash = "screen=break"; true`)
	b.until(`document.getElementById("save").hidden`)
	b.clean()
	s, err := studio.New(studio.Options{Data: scenes})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, screen := range []string{"corrupt", "mix"} {
		want, err := s.Export(t.Context(), screen+"?image=d3")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "augmix-"+screen+".html")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the button saves another file than the command, %v", screen, err)
		}
	}
	for screen, images := range map[string]int{"corrupt": 34, "mix": 9, "data": 12} {
		b.file(filepath.Join(dir, "augmix-"+screen+".html"), images)
		b.wide(b.accessible)
		b.clean()
	}
}

// file opens a saved screen, which needs nothing but itself and has so many images or more.
func (b *browser) file(path string, images int) {
	b.Helper()
	for { // the browser gives it its name when it is whole
		if _, err := os.Stat(path); err == nil {
			break
		}
		b.until(`true`)
	}
	b.base = "file://" + filepath.ToSlash(path)
	b.run(chromedp.Navigate(b.base))
	if n := eval[int](b, `[...document.images].filter((i) => i.complete && i.naturalWidth > 0).length`); n < images || n != eval[int](b, `document.images.length`) {
		b.Errorf("%s: %d images, want %d", path, n, images)
	}
}
