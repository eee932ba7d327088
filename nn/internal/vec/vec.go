// Package vec holds the element-wise loops of package nn: everything of a training step that is not a convolution or a
// matrix product.
//
// An image is n pixels of c channels. Where a function takes a stride, the pixels of that argument lie so many floats
// apart, which is how a part of a wider image's channels is read and written in place; the first pixel starts at
// element 0. dst may be the same memory as an input of the same stride, never overlap it otherwise.
//
// The plain Go loops are the specification. Some have twins in assembly (AVX-512, AVX2, NEON), chosen when the process
// starts and lowered by AUGMIX_CPU. A twin says how many channels or elements it did; plain Go does the rest. All give
// the same bits, and so does plain Go on every architecture: a sum goes over the pixels in their order, channel by
// channel, and so does not know of vectors; a product is fused with the addition after it where the code says fma, and
// nowhere else.
package vec

import "github.com/augmix-go/augmix/internal/detmath"

func fma(x, y, z float32) float32 { return detmath.FMA32(x, y, z) }

// positive returns the larger of x and 0. It leaves -0 and NaN, as the instruction does.
func positive(x float32) float32 {
	if x < 0 {
		return 0
	}
	return x
}

// Affine sets dst to x*scale + shift a channel, and with relu to the positive part of that.
func Affine(dst []float32, ds int, x []float32, xs, n, c int, scale, shift []float32, relu bool) {
	j := affineVector(dst, ds, x, xs, n, c, scale, shift, relu)
	if n == 0 || j == c {
		return
	}
	dst, x, c = dst[j:], x[j:], c-j
	scale, shift = scale[j:][:c], shift[j:][:c]
	for p := range n {
		d, s := dst[p*ds:][:c], x[p*xs:][:c]
		if relu {
			for j, v := range s {
				d[j] = positive(fma(v, scale[j], shift[j]))
			}
			continue
		}
		for j, v := range s {
			d[j] = fma(v, scale[j], shift[j])
		}
	}
}

// AffineAdd is Affine with y added before the positive part is taken. dst must not overlap y.
func AffineAdd(dst []float32, ds int, x []float32, xs int, y []float32, ys, n, c int, scale, shift []float32, relu bool) {
	if affineAddVector(dst, ds, x, xs, y, ys, n, c, scale, shift, relu) {
		return
	}
	Affine(dst, ds, x, xs, n, c, scale, shift, false)
	AddRows(dst, ds, y, ys, n, c)
	if relu {
		for p := range n {
			ReLU(dst[p*ds:][:c])
		}
	}
}

// Moments sets sum and sq to the sums over the pixels of d and d*d, where d is the difference from the first pixel. The
// shift keeps the variance exact when the mean is far from zero.
func Moments(sum, sq, x []float32, xs, n, c int) {
	sum, sq = sum[:c], sq[:c]
	j := momentsVector(sum, sq, x, xs, n, c)
	if j == c {
		return
	}
	sum, sq, x, c = sum[j:], sq[j:], x[j:], c-j
	clear(sum)
	clear(sq)
	first := x[:c]
	for p := range n {
		for j, v := range x[p*xs:][:c] {
			d := v - first[j]
			sum[j] += d
			sq[j] = fma(d, d, sq[j])
		}
	}
}

// NormSums is the first half of the gradient of a batch norm. With relu it first clears the elements of dz where
// x*scale + shift is not positive; dz has no gaps. Then it sets sum to the sums of dz and dot to the sums of
// dz*(x-mean) a channel.
func NormSums(sum, dot, dz, x []float32, xs, n, c int, scale, shift, mean []float32, relu bool) {
	zs, sum, dot := c, sum[:c], dot[:c]
	j := normSumsVector(sum, dot, dz, x, xs, n, c, scale, shift, mean, relu)
	if j == c {
		return
	}
	sum, dot, dz, x, c = sum[j:], dot[j:], dz[j:], x[j:], c-j
	scale, shift, mean = scale[j:], shift[j:], mean[j:]
	clear(sum)
	clear(dot)
	for p := range n {
		g := dz[p*zs:][:c]
		for j, v := range x[p*xs:][:c] {
			if relu && !(fma(v, scale[j], shift[j]) > 0) {
				g[j] = 0
			}
			sum[j] += g[j]
			dot[j] = fma(v-mean[j], g[j], dot[j])
		}
	}
}

