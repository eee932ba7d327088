package mixset

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/internal/procedural"
	"github.com/augmix-go/augmix/raster"
)

// Errors of this package.
var (
	// ErrSpec is wrapped by errors about a spec or an option that is out of range or not known.
	ErrSpec = errors.New("bad spec")
	// ErrEmpty is wrapped by the error of a path without an image.
	ErrEmpty = errors.New("empty set")
	// ErrSmall is wrapped by the error of an image that is smaller than the training images.
	ErrSmall = errors.New("image too small")
)

// Default is the spec of the set that is taken where none is named.
const Default = "fractals"

// DefaultCount is the number of images of a generated set whose spec says none. It is near that of the fractals in the
// published set (14 230).
const DefaultCount = 10000

// MaxCount is the largest number of images of a set.
const MaxCount = 1 << 24

// The training sizes that a set can be opened for.
const (
	MinSize = 8
	MaxSize = 2048
)

// Options are the choices of [Open].
type Options struct {
	// Size is the side of the training images that are mixed with the set: 32, 224, ... Images are stored a little
	// larger, see [Side], so that a random crop can be taken at each use.
	Size int
	// Seed is what generated images depend on, besides kind, number and size.
	Seed uint64
	// Workers is how many images are made at once; 0 means as many as there are cores. The images do not depend on it.
	Workers int
	// Cache is the folder of cache files; [UserCache] is a folder in the user's cache; "" keeps the images in memory.
	Cache string
	// Count is the number of images of a generated set whose spec says none; 0 means DefaultCount.
	Count int
	// Small takes images of your own whose shorter side is less than Size, which stay as they are: to look at, not to mix in.
	Small bool
	// Report, if not nil, is called while images are made in advance, from one goroutine at a time.
	Report func(done, total int)
}

// Side returns the shorter side that the images of a set are stored with: 9/8 of a small training size (32 gives 36),
// 8/7 of one above 64 (224 gives 256), rounded to the nearest; both are what the published programs crop from.
func Side(size int) int {
	if size <= 64 {
		return (9*size + 4) / 8
	}
	return (16*size + 7) / 14
}

// Set is a mixing set. Its methods are safe for concurrent use. It is a mix.MixingSet.
type Set struct {
	spec     string
	side     int
	img      []raster.Image
	once     []sync.Once // of images that are generated when they are first used; nil when all are there
	generate func(dst *raster.Image, i int)
	mem      *mapping // the mapped file that img is in, nil for memory
	parts    []*Set   // of a set of several; it has none of the fields above but spec and side
}

// String returns the spec that the set was opened from, with the number of images of a generated one.
func (s *Set) String() string { return s.spec }

// Len returns the number of images.
func (s *Set) Len() int {
	if s.parts != nil {
		return s.joinedLen()
	}
	return len(s.img)
}

// Generated reports whether all images are drawn here, so that the spec of the set says which they are; otherwise some are the user's.
func (s *Set) Generated() bool {
	if s.parts != nil {
		return !slices.ContainsFunc(s.parts, func(p *Set) bool { return !p.Generated() })
	}
	return s.generate != nil
}

// Image returns image i, from 0 to Len()-1, which must not be changed. Its shorter side is [Side] of the size that
// the set was opened for; an array of images of just that size gives them with a black border of 4 pixels.
func (s *Set) Image(i int) *raster.Image {
	if s.parts != nil {
		return s.joinedImage(i)
	}
	m := &s.img[i]
	if s.once != nil {
		s.once[i].Do(func() { s.generate(m, i) })
	}
	return m
}

