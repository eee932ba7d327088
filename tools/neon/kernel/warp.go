package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// warp: the general affine map, four pixels at a time. Coordinates are fixed point; two neighboring pixels are loaded together;
// interpolation is float32 with fused multiply-add, of differences that are exact as they come from whole numbers. The result is
// an estimate whose error is bounded, see warpArgs: three roundings of numbers below 256, and one of the margin's sum.
func warp(file *File) {
	f := file.Func("warpNEON",
		"(dst, src, below *byte, mask *uint8, rows, w, skip int, x0, y0, xStep, yStep, xRow, yRow int64, pitch uint32, scale float32, lanes *warpLanes)",
		"warpNEON estimates the first w pixels, a multiple of 4, of some rows, skips so many bytes after each, and sets in the masks of four\n"+
			"pixels the bits of those that the estimate does not decide; see warpArgs. pitch is the width of src.")
	r := f.Loads("dst", "src", "below", "mask", "rows", "w", "skip", "x0", "y0", "xStep", "yStep", "xRow", "yRow")
	dst, src, below, mask, rows, w, skip := r[0], r[1], r[2], r[3], r[4], r[5], r[6]
	cx, cy, n, g, p, lanes := f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Load("lanes")
	c := f.Vecs(7) // the second line of warpLanes
	f.Go("ADD $160, %v, %v", lanes, p)
	f.LD1(S4s(c[:4]), Post(p, 64))
	f.LD1(S4s(c[4:]), Ptr(p, 0))
	slack, nearMask, half, one, left, right, margin := c[0], c[1], c[2], c[3], c[4], c[5], c[6]
	scale, pitch, zero, alpha := f.Fill("scale"), f.Fill("pitch"), f.Vec(), f.FillWith(S, 0xff000000)
	f.ZERO(zero)
	pair := func(at int) (Vec, Vec) {
		a, b := f.Vec(), f.Vec()
		f.LDP(a, b, Ptr(lanes, at))
		return a, b
	}
	top := f.NewLabel()
	f.Label(top)
	f.Go("MOVD %v, %v", r[7], cx)
	f.Go("MOVD %v, %v", r[8], cy)
	f.Go("MOVD %v, %v", w, n)
	f.Loop(n, 4, func() {
		x, y := pair(0)
		near, nearY := pair(32)
		inside, inY := pair(64)
		ix, iy := pair(96)
		t := f.Vec()
		for i, v := range []Vec{x, y} {
			from, step := cx, r[9]
			end, max, edge := inside, ix, near
			if i == 1 {
				from, step, end, max, edge = cy, r[10], inY, iy, nearY
			}
			f.Go("ASR $32, %v, %v", from, g)
			f.Go("ADD %v, %v", step, from)
			f.DUPR(t.S4(), g)
			f.ADD(v.S4(), v.S4(), t.S4())
			// Coordinates within the slack of a whole or half pixel are left to the exact code.
			f.ADD(t.S4(), v.S4(), slack.S4())
			f.AND(t, t, nearMask)
			f.CMGE(edge.S4(), edge.S4(), t.S4())
			f.ADD(t.S4(), v.S4(), half.S4())
			f.CMHI(end.S4(), end.S4(), t.S4())
			// Left and upper neighbor, moved inside; the fraction follows, so that beyond the border it becomes 0 or 1.
			f.SSHL(t.S4(), v.S4(), right.S4())
			f.SMIN(max.S4(), max.S4(), t.S4())
			f.SMAX(max.S4(), max.S4(), zero.S4())
			f.SSHL(t.S4(), max.S4(), left.S4())
			f.SUB(v.S4(), v.S4(), t.S4())
			f.SMIN(v.S4(), v.S4(), one.S4())
			f.SMAX(v.S4(), v.S4(), zero.S4())
			f.SCVTF(v.S4(), v.S4())
			f.FMUL(v.S4(), v.S4(), scale.S4())
		}
		f.ORR(near, near, nearY)
		f.AND(inside, inside, inY)
		f.MLA(ix.S4(), iy.S4(), pitch.S4())
		f.Free(nearY, inY, iy, t)
		a, b, cc, d := gather(f, src, below, ix, g, p)
		f.Free(ix)
		flat, sums := lerp(f, a, b, cc, d, x, y)
		f.Free(a, b, cc, d, x, y)
		out, low := f.Vec(), f.Vecs(4)
		for i, s := range sums {
			f.FSUB(low[i].S4(), s.S4(), margin.S4())
			f.FADD(s.S4(), s.S4(), margin.S4())
			f.FCVTZS(low[i].S4(), low[i].S4())
			f.FCVTZS(s.S4(), s.S4())
		}
		for _, v := range [][]Vec{low, sums} {
			f.UZP1(v[0].H8(), v[0].H8(), v[1].H8())
			f.UZP1(v[2].H8(), v[2].H8(), v[3].H8())
			f.UZP1(v[0].B16(), v[0].B16(), v[2].B16())
		}
		// Decided is a pixel whose colors are whole in both estimates, or those of all its neighbors.
		f.CMEQ(low[0].B16(), low[0].B16(), sums[0].B16())
		f.ORR(low[0], low[0], flat)
		f.ORR(low[0], low[0], alpha)
		f.NOT(low[0], low[0])
		f.CMEQ0(low[0].S4(), low[0].S4())
		f.BIC(low[0], inside, low[0])
		f.ORR(low[0], low[0], near)
		f.LDP(out, low[1], Ptr(lanes, 128)) // fill, bits
		f.AND(low[0], low[0], low[1])
		f.ADDV(low[0], low[0].S4())
		f.STR(B, low[0], Post(mask, 1))
		f.ORR(sums[0], sums[0], alpha)
		f.BIT(out, sums[0], inside)
		f.STR(Q, out, Post(dst, 16))
		f.Free(out, low, sums, flat, near, inside)
	})
	f.Go("ADD %v, %v", skip, dst)
	f.Go("ADD %v, %v", r[11], r[7])
	f.Go("ADD %v, %v", r[12], r[8])
	f.Go("SUBS $1, %v, %v", rows, rows)
	f.Go("BNE %s", top)
}