// NormGrad is the second half: dst = a*dz + b*x + k a channel, added to dst with add.
func NormGrad(dst []float32, ds int, dz []float32, zs int, x []float32, xs, n, c int, a, b, k []float32, add bool) {
	j := normGradVector(dst, ds, dz, zs, x, xs, n, c, a, b, k, add)
	if n == 0 || j == c {
		return
	}
	dst, dz, x, c = dst[j:], dz[j:], x[j:], c-j
	a, b, k = a[j:][:c], b[j:][:c], k[j:][:c]
	for p := range n {
		d, g, v := dst[p*ds:][:c], dz[p*zs:][:c], x[p*xs:][:c]
		for j := range d {
			t := fma(g[j], a[j], fma(v[j], b[j], k[j]))
			if add {
				t += d[j]
			}
			d[j] = t
		}
	}
}

// Add adds src to dst.
func Add(dst, src []float32) {
	src = src[:len(dst)]
	for i := addVector(dst, src); i < len(dst); i++ {
		dst[i] += src[i]
	}
}

// ReLU sets the negative elements of x to zero; -0 stays.
func ReLU(x []float32) {
	for i := reluVector(x); i < len(x); i++ {
		x[i] = positive(x[i])
	}
}

// ReLUGrad sets dst to the elements of g where y is positive, and to zero elsewhere.
func ReLUGrad(dst, g, y []float32) {
	g, y = g[:len(dst)], y[:len(dst)]
	for i := reluGradVector(dst, g, y); i < len(dst); i++ {
		if y[i] > 0 {
			dst[i] = g[i]
		} else {
			dst[i] = 0
		}
	}
}

// AddRows adds n pixels of c channels of src to dst.
func AddRows(dst []float32, ds int, src []float32, ss, n, c int) {
	if ds == c && ss == c {
		Add(dst[:n*c], src[:n*c])
		return
	}
	for p := range n {
		Add(dst[p*ds:][:c], src[p*ss:][:c])
	}
}

// CopyRows copies n pixels of c channels.
func CopyRows(dst []float32, ds int, src []float32, ss, n, c int) {
	if ds == c && ss == c {
		copy(dst[:n*c], src[:n*c])
		return
	}
	for p := range n {
		copy(dst[p*ds:][:c], src[p*ss:][:c])
	}
}

// Scale multiplies x by f.
func Scale(x []float32, f float32) {
	for i := range x {
		x[i] *= f
	}
}

// ColumnSums adds the sums over the pixels of x to sum.
func ColumnSums(sum, x []float32, xs, n, c int) {
	sum = sum[:c]
	for p := range n {
		Add(sum, x[p*xs:][:c])
	}
}

// SumSquares returns the sum of the squares of x in float64.
func SumSquares(x []float32) float64 {
	var sum float64
	for len(x) > 0 {
		// Blocks in float64 by four, so that the additions do not wait for each other.
		var a, b, c, d float64
		k := min(len(x), 1024)
		i := 0
		for ; i+4 <= k; i += 4 {
			p, q, r, s := float64(x[i]), float64(x[i+1]), float64(x[i+2]), float64(x[i+3])
			a += p * p
			b += q * q
			c += r * r
			d += s * s
		}
		for ; i < k; i++ {
			a += float64(x[i]) * float64(x[i])
		}
		sum += a + b + c + d
		x = x[k:]
	}
	return sum
}

// Max sets dst to the larger of dst and src. A NaN in src stays.
func Max(dst, src []float32) {
	src = src[:len(dst)]
	for i := maxVector(dst, src); i < len(dst); i++ {
		if !(dst[i] > src[i]) {
			dst[i] = src[i]
		}
	}
}

// MaxIndex is Max, and sets index to k where src was larger.
func MaxIndex(dst []float32, index []uint16, src []float32, k uint16) {
	src, index = src[:len(dst)], index[:len(dst)]
	for i := maxIndexVector(dst, index, src, k); i < len(dst); i++ {
		if v := src[i]; !(v <= dst[i]) {
			dst[i], index[i] = v, k
		}
	}
}

// AddScaled adds f*src to dst.
func AddScaled(dst, src []float32, f float32) {
	src = src[:len(dst)]
	for i := addScaledVector(dst, src, f); i < len(dst); i++ {
		dst[i] = fma(src[i], f, dst[i])
	}
}
