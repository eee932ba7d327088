package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/storage"
)

// isErr reports whether an error has the sentinel and the texts.
func isErr(err, is error, texts ...string) bool {
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			return false
		}
	}
	return errors.Is(err, is)
}

// member is an entry of a test archive.
type member struct {
	tar.Header
	content []byte
}

func plain(name string, content []byte) member {
	return member{tar.Header{Name: name, Typeflag: tar.TypeReg}, content}
}

// pack makes a .tar.gz. The contents are random, so that its length is about theirs.
func pack(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, m := range members {
		m.Size, m.Mode = int64(len(m.content)), 0o644
		if err := w.WriteHeader(&m.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), gz.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sumOf(b []byte) string {
	s := md5.Sum(b)
	return hex.EncodeToString(s[:])
}

// noise returns n bytes that do not compress.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// records is a test batch of 40 records with labels 0 to 9.
func records() []byte {
	b := noise(40 * 3073)
	for i := range 40 {
		b[i*3073] = byte(i % 10)
	}
	return b
}

// testArchive returns a small archive and what is known of it.
func testArchive(t testing.TB) (archive, []byte) {
	t.Helper()
	recs := records()
	b := pack(t,
		member{Header: tar.Header{Name: "cifar-10-batches-bin/", Typeflag: tar.TypeDir}},
		plain("cifar-10-batches-bin/test_batch.bin", recs),
		plain("cifar-10-batches-bin/batches.meta.txt", []byte(strings.Join(cifar.Classes10(), "\n")+"\n")),
	)
	return archive{
		file: "small.tar.gz", md5: sumOf(b), folder: "cifar-10-batches-bin",
		files: []file{{"test_batch.bin", int64(len(recs)), sumOf(recs)}, {"batches.meta.txt", 0, ""}},
	}, b
}

// server answers on a loopback address and counts requests.
func server(t testing.TB, h http.HandlerFunc) (url string, count *atomic.Int32) {
	t.Helper()
	count = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, count
}

// serveFile serves b with ranges, as a file server does.
func serveFile(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-gzip")
		http.ServeContent(w, r, "small.tar.gz", time.Time{}, bytes.NewReader(b))
	}
}

// quick are options for tests: no long waits.
func quick(url string) Options {
	return Options{Mirror: url, Stall: 5 * time.Second, Retries: 2, Backoff: time.Millisecond}.withDefaults()
}

// checkFetched opens what was fetched and looks for leftovers.
func checkFetched(t *testing.T, dir, folder string) {
	t.Helper()
	src, err := cifar.Open(folder, cifar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if n := src.Info().Len; n != 40 {
		t.Errorf("%d samples, want 40", n)
	}
	for _, name := range ls(t, dir) {
		if strings.HasSuffix(name, storage.TempSuffix) {
			t.Errorf("%s is left", name)
		}
	}
}

func ls(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFetch(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, serveFile(b))
	dir := filepath.Join(t.TempDir(), "new", "folder")
	o := quick(url + "/sub/")
	var last, size int64
	o.Progress = func(done, total int64) {
		if done < last || total != int64(len(b)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last, size = done, total
	}
	folder, err := fetch(t.Context(), a, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if folder != filepath.Join(dir, a.folder) || last != int64(len(b)) || size != last {
		t.Errorf("folder %s, progress ends at %d of %d", folder, last, size)
	}
	checkFetched(t, dir, folder)
	if got := ls(t, dir); !slices.Equal(got, []string{a.folder}) {
		t.Errorf("the folder holds %q", got)
	}
	if _, err := fetch(t.Context(), a, dir, o); err != nil || count.Load() != 1 { // complete: nothing to do
		t.Errorf("second call: error %v, %d requests", err, count.Load())
	}
}

// TestResume takes up what an earlier call left.
func TestResume(t *testing.T) {
	a, b := testArchive(t)
	var ranges []string
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		serveFile(b)(w, r)
	})
	for _, have := range []int{1, len(b) / 2, len(b) - 1, len(b)} {
		ranges = nil
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), b[:have], 0o666); err != nil {
			t.Fatal(err)
		}
		folder, err := fetch(t.Context(), a, dir, quick(url))
		if err != nil {
			t.Fatal(err)
		}
		checkFetched(t, dir, folder)
		if want := fmt.Sprintf("bytes=%d-", have); len(ranges) != 1 || ranges[0] != want {
			t.Errorf("after %d bytes the requests were for %q, want %q", have, ranges, want)
		}
	}
}

