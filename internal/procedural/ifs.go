package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// affine is the map (x, y) -> (a x + b y + e, c x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m *affine) apply(x, y float64) (float64, float64) {
	return float64(m.a*x) + float64(m.b*y) + m.e, float64(m.c*x) + float64(m.d*y) + m.f
}

func (m *affine) det() float64 { return float64(m.a*m.d) - float64(m.b*m.c) }

// maxMaps is the largest number of maps of a system.
const maxMaps = 24

// singular draws the singular values of the n maps of a system, larger then smaller of each, such that their weighted
// sum, the larger plus twice the smaller over all maps, is alpha: Anderson and Farrell's sequential sampler. It keeps
// two running bounds, the most (p) and the least (q) that the maps to come can take of alpha with values in 0 to 1.
func singular(r *rng.Rand, dst [][2]float64, alpha float64) {
	n := float64(len(dst))
	p, q := alpha, alpha-3*n+3
	for i := range len(dst) - 1 {
		s1 := r.Uniform(max(0, q/3), min(1, p))
		q -= s1
		p -= s1
		s2 := r.Uniform(max(0, q/2), min(s1, p/2))
		q = q - 2*s2 + 3
		p -= 2 * s2
		dst[i] = [2]float64{s1, s2}
	}
	s2 := r.Uniform(max(0, (p-1)/2), p/3)
	dst[len(dst)-1] = [2]float64{p - 2*s2, s2}
}

// alphaRange are the bounds of the weighted sum for n maps, for which their paper found most systems to look well.
func alphaRange(n int) (lo, hi float64) { return (5 + float64(n)) / 2, (6 + float64(n)) / 2 }

// drawIFS fills maps with a contractive system by Anderson and Farrell's sampler (Improving Fractal Pre-training, WACV
// 2022): linear parts U diag(s) V with the singular values of [singular], U and V rotations by angles uniform in a turn
// times diagonals of random signs, translations uniform in [-1, 1] squared.
func drawIFS(r *rng.Rand, maps []affine) {
	var buf [maxMaps][2]float64
	sv := buf[:len(maps)]
	lo, hi := alphaRange(len(maps))
	singular(r, sv, r.Uniform(lo, hi))
	for i := range maps {
		u, v := orthogonal(r), orthogonal(r)
		s1, s2 := sv[i][0], sv[i][1]
		maps[i] = affine{
			a: float64(u[0]*s1*v[0]) + float64(u[1]*s2*v[2]),
			b: float64(u[0]*s1*v[1]) + float64(u[1]*s2*v[3]),
			c: float64(u[2]*s1*v[0]) + float64(u[3]*s2*v[2]),
			d: float64(u[2]*s1*v[1]) + float64(u[3]*s2*v[3]),
			e: r.Uniform(-1, 1), f: r.Uniform(-1, 1),
		}
	}
}

// orthogonal draws a rotation times a diagonal of signs, row by row.
func orthogonal(r *rng.Rand) [4]float64 {
	t := r.Uniform(-math.Pi, math.Pi)
	c, s := detmath.Cos(t), detmath.Sin(t)
	d0, d1 := r.Sign(), r.Sign()
	return [4]float64{c * d0, -s * d1, s * d0, c * d1}
}

// selectorBits is how many random bits choose a map; a probability is a multiple of 2^-selectorBits.
const selectorBits = 12

// selector turns random bits into the number of a map by one load.
type selector [1 << selectorBits]uint8

// set gives every map a share of the table in proportion to its weight, at least one entry.
func (s *selector) set(weights []float64) {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	spare := float64(len(s) - len(weights))
	at, sum := 0, 0.0
	for i, w := range weights {
		sum += w
		end := i + 1 + int(float64(spare*(sum/total))+0.5)
		if i == len(weights)-1 || end > len(s) {
			end = len(s)
		}
		for ; at < end; at++ {
			s[at] = uint8(i)
		}
	}
}
