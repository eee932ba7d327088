// Package eval measures how robust a classifier is: it sends a data set, its corrupted and its perturbed forms through
// a [Predictor] and has package score write the papers' metrics of the outputs as rows of package results.
//
// An [Evaluator] is a [Model] and a [Store], and has a method for each suite: Clean, Corruptions, Perturbations,
// Adversarial, OOD and Fourier. The model is a [Network] of [LoadNetwork], an [ONNX] file, or any Predictor; a
// [Remote] is one whose model runs in another program.
//
// The -C, C-bar and -P forms are read from disk, as package generate writes them and as they were published, or made on
// the fly from a seed. The pipeline that makes them is the same, so a seed gives the same bytes either way. Everything
// streams: memory does not grow with the data set, but for eight bytes an image for the calibration metrics.
//
// A measurement is stored as soon as it is complete, one corruption at a time; a run that was interrupted skips what the
// store's rows hold already. Rows, records of each prediction and examples lie in a run's folder, which package report
// reads.
package eval
