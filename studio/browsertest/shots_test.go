package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/augmix-go/augmix/studio"
)

func shotOptions(t *testing.T) studio.Options {
	if os.Getenv("AUGMIX_SHOTS") == "" {
		t.Skip("AUGMIX_SHOTS names no folder for screenshots")
	}
	o := studio.Options{Data: os.Getenv("AUGMIX_SHOTS_DATA"), Model: os.Getenv("AUGMIX_SHOTS_MODEL")}
	if runs := os.Getenv("AUGMIX_SHOTS_RUNS"); runs != "" {
		o.Runs = strings.Split(runs, ",")
	}
	return o
}

// TestShots takes screenshots of every screen for people to look at, where AUGMIX_SHOTS names a folder for them.
func TestShots(t *testing.T) {
	o := shotOptions(t)
	for _, width := range []int64{1400, 390} {
		b := open(t, o, width, 900, "")
		for _, dark := range []string{"light", "dark"} {
			b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: dark}}))
			for name, state := range map[string]string{
				"corrupt": "", "large": "name=fog&severity=4", "mix": "screen=mix", "pixmix": "screen=mix&spec=pixmix-k4-b3&epoch=2", "runs": "screen=runs", "train": "screen=train", "data": "screen=data",
				"draws": "screen=mix&draws=1", "spectrum": "name=zoom_blur&look=spectrum", "policy": "screen=mix&spec=randaugment%2Bcutmix",
				"break": "screen=break&under=fog&severity=3&image=d8", "lost": "screen=runs&" + os.Getenv("AUGMIX_SHOTS_LOST"),
			} {
				eval[bool](b, fmt.Sprintf(`location.hash = %q; true`, state))
				b.settle()
				if name == "runs" {
					b.until(`document.getElementById("report")?.contentDocument?.querySelector("#main") || document.getElementById("problem").textContent || !document.getElementById("report")`)
				}
				if name == "break" && o.Model != "" {
					b.run(chromedp.Click("#flips", chromedp.ByQuery))
					b.until(`document.querySelectorAll(".curve").length === 34 && document.getElementById("flips").textContent.startsWith("At which")`)
				}
				b.shot(fmt.Sprintf("%s-%d-%s", name, width, dark))
			}
		}
		b.clean()
	}
}

// TestFileShots does so of saved screens and of a site without a server.
func TestFileShots(t *testing.T) {
	o := shotOptions(t)
	b := open(t, o, 1400, 900, "")
	s, err := studio.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for name, hash := range map[string]string{"corrupt": "image=d3", "large": "name=fog&severity=4&image=d3", "mix": "mix?image=d3", "pixmix": "mix?spec=pixmix-k4-b3&epoch=2", "train": "train", "data": "data"} {
		file, err := s.Export(t.Context(), hash)
		if err != nil {
			t.Log(err) // without runs there are no trainings
			continue
		}
		path := filepath.Join(t.TempDir(), "file.html")
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
		b.file(path, 0)
		b.wide(func(width int64, scheme string) { b.shot(fmt.Sprintf("file-%s-%d-%s", name, width, scheme)) })
	}
	s, err = studio.New(studio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b = visit(t, static(t, s), 1400, 900, "")
	for name, state := range map[string]string{"corrupt": "", "mix": "screen=mix"} {
		b.wide(func(width int64, scheme string) {
			eval[bool](b, fmt.Sprintf(`location.hash = %q; true`, state))
			b.settle()
			b.shot(fmt.Sprintf("static-%s-%d-%s", name, width, scheme))
		})
	}
	b.clean()
}
