package vec

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// tiles is where the four loops of Winograd's convolution read and write: rows of an image at the first pixel of a tile, and
// rows of the sixteen values of transformed tiles.
type tiles struct {
	f              *Func
	rows, quarters []Reg
	pixel, value   [4]Reg // bytes of so many pixels, and between so many values; that of 0 is none
	again          []Reg  // what body moves along the channels, and each tile begins with
}

// pixel x of row y of a tile.
func (t *tiles) image(y, x int) Mem { return steps(t.rows[y], t.pixel[x], x) }

// at is value x of row y of a transformed tile.
func (t *tiles) at(y, x int) Mem { return steps(t.quarters[y], t.value[x], x) }

func steps(p, by Reg, n int) Mem {
	if n == 0 {
		return Ptr(p, 0)
	}
	return Indexed(p, by)
}

func multiples(f *Func, name string) (m [4]Reg) {
	m[1], m[2], m[3] = f.Load(name), f.Reg(), f.Reg()
	f.Go("ADD %v, %v, %v", m[1], m[1], m[2])
	f.Go("ADD %v, %v, %v", m[1], m[2], m[3])
	return m
}

// winograd writes the frame: for each of n tiles, for each vector of the c bytes of channels, body.
func winograd(f *Func, image, transformed string, rows int, body func(t *tiles)) {
	t := &tiles{f: f, rows: []Reg{f.Load(image)}, quarters: []Reg{f.Load(transformed)}}
	t.pixel, t.value = multiples(f, "c"), multiples(f, "pos")
	next := func(list *[]Reg, by string) {
		last := (*list)[len(*list)-1]
		r := f.Reg()
		f.Go("ADD "+by+", %v, %v", last, r)
		*list = append(*list, r)
	}
	row := f.Load("row")
	for range rows - 1 {
		next(&t.rows, row.String())
	}
	f.Free(row)
	for range 3 {
		next(&t.quarters, t.value[1].String()+"<<2")
	}
	n, c := f.Load("n"), f.Reg()
	f.Loop(n, 1, func() {
		f.Go("MOVD %v, %v", t.pixel[1], c)
		f.Loop(c, 16, func() {
			body(t)
			for _, r := range append(t.rows, t.quarters...) {
				f.Go("ADD $16, %v", r)
			}
		})
		for _, r := range t.again {
			f.Go("SUB %v, %v", t.pixel[1], r)
		}
		for _, r := range t.rows { // the channels were one pixel, a tile has two
			f.Go("ADD %v, %v", t.pixel[1], r)
		}
	})
}

const whole = " for whole vectors of channels; row, pos and c are in bytes."

func winogradInput(file *File) {
	f := file.Func("winogradInputNEON", "(dst *float32, pos int, src *float32, row, n, c int)",
		"winogradInputNEON is WinogradInput"+whole)
	winograd(f, "src", "dst", 4, func(t *tiles) {
		d, m, v := f.Vecs(16), f.Vecs(4), f.Vec()
		for i := range d {
			f.LDR(Q, d[i], t.image(i/4, i%4))
		}
		// half is a row of B' d, or a value of that times B.
		half := func(k int, to Vec, d [4]Vec) {
			switch k {
			case 0:
				f.FSUB(to.S4(), d[0].S4(), d[2].S4())
			case 1:
				f.FADD(to.S4(), d[1].S4(), d[2].S4())
			case 2:
				f.FSUB(to.S4(), d[2].S4(), d[1].S4())
			case 3:
				f.FSUB(to.S4(), d[1].S4(), d[3].S4())
			}
		}
		for y := range 4 {
			for x := range 4 {
				half(y, m[x], [4]Vec{d[x], d[4+x], d[8+x], d[12+x]})
			}
			for x := range 4 {
				half(x, v, [4]Vec(m))
				f.STR(Q, v, t.at(y, x))
			}
		}
		f.Free(d, m, v)
	})
}

