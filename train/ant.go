package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/rng"
)

// What adversarial noise training of Rusak et al. (ECCV 2020) has fixed.
const (
	noiseWidth = 20   // channels of the generator
	noiseStart = 0.01 // standard deviation of its first weights: it begins with nearly normal noise
	antAlone   = 5    // how much larger its learning rate is while it is trained alone: 5e-4 to 1e-4
)

// ant is a generator of noise that is trained against the network, and what it was after earlier epochs.
type ant struct {
	noise   *nn.Net // is trained
	past    *nn.Net // runs earlier generators
	opt     *nn.Adam
	earlier []float32 // weights of the generators that the epochs so far ended with, one after another

	z, pixels, noisy, d []float32
	scales              []float64 // of the noise of each image
}

// noiseGenerator is four convolutions of 1x1 around which normal noise of the images' size also goes unchanged.
func noiseGenerator(w, h int) (*graph.Graph, error) {
	b := graph.NewBuilder("noise", graph.Shape{H: h, W: w, C: 3}, 3*w*h)
	x := 0
	for i, out := range [4]int{noiseWidth, noiseWidth, noiseWidth, 3} {
		if i > 0 {
			x = b.Add("", graph.ReLU{}, x)
		}
		x = b.Add(fmt.Sprintf("noise.%d", i), graph.Conv{
			Out: out, KH: 1, KW: 1, Stride: 1, Groups: 1, Bias: true, Init: graph.Init{Dist: graph.Normal, Scale: noiseStart},
		}, x)
	}
	b.Add("", graph.Flatten{}, b.Add("", graph.Add{}, x, 0))
	return b.Done()
}

// newANT makes the generator for a batch of images.
func newANT(w, h, batch, workers int) (*ant, error) {
	g, err := noiseGenerator(w, h)
	if err != nil {
		return nil, err
	}
	a := &ant{opt: new(nn.Adam), scales: make([]float64, batch)}
	if a.noise, err = nn.New(g, nn.Options{Workers: workers, Batch: batch, Train: true}); err != nil {
		return nil, err
	}
	if a.past, err = nn.New(g, nn.Options{Workers: workers, Batch: batch}); err != nil {
		return nil, err
	}
	a.opt.Prepare(a.noise.Tensors())
	return a, nil
}

// size is how many numbers a generator has.
func (a *ant) size() (n int) {
	for _, t := range a.noise.Tensors() {
		n += len(t.Data)
	}
	return n
}

// keep remembers the generator as that of an epoch.
func (a *ant) keep() {
	for _, t := range a.noise.Tensors() {
		a.earlier = append(a.earlier, t.Data...)
	}
}

// recall makes past the generator that an epoch ended with.
func (a *ant) recall(epoch int) {
	all := a.earlier[epoch*a.size():]
	for _, t := range a.past.Tensors() {
		all = all[copy(t.Data, all):]
	}
	a.past.Changed()
}

// keyANT is what the names of [ant.tensors] begin with in a checkpoint.
const keyANT = "ant."

// tensors returns what a checkpoint holds of it; they share the values. Nil has none.
func (a *ant) tensors(prefix string) []weights.Tensor {
	if a == nil {
		return nil
	}
	all := append(tensors(a.noise.Tensors(), prefix), tensors(a.opt.State(), prefix)...)
	if n := len(a.earlier) / a.size(); n > 0 {
		all = append(all, weights.Tensor{Name: prefix + "earlier", Shape: []int{n, a.size()}, Data: a.earlier})
	}
	return all
}

// restore takes the values of a checkpoint that was written after so many epochs.
func (a *ant) restore(ts []weights.Tensor, epochs int) error {
	if a == nil {
		return weights.Fill(nil, ts)
	}
	want := epochs * a.size()
	for _, t := range ts {
		if t.Name == "earlier" && len(t.Data) == want {
			a.earlier = make([]float32, want)
		}
	}
	if len(a.earlier) != want {
		return fmt.Errorf("%w: no generators of noise of %d epochs", weights.ErrMismatch, epochs)
	}
	if err := weights.Fill(a.tensors(""), ts); err != nil {
		return err
	}
	a.noise.Changed()
	return nil
}

