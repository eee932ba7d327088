package metrics

import "math"

// The softmax of a million rows of a thousand classes takes a thousand million exponentials, so they are inlined here
// instead of called. With k = round(x*expSteps/ln2) and its bits split in three,
//
//	exp(x) = 2^(k>>20) * expHigh[k>>10 & 1023] * expLow[k & 1023] * exp(r),  |r| <= ln2/(2*expSteps) = 3.4e-7,
//
// where 1+r stands for exp(r): the result is low by r*r/2 < 6e-14 of itself, 2e-14 on average; the rounding of
// x*expSteps/ln2 adds at most 2e-14 at expFloor and nothing that matters near 0. exp(0) is exactly 1.
const (
	expSteps = 1 << 20
	expScale = expSteps / math.Ln2
	expStep  = math.Ln2 / expSteps
	// Adding and subtracting 1.5*2^52 rounds to an integer and leaves it in the low bits of the sum.
	expRound = 0x1.8p52
	// Terms below e^-60 of the largest count as e^-60: a hundred million of them do not move the last bit of a sum
	// that is at least 1. All that is lost is the size of losses below 1e-26 a class.
	expFloor = -60
)

// expHigh holds the bits of 2^(i/1024), expLow the values 2^(i/2^20).
var (
	expHigh = func() (t [1024]uint64) {
		for i := range t {
			t[i] = math.Float64bits(math.Exp2(float64(i) / 1024))
		}
		return t
	}()
	expLow = func() (t [1024]float64) {
		for i := range t {
			t[i] = math.Exp2(float64(i) / expSteps)
		}
		return t
	}()
)

// expNeg returns exp(x) for x in [expFloor, 0]. It is written to fit the compiler's inlining budget.
func expNeg(x float64) float64 {
	kd := float64(x*expScale) + expRound
	k := math.Float64bits(kd)
	r := x - float64((kd-expRound)*expStep)
	t := math.Float64frombits(expHigh[k>>10%1024]+k>>20<<52) * expLow[k%1024]
	return t + float64(t*r)
}

// expSums returns the sum over the row of exp(v-top) and of its square; top is at least every v.
func expSums[F Float](row []F, top float64) (sum, squares float64) {
	var s0, s1, q0, q1 float64
	for ; len(row) >= 2; row = row[2:] {
		x, y := float64(row[0])-top, float64(row[1])-top
		if x < expFloor {
			x = expFloor
		}
		if y < expFloor {
			y = expFloor
		}
		a, b := expNeg(x), expNeg(y)
		s0 += a
		s1 += b
		q0 += float64(a * a)
		q1 += float64(b * b)
	}
	if len(row) == 1 {
		a := expNeg(max(float64(row[0])-top, expFloor))
		s0 += a
		q0 += float64(a * a)
	}
	return s0 + s1, q0 + q1
}
