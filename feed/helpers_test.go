package feed

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// images is a data set in memory: noise, with labels i%classes, of which some cannot be read.
type images struct {
	n, side, classes, next int
	bad                    map[int]bool // cannot be decoded
	unlabeled              int          // sample without a label; -1: none
	odd                    int          // sample of another size; -1: none
}

func newImages(n int) *images { return &images{n: n, side: 10, classes: 3, unlabeled: -1, odd: -1} }

func (p *images) Info() data.Info {
	i := data.Info{Format: "noise", Len: p.n}
	for c := range p.classes {
		i.Classes = append(i.Classes, fmt.Sprint("class", c))
	}
	return i
}

func (p *images) Len() int     { return p.n }
func (p *images) Close() error { return nil }

func (p *images) Read(i int, s *data.Sample) error {
	s.Key, s.Index, s.Label, s.Name = fmt.Sprintf("s/%05d", i), i, i%max(p.classes, 1), fmt.Sprintf("noise[%d]", i)
	if i == p.unlabeled {
		s.Label = data.NoLabel
	}
	s.Form, s.W, s.H = data.RGB, p.side, p.side
	if i == p.odd {
		s.W++
	}
	if p.bad[i] {
		s.Form, s.Data = data.Encoded, append(s.Data[:0], "no image"...)
		return nil
	}
	r := rng.NewKey(uint64(i)).Str("images").Rand()
	s.Data = s.Data[:0]
	for range 3 * s.W * s.H {
		s.Data = append(s.Data, uint8(r.IntN(256)))
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

// once is a source that can only be read from front to end.
type once struct{ data.Source }

// made is a batch with a copy of its slot.
type made struct {
	Batch
	slot []byte
}

// all makes every batch.
func all(t testing.TB, src data.Source, o Options) (*Loader, []made) {
	t.Helper()
	l, err := New(t.Context(), src, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []made
	for {
		slot := make([]byte, l.Layout().Bytes)
		b, err := l.Next(t.Context(), slot)
		if err == io.EOF {
			return l, out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, made{*b, slot})
	}
}

// rows returns a sample's bytes of an array of a batch.
func rows(l *Loader, b *made, name string, i int) []byte {
	all := l.Bytes(name, b.slot, b.N)
	if name != "images" || l.options.Views == 1 {
		return all[i*len(all)/b.N : (i+1)*len(all)/b.N]
	}
	var out []byte
	for v := range l.options.Views {
		one := all[v*len(all)/l.options.Views:][:len(all)/l.options.Views]
		out = append(out, one[i*len(one)/b.N:(i+1)*len(one)/b.N]...)
	}
	return out
}

// sample is all that a feed says of one sample of a batch.
func sample(l *Loader, b *made, i int) string {
	var s bytes.Buffer
	for _, f := range l.Layout().Fields {
		s.Write(rows(l, b, f.Name, i))
	}
	return s.String()
}

func method(t testing.TB, spec string) *mix.Method {
	t.Helper()
	m, err := mix.ParseMethod(spec, mix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func crop(t testing.TB, s string) transform.Crop {
	t.Helper()
	c, err := transform.ParseCrop(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var _ data.Indexed = (*images)(nil)
