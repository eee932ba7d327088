package kernel

import (
	"fmt"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// overlay is a loop that lays something over an image, four pixels at a time.
type overlay struct {
	f                   *Func
	pixels, v           Vec
	white, inverse, top Vec // 255 and 1/255 as float32; 255 as float64 too
	places              []Vec
	together, alpha     Vec
}

// newOverlay: wide is whether the body takes float64 of bytes.
func newOverlay(f *Func, wide bool) *overlay {
	o := &overlay{f: f, pixels: f.Vec(), v: f.Vec(), alpha: f.FillWith(S, 255)}
	lane, lanes := 4, [][2]int{{0, 0}, {1, 0}, {2, 0}}
	if wide {
		lane, lanes = 8, [][2]int{{0, 0}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 2}}
		o.white, o.inverse = double(f, 255), double(f, 1./255)
		o.top = o.white
	} else {
		o.white, o.inverse = single(f, 255), single(f, float32(1)/255)
	}
	for _, l := range lanes {
		o.places = append(o.places, shuffle(f, fmt.Sprintf("channel%d_%d_%d", l[0], l[1], lane), func(i int) int {
			if i%lane > 0 {
				return beyond
			}
			return 4*(l[1]+i/lane) + l[0]
		}))
	}
	o.together = shuffle(f, "together", func(i int) int { return i%4*4 + i/4 })
	return o
}

// tones are channel c of the pixels as float32, over 255.
func (o *overlay) tones(out Vec, c int) {
	o.f.TBL(o.v, []Vec{o.pixels}, o.places[c])
	over(o.f, out.S4(), o.v.S4(), o.white.S4(), o.inverse.S4())
}

// units are channel c as float64, over 255.
func (o *overlay) units(out []Vec, c int) {
	for i, v := range out {
		o.f.TBL(o.v, []Vec{o.pixels}, o.places[2*c+i])
		over(o.f, v.D2(), o.v.D2(), o.white.D2(), o.inverse.D2())
	}
}

// whole truncates float64 to lanes of 32 bits.
func (o *overlay) whole(out Vec, x []Vec) {
	for _, v := range x {
		o.f.FMUL(v.D2(), v.D2(), o.top.D2())
		o.f.FCVTZS(v.D2(), v.D2())
	}
	o.f.UZP1(out.S4(), x[0].S4(), x[1].S4())
}

// wholeTones truncates float32.
func (o *overlay) wholeTones(v Vec) {
	o.f.FMUL(v.S4(), v.S4(), o.white.S4())
	o.f.FCVTZS(v.S4(), v.S4())
}

// store makes pixels of whole numbers, which are lost.
func (o *overlay) store(dst Reg, c []Vec) {
	f := o.f
	f.SQXTN(c[0].H4(), c[0].S4())
	f.SQXTN(c[0].H8(), c[1].S4())
	f.SQXTN(c[2].H4(), c[2].S4())
	f.SQXTN(c[2].H8(), o.alpha.S4())
	f.SQXTUN(c[0].B8(), c[0].H8())
	f.SQXTUN(c[0].B16(), c[2].H8())
	f.TBL(c[0], []Vec{c[0]}, o.together)
	f.STR(Q, c[0], Post(dst, 16))
}

func addNormals(file *File) {
	f := file.Func("addNormalsNEON", "(dst, src *byte, z *float32, n int, sigma, share float64)",
		"addNormalsNEON is AddNormals for n pixels, a multiple of 4.")
	r, sigma, share, o := f.Loads("dst", "src", "z", "n"), f.Fill("sigma"), f.Fill("share"), newOverlay(f, true)
	z, x, by, t, out := f.Vecs(3), f.Vecs(2), f.Vec(), f.Vec(), f.Vecs(3)
	f.Loop(r[3], 4, func() {
		f.LDR(Q, o.pixels, Post(r[1], 16))
		f.LD3(S4s(z), Post(r[2], 48))
		for c, v := range out {
			o.units(x, c)
			for i, from := range []Lanes{z[c].S2(), z[c].S4()} {
				f.FMUL(by.D2(), x[i].D2(), share.D2())
				f.FADD(by.D2(), by.D2(), sigma.D2())
				f.FCVTL(t.D2(), from)
				f.FMUL(t.D2(), t.D2(), by.D2())
				f.FADD(x[i].D2(), x[i].D2(), t.D2())
			}
			o.whole(v, x)
		}
		o.store(r[0], out)
	})
}

func fog(file *File) {
	f := file.Func("fogNEON", "(dst, src *byte, cloud *float64, n int, amount, top, all float64)", "fogNEON is Fog for n pixels, a multiple of 4.")
	r, amount, top, all, o := f.Loads("dst", "src", "cloud", "n"), f.Fill("amount"), f.Fill("top"), f.Fill("all"), newOverlay(f, true)
	add, x, out := f.Vecs(2), f.Vecs(2), f.Vecs(3)
	f.Loop(r[3], 4, func() {
		f.LDR(Q, o.pixels, Post(r[1], 16))
		f.LD1(D2s(add), Post(r[2], 32))
		for _, v := range add {
			f.FMUL(v.D2(), v.D2(), amount.D2())
		}
		for c, v := range out {
			o.units(x, c)
			for i, v := range x {
				f.FADD(v.D2(), v.D2(), add[i].D2())
				f.FMUL(v.D2(), v.D2(), top.D2())
				f.FDIV(v.D2(), v.D2(), all.D2())
			}
			o.whole(v, x)
		}
		o.store(r[0], out)
	})
}

