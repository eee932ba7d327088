package transform

import (
	"fmt"
	"runtime"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// unknownBytes is what is reckoned for a pixel with a corruption that does not say what it takes.
const unknownBytes = 64

// Of a large image the memory of one corruption is let go before the next is at work, so that no more than the largest is held. The
// collector is called where that is much: it would wait until there is twice as much.
const (
	largeWork   = 64 << 20
	collectWork = 256 << 20
)

var _ Weigher = (*corruptor)(nil)

// Memory implements [Weigher].
func (t *corruptor) Memory(w, h int) int64 {
	var prepared int64
	if pw, ph := t.prepare.pipeline.OutputSize(w, h); pw != w || ph != h {
		prepared = 4 * int64(pw) * int64(h+ph) // resized in width, then in height
		w, h = pw, ph
	}
	return prepared + t.work(w, h)
}

// work is Memory without the preparation.
func (t *corruptor) work(w, h int) (most int64) {
	for _, c := range t.list {
		most = max(most, workOf(c.Corruption, w, h))
	}
	return most
}

// workOf returns how many bytes one corruption takes.
func workOf(c corrupt.Corruption, w, h int) int64 {
	if c, ok := c.(Weigher); ok {
		return c.Memory(w, h)
	}
	return unknownBytes * int64(w) * int64(h)
}

// mostWork is the memory that a corruption takes at most where nobody weighs images: fog of an image of 100,000 by 1 pixels has a map of
// 2^34 points.
const mostWork = 6 << 30

// CheckMemory returns an error that wraps [data.ErrUnsupported] where t, a corruption or a transform, is a [Weigher] that takes more than
// 6 GiB for an image, for callers that do not weigh images beforehand.
func CheckMemory(t any, w, h int) error {
	if t, ok := t.(Weigher); ok && t.Memory(w, h) > mostWork {
		return fmt.Errorf("%w: the corruption of an image of %dx%d pixels takes %d MiB (allowed: up to %d)", data.ErrUnsupported, w, h,
			t.Memory(w, h)>>20, mostWork>>20)
	}
	return nil
}

// letGo gives the memory of the corruptions back where they took much.
func (t *corruptor) letGo(bytes int64) {
	if bytes <= largeWork {
		return
	}
	t.scratch, t.dst = corrupt.Scratch{}, raster.Image{}
	if bytes > collectWork {
		runtime.GC()
	}
}
