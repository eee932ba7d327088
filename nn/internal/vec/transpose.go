package vec

// Transpose sets dst[j*ds+i] to src[i*ss+j] for i < rows and j < cols.
func Transpose(dst []float32, ds int, src []float32, ss, rows, cols int) {
	r, c := transposeVector(dst, ds, src, ss, rows, cols)
	transpose(dst, ds, src, ss, 0, r, c, cols)
	transpose(dst, ds, src, ss, r, rows, 0, cols)
}

// transpose does rows i0 <= i < i1 and columns j0 <= j < j1, four rows at a time, as every step down a column of dst is a line of the
// cache.
func transpose(dst []float32, ds int, src []float32, ss, i0, i1, j0, j1 int) {
	if j0 == j1 {
		return
	}
	i := i0
	for ; i+4 <= i1; i += 4 {
		s0, s1, s2, s3 := src[i*ss:][:j1], src[(i+1)*ss:][:j1], src[(i+2)*ss:][:j1], src[(i+3)*ss:][:j1]
		for j := j0; j < j1; j++ {
			d := dst[j*ds+i:][:4]
			d[0], d[1], d[2], d[3] = s0[j], s1[j], s2[j], s3[j]
		}
	}
	for ; i < i1; i++ {
		for j := j0; j < j1; j++ {
			dst[j*ds+i] = src[i*ss+j]
		}
	}
}