// TestResumeOfOtherFile: what lies there is of another file. Its sum is wrong in the end, and the second try is from
// the start.
func TestResumeOfOtherFile(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, serveFile(b))
	for _, left := range [][]byte{noise(1000), noise(len(b) + 5)} {
		count.Store(0)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), left, 0o666); err != nil {
			t.Fatal(err)
		}
		folder, err := fetch(t.Context(), a, dir, quick(url))
		if err != nil {
			t.Fatal(err)
		}
		checkFetched(t, dir, folder)
		if count.Load() != 2 {
			t.Errorf("%d requests, want 2", count.Load())
		}
	}
}

// TestTooLongWithoutRetries: a partial file that is longer than the archive must not stand in the way for ever.
func TestTooLongWithoutRetries(t *testing.T) {
	a, b := testArchive(t)
	url, _ := server(t, serveFile(b))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), noise(len(b)+5), 0o666); err != nil {
		t.Fatal(err)
	}
	o := quick(url)
	o.Retries = -1
	if _, err := fetch(t.Context(), a, dir, o); !errors.Is(err, ErrDownload) {
		t.Errorf("first call: %v", err)
	}
	folder, err := fetch(t.Context(), a, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	checkFetched(t, dir, folder)
}

// TestBrokenOff: the connection breaks twice; every attempt asks for the rest.
func TestBrokenOff(t *testing.T) {
	a, b := testArchive(t)
	third := len(b) / 3
	var ranges []string
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		start := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &start); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", start, len(b)-1, len(b)))
			w.Header().Set("Content-Length", fmt.Sprint(len(b)-start))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		}
		w.Write(b[start:min(start+third, len(b))])
		if start+third < len(b) {
			panic(http.ErrAbortHandler)
		}
	})
	dir := t.TempDir()
	o := quick(url)
	o.Retries = 5
	folder, err := fetch(t.Context(), a, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	checkFetched(t, dir, folder)
	if len(ranges) < 3 || ranges[0] != "" || ranges[1] != fmt.Sprintf("bytes=%d-", third) {
		t.Errorf("requests for %q", ranges)
	}
}

// TestRangeIgnored: a server that answers 200 with the whole file is taken at its word.
func TestRangeIgnored(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(b) })
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), b[:700], 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := fetch(t.Context(), a, dir, quick(url))
	if err != nil || count.Load() != 1 {
		t.Fatalf("error %v, %d requests", err, count.Load())
	}
	checkFetched(t, dir, folder)
}

// TestWrongRange: a server that answers with another range than the one asked for is asked for the whole file.
func TestWrongRange(t *testing.T) {
	a, b := testArchive(t)
	for _, header := range []string{
		fmt.Sprintf("bytes 0-%d/%d", len(b)-1, len(b)), "bytes 800-900/*", "", "chunks 700-800/900", "bytes 700-800/600",
		"bytes x-800/900", "bytes 700-800/x",
	} {
		url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				w.Write(b)
				return
			}
			w.Header().Set("Content-Range", header)
			w.WriteHeader(http.StatusPartialContent)
			w.Write(b)
		})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), b[:700], 0o666); err != nil {
			t.Fatal(err)
		}
		folder, err := fetch(t.Context(), a, dir, quick(url))
		if err != nil {
			t.Fatalf("%q: %v", header, err)
		}
		checkFetched(t, dir, folder)
	}
}

