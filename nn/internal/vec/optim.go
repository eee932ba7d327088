package vec

import "math"

// SGD is one step of PyTorch's SGD on a tensor: d = g + decay*w; m = mu*m + d, or d when first; then w -= lr*(d + mu*m)
// with nesterov, w -= lr*m without. With mu = 0, m may be nil.
func SGD(w, g, m []float32, lr, mu, decay float32, nesterov, first bool) {
	g = g[:len(w)]
	if mu == 0 {
		for i := range w {
			w[i] -= lr * (g[i] + decay*w[i])
		}
		return
	}
	m = m[:len(w)]
	keep := mu
	if first {
		keep = 0
	}
	for i := sgdVector(w, g, m, lr, mu, keep, decay, nesterov); i < len(w); i++ {
		d := g[i] + decay*w[i]
		m[i] = keep*m[i] + d
		if nesterov {
			d += mu * m[i]
		} else {
			d = m[i]
		}
		w[i] -= lr * d
	}
}

// Adam is one step of Adam on a tensor: d = g + decay*w; m and v are the running averages of d and d*d with weights b1
// and b2; w = shrink*w - rate*m/(sqrt(v)*root + eps). rate and root hold the corrections of the averages' start,
// lr/(1-b1^t) and 1/sqrt(1-b2^t); shrink is 1 in Adam and 1 - lr*decay in AdamW, which has decay 0 here.
func Adam(w, g, m, v []float32, b1, b2, rate, root, eps, decay, shrink float32) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i := range w {
		d := g[i] + decay*w[i]
		m[i] += (1 - b1) * (d - m[i])
		v[i] = b2*v[i] + (1-b2)*d*d
		w[i] = shrink*w[i] - rate*m[i]/(float32(math.Sqrt(float64(v[i])))*root+eps)
	}
}

// Lerp moves dst towards src: dst += f*(src-dst).
func Lerp(dst, src []float32, f float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += f * (src[i] - dst[i])
	}
}