// CopyRect fills dst with a part of image i, from 0 to Len()-1, whose upper left corner is at. Where the cache file of the set has
// become shorter meanwhile, the image is made again; reading the pixels of Image(i) would end the program. What the file lacks of a
// page of memory that it still has reads as zeros, which Close reports. CopyRect panics if the image is the user's own and gone.
func (s *Set) CopyRect(dst *raster.Image, i int, at image.Point) {
	if s.parts != nil {
		part, j := s.locate(i)
		part.CopyRect(dst, j, at)
		return
	}
	src, from := s.Image(i), dst.Bounds().Add(at)
	if s.mem == nil || s.mem.read {
		raster.CopyRect(dst, image.Point{}, src, from)
		return
	}
	if again := s.mem.kept(i); again != nil {
		raster.CopyRect(dst, image.Point{}, again, from)
		return
	}
	if err := s.mem.Guard(func() { raster.CopyRect(dst, image.Point{}, src, from) }); err != nil {
		raster.CopyRect(dst, image.Point{}, s.mem.restore(i, err), from)
	}
}

// Close unmaps a cache file; the set and its images must not be used after it. The error names the file if it has become shorter
// meanwhile. A set in memory needs no Close.
func (s *Set) Close() error {
	if s.parts != nil {
		return s.closeParts()
	}
	if s.mem == nil {
		return nil
	}
	m := s.mem
	s.img, s.mem = nil, nil
	return m.close()
}

// Open opens the mixing set of a spec for training images of side o.Size:
//
//	KIND         a generated set of DefaultCount images: fractals, escape, ..., mixed (see [Kinds])
//	KIND-nN      N images of it
//	PATH         your own: a folder with images at any depth, a WebDataset, a NumPy array of images or any other
//	             data set that package data/formats reads; classes are ignored
//	SPEC+SPEC    the images of several of these, each as likely as any other: fractals+fvis.npy
//
// Generated images are made when they are first used and stay in memory. With a cache all are made in advance: the file
// is mapped into memory, so that the next process that opens the same set has it at once and shares its pages. Your own
// images are always read and resized in advance.
//
// Errors wrap [ErrSpec], [ErrEmpty], [ErrSmall], those of package data or file-system errors, and name the file. When
// ctx is canceled while images are made in advance, its cause is returned and no file is left behind.
func Open(ctx context.Context, spec string, o Options) (*Set, error) {
	if o.Size < MinSize || o.Size > MaxSize {
		return nil, fmt.Errorf("%w: size %d (allowed: %d to %d)", ErrSpec, o.Size, MinSize, MaxSize)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if specs := split(spec); len(specs) > 1 {
		return openJoined(ctx, specs, o)
	}
	return openOne(ctx, spec, o)
}

// openOne opens a set that is not several.
func openOne(ctx context.Context, spec string, o Options) (*Set, error) {
	p, err := parse(spec, o.Count)
	if err != nil {
		return nil, err
	}
	if p.path != "" {
		return openOwn(ctx, p, o)
	}
	return openGenerated(ctx, p, o)
}

// Check returns the error that [Open] would return for a spec that is not one: a kind that there is not, a path without a
// file. Nothing is read.
func Check(spec string) error {
	for _, one := range split(spec) {
		if _, err := parse(one, 0); err != nil {
			return err
		}
	}
	return nil
}

// openGenerated makes a set of generated images.
func openGenerated(ctx context.Context, p parsed, o Options) (*Set, error) {
	side := Side(o.Size)
	s := &Set{spec: p.String(), side: side}
	pool := sync.Pool{New: func() any { return new(procedural.Generator) }}
	s.generate = func(dst *raster.Image, i int) {
		g := pool.Get().(*procedural.Generator)
		g.Generate(dst, p.kind, o.Seed, i, side)
		pool.Put(g)
	}
	if o.Cache != "" {
		id := identity{Kind: p.kind.Name, Version: procedural.Version, Seed: o.Seed, Side: side, Count: p.count}
		one := func(dst *raster.Image, i int) error { s.generate(dst, i); return nil }
		prepare := func() (int, maker, error) { return p.count, one, nil }
		if err := s.throughCache(ctx, o, id, prepare, one); err != nil {
			return nil, err
		}
		return s, nil
	}
	s.img, s.once = make([]raster.Image, p.count), make([]sync.Once, p.count)
	return s, nil
}
