package generate

import (
	"sync"
	"testing"
	"time"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// firstSlow copies images, and is slow with each the first time, as what makes a table for it then.
type firstSlow struct{ seen map[rng.Key]bool }

func (s firstSlow) Apply(dst []*raster.Image, src *raster.Image, key rng.Key) error {
	if !s.seen[key] {
		s.seen[key] = true
		time.Sleep(50 * time.Millisecond)
	}
	return copying{}.Apply(dst, src, key)
}

// TestEstimateTables: what is made once and used again does not count for each sample. Counted, a thousand samples would be
// planned to take 44 s.
func TestEstimateTables(t *testing.T) {
	task := Images{Transform: func() transform.Transform { return firstSlow{map[rng.Key]bool{}} }}
	layout := Layout{Size: func(n, _ int, bytes int64) (int, int64) { return n, bytes }}
	plan, err := Estimate(t.Context(), Job{Source: &fakeSource{n: 8}, Task: task, Workers: 1}, 1000, layout, nil)
	if err != nil || plan.Tried != 8 || plan.Time > 10*time.Second {
		t.Errorf("%+v, %v", plan, err)
	}
}

// slowSource makes what is read, and takes long the first time.
type slowSource struct{ fakeSource }

func (*slowSource) MakesImages() {}

// TestEstimateSources: the same for tables of a source that makes images.
func TestEstimateSources(t *testing.T) {
	var mu sync.Mutex
	seen := map[int]bool{}
	src := &slowSource{fakeSource{n: 8, onRead: func(i int) {
		mu.Lock()
		defer mu.Unlock()
		if !seen[i] {
			time.Sleep(40 * time.Millisecond)
		}
		seen[i] = true
	}}}
	task := Images{Transform: func() transform.Transform { return copying{} }}
	layout := Layout{Size: func(n, _ int, bytes int64) (int, int64) { return n, bytes }}
	plan, err := Estimate(t.Context(), Job{Source: src, Task: task, Workers: 1}, 1000, layout, nil)
	if err != nil || plan.Tried != 8 || plan.Time > 10*time.Second {
		t.Errorf("%+v, %v", plan, err)
	}
}
