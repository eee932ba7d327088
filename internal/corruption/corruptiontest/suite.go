// Package corruptiontest checks what every corruption promises, and measures it. It knows no package of corruptions, so
// that the tests of each can use it.
package corruptiontest

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/internal/corruption"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Corruption is the interface of package corrupt, with its scratch memory S.
type Corruption[S any] interface {
	Name() string
	MinSide() int
	Random() bool // takes random numbers
	Apply(dst, src *raster.Image, severity float64, r *rng.Rand, s *S) error
}

// Image returns a w by h image with smooth slopes, noise, an even area and an edge.
func Image(w, h int) *raster.Image {
	m := raster.New(w, h)
	r := rng.New(7)
	for y := range h {
		for x := range w {
			c := raster.RGB{R: uint8(255 * x / w), G: uint8(255 * y / h), B: uint8(r.IntN(256))}
			switch {
			case x > w/2 && y > h/2:
				c = raster.RGB{R: 200, G: 120, B: 40}
			case x < w/4 && y < h/4:
				c = raster.RGB{R: 255, G: 255, B: 255}
			}
			m.Set(x, y, c)
		}
	}
	return m
}

// Suite checks the corruptions of the list, which may hold one several times with other parameters.
func Suite[S any, C Corruption[S]](t *testing.T, list []C) {
	t.Run("Errors", func(t *testing.T) { each(t, list, checkErrors[S, C]) })
	t.Run("SharedMemoryPanics", func(t *testing.T) { each(t, list, sharedMemoryPanics[S, C]) })
	t.Run("AnySize", func(t *testing.T) {
		s := new(S) // shared, so that it shrinks and grows
		each(t, list, func(t *testing.T, c C) { anySize(t, c, s) })
	})
	t.Run("SameKeySameBytes", func(t *testing.T) { sameKeySameBytes[S](t, list) })
	t.Run("ConcurrentUse", func(t *testing.T) { each(t, list, concurrentUse[S, C]) })
	t.Run("Random", func(t *testing.T) { each(t, list, random[S, C]) })
	t.Run("NoAllocation", func(t *testing.T) {
		if racedetector.Enabled {
			t.Skip("the race detector allocates")
		}
		each(t, list, func(t *testing.T, c C) { noAllocation[S](t, []C{c}) })
		noAllocation[S](t, list)
	})
}

func each[C any](t *testing.T, list []C, f func(t *testing.T, c C)) {
	for _, c := range list {
		f(t, c)
	}
}

func checkErrors[S any, C Corruption[S]](t *testing.T, c C) {
	src, dst, r, s := Image(32, 32), new(raster.Image), rng.New(1), new(S)
	for _, severity := range []float64{-1, 1e-9, 5.001, math.NaN(), math.Inf(1)} {
		if err := c.Apply(dst, src, severity, r, s); !errors.Is(err, corruption.ErrSeverity) {
			t.Errorf("%s, severity %v: %v", c.Name(), severity, err)
		}
	}
	if m := c.MinSide(); m > 1 {
		for _, small := range []*raster.Image{Image(m-1, 32), Image(32, m-1)} {
			if err := c.Apply(dst, small, 1, r, s); !errors.Is(err, corruption.ErrSize) {
				t.Errorf("%s, %dx%d: %v", c.Name(), small.W, small.H, err)
			}
		}
	}
}

func sharedMemoryPanics[S any, C Corruption[S]](t *testing.T, c C) {
	src := Image(32, 32)
	for _, dst := range []*raster.Image{src, {Pix: src.Pix, W: 32, H: 32}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepts dst that shares memory with src", c.Name())
				}
			}()
			_ = c.Apply(dst, src, 1, rng.New(1), new(S))
		}()
	}
}

// anySize: in every shape from the least on and at every severity the result has the size of the image and is opaque,
// and the image is left as it was.
func anySize[S any, C Corruption[S]](t *testing.T, c C, s *S) {
	m := c.MinSide()
	sizes := [][2]int{
		{m, m}, {m, 40}, {37, m}, {33, 31}, {m, 1000}, {1000, m}, {70, 45}, {64, 64}, {300, 20}, {32, 32},
	}
	for _, size := range sizes {
		src := Image(size[0], size[1])
		before := src.Clone()
		for severity := 1.0; severity <= corruption.Severities; severity++ {
			dst := &raster.Image{Pix: []uint8{1, 2, 3}}
			if err := c.Apply(dst, src, severity, rng.New(3), s); err != nil {
				t.Fatalf("%+v, %v, severity %v: %v", c, size, severity, err)
			}
			if dst.W != src.W || dst.H != src.H || !opaque(dst) {
				t.Fatalf("%+v, %v, severity %v: a bad image of %dx%d", c, size, severity, dst.W, dst.H)
			}
		}
		if !bytes.Equal(src.Pix, before.Pix) {
			t.Fatalf("%s changes its source", c.Name())
		}
	}
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return len(m.Pix) == 4*m.W*m.H
}

