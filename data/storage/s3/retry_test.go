//go:build !js

package s3

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/augmix-go/augmix/data/storage"
)

// Keys that have expired say nothing of the object that was asked for; that it may not be read does.
func TestExplainOfAll(t *testing.T) {
	for _, c := range []struct {
		code   string
		status int
		is     error
		failed bool
	}{
		{"ExpiredToken", 400, fs.ErrPermission, true},
		{"RequestTimeTooSkewed", 403, fs.ErrPermission, true},
		{"NoSuchBucket", 404, fs.ErrNotExist, true},
		{"AccessDenied", 403, fs.ErrPermission, false},
		{"NoSuchKey", 404, fs.ErrNotExist, false},
		{"InternalError", 500, storage.ErrStore, true},
	} {
		err := explain("s3://b/k", minio.ErrorResponse{Code: c.code, StatusCode: c.status}, func() bool { return true })
		if !errors.Is(err, c.is) || storage.Failed(err) != c.failed {
			t.Errorf("%s: %v, the store's: %v", c.code, err, storage.Failed(err))
		}
	}
}

// TestPatience: an address at which nobody has ever been is soon given up, a store that answered before is not, and the message says how
// often it was tried.
func TestPatience(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	var s *Store
	again := func() {
		var err error
		s, err = New(Config{Endpoint: server.URL, Keys: credentials.NewStaticV4("a", "b", ""), Wait: time.Microsecond})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(fault error) (n int) {
		err := s.retry(t.Context(), func(context.Context) error {
			n++
			return fault
		})
		if want := fmt.Sprintf("failed after %s in ", tries(n)); !errors.Is(err, storage.ErrStore) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		return n
	}
	nobody := []error{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), &net.DNSError{Err: "no such host", Name: "x"}}
	for _, fault := range nobody {
		again()
		if n := count(fault); n != 4 {
			t.Errorf("%v at first: %d tries, want 4", fault, n)
		}
		if n := count(fault); n != 1 {
			t.Errorf("%v once more: %d tries, want 1", fault, n)
		}
	}
	again()
	if n := count(errors.New("reset")); n != 8 {
		t.Errorf("another fault at first: %d tries, want 8", n)
	}
	if _, err := s.Stat("s3://bucket/key"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, fault := range nobody {
		if n := count(fault); n != 8 {
			t.Errorf("%v after an answer: %d tries, want 8", fault, n)
		}
	}
}

// silent returns the address of somebody who takes connections and says nothing.
func silent(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "http://" + l.Addr().String() // the kernel takes them
}

// hooks sets those of package storage for a test.
func hooks(t *testing.T, waiting func(error), until context.Context) {
	storage.Waiting, storage.Until = waiting, until
	t.Cleanup(func() { storage.Waiting, storage.Until = nil, nil })
}

// TestSilent: somebody who takes connections and never answers is given up as one who is not there, each try sooner than one that was
// answered, and it is said once.
func TestSilent(t *testing.T) {
	said := []string{}
	hooks(t, func(err error) { said = append(said, err.Error()) }, nil)
	address := silent(t)
	c := Config{Endpoint: address, Keys: credentials.NewStaticV4("a", "b", ""), Wait: time.Microsecond, Stall: 200 * time.Millisecond}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for _, want := range []string{"failed after 4 tries in ", "failed after 1 try in "} {
		_, err := s.Stat("s3://bucket/key")
		if err == nil || !errors.Is(err, storage.ErrStore) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if took := time.Since(begun); took < 5*c.Stall/4 {
		t.Errorf("five tries in %v", took)
	}
	if len(said) != 1 || !strings.HasSuffix(said[0], address+": "+errSilent.Error()) {
		t.Errorf("said %q", said)
	}
}

// TestUntil: who is interrupted while a store has never answered does not wait for it.
func TestUntil(t *testing.T) {
	until, cancel := context.WithCancelCause(t.Context())
	hooks(t, func(error) {}, until)
	s, err := New(Config{Endpoint: silent(t), Keys: credentials.NewStaticV4("a", "b", "")})
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	time.AfterFunc(10*time.Millisecond, func() { cancel(enough) })
	if _, err := s.Stat("s3://bucket/key"); !errors.Is(err, enough) {
		t.Error(err)
	}
	s.answered.Store(true)
	if err := s.retry(t.Context(), func(ctx context.Context) error { return ctx.Err() }); err != nil {
		t.Errorf("of a store that has answered: %v", err)
	}
}

// A store that is refused for want of any keys is told apart from one that does not take those there are.
func TestNoKeys(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer server.Close()
	for want, keys := range map[string]*credentials.Credentials{
		"there are no keys to sign requests with (looked for: AWS_ACCESS_KEY_ID": credentials.NewChainCredentials(nil),
		"these keys may not do that": credentials.NewStaticV4("a", "b", ""),
	} {
		s, err := New(Config{Endpoint: server.URL, Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.ReadDir("s3://bucket/key")
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