func mud(file *File) {
	f := file.Func("mudNEON", "(dst, src *byte, weight *float64, n int, color *[3]float32)", "mudNEON is Mud for n pixels, a multiple of 4.")
	r, color, o, one := f.Loads("dst", "src", "weight", "n"), f.Load("color"), newOverlay(f, false), double(f, 1)
	colors := f.Vecs(3)
	for _, v := range colors {
		f.LD1R(v.S4(), Post(color, 4))
		f.FCVTL(v.D2(), v.S2())
	}
	weight, rest, x, y, out := f.Vecs(2), f.Vecs(2), f.Vecs(2), f.Vec(), f.Vecs(3)
	f.Loop(r[3], 4, func() {
		f.LDR(Q, o.pixels, Post(r[1], 16))
		f.LD1(D2s(weight), Post(r[2], 32))
		for i, v := range rest {
			f.FSUB(v.D2(), one.D2(), weight[i].D2())
		}
		for c, v := range out {
			o.tones(y, c)
			f.FCVTL(x[0].D2(), y.S2())
			f.FCVTL(x[1].D2(), y.S4())
			product := func(to Vec, a, b []Vec) {
				f.FMUL(x[0].D2(), a[0].D2(), b[0].D2())
				f.FMUL(x[1].D2(), a[1].D2(), b[1].D2())
				singlesOf(f, []Vec{to}, x)
			}
			product(v, x, rest)
			product(y, weight, []Vec{colors[c], colors[c]})
			f.FADD(v.S4(), v.S4(), y.S4())
			o.wholeTones(v)
		}
		o.store(r[0], out)
	})
}

func water(file *File) {
	f := file.Func("waterNEON", "(dst, src, a, b *byte, n int, top, strength float32, color *[3]float32)", "waterNEON is Water for n pixels, a multiple of 4.")
	r, top, strength, color, o := f.Loads("dst", "src", "a", "b", "n"), f.Fill("top"), f.Fill("strength"), f.Load("color"), newOverlay(f, false)
	colors := f.Vecs(3)
	for _, v := range colors {
		f.LD1R(v.S4(), Post(color, 4))
	}
	m, t, out := f.Vec(), f.Vec(), f.Vecs(3)
	f.Loop(r[4], 4, func() {
		f.LDR(Q, o.pixels, Post(r[1], 16))
		f.LDR(S, m, Post(r[2], 4))
		f.LDR(S, t, Post(r[3], 4))
		f.UMULL(m.H8(), m.B8(), t.B8())
		f.USHLL(m.S4(), m.H4(), 0)
		f.UCVTF(m.S4(), m.S4())
		f.FDIV(m.S4(), m.S4(), top.S4())
		f.FMUL(m.S4(), m.S4(), strength.S4())
		for c, v := range out {
			o.tones(v, c)
			f.FMUL(t.S4(), m.S4(), colors[c].S4())
			f.FADD(v.S4(), v.S4(), t.S4())
			o.wholeTones(v)
		}
		o.store(r[0], out)
	})
}

// snow: the flakes from the end come reversed.
func snow(file *File) {
	f := file.Func("snowNEON", "(dst, src, flakes, last *byte, n int, mix, rest float32)",
		"snowNEON is Snow for n pixels, a multiple of 4, last being the last four flakes.")
	r, mix, rest, o := f.Loads("dst", "src", "flakes", "last", "n"), f.Fill("mix"), f.Fill("rest"), newOverlay(f, false)
	white, inverse := double(f, 255), double(f, 1./255)
	o.top = white
	weights, half, again := singles(f, []float32{0.299, 0.587, 0.114}), single(f, 0.5), single(f, 1.5)
	at := func(name string, places [2]int) Vec {
		return shuffle(f, name, func(i int) int {
			if i%8 > 0 {
				return beyond
			}
			return places[i/8]
		})
	}
	places := []Vec{at("bytes0_1", [2]int{0, 1}), at("bytes2_3", [2]int{2, 3}), at("bytes3_2", [2]int{3, 2}), at("bytes1_0", [2]int{1, 0})}
	flakes, out, t := f.Vecs(4), f.Vecs(3), f.Vec()
	x := []Vec{o.v, t}
	f.Loop(r[4], 4, func() {
		for k, p := range places {
			if k%2 == 0 {
				f.LDR(S, t, Post(r[2+k/2], 4-4*k))
			}
			f.TBL(o.v, []Vec{t}, p)
			over(f, flakes[k].D2(), o.v.D2(), white.D2(), inverse.D2())
		}
		f.LDR(Q, o.pixels, Post(r[1], 16))
		for c, v := range out {
			o.tones(v, c)
		}
		gray := o.pixels
		f.FMUL(gray.S4(), out[0].S4(), weights[0].S4())
		for c := 1; c < 3; c++ {
			f.FMUL(t.S4(), out[c].S4(), weights[c].S4())
			f.FADD(gray.S4(), gray.S4(), t.S4())
		}
		f.FMUL(gray.S4(), gray.S4(), again.S4())
		f.FADD(gray.S4(), gray.S4(), half.S4())
		for _, v := range out {
			f.FMAX(t.S4(), v.S4(), gray.S4())
			f.FMUL(t.S4(), t.S4(), rest.S4())
			f.FMUL(v.S4(), v.S4(), mix.S4())
			f.FADD(v.S4(), v.S4(), t.S4())
			for i, from := range []Lanes{v.S2(), v.S4()} {
				f.FCVTL(x[i].D2(), from)
				f.FADD(x[i].D2(), x[i].D2(), flakes[i].D2())
				f.FADD(x[i].D2(), x[i].D2(), flakes[2+i].D2())
			}
			o.whole(v, x)
		}
		o.store(r[0], out)
	})
}
