package imagefile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/raster"
)

// ErrLimit: an image that is larger, or takes more memory to decode, than [SetLimits] allows. It comes with ErrFormat and
// [raster.ErrSize].
var ErrLimit = errors.New("above the limits of decoding")

// Limits bound what the decoding of image files takes in a process. What is already decoded takes four bytes a pixel, and what the
// caller says that it takes to work on it (Options.Work); both are counted where the caller says by a [Hold] how long it needs them.
type Limits struct {
	// MaxPixels is the largest image accepted, at most [raster.MaxPixels].
	MaxPixels int
	// MaxMemory is the number of bytes that all images in decoding and all held ones, with the work on them, may take together, by
	// estimates from their headers that hold whatever else a file says. An image waits until its share is free, and one
	// whose estimate exceeds the whole is refused.
	MaxMemory int64
}

// DefaultLimits are those of a process that sets none: 134 million pixels and 6 GiB. Decoding takes 4 to 25 bytes a pixel, so that
// every format is read up to the limit of pixels. Corruptions take up to 114, so that all of them work on photographs of 50 million
// pixels.
var DefaultLimits = Limits{MaxPixels: raster.MaxPixels / 2, MaxMemory: 6 << 30}

// SetLimits changes the limits of the process. It is for the start of a program: images already in decoding keep their
// share. A limit that is not positive, or above raster.MaxPixels, is an error that wraps ErrLimit, and changes nothing.
func SetLimits(l Limits) error {
	if l.MaxPixels < 1 || l.MaxPixels > raster.MaxPixels {
		return fmt.Errorf("%w: %d pixels (allowed: 1 to %d)", ErrLimit, l.MaxPixels, raster.MaxPixels)
	}
	if l.MaxMemory < 1 {
		return fmt.Errorf("%w: %d bytes of memory (allowed: at least 1)", ErrLimit, l.MaxMemory)
	}
	memory.mu.Lock()
	defer memory.mu.Unlock()
	memory.limits = l
	memory.wake()
	return nil
}

// CurrentLimits returns the limits of the process.
func CurrentLimits() Limits {
	memory.mu.Lock()
	defer memory.mu.Unlock()
	return memory.limits
}

// budget hands out the memory of decoding, in the order of asking, so that a large image is not kept waiting by small
// ones for ever.
//
// Two kinds ask. A claim with a [Hold] gets what neither images in decoding nor held ones take. One without may be for a
// second image that somebody needs who holds a first: it goes before the others, and where nothing is in decoding it is
// granted whatever is held, as nobody would ever give anything back otherwise.
type budget struct {
	mu      sync.Mutex
	limits  Limits
	used    int64    // by images in decoding
	held    int64    // by decoded images
	urgent  []*claim // that wait, without a Hold
	waiting []*claim // with one
}

// claim is one image that waits for its share.
type claim struct {
	bytes   int64
	urgent  bool
	granted chan struct{}
}

// Hold is one goroutine's decoded image, whose memory counts until Release. The zero value holds nothing.
type Hold struct{ bytes int64 }

// keep is up to how many bytes a buffer outlives its image without being counted: 64 MiB, or less where there is little memory, of
// which many workers keep no more than a part together.
func (l Limits) keep() int { return int(min(64<<20, l.MaxMemory/64)) }

// Release says that the image in dst is not needed any more: dst is then unspecified. Memory of more than 64 MiB, or of more than a
// 64th of [Limits.MaxMemory], is let go.
func (h *Hold) Release(dst *raster.Image) {
	if cap(dst.Pix) > memory.release(h) {
		*dst = raster.Image{}
	}
}

var memory = &budget{limits: DefaultLimits}

// check refuses an image that could never be decoded within the limits.
func (l Limits) check(info Info) error {
	if px := info.W * info.H; px > l.MaxPixels {
		return tooLarge(info, l.MaxPixels)
	}
	if most := info.most(info.memory); most > l.MaxMemory {
		return tooMuch(info, most, l.MaxMemory)
	}
	return nil
}

