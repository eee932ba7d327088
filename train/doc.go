// Package train trains an image classifier: a data set and a mix make batches, package nn computes, and the state of
// the run lies in checkpoints from which it can go on.
//
// A [Recipe] says everything that the result depends on. [Run] does it in a folder of its own:
//
//	last.safetensors   weights, moments of the optimiser, averages and position after the last epoch, or where it was stopped
//	best.safetensors   the weights (or their average, where one is kept) after the epoch with the least validation error
//	model.safetensors  those after the last epoch
//	mixset.npy         with the mixing set [IterativeFVis]: the images in use
//	results.jsonl      rows of package results for every epoch (field "epoch") and for the end (without it)
//	events.out.*       the same as curves for TensorBoard
//
// # What is deterministic
//
// Every random choice is a function of the seed, the epoch and the sample: there is no generator whose state would have
// to be saved. So the position of a run is its number of steps, and a run that was stopped anywhere and goes on ends
// with the weights of one that was not, bit for bit. Images that are drawn from the network ([IterativeFVis]) depend on
// weights that are gone by then: they lie in a file, and the checkpoint has its digest. Batches do not depend on the number of goroutines that make them.
// The arithmetic of package nn is deterministic for one number of workers and one processor kind; a checkpoint records
// the number of workers, and a resumed run keeps it.
package train
