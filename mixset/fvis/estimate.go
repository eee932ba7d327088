package fvis

import (
	"context"
	"time"
)

// usualTries is how often an image is made on the average, until it is not degenerate: 1.4 times with ResNet-20 trained on
// CIFAR-10, twice with random weights.
const usualTries = 1.4

// Estimate measures how long an image takes about: a step of a block from each of the depths that the layers are divided
// among, times the steps and the usual number of tries. It makes no image, and what it takes is a few steps.
func (p *Visualizer) Estimate(ctx context.Context) (time.Duration, error) {
	steps := p.o.Steps
	p.o.Steps = 1
	defer func() { p.o.Steps = steps }()
	all := make([]int, p.block)
	for i := range all {
		all[i] = i
	}
	var total time.Duration
	for at := range p.groups {
		if err := p.load(at); err != nil {
			return 0, err
		}
		var took time.Duration
		for range 2 { // the first makes the network's buffers
			begun := time.Now()
			if _, err := p.ascend(ctx, 0, 0, all); err != nil {
				return 0, err
			}
			took = time.Since(begun)
		}
		total += took
	}
	step := float64(total) / float64(len(p.groups)*p.block)
	return time.Duration(step * float64(steps) * usualTries), nil
}
