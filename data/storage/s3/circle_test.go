//go:build !js

package s3

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/augmix-go/augmix/data/storage"
)

// TestCircle: a repeated sequence of any length is found, after any beginning, and names without a repetition are let through.
func TestCircle(t *testing.T) {
	for _, beginning := range []int{0, 1, 7, 100} {
		for _, round := range []int{1, 2, 3, 64, 999} {
			var c circle
			n := 0
			for i := 0; n < 10*(beginning+round)+10; n++ {
				if c.comesRound(fmt.Sprint(i)) {
					break
				}
				if i++; i == beginning+round {
					i = beginning
				}
			}
			if n < round || n > 4*(beginning+round) {
				t.Errorf("%d names, then %d in a circle: stopped after %d", beginning, round, n)
			}
		}
	}
	var c circle
	for i := range 10_000 {
		if c.comesRound(fmt.Sprint(i * 7919 % 10_007)) {
			t.Fatalf("name %d of different ones", i)
		}
	}
}

// TestListEnds: a store whose listing never ends, or that is none, is an error at once and not a loop.
func TestListEnds(t *testing.T) {
	const page = `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>same</NextContinuationToken>%s</ListBucketResult>`
	object := func(key string) string {
		return "<Contents><Key>" + key + "</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>"
	}
	for name, c := range map[string]struct{ text, want string }{
		"one object":     {fmt.Sprintf(page, object("in/a")), "comes round"},
		"several":        {fmt.Sprintf(page, object("in/a")+object("in/b")+object("in/c")), "comes round"},
		"no XML":         {`<ListBucketResult><Contents><Key>in/&#27;x</Key></Contents></ListBucketResult>`, "illegal character"},
		"something else": {"hello", "EOF"},
	} {
		requests := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprint(w, c.text)
		}))
		s, err := New(Config{Endpoint: server.URL, Region: "us-east-1", Keys: credentials.NewStaticV4("a", "b", ""), Tries: 2, Wait: time.Microsecond})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = nil
		for _, err = range s.List(t.Context(), "s3://bucket/in") {
			if n++; n > 100 {
				t.Fatalf("%s: goes on", name)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || requests > 20 {
			t.Errorf("%s: %v after %d requests", name, err, requests)
		}
		if c.want == "comes round" && !errors.Is(err, storage.ErrStore) {
			t.Errorf("%s: %v is not the store's", name, err)
		}
		server.Close()
	}
}
