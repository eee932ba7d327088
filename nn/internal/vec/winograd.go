package vec

// The loops of Winograd's convolution F(2x2, 3x3): Lavin and Gray, Fast Algorithms for Convolutional Neural Networks,
// CVPR 2016. With the matrices of section 4.1,
//
//	B' = 1  0 -1  0    A' = 1  1  1  0
//	     0  1  1  0         0  1 -1 -1
//	     0 -1  1  0
//	     0  1  0 -1
//
// a tile is 4x4 pixels of the input or 2x2 of the output, and tiles are two pixels apart. A transformed tile has
// sixteen values a channel; value k of n tiles with c channels lies at dst[k*pos:], tile by tile without gaps. All
// functions do a row of n tiles; row is the distance of image rows in floats.

// WinogradInput sets dst to B' d B for tiles d of src.
func WinogradInput(dst []float32, pos int, src []float32, row, n, c int) {
	if winogradInputVector(dst, pos, src, row, n, c) {
		return
	}
	for t := range n {
		for j := range c {
			var m, v [4][4]float32
			for x := range 4 {
				d := func(y int) float32 { return src[y*row+(2*t+x)*c+j] }
				m[0][x], m[1][x], m[2][x], m[3][x] = d(0)-d(2), d(1)+d(2), d(2)-d(1), d(1)-d(3)
			}
			for y := range 4 {
				d := m[y]
				v[y] = [4]float32{d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]}
			}
			for k := range 16 {
				dst[k*pos+t*c+j] = v[k/4][k%4]
			}
		}
	}
}

// WinogradOutput sets tiles of dst to A' m A + bias, or with add adds that to them.
func WinogradOutput(dst []float32, row int, src []float32, pos, n, c int, bias []float32, add bool) {
	if winogradOutputVector(dst, row, src, pos, n, c, bias, add) {
		return
	}
	for t := range n {
		for j := range c {
			var s [2][4]float32
			for x := range 4 {
				m := func(y int) float32 { return src[(4*y+x)*pos+t*c+j] }
				s[0][x], s[1][x] = m(1)+m(2)+m(0), m(1)-m(2)-m(3)
			}
			for y := range 2 {
				for x, v := range [2]float32{s[y][0] + s[y][1] + s[y][2], s[y][1] - s[y][2] - s[y][3]} {
					at := &dst[y*row+(2*t+x)*c+j]
					v += bias[j]
					if add {
						v += *at
					}
					*at = v
				}
			}
		}
	}
}

// WinogradOutputGrad sets dst to A y A' for tiles y of src: the gradient of WinogradOutput.
func WinogradOutputGrad(dst []float32, pos int, src []float32, row, n, c int) {
	if winogradOutputGradVector(dst, pos, src, row, n, c) {
		return
	}
	for t := range n {
		for j := range c {
			var r [4][2]float32
			for x := range 2 {
				a, b := src[(2*t+x)*c+j], src[row+(2*t+x)*c+j]
				r[0][x], r[1][x], r[2][x], r[3][x] = a, a+b, a-b, 0-b // not -b, which makes -0 of 0
			}
			for y := range 4 {
				a, b := r[y][0], r[y][1]
				for x, v := range [4]float32{a, a + b, a - b, 0 - b} {
					dst[(4*y+x)*pos+t*c+j] = v
				}
			}
		}
	}
}

// WinogradInputGrad adds B v B' to tiles of dst: the gradient of WinogradInput.
func WinogradInputGrad(dst []float32, row int, src []float32, pos, n, c int) {
	if winogradInputGradVector(dst, row, src, pos, n, c) {
		return
	}
	for t := range n {
		for j := range c {
			var m [4][4]float32
			for x := range 4 {
				v := func(y int) float32 { return src[(4*y+x)*pos+t*c+j] }
				m[0][x], m[1][x], m[2][x], m[3][x] = v(0), v(1)-v(2)+v(3), v(1)+v(2)-v(0), v(3)
			}
			for y := range 4 {
				d := m[y]
				for x, v := range [4]float32{d[0], d[1] - d[2] + d[3], d[1] + d[2] - d[0], d[3]} {
					if at := &dst[y*row+(2*t+x)*c+j]; (y == 3) == (x == 3) {
						*at += v
					} else { // the last row and column of B are negative but where they meet
						*at -= v
					}
				}
			}
		}
	}
}

// WinogradKernel sets dst to G g G' for n kernels g of 3x3, G = (1 0 0; 1/2 1/2 1/2; 1/2 -1/2 1/2; 0 0 1): value k of kernel i at
// dst[k*pos+i] from value k at src[k*plane+i].
func WinogradKernel(dst []float32, pos int, src []float32, plane, n int) {
	for i := winogradKernelVector(dst, pos, src, plane, n); i < n; i++ {
		var m [4][3]float32
		for x := range 3 {
			a, b, c := src[x*plane+i], src[(3+x)*plane+i], src[(6+x)*plane+i]
			m[0][x], m[1][x], m[2][x], m[3][x] = a, (a+b+c)/2, (a-b+c)/2, c
		}
		for y, r := range m {
			for x, v := range [4]float32{r[0], (r[0] + r[1] + r[2]) / 2, (r[0] - r[1] + r[2]) / 2, r[2]} {
				dst[(4*y+x)*pos+i] = v
			}
		}
	}
}

// WinogradKernelGrad sets dst to G' u G for n transformed kernels u: the gradient of WinogradKernel.
func WinogradKernelGrad(dst []float32, plane int, src []float32, pos, n int) {
	for i := winogradKernelGradVector(dst, plane, src, pos, n); i < n; i++ {
		var m [3][4]float32
		for x := range 4 {
			a, b, c, d := src[x*pos+i], src[(4+x)*pos+i], src[(8+x)*pos+i], src[(12+x)*pos+i]
			m[0][x], m[1][x], m[2][x] = a+float32((b+c)/2), (b-c)/2, float32((b+c)/2)+d
		}
		for y, r := range m {
			for x, v := range [3]float32{r[0] + float32((r[1]+r[2])/2), (r[1] - r[2]) / 2, float32((r[1]+r[2])/2) + r[3]} {
				dst[(3*y+x)*plane+i] = v
			}
		}
	}
}
