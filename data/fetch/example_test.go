package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/augmix-go/augmix/data/fetch"
)

// Example fetches CIFAR-10 from a mirror that has something else under its name.
func Example() {
	mirror := httptest.NewServer(http.NotFoundHandler())
	defer mirror.Close()
	dir, err := os.MkdirTemp("", "fetch")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	_, err = fetch.Fetch(context.Background(), "cifar-10-binary", dir, fetch.Options{
		Mirror:   mirror.URL,
		Progress: func(done, total int64) { fmt.Printf("\r%d of %d bytes", done, total) },
	})
	fmt.Println(strings.ReplaceAll(err.Error(), mirror.URL, "MIRROR"))
	// Output: download failed: MIRROR/cifar-10-binary.tar.gz answered 404 Not Found, want 200 OK
}
