package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// browser drives a headless Chromium over its debugging pipe.
type browser struct {
	t       *testing.T
	in      io.Writer
	out     chan json.RawMessage
	id      int
	session string
	events  []event
}

type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// chromium finds the browser: what AUGMIX_CHROMIUM names, or the usual names in the path.
func chromium() (path string, asked bool) {
	if p := os.Getenv("AUGMIX_CHROMIUM"); p != "" {
		return p, true
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, false
		}
	}
	return "", false
}

func open(t *testing.T) *browser {
	t.Helper()
	path, asked := chromium()
	if path == "" || testing.Short() || runtime.GOOS == "windows" {
		t.Skip("no Chromium (AUGMIX_CHROMIUM names one), or -short")
	}
	toR, toW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromR, fromW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{toR, fromW} // descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		if asked {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	_, _ = toR.Close(), fromW.Close()
	b := &browser{t: t, in: toW, out: make(chan json.RawMessage, 1000)}
	go func() {
		r := bufio.NewReader(fromR)
		for {
			m, err := r.ReadBytes(0)
			if err != nil {
				close(b.out)
				return
			}
			b.out <- m[:len(m)-1]
		}
	}()
	t.Cleanup(func() {
		_ = toW.Close() // it ends with its pipe
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		_ = fromR.Close()
	})
	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Runtime", "Log", "Network", "Page"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call calls a method and keeps the events that arrive meanwhile.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	m := map[string]any{"id": b.id, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		answer := b.next(method)
		var head struct {
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(answer, &head); err != nil {
			b.t.Fatal(err)
		}
		if head.ID != b.id {
			continue
		}
		if head.Error != nil {
			b.t.Fatalf("%s: %s", method, head.Error)
		}
		if result != nil {
			if err := json.Unmarshal(head.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

func (b *browser) next(what string) json.RawMessage {
	b.t.Helper()
	select {
	case m, ok := <-b.out:
		if !ok {
			b.t.Fatalf("%s: Chromium has ended", what)
		}
		var e event
		if err := json.Unmarshal(m, &e); err == nil && e.Method != "" {
			b.events = append(b.events, e)
		}
		return m
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s: no answer in 60 s", what)
	}
	return nil
}

// load opens a file and waits until it is loaded.
func (b *browser) load(path string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for !slices.ContainsFunc(b.events, func(e event) bool { return e.Method == "Page.loadEventFired" }) {
		b.next("loading")
	}
}

// eval evaluates an expression in the page.
func (b *browser) eval(js string, result any) {
	b.t.Helper()
	var r struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": js, "returnByValue": true, "awaitPromise": true}, &r)
	if r.Exception != nil {
		b.t.Fatalf("%s: %s", js, r.Exception)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			b.t.Fatalf("%s: %v", js, err)
		}
	}
}

// quiet fails for messages on the console and for requests of anything but the page.
func (b *browser) quiet() {
	b.t.Helper()
	requests := 0
	for _, e := range b.events {
		switch e.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
			b.t.Errorf("%s: %s", e.Method, e.Params)
		case "Network.requestWillBeSent":
			var p struct {
				Request struct {
					URL string `json:"url"`
				} `json:"request"`
			}
			if err := json.Unmarshal(e.Params, &p); err != nil {
				b.t.Fatal(err)
			}
			if u := p.Request.URL; !strings.HasPrefix(u, "data:") {
				requests++
				if !strings.HasPrefix(u, "file://") || requests > 1 {
					b.t.Errorf("request of %.200s", u)
				}
			}
		}
	}
	if requests != 1 {
		b.t.Errorf("%d requests, want that of the page", requests)
	}
}

func (b *browser) media(media, scheme string, width int) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{
		"media": media, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false,
	}, nil)
}

func (b *browser) background() string {
	b.t.Helper()
	var s string
	b.eval(`getComputedStyle(document.body).backgroundColor`, &s)
	return s
}

