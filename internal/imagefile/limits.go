package imagefile

import (
	"errors"
	"fmt"
	"sync"

	"github.com/augmix-go/augmix/raster"
)

// ErrLimit: an image that is larger, or takes more memory to decode, than [SetLimits] allows. It comes with ErrFormat and
// [raster.ErrSize].
var ErrLimit = errors.New("above the limits of decoding")

// Limits bound what the decoding of image files takes in a process. What is already decoded is not counted: it takes four
// bytes a pixel, in the caller's hands.
type Limits struct {
	// MaxPixels is the largest image accepted, at most [raster.MaxPixels].
	MaxPixels int
	// MaxMemory is the number of bytes that all images in decoding may take together, the decoded pixels included, by
	// estimates from their headers that hold whatever else a file says. An image waits until its share is free, and one
	// whose estimate exceeds the whole is refused.
	MaxMemory int64
}

// DefaultLimits are those of a process that sets none: 134 million pixels and 2 GiB. At 4 to 25 bytes a pixel they take
// every format's photographs of 80 million pixels, and baseline JPEG and PNG files up to the limit of pixels; ImageNet's
// largest images stay far below.
var DefaultLimits = Limits{MaxPixels: raster.MaxPixels / 2, MaxMemory: 2 << 30}

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
type budget struct {
	mu      sync.Mutex
	limits  Limits
	used    int64
	waiting []*claim
}

// claim is one image that waits for its share.
type claim struct {
	bytes   int64
	granted chan struct{}
}

var memory = &budget{limits: DefaultLimits}

// check refuses an image that could never be decoded within the limits.
func (l Limits) check(info Info) error {
	if px := info.W * info.H; px > l.MaxPixels {
		return fmt.Errorf("%w: %w: %dx%d (allowed: at most %d pixels)", ErrLimit, raster.ErrSize, info.W, info.H,
			l.MaxPixels)
	}
	if info.memory > l.MaxMemory {
		return tooMuch(info, info.memory, l.MaxMemory)
	}
	return nil
}

func tooMuch(info Info, bytes, allowed int64) error {
	return fmt.Errorf("%w: %w: %dx%d takes %d MiB to decode (allowed: at most %d MiB)", ErrLimit, raster.ErrSize,
		info.W, info.H, ceilMiB(bytes), allowed>>20)
}

func ceilMiB(n int64) int64 { return (n + 1<<20 - 1) >> 20 }

// with calls f while bytes of the budget are taken for it.
func (b *budget) with(info Info, bytes int64, f func() error) error {
	if err := b.take(info, bytes); err != nil {
		return err
	}
	defer b.give(bytes)
	return f()
}

// take waits until bytes are free.
func (b *budget) take(info Info, bytes int64) error {
	b.mu.Lock()
	if bytes > b.limits.MaxMemory {
		defer b.mu.Unlock()
		return fmt.Errorf("%w: %w", ErrFormat, tooMuch(info, bytes, b.limits.MaxMemory))
	}
	if len(b.waiting) == 0 && b.used+bytes <= b.limits.MaxMemory {
		b.used += bytes
		b.mu.Unlock()
		return nil
	}
	c := &claim{bytes, make(chan struct{})}
	b.waiting = append(b.waiting, c)
	b.mu.Unlock()
	<-c.granted
	return nil
}

// give returns bytes and lets in who waits for them.
func (b *budget) give(bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	b.wake()
}

// wake grants claims while they fit, or while nothing else is in decoding: the limit may have fallen since they were
// checked.
func (b *budget) wake() {
	for len(b.waiting) > 0 {
		c := b.waiting[0]
		if b.used > 0 && b.used+c.bytes > b.limits.MaxMemory {
			return
		}
		b.waiting = b.waiting[1:]
		b.used += c.bytes
		close(c.granted)
	}
}
