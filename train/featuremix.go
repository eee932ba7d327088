package train

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/rng"
)

// mixFeatures draws how the features of a step are mixed, nil for not at all, and mixes the targets likewise. All views of a sample
// have the views of one partner, one place and one share serve the whole batch.
func (r *runner) mixFeatures(b *batch) *nn.FeatureMix {
	alpha := r.config.FeatureMix
	if alpha == 0 {
		return nil
	}
	m, key := &r.features, rng.NewKey(r.config.Seed).Str("features").Uint(uint64(r.state.Steps))
	_, views := r.config.views()
	draw := key.Rand()
	m.Key, m.Place, m.Lambda = key.Str("noise"), draw.IntN(len(r.net.Places())), float32(draw.Beta(alpha, alpha))
	m.Add, m.Multiply = float32(r.config.FeatureAdd), float32(r.config.FeatureMultiply)
	m.Partner = buffer.Resize(m.Partner, views*b.n)
	draw.Perm(m.Partner[:b.n])
	for i := b.n; i < len(m.Partner); i++ {
		m.Partner[i] = m.Partner[i-b.n] + b.n
	}
	r.targets = append(r.targets[:0], b.targets...)
	c := r.classes
	for i, k := range m.Partner[:b.n] {
		for j := range c {
			b.targets[i*c+j] = float32(m.Lambda*r.targets[i*c+j]) + float32((1-m.Lambda)*r.targets[k*c+j])
		}
	}
	return m
}
