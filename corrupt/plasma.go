package corrupt

// plasma makes a an n by n plasma fractal, n a power of two, by diamonds and squares on a torus (Fournier,
// Fussell and Carpenter, 1982): starting from one point, each scale fills in the centers of squares and then of sides
// with the mean of four neighbors plus noise u scaled to ±amplitude². The amplitude starts at 100 and falls by decay
// from scale to scale; squaring it is what the published generator does. A 1 by 1 map is 0.
func plasma(a []float64, n int, decay float64, u []float32) {
	a[0] = 0
	amplitude := 100.0
	for step := n; step >= 2; step /= 2 {
		u = plasmaSquares(a, n, step, amplitude, u)
		u = plasmaSides(a, n, step, amplitude, u)
		amplitude /= decay
	}
}

// noise returns the displacement for the uniform number u.
func noise(amplitude float64, u float32) float64 {
	return float64(amplitude * (float64(2*amplitude*float64(u)) - amplitude))
}

// plasmaSquares sets the centers of the squares of a grid and returns the uniform numbers that are left.
func plasmaSquares(a []float64, n, step int, amplitude float64, u []float32) []float32 {
	half := step / 2
	for y := 0; y < n; y += step {
		upper, lower := a[y*n:][:n], a[(y+step)&(n-1)*n:][:n]
		out := a[(y+half)*n:][:n]
		for x := 0; x < n; x += step {
			r := (x + step) & (n - 1)
			sum := (upper[x] + lower[x]) + (upper[r] + lower[r])
			out[x+half] = float64(sum/4) + noise(amplitude, u[0])
			u = u[1:]
		}
	}
	return u
}

// plasmaSides sets the centers of the horizontal sides, then of the vertical ones.
func plasmaSides(a []float64, n, step int, amplitude float64, u []float32) []float32 {
	half := step / 2
	for y := 0; y < n; y += step {
		row, above, below := a[y*n:][:n], a[(y-half)&(n-1)*n:][:n], a[(y+half)*n:][:n]
		for x := 0; x < n; x += step {
			sum := (below[x+half] + above[x+half]) + (row[x] + row[(x+step)&(n-1)])
			row[x+half] = float64(sum/4) + noise(amplitude, u[0])
			u = u[1:]
		}
	}
	for y := 0; y < n; y += step {
		upper, lower := a[y*n:][:n], a[(y+step)&(n-1)*n:][:n]
		row := a[(y+half)*n:][:n]
		for x := 0; x < n; x += step {
			sum := (row[x+half] + row[(x-half)&(n-1)]) + (upper[x] + lower[x])
			row[x] = float64(sum/4) + noise(amplitude, u[0])
			u = u[1:]
		}
	}
	return u
}

// extent returns the least value and what the largest lies above it, or 1 if all are equal; NaN for both if one is.
func extent(a []float64) (lo, span float64) {
	lo, hi := a[0], a[0]
	for _, v := range a { // min and max are slow, for the sake of zeros and NaN
		switch {
		case v < lo:
			lo = v
		case v > hi:
			hi = v
		case v != v:
			return v, v
		}
	}
	if span = hi - lo; span == 0 {
		span = 1
	}
	return lo, span
}

// stretch maps what lies between the given extent to 0…1.
func stretch(a []float64, lo, span float64) {
	for i, v := range a {
		a[i] = (v - lo) / span
	}
}
