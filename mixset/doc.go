// Package mixset opens mixing sets: the images that PixMix mixes into training images (Hendrycks et al., PixMix,
// CVPR 2022). It generates them from a seed, or reads your own.
//
//	set, err := mixset.Open(ctx, "fractals", mixset.Options{Size: 32, Seed: 1})
//	m, err := mix.ParseMethod("pixmix-k4-b3", mix.Options{MixingSet: set, Size: 32})
//
// opens 10 000 color fractals for training images of 32 by 32. No files are needed: each image is generated when it is
// first used. A [Set] is a mix.MixingSet. A [Source] is the same images as a data set, for package generate to write.
//
// # Why generated
//
// The published set has 14 230 fractals collected from DeviantArt and 4 700 feature visualizations. It cannot be
// redistributed. Its authors found two things to matter (their Table 4): structure at many scales, and color. The mean
// corruption error on CIFAR-100-C is 33.9 % with FractalDB's gray fractals, 32.3 % with color fractals and 30.5 % with
// their complete set. The kinds here are made for both, and an image without them is rejected and drawn again.
//
// # Kinds
//
// [Kinds] is the table of generators. Parity says how near the images are to those of the source; no source promises
// bytes.
//
//	fractals            color fractals: iterated function systems drawn by Anderson and Farrell's sampler exactly;
//	                    some folded like fractal flames, some made rosettes; colored along the orbit by a palette
//	                    in perceptual color space; logarithmic density; before gradients, clouds or other fractals
//	escape              escape-time fractals: Mandelbrot, Multibrot, burning ship, tricorn and Celtic sets and
//	                    their Julia sets; windows on the boundary, smooth counts, orbit traps, relief
//	fractaldb           FractalDB as its program draws it, gray, by points or by patches. Parity: its search, its
//	                    instances and its renderer, with other random numbers
//	fractaldb-color     the same with the program's color option
//	deadleaves          dead leaves: squares, turned squares, rectangles, circles, polygons or all of them, of one
//	                    palette or of any color, plain, shaded or striped. Parity: statistical
//	deadleaves-squares  upright squares of any color, as in PixMix's Table 4. Parity: statistical
//	spectrum            noise with the spectrum, color axes and wavelet marginals of photographs. Parity: statistical
//	spectrum-color      the same without wavelet marginals. Parity: statistical
//	stylegan            random generator networks with oriented wavelets for filters. Parity: statistical
//	mixed               8 of 20 images fractals, 5 escape, 2 each deadleaves, spectrum and stylegan, 1
//	                    fractaldb-color
//
// # Your own images
//
// Any other spec is a path: a folder with images in sub-folders at any depth, a flat folder of images, a WebDataset, a
// NumPy array such as the 300 000 by 32 by 32 by 3 of 300K Random Images, or any other data set that package
// data/formats reads. Classes are ignored. The tree of the published set is a folder of the first sort; as in the
// published program, images next to the sub-folders are left out.
//
// As in the published programs, the shorter side is resized to [Side] of the training size by Pillow's antialiased
// bilinear filter, and package mix draws a new crop at each use. Images of an array that have exactly the training size
// are not resized but get a black border of 4 pixels: this is how the published program uses 300K Random Images.
//
// # Several sets
//
// A plus sign joins sets: "fractals+fvis.npy" is PixMix's own mixing set, fractals and feature visualizations, with an
// array that "augmix mixset fvis" made from a trained network. Every image is as likely as any other, so that the larger
// set is seen more often, as in a folder that holds both.
//
// # Memory and cache files
//
// 10 000 images for a training size of 32 take 52 MB, for 224 they take 2.6 GB. With [Options].Cache a set is kept in a
// file, which is mapped into memory where the system can: the second start is instant, and processes share the pages.
// The file appears under its name only when it is complete. It is made again when it is damaged, of another version, or
// when your own images have changed (by name, size or time). If it becomes shorter while it is used, images that it lacks
// are made again ([Set.CopyRect]).
package mixset
