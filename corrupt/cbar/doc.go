// Package cbar makes the corruptions of ImageNet-C-bar and CIFAR-10-C-bar: ten for each, fifteen in all, at five
// severities (Mintun, Kirillov and Xie, "On Interaction Between Augmentations and Corruptions in Natural Corruption
// Robustness", NeurIPS 2021, and its published generator). They were chosen to be unlike those of package corrupt and
// unlike AugMix's operations.
//
// [ByName] looks a corruption up under its published name, misspellings included; [Op.Apply] corrupts one
// image, as every [corrupt.Corruption] does. A [Profile] says which ten there are and which severity values (0 to 10, see [Op.Level]) stand
// behind severities 1 to 5; the parameters follow from the value by laws that each type documents.
//
// Each corruption is also a type of its own (PlasmaNoise, Ripple, ...) whose fields are its parameters and whose work
// is split in two: Draw takes the random numbers from a *rng.Rand and Apply, a pure function, turns the image and the
// drawn numbers into the result, so that recorded draws can be replayed. Op.Apply is Draw, then Apply.
// CircularMotionBlur has no chance in it and no Draw.
//
// The published generator has some twenty further corruptions that neither set uses (caustic_noise, technicolor,
// fish_eye, ...). They are not here.
//
// # Parity
//
// With the reference's random numbers the results are, on the expected outputs of the tests (180 images):
//
//	exact                  blue_noise_sample, checkerboard_cutout
//	within one gray level  the other thirteen; all but 109 of 3.5 million bytes compared are equal
//
// The published code computes in floating point and truncates, so that a value that is an integer before truncation may
// fall on either side. Published seeds cannot be replayed, only the numbers drawn from them: this package's own streams
// give results of the same distribution (statistical parity). Differences in distribution, all of probability below
// 10^-5: perlin_noise draws a zero gradient again, where the reference divides by zero, and cocentric_sine_waves never
// draws a ring of width 0. The reference's data loader workers shared one stream, which repeated parameters across the
// published images; keyed streams do not.
//
// Results are the same bytes on every architecture.
//
// # Images
//
// The reference serves square images of side S only, published at 224 and 32. Here S is the shorter side, so that
// lengths derived from it (radii, wavelengths, cells, displacements) look alike in any shape; centers and starting
// points are uniform over the whole width and height; rotations are about the middle; pinch_and_twirl has blocks in
// proportion to both sides; the noise of blue_noise_sample and brownish_noise has the same grain along both axes (see
// there for odd sides). On square images all of this is as published. An image that is too small is rejected with
// [ErrSize]; each type documents its least side. The two noises transform sides with a large prime factor p at a cost
// of p operations a sample.
//
// Results are truncated to bytes. Gray images, stored as three equal channels, are treated as color, as published:
// plasma_noise, brownish_noise and transverse_chromatic_abberation color them. dst takes the size of src; it must not
// be src nor share its memory. Points are (row, column) throughout.
package cbar
