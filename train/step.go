package train

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/rng"
)

// step is one step of the optimizer.
func (r *runner) step(b *batch) error {
	if r.softTargets() || r.config.JSD || r.config.AugMax > 0 {
		smooth(b.targets, r.classes, r.config.Smoothing)
	}
	if r.config.Adversarial {
		if err := r.attack(b); err != nil {
			return err
		}
	}
	if r.config.AugMax > 0 {
		r.searchAugMax(b)
	}
	if r.ant != nil {
		if err := r.teachNoise(b, r.config.ANTLR); err != nil {
			return err
		}
		r.disturbBatch(b)
	}
	rows := r.config.rows(b.n)
	logits := r.net.Forward(b.planes, rows, nn.Mode{
		Train: true, Key: rng.NewKey(r.config.Seed).Str("dropout").Uint(uint64(r.state.Steps)),
		Aux: r.config.aux(b.n), Mix: r.mixFeatures(b),
	})
	d := r.dlogits[:r.net.Exits()*rows*r.classes]
	var loss float64
	for k := range r.net.Exits() {
		loss += r.loss(d[k*rows*r.classes:][:rows*r.classes], r.net.ExitLogits(k), b)
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return r.diverged(fmt.Sprintf("the loss is %v in epoch %d, step %d of %d", loss, r.state.Epoch+1,
			r.state.InEpoch+1,
			steps(r.train.Len(), r.config.Batch)))
	}
	r.net.Backward(d)
	loss += r.condenser.Gradient()
	if r.config.ClipGrad > 0 {
		nn.ClipNorm(r.trained, r.config.ClipGrad)
	}
	rate := r.rate.At(r.state.Steps)
	r.opt.Step(r.trained, rate)
	r.condenser.Step(float64(r.state.Steps+1) / float64(r.config.Epochs*steps(r.train.Len(), r.config.Batch)))
	if r.ema != nil {
		r.ema.Update()
		r.condenser.Mask(r.ema.State())
	}
	s := &r.state
	s.LossSum += float64(loss * float64(b.n))
	s.Wrong += wrong(logits, b.labels, r.classes)
	s.Seen += b.n
	s.InEpoch++
	s.Steps++
	r.log.step(s, loss, rate)
	if r.options.OnStep != nil {
		r.options.OnStep(&Step{Epoch: b.epoch, Index: b.index, Samples: s.Seen, First: r.first, Loss: loss, LR: rate})
	}
	return nil
}

// loss returns the loss of a step at one exit and writes its gradient to d.
func (r *runner) loss(d, logits []float32, b *batch) float64 {
	_, views := r.config.views()
	smoothing := r.config.Smoothing
	if r.config.AugMax > 0 {
		return r.augMaxLoss(d, logits, b)
	}
	if !r.config.JSD {
		n := b.n * r.classes
		return r.crossEntropy(d[:n], logits[:n], b) + r.extraLoss(d, logits, b)
	}
	var loss float64
	switch {
	case r.softTargets() || smoothing > 0:
		loss, _, _ = nn.SoftJSD(d, logits, b.targets, r.classes, views, r.config.Lambda)
	default:
		loss, _, _ = nn.JSD(d, logits, b.labels, r.classes, views, r.config.Lambda)
	}
	return loss
}

// crossEntropy is the loss of images with labels; soft ones have been smoothed.
func (r *runner) crossEntropy(d, logits []float32, b *batch) float64 {
	if r.softTargets() {
		return nn.SoftCrossEntropy(d, logits, b.targets, r.classes)
	}
	return nn.CrossEntropy(d, logits, b.labels, r.classes, r.config.Smoothing)
}

// softTargets reports whether images have several labels.
func (r *runner) softTargets() bool { return r.soft || r.config.FeatureMix > 0 }

// smooth spreads a share of soft labels over all classes.
func smooth(targets []float32, classes int, share float64) {
	if share == 0 {
		return
	}
	keep, each := float32(1-share), float32(share/float64(classes))
	for i := range targets {
		targets[i] = float32(targets[i]*keep) + each
	}
}

// wrong counts the rows whose largest logit, the first of equals, is not the label. Only as many rows as there are
// labels are looked at: those of the first view.
func wrong(logits []float32, labels []int, classes int) int {
	n := 0
	for i, label := range labels {
		row := logits[i*classes:][:classes]
		best := 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
		}
		if best != label {
			n++
		}
	}
	return n
}
