package mix

import (
	"fmt"
	"runtime"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Batch augments many images on several cores. Image i draws from the stream of keys[i], so the result does
// not depend on the number of workers. A Batch keeps its working memory: use one for a whole run. It is not safe for
// concurrent use.
type Batch struct {
	// Workers is the number of goroutines; 0 means as many as there are cores.
	Workers int
	// Gray says of each image of a batch whether what is made of it becomes luma, in three equal channels; nil: of none. All
	// functions look at it.
	Gray      []bool
	scratches []*Scratch

	// Of Train.
	rands       []rng.Rand
	perm        []int
	draws       []PairDraw
	copyPlanes  []float32
	copyTargets []float32
}

// Apply writes the augmented srcs[i] to dsts[i], giving it its size. It panics unless the three slices have one length and the
// parameters of a, where it has a method Check, are in their ranges.
func (b *Batch) Apply(a Augmentation, dsts, srcs []*raster.Image, keys []rng.Key) {
	if len(dsts) != len(srcs) {
		panic(fmt.Sprintf("mix: batch of %d images into %d", len(srcs), len(dsts)))
	}
	b.mustCount(len(srcs), len(keys), 0, 1)
	mustCheck(a)
	b.each(len(srcs), func(i int, s *Scratch) {
		s.rand.Seed(keys[i])
		a.Apply(dsts[i], srcs[i], &s.rand, s)
		if b.gray(i) {
			dsts[i].SetLuma(dsts[i])
		}
	})
}

// ApplyPlanes writes the augmented images, all of one size w by h, to dst as float32 [N, 3, H, W].
func (b *Batch) ApplyPlanes(a Augmentation, dst []float32, srcs []*raster.Image, n *Normalization, keys []rng.Key) {
	b.Views(a, dst, srcs, n, keys, 0, 1)
}

// Views writes several views of each image to dst as float32 [views, N, 3, H, W], the order in which the reference
// concatenates them for the consistency loss of AugMix (section 3: Jensen-Shannon divergence over the clean image and
// two mixtures). The first clean views are the normalized image itself, the others independent draws: view v >= clean
// of image i uses the stream keys[i].Uint(v). With one view it uses keys[i] itself.
//
// With several views, a method that starts with [Standard] crops and flips every view of an image alike, the clean ones
// too, as the reference does: that stage draws from keys[i].Str("standard"). So does a [Style] that comes first or after
// it, from keys[i].Str("style").
//
// It panics if the lengths do not fit each other, the images differ in size, or a parameter of a is out of range, as for [Batch.Apply].
func (b *Batch) Views(
	a Augmentation, dst []float32, srcs []*raster.Image, n *Normalization, keys []rng.Key, clean, views int,
) {
	if len(srcs) == 0 {
		return
	}
	size := b.mustFit(srcs, keys, len(dst), clean, views)
	mustCheck(a)
	stages := stagesOf(a)
	b.each(views*len(srcs), func(j int, s *Scratch) {
		view, i := j/len(srcs), j%len(srcs)
		out := dst[j*size:][:size]
		f := s.begin(srcs[i])
		rest := s.prepare(&f, stages, keys[i], view, views, &s.rand)
		if view < clean {
			rest = nil
		}
		s.viewTo(out, &f, rest, n)
		b.luma(out, i, n)
	})
}

// luma makes a view of image i gray where it is to be.
func (b *Batch) luma(planes []float32, i int, n *Normalization) {
	if b.gray(i) {
		n.Luma(planes)
	}
}

// gray reports whether image i is to be gray.
func (b *Batch) gray(i int) bool { return b.Gray != nil && b.Gray[i] }

// mustCount checks what is said of n images. It does so before there are workers: nothing recovers from what panics in one.
func (b *Batch) mustCount(n, keys, clean, views int) {
	if keys != n || clean > views {
		panic(fmt.Sprintf("mix: %d views (%d clean) of %d images with %d keys", views, clean, n, keys))
	}
	if b.Gray != nil && len(b.Gray) != n {
		panic(fmt.Sprintf("mix: Batch.Gray of %d images for %d (allowed: of each, or nil)", len(b.Gray), n))
	}
}

// mustCheck checks the parameters of an augmentation, before there are workers too.
func mustCheck(a Augmentation) {
	if c, ok := a.(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			panic("mix: " + err.Error())
		}
	}
}

// mustFit checks the lengths of a batch and returns the number of values of an image.
func (b *Batch) mustFit(srcs []*raster.Image, keys []rng.Key, dst, clean, views int) int {
	b.mustCount(len(srcs), len(keys), clean, views)
	size := 3 * srcs[0].W * srcs[0].H
	if dst != views*len(srcs)*size {
		panic(fmt.Sprintf("mix: %d views of %d images of %d values into %d values", views, len(srcs), size, dst))
	}
	for _, s := range srcs {
		if s.W != srcs[0].W || s.H != srcs[0].H {
			panic(fmt.Sprintf("mix: images of %dx%d and %dx%d in one batch", srcs[0].W, srcs[0].H, s.W, s.H))
		}
	}
	return size
}

// prepare does what all views of an image share, seeds r with the stream of the view, and returns the stages that are
// left.
func (s *Scratch) prepare(f *flow, stages []stage, key rng.Key, view, views int, r *rng.Rand) []stage {
	if views == 1 {
		r.Seed(key)
		return stages
	}
	n := 0
	for ; n < len(stages) && sharedName(stages, n) != ""; n++ {
		r.Seed(key.Str(sharedName(stages, n)))
		f.step(stages[n].one, false, nil, r, s)
	}
	stages = stages[n:]
	r.Seed(key.Uint(uint64(view)))
	return stages
}

// sharedName returns the name of the stream of stage j where all views of an image go through it alike, else "": a Standard
// that comes first, a Style that comes first or after one.
func sharedName(stages []stage, j int) string {
	switch stages[j].one.(type) {
	case *Standard:
		if j == 0 {
			return "standard"
		}
	case *Style:
		if j == 0 || j == 1 && sharedName(stages, 0) == "standard" {
			return "style"
		}
	}
	return ""
}

// each runs f(i) for every i below n on the workers, each with its own scratch.
func (b *Batch) each(n int, f func(i int, s *Scratch)) {
	workers := b.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	for len(b.scratches) < max(min(workers, n), 1) {
		b.scratches = append(b.scratches, new(Scratch))
	}
	parallel.Do(n, workers, func(worker, i int) { f(i, b.scratches[worker]) })
}
