package browsertest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/augmix-go/augmix/studio"
)

// chromium finds the browser: what AUGMIX_CHROMIUM names, or the usual names in the path.
func chromium(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("AUGMIX_CHROMIUM"); p != "" {
		return p
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	t.Skip("no Chromium (AUGMIX_CHROMIUM names one)")
	return ""
}

// browser is one tab on a server, with what went wrong in it.
type browser struct {
	*testing.T
	ctx  context.Context
	base string // address of the page

	mu    sync.Mutex
	wrong []string // console messages, exceptions, and requests elsewhere
}

// open serves o and opens the page at the state, which is the hash of the address.
func open(t *testing.T, o studio.Options, width, height int64, state string) *browser {
	t.Helper()
	path := chromium(t)
	s, err := studio.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Bind(l.Addr())
	serving, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(serving, l) }()

	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(int(width), int(height)), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true))
	allocated, release := chromedp.NewExecAllocator(context.Background(), flags...)
	ctx, quit := chromedp.NewContext(allocated, chromedp.WithErrorf(func(string, ...any) {})) // it does not know every event of a newer browser
	ctx, expire := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(func() {
		expire()
		quit()
		release()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b := &browser{T: t, ctx: ctx, base: s.URL()}
	chromedp.ListenTarget(ctx, b.hear)
	b.run(chromedp.EmulateViewport(width, height), network.Enable(), log.Enable(), chromedp.Navigate(b.base+"#"+state))
	b.settle()
	return b
}

// hear notes what a page must not do.
func (b *browser) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		said := []string{"console." + e.Type.String()}
		for _, a := range e.Args {
			said = append(said, string(a.Value)+a.Description)
		}
		b.wrong = append(b.wrong, strings.Join(said, " "))
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		b.wrong = append(b.wrong, fmt.Sprintf("log: %s %s", e.Entry.Text, e.Entry.URL))
	case *network.EventRequestWillBeSent:
		u := e.Request.URL
		if !strings.HasPrefix(u, b.base) && !strings.HasPrefix(u, "blob:http://127.0.0.1:") && !strings.HasPrefix(u, "data:") {
			b.wrong = append(b.wrong, "request elsewhere: "+u)
		}
	}
}

// clean fails the test where the page did what it must not.
func (b *browser) clean() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.Error(w)
	}
	b.wrong = nil
}

func (b *browser) run(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// eval returns what an expression is, which may be a promise.
func eval[V any](b *browser, expression string) (v V) {
	b.Helper()
	b.run(chromedp.Evaluate(expression, &v, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	return v
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.Helper()
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if eval[bool](b, "!!("+expression+")") {
			return
		}
	}
	b.Fatalf("never true: %s", expression)
}

// settle waits until all images that can be seen have come.
func (b *browser) settle() {
	b.Helper()
	b.until(`document.querySelector("[role=tab][aria-selected=true]") && document.querySelectorAll("[aria-busy]").length === 0`)
	time.Sleep(50 * time.Millisecond)
	b.until(`[...document.images].every((i) => i.dataset.problem || !i.getAttribute("src") || i.complete)`)
}

// change makes a control have a value as a user does.
func (b *browser) change(id, value string) {
	b.Helper()
	eval[bool](b, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q;
		e.dispatchEvent(new Event("input", {bubbles: true})); e.dispatchEvent(new Event("change", {bubbles: true})); return true })()`, id, value))
}

// shot writes a screenshot where AUGMIX_SHOTS names a folder.
func (b *browser) shot(name string) {
	b.Helper()
	dir := os.Getenv("AUGMIX_SHOTS")
	if dir == "" {
		return
	}
	var png []byte
	b.run(chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(dir+"/"+name+".png", png, 0o644); err != nil {
		b.Fatal(err)
	}
}
