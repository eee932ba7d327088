package metrics

import (
	"fmt"
	"math"
	"math/big"
)

// exactSum adds float64 values without rounding: 32-bit limbs, each in an int64 so that carries can wait, spanning
// every exponent. Addition is associative and commutative, which makes merged shards equal one pass bit for bit.
type exactSum struct {
	limb    [limbs]int64
	pending uint32 // additions since the last carry
}

const (
	limbBits = 32
	// The smallest float64 is 2^-1074; the largest is below 2^1024; 64 bits of head room for the number of addends.
	limbs    = (1074+1024+64)/limbBits + 1
	maxAdds  = 1 << 30 // an addend changes a limb by less than 2^32, so 2^30 of them cannot overflow 63 bits
	expBias  = 1075    // exponent of the lowest bit of a normal float64's significand is e-1075
	fracMask = 1<<52 - 1
)

// add adds x, which is finite.
func (s *exactSum) add(x float64) {
	b := math.Float64bits(x)
	e := int(b>>52) & 0x7FF
	m := b & fracMask
	if e > 0 {
		m |= 1 << 52
	} else {
		e = 1
	}
	pos := e - 1 // distance of the significand's lowest bit from 2^-1074
	i, shift := pos/limbBits, uint(pos%limbBits)
	lo := m << shift
	hi := m >> (64 - shift) // 0 when shift is 0
	l0, l1, l2 := int64(lo&math.MaxUint32), int64(lo>>limbBits), int64(hi)
	if b>>63 != 0 {
		l0, l1, l2 = -l0, -l1, -l2
	}
	s.limb[i] += l0
	s.limb[i+1] += l1
	s.limb[i+2] += l2
	if s.pending++; s.pending >= maxAdds {
		s.carry()
	}
}

// carry brings every limb but the last into [0, 2^32).
func (s *exactSum) carry() {
	var c int64
	for i := range s.limb {
		v := s.limb[i] + c
		if i == limbs-1 {
			s.limb[i] = v
			break
		}
		c = v >> limbBits
		s.limb[i] = v & math.MaxUint32
	}
	s.pending = 0
}

func (s *exactSum) merge(o *exactSum) {
	other := *o
	other.carry()
	s.carry()
	for i := range s.limb {
		s.limb[i] += other.limb[i]
	}
	s.pending = 1
}

// scaled returns the sum as a big.Float without rounding.
func (s *exactSum) scaled() *big.Float {
	t := *s
	t.carry()
	z := big.NewInt(t.limb[limbs-1])
	for i := limbs - 2; i >= 0; i-- {
		z.Lsh(z, limbBits)
		z.Add(z, big.NewInt(t.limb[i]))
	}
	f := new(big.Float).SetPrec(uint(z.BitLen() + 64)).SetInt(z)
	return f.SetMantExp(f, -1074)
}

// over returns the sum divided by n, rounded once.
func (s *exactSum) over(n uint64) float64 {
	f := s.scaled()
	// Twice the bits of the operands leaves the quotient's rounding to float64 as the only one that can be seen.
	q := new(big.Float).SetPrec(2*f.Prec()+128).Quo(f, new(big.Float).SetUint64(n))
	v, _ := q.Float64()
	return v
}

// Mean is the streaming mean of numbers. The sum is exact, so the value is the correctly rounded mean whatever the
// order of Add and Merge. The zero Mean is empty and ready. A Mean takes about half a kilobyte.
type Mean struct {
	n   uint64
	sum exactSum
}

// Add adds a number. It returns an error that wraps [ErrScore] if x is NaN or infinite; the mean is then unchanged.
func (m *Mean) Add(x float64) error {
	if !finite(x) {
		return fmt.Errorf("%w: %v added to a mean (allowed: finite numbers)", ErrScore, x)
	}
	m.add(x)
	return nil
}

func (m *Mean) add(x float64) {
	m.n++
	m.sum.add(x)
}

// Merge adds the numbers of o to m.
func (m *Mean) Merge(o *Mean) {
	m.n += o.n
	m.sum.merge(&o.sum)
}

// N returns how many numbers were added.
func (m *Mean) N() uint64 { return m.n }

// Value returns the mean, or an error that wraps [ErrUndefined] if there is no number.
func (m *Mean) Value() (float64, error) {
	if m.n == 0 {
		return 0, emptyErr("mean")
	}
	return m.sum.over(m.n), nil
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// compensated is Neumaier's sum: plain float64 with the rounding errors carried along. It is for sums that are taken
// in one fixed order and need no merging.
type compensated struct{ s, c float64 }

func (a *compensated) add(x float64) { *a = a.plus(x) }

// plus returns the sum with x, in registers where add goes through memory. The rounding error is Knuth's, which needs no branch.
func (a compensated) plus(x float64) compensated {
	x = float64(x) // a product is rounded first, also where processors fuse it with a sum
	t := a.s + x
	part := t - a.s
	return compensated{t, a.c + ((a.s - (t - part)) + (x - part))}
}

func (a compensated) value() float64 { return a.s + a.c }
