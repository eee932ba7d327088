// Package mixset opens mixing sets: the images that PixMix mixes into training images (Hendrycks et al., PixMix,
// CVPR 2022). It generates them from a seed, or reads the user's own.
//
// The published set, 14 230 fractals collected from DeviantArt and 4 700 feature visualizations, cannot be
// redistributed. What its authors found to matter (their Table 4) is structure at many scales and color: mean
// corruption error on CIFAR-100-C is 33.9 % with FractalDB's gray fractals, 32.3 % with color fractals and 30.5 % with
// their whole set. So the kinds here are made for both, and an image without them, a dud, is drawn again.
//
//	set, err := mixset.Open(ctx, "fractals", mixset.Options{Size: 32, Seed: 1})
//
// gives 10 000 color fractals for images of 32 by 32, with no files at all: each is generated when it is first asked
// for. A [Set] is a mix.MixingSet.
//
// # Kinds
//
// The generators are in package internal/procedural, a file for each, and in the table of [Kinds]. Parity says how near the images
// are to those that the source describes; none of the sources promises bytes.
//
//	fractals            color fractals: iterated function systems drawn by Anderson and Farrell's sampler exactly,
//	                    some folded as fractal flames are, some made rosettes; colored along the orbit by a palette
//	                    in perceptual color space; logarithmic density; before gradients, clouds or other fractals
//	escape              escape-time fractals: Mandelbrot, Multibrot, burning ship, tricorn and Celtic sets and
//	                    their Julia sets; windows on the boundary, smooth counts, orbit traps, relief
//	fractaldb           FractalDB as its program draws it, gray, by points or by patches. Parity: its search, its
//	                    instances and its renderer, with other random numbers
//	fractaldb-color    the same in the program's color option
//	deadleaves          dead leaves: squares, turned squares, rectangles, circles, polygons or all of them, of one
//	                    palette or of any color, plain, shaded or striped. Parity: statistical
//	deadleaves-squares  upright squares of any color, as in PixMix's Table 4. Parity: statistical
//	spectrum            noise with the spectrum, color axes and wavelet marginals of photographs. Parity: statistical
//	spectrum-color     the same without wavelet marginals. Parity: statistical
//	stylegan            random generator networks with oriented wavelets for filters. Parity: statistical
//	mixed               8 of 20 images fractals, 5 escape, 2 each deadleaves, spectrum and stylegan, 1
//	                    fractaldb-color
//
// # One's own images
//
// Any other spec is a path: a folder with images in sub-folders at any depth (the tree of the published set is one;
// as there, images beside the folders are left out), a flat folder of images, a WebDataset, a NumPy array such as
// the 300 000 by 32 by 32 by 3 of 300K Random Images, or any other data set that package data/formats reads. Classes
// are ignored. As in the published programs the shorter side is resized to [Side] of the training size by Pillow's
// antialiased bilinear filter, and the crop is drawn anew at each use, by package mix. Images of an array that have
// the training size exactly are not resized but get a black border of 4 pixels, which is how the published program uses
// 300K Random Images.
//
// # Memory and cache files
//
// 10 000 images for a training size of 32 take 52 MB, for 224 they take 2.6 GB. With [Options].Cache a set lies in a
// file instead, mapped into memory where the system can: the second start is instant, and processes share the pages.
// The file appears under its name only when it is whole, and is made anew when it is damaged, of another version, or
// when the user's own images have changed (by name, size or time).
package mixset
