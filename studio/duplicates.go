package studio

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/augmix-go/augmix/raster"
)

// Of the hash by which images that nearly repeat are found: the signs of the differences of neighbors in the image reduced to 9 by 8 gray
// pixels. Images whose hashes differ in few bits look alike; resizing, recompression and slight changes of brightness keep most bits.
const (
	hashSide     = 8
	hashDistance = 3   // most bits in which near-duplicates differ
	maxPairs     = 200 // that are told
	bands        = hashDistance + 1
	maxNeighbors = 2000 // with one band in common that an image is compared with
)

// hashed is an image and its hash.
type hashed struct {
	listedSample
	part int
	hash uint64
	ok   bool // it could be decoded
}

// duplicate is two images that nearly repeat.
type duplicate struct {
	A     listedSample `json:"a"`
	B     listedSample `json:"b"`
	Bits  int          `json:"bits"`  // in which the hashes differ
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

// duplicates returns the pairs that nearly repeat, those across parts first, then the nearest, and whether there are more than are
// told. Two hashes that differ in up to 3 bits are equal in one of 4 bands of 16 bits, so that only those are compared.
func duplicates(all []hashed) (pairs []duplicate, many bool) {
	pairs = []duplicate{}
	for band := range bands {
		bucket := map[uint16][]int{}
		for i := range all {
			b := &all[i]
			if !b.ok || b.hash == 0 { // an image of one color
				continue
			}
			key := uint16(b.hash >> (16 * band))
			others := bucket[key]
			for _, j := range others[max(0, len(others)-maxNeighbors):] {
				a := &all[j]
				differ := a.hash ^ b.hash
				if n := bits.OnesCount64(differ); n > hashDistance || firstBand(differ) != band {
					continue
				} else if len(pairs) == 100*maxPairs {
					return finish(pairs)
				} else {
					pairs = append(pairs, duplicate{a.listedSample, b.listedSample, n, a.part != b.part, a.Label != b.Label})
				}
			}
			bucket[key] = append(others, i)
		}
	}
	return finish(pairs)
}

// firstBand is the first band in which two hashes are equal: there the pair is counted.
func firstBand(differ uint64) int {
	for band := range bands {
		if uint16(differ>>(16*band)) == 0 {
			return band
		}
	}
	return bands
}

func finish(pairs []duplicate) ([]duplicate, bool) {
	slices.SortStableFunc(pairs, func(a, b duplicate) int {
		if a.Apart != b.Apart {
			if a.Apart {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Bits, b.Bits), cmp.Compare(a.A.Key, b.A.Key))
	})
	return pairs[:min(len(pairs), maxPairs)], len(pairs) > maxPairs
}
