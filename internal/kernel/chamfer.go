package kernel

// Chamfer sets dst[x] to the least of the distances near and far, rows of a frame of two numbers on each side, that lie a step
// away: one row away near[x+2] plus side, its neighbors plus corner and theirs plus knight; two rows away far[x+1] and far[x+3]
// plus knight. Sums must fit 32 bits.
func Chamfer(dst, near, far []int32, side, corner, knight int32) {
	near, far = near[:len(dst)+4], far[:len(dst)+4]
	for x := chamferVector(dst, near, far, side, corner, knight); x < len(dst); x++ {
		n, f := near[x:][:5:5], far[x:][:5:5]
		dst[x] = min(n[2]+side, min(n[1], n[3])+corner, min(n[0], n[4], f[1], f[3])+knight)
	}
}
