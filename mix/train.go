package mix

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TrainStep is the input of one training step.
type TrainStep struct {
	Images  []*raster.Image // all of one size, after crop and flip
	Labels  []int           // class of each image, below Classes
	Classes int
	Keys    []rng.Key // of each sample and epoch
	// Key is the batch's own: a [BatchMix] draws the partners and how they are mixed from it, so that the result does not
	// depend on the number of workers. Methods that need no partner ignore it.
	Key  rng.Key
	Norm *Normalization

	// Views and Clean are those of [Batch.Views]: Views images of each sample, of which the first Clean are the
	// image itself. Views 0 means one view, none of them clean.
	Clean, Views int
}

// Train makes the input of one training step by any method: dst gets the images as float32 [views, N, 3, H, W],
// targets the soft labels as float32 [N, classes], each row with sum 1. If m needs no partner, dst is exactly what
// [Batch.Views] and [Batch.ApplyPlanes] write, and the rows are one-hot.
//
// A [BatchMix] at stage j draws from the stream Key.Str("pair").Uint(j): a permutation of the batch, image i getting
// the partner perm[i], then how to mix, once for the batch (the reference semantics of Mixup and CutMix) or, where
// EachSample says so, for each sample in turn. An image may be its own partner. The stages before j have been applied
// to partners too, since they are images of the same batch. All views of a step, the clean ones included, are mixed
// with the same partners in the same way, so that one row of targets is right for all of them.
//
// It panics if the lengths do not fit each other or a label is not below Classes.
func (b *Batch) Train(m *Method, dst, targets []float32, in *TrainStep) {
	views := max(in.Views, 1)
	if len(in.Images) == 0 {
		return
	}
	size := b.mustFit(in.Images, in.Keys, len(dst), in.Clean, views)
	b.mustLabel(targets, in)
	if !m.NeedsPartner() {
		b.Views(m.single(), dst, in.Images, in.Norm, in.Keys, in.Clean, views)
		return
	}
	stages := m.stages
	j := firstPair(stages)
	b.rands = buffer.Resize(b.rands, views*len(in.Images))
	b.lead(stages[:j], dst, size, in, views)
	for j < len(stages) {
		next := j + 1 + firstPair(stages[j+1:])
		b.pairAll(stages[j].pair, j, dst, targets, size, in, views)
		if between := stages[j+1 : next]; len(between) > 0 {
			b.refineAll(between, dst, size, in, views)
		}
		j = next
	}
	b.normalize(dst, size, in, views)
}

// firstPair returns the index of the first BatchMix, len(stages) if there is none.
func firstPair(stages []stage) int {
	i := slices.IndexFunc(stages, func(st stage) bool { return st.pair != nil })
	if i < 0 {
		return len(stages)
	}
	return i
}

// mustLabel writes one-hot targets.
func (b *Batch) mustLabel(targets []float32, in *TrainStep) {
	n := len(in.Images)
	if len(in.Labels) != n || len(targets) != n*in.Classes {
		panic(fmt.Sprintf("mix: %d labels of %d images, %d classes, into %d targets",
			len(in.Labels), n, in.Classes, len(targets)))
	}
	clear(targets)
	for i, l := range in.Labels {
		if l < 0 || l >= in.Classes {
			panic(fmt.Sprintf("mix: label %d of image %d (allowed: 0 to %d)", l, i, in.Classes-1))
		}
		targets[i*in.Classes+l] = 1
	}
}

// lead applies the stages before the first BatchMix and leaves values in [0, 1] in dst. The states of the streams are
// kept for the stages that follow.
func (b *Batch) lead(stages []stage, dst []float32, size int, in *TrainStep, views int) {
	n := len(in.Images)
	b.each(views*n, func(j int, s *Scratch) {
		view, i := j/n, j%n
		f, r := s.begin(in.Images[i]), &b.rands[j]
		rest := s.prepare(&f, stages, in.Keys[i], view, views, r)
		if view >= in.Clean {
			f.run(rest, in.Norm, r, s)
		}
		f.toPlanes(dst[j*size:][:size], &Unit, s)
	})
}

// pairAll mixes every image with its partner, in all views, and the targets. It works from a copy of the batch.
func (b *Batch) pairAll(p BatchMix, stage int, dst, targets []float32, size int, in *TrainStep, views int) {
	n := len(in.Images)
	w, h := in.Images[0].W, in.Images[0].H
	r := in.Key.Str("pair").Uint(uint64(stage)).Rand()
	b.perm = buffer.Resize(b.perm, n)
	r.Perm(b.perm)
	b.draws = buffer.Resize(b.draws, n)
	for i := range b.draws {
		if i == 0 || p.EachSample() {
			b.draws[i] = p.DrawPair(w, h, &r)
		} else {
			b.draws[i] = b.draws[0]
		}
	}
	b.copyPlanes = append(b.copyPlanes[:0], dst...)
	b.copyTargets = append(b.copyTargets[:0], targets...)
	b.each(views*n, func(j int, _ *Scratch) {
		view, i := j/n, j%n
		partner := view*n + b.perm[i]
		p.ApplyPairPlanes(dst[j*size:][:size], b.copyPlanes[j*size:][:size], b.copyPlanes[partner*size:][:size], w, h,
			&b.draws[i])
	})
	c := in.Classes
	for i := range n {
		weight, own, other := b.draws[i].Weight, b.copyTargets[i*c:][:c], b.copyTargets[b.perm[i]*c:][:c]
		for k := range c {
			targets[i*c+k] = float32(weight*own[k]) + float32((1-weight)*other[k])
		}
	}
}

// refineAll applies the stages between two BatchMixes, or after the last, to the images as they are.
func (b *Batch) refineAll(stages []stage, dst []float32, size int, in *TrainStep, views int) {
	n := len(in.Images)
	w, h := in.Images[0].W, in.Images[0].H
	b.each(views*n, func(j int, s *Scratch) {
		if j/n < in.Clean {
			return
		}
		out := dst[j*size:][:size]
		f := flow{planes: out, w: w, h: h}
		f.run(stages, in.Norm, &b.rands[j], s)
		if &f.planes[0] != &out[0] {
			copy(out, f.planes)
		}
	})
}

func (b *Batch) normalize(dst []float32, size int, in *TrainStep, views int) {
	if *in.Norm == Unit && b.Gray == nil {
		return
	}
	b.each(views*len(in.Images), func(j int, _ *Scratch) {
		if *in.Norm != Unit {
			in.Norm.apply(dst[j*size:][:size], dst[j*size:][:size])
		}
		b.luma(dst[j*size:][:size], j%len(in.Images), in.Norm)
	})
}
