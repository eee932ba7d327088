// Package fvis draws feature visualizations: images that a channel of a network answers to most (Olah et al., Feature
// Visualization, Distill 2017). PixMix (Hendrycks et al., CVPR 2022) mixes with such images of the initial layers of
// several networks; the published 4 700 come from OpenAI Microscope and cannot be redistributed, so that they are made here,
// from any network that package nn runs.
//
//	p, err := fvis.New(net, fvis.Options{Side: 64, Seed: 1, Mean: mean, Std: std})
//	...
//	subjects, err := p.Block(ctx, images, 0)
//
// # How an image is made
//
// What is maximized is the mean of one channel over the image, before the activation, or of a random direction in the
// plane of two channels of one layer. Gradients by the image need no inner access to a network: [Cut] makes a
// network that ends there, whose logits are the channels' means.
//
// The image is the logistic function of three decorrelated color channels, which are given by the coefficients of a
// Hartley transform, each divided by a power of its frequency. Adam climbs in these coefficients. Each step looks at
// the image under another shift, turn and scale; the image repeats itself in all directions, so that there is no border
// at which the view ends, and the result can be tiled. An image without structure over its whole is made again with
// another channel.
//
// # Parity
//
// The method is that of the paper with a few dozen steps instead of hundreds; images are of the same kind as the
// published ones, and none is the same. An image of the same weights is the same bytes everywhere.
package fvis
