package vec

import "math"

// SGD is one step of PyTorch's SGD on a tensor: d = g + decay*w; m = mu*m + d, or d when first; then w -= lr*(d + mu*m)
// with nesterov, w -= lr*m without. With mu = 0, m may be nil.
func SGD(w, g, m []float32, lr, mu, decay float32, nesterov, first bool) {
	g = g[:len(w)]
	if mu == 0 {
		for i := range w {
			w[i] -= float32(lr * (g[i] + float32(decay*w[i])))
		}
		return
	}
	m = m[:len(w)]
	keep := mu
	if first {
		keep = 0
	}
	for i := sgdVector(w, g, m, lr, mu, keep, decay, nesterov); i < len(w); i++ {
		d := fma(decay, w[i], g[i])
		m[i] = fma(keep, m[i], d)
		if nesterov {
			d = fma(mu, m[i], d)
		} else {
			d = fma(1, m[i], 0*d) // as the assembly, for the sign of a zero
		}
		w[i] = fma(-lr, d, w[i])
	}
}

// Adam is one step of Adam on a tensor: d = g + decay*w; m and v are the running averages of d and d*d with weights b1
// and b2; w = shrink*w - rate*m/(sqrt(v)*root + eps). rate and root hold the corrections of the averages' start,
// lr/(1-b1^t) and 1/sqrt(1-b2^t); shrink is 1 in Adam and 1 - lr*decay in AdamW, which has decay 0 here.
func Adam(w, g, m, v []float32, b1, b2, rate, root, eps, decay, shrink float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := range w {
		d := g[i] + float32(decay*w[i])
		m[i] += float32((1 - b1) * (d - m[i]))
		v[i] = float32(b2*v[i]) + float32((1-b2)*d*d)
		w[i] = float32(shrink*w[i]) - float32(rate*m[i])/(float32(float32(math.Sqrt(float64(v[i])))*root)+eps)
	}
}

// Lerp moves dst towards src: dst += f*(src-dst).
func Lerp(dst, src []float32, f float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += float32(f * (src[i] - dst[i]))
	}
}
