package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/train"
)

// small is a data set of few small images.
const small = "scenes:n=12,size=32,seed=1,split=test"

// serve returns a server at an address, and what makes a request of it: everything but the path below the token.
func serve(t testing.TB, o Options) (*Server, func(method, path string, body io.Reader, change func(*http.Request)) *httptest.ResponseRecorder) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Bind(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000})
	return s, func(method, path string, body io.Reader, change func(*http.Request)) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, s.URL()+path, body)
		if change != nil {
			change(r)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
}

func TestPage(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	total := 0
	for _, name := range append([]string{""}, pageFiles...) {
		w := do("GET", name, nil, nil)
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%q: %d, %d bytes", name, w.Code, w.Body.Len())
		}
		total += w.Body.Len()
	}
	if total > 200_000 {
		t.Errorf("the page has %d bytes, more than 200 kB", total)
	}
	w := do("GET", "", nil, nil)
	for _, bad := range []string{"<style", "onclick=", "style=", "<script>", "http:", "https:"} {
		if strings.Contains(w.Body.String(), bad) {
			t.Errorf("the page has %s in it", bad)
		}
	}
	for header, want := range map[string]string{
		"Content-Security-Policy": "script-src 'self'; style-src 'self'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store",
	} {
		if got := w.Header().Get(header); !strings.Contains(got, want) || strings.Contains(got, "unsafe") {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
}

// Requests that are refused: of others, for others, elsewhere, too large.
func TestHostile(t *testing.T) {
	s, do := serve(t, Options{Data: small})
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	at := func(p string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = p } }
	for name, test := range map[string]struct {
		method, path string
		change       func(*http.Request)
		want         int
	}{
		"itself":                {"GET", "", nil, 200},
		"localhost":             {"GET", "", host("localhost:4000"), 200},
		"own origin":            {"GET", "", header("Origin", "http://127.0.0.1:4000"), 200},
		"no token":              {"GET", "", at("/"), 403},
		"wrong token":           {"GET", "", at("/" + strings.Repeat("A", len(s.token)) + "/"), 403},
		"part of the token":     {"GET", "", at("/" + s.token[:10] + "/"), 403},
		"token without slash":   {"GET", "", at("/" + s.token), 403},
		"name that leads here":  {"GET", "", host("evil.example:4000"), 403},
		"other port":            {"GET", "", host("127.0.0.1:4001"), 403},
		"other address":         {"GET", "", host("10.0.0.1:4000"), 403},
		"no host":               {"GET", "", host(""), 403},
		"other origin":          {"GET", "api/info", header("Origin", "https://evil.example"), 403},
		"null origin":           {"GET", "api/info", header("Origin", "null"), 403},
		"cross-site":            {"GET", "image/corrupt", header("Sec-Fetch-Site", "cross-site"), 403},
		"same site":             {"GET", "image/corrupt", header("Sec-Fetch-Site", "same-site"), 403},
		"traversal":             {"GET", "", at("/" + s.token + "/../server.go"), 307},
		"traversal in a name":   {"GET", "..%2f..%2fserver.go", nil, 307},
		"file of the package":   {"GET", "server.go", nil, 404},
		"folder":                {"GET", "page/", nil, 404},
		"etc":                   {"GET", "image//etc/passwd", nil, 307},
		"other method":          {"DELETE", "api/info", nil, 405},
		"upload by GET":         {"GET", "api/upload", nil, 405},
		"image beyond":          {"GET", "api/image?image=d12", nil, 404},
		"part beyond":           {"GET", "api/image?image=d1.0", nil, 404},
		"negative image":        {"GET", "api/image?image=d-1", nil, 400},
		"path as image":         {"GET", "api/image?image=/etc/passwd", nil, 400},
		"forgotten upload":      {"GET", "api/image?image=u0123456789abcdef0123456789abcdef", nil, 404},
		"path as mixing set":    {"GET", "image/mix?spec=pixmix&set=/etc", nil, 400},
		"path as corruption":    {"GET", "image/corrupt?name=../fog&severity=1", nil, 400},
		"subset as corruption":  {"GET", "image/corrupt?name=all&severity=1", nil, 400},
		"severity of digits":    {"GET", "image/corrupt?name=fog&severity=1.23456", nil, 400},
		"severity 6":            {"GET", "image/corrupt?name=fog&severity=6", nil, 400},
		"large size":            {"GET", "image/corrupt?size=100000", nil, 400},
		"many operations":       {"GET", "image/mix?spec=augmix-w999999", nil, 400},
		"parameter twice":       {"GET", "image/corrupt?name=fog&name=snow", nil, 400},
		"unknown parameter":     {"GET", "image/corrupt?file=x", nil, 400},
		"run that is not there": {"GET", "report?runs=0", nil, 404},
		"path as run":           {"GET", "report?runs=/etc", nil, 400},
		"chain beyond":          {"GET", "image/mix?spec=augmix&part=chain.9.0", nil, 400},
		"pin beyond":            {"GET", "image/mix?spec=augmix&pins=9:1", nil, 400},
		"path as lost run":      {"GET", "api/lost?lost=../../etc/passwd&kept=0/a&name=fog&severity=3", nil, 400},
		"lost run beyond":       {"GET", "api/lost?lost=0/a&kept=1/b&dataset=..%2F..%2Fetc&name=fog&severity=3", nil, 404},
		"batch of no run":       {"GET", "api/batch?runs=0", nil, 400},
		"set of one's own":      {"GET", "image/mix?spec=pixmix&set=own", nil, 400},
		"model that is not":     {"GET", "api/predict?image=d0", nil, 404},
		"large attack":          {"GET", "image/model?eps=33", nil, 400},
		"long address":          {"GET", "api/image?q=" + strings.Repeat("x", maxQuery), nil, 414},
		"long upload name":      {"POST", "api/upload?name=" + strings.Repeat("x", 300), nil, 400},
	} {
		w := do(test.method, test.path, nil, test.change)
		if w.Code != test.want {
			t.Errorf("%s: %d %.100q, want %d", name, w.Code, w.Body, test.want)
		}
		if strings.Contains(w.Body.String(), "root:") || strings.Contains(w.Body.String(), "package studio") {
			t.Errorf("%s: a file: %.100q", name, w.Body)
		}
		if strings.Contains(w.Body.String(), s.token) && w.Code != 307 {
			t.Errorf("%s: the answer tells the token", name)
		}
	}
}

