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
	s, err := New(Config{Endpoint: server.URL, Keys: credentials.NewStaticV4("a", "b", ""), Wait: time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	tries := func(fault error) (n int) {
		err := s.retry(t.Context(), func(context.Context) error {
			n++
			return fault
		})
		if want := fmt.Sprintf("failed after %d tries in ", n); !errors.Is(err, storage.ErrStore) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		return n
	}
	nobody := []error{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), &net.DNSError{Err: "no such host", Name: "x"}}
	for _, fault := range nobody {
		if n := tries(fault); n != 4 {
			t.Errorf("%v at first: %d tries, want 4", fault, n)
		}
	}
	if n := tries(errors.New("reset")); n != 8 {
		t.Errorf("another fault at first: %d tries, want 8", n)
	}
	if _, err := s.Stat("s3://bucket/key"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, fault := range nobody {
		if n := tries(fault); n != 8 {
			t.Errorf("%v after an answer: %d tries, want 8", fault, n)
		}
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
