package dataset

import (
	"sync/atomic"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// probes is how many images are decoded to guess the size of all.
const probes = 8

// Open returns the samples of an indexed source without reading them first. A sample is read when it is asked for; where
// all of the decoded images seem to fit in limit bytes, they are kept. src must stay open.
func Open(src data.Indexed, limit int64) *Set {
	d := &Set{info: src.Info(), n: src.Len(), source: src}
	if d.n > 0 && d.guess()*int64(d.n) <= limit {
		d.kept = make([]atomic.Pointer[held], d.n)
		d.left.Store(limit)
	}
	return d
}

// guess returns about how many bytes a decoded image takes, from a few that are spread over the set.
func (d *Set) guess() int64 {
	var sum, count int64
	var s data.Sample
	var m raster.Image
	for k := range min(probes, d.n) {
		if d.source.Read(k*d.n/min(probes, d.n), &s) == nil && s.Decode(&m) == nil {
			sum, count = sum+int64(len(m.Pix)), count+1
		}
	}
	return sum / max(count, 1)
}

// keptAt returns sample i where it is kept.
func (d *Set) keptAt(i int) *held {
	if d.kept == nil {
		return nil
	}
	return d.kept[i].Load()
}

// mayKeep reports whether another sample is to be kept.
func (d *Set) mayKeep() bool { return d.kept != nil && d.left.Load() > 0 }

// keep decodes sample i and keeps it, unless that would be more than the limit.
func (d *Set) keep(i int, s *data.Sample) (*held, error) {
	h := &held{name: s.Name, key: s.Key, label: s.Label, gray: s.KeepsGray()}
	if err := s.Decode(&h.image); err != nil {
		return nil, err
	}
	if d.left.Add(-int64(len(h.image.Pix))) >= 0 {
		d.kept[i].Store(h)
	}
	return h, nil
}

func (h *held) about(seed rng.Key) (*raster.Image, About, error) {
	return &h.image, About{Name: h.name, Key: h.key, Label: h.label, Gray: h.gray, Stream: transform.SampleKey(seed, h.key)}, nil
}
