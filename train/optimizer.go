package train

import (
	"math"
	"runtime"

	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
)

// optimizer returns the one of the configuration. Check has made sure that there is one.
func (c *Config) optimizer() nn.Optimizer {
	switch c.Optimizer {
	case "adam":
		return &nn.Adam{WeightDecay: c.WeightDecay}
	case "adamw":
		return &nn.AdamW{Adam: nn.Adam{WeightDecay: c.WeightDecay}}
	}
	return &nn.SGD{Momentum: c.Momentum, Nesterov: c.Nesterov, WeightDecay: c.WeightDecay}
}

// schedule returns the learning rate of every step, for epochs of so many steps. The warm-up takes the place of the
// first steps of the schedule, it does not push them back.
func (c *Config) schedule(perEpoch int) nn.Schedule {
	most, least := c.rates()
	var s nn.Schedule
	switch c.Schedule {
	case "cosine":
		s = nn.Cosine{Max: most, Min: least, Steps: c.Epochs * perEpoch}
	case "step":
		marks := make([]int, len(c.LRMilestones))
		for i, epoch := range c.LRMilestones {
			marks[i] = epoch * perEpoch
		}
		s = nn.Steps{Start: most, Factor: c.LRGamma, Marks: marks}
	default:
		s = nn.Constant(most)
	}
	if n := int(math.Round(c.Warmup * float64(perEpoch))); n > 0 {
		s = nn.Warmup{Steps: n, Then: s}
	}
	return s
}

// rates returns the learning rate and its least value for the batch at hand: in proportion to it where the configuration
// says for which batch they are (Goyal et al., Accurate, Large Minibatch SGD, 2017).
func (c *Config) rates() (most, least float64) {
	if c.LRBatch == 0 {
		return c.LR, c.MinLR
	}
	scale := float64(c.Batch) / float64(c.LRBatch)
	return c.LR * scale, c.MinLR * scale
}

// average returns the tensors of the average of the weights; none where none is kept.
func (r *runner) average(prefix string) []weights.Tensor {
	if r.ema == nil {
		return nil
	}
	return tensors(r.ema.State(), prefix)
}

func resolveWorkers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}
