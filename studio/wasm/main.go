//go:build js && wasm

// The module of augmix studio --static: the studio's handlers, called by a page's worker instead of by a network.
package main

import (
	"bytes"
	"net/http"
	"os"
	"syscall/js"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/studio"
)

// main opens the data set that is its first argument and answers until the worker ends: answer(method, address, body, done) calls
// done(status, type, body).
func main() {
	s, err := studio.New(studio.Options{Data: os.Args[1], Input: formats.Options{Split: os.Args[2]}})
	if err != nil {
		panic(err) // --static has opened it
	}
	handler := s.Local()
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		body := make([]byte, args[2].Get("length").Int())
		js.CopyBytesToGo(body, args[2])
		go answer(handler, args[0].String(), args[1].String(), body, args[3])
		return nil
	}))
	js.Global().Call("postMessage", "ready")
	select {}
}

func answer(handler http.Handler, method, address string, body []byte, done js.Value) {
	w := recorder{header: http.Header{}, status: http.StatusOK}
	r, err := http.NewRequest(method, "/"+address, bytes.NewReader(body))
	if err != nil {
		http.Error(&w, err.Error(), http.StatusBadRequest)
	} else {
		handler.ServeHTTP(&w, r)
	}
	out := js.Global().Get("Uint8Array").New(w.body.Len())
	js.CopyBytesToJS(out, w.body.Bytes())
	done.Invoke(w.status, w.header.Get("Content-Type"), out)
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