// TestEmptyParts: a server whose answers bring nothing, or less than they say, is left after so many requests, with an error and
// nothing under a final name.
func TestEmptyParts(t *testing.T) {
	a, b := testArchive(t)
	n := len(b)
	for name, c := range map[string]struct {
		total    string
		length   func(have int) int
		body     []byte
		requests int32 // of a call that has 700 bytes
		is       error
		text     string
	}{
		"nothing of no length":       {fmt.Sprint(n), func(int) int { return 0 }, nil, 3, ErrDownload, fmt.Sprintf("broke off after 700 of %d bytes", n)},
		"nothing of the right":       {fmt.Sprint(n), func(have int) int { return n - have }, nil, 3, ErrDownload, fmt.Sprintf("broke off after 700 of %d bytes", n)},
		"a byte at a time":           {fmt.Sprint(n), func(int) int { return 1 }, []byte("x"), 3, ErrDownload, fmt.Sprintf("broke off after 703 of %d bytes", n)},
		"nothing of an unknown size": {"*", func(int) int { return 0 }, nil, 2, ErrContent, "sent 0 bytes"},
	} {
		url, count := server(t, func(w http.ResponseWriter, r *http.Request) {
			have := 0
			_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &have)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%s", have, n-1, c.total))
			w.Header().Set("Content-Length", fmt.Sprint(c.length(have)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(c.body)
		})
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, a.file+storage.TempSuffix), b[:700], 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := fetch(t.Context(), a, dir, quick(url))
		if !isErr(err, c.is, c.text, url) || count.Load() != c.requests {
			t.Errorf("%s: %d requests, %v", name, count.Load(), err)
		}
		for _, file := range ls(t, dir) {
			if file != a.file+storage.TempSuffix {
				t.Errorf("%s: %s is left", name, file)
			}
		}
	}
}

// TestRefused: answers that are not the archive. Each error has its sentinel and names the URL; final ones are met
// once.
func TestRefused(t *testing.T) {
	a, b := testArchive(t)
	other := pack(t, plain("cifar-10-batches-bin/x", noise(100)))
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", code) }
	}
	cases := []struct {
		name     string
		h        http.HandlerFunc
		is       error
		text     string
		requests int32
	}{
		{"404", status(404), ErrDownload, "404 Not Found", 1},
		{"403", status(403), ErrDownload, "403 Forbidden", 1},
		{"500", status(500), ErrDownload, "500", 3},
		{"429", status(429), ErrDownload, "429", 3},
		{"204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, ErrDownload, "204", 1},
		{"web page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!DOCTYPE html><title>Log in</title>")
		}, ErrContent, "web page (text/html)", 1},
		{"web page in disguise", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-gzip")
			fmt.Fprint(w, "<!DOCTYPE html><title>Log in</title>")
		}, ErrContent, `"<!DOCTYPE html>`, 1},
		{
			"another archive", serveFile(other), ErrContent,
			fmt.Sprintf("%d bytes with MD5 sum %s, want %s", len(other), sumOf(other), a.md5), 1,
		},
		{"cut, and says so", serveFile(b[:len(b)-9]), ErrContent, fmt.Sprint(len(b) - 9), 1},
		{"cut without a length", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			w.Write(b[:500])
		}, ErrContent, "500 bytes", 1},
		{"cut short of its length", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			w.Write(b[:10])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, ErrDownload, fmt.Sprintf("of %d bytes", len(b)), 3},
		{"empty", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-gzip")
		}, ErrContent, "0 bytes", 1},
		{"too long", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5000000000")
			w.Write(b[:1000])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, ErrContent, "5000000000 bytes", 1},
		{"redirect loop", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		}, ErrDownload, "more than 5", 6},
		{"redirect without a place", status(302), ErrDownload, "302", 1},
		{"redirect to a file", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		}, ErrDownload, "to file:///etc/passwd", 1},
		{"a part that nobody asked for", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "whatever")
			w.WriteHeader(http.StatusPartialContent)
		}, ErrDownload, "whatever", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			url, count := server(t, c.h)
			dir := t.TempDir()
			_, err := fetch(t.Context(), a, dir, quick(url))
			if !isErr(err, c.is, c.text, url+"/small.tar.gz") {
				t.Errorf("error %v, want %v with %q and the URL", err, c.is, c.text)
			}
			if count.Load() != c.requests {
				t.Errorf("%d requests, want %d", count.Load(), c.requests)
			}
			for _, name := range ls(t, dir) {
				st, err := os.Stat(filepath.Join(dir, name))
				if err != nil || !strings.HasSuffix(name, storage.TempSuffix) || st.Size() == 0 {
					t.Errorf("%s is left (%v)", name, err)
				}
			}
		})
	}
}

