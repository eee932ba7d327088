package train

import (
	"math"
	"runtime"

	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
)

// optimizer returns what the recipe says. Check has made sure that it says one.
func (r *Recipe) optimizer() nn.Optimizer {
	switch r.Optimizer {
	case "adam":
		return &nn.Adam{WeightDecay: r.WeightDecay}
	case "adamw":
		return &nn.AdamW{Adam: nn.Adam{WeightDecay: r.WeightDecay}}
	}
	return &nn.SGD{Momentum: r.Momentum, Nesterov: r.Nesterov, WeightDecay: r.WeightDecay}
}

// schedule returns the learning rate of every step, for epochs of so many steps. The warm-up takes the place of the
// first steps of the schedule, it does not push them back.
func (r *Recipe) schedule(perEpoch int) nn.Schedule {
	var s nn.Schedule
	switch r.Schedule {
	case "cosine":
		s = nn.Cosine{Max: r.LR, Min: r.MinLR, Steps: r.Epochs * perEpoch}
	case "step":
		marks := make([]int, len(r.Drops))
		for i, epoch := range r.Drops {
			marks[i] = epoch * perEpoch
		}
		s = nn.Steps{Start: r.LR, Factor: r.Drop, Marks: marks}
	default:
		s = nn.Constant(r.LR)
	}
	if n := int(math.Round(r.Warmup * float64(perEpoch))); n > 0 {
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