// zeros is an endless body.
type zeros struct{ read int64 }

func (z *zeros) Read(p []byte) (int, error) {
	z.read += int64(len(p))
	clear(p)
	return len(p), nil
}

func TestHostileUploads(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	// A gigabyte, announced: nothing of it is read. Unannounced: no more than the limit.
	var announced, streamed zeros
	w := do("POST", "api/upload", io.LimitReader(&announced, 1<<30), func(r *http.Request) { r.ContentLength = 1 << 30 })
	if w.Code != http.StatusRequestEntityTooLarge || announced.read > 0 {
		t.Errorf("a gigabyte: %d, %d bytes read", w.Code, announced.read)
	}
	w = do("POST", "api/upload", io.LimitReader(&streamed, 1<<30), func(r *http.Request) { r.ContentLength = -1 })
	if w.Code != http.StatusRequestEntityTooLarge || streamed.read > 2*maxUpload {
		t.Errorf("a gigabyte that is not announced: %d, %d bytes read", w.Code, streamed.read)
	}
	// An image of 60,000 by 60,000 pixels in a few bytes.
	bomb := encode(t, 8, 8)
	copy(bomb[16:], []byte{0, 0, 0xea, 0x60, 0, 0, 0xea, 0x60})
	crc := pngCRC(bomb[12:29])
	copy(bomb[29:], crc[:])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w = do("POST", "api/upload", bytes.NewReader(bomb), nil)
	runtime.ReadMemStats(&after)
	if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "60000x60000") {
		t.Errorf("a decompression bomb: %d %s", w.Code, w.Body)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
		t.Errorf("a decompression bomb took %d bytes", allocated)
	}
	for name, body := range map[string]string{"nothing": "", "text": "hello", "svg": "<svg onload=alert(1)>", "cut": string(encode(t, 9, 9)[:60])} {
		if w := do("POST", "api/upload?name=a.png", strings.NewReader(body), nil); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestThin: an image that would be too large once resized is refused before that, cropped afterwards or not.
func TestThin(t *testing.T) {
	_, do := serve(t, Options{Data: small})
	for _, size := range [][2]int{{4000, 1}, {1, 4000}} {
		var info imageInfo
		if err := json.Unmarshal(do("POST", "api/upload?name=thin.png", bytes.NewReader(encode(t, size[0], size[1])), nil).Body.Bytes(), &info); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"&size=224", "&size=224&crop=224"} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := do("GET", "image/corrupt?name=brightness&severity=1&image="+info.ID+query, nil, nil)
			runtime.ReadMemStats(&after)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "thin.png has ") || !strings.Contains(w.Body.String(), "896000") {
				t.Errorf("%v%s: %d %s", size, query, w.Code, w.Body)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
				t.Errorf("%v%s: %d bytes allocated for a refusal", size, query, n)
			}
		}
		if w := do("GET", "image/corrupt?name=brightness&severity=1&crop=32&image="+info.ID, nil, nil); w.Code != http.StatusOK {
			t.Errorf("%v as it is, cropped: %d %s", size, w.Code, w.Body)
		}
	}
}

