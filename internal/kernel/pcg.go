package kernel

import "math/bits"

// PCGBlock is how many words [PCG.Next] makes at a time.
const PCGBlock = 128

// PCG runs ahead of a stream of random numbers, PCG-DXSM with 128 bits of state as in math/rand/v2: a state is the last one
// times a constant plus another, modulo 2^128, and each state has an output.
type PCG struct {
	Hi, Lo [PCGBlock]uint64 // states, those of the words
	Word   [PCGBlock]uint64 // outputs
	lanes  pcgLanes
}

// pcgLanes are the states of the next words.
type pcgLanes struct{ hi, lo [8]uint64 }

const (
	pcgMulHi, pcgMulLo = 0x2360ed051fc65da4, 0x4385df649fccf645
	pcgAddHi, pcgAddLo = 0x5851f42d4c957f2d, 0x14057b7ef767814f
	pcgOutput          = 0xda942042e4dd58b5
)

// PCGStep returns the state after (hi, lo).
func PCGStep(hi, lo uint64) (uint64, uint64) {
	h, l := bits.Mul64(lo, pcgMulLo)
	h += hi*pcgMulLo + lo*pcgMulHi
	l, carry := bits.Add64(l, pcgAddLo, 0)
	h, _ = bits.Add64(h, pcgAddHi, carry)
	return h, l
}

// PCGWord returns the output of the state (hi, lo).
func PCGWord(hi, lo uint64) uint64 {
	hi ^= hi >> 32
	hi *= pcgOutput
	hi ^= hi >> 48
	return hi * (lo | 1)
}

// Start puts p behind the state (hi, lo).
func (p *PCG) Start(hi, lo uint64) {
	for i := range p.lanes.hi {
		hi, lo = PCGStep(hi, lo)
		p.lanes.hi[i], p.lanes.lo[i] = hi, lo
	}
}

// Next makes the next n words, at most PCGBlock. The call after one whose n is no multiple of 8 must be Start.
func (p *PCG) Next(n int) {
	n = (n + 7) &^ 7
	if pcgVector(p, n) {
		return
	}
	hi, lo := p.lanes.hi[0], p.lanes.lo[0]
	for i := range n {
		p.Hi[i], p.Lo[i], p.Word[i] = hi, lo, PCGWord(hi, lo)
		hi, lo = PCGStep(hi, lo)
	}
	p.lanes.hi[0], p.lanes.lo[0] = hi, lo
}
