// Package train trains an image classifier: a data set and an augmentation make batches, package nn computes, and the state
// of the run lies in checkpoints from which it can be resumed.
//
// A [Config] says everything that the result depends on, and [Run] does it in a folder of its own, with data sets that
// package data/formats opens:
//
//	c := train.Default()
//	c.Data, c.Model, c.Mix, c.JSD = "cifar10", "wrn-40-2", "augmix-m3-w3-d-1", true
//	c.Crop, c.Flip = "pad4:32", true
//	result, err := train.Run(ctx, c, train.Options{Dir: "runs/augmix", Train: images, Val: tests})
//
// Package recipe reads a Config from a file, package experiment opens everything that it names. The folder holds
//
//	last.safetensors   weights, moments of the optimizer, averages and position after the last epoch, or where it was stopped
//	best.safetensors   the weights (or their average, where one is kept) after the epoch with the least validation error
//	model.safetensors  those after the last epoch
//	mixset.npy         with the mixing set [IterativeFVis]: the current images
//	results.jsonl      rows of package results for every epoch (field "epoch") and for the end (without it)
//	events.out.*       the same as curves for TensorBoard
//
// # What is deterministic
//
// Every random choice is a function of the seed, the epoch and the sample: there is no generator whose state would have
// to be saved. So the position of a run is its number of steps, and a run that was stopped anywhere and resumed ends with
// the weights of one that was not, bit for bit. The images of [IterativeFVis] depend on weights that are gone by then:
// they lie in a file, and the checkpoint has its digest. Batches do not depend on the number of goroutines that make
// them, and the arithmetic of package nn is the same everywhere: a run that began on one machine resumes on another to the
// same files.
package train
