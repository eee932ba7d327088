package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// net is a row of places whose column coordinates lie behind the row coordinates.
type net struct {
	sin, cos [2]Reg
	columns  Reg
}

func (n *net) next(f *Func, more ...Reg) {
	for _, p := range append(more, n.sin[0], n.sin[1], n.cos[0], n.cos[1], n.columns) {
		f.Go("ADD $16, %v", p)
	}
}

// both returns where the row coordinates and the column coordinates are.
func both(f *Func, name string, apart Reg) [2]Reg {
	p := [2]Reg{f.Load(name), f.Reg()}
	f.Go("ADD %v<<3, %v, %v", apart, p[0], p[1])
	return p
}

func newNet(f *Func, w Reg) *net {
	return &net{both(f, "sin", w), both(f, "cos", w), f.Load("columns")}
}

func moveLight(file *File) {
	f := file.Func("moveNEON", "(moved, sin, cos, columns *float64, n, w int, row, re, im float64)",
		"moveNEON is LightNet.Move for n of w places, a multiple of 2.")
	w, n := f.Load("w"), f.Load("n")
	net, moved := newNet(f, w), both(f, "moved", w)
	row, re, im := f.Fill("row"), f.Fill("re"), f.Fill("im")
	v := f.Vecs(4)
	x, y := f.Vec(), f.Vec()
	f.Loop(n, 2, func() {
		for i, factor := range []struct {
			from Reg
			by   Vec
		}{{net.cos[0], re}, {net.sin[0], im}, {net.cos[1], im}, {net.sin[1], re}} {
			f.LDR(Q, v[i], Ptr(factor.from, 0))
			f.FMUL(v[i].D2(), factor.by.D2(), v[i].D2())
		}
		a, b, c, d := v[0].D2(), v[1].D2(), v[2].D2(), v[3].D2()
		f.FADD(x.D2(), a, b)
		f.FADD(x.D2(), row.D2(), x.D2())
		f.FADD(y.D2(), c, d)
		f.FADD(x.D2(), x.D2(), y.D2())
		f.STR(Q, x, Ptr(moved[0], 0))
		f.LDR(Q, x, Ptr(net.columns, 0))
		f.FSUB(c, c, d)
		f.FADD(x.D2(), x.D2(), c)
		f.FSUB(a, a, b)
		f.FADD(x.D2(), x.D2(), a)
		f.STR(Q, x, Ptr(moved[1], 0))
		net.next(f, moved[0], moved[1])
	})
}

func gatherLight(file *File) {
	f := file.Func("gatherNEON", "(light, sin, cos, columns *float64, n, w int, row, re, im, focus float64)",
		"gatherNEON is LightNet.Gather for n of w places, a multiple of 2.")
	w, n := f.Load("w"), f.Load("n")
	net, light := newNet(f, w), f.Load("light")
	row, re, im, focus, tiny := f.Fill("row"), f.Fill("re"), f.Fill("im"), f.Fill("focus"), double(f, 1e-300)
	av, b, t, u := f.Vec(), f.Vec().D2(), f.Vec(), f.Vec()
	a := av.D2()
	product := func(to Lanes, from Reg, by Vec) {
		f.LDR(Q, t, Ptr(from, 0))
		f.FMUL(to, t.D2(), by.D2())
	}
	f.Loop(n, 2, func() {
		product(a, net.sin[0], re)
		product(u.D2(), net.cos[0], im)
		f.FADD(a, a, u.D2())
		product(b, net.cos[1], re)
		product(u.D2(), net.sin[1], im)
		f.FSUB(b, b, u.D2())
		f.FMUL(u.D2(), row.D2(), b)
		f.LDR(Q, t, Ptr(net.columns, 0))
		f.FMUL(t.D2(), t.D2(), a)
		f.FMUL(u.D2(), u.D2(), u.D2())
		f.FMUL(t.D2(), t.D2(), t.D2())
		f.FADD(u.D2(), u.D2(), t.D2())
		f.FADD(u.D2(), u.D2(), tiny.D2())
		f.FSQRT(u.D2(), u.D2())
		f.FMUL(u.D2(), focus.D2(), u.D2())
		f.FMUL(a, a, b)
		f.FABS(a, a)
		f.FDIV(a, a, u.D2())
		f.LDR(Q, t, Ptr(light, 0))
		f.FADD(a, t.D2(), a)
		f.STR(Q, av, Ptr(light, 0))
		net.next(f, light)
	})
}