// TestLargeArray: arrays have the limit of files.
func TestLargeArray(t *testing.T) {
	for _, w := range []int{8192, 8193} {
		err := checkImage(&data.Sample{Form: data.GrayForm, W: w, H: 4096})
		if (w > 8192) != errors.Is(err, data.ErrLimit) {
			t.Errorf("%d: %v", w, err)
		}
	}
}

// What is uploaded is kept within limits, the last first, and shown under the key of a file of its name.
func TestUploads(t *testing.T) {
	s, do := serve(t, Options{Data: small})
	var first imageInfo
	for i := range maxUploads + 1 {
		w := do("POST", "api/upload?name="+url.QueryEscape(fmt.Sprintf("a cat %d.png", i)), bytes.NewReader(encode(t, 20+i, 10)), nil)
		var info imageInfo
		if err := json.Unmarshal(w.Body.Bytes(), &info); err != nil || info.W != 20+i || info.Key != fmt.Sprintf("a cat %d", i) {
			t.Fatalf("upload %d: %s", i, w.Body)
		}
		if i == 0 {
			first = info
		} else if w := do("GET", "image/corrupt?name=brightness&severity=1&image="+info.ID, nil, nil); w.Code != 200 {
			t.Fatalf("upload %d: %s", i, w.Body)
		}
	}
	if w := do("GET", "api/image?image="+first.ID, nil, nil); w.Code != 404 || !strings.Contains(w.Body.String(), "drop it again") {
		t.Errorf("the oldest of too many: %d %s", w.Code, w.Body)
	}
	if n := len(s.uploads.list); n != maxUploads {
		t.Errorf("%d are kept", n)
	}
	for i := range 5 {
		s.uploads.add(fmt.Sprint(i), make([]byte, keepUpload/3))
	}
	if n := len(s.uploads.list); n != 3 {
		t.Errorf("%d large ones are kept", n)
	}
	for given, want := range map[string]string{"x.png": "x.png", "": "pasted.png", "../x": "pasted.png", "-rf": "pasted.png", ".x": "pasted.png", "a\nb": "pasted.png"} {
		if got, err := uploadName(url.Values{"name": {given}}); got != want || err != nil {
			t.Errorf("an upload called %q is %q, %v", given, got, err)
		}
	}
}

