//go:build !noasm

package vec

import (
	"math"

	"github.com/augmix-go/augmix/internal/cpu"
)

// level is the instruction set of the assembly in use. Tests lower it.
var level = cpu.Select("elementwise", cpu.AVX2, cpu.AVX512)

// lanes is how many floats a vector has.
func lanes() int {
	if level == cpu.AVX512 {
		return 16
	}
	return 8
}

// masks[n] has the sign bit set in the first n lanes.
var masks = func() (m [17][16]int32) {
	for n := range m {
		for i := range n {
			m[n][i] = -1
		}
	}
	return m
}()

// block returns how many vectors the next block of channels has when c are left, how many channels that are, and the
// mask.
func block(c int) (vectors, channels int, mask *[16]int32) {
	w := lanes()
	switch {
	case level == cpu.AVX512 && c >= 4*w:
		vectors = 4
	case c >= 2*w:
		vectors = 2
	default:
		channels = min(c, w)
		return 1, channels, &masks[channels]
	}
	return vectors, vectors * w, &masks[w]
}

// run returns how many of n pixels of c channels to do before the next: in large images, block after block of the channels of few
// pixels, as memory is read faster in its order. What stays in the cache is read once a block.
func run(n, c int) int {
	if c <= 64 || n*c < 1<<18 {
		return n
	}
	return max(4096/c, 4)
}

// mustReach panics as slicing would if n pixels of c channels do not fit.
func mustReach(x []float32, stride, n, c int) { _ = x[:(n-1)*stride+c] }

func affineVector(dst []float32, ds int, x []float32, xs, n, c int, scale, shift []float32, relu bool) int {
	if level == cpu.Plain || n < 1 {
		return 0
	}
	mustReach(dst, ds, n, c)
	mustReach(x, xs, n, c)
	scale, shift = scale[:c], shift[:c]
	floor := float32(math.Inf(-1))
	if relu {
		floor = 0
	}
	for p := 0; p < n; p += run(n, c) {
		m := min(run(n, c), n-p)
		for j := 0; j < c; {
			v, channels, mask := block(c - j)
			f := [...]func(dst *float32, ds int, x *float32, xs, n int, scale, shift *float32, floor float32, mask *[16]int32){
				affine1AVX2, affine2AVX2, affine1AVX512, affine2AVX512, affine4AVX512,
			}[kind(v)]
			f(&dst[p*ds+j], 4*ds, &x[p*xs+j], 4*xs, m, &scale[j], &shift[j], floor, mask)
			j += channels
		}
	}
	return c
}

type affineAddFunc func(dst *float32, ds int, x *float32, xs int, y *float32, ys, n int,
	scale, shift *float32, floor float32, mask *[16]int32)

func affineAddVector(dst []float32, ds int, x []float32, xs int, y []float32, ys, n, c int,
	scale, shift []float32, relu bool,
) bool {
	if level == cpu.Plain || n < 1 {
		return false
	}
	mustReach(dst, ds, n, c)
	mustReach(x, xs, n, c)
	mustReach(y, ys, n, c)
	scale, shift = scale[:c], shift[:c]
	floor := float32(math.Inf(-1))
	if relu {
		floor = 0
	}
	for p := 0; p < n; p += run(n, c) {
		m := min(run(n, c), n-p)
		for j := 0; j < c; {
			v, channels, mask := block(c - j)
			f := [...]affineAddFunc{affineAdd1AVX2, affineAdd2AVX2, affineAdd1AVX512, affineAdd2AVX512, affineAdd4AVX512}[kind(v)]
			f(&dst[p*ds+j], 4*ds, &x[p*xs+j], 4*xs, &y[p*ys+j], 4*ys, m, &scale[j], &shift[j], floor, mask)
			j += channels
		}
	}
	return true
}

// kind numbers the variants of a function over blocks: one and two vectors of AVX2; one, two and four of AVX-512.
func kind(vectors int) int {
	if level == cpu.AVX2 {
		return vectors - 1
	}
	return 2 + vectors>>1
}

func momentsVector(sum, sq, x []float32, xs, n, c int) int {
	if level == cpu.Plain || n < 1 {
		return 0
	}
	mustReach(x, xs, n, c)
	clear(sum[:c])
	clear(sq[:c])
	for p := 0; p < n; p += run(n, c) {
		m := min(run(n, c), n-p)
		for j := 0; j < c; {
			v, channels, mask := block(c - j)
			f := [...]func(sum, sq, first, x *float32, xs, n int, mask *[16]int32){
				moments1AVX2, moments2AVX2, moments1AVX512, moments2AVX512, moments4AVX512,
			}[kind(v)]
			f(&sum[j], &sq[j], &x[j], &x[p*xs+j], 4*xs, m, mask)
			j += channels
		}
	}
	return c
}

type normSumsFunc func(sum, dot, dz *float32, zs int, x *float32, xs, n int,
	scale, shift, mean *float32, mask *[16]int32)

