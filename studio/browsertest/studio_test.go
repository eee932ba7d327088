package browsertest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/studio"
)

const scenes = "scenes:n=12,size=64,seed=1,split=test"

// TestStudio walks through the page as people do.
func TestStudio(t *testing.T) {
	runs := t.TempDir()
	run(t, filepath.Join(runs, "first"), "first", 2, 5, 7)
	run(t, filepath.Join(runs, "second"), "second", 5)
	b := open(t, studio.Options{Data: scenes, Runs: []string{runs}, Model: classifier(t)}, 1400, 900, "")
	b.sub("slider", b.slider)
	b.sub("copy", b.copy)
	b.sub("reload", b.reload)
	b.sub("keyboard", b.keyboard)
	b.sub("mix", b.mix)
	b.sub("break", b.breaking)
	b.sub("runs", b.runs)
	b.sub("train", b.train)
	b.sub("data", b.data)
	b.sub("upload", b.upload)
	b.sub("names and contrast", func() { b.look(screens) })
}

// run writes a run of a training and of a test, in which the model gets the images of wrong wrong under fog, 3.
func run(t *testing.T, dir, model string, wrong ...int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const end = `"n":12,"time":"2026-01-02T03:04:05Z","origin":"measured"}` + "\n"
	text := `{"v":2,"model":"x","dataset":"scenes","epoch":1,"metric":"train_loss","value":2.5,` + end
	for severity := range 6 {
		text += fmt.Sprintf(`{"v":2,"model":%q,"dataset":"scenes-c","corruption":"fog","severity":%d,"metric":"error","value":%g,`+end, model, severity,
			float64(len(wrong))/12)
	}
	if err := os.WriteFile(filepath.Join(dir, "results.jsonl"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := "data: scenes:n=30,size=32,seed=2,split=train\nmodel: wrn-10-1\nepochs: 3\nbatch: 8\ncrop: pad2:32\nmix: augmix\njsd: true\n"
	if err := os.WriteFile(filepath.Join(dir, "args.yaml"), []byte(args), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := records.Create(filepath.Join(dir, records.FileName))
	if err != nil {
		t.Fatal(err)
	}
	s := records.Samples{Classes: 10}
	for i := range 12 {
		rank := uint32(1)
		if slices.Contains(wrong, i) {
			rank = 3
		}
		s.Rank, s.Confidence, s.NLL, s.Brier = append(s.Rank, rank), append(s.Confidence, 0.5), append(s.NLL, 1), append(s.Brier, 0.5)
	}
	err = w.Add(records.Cell{Model: model, Dataset: "scenes-c", Corruption: "fog", Severity: 3}, &s)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
}

// sub is a part of the walk, after which nothing may have gone wrong in the page.
func (b *browser) sub(name string, f func()) {
	b.Helper()
	outer := b.T
	outer.Run(name, func(t *testing.T) {
		b.T = t
		defer func() { b.T = outer }()
		f()
		b.clean()
	})
}

// bytesOf returns what an image shows.
func (b *browser) bytesOf(selector string) []byte {
	b.Helper()
	text := eval[string](b, fmt.Sprintf(`document.querySelector(%q).blob.arrayBuffer().then((a) => btoa(String.fromCharCode(...new Uint8Array(a))))`, selector))
	file, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b.Fatal(err)
	}
	return file
}

// get asks the server as the page does.
func (b *browser) get(path string) []byte {
	b.Helper()
	r, err := http.Get(b.base + path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(r.Body); err != nil || r.StatusCode != http.StatusOK {
		b.Fatalf("%s: %v %s", path, err, out.String())
	}
	return out.Bytes()
}

// A slider that is dragged leaves the images of where it stops, with the bytes of the server, and those are the command's.
func (b *browser) slider() {
	for _, v := range []string{"4", "5", "2", "1", "5", "2"} {
		eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById("severity"); e.value = %s; e.dispatchEvent(new Event("input")); return true })()`, v))
	}
	b.settle()
	for _, name := range []string{"fog", "gaussian_noise", "plasma_noise"} {
		if !bytes.Equal(b.bytesOf(`[data-name=`+name+`] img`), b.get("image/corrupt?image=d0&name="+name+"&severity=2")) {
			b.Errorf("%s shows another image than severity 2", name)
		}
	}
	if n := eval[int](b, `document.querySelectorAll(".card img[src]").length`); n != 34 {
		b.Errorf("%d corruptions are shown, want 34", n)
	}
}

// The copied command makes the bytes of the image that is open.
func (b *browser) copy() {
	b.run(chromedp.Click(`[data-name=fog]`, chromedp.ByQuery))
	b.settle()
	shown := b.bytesOf("#after")
	for field, want := range map[string]string{"command": "augmix corrupt", "go": "package main", "python": "subprocess"} {
		text := b.copied(field, want)
		if field != "command" || os.Getenv("AUGMIX") == "" {
			continue
		}
		dir := b.TempDir()
		args := strings.Fields(text)
		cmd := exec.Command(os.Getenv("AUGMIX"), args[1:]...)
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v %s", text, err, said)
		}
		if made, err := os.ReadFile(filepath.Join(dir, args[len(args)-1])); err != nil || !bytes.Equal(made, shown) {
			b.Errorf("%s makes another image, %v", text, err)
		}
	}
}

// copied clicks one of the open image's buttons and returns what it copies, which holds want.
func (b *browser) copied(field, want string) string {
	b.Helper()
	eval[bool](b, `(() => { document.addEventListener("copy", () => { window.copied = document.activeElement.value }, {once: true});
		navigator.clipboard.writeText = async (text) => { window.copied = text }; return true })()`)
	b.run(chromedp.Click(fmt.Sprintf(`dialog [data-copy=%s]`, field), chromedp.ByQuery))
	b.until(`window.copied`)
	text := eval[string](b, `(() => { const c = window.copied; window.copied = ""; return c })()`)
	if !strings.Contains(text, want) {
		b.Errorf("copied as %s: %s", field, text)
	}
	return text
}

// A page that is loaded again shows what it showed.
func (b *browser) reload() {
	b.change("large-severity", "4")
	b.change("wipe", "25")
	b.settle()
	before, hash := b.bytesOf("#after"), ""
	b.until(`location.hash.includes("wipe=25") && location.hash.includes("severity=4")`)
	hash = eval[string](b, "location.hash")
	b.run(chromedp.Reload())
	b.settle()
	if now := eval[string](b, "location.hash"); now != hash || !strings.Contains(hash, "name=fog") {
		b.Errorf("the address was %s and is %s", hash, now)
	}
	if !eval[bool](b, `document.querySelector("dialog").open && document.getElementById("wipe").value === "25"`) || !bytes.Equal(b.bytesOf("#after"), before) {
		b.Error("another image after loading again")
	}
	eval[bool](b, `document.querySelector("#large-close").click() ?? true`)
	b.until(`!document.querySelector("dialog").open`)
}

// Everything is reached without a pointer.
func (b *browser) keyboard() {
	b.run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	b.run(chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("index").value === "1"`)
	b.run(chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
	b.until(`document.getElementById("index").value === "11"`)
	b.run(chromedp.Focus("#tab-corrupt"), chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.querySelector("[aria-selected=true]").id === "tab-mix"`)
	b.run(chromedp.KeyEvent(kb.ArrowLeft))
	b.until(`document.querySelector("[aria-selected=true]").id === "tab-corrupt"`)
	b.settle()
	b.run(chromedp.Focus("#severity"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	b.until(`document.getElementById("severity").value === "0.25"`)
	b.run(chromedp.Focus(`[data-name=snow]`, chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector("dialog").open`)
	for range 12 { // the focus stays in the dialog, or goes to the browser
		b.run(chromedp.KeyEvent(kb.Tab))
		if !eval[bool](b, `document.querySelector("dialog").contains(document.activeElement) || document.activeElement === document.body`) {
			b.Error("the focus leaves the dialog for what is behind it")
		}
	}
	b.run(chromedp.KeyEvent(kb.Escape))
	b.until(`!document.querySelector("dialog").open && !location.hash.includes("name=")`)
}

// The spec is edited by its text and by its sliders, and both make what the server makes.
func (b *browser) mix() {
	eval[bool](b, `location.hash = "screen=mix&image=d2"; true`)
	b.until(`document.querySelectorAll(".chain").length === 3`)
	b.settle()
	b.change("spec", "augmix-w2-d1-m5")
	b.until(`document.getElementById("spec").value === "augmix-m5-w2-d1" && document.querySelectorAll(".chain").length === 2`)
	b.settle()
	if !bytes.Equal(b.bytesOf(`.anatomy > .tile:last-child img`), b.get("image/mix?image=d2&spec=augmix-m5-w2-d1")) {
		b.Error("the drawing ends in another image than the method's")
	}
	eval[bool](b, `(() => { const e = document.querySelectorAll(".options input[type=range]")[1]; e.value = 4; e.dispatchEvent(new Event("input")); return true })()`)
	b.until(`document.getElementById("spec").value === "augmix-m5-w4-d1" && document.querySelectorAll(".chain").length === 4`)
	b.run(chromedp.Click("#redraw", chromedp.ByQuery))
	b.until(`document.getElementById("epoch").value === "2"`)
	b.change("spec", "augmxi")
	b.until(`document.getElementById("problem").textContent.includes('did you mean "augmix"?')`)
	for _, spec := range eval[[]string](b, `fetch("api/info").then((r) => r.json()).then((i) => i.mixes.map((m) => m.Spec))`) {
		b.change("spec", spec)
		b.until(fmt.Sprintf(`document.getElementById("spec").value === %q && document.getElementById("problem").hidden`, spec))
		b.settle()
		if n := eval[int](b, `document.querySelectorAll(".drawing .note").length`); n > 0 {
			b.Errorf("%s: %d images of the drawing have a problem", spec, n)
		}
	}
	// The only messages that a browser writes are of the answers that say what is wrong with the spec.
	b.mu.Lock()
	defer b.mu.Unlock()
	var other []string
	for _, w := range b.wrong {
		if !strings.Contains(w, "400 (Bad Request)") {
			other = append(other, w)
		}
	}
	b.wrong = other
}

// What the model sees follows the sliders; curves and hits stream in, and a search can be stopped.
func (b *browser) breaking() {
	eval[bool](b, `location.hash = "screen=break&image=d2&under=contrast&severity=0"; true`)
	b.until(`document.querySelectorAll("#classes table").length === 2`)
	b.settle()
	clean := b.bytesOf("#seen")
	b.change("break-severity", "5")
	b.settle()
	if now := b.bytesOf("#seen"); bytes.Equal(now, clean) || !bytes.Equal(now, b.get("image/model?image=d2&name=contrast&severity=5")) {
		b.Error("the image does not follow the slider")
	}
	b.change("eps", "8")
	b.settle()
	if !bytes.Equal(b.bytesOf("#seen"), b.get("image/model?image=d2&name=contrast&severity=5&eps=8")) {
		b.Error("the image does not follow the attack")
	}
	b.run(chromedp.Click("#flips", chromedp.ByQuery))
	b.until(`document.querySelectorAll(".curve").length === 34 && document.getElementById("flips").textContent.startsWith("At which")`)
	b.run(chromedp.Click("#search", chromedp.ByQuery))
	b.until(`document.getElementById("search").textContent.startsWith("Find") && /found/.test(document.querySelector("[aria-label=Search]").textContent)`)
	b.settle()
}

// classifier writes a small network with random weights.
func classifier(t *testing.T) string {
	t.Helper()
	in := graph.Shape{H: 64, W: 64, C: 3}
	g, err := models.Build("wrn-10-1", in, 10)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(g, nn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.NewKey(1))
	var ts []weights.Tensor
	for _, x := range net.Tensors() {
		ts = append(ts, weights.Tensor{Name: x.Name, Shape: x.Shape, Data: x.Data})
	}
	half, path := []float64{0.5, 0.5, 0.5}, filepath.Join(t.TempDir(), "net.safetensors")
	info := weights.Info{Model: "wrn-10-1", Input: in, Classes: 10, Mean: half, Std: half}
	if err := weights.WriteFile(path, ts, info.Metadata()); err != nil {
		t.Fatal(err)
	}
	return path
}

// The report is that of the runs that are chosen, in the page's colors.
func (b *browser) runs() {
	eval[bool](b, `location.hash = "screen=runs"; true`)
	has := func(names ...string) string {
		return fmt.Sprintf(`(() => { const d = document.getElementById("report")?.contentDocument; const t = d?.querySelector("#main") && d.body.textContent;
			return t && %s })()`, strings.Join(names, " && "))
	}
	b.until(has(`t.includes("first")`, `t.includes("second")`))
	eval[bool](b, `document.querySelectorAll("fieldset input")[1].click() ?? true`)
	b.until(has(`t.includes("first")`, `!t.includes("second")`))
	b.run(chromedp.Click("#theme", chromedp.ByQuery), chromedp.Click("#theme", chromedp.ByQuery))
	b.until(`document.documentElement.dataset.theme === "dark" && document.getElementById("report").contentDocument?.documentElement?.dataset.theme === "dark"`)
	b.run(chromedp.Click("#theme", chromedp.ByQuery))

	// A mark of fog, 3 opens the images behind it, by the pointer and by the keyboard, and one of them screen Break it.
	eval[bool](b, `document.querySelectorAll("fieldset input")[1].click() ?? true`)
	const frame = `document.getElementById("report").contentDocument`
	b.until(frame + `?.querySelectorAll("tbody [class~=studio-of]").length > 0`)
	listed := `[...document.querySelectorAll("#lost .card")].map((c) => c.getAttribute("aria-label")).join()`
	eval[bool](b, frame+`.querySelector("svg [data-of='0/first/scenes-c/fog/3']").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	b.until(`document.querySelector("#lost h2").textContent === "fog, severity 3" && document.querySelectorAll("#lost .card").length === 2`)
	first := eval[string](b, listed)
	b.run(chromedp.Click("#lost-close", chromedp.ByQuery))
	b.until(`document.getElementById("lost").hidden`)
	eval[bool](b, `(() => { const m = `+frame+`.querySelector("svg [data-of='0/first/scenes-c/fog/3']"); m.focus();
		m.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
		`+frame+`.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft", bubbles: true, cancelable: true}));
		m.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true})); return m.tabIndex === 0 })()`)
	b.until(`!document.getElementById("lost").hidden && document.querySelectorAll("#lost .card").length === 2`)
	b.settle()
	if again := eval[string](b, listed); again != first || first == "" {
		b.Errorf("by the pointer %s, by the keyboard %s", first, again)
	}
	b.settle()
	b.run(chromedp.Click("#lost .card:nth-child(2)", chromedp.ByQuery))
	b.until(`document.querySelector("[aria-selected=true]").id === "tab-break" && location.hash.includes("image=d7") && location.hash.includes("under=fog") === false`)
	if got := eval[string](b, `document.getElementById("break-severity").value`); got != "3" {
		b.Errorf("opened at severity %s, want 3", got)
	}
	b.settle()
}

func (b *browser) train() {
	eval[bool](b, `location.hash = "screen=train"; true`)
	b.until(`document.querySelectorAll(".trainings tbody tr").length === 2 && document.querySelectorAll(".charts .wide svg").length === 1`)
	tiles := `document.querySelectorAll("[aria-label=Batch] .sample img").length`
	b.until(tiles + ` === 24 && document.querySelector("[aria-label=Batch]").textContent.includes("step 3 of 4")`) // eight samples, clean and twice mixed
	b.change("batch-step", "1")
	b.until(tiles + ` === 24 && document.querySelector("[aria-label=Batch]").textContent.includes("step 1 of 4") && location.hash.includes("step=1.1")`)
	b.settle()
}

func (b *browser) data() {
	eval[bool](b, `location.hash = "screen=data"; true`)
	b.settle()
	if n := eval[int](b, `document.querySelectorAll(".grid .card").length`); n != 12 {
		b.Errorf("%d images, want 12", n)
	}
	b.run(chromedp.Click("#read", chromedp.ByQuery))
	b.until(`document.getElementById("summary").textContent.includes("12 images")`)
	b.run(chromedp.Click(".grid .card:nth-child(4)", chromedp.ByQuery))
	b.until(`document.querySelector("[aria-selected=true]").id === "tab-corrupt" && document.getElementById("index").value === "3"`)
	b.settle()
}

// An image that is dropped is shown, and one that is none is said to be none.
func (b *browser) upload() {
	drop := func(content string) {
		eval[bool](b, fmt.Sprintf(`(() => { const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0)), d = new DataTransfer();
			d.items.add(new File([bytes], "mine.png", {type: "image/png"}));
			document.body.dispatchEvent(new DragEvent("drop", {dataTransfer: d, bubbles: true, cancelable: true})); return true })()`,
			base64.StdEncoding.EncodeToString([]byte(content))))
	}
	drop(string(b.get("image/corrupt?image=d5&name=fog&severity=1")))
	b.until(`document.getElementById("about").textContent.includes("mine (dropped), 64×64")`)
	b.settle()
	b.clean()
	drop("hello")
	b.until(`document.getElementById("problem").textContent.includes("mine.png")`)
	b.mu.Lock()
	b.wrong = nil // the browser's own message of the answer
	b.mu.Unlock()
	eval[bool](b, `location.hash = ""; true`)
	b.settle()
}

// screens are looked at one by one.
var screens = []string{
	"", "name=fog", "screen=mix", "screen=mix&spec=pixmix-k4-b3&epoch=2", "screen=break&under=snow&eps=4", "screen=runs",
	"screen=runs&of=scenes-c/fog/3&lost=0/first&kept=1/second", "screen=train&step=1.2", "screen=data",
}

// look looks at the states of the page, light and dark, wide and narrow.
func (b *browser) look(states []string) {
	b.wide(func(width int64, scheme string) {
		for _, state := range states {
			eval[bool](b, fmt.Sprintf(`location.hash = %q; true`, state))
			b.settle()
			time.Sleep(50 * time.Millisecond)
			b.accessible(width, scheme+" "+state)
		}
	})
}

// wide shows the page light and dark, wide and narrow.
func (b *browser) wide(f func(width int64, scheme string)) {
	for _, width := range []int64{1400, 390} {
		b.run(chromedp.EmulateViewport(width, 900))
		for _, scheme := range []string{"light", "dark"} {
			b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
			f(width, scheme)
		}
	}
}

// accessible looks at the page as it is: each control has a name, text has the contrast of level AA, nothing is wider than the page, and no
// id comes twice.
func (b *browser) accessible(width int64, scheme string) {
	b.Helper()
	script, err := os.ReadFile("accessible.js")
	if err != nil {
		b.Fatal(err)
	}
	for _, wrong := range eval[[]string](b, string(script)) {
		b.Errorf("%d wide, %s: %s", width, scheme, wrong)
	}
}
