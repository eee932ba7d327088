// Package augment holds the base operations of AugMix, PixMix and AutoAugment, the crops and flips of training
// pipelines, and Pillow's resizes.
//
// # Operations
//
// Every operation is a function of this package: [Rotate], [Posterize], [Color]. A row of [Ops] describes it: its name,
// its parameter with unit and range, how an AugMix level becomes that parameter, and the function itself.
//
//	op, err := augment.ByName("solarize")
//	v := op.Value(3, src.W, src.H, false)     // the threshold at level 3
//	op.Apply(dst, src, v, raster.RGB{})       // black where the image moves away
//
// [AugMixOps] returns the set that AugMix and PixMix draw from: nine operations, or all thirteen.
//
// # Policies
//
// [PolicyByName] returns the published policies of AutoAugment. The implementations of AutoAugment, RandAugment and
// TrivialAugment map a strength to a parameter in different ways; a [Scale] is one such mapping.
//
// # Geometry
//
// [RandomPadCrop] is the crop of CIFAR's recipes; [RandomResizedBox] and [Resizer.ResizeBox] together are ImageNet's
// random resized crop; [Resizer.Resize], [ShorterSide] and [CenterCrop] are what comes before a test.
//
// # Parity
//
// The operations that AugMix draws from, invert, grayscale and the resizes are exact: the same bytes as Pillow 9.4 for
// every 8-bit RGB image of any size. TestGolden of this package shows it on the project's own images and on those of
// the folder AUGMIX_GOLDEN. What is drawn at random has the published distribution.
//
// # Conventions
//
// Functions take dst first, give it the size of the result and overwrite it. dst must not be src unless the function
// says so. None allocates once dst is large enough.
//
// Package mix draws and mixes these operations; package transform combines them with crops, flips and mixes into a
// pipeline.
package augment
