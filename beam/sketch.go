package main

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/augmix-go/augmix/metrics"
)

const (
	sketchBuckets = 1 << 16
	// mantissaBits of the distance to 0 or 1 tell buckets apart, and 32 exponents, from 2^-33 to 1/2.
	mantissaBits = 10
	half         = sketchBuckets / 2
	// fixed is what confidences are multiplied by to be added as integers, in any order.
	fixed = 1 << 62
)

// rounding is what sums in another order may differ by, in sketches as in exact metrics: of values of at most 1.
const rounding = 1e-12

// sketch is a histogram of confidences from which the metrics that need them sorted are taken. Its buckets are at most 2^-12
// wide, and at most a thousandth of the distance to 0 or 1 but within 2^-33 of them. What happens inside a bucket is not known, unless all its
// confidences are equal, and that gives each metric's bound.
type sketch struct {
	Buckets []bucket
	at      map[uint32]int // of Buckets, while rows are added
}

// bucket is the rows of one bucket.
type bucket struct {
	Key      uint32
	N, Right uint64
	Sum      [2]uint64 // of confidences times 2^62: high and low
	Lo, Hi   float64
}

// keyOf orders confidences by the bucket they fall into.
func keyOf(conf float64) uint32 {
	d := min(conf, 1-conf) // exact above a half
	const lowest = (1023 - 33) << mantissaBits
	k := min(max(int(math.Float64bits(max(d, 0))>>(52-mantissaBits))-lowest, 0), half-1)
	if conf > 0.5 {
		k = sketchBuckets - 1 - k
	}
	return uint32(k)
}

// add adds a row.
func (s *sketch) add(conf float64, right bool) {
	conf = min(max(conf, 0), 1)
	b := bucket{Key: keyOf(conf), N: 1, Lo: conf, Hi: conf, Sum: [2]uint64{0, uint64(math.Round(conf * fixed))}}
	if right {
		b.Right = 1
	}
	if s.at == nil {
		s.at = map[uint32]int{}
	}
	i, ok := s.at[b.Key]
	if !ok {
		s.at[b.Key] = len(s.Buckets)
		s.Buckets = append(s.Buckets, b)
		return
	}
	s.Buckets[i].merge(&b)
}

func (b *bucket) merge(o *bucket) {
	var carry uint64
	b.Sum[1], carry = bits.Add64(b.Sum[1], o.Sum[1], 0)
	b.Sum[0] += o.Sum[0] + carry
	b.N += o.N
	b.Right += o.Right
	b.Lo, b.Hi = min(b.Lo, o.Lo), max(b.Hi, o.Hi)
}

// sort orders the buckets, after which no row is added.
func (s *sketch) sort() {
	slices.SortFunc(s.Buckets, func(a, b bucket) int { return cmp.Compare(a.Key, b.Key) })
	s.at = nil
}

// merged returns the sketch of the rows of both.
func (s sketch) merged(o sketch) sketch {
	all := sketch{Buckets: slices.Concat(s.Buckets, o.Buckets)}
	all.sort()
	out := all.Buckets[:0]
	for _, b := range all.Buckets {
		if n := len(out); n > 0 && out[n-1].Key == b.Key {
			out[n-1].merge(&b)
			continue
		}
		out = append(out, b)
	}
	all.Buckets = out
	return all
}

// mean is the mean confidence, exact but for rounding.
func (b *bucket) mean() float64 {
	sum := math.Ldexp(float64(b.Sum[0]), 2) + float64(b.Sum[1])/fixed
	return min(max(sum/float64(b.N), b.Lo), b.Hi)
}

// unknown is by how much the correct ones among any t of the bucket's rows may differ from their share.
func (b *bucket) unknown(t uint64) float64 {
	if b.Lo == b.Hi {
		return 0 // ties count as their share
	}
	share := float64(t) * float64(b.Right) / float64(b.N)
	most := float64(min(t, b.Right))
	least := 0.0
	if wrong := b.N - b.Right; t > wrong {
		least = float64(t - wrong)
	}
	return max(most-share, share-least)
}

// estimate is a number that is at most Bound off.
type estimate struct{ Value, Bound float64 }

// adaptive are the calibration errors with adaptive bins.
type adaptive struct{ RMS, MAD estimate }

// calibration returns the errors with bins of size rows, of the last, most confident bin too unless skip leaves it out. There are
// at least size rows.
//
// In bin i of n rows the sums of confidences and of correct ones are known but for those of the buckets that the bin shares with
// others, so that its gap is known to within e. The mean gap is then known to the mean of e, and the root of the mean of squares, a norm, to the
// root of the mean of e².
func (s *sketch) calibration(size uint64, skip bool) adaptive {
	var total, n uint64
	for i := range s.Buckets {
		total += s.Buckets[i].N
	}
	var conf, correct, e float64 // of the bin
	var abs, squares, absE, squaresE float64
	left := total / size // bins that are not complete, this one included
	end := func() {
		if rows := float64(n); left > 1 || !skip {
			gap, off := math.Abs(conf-correct)/rows, e/rows
			abs += rows * gap
			squares += rows * gap * gap
			absE += rows * off
			squaresE += rows * off * off
		}
		n, conf, correct, e = 0, 0, 0, 0
		left--
	}
	for i := range s.Buckets {
		b := &s.Buckets[i]
		mean := b.mean()
		for rest := b.N; rest > 0; {
			take := rest
			if left > 1 {
				take = min(rest, size-n)
			}
			n += take
			conf += float64(take) * mean
			correct += float64(take) * float64(b.Right) / float64(b.N)
			if take < b.N {
				e += b.unknown(take) + float64(take)*max(b.Hi-mean, mean-b.Lo)
			}
			if rest -= take; left > 1 && n == size {
				end()
			}
		}
	}
	end()
	rows := float64(total)
	return adaptive{
		RMS: estimate{math.Sqrt(squares / rows), math.Sqrt(squaresE/rows) + rounding},
		MAD: estimate{abs / rows, absE/rows + rounding},
	}
}

// area returns the area under the risk-coverage curve, AURC: of the i most confident rows those that are wrong, mean over i. Among the
// first j of a bucket their number is known to within what unknown says.
func (s *sketch) area() estimate {
	var seen, wrong uint64
	var sum metrics.Mean
	off := 0.0
	for i := len(s.Buckets) - 1; i >= 0; i-- {
		b := &s.Buckets[i]
		share := float64(b.N-b.Right) / float64(b.N)
		for j := uint64(1); j <= b.N; j++ {
			rows := float64(seen + j)
			_ = sum.Add((float64(wrong) + float64(j)*share) / rows) // finite
			off += b.unknown(j) / rows
		}
		seen += b.N
		wrong += b.N - b.Right
	}
	v, _ := sum.Value() // of at least one row
	return estimate{v, off/float64(seen) + rounding}
}

// best is the least AURC of any order of the rows, of which so many are wrong.
func best(rows, wrong uint64) float64 {
	var sum metrics.Mean
	for i := uint64(1); i <= wrong; i++ {
		_ = sum.Add(float64(i) / float64(rows-wrong+i)) // finite
	}
	v, _ := sum.Value() // none wrong is 0
	return v * float64(wrong) / float64(rows)
}
