package kernel

import (
	"math"

	. "github.com/augmix-go/augmix/tools/neon/arm64"
)

// The constants of package kernel's Sin, SinCos and Angle, those of the polynomials from the highest power down.
var (
	sinC = []float64{
		1.5365834187047705598e-10, -2.5026628058844521021e-8, 2.7556840618492375207e-6, -0.00019841265020251916062,
		0.0083333333083874517807, -0.16666666666097306439, 0.99999999999962398135,
	}
	cosC = []float64{
		-1.1008014104749213239e-11, 2.0858322991862845666e-9, -2.7556935600186076455e-7, 0.000024801582873209910152,
		-0.0013888888861111687349, 0.041666666665810738236, -0.49999999999989950201, 0.99999999999999806379,
	}
	atanC = []float64{
		-0.036384863453783100551, 0.068922776154370123567, -0.089714118031158883369, 0.11100677028988533962,
		-0.14285190667168293785, 0.19999985961478301155, -0.33333333163567071416, 0.99999999999399395503,
	}
)

const (
	piHigh = 0x1.921fb544p+1
	piLow  = math.Pi - piHigh
)

func double(f *Func, v float64) Vec { return f.FillWith(D, math.Float64bits(v)) }

func doubles(f *Func, list []float64) []Vec {
	var all []Vec
	for _, v := range list {
		all = append(all, double(f, v))
	}
	return all
}

// polynomial leaves that of z in p, unfused.
func polynomial(f *Func, p, z Vec, coefficients []Vec) {
	f.FMUL(p.D2(), z.D2(), coefficients[0].D2())
	for i, c := range coefficients[1:] {
		f.FADD(p.D2(), p.D2(), c.D2())
		if i < len(coefficients)-2 {
			f.FMUL(p.D2(), p.D2(), z.D2())
		}
	}
}

// turns reduces arguments by multiples of pi.
type turns struct {
	f                            *Func
	magic, perPi, high, low      Vec
	r, sign, square, multiple, t Vec
}

func newTurns(f *Func) *turns {
	return &turns{
		f, double(f, 0x1.8p52), double(f, 1/math.Pi), double(f, piHigh), double(f, piLow),
		f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(),
	}
}

// reduce leaves x less the nearest multiple of pi in r, its square in square, and in sign that bit of odd multiples.
func (t *turns) reduce(x Vec) {
	f := t.f
	f.FMUL(t.sign.D2(), x.D2(), t.perPi.D2())
	f.FADD(t.sign.D2(), t.sign.D2(), t.magic.D2())
	f.FSUB(t.multiple.D2(), t.sign.D2(), t.magic.D2())
	f.FMUL(t.t.D2(), t.multiple.D2(), t.high.D2())
	f.FSUB(t.r.D2(), x.D2(), t.t.D2())
	f.FMUL(t.t.D2(), t.multiple.D2(), t.low.D2())
	f.FSUB(t.r.D2(), t.r.D2(), t.t.D2())
	f.FMUL(t.square.D2(), t.r.D2(), t.r.D2())
	f.SHL(t.sign.D2(), t.sign.D2(), 63)
}

func sin(file *File) {
	f := file.Func("sinNEON", "(dst, src *float64, n int, a, b float64)", "sinNEON is Sin for n numbers, a multiple of 2.")
	r, a, b, t, c := f.Loads("dst", "src", "n"), f.Fill("a"), f.Fill("b"), newTurns(f), doubles(f, sinC)
	x := f.Vec()
	f.Loop(r[2], 2, func() {
		f.LDR(Q, x, Post(r[1], 16))
		f.FMUL(x.D2(), x.D2(), a.D2())
		f.FADD(x.D2(), x.D2(), b.D2())
		t.reduce(x)
		polynomial(f, x, t.square, c)
		f.FMUL(x.D2(), x.D2(), t.r.D2())
		f.EOR(x, x, t.sign)
		f.STR(Q, x, Post(r[0], 16))
	})
}

func sinCos(file *File) {
	f := file.Func("sinCosNEON", "(sin, cos, src *float64, n int, a float64)", "sinCosNEON is SinCos for n numbers, a multiple of 2.")
	r, a, t, s, c := f.Loads("sin", "cos", "src", "n"), f.Fill("a"), newTurns(f), doubles(f, sinC), doubles(f, cosC)
	x := f.Vec()
	f.Loop(r[3], 2, func() {
		f.LDR(Q, x, Post(r[2], 16))
		f.FMUL(x.D2(), x.D2(), a.D2())
		t.reduce(x)
		polynomial(f, x, t.square, s)
		f.FMUL(x.D2(), x.D2(), t.r.D2())
		f.EOR(x, x, t.sign)
		f.STR(Q, x, Post(r[0], 16))
		polynomial(f, x, t.square, c)
		f.EOR(x, x, t.sign)
		f.STR(Q, x, Post(r[1], 16))
	})
}

// angle computes all three ranges of Angle and chooses.
func angle(file *File) {
	f := file.Func("angleNEON", "(dst, v *float64, n int, b, low, high, inv float64, left uint64)",
		"angleNEON is Angle, with the variables there, left being all bits where u is negative, else none, for n numbers, a multiple of 2.")
	r, b, low, high, inv, left := f.Loads("dst", "v", "n"), f.Fill("b"), f.Fill("low"), f.Fill("high"), f.Fill("inv"), f.Fill("left")
	c, quarter, half, pi, signs, negative := doubles(f, atanC), double(f, math.Pi/4), double(f, math.Pi/2), double(f, math.Pi),
		f.FillWith(D, 1<<63), f.Vec()
	y, a, small, large, t, under, o, p := f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec(), f.Vec()
	f.FNEG(negative.D2(), b.D2())
	f.Loop(r[2], 2, func() {
		f.LDR(Q, y, Post(r[1], 16))
		f.FABS(a.D2(), y.D2())
		f.FCMGE(small.D2(), low.D2(), a.D2())
		f.FCMGE(large.D2(), a.D2(), high.D2())
		f.FSUB(t.D2(), a.D2(), b.D2())
		f.BIT(t, negative, large)
		f.FADD(under.D2(), a.D2(), b.D2())
		f.BIT(under, a, large)
		f.FDIV(t.D2(), t.D2(), under.D2())
		f.FMUL(under.D2(), a.D2(), inv.D2())
		f.BIT(t, under, small)
		f.MOV(o, quarter)
		f.BIT(o, half, large)
		f.BIC(o, o, small)
		f.FMUL(under.D2(), t.D2(), t.D2())
		polynomial(f, p, under, c)
		f.FMUL(p.D2(), p.D2(), t.D2())
		f.FADD(p.D2(), o.D2(), p.D2())
		f.FSUB(t.D2(), pi.D2(), p.D2())
		f.BIT(p, t, left)
		f.BIT(p, y, signs)
		f.STR(Q, p, Post(r[0], 16))
	})
}
