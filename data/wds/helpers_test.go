package wds

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/internal/imagefile"
)

// file is an entry of a test shard.
type file struct {
	name, content string
}

// writeTar makes a shard of plain files.
func writeTar(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o600, Typeflag: tar.TypeReg}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compress(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// folder writes files into a fresh folder.
func folder(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// summary is a sample in a form that is easy to compare: key, label and bytes.
func summary(s *data.Sample) string { return fmt.Sprintf("%s %d %s", s.Key, s.Label, s.Data) }

// isErr reports whether an error has the sentinel and the texts.
func isErr(err, is error, texts ...string) bool {
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			return false
		}
	}
	return errors.Is(err, is)
}

// readAll reads a source to its end or to an error of the whole source; errors of single samples become lines.
func readAll(src data.Source) (lines []string, err error) {
	var s data.Sample
	for {
		err := src.Next(&s)
		if err == io.EOF {
			return lines, nil
		}
		if one, ok := err.(*data.SampleError); ok {
			lines = append(lines, "error "+one.Key)
			continue
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, summary(&s))
	}
}

// mustRead opens a data set and reads it.
func mustRead(t testing.TB, path string, o Options) (data.Info, []string) {
	t.Helper()
	src, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	lines, err := readAll(src)
	if err != nil {
		t.Fatal(err)
	}
	return src.Info(), lines
}

// encode returns a sample's image as a file.
func encode(t testing.TB, k datatest.Known) string {
	t.Helper()
	b, err := imagefile.EncodePNG(nil, k.Image, imagefile.LevelFast)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// headersOf returns the headers of the entries of a shard.
func headersOf(t testing.TB, path string) (headers []*tar.Header) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			return headers
		}
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
}
