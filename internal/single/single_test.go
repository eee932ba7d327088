package single_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/internal/single"
	"github.com/augmix-go/augmix/raster"
)

func suite(target string, tolerance int) datatest.Suite {
	return datatest.Suite{
		W: 24, H: 16, Target: target, Single: true, NoEmpty: true, Indexed: true, Unlabeled: true,
		Tolerance: tolerance,
		Open:      func(path string) (data.Source, error) { return single.Open(path) },
		Create: func(path string, _ []string, state []byte) (data.Sink, error) {
			return single.Create(path, single.SinkOptions{}, state)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Run("png", func(t *testing.T) { suite("set.png", 0).Run(t) })
	t.Run("jpeg", func(t *testing.T) { suite("set.jpeg", 9).Run(t) })
}

func TestStandardStreams(t *testing.T) {
	want := datatest.Samples(1, 9, 7, 0)[0].Image
	var out bytes.Buffer
	sink, err := single.Create(single.Standard, single.SinkOptions{Stdout: &out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Put(&data.Item{Key: "x", Image: want}); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Error("bytes on standard output before Close")
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := single.Read(&out, "standard input")
	if err != nil {
		t.Fatal(err)
	}
	var s data.Sample
	var got raster.Image
	if err := src.Next(&s); err != nil {
		t.Fatal(err)
	}
	if err := s.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if !raster.Equal(&got, want) || s.Key != "stdin" {
		t.Errorf("key %q, or other pixels", s.Key)
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "a.png")
	if err := os.WriteFile(taken, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := single.Create(taken, single.SinkOptions{}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: %v", err)
	}
	if _, err := single.Create(filepath.Join(dir, "a.webp"), single.SinkOptions{}, nil); !errors.Is(err,
		data.ErrUnsupported) {
		t.Errorf("a name that says WebP: %v", err)
	}
	o := single.SinkOptions{Encoding: data.Encoding{Quality: 101}}
	if _, err := single.Create(filepath.Join(dir, "b.jpg"), o, nil); err == nil {
		t.Error("quality 101 is accepted")
	}
	sink, err := single.Create(filepath.Join(dir, "b.png"), single.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	it := data.Item{Key: "x", Image: raster.New(2, 2)}
	if err := sink.Put(&it); err != nil {
		t.Fatal(err)
	}
	if err := sink.Put(&it); !errors.Is(err, data.ErrUnsupported) {
		t.Errorf("a second image: %v", err)
	}
	if _, err := single.Open(filepath.Join(dir, "a.png")); !errors.Is(err, data.ErrFormat) {
		t.Errorf("empty file: %v", err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gray.png")

	sink, err := single.Create(path, single.SinkOptions{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := raster.New(4, 3)
	m.Fill(raster.RGB{R: 128, G: 128, B: 128})
	if err := sink.Put(&data.Item{Key: "gray", Image: m}); err != nil {
		fmt.Println(err)
		return
	}
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}

	src, err := single.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	var s data.Sample
	var got raster.Image
	if err := src.Next(&s); err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Decode(&got); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Key, got.W, got.H, got.At(0, 0))
	// Output: gray 4 3 {128 128 128}
}
