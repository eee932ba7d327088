package train

import (
	"strings"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/transform"
)

// aux is how many rows of a step with n samples go through the auxiliary batch norms: one of each sample, behind the others.
func (c *Config) aux(n int) int {
	if c.AuxMix != "" || c.AugMax > 0 {
		return n
	}
	return 0
}

// mixes is all that the images of a run go through: the spec of its auxiliary views where there are some.
func (c *Config) mixes() string {
	switch {
	case c.AuxMix == "":
		return c.Mix
	case c.Mix == "none":
		return c.AuxMix
	}
	return c.Mix + "+" + c.AuxMix
}

// checkViews checks the specs of auxiliary views and of AugMax.
func (c *Config) checkViews() error {
	if c.AuxMix != "" {
		s, err := mix.ParseSpec(c.AuxMix)
		if err == nil {
			_, err = mix.ParseSpec(c.mixes())
		}
		if err != nil {
			return option.Errorf(ErrConfig, "{aux-mix}: %w", err)
		}
		if s.NeedsPartner() || s.NeedsMixingSet() || s.NeedsStyles() || s.NeedsNetwork() {
			return option.Errorf(ErrConfig, "{aux-mix}: %s needs more than an image (allowed: augmentations such as afa, gaussian, augmix)", s)
		}
	}
	if s, err := mix.ParseSpec(c.Mix); c.AugMax > 0 && (err != nil || !isAugMix(s)) {
		return option.Errorf(ErrConfig, "{augmax}: the {mix} is %s (allowed: augmix with any options)", c.Mix)
	}
	return nil
}

func isAugMix(s mix.Spec) bool { return augMixOf(s) != nil }

// augMixOf returns a mix that is AugMix and nothing else, nil for any other.
func augMixOf(s mix.Spec) *mix.AugMix {
	m, err := s.With(mix.Options{})
	if err != nil || len(m.Stages()) != 1 {
		return nil
	}
	a, _ := m.Stages()[0].(*mix.AugMix)
	return a
}

// auxViews writes the auxiliary views of a batch to dst: Mix, drawn anew, and then AuxMix. Partners and their shares are those of the
// first views, so that one row of targets is right for both.
func (f *feed) auxViews(b *batch, dst []float32, step *mix.TrainStep) {
	for i, key := range b.keys {
		f.keys[i] = transform.ViewKey(key, 2)
	}
	f.auxTargets = append(f.auxTargets[:0], b.targets...)
	f.mixing.Train(f.auxMethod, dst, f.auxTargets, step)
}

// keyAux is what the names of auxiliary batch norms begin with among what a checkpoint has besides the network, for training alone.
const keyAux = "values."

// splitExtra separates the tensors whose names begin with a prefix, and takes it off.
func splitExtra(all []weights.Tensor, prefix string) (rest, extra []weights.Tensor) {
	for _, t := range all {
		if name, ok := strings.CutPrefix(t.Name, prefix); ok {
			t.Name = name
			extra = append(extra, t)
		} else {
			rest = append(rest, t)
		}
	}
	return rest, extra
}
