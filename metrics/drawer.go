package metrics

import (
	"math/bits"
	"math/rand/v2"
)

// drawer draws rows with replacement.
type drawer struct {
	src   rand.Source
	words [512]uint64
}

// filler is a source that makes many words in less time than one by one, as those of package rng.
type filler interface{ Fill(dst []uint64) }

// draw draws, within each stratum, as many rows as it has. The integers below that number are uniform without bias (Lemire 2019). It is
// written out so that a seed gives the same interval with every Go release.
func (d *drawer) draw(w []uint32, strata []int) {
	clear(w)
	for _, n := range strata {
		part := w[:n]
		below := uint64(n)
		least := -below % below // a product below it is one too many of its integer
		for left := n; left > 0; {
			words := d.words[:min(left, len(d.words))]
			d.fill(words)
			for _, x := range words {
				hi, lo := bits.Mul64(x, below)
				if lo >= least {
					part[hi]++
					left--
				}
			}
		}
		w = w[n:]
	}
}

func (d *drawer) fill(words []uint64) {
	if f, ok := d.src.(filler); ok {
		f.Fill(words)
		return
	}
	for i := range words {
		words[i] = d.src.Uint64()
	}
}
