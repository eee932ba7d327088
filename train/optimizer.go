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
	var s nn.Schedule
	switch c.Schedule {
	case "cosine":
		s = nn.Cosine{Max: c.LR, Min: c.MinLR, Steps: c.Epochs * perEpoch}
	case "step":
		marks := make([]int, len(c.LRMilestones))
		for i, epoch := range c.LRMilestones {
			marks[i] = epoch * perEpoch
		}
		s = nn.Steps{Start: c.LR, Factor: c.LRGamma, Marks: marks}
	default:
		s = nn.Constant(c.LR)
	}
	if n := int(math.Round(c.Warmup * float64(perEpoch))); n > 0 {
		s = nn.Warmup{Steps: n, Then: s}
	}
	return s
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
