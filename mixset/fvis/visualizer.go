package fvis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors of this package.
var (
	// ErrLayer: a network has no layer of that name, or none at all.
	ErrLayer = errors.New("no such layer")
	// ErrOption: an option that is out of its range, or a network that takes no color images.
	ErrOption = errors.New("bad option")
	// ErrActivation: the network's values overflow or are not numbers, so that its weights are no trained network's.
	ErrActivation = errors.New("activations are not finite")
)

// Bounds of [Options].
const (
	MinSide      = 16
	MaxSide      = 512
	DefaultSteps = 48
	MaxSteps     = 1 << 14
)

const (
	tries     = 4   // of an image, until it is not degenerate
	depths    = 3   // networks of different depth that the layers are divided among
	pairShare = 0.5 // of images that show two channels
)

// Images that are made at once: fewer where they are large, for the memory.
const (
	maxBlock  = 16
	minBlock  = 4
	blockArea = 8 * 128 * 128
)

// Options say which images are made.
type Options struct {
	// Layers are the names of the layers to choose among; nil stands for [Initial].
	Layers []string
	// Side is the height and width of the images in pixels, MinSide to MaxSide.
	Side int
	// Seed is that of every random choice.
	Seed uint64
	// Steps of the ascent; 0 stands for DefaultSteps.
	Steps int
	// Mean and Std normalize values on [0, 1] as the network takes them.
	Mean, Std [3]float32
	// Workers is how many cores are used; 0 means all. The bytes do not depend on it.
	Workers int
}

// Subject is what an image shows: the direction of the most activation, in one layer.
type Subject struct {
	Layer    string
	Channels [2]int     // the second has weight 0 where there is but one
	Weights  [2]float64 // of unit length
	// Before and After are the mean activation in that direction at the first and at the last step.
	Before, After float64
}

// Visualizer makes feature visualizations of a network. It is not safe for concurrent use; it uses its workers itself.
type Visualizer struct {
	o       Options
	block   int
	source  *nn.Net
	groups  [][]Layer
	at      int // group that net is of, or -1
	net     *nn.Net
	pics    []*image
	x, dz   []float32
	offsets []int // of the layers' logits
}

// New prepares the visualization of a network. The net is asked for its graph and its tensors only and not changed; it
// may have been made for images of another size. Errors wrap [ErrLayer], [ErrOption] or graph.ErrGraph.
func New(net *nn.Net, o Options) (*Visualizer, error) {
	g := net.Graph()
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.Workers < 0:
		return nil, fmt.Errorf("%w: %d workers (allowed: 1 and up, 0 for all cores)", ErrOption, o.Workers)
	case o.Side < MinSide || o.Side > MaxSide:
		return nil, fmt.Errorf("%w: images of side %d (allowed: %d to %d)", ErrOption, o.Side, MinSide, MaxSide)
	case o.Steps < 1 || o.Steps > MaxSteps:
		return nil, fmt.Errorf("%w: %d steps (allowed: 1 to %d)", ErrOption, o.Steps, MaxSteps)
	case g.Input().C != 3:
		return nil, fmt.Errorf("%w: %s takes images of %d channels, not of red, green and blue", ErrOption, g.Name,
			g.Input().C)
	case min(o.Std[0], o.Std[1], o.Std[2]) <= 0:
		return nil, fmt.Errorf("%w: standard deviations %v (allowed: above 0)", ErrOption, o.Std)
	}
	layers, err := find(g, o.Layers)
	if err != nil {
		return nil, err
	}
	if len(layers) == 0 {
		layers = Initial(g)
	}
	p := &Visualizer{o: o, source: net, at: -1, block: min(max(blockArea/(o.Side*o.Side), minBlock), maxBlock)}
	k := min(depths, len(layers))
	for i := range k {
		p.groups = append(p.groups, layers[i*len(layers)/k:(i+1)*len(layers)/k])
	}
	// The deepest is looked at now, so that an image too small fails here.
	if err := p.load(k - 1); err != nil {
		return nil, err
	}
	h, s := newHartley(o.Side), scales(o.Side)
	for range p.block {
		p.pics = append(p.pics, newImage(h, s))
	}
	p.x = make([]float32, p.block*3*o.Side*o.Side)
	return p, nil
}

// BlockSize returns how many images a block has: 16 up to a side of 90, 8 at 128, 4 at the least.
func (p *Visualizer) BlockSize() int { return p.block }

// load makes the network of a group.
func (p *Visualizer) load(at int) error {
	if p.at == at {
		return nil
	}
	g, err := cut(p.source.Graph(), p.o.Side, p.o.Side, p.groups[at])
	if err != nil {
		return err
	}
	net, err := nn.New(g, nn.Options{Workers: p.o.Workers, Batch: p.block, InputGrad: true})
	if err != nil {
		return err
	}
	from := map[string]*nn.Tensor{}
	for _, t := range p.source.Tensors() {
		from[t.Name] = t
	}
	for _, t := range net.Tensors() {
		copy(t.Data, from[t.Name].Data)
	}
	net.Changed()
	p.net, p.at = net, at
	p.offsets = p.offsets[:0]
	total := 0
	for _, l := range p.groups[at] {
		p.offsets = append(p.offsets, total)
		total += l.Channels
	}
	p.dz = make([]float32, p.block*total)
	return nil
}

