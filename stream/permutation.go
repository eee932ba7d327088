package stream

import (
	"fmt"
	"math/bits"

	"github.com/augmix-go/augmix/rng"
)

// permutation is a keyed order of 0 to n-1 that is computed place by place: a Feistel network over the least power of 4 that
// holds n, walked until it hits one of them. It keeps nothing, so that any place of a long stream is as near as the first.
type permutation struct {
	n    uint64
	half int // bits of each half
	keys [rounds]rng.Key
}

// rounds of a Feistel network: four make it a pseudorandom permutation.
const rounds = 4

func newPermutation(n int, key rng.Key) permutation {
	p := permutation{n: uint64(n), half: (bits.Len64(uint64(max(n-1, 1))) + 1) / 2}
	for i := range p.keys {
		p.keys[i] = key.Uint(uint64(i))
	}
	return p
}

// at returns which of them lies at place i. It panics where there is no such place, from which the walk might never come to one.
func (p *permutation) at(i int) int {
	v := uint64(i)
	if i < 0 || v >= p.n {
		panic(fmt.Sprintf("stream: place %d of %d", i, p.n))
	}
	for {
		left, right := v>>p.half, v&(1<<p.half-1)
		for k := range p.keys {
			r := p.keys[k].Uint(right).Rand()
			left, right = right, left^r.Uint64()&(1<<p.half-1)
		}
		if v = left<<p.half | right; v < p.n {
			return int(v)
		}
	}
}