// TestInChromium opens a report in a browser: no message, no request, tables that sort and copy, both colors, paper.
func TestInChromium(t *testing.T) {
	b := open(t)
	rep := build(t, sharedRuns(t)...)
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(html(t, rep)), 0o644); err != nil {
		t.Fatal(err)
	}
	const white, black = "rgb(255, 255, 255)", "rgb(21, 24, 28)"
	b.media("screen", "dark", 1280)
	b.load(path)
	if got := b.background(); got != black {
		t.Errorf("dark background is %s", got)
	}
	b.eval(`document.getElementById("theme").click()`, nil) // light
	if got := b.background(); got != white {
		t.Errorf("light background is %s", got)
	}
	b.eval(`document.getElementById("theme").click(); document.getElementById("theme").click()`, nil) // dark, auto
	b.media("screen", "light", 1280)
	if got := b.background(); got != white {
		t.Errorf("light background is %s", got)
	}
	b.sorting()
	b.copying(rep)
	for _, width := range []int{400, 800, 1280} {
		b.media("screen", "light", width)
		var wide int
		b.eval(`document.documentElement.scrollWidth`, &wide)
		if wide > width {
			var who string
			b.eval(`[].filter.call(document.querySelectorAll("body *"),function(e){return e.getBoundingClientRect().right>innerWidth+1&&!e.closest(".scroll,nav ul,pre")}).slice(0,4).map(function(e){return e.tagName+"."+e.className+" "+e.textContent.slice(0,30)}).join("; ")`, &who)
			t.Errorf("the page is %d pixels wide in a window of %d: %s", wide, width, who)
		}
	}
	b.paper()
	b.quiet()
	if dir := os.Getenv("AUGMIX_SAMPLE"); dir != "" {
		b.shots(dir)
	}
}

// sorting clicks the head of every column of every table twice and looks at the order.
func (b *browser) sorting() {
	b.t.Helper()
	type table struct {
		Kinds  []string     `json:"kinds"`
		Before [][]string   `json:"before"`
		Up     [][][]string `json:"up"`
		Down   [][][]string `json:"down"`
		Aria   []string     `json:"aria"`
	}
	var tables []table
	b.eval(`(function () {
		function rows(t) { return Array.from(t.tBodies[0].rows, r => Array.from(r.cells, c => c.dataset.v)); }
		return Array.from(document.querySelectorAll("table"), function (t) {
			var heads = Array.from(t.tHead.rows[0].cells);
			var out = { kinds: heads.map(h => h.dataset.sort), before: rows(t), up: [], down: [], aria: [] };
			heads.forEach(function (h) {
				h.querySelector("button").click(); out.up.push(rows(t)); out.aria.push(h.getAttribute("aria-sort"));
				h.querySelector("button").click(); out.down.push(rows(t)); out.aria.push(h.getAttribute("aria-sort"));
			});
			return out;
		});
	})()`, &tables)
	columns := 0
	for k, tab := range tables {
		for i, kind := range tab.Kinds {
			columns++
			if !sameRows(tab.Before, tab.Up[i]) || !sameRows(tab.Before, tab.Down[i]) {
				b.t.Errorf("table %d, column %d: sorting changed the rows", k, i)
			}
			if up, down := column(tab.Up[i], i), column(tab.Down[i], i); !sorted(up, kind, 1) || !sorted(down, kind, -1) {
				b.t.Errorf("table %d, column %d: up %q, down %q", k, i, up, down)
			}
			if tab.Aria[2*i] != "ascending" || tab.Aria[2*i+1] != "descending" {
				b.t.Errorf("table %d, column %d: %q", k, i, tab.Aria[2*i:2*i+2])
			}
		}
	}
	if len(tables) < 10 || columns < 60 {
		b.t.Errorf("%d tables, %d columns", len(tables), columns)
	}
}

func column(rows [][]string, i int) (out []string) {
	for _, r := range rows {
		out = append(out, r[i])
	}
	return out
}

