package train

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn"
)

// chains are the images that AugMax weighs: what AugMix's chains make of each sample, and how it would blend them.
type chains struct {
	planes  []float32 // [n, width, 3, H, W], normalized
	weights []float64 // [n, width]; each row sums to 1
	share   []float64 // [n]: of the chains' mixture against the image itself
}

// augMax is the working memory of AugMax.
type augMax struct {
	scores []float64 // [n, width]: weights are their softmax
	slopes []float64 // [n, width]
}

// chainScratch is that of one goroutine of the feed.
type chainScratch struct {
	mixing, planes mix.Scratch
	draw           mix.Draw
}

// fillChains draws the chains of AugMax as AugMix does.
func (f *feed) fillChains(b *batch) {
	s, err := mix.ParseSpec(f.config.Mix)
	a := augMixOf(s)
	if err != nil || a == nil {
		panic("train: AugMax of " + f.config.Mix) // Check has parsed it
	}
	size, width, c := 3*f.w*f.h, a.Width, &b.chains
	colored := a.Fill.R != a.Fill.G || a.Fill.G != a.Fill.B // nothing else puts color into a gray image
	c.planes = buffer.Resize(c.planes, b.n*width*size)
	c.weights, c.share = buffer.Resize(c.weights, b.n*width), buffer.Resize(c.share, b.n)
	for len(f.chains) < f.workers {
		f.chains = append(f.chains, new(chainScratch))
	}
	parallel.Do(b.n, f.workers, func(worker, i int) {
		t, r := f.chains[worker], f.keys[i].Rand()
		a.DrawTo(&t.draw, f.w, f.h, &r, &t.mixing)
		for k, m := range a.Chains(f.images[i], &t.draw, &t.mixing) {
			planes := c.planes[(i*width+k)*size:][:size]
			mix.None{}.ApplyPlanes(planes, m, f.norm, nil, &t.planes)
			if colored && f.mixing.Gray[i] {
				f.norm.Luma(planes)
			}
			c.weights[i*width+k] = float64(t.draw.Weights[k])
		}
		c.share[i] = float64(t.draw.M)
	})
}

// leastWeight keeps the scores of AugMax finite.
const leastWeight = 1e-6

// searchAugMax finds weights of the chains and shares of their mixtures with which the network is wrong, and writes the blends behind the
// batch's images: AugMax of Wang et al. (NeurIPS 2021). Every step moves the scores, whose softmax the weights are, and the
// share by AugMaxStep along the signs of their derivatives of the cross-entropy; the share stays in [0, 1]. With g the
// gradient by the blend x + m·(Σ w_k c_k - x), that by w_k is m·<g, c_k>, that by m <g, Σ w_k c_k - x>. The network
// gives it in evaluation mode, through the auxiliary batch norms, for the loss of its last exit.
func (r *runner) searchAugMax(b *batch) {
	c, size := &b.chains, 3*r.w*r.h
	width := len(c.weights) / b.n
	r.augMax.scores = buffer.Resize(r.augMax.scores, len(c.weights))
	r.augMax.slopes = buffer.Resize(r.augMax.slopes, len(c.weights))
	for i, w := range c.weights {
		r.augMax.scores[i] = detmath.Log(max(w, leastWeight))
	}
	blends := b.planes[b.n*size:][:b.n*size]
	r.blend(b, blends, width)
	for range r.config.AugMax {
		logits := r.net.Forward(blends, b.n, nn.Mode{Aux: b.n})
		d := r.dlogits[:b.n*r.classes]
		r.crossEntropy(d, logits, b)
		for i := range d {
			d[i] *= float32(b.n) // each image's own
		}
		r.net.Backward(d)
		gradient := r.net.InputGrad()
		parallel.Do(b.n, r.workers, func(_, i int) {
			r.climb(b, gradient[i*size:][:size], i, width)
		})
		r.blend(b, blends, width)
	}
}

// climb moves the scores and the share of sample i.
func (r *runner) climb(b *batch, g []float32, i, width int) {
	c, size, step := &b.chains, len(g), r.config.AugMaxStep
	w, slopes, scores := c.weights[i*width:][:width], r.augMax.slopes[i*width:][:width], r.augMax.scores[i*width:][:width]
	m, mean := c.share[i], 0.0
	for k := range w {
		slopes[k] = inner(g, c.planes[(i*width+k)*size:][:size])
		mean += float64(w[k] * slopes[k])
	}
	for k := range scores {
		scores[k] += float64(step * sign(m*w[k]*(slopes[k]-mean)))
	}
	c.share[i] = min(max(m+float64(step*sign(mean-inner(g, b.planes[i*size:][:size]))), 0), 1)
	softmax(w, scores)
}

// blend writes the blend of every sample.
func (r *runner) blend(b *batch, dst []float32, width int) {
	c, size := &b.chains, len(dst)/b.n
	parallel.Do(b.n, r.workers, func(_, i int) {
		out, own := dst[i*size:][:size], float32(1-c.share[i])
		for j, v := range b.planes[i*size:][:size] {
			out[j] = v * own
		}
		for k, w := range c.weights[i*width:][:width] {
			weight := float32(c.share[i] * w)
			for j, v := range c.planes[(i*width+k)*size:][:size] {
				out[j] += float32(weight * v)
			}
		}
	})
}

// augMaxLoss is the mean of the cross-entropies of the images and of the blends, plus lambda times their Jensen-Shannon divergence.
func (r *runner) augMaxLoss(d, logits []float32, b *batch) float64 {
	at := b.n * r.classes
	loss, _, _ := nn.SoftJSD(d, logits, b.targets, r.classes, 2, 2*r.config.Lambda)
	r.spare = buffer.Resize(r.spare, at)
	loss += nn.SoftCrossEntropy(r.spare, logits[at:], b.targets, r.classes)
	for i, v := range r.spare {
		d[at+i] += v
	}
	for i := range d {
		d[i] /= 2
	}
	return loss / 2
}

func inner(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(float64(v) * float64(b[i]))
	}
	return sum
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// softmax writes the softmax of scores.
func softmax(dst, scores []float64) {
	top, sum := scores[0], 0.0
	for _, v := range scores {
		top = max(top, v)
	}
	for k, v := range scores {
		dst[k] = detmath.Exp(v - top)
		sum += dst[k]
	}
	for k := range dst {
		dst[k] /= sum
	}
}