func winogradOutput(file *File, name string, add bool) {
	f := file.Func(name, "(dst *float32, row int, src *float32, pos, n, c int, bias *float32)", name+" is WinogradOutput"+whole)
	bias := f.Load("bias")
	winograd(f, "dst", "src", 2, func(t *tiles) {
		t.again = []Reg{bias}
		top, low, a, b := f.Vecs(4), f.Vecs(4), f.Vec(), f.Vec()
		for x := range 4 {
			f.LDR(Q, a, t.at(1, x))
			f.LDR(Q, b, t.at(2, x))
			f.FADD(top[x].S4(), a.S4(), b.S4())
			f.FSUB(low[x].S4(), a.S4(), b.S4())
			f.LDR(Q, a, t.at(0, x))
			f.LDR(Q, b, t.at(3, x))
			f.FADD(top[x].S4(), top[x].S4(), a.S4())
			f.FSUB(low[x].S4(), low[x].S4(), b.S4())
		}
		f.LDR(Q, b, Post(bias, 16))
		for y, s := range [][]Vec{top, low} {
			f.FADD(s[0].S4(), s[0].S4(), s[1].S4())
			f.FADD(s[0].S4(), s[0].S4(), s[2].S4())
			f.FSUB(s[1].S4(), s[1].S4(), s[2].S4())
			f.FSUB(s[1].S4(), s[1].S4(), s[3].S4())
			for x := range 2 {
				f.FADD(s[x].S4(), s[x].S4(), b.S4())
				if add {
					f.LDR(Q, a, t.image(y, x))
					f.FADD(s[x].S4(), s[x].S4(), a.S4())
				}
				f.STR(Q, s[x], t.image(y, x))
			}
		}
		f.Free(top, low, a, b)
	})
}

func winogradOutputGrad(file *File) {
	f := file.Func("winogradOutputGradNEON", "(dst *float32, pos int, src *float32, row, n, c int)",
		"winogradOutputGradNEON is WinogradOutputGrad"+whole)
	zero := f.Vec()
	f.ZERO(zero)
	winograd(f, "src", "dst", 2, func(t *tiles) {
		in, r, v := f.Vecs(4), f.Vecs(2), f.Vec()
		for i := range in {
			f.LDR(Q, in[i], t.image(i/2, i%2))
		}
		// value k of a, a+b, a-b, -b
		value := func(k int, to, a, b Vec) {
			switch k {
			case 0:
				f.MOV(to, a)
			case 1:
				f.FADD(to.S4(), a.S4(), b.S4())
			case 2:
				f.FSUB(to.S4(), a.S4(), b.S4())
			case 3:
				f.FSUB(to.S4(), zero.S4(), b.S4())
			}
		}
		for y := range 4 {
			for x := range 2 {
				value(y, r[x], in[x], in[2+x])
			}
			for x := range 4 {
				value(x, v, r[0], r[1])
				f.STR(Q, v, t.at(y, x))
			}
		}
		f.Free(in, r, v)
	})
}

func winogradInputGrad(file *File) {
	f := file.Func("winogradInputGradNEON", "(dst *float32, row int, src *float32, pos, n, c int)",
		"winogradInputGradNEON is WinogradInputGrad"+whole)
	winograd(f, "dst", "src", 4, func(t *tiles) {
		in, m, v, d := f.Vecs(16), f.Vecs(4), f.Vec(), f.Vec()
		for i := range in {
			f.LDR(Q, in[i], t.at(i/4, i%4))
		}
		// value k of a, b-c+d, b+c-a, d: but for the last one's sign, which B has negative.
		value := func(k int, to Vec, s [4]Vec) {
			switch k {
			case 0:
				f.MOV(to, s[0])
			case 1:
				f.FSUB(to.S4(), s[1].S4(), s[2].S4())
				f.FADD(to.S4(), to.S4(), s[3].S4())
			case 2:
				f.FADD(to.S4(), s[1].S4(), s[2].S4())
				f.FSUB(to.S4(), to.S4(), s[0].S4())
			case 3:
				f.MOV(to, s[3])
			}
		}
		for y := range 4 {
			for x := range 4 {
				value(y, m[x], [4]Vec{in[x], in[4+x], in[8+x], in[12+x]})
			}
			for x := range 4 {
				value(x, v, [4]Vec(m))
				f.LDR(Q, d, t.image(y, x))
				if (y == 3) == (x == 3) {
					f.FADD(d.S4(), d.S4(), v.S4())
				} else {
					f.FSUB(d.S4(), d.S4(), v.S4())
				}
				f.STR(Q, d, t.image(y, x))
			}
		}
		f.Free(in, m, v, d)
	})
}