func sameRows(a, b [][]string) bool {
	key := func(rows [][]string) []string {
		var out []string
		for _, r := range rows {
			out = append(out, strings.Join(r, "\x00"))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(key(a), key(b))
}

// sorted reports whether values are in order, the missing ones last.
func sorted(values []string, kind string, sign float64) bool {
	for i := 1; i < len(values); i++ {
		a, b := values[i-1], values[i]
		if a == "" && b != "" {
			return false
		}
		if kind != "number" || a == "" || b == "" {
			continue // the order of words is the browser's
		}
		x, err1 := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err1 != nil || err2 != nil || sign*x > sign*y {
			return false
		}
	}
	return true
}

// copying clicks the buttons and compares what would be on the clipboard.
func (b *browser) copying(rep *Report) {
	b.t.Helper()
	var texts [][]string
	b.eval(`(async function () {
		var got = [];
		Object.defineProperty(navigator, "clipboard", {
			configurable: true, value: { writeText: t => { got.push(t); return Promise.resolve(); } }
		});
		var out = [];
		for (var t of document.querySelectorAll(".table")) {
			got = [];
			t.querySelectorAll(".copy button").forEach(x => x.click());
			out.push(got);
		}
		return out;
	})()`, &texts)
	var want [][]string
	rep.tables(func(_ *Section, tab *Table) {
		want = append(want, []string{tab.CSV(), tab.Markdown(), tab.LaTeX(LaTeX{})})
	})
	if len(texts) != len(want) {
		b.t.Fatalf("%d tables, want %d", len(texts), len(want))
	}
	for i := range want {
		if !slices.Equal(texts[i], want[i]) {
			b.t.Errorf("table %d: copied %q, want %q", i, texts[i], want[i])
		}
	}
	var said string
	b.eval(`document.getElementById("said").textContent`, &said)
	if !strings.HasPrefix(said, "Copied as ") {
		b.t.Errorf("said %q", said)
	}
}

// paper looks at the print style and prints.
func (b *browser) paper() {
	b.t.Helper()
	b.media("print", "dark", 695) // A4 less its margins, at 96 pixels an inch
	var at struct {
		Wide   int    `json:"wide"`
		Nav    string `json:"nav"`
		Paper  string `json:"paper"`
		Ink    string `json:"ink"`
		Copies int    `json:"copies"`
	}
	b.eval(`({
		wide: document.documentElement.scrollWidth, nav: getComputedStyle(document.querySelector("nav")).display,
		paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
		copies: Array.from(document.querySelectorAll(".copy")).filter(x => x.offsetParent).length
	})`, &at)
	if at.Wide > 695 || at.Nav != "none" || at.Paper != "rgb(255, 255, 255)" || at.Ink != "rgb(0, 0, 0)" ||
		at.Copies != 0 {
		b.t.Errorf("on paper: %+v", at)
	}
	b.eval(
		`window.opened = 0; window.addEventListener("beforeprint", () => {
			window.opened = document.querySelectorAll("details[open]").length;
		})`,
		nil,
	)
	var pdf struct {
		Data string `json:"data"`
	}
	b.call("Page.printToPDF", map[string]any{"preferCSSPageSize": true}, &pdf)
	file, err := base64.StdEncoding.DecodeString(pdf.Data)
	if err != nil || !strings.HasPrefix(string(file), "%PDF") || len(file) < 50000 {
		b.t.Errorf("%d bytes of PDF, %v", len(file), err)
	}
	var opened, all int
	b.eval(`window.opened`, &opened)
	b.eval(`document.querySelectorAll("details").length`, &all)
	if opened != all || all == 0 {
		b.t.Errorf("%d of %d folded parts were open when printing", opened, all)
	}
	if dir := os.Getenv("AUGMIX_SAMPLE"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "report.pdf"), file, 0o644); err != nil {
			b.t.Error(err)
		}
	}
}

// shots writes images of the page, for looking at.
func (b *browser) shots(dir string) {
	b.t.Helper()
	for _, s := range []struct {
		name, scheme string
		width        int
	}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"narrow", "light", 400}} {
		b.media("screen", s.scheme, s.width)
		var shot struct {
			Data string `json:"data"`
		}
		b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &shot)
		file, err := base64.StdEncoding.DecodeString(shot.Data)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("report-%s.png", s.name)), file, 0o644)
		}
		if err != nil {
			b.t.Error(err)
		}
	}
}
