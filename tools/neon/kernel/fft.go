package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// number is a complex one for each lane.
type number struct{ re, im Vec }

func numbers(f *Func, n int) []number {
	all := make([]number, n)
	for i := range all {
		all[i] = number{f.Vec(), f.Vec()}
	}
	return all
}

// plus is d = a + b.
func (d number) plus(f *Func, a, b number) {
	f.FADD(d.re.D2(), a.re.D2(), b.re.D2())
	f.FADD(d.im.D2(), a.im.D2(), b.im.D2())
}

// minus is d = a - b.
func (d number) minus(f *Func, a, b number) {
	f.FSUB(d.re.D2(), a.re.D2(), b.re.D2())
	f.FSUB(d.im.D2(), a.im.D2(), b.im.D2())
}

// turned is d = a + i·b, or a - i·b.
func (d number) turned(f *Func, a, b number, up bool) {
	if up {
		f.FSUB(d.re.D2(), a.re.D2(), b.im.D2())
		f.FADD(d.im.D2(), a.im.D2(), b.re.D2())
		return
	}
	f.FADD(d.re.D2(), a.re.D2(), b.im.D2())
	f.FSUB(d.im.D2(), a.im.D2(), b.re.D2())
}

// times leaves the product of a and the root t, two elements, in d; products are rounded.
func (d number) times(f *Func, a number, re, im Element, t Vec) {
	f.FMULE(d.re.D2(), a.re.D2(), re)
	f.FMULE(t.D2(), a.im.D2(), im)
	f.FSUB(d.re.D2(), d.re.D2(), t.D2())
	f.FMULE(d.im.D2(), a.im.D2(), re)
	f.FMULE(t.D2(), a.re.D2(), im)
	f.FADD(d.im.D2(), d.im.D2(), t.D2())
}

// parts is a place of numbers: of the real and the imaginary parts.
type parts struct{ re, im Reg }

func (p parts) load(f *Func, v number, by Reg) {
	f.LDR(Q, v.re, Indexed(p.re, by))
	f.LDR(Q, v.im, Indexed(p.im, by))
}

func (p parts) store(f *Func, v number, by Reg) {
	f.STR(Q, v.re, Indexed(p.re, by))
	f.STR(Q, v.im, Indexed(p.im, by))
}

// nothing is a register that is always 0.
const nothing Reg = 31

func fft4(file *File) {
	f := file.Func("fft4NEON", "(yr, yi, xr, xi *float64, dy, dx, n int, t *[6]float64)",
		"fft4NEON is FFT4 for n times four numbers, n a multiple of 2; dy and dx are in bytes.")
	r := f.Loads("yr", "yi", "xr", "xi", "dy", "dx", "n", "t")
	y, x := parts{r[0], r[1]}, parts{r[2], r[3]}
	distances := func(one Reg) []Reg {
		two, three := f.Reg(), f.Reg()
		f.Go("ADD %v, %v, %v", one, one, two)
		f.Go("ADD %v, %v, %v", one, two, three)
		return []Reg{nothing, one, two, three}
	}
	dy, dx, roots := distances(r[4]), distances(r[5]), f.Vecs(3)
	f.LD1(D2s(roots), Ptr(r[7], 0))
	in, v, t := numbers(f, 4), numbers(f, 5), f.Vec()
	a, b, c, d, out := v[0], v[1], v[2], v[3], v[4]
	f.Loop(r[6], 2, func() {
		for k, v := range in {
			x.load(f, v, dx[k])
		}
		a.plus(f, in[0], in[2])
		b.minus(f, in[0], in[2])
		c.plus(f, in[1], in[3])
		d.minus(f, in[1], in[3])
		for k, sum := range []func(){
			func() { out.plus(f, a, c) },
			func() { in[0].turned(f, b, d, true) },
			func() { in[0].minus(f, a, c) },
			func() { in[0].turned(f, b, d, false) },
		} {
			sum()
			if k > 0 {
				out.times(f, in[0], roots[k-1].At(D, 0), roots[k-1].At(D, 1), t)
			}
			y.store(f, out, dy[k])
		}
		for _, p := range r[:4] {
			f.Go("ADD $16, %v", p)
		}
	})
}

// fftOdd: sums and differences lie in work, a register for each part.
func fftOdd(file *File) {
	f := file.Func("fftOddNEON", "(yr, yi, xr, xi *float64, dy, dx, n, half int, turn, last, work *float64)",
		"fftOddNEON is FFTOdd.Pass for n numbers of each input, a multiple of 2; dy and dx are in bytes.")
	r := f.Loads("yr", "yi", "xr", "xi", "dy", "dx", "n", "half", "turn", "last", "work")
	y, x, dy, dx, n, half := parts{r[0], r[1]}, parts{r[2], r[3]}, r[4], r[5], r[6], r[7]
	k, h, near, far, turn, last, work := f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg(), f.Reg()
	s, v, root, t := f.Vecs(4), numbers(f, 6), f.Vec(), f.Vec()
	zero, all, a, b, even, odd := v[0], v[1], v[2], v[3], v[4], v[5]
	sums, differences, sum := number{s[0], s[1]}, number{s[2], s[3]}, b
	// ends sets near and far to the distances of 1 and of p-1.
	ends := func(step Reg) {
		f.Go("MOVD %v, %v", step, near)
		f.Go("LSL $1, %v, %v", half, far)
		f.Go("MUL %v, %v", step, far)
	}
	inward := func(step Reg) {
		f.Go("ADD %v, %v", step, near)
		f.Go("SUB %v, %v", step, far)
	}
	f.Loop(n, 2, func() {
		x.load(f, zero, nothing)
		f.MOV(all.re, zero.re)
		f.MOV(all.im, zero.im)
		ends(dx)
		f.Go("MOVD %v, %v", r[10], work)
		f.Go("MOVD %v, %v", half, k)
		f.Loop(k, 1, func() {
			x.load(f, a, near)
			x.load(f, b, far)
			sums.plus(f, a, b)
			differences.minus(f, a, b)
			all.plus(f, all, sums)
			f.ST1(D2s(s), Post(work, 64))
			inward(dx)
		})
		y.store(f, all, nothing)
		ends(dy)
		f.Go("MOVD %v, %v", r[8], turn)
		f.Go("MOVD %v, %v", r[9], last)
		f.Go("MOVD %v, %v", half, h)
		f.Loop(h, 1, func() {
			f.MOV(even.re, zero.re)
			f.MOV(even.im, zero.im)
			f.ZERO(odd.re)
			f.ZERO(odd.im)
			f.Go("MOVD %v, %v", r[10], work)
			f.Go("MOVD %v, %v", half, k)
			f.Loop(k, 1, func() {
				f.LD1(D2s(s), Post(work, 64))
				f.LDR(Q, root, Post(turn, 16))
				for i, by := range []int{0, 0, 1, 1} {
					f.FMULE(s[i].D2(), s[i].D2(), root.At(D, by))
				}
				even.plus(f, even, sums)
				f.FSUB(odd.re.D2(), odd.re.D2(), s[3].D2())
				f.FADD(odd.im.D2(), odd.im.D2(), s[2].D2())
			})
			for i, p := range []Reg{near, far} {
				if i == 0 {
					sum.plus(f, even, odd)
				} else {
					sum.minus(f, even, odd)
				}
				f.LDR(Q, root, Post(last, 16))
				a.times(f, sum, root.At(D, 0), root.At(D, 1), t)
				y.store(f, a, p)
			}
			inward(dy)
		})
		for _, p := range r[:4] {
			f.Go("ADD $16, %v", p)
		}
	})
}
