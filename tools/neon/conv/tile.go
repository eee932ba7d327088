package conv

import . "github.com/augmix-go/augmix/tools/neon/arm64"

func tile(file *File) {
	f := file.Func("tileNEON",
		"(a *float32, aOff, cOff *int32, taps, last *tap, kc int, b, c, bias *float32, n, vectors, add, tail int, shift *[16]uint8)",
		`tileNEON is tilePlain for n pixels and at least four columns. The last vector of a row of c begins tail bytes behind the
first; shift picks its bytes from the last two of the panel.`)
	aOff, cOff, n := f.Load("aOff"), f.Load("cOff"), f.Load("n")
	widths(f, func(v int) {
		f.Blocks(n, downFrom(tileRows[v-1]), func(rows int) {
			tileBody(f, v, rows, aOff, cOff)
			f.Go("ADD $%d, %v", 4*rows, aOff)
			f.Go("ADD $%d, %v", 4*rows, cOff)
		})
	})
}

// places returns where the pixels of a block begin.
func places(f *Func, base string, offsets Reg, rows int) []Reg {
	p, from := make([]Reg, rows), f.Load(base)
	for i := range p {
		p[i] = f.Reg()
		f.Go("MOVW %d(%v), %v", 4*i, offsets, p[i])
		f.Go("ADD %v<<2, %v, %v", p[i], from, p[i])
	}
	f.Free(from)
	return p
}

func tileBody(f *Func, v, rows int, aOff, cOff Reg) {
	s := newSums(f, rows, v)
	products(f, s, rows, places(f, "a", aOff, rows))
	s.tail = f.Load("tail")
	if v > 1 {
		p, shift := f.Load("shift"), f.Vec()
		f.LDR(Q, shift, Ptr(p, 0))
		for i := range rows {
			last := s.acc[(i+1)*v-2 : (i+1)*v]
			f.TBL(last[1], last, shift)
		}
		f.Free(p, shift)
	}
	bias, none := f.Load("bias"), f.NewLabel()
	f.Go("CBZ %v, %s", bias, none)
	x := f.Vec()
	for j := range v {
		f.LDR(Q, x, s.at(bias, j))
		for i := range rows {
			f.FADD(s.acc[i*v+j].S4(), s.acc[i*v+j].S4(), x.S4())
		}
	}
	f.Free(x, bias)
	f.Label(none)
	c, add, store := places(f, "c", cOff, rows), f.Load("add"), f.NewLabel()
	f.Go("CBZ %v, %s", add, store)
	for i, p := range c {
		s.addRow(i, p)
	}
	f.Label(store)
	for i, p := range c {
		s.storeRow(i, p)
		f.Free(p)
	}
	f.Free(s.acc, s.tail, add)
}

// products adds up all terms, four at a time: each is an element of a vector of a pixel.
func products(f *Func, s sums, rows int, pixels []Reg) {
	a, b := f.Vecs(rows), f.Vecs(min(s.v, 32-rows*(s.v+1)))
	tap, last, from, k, left := f.Load("taps"), f.Load("last"), f.Reg(), f.Reg(), f.Reg()
	again := f.NewLabel()
	term := func(u int) {
		for j := range s.v {
			at := Ptr(from, 16*(u*s.v+j))
			switch {
			case j%2 == 1:
			case j+1 < s.v:
				f.LDP(b[j%len(b)], b[(j+1)%len(b)], at)
			default:
				f.LDR(Q, b[j%len(b)], at)
			}
			for i := range rows {
				f.FMLAE(s.acc[i*s.v+j].S4(), b[j%len(b)].S4(), a[i].At(S, u))
			}
		}
	}
	f.Label(again)
	f.Go("LDP (%v), (%v, %v)", tap, k, from)
	f.Go("LSL $2, %v", k)
	f.Go("MOVD $%d, %v", 16*s.v, left)
	panel := f.Load("b")
	f.Go("MADD %v, %v, %v, %v", left, panel, from, from)
	f.Free(panel, left)
	left = f.Load("kc")
	f.Blocks(left, []int{4, 1}, func(terms int) {
		for i, p := range pixels {
			f.LDR(map[int]Size{4: Q, 1: S}[terms], a[i], Indexed(p, k))
		}
		for u := range terms {
			term(u)
		}
		f.Go("ADD $%d, %v", 4*terms, k)
		f.Go("ADD $%d, %v", 16*terms*s.v, from)
	})
	f.Go("CMP %v, %v", last, tap)
	f.Go("ADD $16, %v", tap)
	f.Go("BNE %s", again)
	f.Free(a, b, tap, last, from, k, left)
	for _, p := range pixels {
		f.Free(p)
	}
}
