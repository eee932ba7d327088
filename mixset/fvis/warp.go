package fvis

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// warp is a turn, a scaling and a shift of an image that repeats itself in all directions, with bilinear sampling.
// What is maximized under warps drawn anew at each step has no structure that hangs on single pixels.
type warp struct {
	n              int
	a, b, c, d     float64 // of the sampled place, by columns and rows from the middle
	shiftX, shiftY float64
}

// Bounds of the warps, of the size that Olah et al. use: degrees of turn, and a factor of scale.
const (
	maxTurn  = 8.0
	maxScale = 1.1
)

func drawWarp(r *rng.Rand, n int) warp {
	turn := r.Uniform(-maxTurn, maxTurn) * math.Pi / 180
	scale := detmath.Exp(r.Uniform(-1, 1) * detmath.Log(maxScale))
	cos, sin := scale*detmath.Cos(turn), scale*detmath.Sin(turn)
	return warp{
		n: n, a: cos, b: -sin, c: sin, d: cos,
		shiftX: r.Uniform(0, float64(n)), shiftY: r.Uniform(0, float64(n)),
	}
}

// each calls f with every pixel of the warped image, the four of the source that it is made of, and their weights.
func (t warp) each(f func(i int, at *[4]int, weight *[4]float64)) {
	n, half := t.n, float64(t.n-1)/2
	var at [4]int
	var weight [4]float64
	for y := range n {
		for x := range n {
			u, v := float64(x)-half, float64(y)-half
			sx := float64(t.a*u) + float64(t.b*v) + half + t.shiftX
			sy := float64(t.c*u) + float64(t.d*v) + half + t.shiftY
			fx, fy := math.Floor(sx), math.Floor(sy)
			x0, y0 := wrap(int(fx), n), wrap(int(fy), n)
			x1, y1 := x0+1, y0+1
			if x1 == n {
				x1 = 0
			}
			if y1 == n {
				y1 = 0
			}
			p, q := sx-fx, sy-fy
			at = [4]int{y0*n + x0, y0*n + x1, y1*n + x0, y1*n + x1}
			weight = [4]float64{(1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q}
			f(y*n+x, &at, &weight)
		}
	}
}

func wrap(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