// beginNoise starts a new generator for the epoch at hand and trains it alone, on batches of its own. A run that is stopped
// meanwhile begins it again.
func (r *runner) beginNoise(ctx context.Context) error {
	if r.ant == nil || r.state.InEpoch > 0 {
		return nil
	}
	key := rng.NewKey(r.config.Seed).Str("ant").Uint(uint64(r.state.Epoch))
	a, err := newANT(r.w, r.h, r.config.Batch, r.workers)
	if err != nil {
		return err
	}
	a.earlier, r.ant = r.ant.earlier, a
	a.noise.Init(key.Str("weights"))
	random := key.Str("alone").Rand()
	config := r.config
	config.Seed = random.Uint64()
	f := r.feed(&config)
	f.start(ctx, 0, 0, math.MaxInt)
	defer f.stop()
	for range config.ANTAlone {
		b := f.next()
		if b == nil || ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), r.save())
		}
		if b.err != nil {
			return b.err
		}
		if r.softTargets() {
			smooth(b.targets, r.classes, r.config.Smoothing)
		}
		err := r.teachNoise(b, antAlone*config.ANTLR)
		f.done(b)
		if err != nil {
			return err
		}
	}
	return nil
}

// draw fills z with the normal noise of a batch for a purpose.
func (a *ant) draw(keys []rng.Key, purpose string, size, workers int) {
	a.z = buffer.Resize(a.z, len(keys)*size)
	parallel.Do(len(keys), workers, func(_, i int) {
		random := keys[i].Str("ant").Str(purpose).Rand()
		for j := range a.z[i*size:][:size] {
			a.z[i*size+j] = float32(random.Normal())
		}
	})
}

// addNoise writes images, normalized, with noise on them that changes each by the length of Config.ANT to dst.
func (r *runner) addNoise(dst, planes, noise []float32) {
	a, norm, area := r.ant, r.config.norm(), r.w*r.h
	size := 3 * area
	a.pixels = buffer.Resize(a.pixels, len(planes))
	parallel.Do(len(planes)/size, r.workers, func(_, i int) {
		x, d := a.pixels[i*size:][:size], noise[i*size:][:size]
		for j, v := range planes[i*size:][:size] {
			c := j / area
			x[j] = float32(v*norm.Std[c]) + norm.Mean[c]
		}
		a.scales[i] = noiseScale(x, d, r.config.ANT)
		for j, v := range x {
			c := j / area
			dst[i*size+j] = (float32(float64(v)+noiseAt(v, d[j], a.scales[i])) - norm.Mean[c]) / norm.Std[c]
		}
	})
}

// teachNoise is one step of the generator: it makes the loss of the batch's images with noise larger, at the last exit. The network gives
// the gradient in evaluation mode, and does not change.
func (r *runner) teachNoise(b *batch, rate float64) error {
	a, norm, area := r.ant, r.config.norm(), r.w*r.h
	size := 3 * area
	a.draw(b.keys, "generator", size, r.workers)
	noise := a.noise.Forward(a.z, b.n, nn.Mode{Train: true})
	a.noisy, a.d = buffer.Resize(a.noisy, b.n*size), buffer.Resize(a.d, b.n*size)
	r.addNoise(a.noisy, b.planes[:b.n*size], noise)
	logits := r.net.Forward(a.noisy, b.n, nn.Mode{})
	d := r.dlogits[:b.n*r.classes]
	if loss := r.crossEntropy(d, logits, b); math.IsNaN(loss) {
		return r.diverged(fmt.Sprintf("the loss of images with adversarial noise is %v in epoch %d, step %d", loss, r.state.Epoch+1,
			r.state.InEpoch+1))
	}
	r.net.Backward(d)
	gradient := r.net.InputGrad()
	parallel.Do(b.n, r.workers, func(_, i int) {
		out := a.d[i*size:][:size]
		for j, v := range gradient[i*size:][:size] {
			out[j] = -v / norm.Std[j/area]
		}
		noiseGradient(out, a.pixels[i*size:][:size], noise[i*size:][:size], a.scales[i])
	})
	a.noise.Backward(a.d)
	a.opt.Step(a.noise.Tensors(), rate)
	return nil
}