func normSumsVector(sum, dot, dz, x []float32, xs, n, c int, scale, shift, mean []float32, relu bool) int {
	if level == cpu.Plain || n < 1 {
		return 0
	}
	mustReach(dz, c, n, c)
	mustReach(x, xs, n, c)
	scale, shift, mean = scale[:c], shift[:c], mean[:c]
	clear(sum[:c])
	clear(dot[:c])
	variants := [...]normSumsFunc{normSums1AVX2, normSums2AVX2, normSums1AVX512, normSums2AVX512, normSums4AVX512}
	if relu {
		variants = [...]normSumsFunc{
			normSumsReLU1AVX2, normSumsReLU2AVX2, normSumsReLU1AVX512, normSumsReLU2AVX512, normSumsReLU4AVX512,
		}
	}
	for p := 0; p < n; p += run(n, c) {
		m := min(run(n, c), n-p)
		for j := 0; j < c; {
			v, channels, mask := block(c - j)
			variants[kind(v)](&sum[j], &dot[j], &dz[p*c+j], 4*c, &x[p*xs+j], 4*xs, m, &scale[j], &shift[j], &mean[j], mask)
			j += channels
		}
	}
	return c
}

type normGradFunc func(dst *float32, ds int, dz *float32, zs int, x *float32, xs, n int,
	a, b, k *float32, mask *[16]int32)

func normGradVector(dst []float32, ds int, dz []float32, zs int, x []float32, xs, n, c int,
	a, b, k []float32, add bool,
) int {
	if level == cpu.Plain || n < 1 {
		return 0
	}
	mustReach(dst, ds, n, c)
	mustReach(dz, zs, n, c)
	mustReach(x, xs, n, c)
	a, b, k = a[:c], b[:c], k[:c]
	variants := [...]normGradFunc{normGrad1AVX2, normGrad2AVX2, normGrad1AVX512, normGrad2AVX512, normGrad4AVX512}
	if add {
		variants = [...]normGradFunc{
			normGradAdd1AVX2, normGradAdd2AVX2, normGradAdd1AVX512, normGradAdd2AVX512, normGradAdd4AVX512,
		}
	}
	for p := 0; p < n; p += run(n, c) {
		m := min(run(n, c), n-p)
		for j := 0; j < c; {
			v, channels, mask := block(c - j)
			variants[kind(v)](&dst[p*ds+j], 4*ds, &dz[p*zs+j], 4*zs, &x[p*xs+j], 4*xs, m, &a[j], &b[j], &k[j], mask)
			j += channels
		}
	}
	return c
}

// whole returns how many of n elements are whole vectors.
func whole(n int) int {
	if level == cpu.Plain {
		return 0
	}
	return n &^ (lanes() - 1)
}

func addVector(dst, src []float32) int {
	n := whole(len(dst))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		addAVX512(&dst[0], &src[0], n)
	default:
		addAVX2(&dst[0], &src[0], n)
	}
	return n
}

func addScaledVector(dst, src []float32, f float32) int {
	n := whole(len(dst))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		addScaledAVX512(&dst[0], &src[0], f, n)
	default:
		addScaledAVX2(&dst[0], &src[0], f, n)
	}
	return n
}

func reluVector(x []float32) int {
	n := whole(len(x))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		reluAVX512(&x[0], n)
	default:
		reluAVX2(&x[0], n)
	}
	return n
}

func reluGradVector(dst, g, y []float32) int {
	n := whole(len(dst))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		reluGradAVX512(&dst[0], &g[0], &y[0], n)
	default:
		reluGradAVX2(&dst[0], &g[0], &y[0], n)
	}
	return n
}

func maxVector(dst, src []float32) int {
	n := whole(len(dst))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		maxAVX512(&dst[0], &src[0], n)
	default:
		maxAVX2(&dst[0], &src[0], n)
	}
	return n
}

func maxIndexVector(dst []float32, index []uint16, src []float32, k uint16) int {
	n := len(dst) &^ 15
	if level == cpu.Plain || n == 0 {
		return 0
	}
	maxIndexAVX2(&dst[0], &index[0], &src[0], k, n)
	return n
}

// transposeVector does whole blocks of eight rows and columns, and returns how many of both that are.
func transposeVector(dst []float32, ds int, src []float32, ss, rows, cols int) (r, c int) {
	r, c = rows&^7, cols&^7
	if level == cpu.Plain || r == 0 || c == 0 {
		return 0, 0
	}
	mustReach(dst, ds, c, r)
	mustReach(src, ss, r, c)
	for i := 0; i < r; i += 8 {
		transposeAVX2(&dst[i], 4*ds, &src[i*ss], 4*ss, c/8)
	}
	return r, c
}

func sgdVector(w, g, m []float32, lr, mu, keep, decay float32, nesterov bool) int {
	n := whole(len(w))
	look, plainly := float32(1), float32(0)
	if nesterov {
		look, plainly = mu, 1
	}
	switch {
	case n == 0:
	case level == cpu.AVX512:
		sgdAVX512(&w[0], &g[0], &m[0], lr, keep, decay, look, plainly, n)
	default:
		sgdAVX2(&w[0], &g[0], &m[0], lr, keep, decay, look, plainly, n)
	}
	return n
}

func geluVector(x []float32) int {
	n := whole(len(x))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		geluAVX512(&x[0], n)
	default:
		geluAVX2(&x[0], n)
	}
	return n
}

func geluGradVector(g, u []float32) int {
	n := whole(len(g))
	switch {
	case n == 0:
	case level == cpu.AVX512:
		geluGradAVX512(&g[0], &u[0], n)
	default:
		geluGradAVX2(&g[0], &u[0], n)
	}
	return n
}