// sameKeySameBytes: the result is a function of the image, the parameters and the key. Neither what the scratch was used
// for before nor the old contents of dst matter.
func sameKeySameBytes[S any, C Corruption[S]](t *testing.T, list []C) {
	used := new(S)
	rapid.Check(t, func(t *rapid.T) {
		c := list[rapid.IntRange(0, len(list)-1).Draw(t, "corruption")]
		severity := rapid.Float64Range(corruption.LeastSeverity, corruption.Severities).Draw(t, "severity")
		side := rapid.IntRange(c.MinSide(), 60)
		src := Image(side.Draw(t, "w"), side.Draw(t, "h"))
		key := rng.NewKey(rapid.Uint64().Draw(t, "seed")).Str(c.Name())
		run := func(s *S, dst *raster.Image) *raster.Image {
			r := key.Rand()
			if err := c.Apply(dst, src, severity, &r, s); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		a, b := run(new(S), new(raster.Image)), run(used, Image(70, 70))
		if !bytes.Equal(a.Pix, b.Pix) {
			t.Fatalf("%+v, severity %v, %dx%d: two runs differ", c, severity, src.W, src.H)
		}
	})
}

// concurrentUse: one value serves many goroutines; the race detector watches.
func concurrentUse[S any, C Corruption[S]](t *testing.T, c C) {
	src := Image(32, 32)
	var got [4]raster.Image
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			if err := c.Apply(&got[i], src, 3, rng.New(5), new(S)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range got {
		if !raster.Equal(&got[0], &got[i]) {
			t.Errorf("%s: goroutine %d got another image", c.Name(), i)
		}
	}
}

// random: corruptions with chance in them give another image with another key, the others the same.
func random[S any, C Corruption[S]](t *testing.T, c C) {
	src := Image(32, 32)
	var a, b raster.Image
	for i, dst := range []*raster.Image{&a, &b} {
		if err := c.Apply(dst, src, corruption.Severities, rng.New(uint64(1+i)), new(S)); err != nil {
			t.Fatal(err)
		}
	}
	if raster.Equal(&a, &b) == c.Random() {
		t.Errorf("%s: Random() is %v, but equal images with two keys: %v", c.Name(), c.Random(), raster.Equal(&a, &b))
	}
	if raster.Equal(&a, src) {
		t.Errorf("%s leaves the image as it is", c.Name())
	}
}

// noAllocation: in steady state the corruptions, one after the other with one scratch, allocate nothing, whatever they draw.
func noAllocation[S any, C Corruption[S]](t *testing.T, list []C) {
	src, dst, r, s := Image(48, 40), new(raster.Image), rng.New(1), new(S)
	all := func() {
		for _, c := range list {
			for severity := 1.0; severity <= corruption.Severities; severity++ {
				if err := c.Apply(dst, src, severity, r, s); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	all()
	n := 1.0
	for try := 0; try < 5 && n > 0; try++ { // a garbage collection, or what else runs in the process, may allocate once
		n = testing.AllocsPerRun(3, all)
	}
	if n > 0 {
		t.Errorf("%s allocates %v times", names[S](list), n)
	}
}

func names[S any, C Corruption[S]](list []C) string {
	var all []string
	for _, c := range list {
		all = append(all, c.Name())
	}
	return strings.Join(all, ", ")
}

// Benchmark corrupts src at all severities in turn by all of the list; ms/image is the mean over severities.
func Benchmark[S any, C Corruption[S]](b *testing.B, list []C, src *raster.Image) {
	var dst raster.Image
	s, r := new(S), rng.New(1)
	b.ReportAllocs()
	n, begun := 0, processTime()
	for b.Loop() {
		for severity := 1.0; severity <= corruption.Severities; severity++ {
			for _, c := range list {
				if err := c.Apply(&dst, src, severity, r, s); err != nil {
					b.Fatal(err)
				}
			}
			n++
		}
	}
	seconds := (processTime() - begun).Seconds()
	b.ReportMetric(seconds*1000/float64(n), "ms/image")
	b.ReportMetric(float64(n)/seconds, "images/s")
}
