package studio

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// mixed returns an image of the drawing of a mix: its result, with the bytes of augmix augment, or a part of how it is made.
func (s *Server) mixed(ctx context.Context, q *request) (*raster.Image, error) {
	clean, err := s.prepared(ctx, q)
	if err != nil {
		return nil, err
	}
	switch q.Part.kind {
	case "clean":
		return clean.image, nil
	case "result":
		if len(q.Pins) == 0 {
			m, _, err := s.apply(ctx, q, q.Spec.String())
			return m, err
		}
	case "stage":
		stages := strings.Split(q.Spec.String(), "+")
		if q.Part.a >= len(stages) {
			return nil, noPart(q)
		}
		m, _, err := s.apply(ctx, q, strings.Join(stages[:q.Part.a+1], "+"))
		return m, err
	}
	d, err := s.open(ctx, q, clean.image, clean.key)
	if err != nil {
		return nil, err
	}
	m := d.part(q.Part)
	if m == nil {
		return nil, noPart(q)
	}
	return m, nil
}

func noPart(q *request) error {
	return fmt.Errorf("%w: %s has no part %q here", ErrRequest, q.Spec, q.Part.kind)
}

// apply makes the image of a spec and its soft label as augmix augment does with one view.
func (s *Server) apply(ctx context.Context, q *request, spec string) (*raster.Image, mix.Target, error) {
	from, err := s.original(ctx, q.Image)
	if err != nil {
		return nil, nil, err
	}
	p := transform.Prepared(q.Size, augment.Bilinear, q.Crop)
	if p.Mix, err = s.method(ctx, q, spec); err != nil {
		return nil, nil, err
	}
	p.Epoch, p.Source = q.Epoch, s.parts[q.Image.part].source
	if q.View > 1 {
		p.Views = q.View + 1
	}
	dst := make([]*raster.Image, max(p.Views, 1))
	for i := range dst {
		dst[i] = new(raster.Image)
	}
	targets, key := make([]mix.Target, len(dst)), transform.SampleKey(rng.NewKey(q.Seed), from.key)
	if q.Spec.NeedsPartner() { // also of its first stages alone: what mixes labels draws from a stream of its own
		err = p.SoftTransform().ApplySoft(dst, targets, from.image, from.label, key)
	} else {
		err = p.Transform().Apply(dst, from.image, key)
	}
	return dst[len(dst)-1], targets[len(dst)-1], err
}

// method gives a spec its mixing set.
func (s *Server) method(ctx context.Context, q *request, spec string) (*mix.Method, error) {
	parsed, err := mix.ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	if !parsed.NeedsMixingSet() {
		return parsed.With(mix.Options{Corruptions: all.ForMix})
	}
	size := q.Crop
	if size == 0 { // the size of the first image, as in the command
		one, err := s.prepared(ctx, q)
		if err != nil {
			return nil, err
		}
		if size = q.Size; size == 0 {
			size = min(max(one.image.W, one.image.H), mixset.MaxSize)
		}
	}
	if q.Set == ownSet && s.opt.Mixset == "" {
		return nil, fmt.Errorf("%w: set: no mixing set of your own was named (start it with --mixset SET)", ErrRequest)
	}
	set, err := s.mixing.open(ctx, s.setSpec(q.Set), max(size, mixset.MinSize))
	if err != nil {
		return nil, err
	}
	return parsed.With(mix.Options{MixingSet: set, Corruptions: all.ForMix})
}

// setSpec is the spec of a mixing set that a request names.
func (s *Server) setSpec(name string) string {
	if name == ownSet {
		return s.opt.Mixset
	}
	return name
}

// mixingSets keeps the mixing set that was used last. Images of a generated set stay in memory, so that it is opened anew after a
// while; its images are the same.
type mixingSets struct {
	mu   sync.Mutex
	name string
	size int
	used int
	set  *mixset.Set
}

// mostUsed bounds the uses of an open set.
const mostUsed = 2000

func (c *mixingSets) open(ctx context.Context, name string, size int) (*mixset.Set, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used++; c.set != nil && c.name == name && c.size == size && c.used < mostUsed {
		return c.set, nil
	}
	set, err := mixset.Open(ctx, name, mixset.Options{Size: size})
	if err != nil {
		return nil, err
	}
	c.name, c.size, c.used, c.set = name, size, 0, set
	return set, nil
}

// opened is a mix drawn for one image, of which each part can be shown: its first stage where that is AugMix, PixMix or a policy.
type opened struct {
	clean   *raster.Image
	scratch mix.Scratch

	augmix *mix.AugMix
	draw   mix.Draw

	pixmix  *mix.PixMix
	pixDraw mix.PixDraw

	policy     policy
	policyDraw mix.PolicyDraw
}

