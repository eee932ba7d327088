package studio

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// Images that nearly repeat are found in two steps. Candidates are pairs whose hashes differ in few bits: the signs of the differences of
// neighbors in the image reduced to 9 by 8 gray pixels, most of which resizing, recompression and changes of brightness keep. Of these
// such pairs are told whose reductions to 8 by 8 colored pixels correlate. Numbers are from CIFAR-100, see docs/studio.md.
const (
	hashSide     = 8
	hashDistance = 10   // most bits in which candidates differ
	leastAlike   = 0.97 // correlation, each channel about its own mean
	maxPairs     = 200  // that are told
	countPairs   = 20000
	bands        = hashDistance + 1
	maxNeighbors = 10000 // with one band in common that an image is compared with
)

// hashed is an image and its hash.
type hashed struct {
	listedSample
	part int
	hash uint64
	look [3 * hashSide * hashSide]uint8 // red, green and blue of 8 by 8 pixels
	ok   bool                           // it could be decoded
}

// duplicate is two images that nearly repeat.
type duplicate struct {
	A     listedSample `json:"a"`
	B     listedSample `json:"b"`
	Alike float64      `json:"alike"` // correlation, up to 1
	Apart bool         `json:"apart"` // they are of different parts: a test image that training sees
	Label bool         `json:"label"` // their labels differ
}

// hashOf returns the hash of an image of 9 by 8 pixels.
func hashOf(m *raster.Image) (h uint64) {
	gray := func(x, y int) int {
		c := m.At(x, y)
		return 299*int(c.R) + 587*int(c.G) + 114*int(c.B)
	}
	for y := range hashSide {
		for x := range hashSide {
			h <<= 1
			if gray(x, y) < gray(x+1, y) {
				h |= 1
			}
		}
	}
	return h
}

// duplicateSummary is what is told of the images that nearly repeat.
type duplicateSummary struct {
	Pairs []duplicate `json:"pairs"` // those across parts first, then those most alike
	Total int         `json:"total"` // of all pairs; countPairs stands for as many or more
	Seen  int         `json:"seen"`  // images of the part that is shown which another part has too
}

// Capped reports whether there may be more pairs than Total.
func (d *duplicateSummary) Capped() bool { return d.Total >= countPairs }

// duplicates returns the pairs that nearly repeat. The error is that of ctx.
func duplicates(ctx context.Context, all []hashed) (*duplicateSummary, error) {
	out, seen := &duplicateSummary{Pairs: []duplicate{}}, map[string]bool{}
	err := candidates(ctx, all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		r := alike(a, b)
		if r < leastAlike {
			return true
		}
		out.Pairs = append(out.Pairs, duplicate{a.listedSample, b.listedSample, r, a.part != b.part, a.Label != b.Label})
		for _, one := range []*hashed{a, b} {
			if a.part != b.part && one.part == 0 {
				seen[one.ID] = true
			}
		}
		return len(out.Pairs) < countPairs
	})
	slices.SortStableFunc(out.Pairs, func(a, b duplicate) int {
		if a.Apart != b.Apart {
			if a.Apart {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Alike, a.Alike), cmp.Compare(a.A.Key, b.A.Key), cmp.Compare(a.B.Key, b.B.Key))
	})
	out.Total, out.Seen = len(out.Pairs), len(seen)
	out.Pairs = out.Pairs[:min(len(out.Pairs), maxPairs)]
	return out, err
}

// alike is the correlation of two reduced images, each channel about its mean; 0 where one is of one color.
func alike(a, b *hashed) float64 {
	var ab, aa, bb int
	for c := range 3 {
		const n = hashSide * hashSide
		x, y := a.look[c*n:][:n], b.look[c*n:][:n]
		var sx, sy, xy, xx, yy int
		for i := range n {
			u, v := int(x[i]), int(y[i])
			sx, sy, xy, xx, yy = sx+u, sy+v, xy+u*v, xx+u*u, yy+v*v
		}
		ab, aa, bb = ab+n*xy-sx*sy, aa+n*xx-sx*sx, bb+n*yy-sy*sy
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return float64(ab) / math.Sqrt(float64(aa)*float64(bb))
}

// candidates calls f once with every pair of images, j before i, whose hashes differ in up to hashDistance bits, until f returns false.
// Such hashes are equal in one of 11 bands of bits, so that only those are compared. The error is that of ctx.
func candidates(ctx context.Context, all []hashed, f func(j, i int) bool) error {
	for band := range bands {
		bucket := map[uint64][]int{}
		for i := range all {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			b := &all[i]
			if !b.ok || b.hash == 0 { // an image of one color
				continue
			}
			key := b.hash & bandMask(band)
			others := bucket[key]
			for _, j := range others[max(0, len(others)-maxNeighbors):] {
				differ := all[j].hash ^ b.hash
				if bits.OnesCount64(differ) <= hashDistance && firstBand(differ) == band && !f(j, i) {
					return nil
				}
			}
			bucket[key] = append(others, i)
		}
	}
	return nil
}

// bandMask has the bits of a band: the 64 bits in as many parts of nearly equal size.
func bandMask(band int) uint64 {
	from, to := 64*band/bands, 64*(band+1)/bands
	return (1<<(to-from) - 1) << from
}

// firstBand is the first band in which two hashes are equal: there the pair is counted.
func firstBand(differ uint64) int {
	for band := range bands {
		if differ&bandMask(band) == 0 {
			return band
		}
	}
	return bands
}
