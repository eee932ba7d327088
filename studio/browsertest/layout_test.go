package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/augmix-go/augmix/studio"
)

// TestLayout: images of a row stand at one height, however long their captions are, and the drawing of a mix is seen whole at any width.
func TestLayout(t *testing.T) {
	b := open(t, studio.Options{Data: scenes}, 1400, 900, "")
	// By the line that the frames of a section stand on; a line is as high as its tallest tile.
	uneven := eval[[]string](b, `[...document.querySelectorAll(".tiles")].flatMap((tiles) => {
		const tops = new Set([...tiles.querySelectorAll(".frame")].map((f) => f.getBoundingClientRect().top)), sorted = [...tops].sort((a, b) => a - b);
		return sorted.filter((y, i) => i > 0 && y - sorted[i - 1] < 100).map((y) => tiles.parentElement.textContent.slice(0, 40) + " " + y) })`)
	for _, u := range uneven {
		t.Errorf("a tile stands out of its row: %s", u)
	}
	for _, width := range []int64{1000, 700, 641, 640, 390} {
		b.run(chromedp.EmulateViewport(width, 900))
		eval[bool](b, `location.hash = "screen=mix"; true`)
		b.settle()
		if more := eval[int](b, `(() => { const d = document.querySelector(".drawing"); return d.scrollWidth - d.clientWidth })()`); more > 1 {
			t.Errorf("at %d pixels the drawing is %d pixels wider than what is seen of it", width, more)
		}
	}
	b.clean()
}

// TestStudioAddress: an address says a screen as --screen does, by its name too.
func TestStudioAddress(t *testing.T) {
	b := open(t, studio.Options{Data: scenes}, 1400, 900, "")
	for _, c := range []struct{ hash, screen, severity string }{
		{"mix", "mix", "3"}, {"corrupt?severity=5", "corrupt", "5"}, {"screen=mix&severity=2", "mix", "2"}, {"", "corrupt", "3"},
	} {
		eval[bool](b, fmt.Sprintf("location.hash = %q; true", c.hash))
		b.until(`document.querySelector("[aria-selected=true]").id === "tab-` + c.screen + `"`)
		b.settle()
		if c.screen == "corrupt" {
			b.until(`document.getElementById("severity").value === "` + c.severity + `"`)
		}
	}
	b.clean()
}

// TestUnreadable: the summary of a data set lists what cannot be decoded, counts the others, and has no table of no classes.
func TestUnreadable(t *testing.T) {
	from := open(t, studio.Options{Data: scenes}, 1400, 900, "")
	whole := from.get("image/corrupt?image=d5&name=fog&severity=1")
	dir := t.TempDir()
	for name, content := range map[string][]byte{"whole.png": whole, "cut.png": whole[:len(whole)/2], "text.png": []byte("hello")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, studio.Options{Data: dir}, 1000, 900, "screen=data")
	b.run(chromedp.Click("#read", chromedp.ByQuery))
	const text = `document.getElementById("summary").textContent`
	b.until(text + `.includes("3 images, of which 1 can be read, 1 of these without a label")`)
	if got := eval[string](b, text); !eval[bool](b, text+`.includes("2 cannot be read") && `+text+`.includes("cut.png") && !`+text+`.includes("classes")`) {
		t.Error(got)
	}
}