// policy is a method whose operations are those of a scale: AutoAugment, RandAugment, TrivialAugment.
type policy interface {
	DrawTo(d *mix.PolicyDraw, w, h int, r *rng.Rand)
	Replay(dst, src *raster.Image, d *mix.PolicyDraw, s *mix.Scratch)
}

// open draws the first stage of the method as its Apply does.
func (s *Server) open(ctx context.Context, q *request, clean *raster.Image, sample string) (*opened, error) {
	m, err := s.method(ctx, q, q.Spec.String())
	if err != nil {
		return nil, err
	}
	d := &opened{clean: clean}
	stream := func(epoch int) *rng.Rand {
		key := transform.ViewKey(transform.EpochKey(transform.SampleKey(rng.NewKey(q.Seed), sample), epoch), 1)
		if q.Spec.NeedsPartner() {
			key = key.Str("mix") // as transform.SoftTransform does
		}
		r := key.Rand()
		return &r
	}
	switch first := m.Stages()[0].(type) {
	case *mix.AugMix:
		d.augmix = first
		first.DrawTo(&d.draw, clean.W, clean.H, stream(q.Epoch), &d.scratch)
		for _, pinned := range q.Pins {
			if pinned.chain >= len(d.draw.Ends) {
				return nil, fmt.Errorf("%w: pins: chain %d of %d", ErrRequest, pinned.chain, len(d.draw.Ends))
			}
			var other mix.Draw
			first.DrawTo(&other, clean.W, clean.H, stream(pinned.epoch), &d.scratch)
			d.replace(pinned.chain, &other)
		}
	case *mix.PixMix:
		d.pixmix = first
		first.DrawTo(&d.pixDraw, clean.W, clean.H, stream(q.Epoch))
	case policy:
		d.policy = first
		first.DrawTo(&d.policyDraw, clean.W, clean.H, stream(q.Epoch))
	}
	return d, nil
}

// replace takes a chain's operations from another draw.
func (d *opened) replace(chain int, other *mix.Draw) {
	from, to := chainSpan(&d.draw, chain)
	otherFrom, otherTo := chainSpan(other, chain)
	d.draw.Steps = slices.Replace(d.draw.Steps, from, to, other.Steps[otherFrom:otherTo]...)
	for i := chain; i < len(d.draw.Ends); i++ {
		d.draw.Ends[i] += otherTo - otherFrom - (to - from)
	}
}

// chainSpan returns where a chain's operations lie in the draw.
func chainSpan(d *mix.Draw, chain int) (from, to int) {
	if chain > 0 {
		from = d.Ends[chain-1]
	}
	return from, d.Ends[chain]
}

// part returns an image of how the result is made, nil if there is no such part.
func (d *opened) part(p part) *raster.Image {
	m := new(raster.Image)
	switch {
	case p.kind == "result" && d.augmix != nil:
		d.augmix.Replay(m, d.clean, &d.draw, &d.scratch)
	case p.kind == "mixture" && d.augmix != nil:
		whole := d.draw
		whole.M = 1
		d.augmix.Replay(m, d.clean, &whole, &d.scratch)
	case p.kind == "chain" && d.augmix != nil && p.a < len(d.draw.Ends):
		from, to := chainSpan(&d.draw, p.a)
		if from+p.b >= to {
			return nil
		}
		alone := mix.Draw{Steps: d.draw.Steps[from : from+p.b+1], Ends: []int{p.b + 1}, Weights: []float32{1}, M: 1}
		m.CopyFrom(d.augmix.Chains(d.clean, &alone, &d.scratch)[0])
	case p.kind == "round" && d.pixmix != nil && p.a <= len(d.pixDraw.Rounds):
		some := d.pixDraw
		some.Rounds = some.Rounds[:p.a]
		d.pixmix.Replay(m, d.clean, &some, &d.scratch)
	case p.kind == "other" && d.pixmix != nil && p.a < len(d.pixDraw.Rounds):
		alone := d.pixDraw
		round := alone.Rounds[p.a]
		round.Multiply, round.A, round.B = false, 0, 1 // what is mixed in, and nothing of the image
		alone.Start, alone.Rounds = mix.Step{}, []mix.PixRound{round}
		d.pixmix.Replay(m, d.clean, &alone, &d.scratch)
	case p.kind == "step" && d.policy != nil && p.a < len(d.policyDraw.Steps):
		some := mix.PolicyDraw{Steps: d.policyDraw.Steps[:p.a+1]}
		d.policy.Replay(m, d.clean, &some, &d.scratch)
	default:
		return nil
	}
	return m
}
