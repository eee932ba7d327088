package conv

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func outer(file *File) {
	f := file.Func("outerNEON",
		"(a, b, c *float32, n, rows, images, aStep, aRow, aPic, bStep, bRow, bPic, m, ldc, vectors, tail int)",
		`outerNEON is outerPlain for at least four columns. The last vector of a row begins tail bytes behind the first. Steps and
ldc count bytes; steps of rows and images lead from behind the last pixel of one to the first of the next.`)
	a, c, m := f.Load("a"), f.Load("c"), f.Load("m")
	widths(f, func(v int) {
		f.Blocks(m, downFrom(outerRows[v-1]), func(rows int) {
			outerBody(f, v, rows, a, c)
			f.Go("ADD $%d, %v", 4*rows, a)
			ldc, t := f.Load("ldc"), f.Reg()
			f.Go("MOVD $%d, %v", rows, t)
			f.Go("MADD %v, %v, %v, %v", t, c, ldc, c)
			f.Free(ldc, t)
		})
	})
}

func outerBody(f *Func, v, rows int, first, c Reg) {
	s := newSums(f, rows, v)
	s.tail = f.Load("tail")
	a, b := f.Reg(), f.Load("b")
	f.Go("MOVD %v, %v", first, a)
	aStep, bStep, images := f.Load("aStep"), f.Load("bStep"), f.Load("images")
	image, row := f.NewLabel(), f.NewLabel()
	move := func(step string, p Reg) {
		by := f.Load(step)
		f.Go("ADD %v, %v", by, p)
		f.Free(by)
	}
	f.Label(image)
	y := f.Load("rows")
	f.Label(row)
	x := f.Load("n")
	f.Blocks(x, []int{2, 1}, func(pixels int) {
		for range pixels {
			s.pixel(rows, a, b)
			f.Go("ADD %v, %v", aStep, a)
			f.Go("ADD %v, %v", bStep, b)
		}
	})
	f.Free(x)
	move("aRow", a)
	move("bRow", b)
	f.Go("SUBS $1, %v", y)
	f.Go("BNE %s", row)
	move("aPic", a)
	move("bPic", b)
	f.Go("SUBS $1, %v", images)
	f.Go("BNE %s", image)
	f.Free(a, b, aStep, bStep, images, y)
	to, ldc := f.Reg(), f.Load("ldc")
	f.Go("MOVD %v, %v", c, to)
	for i := range rows {
		s.addRow(i, to)
		s.storeRow(i, to)
		f.Go("ADD %v, %v", ldc, to)
	}
	f.Free(s.acc, s.tail, to, ldc)
}

// pixel adds the outer product of a pixel. It reads no float of a beyond the rows.
func (s sums) pixel(rows int, a, b Reg) {
	f := s.f
	var of []Element // a's of the rows
	var loaded []Vec
	for len(of) < rows {
		v, n, size := f.Vec(), 1, S
		switch left := rows - len(of); {
		case left >= 4:
			n, size = 4, Q
		case left >= 2:
			n, size = 2, D
		}
		f.LDR(size, v, Ptr(a, 4*len(of)))
		loaded = append(loaded, v)
		for i := range n {
			of = append(of, v.At(S, i))
		}
	}
	x := f.Vecs(s.v)
	for j := range s.v {
		switch {
		case j+2 < s.v && j%2 == 0:
			f.LDP(x[j], x[j+1], s.at(b, j))
		case j+1 < s.v && j%2 == 1:
		default:
			f.LDR(Q, x[j], s.at(b, j))
		}
	}
	for i, e := range of {
		for j := range s.v {
			f.FMLAE(s.acc[i*s.v+j].S4(), x[j].S4(), e)
		}
	}
	f.Free(x, loaded)
}
