package train

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/rng"
)

// images is a data set in memory, of small images whose class shows in color and stripes under noise.
type images struct {
	n, side, classes, next int
	unlabeled              int // sample without a label; -1: none
}

func newImages(n, side, classes int) *images {
	return &images{n: n, side: side, classes: classes, unlabeled: -1}
}

func (p *images) Info() data.Info {
	i := data.Info{Format: "stripes", Len: p.n}
	for c := range p.classes {
		i.Classes = append(i.Classes, fmt.Sprint("class", c))
	}
	return i
}

func (p *images) Len() int { return p.n }

func (p *images) Read(i int, s *data.Sample) error {
	class := i % p.classes
	s.Key, s.Index, s.Label, s.Name = fmt.Sprintf("s/%05d", i), i, class, fmt.Sprintf("stripes[%d]", i)
	if i == p.unlabeled {
		s.Label = data.NoLabel
	}
	s.Form, s.W, s.H = data.RGB, p.side, p.side
	r := rng.NewKey(uint64(i)).Str("images").Rand()
	s.Data = s.Data[:0]
	for y := range p.side {
		for x := range p.side {
			t := x
			if class%2 == 1 {
				t = y
			}
			on := 60 * ((t/(1+class/2) + i) % 2)
			for c := range 3 {
				s.Data = append(s.Data, uint8(40+on+class*12*c+r.IntN(50)))
			}
		}
	}
	return nil
}

func (p *images) Next(s *data.Sample) error {
	if p.next >= p.n {
		return io.EOF
	}
	p.next++
	return p.Read(p.next-1, s)
}

func (p *images) Close() error { return nil }

// stream is a source that is not indexed.
type stream struct{ data.Source }

// failing is a source whose sample bad cannot be read.
type failing struct {
	*images
	bad int
}

func (f failing) Read(i int, s *data.Sample) error {
	if i == f.bad {
		return &data.SampleError{Name: "stripes", Key: "bad", Err: data.ErrFormat}
	}
	return f.images.Read(i, s)
}

// small is a configuration that trains in a fraction of a second.
func small() Config {
	r := Default()
	r.Data, r.Model, r.Epochs, r.Batch, r.Crop, r.Flip = "stripes", "wrn-10-1", 3, 16, "pad2:8", true
	r.Workers, r.Seed = 2, 1
	return r
}

func (f failing) Next(s *data.Sample) error {
	if f.next >= f.n {
		return io.EOF
	}
	f.next++
	return f.Read(f.next-1, s)
}

func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(content)
	}
	return out
}
