package eval

import (
	"fmt"
	"io"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// cifar10 reads sheets of the real CIFAR-10, 1,000 images a sheet, and skips the test where there are none.
func cifar10(t testing.TB, batch string, sheets int) *memory {
	t.Helper()
	golden.NeedBeside(t, "cifar10")
	images, labels, err := golden.CIFAR10(batch, sheets)
	if err != nil {
		t.Fatal(err)
	}
	set := &memory{format: "cifar10", classes: 10}
	for k, m := range images {
		set.samples = append(set.samples, sample{fmt.Sprintf("test/%05d", k), int(labels[k]), m})
	}
	return set
}

// sample is an image of a memory.
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
