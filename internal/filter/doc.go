// Package filter holds the image filters that several packages share: blurs, warps, zooms, resizing, color spaces, edges
// and distances. Every one follows the arithmetic of the library that the published corruption benchmarks were made
// with, and its comment names the border rule, the rounding rule and the order of summation, because all three reach
// output bytes.
//
// Borders, for a row a b c d:
//
//	nearest     a a a | a b c d | d d d   the edge sample is repeated (also called replicate)
//	reflect     c b a | a b c d | d c b   mirrored at the edge of the samples, the edge sample twice (half-sample)
//	reflect101  d c b | a b c d | c b a   mirrored at the center of the edge sample, which stays single
//
// Sums are taken in the order that the comments give, and no product is fused with the sum that it feeds, so that all
// architectures give the same bytes. Functions write all of dst, which must have been given its size by the caller
// where the comment does not say otherwise, and allocate only to grow buffers that they own.
package filter
