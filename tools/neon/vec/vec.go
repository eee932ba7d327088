// Package vec writes the NEON assembly of package nn/internal/vec. Every function names in its comment the plain Go loop whose
// bits it gives.
package vec

import (
	"math"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// Generate returns all functions.
func Generate() *File {
	f := NewFile("vec")
	affine(f)
	moments(f)
	normSums(f, "normSumsNEON", false)
	normSums(f, "normSumsReLUNEON", true)
	normGrad(f, "normGradNEON", false)
	normGrad(f, "normGradAddNEON", true)
	add(f)
	addScaled(f)
	relu(f)
	reluGrad(f)
	larger(f)
	sgd(f)
	gelu(f)
	geluGrad(f)
	winogradInput(f)
	winogradOutput(f, "winogradOutputNEON", false)
	winogradOutput(f, "winogradOutputAddNEON", true)
	winogradOutputGrad(f)
	winogradInputGrad(f)
	return f
}

// flat starts a function over n elements, a multiple of four, that runs body for each vector; p are its places.
func flat(file *File, name, params, doc string, pointers []string, prepare func(f *Func) func(p []Mem)) {
	f := file.Func(name, "("+params+", n int)", name+" is "+doc+" for n elements, a multiple of four.")
	ps, n := f.Loads(pointers...), f.Load("n")
	body := prepare(f)
	f.Blocks(n, []int{16, 4}, func(size int) {
		for at := 0; at < 4*size; at += 16 {
			var places []Mem
			for _, p := range ps {
				places = append(places, Ptr(p, at))
			}
			body(places)
		}
		for _, p := range ps {
			f.Go("ADD $%d, %v", 4*size, p)
		}
	})
}

func add(file *File) {
	flat(file, "addNEON", "dst, src *float32", "Add", []string{"dst", "src"}, func(f *Func) func([]Mem) {
		a, b := f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, a, p[0])
			f.LDR(Q, b, p[1])
			f.FADD(a.S4(), a.S4(), b.S4())
			f.STR(Q, a, p[0])
		}
	})
}

func addScaled(file *File) {
	flat(file, "addScaledNEON", "dst, src *float32, f float32", "AddScaled", []string{"dst", "src"}, func(f *Func) func([]Mem) {
		factor, a, b := f.Fill("f"), f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, a, p[0])
			f.LDR(Q, b, p[1])
			f.FMLA(a.S4(), b.S4(), factor.S4())
			f.STR(Q, a, p[0])
		}
	})
}

func relu(file *File) {
	flat(file, "reluNEON", "x *float32", "ReLU", []string{"x"}, func(f *Func) func([]Mem) {
		x, below := f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, x, p[0])
			f.FCMLT0(below.S4(), x.S4()) // a maximum would make 0 of -0
			f.BIC(x, x, below)
			f.STR(Q, x, p[0])
		}
	})
}

func reluGrad(file *File) {
	flat(file, "reluGradNEON", "dst, grad, y *float32", "ReLUGrad", []string{"dst", "grad", "y"}, func(f *Func) func([]Mem) {
		zero, g, y := f.Vec(), f.Vec(), f.Vec()
		f.ZERO(zero)
		return func(p []Mem) {
			f.LDR(Q, y, p[2])
			f.LDR(Q, g, p[1])
			f.FCMGT(y.S4(), y.S4(), zero.S4())
			f.AND(g, g, y)
			f.STR(Q, g, p[0])
		}
	})
}

func larger(file *File) {
	flat(file, "maxNEON", "dst, src *float32", "Max", []string{"dst", "src"}, func(f *Func) func([]Mem) {
		d, s, above := f.Vec(), f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, d, p[0])
			f.LDR(Q, s, p[1])
			f.FCMGT(above.S4(), d.S4(), s.S4())
			f.BSL(above, d, s)
			f.STR(Q, above, p[0])
		}
	})
}