// TestRedirect follows a redirect to another server, but not from HTTPS to HTTP.
func TestRedirect(t *testing.T) {
	a, b := testArchive(t)
	target, _ := server(t, serveFile(b))
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target+"/elsewhere", http.StatusMovedPermanently)
	})
	dir := t.TempDir()
	folder, err := fetch(t.Context(), a, dir, quick(url))
	if err != nil {
		t.Fatal(err)
	}
	checkFetched(t, dir, folder)

	secure := httptest.NewTLSServer(http.RedirectHandler(target+"/elsewhere", http.StatusFound))
	defer secure.Close()
	o := quick(secure.URL)
	o.Client = secure.Client()
	if _, err := fetch(t.Context(), a, t.TempDir(), o); !isErr(err, ErrDownload, "from HTTPS to "+target) {
		t.Errorf("from HTTPS to HTTP: %v", err)
	}
	// The client's own limit counts too.
	o = quick(url)
	o.Client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("not here") }}
	if _, err := fetch(t.Context(), a, t.TempDir(), o); !isErr(err, ErrDownload, "not here") {
		t.Errorf("the client's own rule: %v", err)
	}
}

// TestStall: a server that stops sending is given up after the stall time, tried again from there, and given up for
// good.
func TestStall(t *testing.T) {
	a, b := testArchive(t)
	for _, recovers := range []bool{true, false} {
		var calls atomic.Int32
		url, count := server(t, func(w http.ResponseWriter, r *http.Request) {
			if recovers && calls.Add(1) > 1 {
				serveFile(b)(w, r)
				return
			}
			if r.Header.Get("Range") == "" {
				w.Header().Set("Content-Length", fmt.Sprint(len(b)))
				w.Write(b[:1234])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		})
		o := quick(url)
		o.Stall = 100 * time.Millisecond
		dir := t.TempDir()
		folder, err := fetch(t.Context(), a, dir, o)
		if recovers {
			if err != nil || count.Load() != 2 {
				t.Fatalf("error %v, %d requests", err, count.Load())
			}
			checkFetched(t, dir, folder)
			continue
		}
		if !isErr(err, ErrDownload, "sent less than 409 bytes in 100ms") || count.Load() != 3 {
			t.Errorf("error %v, %d requests", err, count.Load())
		}
		if st, err := os.Stat(filepath.Join(dir, a.file+storage.TempSuffix)); err != nil || st.Size() != 1234 {
			t.Errorf("what was downloaded is not kept: %v", err)
		}
	}
}

// TestSlow: a server that is slow but sends all the time is not given up, however long it takes altogether.
func TestSlow(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		for rest := b; len(rest) > 0; {
			n := min(len(rest), len(b)/20+1)
			w.Write(rest[:n])
			w.(http.Flusher).Flush()
			rest = rest[n:]
			time.Sleep(25 * time.Millisecond)
		}
	})
	o := quick(url)
	o.Stall = 250 * time.Millisecond // the whole takes twice that
	dir := t.TempDir()
	folder, err := fetch(t.Context(), a, dir, o)
	if err != nil || count.Load() != 1 {
		t.Fatalf("error %v, %d requests", err, count.Load())
	}
	checkFetched(t, dir, folder)
}

