package metrics

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
)

// meanBytes is how long an encoded [Mean] is.
const meanBytes = 8 + 8*limbs

// AppendBinary implements [encoding.BinaryAppender]: the number of addends and the limbs of their exact sum, so that means of the
// same numbers, added and merged in any order, have the same bytes.
func (m *Mean) AppendBinary(b []byte) ([]byte, error) {
	sum := m.sum
	sum.carry()
	b = binary.LittleEndian.AppendUint64(b, m.n)
	for _, v := range sum.limb {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b, nil
}

// MarshalBinary implements [encoding.BinaryMarshaler].
func (m *Mean) MarshalBinary() ([]byte, error) { return m.AppendBinary(make([]byte, 0, meanBytes)) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It returns an error that wraps [ErrLength] or [ErrScore] for bytes that
// are no count and sum, and for a sum that so many numbers cannot have; m is then unchanged.
func (m *Mean) UnmarshalBinary(b []byte) error {
	if len(b) != meanBytes {
		return fmt.Errorf("%w: %d bytes of a mean (want %d)", ErrLength, len(b), meanBytes)
	}
	n := binary.LittleEndian.Uint64(b)
	sum := exactSum{pending: 1}
	for i := range sum.limb {
		v := int64(binary.LittleEndian.Uint64(b[8+8*i:]))
		if i < limbs-1 && (v < 0 || v > math.MaxUint32) {
			return fmt.Errorf("%w: limb %d of a mean is %d (allowed: 0 to %d)", ErrScore, i, v, uint32(math.MaxUint32))
		}
		sum.limb[i] = v
	}
	if !sum.possible(n) {
		return fmt.Errorf("%w: the sum of a mean of %d numbers is further from 0 than theirs can be (allowed: %v for each)", ErrScore, n,
			math.MaxFloat64)
	}
	*m = Mean{n, sum}
	return nil
}

// possible reports whether n numbers can have so large a sum, of which none have the sum 0.
func (s *exactSum) possible(n uint64) bool {
	most := new(big.Float).SetPrec(128).SetUint64(n) // 64 bits times 53 are exact
	most.Mul(most, big.NewFloat(math.MaxFloat64))
	sum := s.scaled()
	return sum.Abs(sum).Cmp(most) <= 0
}
