package train

import (
	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/preprocess"
	"github.com/augmix-go/augmix/nn"
)

// checkMethod checks the keys of methods that need more than an augmentation, and of preprocessing.
func (c *Config) checkMethod() error {
	var on []string
	for _, m := range []struct {
		key string
		on  bool
	}{
		{"jsd", c.JSD},
		{"adversarial", c.Adversarial},
		{"outliers", c.Outliers != ""},
		{"stability", c.Stability > 0},
		{"aux-mix", c.AuxMix != ""},
		{"augmax", c.AugMax > 0},
		{"ant", c.ANT > 0},
	} {
		if m.on {
			on = append(on, m.key)
		}
	}
	if len(on) > 1 {
		return option.Errorf(ErrConfig, "%v and %v do not go together (allowed: one of {jsd}, {adversarial}, {outliers}, {stability}, "+
			"{aux-mix}, {augmax}, {ant})", option.Key(on[0]), option.Key(on[1]))
	}
	if c.FeatureMix > 0 && len(on) > 0 && !c.JSD {
		return option.Errorf(ErrConfig, "{feature-mix} and %v do not go together (allowed: {feature-mix} alone or with {jsd})", option.Key(on[0]))
	}
	if err := c.checkViews(); err != nil {
		return err
	}
	if err := c.pgd().Check(); err != nil {
		return option.Errorf(ErrConfig, "{adv-eps} %v, {adv-step} %v, {adv-steps} %d: %w", c.AdvEps, c.AdvStep, c.AdvSteps, err)
	}
	if c.AdvEps > 255 && c.AdvNorm == attack.LInf.String() {
		return option.Errorf(ErrConfig, "{adv-eps}: %v (allowed: above 0, at most 255)", c.AdvEps)
	}
	if c.Preprocess != "" {
		if _, err := preprocess.Parse(c.Preprocess); err != nil {
			return option.Errorf(ErrConfig, "{preprocess}: %w", err)
		}
	}
	return nil
}

// pgd is the attack of adversarial training: Madry et al.'s, from a random start, in the norm that is asked for.
func (c *Config) pgd() attack.PGD {
	p := attack.Training()
	if c.AdvNorm == attack.L2.String() {
		p.Norm = attack.L2
	}
	p.Eps, p.Step, p.Steps = c.AdvEps/255, c.AdvStep/255, c.AdvSteps
	return p
}

// preprocess returns what images go through; nil for nothing.
func (c *Config) preprocess() preprocess.Method {
	if c.Preprocess == "" {
		return nil
	}
	m, err := preprocess.Parse(c.Preprocess)
	if err != nil {
		panic("train: " + err.Error()) // Check has parsed it
	}
	return m
}

// rows is how many images go through the network for n samples.
func (c *Config) rows(n int) int {
	_, views := c.views()
	switch {
	case c.Outliers != "":
		return n + c.OutlierBatch
	case c.Stability > 0:
		return 2 * n
	}
	return views*n + c.aux(n)
}

// extraLoss returns what Outlier Exposure, stability training or auxiliary views add to the cross-entropy of the first rows,
// and adds its gradient to d, which has that of the first rows.
func (r *runner) extraLoss(d, logits []float32, b *batch) float64 {
	switch at := b.n * r.classes; {
	case r.config.Outliers != "":
		loss := nn.OutlierExposure(d[at:], logits[at:], r.classes)
		for i := range d[at:] {
			d[at+i] *= float32(r.config.OutlierWeight)
		}
		return float64(r.config.OutlierWeight * loss)
	case r.config.Stability > 0:
		r.spare = buffer.Resize(r.spare, len(d))
		loss := nn.Stability(r.spare, logits, r.classes)
		clear(d[at:])
		for i, v := range r.spare {
			d[i] += float32(float32(r.config.Stability) * v)
		}
		return float64(r.config.Stability * loss)
	case r.config.AuxMix != "":
		loss := r.crossEntropy(d[at:], logits[at:], b)
		for i := range d[at:] {
			d[at+i] *= float32(r.config.AuxWeight)
		}
		return float64(r.config.AuxWeight * loss)
	}
	return 0
}

// disturb writes the batch's images with noise that is uniform in pixel values to dst. The sums are not cut to
// [0, 1]: the formula of stability training does not.
func (f *feed) disturb(b *batch, dst []float32) {
	size := 3 * f.w * f.h
	parallel.Do(b.n, f.workers, func(_, i int) {
		r := b.keys[i].Str("stability").Rand()
		for j, v := range b.planes[i*size:][:size] {
			u := r.Uniform(-f.config.StabilityNoise, f.config.StabilityNoise)
			dst[i*size+j] = v + float32(u)/f.norm.Std[j/(f.w*f.h)]
		}
	})
}