// TestDrip: a server that sends a byte now and then is not waited for, neither for long at a time nor altogether.
func TestDrip(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		for i := 0; r.Context().Err() == nil; i++ {
			w.Write(b[i : i+1])
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	o := quick(url)
	o.Stall, o.Retries = 100*time.Millisecond, 2
	waits := 0
	o.Waiting = func(error, time.Duration) { waits++ }
	if _, err := fetch(t.Context(), a, t.TempDir(), o); !isErr(err, ErrDownload, "less than 409 bytes") {
		t.Errorf("a byte now and then: %v", err)
	}
	if waits != 2 || count.Load() != 3 {
		t.Errorf("%d waits were said of %d requests", waits, count.Load())
	}
	o.Stall, o.Total = time.Minute, 50*time.Millisecond
	if _, err := fetch(t.Context(), a, t.TempDir(), o); !isErr(err, ErrDownload, "not done after 50ms") {
		t.Errorf("longer than all attempts may take: %v", err)
	}
}

// TestEndless: of a server that does not stop sending nothing stays on disk.
func TestEndless(t *testing.T) {
	a, _ := testArchive(t)
	url, count := server(t, func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 1<<20)
		copy(chunk, "\x1f\x8b")
		for r.Context().Err() == nil {
			w.Write(chunk)
		}
	})
	dir := t.TempDir()
	if _, err := fetch(t.Context(), a, dir, quick(url)); !isErr(err, ErrContent, "sends more than") || count.Load() != 1 {
		t.Errorf("%d requests, %v", count.Load(), err)
	}
	if names := ls(t, dir); len(names) != 0 {
		t.Errorf("left: %q", names)
	}
}

func TestCancel(t *testing.T) {
	a, b := testArchive(t)
	ctx, cancel := context.WithCancel(t.Context())
	url, count := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b[:2000])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	if _, err := fetch(ctx, a, t.TempDir(), quick(url)); !errors.Is(err, context.Canceled) || count.Load() != 1 {
		t.Errorf("error %v, %d requests", err, count.Load())
	}
	if _, err := fetch(ctx, a, t.TempDir(), quick(url)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before: %v", err)
	}
}

// TestNobodyThere: no server at the address.
func TestNobodyThere(t *testing.T) {
	a, _ := testArchive(t)
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	if _, err := fetch(t.Context(), a, t.TempDir(), quick(url)); !isErr(err, ErrDownload, url) {
		t.Errorf("error %v", err)
	}
	for _, mirror := range []string{"ftp://127.0.0.1/", "127.0.0.1", "http://", "::"} {
		if _, err := fetch(t.Context(), a, t.TempDir(), quick(mirror)); !isErr(err, ErrDownload, mirror) {
			t.Errorf("mirror %q: error %v", mirror, err)
		}
	}
}

