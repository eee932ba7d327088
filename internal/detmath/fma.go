package detmath

import "math"

// soft32 is [FMA32] without the instruction.
//
// The product of two float32 is exact in float64, so that their sum in float64 is rounded once, and the result a second
// time. Twice is the same as once but where the first rounding ends on a number halfway between two float32: a normal
// result's low 29 bits say so. Everything else that is close is left to round32.
func soft32(x, y, z float32) float32 {
	s := float64(x)*float64(y) + float64(z)
	if halfway(s) {
		return round32(float64(x)*float64(y), float64(z), s)
	}
	return float32(s)
}

// soft32x4 is [FMA32x4] without the instruction.
func soft32x4(sum *[4]float32, x float32, w *[4]float32) {
	v := float64(x)
	s0, s1 := v*float64(w[0])+float64(sum[0]), v*float64(w[1])+float64(sum[1])
	s2, s3 := v*float64(w[2])+float64(sum[2]), v*float64(w[3])+float64(sum[3])
	if halfway(s0) || halfway(s1) || halfway(s2) || halfway(s3) {
		for i := range sum {
			sum[i] = soft32(x, w[i], sum[i])
		}
		return
	}
	sum[0], sum[1], sum[2], sum[3] = float32(s0), float32(s1), float32(s2), float32(s3)
}

// halfway reports whether s may lie halfway between two float32: normal ones, or any that are not. 0 does not.
func halfway(s float64) bool {
	b := math.Float64bits(s)
	return b&(1<<29-1) == 1<<28 || b<<1-1 < 897<<53-1
}

// round32 rounds p+z, which is s in float64, to float32. It first rounds to odd: if s is not exact, its last bit is made
// one, so that it lies on no halfway point that p+z does not lie on (Boldo and Melquiond, When double rounding is odd,
// 2005; float64 has more than the two bits beyond float32 that they ask for, subnormal results included). It is rare.
func round32(p, z, s float64) float32 {
	t := s - p
	rest := (p - (s - t)) + (z - t) // exactly what s lacks (Knuth's two-sum)
	if b := math.Float64bits(s); b&1 == 0 && (rest < 0 || rest > 0) {
		if rest < 0 == (s < 0) {
			s = math.Float64frombits(b + 1)
		} else {
			s = math.Float64frombits(b - 1)
		}
	}
	return float32(s)
}