func sgd(file *File) {
	flat(file, "sgdNEON", "w, grad, m *float32, lr, keep, decay, look, plain float32",
		"SGD with momentum, the step being lr*(plain*d + look*m),", []string{"w", "grad", "m"}, func(f *Func) func([]Mem) {
			lr, keep, decay, look, plain := f.Fill("lr"), f.Fill("keep"), f.Fill("decay"), f.Fill("look"), f.Fill("plain")
			w, d, m, t := f.Vec(), f.Vec(), f.Vec(), f.Vec()
			return func(p []Mem) {
				f.LDR(Q, w, p[0])
				f.LDR(Q, d, p[1])
				f.FMLA(d.S4(), decay.S4(), w.S4())
				f.LDR(Q, t, p[2])
				f.MOV(m, d)
				f.FMLA(m.S4(), keep.S4(), t.S4())
				f.STR(Q, m, p[2])
				f.FMUL(d.S4(), plain.S4(), d.S4())
				f.FMLA(d.S4(), look.S4(), m.S4())
				f.FMLS(w.S4(), lr.S4(), d.S4())
				f.STR(Q, w, p[0])
			}
		})
}

func constant(f *Func, v float32) Vec { return f.FillWith(S, uint64(math.Float32bits(v))) }

// sigmoid returns what sets out to sigmoid1702 of x.
func sigmoid(f *Func) (one Vec, of func(out, x Vec)) {
	scale, low, high := constant(f, float32(-1.702/math.Ln2)), constant(f, -125), constant(f, 125)
	var coefs []Vec
	c := 1.0
	for k := range 7 {
		if k > 0 {
			c *= math.Ln2 / float64(k)
		}
		coefs = append(coefs, constant(f, float32(c)))
	}
	r, n, t := f.Vec(), f.Vec(), f.Vec()
	return coefs[0], func(out, x Vec) {
		f.FMUL(r.S4(), scale.S4(), x.S4())
		f.FMAX(r.S4(), r.S4(), low.S4())
		f.FMIN(r.S4(), r.S4(), high.S4())
		f.FRINTN(n.S4(), r.S4())
		f.FSUB(r.S4(), r.S4(), n.S4())
		f.FCVTZS(n.S4(), n.S4())
		f.SHL(n.S4(), n.S4(), 23)
		f.MOV(out, coefs[6])
		for k := 5; k >= 0; k-- {
			f.MOV(t, coefs[k])
			f.FMLA(t.S4(), r.S4(), out.S4())
			out, t = t, out
		} // after an even number of turns out is out again
		f.ADD(out.S4(), out.S4(), n.S4())
		f.FADD(out.S4(), out.S4(), coefs[0].S4())
		f.FDIV(out.S4(), coefs[0].S4(), out.S4())
	}
}

func gelu(file *File) {
	flat(file, "geluNEON", "x *float32", "GELU in the sigmoid form", []string{"x"}, func(f *Func) func([]Mem) {
		_, sigmoid := sigmoid(f)
		x, s := f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, x, p[0])
			sigmoid(s, x)
			f.FMUL(x.S4(), x.S4(), s.S4())
			f.STR(Q, x, p[0])
		}
	})
}

func geluGrad(file *File) {
	flat(file, "geluGradNEON", "grad, u *float32", "GELUGrad in the sigmoid form", []string{"grad", "u"}, func(f *Func) func([]Mem) {
		one, sigmoid := sigmoid(f)
		slope, u, s, d, t := constant(f, 1.702), f.Vec(), f.Vec(), f.Vec(), f.Vec()
		return func(p []Mem) {
			f.LDR(Q, u, p[1])
			sigmoid(s, u)
			f.FMUL(u.S4(), slope.S4(), u.S4())
			f.FSUB(t.S4(), one.S4(), s.S4())
			f.MOV(d, one)
			f.FMLA(d.S4(), t.S4(), u.S4())
			f.FMUL(d.S4(), d.S4(), s.S4())
			f.LDR(Q, t, p[0])
			f.FMUL(d.S4(), t.S4(), d.S4())
			f.STR(Q, d, p[0])
		}
	})
}
