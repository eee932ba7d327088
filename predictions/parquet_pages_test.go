package predictions

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestDeclaredPage: a page whose header declares gigabytes is an error before memory is taken for it. The file is what fuzzing found: one
// of 40 rows, some of whose bytes were changed.
func TestDeclaredPage(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Open("testdata/page.parquet", Options{Predicted: true})
	if err == nil {
		defer r.Close()
		var b Batch
		for err == nil {
			err = r.Next(&b)
		}
	}
	runtime.ReadMemStats(&after)
	if err == io.EOF || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "a page of ") {
		t.Errorf("error %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MB are taken", n>>20)
	}
}