// disturbBatch puts noise on the first half of the batch: on two tenths of it, rounded down each, noise of generators that two epochs before
// this one ended with, drawn for this step, on the others that of the generator at hand.
func (r *runner) disturbBatch(b *batch) {
	a, size := r.ant, 3*r.w*r.h
	a.draw(b.keys[:b.n/2], "classifier", size, r.workers)
	put := func(net *nn.Net, first, n int) {
		if n > 0 {
			rows := b.planes[first*size:][:n*size]
			r.addNoise(rows, rows, net.Forward(a.z[first*size:][:n*size], n, nn.Mode{}))
		}
	}
	noisy, each := b.n/2, b.n/10
	if r.state.Epoch > 0 {
		random := rng.NewKey(r.config.Seed).Str("ant").Str("earlier").Uint(uint64(r.state.Steps)).Rand()
		for range 2 {
			noisy -= each
			a.recall(random.IntN(r.state.Epoch))
			put(a.past, noisy, each)
		}
	}
	put(a.noise, 0, noisy)
}

// room is how far a value can go in the direction of its noise.
func room(x, noise float32) float64 {
	if noise > 0 {
		return max(1-float64(x), 0)
	}
	return max(float64(x), 0)
}

// noiseAt is what noise times scale changes a value by, which stays in [0, 1] where it is in it.
func noiseAt(x, noise float32, scale float64) float64 {
	return math.Copysign(min(scale*math.Abs(float64(noise)), room(x, noise)), float64(noise))
}

// noiseSums returns the sum of the squares of the room where noise times scale is cut off, and that of the noise elsewhere.
func noiseSums(x, noise []float32, scale float64) (cut, free float64) {
	for i, d := range noise {
		if c := room(x[i], d); scale*math.Abs(float64(d)) >= c {
			cut += float64(c * c)
		} else {
			free += float64(float64(d) * float64(d))
		}
	}
	return cut, free
}

// noiseScale returns the factor with which noise changes an image in [0, 1] by a length, the Euclidean norm, once the sum is cut to
// [0, 1]; where no factor reaches it, one with which all is cut. The square of the change is concave and piecewise linear in the
// square of the factor: Newton's method from 0 climbs to the solution and ends there.
func noiseScale(x, noise []float32, length float64) (scale float64) {
	for {
		cut, free := noiseSums(x, noise, scale)
		next := math.Sqrt(max(float64(length*length)-cut, 0) / free)
		if free == 0 || !(next > scale) {
			return scale
		}
		scale = next
	}
}

// noiseGradient turns the gradient with respect to an image with noise into that with respect to the noise, of which the scale is
// a function: none where the sum is cut, and elsewhere that part of it, times the scale, which does not make all noise larger.
func noiseGradient(d, x, noise []float32, scale float64) {
	along, free := 0.0, 0.0
	for i, v := range noise {
		if scale*math.Abs(float64(v)) < room(x[i], v) {
			along += float64(float64(d[i]) * float64(v))
			free += float64(float64(v) * float64(v))
		}
	}
	for i, v := range noise {
		if scale*math.Abs(float64(v)) < room(x[i], v) {
			d[i] = float32(scale * (float64(d[i]) - float64(along/free*float64(v))))
		} else {
			d[i] = 0
		}
	}
}
