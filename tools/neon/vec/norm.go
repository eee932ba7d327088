package vec

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// channels are the blocks in which loops over pixels take the channels: as many vectors as registers hold, for long runs of
// memory, then fewer.
var channels = []int{16, 8, 4}

// load reads a vector for each four channels, and moves p behind them.
func load(f *Func, p Reg, v int) []Vec {
	all := f.Vecs(v)
	for _, x := range all {
		f.LDR(Q, x, Post(p, 16))
	}
	return all
}

// store writes what load reads.
func store(f *Func, p Reg, all []Vec) {
	for _, x := range all {
		f.STR(Q, x, Post(p, 16))
	}
}

func zeros(f *Func, v int) []Vec {
	all := f.Vecs(v)
	for _, x := range all {
		f.ZERO(x)
	}
	return all
}

// image is an argument with pixels that lie apart.
type image struct{ p, stride Reg }

// pixels runs body for every pixel; at are the pixels' first channels of the block, behind which it moves the images.
func pixels(f *Func, channels int, images []image, body func(at []Reg)) {
	n := f.Load("n")
	var at []Reg
	for _, m := range images {
		r := f.Reg()
		f.Go("MOVD %v, %v", m.p, r)
		at = append(at, r)
	}
	f.Loop(n, 1, func() {
		body(at)
		for i, m := range images {
			f.Go("ADD %v, %v", m.stride, at[i])
		}
	})
	f.Free(n)
	for i, m := range images {
		f.Go("ADD $%d, %v", 4*channels, m.p)
		f.Free(at[i])
	}
}

func affine(file *File) {
	f := file.Func("affineNEON", "(dst *float32, ds int, x *float32, xs, n, c int, scale, shift *float32, floor float32)",
		"affineNEON is Affine for a multiple of four channels; strides are in bytes, floor is 0 or -Inf.")
	dst, x := image{f.Load("dst"), f.Load("ds")}, image{f.Load("x"), f.Load("xs")}
	scales, shifts, floor := f.Load("scale"), f.Load("shift"), f.Fill("floor")
	f.Blocks(f.Load("c"), channels, func(c int) {
		scale, shift := load(f, scales, c/4), load(f, shifts, c/4)
		v, t, below := f.Vec(), f.Vec(), f.Vec()
		pixels(f, c, []image{dst, x}, func(at []Reg) {
			for k := range scale {
				f.LDR(Q, v, Ptr(at[1], 16*k))
				f.MOV(t, shift[k])
				f.FMLA(t.S4(), v.S4(), scale[k].S4())
				f.FCMGT(below.S4(), floor.S4(), t.S4())
				f.BIC(t, t, below)
				f.STR(Q, t, Ptr(at[0], 16*k))
			}
		})
		f.Free(scale, shift, v, t, below)
	})
}

func moments(file *File) {
	f := file.Func("momentsNEON", "(sum, sq, x *float32, xs, n, c int)",
		"momentsNEON is Moments for a multiple of four channels; xs is in bytes.")
	sums, squares, x := f.Load("sum"), f.Load("sq"), image{f.Load("x"), f.Load("xs")}
	f.Blocks(f.Load("c"), channels, func(c int) {
		p := f.Reg()
		f.Go("MOVD %v, %v", x.p, p)
		first, sum, sq, d := load(f, p, c/4), zeros(f, c/4), zeros(f, c/4), f.Vec()
		pixels(f, c, []image{x}, func(at []Reg) {
			for k := range first {
				f.LDR(Q, d, Ptr(at[0], 16*k))
				f.FSUB(d.S4(), d.S4(), first[k].S4())
				f.FADD(sum[k].S4(), sum[k].S4(), d.S4())
				f.FMLA(sq[k].S4(), d.S4(), d.S4())
			}
		})
		store(f, sums, sum)
		store(f, squares, sq)
		f.Free(p, first, sum, sq, d)
	})
}

func normSums(file *File, name string, relu bool) {
	f := file.Func(name, "(sum, dot, dz *float32, zs int, x *float32, xs, n, c int, scale, shift, mean *float32)",
		name+" is NormSums for a multiple of four channels; strides are in bytes.")
	sums, dots := f.Load("sum"), f.Load("dot")
	dz, x := image{f.Load("dz"), f.Load("zs")}, image{f.Load("x"), f.Load("xs")}
	scales, shifts, means := f.Load("scale"), f.Load("shift"), f.Load("mean")
	zero := f.Vec()
	f.ZERO(zero)
	f.Blocks(f.Load("c"), channels, func(c int) {
		mean, sum, dot := load(f, means, c/4), zeros(f, c/4), zeros(f, c/4)
		g, v, t := f.Vec(), f.Vec(), f.Vec()
		var scale, shift []Vec
		if relu {
			scale, shift = load(f, scales, c/4), load(f, shifts, c/4)
		}
		pixels(f, c, []image{dz, x}, func(at []Reg) {
			for k := range mean {
				f.LDR(Q, g, Ptr(at[0], 16*k))
				f.LDR(Q, v, Ptr(at[1], 16*k))
				if relu {
					f.MOV(t, shift[k])
					f.FMLA(t.S4(), v.S4(), scale[k].S4())
					f.FCMGT(t.S4(), t.S4(), zero.S4())
					f.AND(g, g, t)
					f.STR(Q, g, Ptr(at[0], 16*k))
				}
				f.FSUB(v.S4(), v.S4(), mean[k].S4())
				f.FADD(sum[k].S4(), sum[k].S4(), g.S4())
				f.FMLA(dot[k].S4(), v.S4(), g.S4())
			}
		})
		store(f, sums, sum)
		store(f, dots, dot)
		f.Free(mean, sum, dot, g, v, t, scale, shift)
	})
}

func normGrad(file *File, name string, add bool) {
	f := file.Func(name, "(dst *float32, ds int, dz *float32, zs int, x *float32, xs, n, c int, a, b, k *float32)",
		name+" is NormGrad for a multiple of four channels; strides are in bytes.")
	images := []image{{f.Load("dst"), f.Load("ds")}, {f.Load("dz"), f.Load("zs")}, {f.Load("x"), f.Load("xs")}}
	as, bs, ks := f.Load("a"), f.Load("b"), f.Load("k")
	f.Blocks(f.Load("c"), channels, func(c int) {
		a, b, k := load(f, as, c/4), load(f, bs, c/4), load(f, ks, c/4)
		v, t := f.Vec(), f.Vec()
		pixels(f, c, images, func(at []Reg) {
			for i := range a {
				f.LDR(Q, v, Ptr(at[2], 16*i))
				f.MOV(t, k[i])
				f.FMLA(t.S4(), v.S4(), b[i].S4())
				f.LDR(Q, v, Ptr(at[1], 16*i))
				f.FMLA(t.S4(), v.S4(), a[i].S4())
				if add {
					f.LDR(Q, v, Ptr(at[0], 16*i))
					f.FADD(t.S4(), t.S4(), v.S4())
				}
				f.STR(Q, t, Ptr(at[0], 16*i))
			}
		})
		f.Free(a, b, k, v, t)
	})
}