// key is that of the image with a number, at a try.
func (p *Visualizer) key(i, try int) rng.Key {
	return rng.NewKey(p.o.Seed).Str("fvis").Uint(uint64(i)).Uint(uint64(try))
}

// subject chooses what image i shows at a try, from the layers of a group.
func (p *Visualizer) subject(layers []Layer, i, try int) (Subject, int) {
	key := p.key(i, try).Str("subject")
	r := key.Rand()
	k := r.IntN(len(layers))
	l := layers[k]
	s := Subject{Layer: l.Name, Channels: [2]int{r.IntN(l.Channels), r.IntN(l.Channels)}, Weights: [2]float64{1, 0}}
	if r.Float64() < pairShare && s.Channels[0] != s.Channels[1] {
		a := r.Uniform(0, 2*math.Pi)
		s.Weights = [2]float64{detmath.Cos(a), detmath.Sin(a)}
	}
	return s, k
}

// group is the one that block b is of: each once in as many blocks, in an order by the seed.
func (p *Visualizer) group(b int) int {
	order := make([]int, len(p.groups))
	r := rng.NewKey(p.o.Seed).Str("fvis groups").Uint(uint64(b / len(order))).Rand()
	r.Perm(order)
	return order[b%len(order)]
}

// Block makes the images from b*BlockSize() on, BlockSize() of them, into dst, and says what each shows. Blocks can
// be made in any order. It returns the cause of ctx when that is canceled.
func (p *Visualizer) Block(ctx context.Context, dst []*raster.Image, b int) ([]Subject, error) {
	if len(dst) != p.block || b < 0 {
		panic(fmt.Sprintf("fvis: block %d into %d images (allowed: 0 and up, %d)", b, len(dst), p.block))
	}
	if err := p.load(p.group(b)); err != nil {
		return nil, err
	}
	subjects := make([]Subject, p.block)
	best := make([]float64, p.block)
	left := make([]int, p.block)
	for i := range left {
		left[i] = i
		best[i] = -1
	}
	var m raster.Image
	for try := 0; try < tries && len(left) > 0; try++ {
		shown, err := p.ascend(ctx, b, try, left)
		if err != nil {
			return nil, err
		}
		var failed []int
		for k, i := range left {
			p.pics[k].image(&m)
			s := merit(&m)
			if p.o.Steps > 1 && shown[k].After <= shown[k].Before {
				s = 0 // a channel that nothing moves
			}
			if s > best[i] {
				best[i], subjects[i] = s, shown[k]
				dst[i].CopyFrom(&m)
			}
			if s < 1 {
				failed = append(failed, i)
			}
		}
		left = failed
	}
	return subjects, nil
}

// ascend makes the images of block b with the numbers of left, in p.pics from the front.
func (p *Visualizer) ascend(ctx context.Context, b, try int, left []int) ([]Subject, error) {
	n, side := len(left), p.o.Side
	size := 3 * side * side
	subjects := make([]Subject, n)
	dz := p.dz[:n*p.net.Graph().Classes]
	clear(dz)
	for k, i := range left {
		number := b*p.block + i
		s, layer := p.subject(p.groups[p.at], number, try)
		subjects[k] = s
		row := dz[k*p.net.Graph().Classes+p.offsets[layer]:]
		for j, c := range s.Channels {
			row[c] += float32(s.Weights[j])
		}
		p.pics[k].start(p.key(number, try))
	}
	for t := range p.o.Steps {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		parallel.Do(n, p.o.Workers, func(_, k int) {
			p.pics[k].draw()
			p.pics[k].input(p.x[k*size:(k+1)*size], p.o.Mean, p.o.Std)
		})
		z := p.net.Forward(p.x[:n*size], n, nn.Mode{})
		if t == 0 || t == p.o.Steps-1 {
			if err := note(subjects, z, dz, t == 0); err != nil {
				return nil, err
			}
		}
		p.net.Backward(dz)
		grad := p.net.InputGrad()
		parallel.Do(n, p.o.Workers, func(_, k int) { p.pics[k].climb(grad[k*size:(k+1)*size], p.o.Std, t, p.o.Steps) })
	}
	return subjects, nil
}

// note keeps the activations of the subjects at the first or the last step.
func note(subjects []Subject, z, dz []float32, first bool) error {
	classes := len(dz) / len(subjects)
	for k := range subjects {
		s := &subjects[k]
		sum := 0.0
		for i, w := range dz[k*classes : (k+1)*classes] {
			if w != 0 {
				sum += float64(float64(w) * float64(z[k*classes+i]))
			}
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			return fmt.Errorf("%w: layer %s", ErrActivation, s.Layer)
		}
		if s.After = sum; first {
			s.Before = sum
		}
	}
	return nil
}
