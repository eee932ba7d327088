// Package mix augments training images: AugMix, PixMix, Mixup, CutMix and the methods that their papers compare with.
//
// # Methods
//
// A method is a Go value with its parameters as fields, or a spec string that describes one:
//
//	none                leave the image as it is
//	standard            flip horizontally at random, pad and crop at random
//	augmix              chains of operations, mixed with each other and with the original
//	pixmix              rounds of adding and multiplying with images of a mixing set
//	ipmix               chains of operations or of mixes with a mixing set, in squares too
//	mixup, cutmix       mix two images and their labels
//	deepaugment         run images through a distorted network of yours
//	afa                 add a plane wave to each channel
//	apr                 amplitudes of one augmented copy, phases of another
//	corrupt             corrupt images as the benchmarks do
//	prime               chains of random filters, color maps and displacements
//	noise2net           run images through a network of random weights
//	style               give images the style of others, by a network of yours
//	cutout, randomerasing, patchgaussian, patchuniform, gaussian, speckle
//	autoaugment, randomautoaugment, randaugment, trivialaugment
//
// Methods joined by '+' run one after the other: "standard+augmix-m3+cutmix-p0.5". [Table] lists the methods with their
// options, defaults and ranges; [ParseSpec] describes the syntax.
//
// # Types
//
// An [Augmentation] makes one image of one image: [AugMix], [PixMix], [Cutout] and most others. A [BatchMix] makes one
// image of two and mixes their labels: [Mixup] and [CutMix]. A [Method] is any number of them in a row.
//
// [Parse] reads a spec of one image and returns an Augmentation. [ParseMethod] reads any spec and returns a Method.
// [ParseSpec] only checks a spec, for programs that open the mixing set later. A method that lacks what it needs is an
// error and not a value.
//
//	m, err := mix.Parse("augmix-m3")            // one image at a time
//	m.Apply(dst, src, &r, &s)                   // 8-bit pixels
//	m.ApplyPlanes(x, src, &mix.Half, &r, &s)    // float32 in planes, normalized
//
//	var b mix.Batch                             // many images, all cores
//	b.Views(m, x, srcs, &mix.Half, keys, 1, 3)  // clean and two mixtures: the consistency loss of AugMix
//
//	m, err := mix.ParseMethod("standard+pixmix+cutmix", mix.Options{MixingSet: set})
//	b.Train(m, x, targets, &step)               // a training batch with soft labels
//	t, err := m.Apply(dst, &sample, nil, &s)    // one sample whose partner the caller fetches
//
// # Neighbors
//
// Package augment holds the operations that these methods draw, with Pillow's arithmetic, and the crops that come
// before them. Package mixset generates and reads mixing sets; a mixset.Set is a [MixingSet]. Package nn trains on what
// [Batch.Train] and [Batch.Views] write: its JSD loss takes the views in the order of Views.
//
// # Random streams
//
// Nothing is random but what a [rng.Rand] draws, and a Rand is seeded by a key: the seed of the run, the sample, its
// epoch and view. The functions for batches take a key for each image, so that their output does not depend on the
// number of workers or on the order of the work. Each function documents the streams that it draws from.
//
// Drawing and applying are apart: [AugMix.DrawTo], [PixMix.DrawTo] and their kin return every random choice as plain
// data, and Replay applies it. Choices can be recorded, drawn as a figure or taken from another implementation.
//
// # Compared with timm
//
// The spec strings follow timm's style but not its defaults. timm's augmix-m3 draws from 13 operations; here augmix-m3
// draws from the nine that do not overlap ImageNet-C, as the paper does, and augmix-m3-all draws from all 13. timm's
// rand-m9-n2 is randaugment-m9-n2 here.
package mix
