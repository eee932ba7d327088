// Package eval measures how robust a classifier is: it sends a data set, its corrupted and its perturbed forms through
// a [Predictor] and writes the papers' metrics as rows of package results.
//
// The -C, C-bar and -P forms are read from disk, as "augmix corrupt" and "augmix perturb" write them and as they were
// published, or made on the way from a seed. The pipeline that makes them is that of package generate, so a seed gives
// the same bytes either way. Everything streams: memory does not grow with the data set, but for eight bytes an image
// for the calibration metrics.
//
// A measurement is kept as soon as it is complete, one corruption at a time; a run that was interrupted skips what its
// results file holds already.
package eval
