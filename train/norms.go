package train

import (
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/nn/graph"
)

// checkNorms returns an error that wraps [ErrConfig] where a step of an epoch, the last one if not all, gives a batch norm one value of each
// channel: its variance is 0, so that nothing before it learns and its running average decays. PyTorch refuses such a step when it comes.
func (r *runner) checkNorms() error {
	samples, batch := r.train.Len(), r.config.Batch
	last := samples - (steps(samples, batch)-1)*batch // the fewest of a step
	if r.config.rows(last)-r.config.aux(last) > 1 {   // auxiliary ones are as many as samples
		return nil
	}
	for _, n := range r.graph.Nodes {
		if _, ok := n.Op.(graph.BatchNorm); ok && n.Shape.H*n.Shape.W == 1 {
			return option.Errorf(ErrConfig, "{batch}: %d of %d samples makes a step with one image, and of images of %dx%d pixels the batch norm "+
				"%s of %s sees a single value a channel then, which has no variance (allowed: a {batch} that leaves no image alone, larger "+
				"images, or another {model})", batch, samples, r.w, r.h, n.Name, r.graph.Name)
		}
	}
	return nil
}
