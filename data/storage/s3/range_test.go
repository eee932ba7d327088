package s3_test

import (
	"bytes"
	"crypto/md5"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/storage"
)

// careless is a server of one object that does not do what a request says: it sends all of the object whatever range is asked for, or
// the range at an offset from it, where shift is not 0, or an object of another tag.
type careless struct {
	content []byte
	shift   int
	tag     string // of what is sent, "" for that of the content
	half    int32  // so many answers break off after half of their bytes

	gets atomic.Int32
}

func (c *careless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	tag := fmt.Sprintf("%x", md5.Sum(c.content))
	body, status := c.content, http.StatusOK
	if r.Method == http.MethodGet {
		c.gets.Add(1)
		if c.tag != "" {
			tag = c.tag
		}
		var from, to int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil && c.shift != 0 {
			from, to = from+c.shift, to+c.shift
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(body)))
			body, status = body[from:to+1], http.StatusPartialContent
		}
	}
	w.Header().Set("Etag", `"`+tag+`"`)
	w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet && c.gets.Load() <= c.half {
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(body)
}

// openAt opens the object of a careless server.
func openAt(t *testing.T, c *careless) storage.File {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	f, err := newS3(t, config(server.URL)).Open(bucket + "/object")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRangesNotServed: bytes that were not asked for are an error, at once, and never taken for those that were. All of an object can be
// read where the store sends all of it.
func TestRangesNotServed(t *testing.T) {
	t.Parallel()
	content := noise(10_000)
	if got, err := io.ReadAll(openAt(t, &careless{content: content})); err != nil || !bytes.Equal(got, content) {
		t.Errorf("all of it: %d bytes, %v", len(got), err)
	}
	all := make([]byte, len(content))
	if _, err := openAt(t, &careless{content: content}).ReadAt(all, 0); err != nil || !bytes.Equal(all, content) {
		t.Errorf("all of it, at 0: %v", err)
	}
	for what, c := range map[string]struct {
		store *careless
		off   int64
		ask   string
	}{
		"all for a part in the middle": {&careless{content: content}, 5000, `bytes 5000-5099 of 10000, its answer has the Content-Range "none"`},
		"all for the beginning":        {&careless{content: content}, 0, `bytes 0-99 of 10000, its answer has the Content-Range "none"`},
		"another part":                 {&careless{content: content, shift: 7}, 5000, `bytes 5000-5099 of 10000, its answer has the Content-Range "bytes 5007-5106/10000"`},
	} {
		n, err := openAt(t, c.store).ReadAt(make([]byte, 100), c.off)
		if n != 0 || !errors.Is(err, storage.ErrStore) || !strings.Contains(err.Error(), "does not serve ranges of objects: asked for "+c.ask) ||
			!strings.HasPrefix(err.Error(), bucket+"/object: ") || c.store.gets.Load() != 1 {
			t.Errorf("%s: %d bytes by %d requests, %v", what, n, c.store.gets.Load(), err)
		}
	}
	broken := &careless{content: content, half: 1}
	if got, err := io.ReadAll(openAt(t, broken)); !bytes.Equal(got, content[:len(got)]) || len(got) == 0 || !errors.Is(err, storage.ErrStore) ||
		broken.gets.Load() != 2 {
		t.Errorf("broken off: %d bytes by %d requests, %v", len(got), broken.gets.Load(), err)
	}
	other := &careless{content: content, tag: "other"}
	if got, err := io.ReadAll(openAt(t, other)); len(got) != 0 || !errors.Is(err, storage.ErrChanged) || other.gets.Load() != 1 {
		t.Errorf("replaced, the condition not looked at: %d bytes by %d requests, %v", len(got), other.gets.Load(), err)
	}
}
