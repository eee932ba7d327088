package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// A shear has one fraction f for a whole row or column; A + (B-A)*f truncated is A + floor(d*f) for d = B-A >= 0 and
// A - floor(-d*f) - 1 below. See shearCells of package kernel.

// shearStep interpolates four pixels between a and b with factors for two of them each. b and t are lost.
func shearStep(f *Func, a, b Vec, factor [2]Vec, t []Vec) {
	d, rising := t[0], t[4]
	f.CMHS(rising.B16(), b.B16(), a.B16())
	f.UABD(b.B16(), a.B16(), b.B16())
	f.USHLL(t[0].H8(), b.B8(), 0)
	f.USHLL(t[2].H8(), b.B16(), 0)
	for i, by := range factor {
		lo, hi := t[2*i], t[2*i+1]
		f.UMULL(hi.S4(), lo.H8(), by.H8())
		f.UMULL(lo.S4(), lo.H4(), by.H4())
		f.UZP2(lo.H8(), lo.H8(), hi.H8()) // the upper halves
	}
	f.UZP1(d.B16(), t[0].B16(), t[2].B16())
	// Less the inverted floor is plus the floor and 1; a lane of rising is -1.
	f.EOR(d, d, rising)
	f.SUB(a.B16(), a.B16(), d.B16())
}

// shearRow subtracts 1 at last: from A + floor + 1 or A - floor.
func shearRow(file *File) {
	f := file.Func("shearRowNEON", "(dst, src *byte, n int, factor uint16)",
		"shearRowNEON interpolates n >= 16 bytes of pixels between src and its right neighbor: n+4 bytes of src are read.")
	r, by, ones, a, b, t := f.Loads("dst", "src", "n"), f.Fill("factor"), f.Vec(), f.Vec(), f.Vec(), f.Vecs(5)
	f.CMEQ(ones.B16(), ones.B16(), ones.B16())
	overlapping(f, r[2], 16, r[:2], func() {
		f.LDR(Q, a, Ptr(r[1], 0))
		f.LDR(Q, b, Ptr(r[1], 4))
		shearStep(f, a, b, [2]Vec{by, by}, t)
		f.ADD(a.B16(), a.B16(), ones.B16())
		f.STR(Q, a, Post(r[0], 16))
		f.Go("ADD $16, %v", r[1])
	})
}

// shearColumns: rows stream downwards through three pairs of registers.
func shearColumns(file *File) {
	f := file.Func("shearColumnsNEON", "(dst, src *byte, stride, rows, at, last int, factor, lower *[8]uint32)",
		"shearColumnsNEON interpolates some rows, at least one, of eight columns. src is the first row of the image; see shearStrip.")
	r := f.Loads("dst", "src", "stride", "rows", "at", "last", "factor", "lower")
	dst, src, stride, n, at, last, p := r[0], r[1], r[2], r[3], r[4], r[5], f.Reg()
	factors, lower, ones := f.Vecs(4), f.Vecs(2), f.Vec()
	for i := 0; i < 4; i += 2 {
		f.LDR(Q, factors[i], Post(r[6], 16))
		f.ZIP2(factors[i+1].S4(), factors[i].S4(), factors[i].S4())
		f.ZIP1(factors[i].S4(), factors[i].S4(), factors[i].S4())
	}
	f.LD1(S4s(lower), Ptr(r[7], 0))
	f.CMEQ(ones.B16(), ones.B16(), ones.B16())
	rows := [3][]Vec{f.Vecs(2), f.Vecs(2), f.Vecs(2)}
	a, b, t := f.Vec(), f.Vec(), f.Vecs(5)
	next := func(v []Vec) { // the border repeats
		f.Go("CMP %v, %v", last, at)
		f.Go("CSEL GT, %v, %v, %v", last, at, p)
		f.Go("CMP $0, %v", p)
		f.Go("CSEL LT, ZR, %v, %v", p, p)
		f.Go("ADD %v, %v", src, p)
		f.LDP(v[0], v[1], Ptr(p, 0))
		f.Go("ADD %v, %v", stride, at)
	}
	next(rows[0])
	next(rows[1])
	f.Loop(n, 1, func() {
		next(rows[2])
		for i := range 2 {
			f.MOV(a, lower[i])
			f.BSL(a, rows[1][i], rows[0][i])
			f.MOV(b, lower[i])
			f.BSL(b, rows[2][i], rows[1][i])
			shearStep(f, a, b, [2]Vec{factors[2*i], factors[2*i+1]}, t)
			f.ADD(a.B16(), a.B16(), ones.B16())
			f.STR(Q, a, Ptr(dst, 16*i))
			f.MOV(rows[0][i], rows[1][i])
			f.MOV(rows[1][i], rows[2][i])
		}
		f.Go("ADD %v, %v", stride, dst)
	})
}
