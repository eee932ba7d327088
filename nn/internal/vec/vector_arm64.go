//go:build !noasm

package vec

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

// level is the instruction set of the assembly in use. Tests lower it.
var level = cpu.Select("elementwise", cpu.NEON)

// whole returns how many of n channels or elements the assembly does: whole vectors.
func whole(n int) int {
	if level == cpu.Plain {
		return 0
	}
	return n &^ (lanes() - 1)
}

// lanes is how many floats a vector has.
func lanes() int { return 4 }

// some is whole for the channels of n pixels of images, each with its stride. It panics as slicing would where they do not fit.
func some(n, c int, images ...image) int {
	k := whole(c)
	if n < 1 || k == 0 {
		return 0
	}
	for _, m := range images {
		_ = m.x[:(n-1)*m.stride+c]
	}
	return k
}

type image struct {
	x      []float32
	stride int
}

func affineVector(dst []float32, ds int, x []float32, xs, n, c int, scale, shift []float32, relu bool) int {
	k := some(n, c, image{dst, ds}, image{x, xs})
	if k == 0 {
		return 0
	}
	scale, shift = scale[:c], shift[:c]
	floor := float32(math.Inf(-1))
	if relu {
		floor = 0
	}
	affineNEON(&dst[0], 4*ds, &x[0], 4*xs, n, k, &scale[0], &shift[0], floor)
	return k
}

func momentsVector(sum, sq, x []float32, xs, n, c int) int {
	k := some(n, c, image{x, xs})
	if k > 0 {
		momentsNEON(&sum[0], &sq[0], &x[0], 4*xs, n, k)
	}
	return k
}

func normSumsVector(sum, dot, dz, x []float32, xs, n, c int, scale, shift, mean []float32, relu bool) int {
	k := some(n, c, image{dz, c}, image{x, xs})
	if k == 0 {
		return 0
	}
	scale, shift, mean = scale[:c], shift[:c], mean[:c]
	if relu {
		normSumsReLUNEON(&sum[0], &dot[0], &dz[0], 4*c, &x[0], 4*xs, n, k, &scale[0], &shift[0], &mean[0])
	} else {
		normSumsNEON(&sum[0], &dot[0], &dz[0], 4*c, &x[0], 4*xs, n, k, &scale[0], &shift[0], &mean[0])
	}
	return k
}

func normGradVector(dst []float32, ds int, dz []float32, zs int, x []float32, xs, n, c int,
	a, b, k []float32, add bool,
) int {
	w := some(n, c, image{dst, ds}, image{dz, zs}, image{x, xs})
	if w == 0 {
		return 0
	}
	a, b, k = a[:c], b[:c], k[:c]
	if add {
		normGradAddNEON(&dst[0], 4*ds, &dz[0], 4*zs, &x[0], 4*xs, n, w, &a[0], &b[0], &k[0])
	} else {
		normGradNEON(&dst[0], 4*ds, &dz[0], 4*zs, &x[0], 4*xs, n, w, &a[0], &b[0], &k[0])
	}
	return w
}

func addVector(dst, src []float32) int {
	n := whole(len(dst))
	if n > 0 {
		addNEON(&dst[0], &src[0], n)
	}
	return n
}

func addScaledVector(dst, src []float32, f float32) int {
	n := whole(len(dst))
	if n > 0 {
		addScaledNEON(&dst[0], &src[0], f, n)
	}
	return n
}

func reluVector(x []float32) int {
	n := whole(len(x))
	if n > 0 {
		reluNEON(&x[0], n)
	}
	return n
}

func reluGradVector(dst, g, y []float32) int {
	n := whole(len(dst))
	if n > 0 {
		reluGradNEON(&dst[0], &g[0], &y[0], n)
	}
	return n
}

func maxVector(dst, src []float32) int {
	n := whole(len(dst))
	if n > 0 {
		maxNEON(&dst[0], &src[0], n)
	}
	return n
}

func sgdVector(w, g, m []float32, lr, mu, keep, decay float32, nesterov bool) int {
	n := whole(len(w))
	look, plainly := float32(1), float32(0)
	if nesterov {
		look, plainly = mu, 1
	}
	if n > 0 {
		sgdNEON(&w[0], &g[0], &m[0], lr, keep, decay, look, plainly, n)
	}
	return n
}

func geluVector(x []float32) int {
	n := whole(len(x))
	if n > 0 {
		geluNEON(&x[0], n)
	}
	return n
}

func geluGradVector(g, u []float32) int {
	n := whole(len(g))
	if n > 0 {
		geluGradNEON(&g[0], &u[0], n)
	}
	return n
}