// CheckSize is [raster.CheckSize] with the limit of [SetLimits], which is none above that of package raster: beyond it the error wraps
// ErrLimit as well.
func CheckSize(w, h int) error {
	if most := CurrentLimits().MaxPixels; w > 0 && h > 0 && w > most/h {
		return tooLarge(Info{W: w, H: h}, most)
	}
	return raster.CheckSize(w, h)
}

func tooLarge(info Info, most int) error {
	return fmt.Errorf("%w: %w: %dx%d (allowed: at most %d pixels)", ErrLimit, raster.ErrSize, info.W, info.H, most)
}

func tooMuch(info Info, bytes, allowed int64) error {
	what := "to decode"
	if bytes == info.held {
		what = "to decode and to work on"
	}
	return fmt.Errorf("%w: %w: %dx%d takes %d MiB %s (allowed: at most %d MiB)", ErrLimit, raster.ErrSize,
		info.W, info.H, ceilMiB(bytes), what, allowed>>20)
}

func ceilMiB(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// decode calls f while bytes of the budget are taken for it, and leaves h, where it is not nil, with what dst takes
// afterwards. While it waits for its turn it ends with the cause of ctx.
func (b *budget) decode(ctx context.Context, h *Hold, info Info, bytes int64, dst *raster.Image, f func() error) error {
	if err := b.take(ctx, info, bytes, h == nil); err != nil {
		return err
	}
	left := int64(0)
	defer func() { b.give(bytes, left) }()
	err := f()
	if err == nil && h != nil {
		left = max(int64(cap(dst.Pix)), info.held)
		h.bytes = left
	}
	return err
}

// fits reports whether a claim can be granted.
func (b *budget) fits(bytes int64, urgent bool) bool {
	return b.used+b.held+bytes <= b.limits.MaxMemory || b.used == 0 && (urgent || b.held == 0)
}

// take waits until bytes are free.
func (b *budget) take(ctx context.Context, info Info, bytes int64, urgent bool) error {
	b.mu.Lock()
	if bytes > b.limits.MaxMemory {
		defer b.mu.Unlock()
		return fmt.Errorf("%w: %w", ErrFormat, tooMuch(info, bytes, b.limits.MaxMemory))
	}
	if len(b.urgent) == 0 && (urgent || len(b.waiting) == 0) && b.fits(bytes, urgent) {
		b.used += bytes
		b.mu.Unlock()
		return nil
	}
	c := &claim{bytes, urgent, make(chan struct{})}
	queue := b.queue(urgent)
	*queue = append(*queue, c)
	b.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
		b.withdraw(c)
		return context.Cause(ctx)
	}
}

func (b *budget) queue(urgent bool) *[]*claim {
	if urgent {
		return &b.urgent
	}
	return &b.waiting
}

// withdraw takes a claim back, granted in the meantime or not.
func (b *budget) withdraw(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := b.queue(c.urgent)
	if i := slices.Index(*queue, c); i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	} else {
		b.used -= c.bytes
	}
	b.wake()
}

// give returns bytes of decoding, of which some stay with a decoded image, and lets in who waits.
func (b *budget) give(bytes, left int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	b.held += left
	b.wake()
}

// release returns what h holds, and says how many bytes may be kept for the next image.
func (b *budget) release(h *Hold) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.bytes != 0 {
		b.held -= h.bytes
		h.bytes = 0
		b.wake()
	}
	return b.limits.keep()
}

// wake grants claims while they fit, or while nothing else is in decoding: the limit may have fallen since they were
// checked.
func (b *budget) wake() {
	for _, urgent := range []bool{true, false} {
		queue := b.queue(urgent)
		for len(*queue) > 0 {
			c := (*queue)[0]
			if !b.fits(c.bytes, urgent) {
				return
			}
			*queue = (*queue)[1:]
			b.used += c.bytes
			close(c.granted)
		}
	}
}
