package eval

import (
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/webp"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// shared returns a folder beside the golden folder (named by AUGMIX_GOLDEN, or ../shared/golden beside the module), and
// skips the test where there is none.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("AUGMIX_GOLDEN")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "golden")
	}
	dir := filepath.Join(root, "..", name)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is not there", dir)
	}
	return dir
}

// cifar10 reads sheets of the lossless CIFAR-10 pictures: 1,000 pictures a sheet, 25 rows of 40.
func cifar10(t testing.TB, batch string, sheets int) *memory {
	t.Helper()
	dir := shared(t, "cifar10")
	labels, err := os.ReadFile(filepath.Join(dir, batch+".labels"))
	if err != nil {
		t.Fatal(err)
	}
	set := &memory{format: "cifar10", classes: 10}
	for s := range sheets {
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("%s_%d.webp", batch, s)))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := webp.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		sheet := decoded.(*image.NRGBA)
		for i := range 1000 {
			m := raster.New(32, 32)
			if err := m.FromStd(sheet.SubImage(image.Rect(i%40*32, i/40*32, i%40*32+32, i/40*32+32))); err != nil {
				t.Fatal(err)
			}
			k := s*1000 + i
			set.samples = append(set.samples, sample{fmt.Sprintf("test/%05d", k), int(labels[k]), m})
		}
	}
	return set
}

// sample is a picture of a memory.
type sample struct {
	key   string
	label int
	image *raster.Image
}

// memory is a data set in memory.
type memory struct {
	format  string
	classes int
	samples []sample
	next    int
}

func (m *memory) Info() data.Info {
	i := data.Info{Format: m.format, Len: len(m.samples)}
	for c := range m.classes {
		i.Classes = append(i.Classes, fmt.Sprint("class", c))
	}
	return i
}

func (m *memory) Len() int { return len(m.samples) }

func (m *memory) Read(i int, s *data.Sample) error {
	k := &m.samples[i]
	s.Key, s.Index, s.Label, s.Name, s.Form = k.key, i, k.label, k.key, data.RGB
	s.W, s.H = k.image.W, k.image.H
	s.Data = k.image.AppendRGB(s.Data[:0])
	return nil
}

func (m *memory) Next(s *data.Sample) error {
	if m.next >= len(m.samples) {
		return io.EOF
	}
	m.next++
	return m.Read(m.next-1, s)
}

func (m *memory) Close() error { m.next = 0; return nil }

// again returns the set from its beginning.
func (m *memory) again() (data.Source, error) {
	c := *m
	c.next = 0
	return &c, nil
}