// TestGiven uses an archive that lies in the folder already, and leaves it there.
func TestGiven(t *testing.T) {
	a, b := testArchive(t)
	dir := t.TempDir()
	given := filepath.Join(dir, a.file)
	if err := os.WriteFile(given, b[1:], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), a, dir, quick("http://127.0.0.1:1/")); !isErr(err, ErrContent, given) {
		t.Errorf("damaged archive: %v", err)
	}
	if err := os.WriteFile(given, b, 0o666); err != nil {
		t.Fatal(err)
	}
	folder, err := fetch(t.Context(), a, dir, quick("http://127.0.0.1:1/"))
	if err != nil {
		t.Fatal(err)
	}
	checkFetched(t, dir, folder)
	if got := ls(t, dir); !slices.Equal(got, []string{a.folder, a.file}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestFolderThere: a folder unpacked by hand is taken if its files are right; anything else under the name is left
// alone.
func TestFolderThere(t *testing.T) {
	a, b := testArchive(t)
	url, count := server(t, serveFile(b))
	dir := t.TempDir()
	folder := filepath.Join(dir, a.folder)
	put := func(name string, content []byte) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rejected := func(text string) {
		t.Helper()
		if _, err := fetch(t.Context(), a, dir, quick(url)); !isErr(err, fs.ErrExist, text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
	put("test_batch.bin", records())
	rejected("batches.meta.txt")
	put("batches.meta.txt", []byte("x"))
	if _, err := fetch(t.Context(), a, dir, quick(url)); err != nil {
		t.Error(err)
	}
	wrong := records()
	wrong[100]++
	put("test_batch.bin", wrong)
	rejected(sumOf(wrong))
	put("test_batch.bin", wrong[1:])
	rejected(fmt.Sprintf("%d bytes, want %d", len(wrong)-1, len(wrong)))
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	rejected("no folder")
	if count.Load() != 0 {
		t.Errorf("%d requests", count.Load())
	}
}

// TestDamagedAfterFetch: the record does not hide a file that was cut since.
func TestDamagedAfterFetch(t *testing.T) {
	a, b := testArchive(t)
	url, _ := server(t, serveFile(b))
	dir := t.TempDir()
	folder, err := fetch(t.Context(), a, dir, quick(url))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(folder, "test_batch.bin"), 3073); err != nil {
		t.Fatal(err)
	}
	if _, err := fetch(t.Context(), a, dir, quick(url)); !isErr(err, fs.ErrExist, "test_batch.bin") {
		t.Errorf("error %v", err)
	}
}

// TestHostileArchive: archives with the right sum and the wrong content leave nothing behind, inside the folder or out.
func TestHostileArchive(t *testing.T) {
	good, _ := testArchive(t)
	recs, meta := records(), []byte("a\n")
	in := "cifar-10-batches-bin/"
	complete := []member{plain(in+"test_batch.bin", recs), plain(in+"batches.meta.txt", meta)}
	with := func(m ...member) []byte { return pack(t, append(slices.Clone(complete), m...)...) }
	link := func(kind byte, name, to string) member {
		return member{Header: tar.Header{Name: name, Linkname: to, Typeflag: kind}}
	}
	whole := with()
	var many []member
	for i := range maxFiles {
		many = append(many, plain(fmt.Sprint(in, "f", i), meta))
	}
	for _, c := range []struct {
		name string
		b    []byte
		is   error
		text string
	}{
		{"above", with(plain("../evil", meta)), data.ErrUnsafe, "../evil"},
		{"above inside", with(plain(in+"../../evil", meta)), data.ErrUnsafe, "../../evil"},
		{"absolute", with(plain("/tmp/augmix-fetch-evil", meta)), data.ErrUnsafe, "/tmp/augmix-fetch-evil"},
		{"backslash", with(plain(in+`..\evil`, meta)), data.ErrUnsafe, "evil"},
		{"drive", with(plain(in+"C:evil", meta)), data.ErrUnsafe, "evil"},
		{"other folder", with(plain("evil/x", meta)), data.ErrUnsafe, "evil/x"},
		{"folder's name only", with(plain("cifar-10-batches-binevil", meta)), data.ErrUnsafe, "evil"},
		{"deeper", with(plain(in+"a/evil", meta)), data.ErrUnsafe, "evil"},
		{"symbolic link", with(link(tar.TypeSymlink, in+"evil", "/")), data.ErrUnsafe, "evil"},
		{"hard link", with(link(tar.TypeLink, in+"evil", "/etc/passwd")), data.ErrUnsafe, "evil"},
		{"device", with(link(tar.TypeChar, in+"evil", "")), data.ErrUnsafe, "evil"},
		{"our record", with(plain(in+recordName, meta)), data.ErrUnsafe, recordName},
		{"twice", with(plain(in+"test_batch.bin", recs)), fs.ErrExist, "test_batch.bin"},
		{"many", with(many...), data.ErrFormat, "more than 100 files"},
		{"missing file", pack(t, complete[0]), ErrContent, "batches.meta.txt is missing"},
		{"short", pack(t, plain(in+"test_batch.bin", recs[1:]), complete[1]), ErrContent, fmt.Sprint("want ", len(recs))},
		{"other file", pack(t, plain(in+"test_batch.bin", noise(len(recs))), complete[1]), ErrContent, "MD5"},
		{"empty file", pack(t, complete[0], plain(in+"batches.meta.txt", nil)), ErrContent, "0 bytes"},
		{"cut", whole[:len(whole)/2], data.ErrFormat, "cut off"},
		{"cut check sum", whole[:len(whole)-4], data.ErrFormat, "cut off"},
		{"no gzip", []byte("\x1f\x8bnonsense and more of it"), data.ErrFormat, ""},
		{"no tar", gzipped(t, []byte("nonsense")), data.ErrFormat, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := good
			a.md5 = sumOf(c.b)
			url, _ := server(t, serveFile(c.b))
			outer := t.TempDir()
			dir := filepath.Join(outer, "in")
			_, err := fetch(t.Context(), a, dir, quick(url))
			if !isErr(err, c.is, c.text) {
				t.Errorf("error %v, want %v with %q", err, c.is, c.text)
			}
			if got := append(ls(t, outer), ls(t, dir)...); !slices.Equal(got, []string{"in", a.file + storage.TempSuffix}) {
				t.Errorf("left: %q", got)
			}
			if _, err := os.Stat("/tmp/augmix-fetch-evil"); err == nil {
				t.Error("an absolute name was followed")
			}
		})
	}
}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	if _, err := gz.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestPublished: the exported call knows the four names, asks for the published files, and holds what comes against the
// published sums.
func TestPublished(t *testing.T) {
	_, b := testArchive(t)
	var asked []string
	url, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		serveFile(b)(w, r)
	})
	for _, name := range Names() {
		_, err := Fetch(t.Context(), name, t.TempDir(), Options{Mirror: url, Retries: -1})
		if !isErr(err, ErrContent, archives[name].md5, sumOf(b)) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	want := []string{
		"/cifar-10-binary.tar.gz", "/cifar-10-python.tar.gz", "/cifar-100-binary.tar.gz", "/cifar-100-python.tar.gz",
	}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if _, err := Fetch(t.Context(), "cifar-1000", t.TempDir(), Options{}); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("unknown name: %v", err)
	}
	for name, a := range archives {
		if len(a.md5) != 32 || len(a.files) < 3 || a.file != name+".tar.gz" {
			t.Errorf("%s: %+v", name, a)
		}
		for _, f := range a.files {
			if f.md5 != "" && len(f.md5) != 32 {
				t.Errorf("%s: %s: sum %q", name, f.name, f.md5)
			}
		}
	}
	if o := (Options{}).withDefaults(); o.Mirror != Home || o.Stall != 30*time.Second || o.Retries != 5 {
		t.Errorf("defaults %+v", o)
	}
}