func encode(t testing.TB, w, h int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		m.Set(i%w, i/w, color.RGBA{uint8(7 * i), uint8(3 * i), uint8(i), 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngCRC(chunk []byte) (sum [4]byte) {
	c := ^uint32(0)
	for _, b := range chunk {
		c ^= uint32(b)
		for range 8 {
			c = c>>1 ^ 0xedb88320&-(c&1)
		}
	}
	c = ^c
	return [4]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)}
}

func TestHosts(t *testing.T) {
	for _, test := range []struct {
		listens, host string
		want          bool
	}{
		{"127.0.0.1:80", "127.0.0.1", true},
		{"127.0.0.1:80", "localhost", true},
		{"[::1]:9000", "[::1]:9000", true},
		{"[::1]:9000", "LOCALHOST:9000", true},
		{"192.168.1.5:9000", "192.168.1.5:9000", true},
		{"192.168.1.5:9000", "localhost:9000", false},
		{"0.0.0.0:9000", "192.168.1.5:9000", true},
		{"0.0.0.0:9000", "evil.example:9000", false},
		{"[::]:9000", "127.0.0.1:9000", true},
		{"127.0.0.1:9000", "127.0.0.1.evil.example:9000", false},
		{"127.0.0.1:9000", "127.0.0.1", false},
	} {
		addr, err := net.ResolveTCPAddr("tcp", test.listens)
		if err != nil {
			t.Fatal(err)
		}
		if got := hostsOf(addr)(test.host); got != test.want {
			t.Errorf("listening at %s, Host %s: %v", test.listens, test.host, got)
		}
	}
}

// soak sends requests of every screen from several clients that drop every other one, and reports what is left of them.
func soak(t *testing.T, requests int) {
	dir, c := t.TempDir(), train.Default()
	c.Data, c.Model, c.Epochs, c.Batch, c.Crop, c.Mix = "scenes:n=40,size=32,split=train", "wrn-10-1", 4, 8, "pad2:32", "augmix"
	recordRun(t, filepath.Join(dir, "a"), "a", "", 12, 0, 1, 4)
	recordRun(t, filepath.Join(dir, "b"), "b", "", 12, 0, 4)
	trainingRun(t, filepath.Join(dir, "c"), c, 2, time.Now())
	s, err := New(Options{Data: small, Runs: []string{dir}, Model: network(t, 24)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Bind(l.Addr())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 8}}
	paths := []string{
		"image/corrupt?name=fog&severity=3&image=d%d", "image/corrupt?name=frost&severity=5&image=d%d", "image/mix?spec=augmix&epoch=%d",
		"image/mix?spec=pixmix&epoch=%d", "api/mix?spec=randaugment%%2Bmixup&epoch=%d", "api/list?from=%d", "api/data?from=%d",
		"image/corrupt?name=nothing&image=d%d", "image/corrupt?look=spectrum&name=zoom_blur&severity=2&image=d%d",
		"image/model?name=fog&severity=4&eps=8&image=d%d", "api/predict?name=snow&severity=3&image=d%d", "image/occlusion?image=d%d",
		"api/flips?image=d%d", "api/search?name=contrast&severity=3&from=%d", "api/train?seed=%d", "api/batch?runs=2&seed=%d",
		"api/batch?runs=2&epoch=1&step=5&seed=%d", "report?runs=0,1&seed=%d", "api/records?seed=%d",
		"api/lost?lost=0/a&kept=1/b&dataset=scenes-c&name=fog&severity=3&from=%d", "api/copy?name=fog&severity=3&image=d%d", "POST %d",
	}
	file := encode(t, 40, 30)
	send := func(from, to int) {
		for i := from; i < to; i++ {
			ctx, cancel := context.WithCancel(context.Background())
			if (i+i/len(paths))%2 == 0 {
				time.AfterFunc(time.Duration(i%7*(i%7))*time.Millisecond, cancel)
			}
			r, _ := http.NewRequestWithContext(ctx, "GET", s.URL()+fmt.Sprintf(paths[i%len(paths)], i%12), nil)
			if strings.HasPrefix(paths[i%len(paths)], "POST") {
				r, _ = http.NewRequestWithContext(ctx, "POST", s.URL()+fmt.Sprintf("api/upload?name=%d.png", i%40), bytes.NewReader(file))
			}
			if w, err := client.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, w.Body)
				_ = w.Body.Close()
			}
			cancel()
		}
	}
	state := func(most int) (goroutines int, heap uint64) {
		client.CloseIdleConnections()
		for range 300 { // connections end a moment later
			if goroutines = runtime.NumGoroutine(); goroutines <= most {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		s.images.trim()
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return goroutines, m.HeapAlloc
	}
	idle := runtime.NumGoroutine()
	send(0, max(requests/10, 2*len(paths))) // each once to its end: frost's textures, the tables, the pools
	g0, h0 := state(idle)
	parallel := make(chan struct{})
	for k := range 8 {
		go func() { send(k*requests/8, (k+1)*requests/8); parallel <- struct{}{} }()
	}
	for range 8 {
		<-parallel
	}
	g1, h1 := state(g0)
	t.Logf("%d requests: goroutines %d and %d, heap %.1f and %.1f MB", requests, g0, g1, float64(h0)/1e6, float64(h1)/1e6)
	if g1 > g0 {
		t.Errorf("%d goroutines before, %d after", g0, g1)
	}
	if h1 > h0+16<<20 {
		t.Errorf("%d bytes before, %d after", h0, h1)
	}
	for name, g := range map[string]gate{"render": s.gate, "long": s.long, "upload": s.reading, "report": s.writing, "model": s.model.gate} {
		if g.waiting.Load() != 0 || len(g.turns) != 0 {
			t.Errorf("a turn of %s is still taken", name)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Requests that are dropped leave nothing behind. With AUGMIX_SOAK=N there are N of them.
func TestSoak(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("AUGMIX_SOAK"))
	if err != nil {
		n = 44 // two of each
	}
	soak(t, n)
}

func TestStops(t *testing.T) {
	s, err := New(Options{Data: small})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, l) }()
	for s.URL() == "" {
		time.Sleep(time.Millisecond)
	}
	w, err := http.Get(s.URL())
	if err != nil || w.StatusCode != 200 {
		t.Fatal(w, err)
	}
	_ = w.Body.Close()
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * stopTime):
		t.Fatal("it does not stop")
	}
	if _, err := http.Get(s.URL()); err == nil {
		t.Error("it still answers")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A request that is dropped while it waits gives up its place, and too many are refused.
func TestGate(t *testing.T) {
	g := newGate(1)
	if err := g.enter(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	waiting := make(chan error, 1)
	go func() { waiting <- g.enter(ctx) }()
	cancel()
	if err := <-waiting; err != context.Canceled {
		t.Errorf("a dropped request: %v", err)
	}
	g.waiting.Add(maxWaiting)
	if err := g.enter(context.Background()); err != errBusy {
		t.Errorf("one too many: %v", err)
	}
	g.waiting.Add(-maxWaiting)
	g.leave()
	if err := g.enter(context.Background()); err != nil || g.waiting.Load() != 0 {
		t.Error("the gate stays shut", err, g.waiting.Load())
	}
}
