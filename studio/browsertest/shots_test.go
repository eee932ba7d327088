package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/augmix-go/augmix/studio"
)

// TestShots takes screenshots of every screen for people to look at, where AUGMIX_SHOTS names a folder for them.
func TestShots(t *testing.T) {
	if os.Getenv("AUGMIX_SHOTS") == "" {
		t.Skip("AUGMIX_SHOTS names no folder for screenshots")
	}
	o := studio.Options{Data: os.Getenv("AUGMIX_SHOTS_DATA"), Model: os.Getenv("AUGMIX_SHOTS_MODEL")}
	if runs := os.Getenv("AUGMIX_SHOTS_RUNS"); runs != "" {
		o.Runs = strings.Split(runs, ",")
	}
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