// gather loads the four neighbors of four pixels.
func gather(f *Func, src, below Reg, at Vec, g, p Reg) (a, b, c, d Vec) {
	var out [4]Vec
	for row, base := range []Reg{src, below} {
		x, y := f.Vec(), f.Vec()
		for i := range 4 {
			f.UMOV(g, at.At(S, i))
			f.Go("ADD %v<<2, %v, %v", g, base, p)
			f.LD1E([]Vec{x, y}[i/2].At(D, i%2), Ptr(p, 0))
		}
		out[2*row], out[2*row+1] = f.Vec(), x
		f.UZP1(out[2*row].S4(), x.S4(), y.S4())
		f.UZP2(x.S4(), x.S4(), y.S4())
		f.Free(y)
	}
	return out[0], out[1], out[2], out[3]
}

// lerp interpolates: a register for each pixel. flat has ones in the bytes where all neighbors are equal.
func lerp(f *Func, a, b, c, d, dx, dy Vec) (flat Vec, sums []Vec) {
	flat = f.Vec()
	t := f.Vec()
	f.CMEQ(flat.B16(), a.B16(), b.B16())
	f.CMEQ(t.B16(), a.B16(), c.B16())
	f.AND(flat, flat, t)
	f.CMEQ(t.B16(), a.B16(), d.B16())
	f.AND(flat, flat, t)
	f.Free(t)
	sums = f.Vecs(4)
	for i, part := range []func(Vec) Lanes{Vec.B8, Vec.B16} {
		whole := f.Vecs(4) // a, b-a, c-a, d-c-(b-a)
		f.USHLL(whole[0].H8(), part(a), 0)
		f.USUBL(whole[1].H8(), part(b), part(a))
		f.USUBL(whole[2].H8(), part(c), part(a))
		f.USUBL(whole[3].H8(), part(d), part(c))
		f.SUB(whole[3].H8(), whole[3].H8(), whole[1].H8())
		for k, half := range []func(Vec) Lanes{Vec.H4, Vec.H8} {
			pixel := 2*i + k
			v := []Vec{sums[pixel], f.Vec(), f.Vec(), f.Vec()}
			for j, x := range v {
				f.SSHLL(x.S4(), half(whole[j]), 0)
				f.SCVTF(x.S4(), x.S4())
			}
			f.FMLAE(v[2].S4(), v[3].S4(), dx.At(S, pixel))
			f.FMLAE(v[0].S4(), v[1].S4(), dx.At(S, pixel))
			f.FMLAE(v[0].S4(), v[2].S4(), dy.At(S, pixel))
			f.Free(v[1], v[2], v[3])
		}
		f.Free(whole)
	}
	return flat, sums
}