// FuzzExtract: no archive makes the unpacker panic or write outside its folder.
func FuzzExtract(f *testing.F) {
	a, b := testArchive(f)
	in := a.folder + "/"
	f.Add(pack(f, plain(in+"x", []byte("x"))), true)
	f.Add(pack(f, plain("../x", []byte("x"))), true)
	f.Add(b[:len(b)/2], false)
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	if err := w.WriteHeader(&tar.Header{Name: in + "y", Typeflag: tar.TypeReg, Mode: 0o644}); err != nil {
		f.Fatal(err)
	}
	w.Close()
	f.Add(raw.Bytes(), false)
	f.Fuzz(func(t *testing.T, b []byte, compressed bool) {
		if !compressed {
			b = gzipped(t, b)
		}
		outer := t.TempDir()
		dir := filepath.Join(outer, "in")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		files, err := a.extract(context.Background(), root, bytes.NewReader(b))
		if got := ls(t, outer); !slices.Equal(got, []string{"in"}) {
			t.Fatalf("written outside: %q", got)
		}
		if err == nil && len(ls(t, dir)) != len(files) {
			t.Fatalf("%d files, %d reported", len(ls(t, dir)), len(files))
		}
	})
}

// FuzzContentRange: a header is rejected or gives a start within the file.
func FuzzContentRange(f *testing.F) {
	f.Add("bytes 0-9/10")
	f.Add("bytes 5-9/*")
	f.Add("bytes */10")
	f.Fuzz(func(t *testing.T, h string) {
		start, total, err := contentRange(h)
		if err == nil && (start < 0 || total != -1 && total < start) {
			t.Fatalf("%q: %d of %d", h, start, total)
		}
	})
}
