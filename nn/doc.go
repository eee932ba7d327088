// Package nn trains and runs the networks that package nn/graph describes: float32 on the CPU, with kernels of its own.
//
// A [Net] is made from a graph; its parameters and buffers are [Tensor] values named and ordered as PyTorch's. A
// training step is
//
//	logits := net.Forward(x, batch, nn.Mode{Train: true, Key: key})
//	loss := nn.CrossEntropy(dlogits, logits, labels, classes, 0)
//	net.Backward(dlogits)
//	optimizer.Step(net.Tensors(), schedule.At(step))
//
// # How it runs
//
// New turns the graph into a list of steps. In a step, every worker takes its own images one by one through a few
// layers, so that what one layer writes the next reads from the cache; steps end where the whole batch is needed, that
// is at the statistics of a batch norm. Batch norms and the activations after them are not stored: whoever needs the
// result computes it from the convolution's output, in the forward pass and again in the backward pass. A training step
// therefore holds about one activation a convolution. Buffers that are not needed at the same time share memory, and a
// value that lives within one step needs memory for one image a worker only.
//
// 3x3 convolutions of stride 1 use Winograd's algorithm where there are enough channels (package winograd), all others
// the direct sum (package conv). Where its kernels do not stay in the cache, a worker takes several images through such a
// convolution at once.
//
// Without training, batch norms behind a convolution are folded into its weights, and workers take groups of images
// through the whole network.
//
// With fewer images than workers they divide the rows of each convolution instead; a training step always divides
// images.
//
// Results are deterministic: the same graph, values and inputs give the same bits for any number of workers, with
// AVX-512, AVX2, NEON or plain Go, on any architecture. A sum goes over its terms in one order, by fused multiply-adds in
// convolutions and matrix products; weights' gradients are summed over chunks of images that follow from the shape; plain Go
// computes the fused multiply-add that a processor has (detmath.FMA32), and exp, log, cos and erf are those of package
// detmath. TestPinnedBits holds hashes.
package nn
