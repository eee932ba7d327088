package detmath

import (
	"math"
	"math/big"
)

// The reference: the same functions in multi-precision arithmetic, by their plain series.

const (
	prec = 1400 // enough for the largest float64 modulo pi/2
	work = 256  // enough for everything after that
	good = 200  // bits to which a series is summed
)

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func tiny(x, than *big.Float, bits int) bool {
	return x.Sign() == 0 || x.MantExp(nil) < than.MantExp(nil)-bits
}

// atanhSeries returns the sum of x^(2k+1)/(2k+1), with alternating signs when alt (the arc tangent), to bits bits.
func atanhSeries(x *big.Float, alt bool, bits int) *big.Float {
	sum, pow, x2 := new(big.Float).SetPrec(x.Prec()), new(big.Float).Copy(x), new(big.Float).Mul(x, x)
	term := new(big.Float).SetPrec(x.Prec())
	if alt {
		x2.Neg(x2)
	}
	for k := int64(1); ; k += 2 {
		term.Quo(pow, big.NewFloat(float64(k)))
		sum.Add(sum, term)
		if tiny(term, sum, bits) {
			return sum
		}
		pow.Mul(pow, x2)
	}
}

var bigPi = func() *big.Float { // Machin: pi = 16 atan(1/5) - 4 atan(1/239)
	inv := func(n float64) *big.Float {
		return atanhSeries(new(big.Float).Quo(newBig(1), newBig(n)), true, prec+20)
	}
	p := new(big.Float).Mul(inv(5), newBig(16))
	return p.Sub(p, new(big.Float).Mul(inv(239), newBig(4)))
}()

var bigLn2 = new(big.Float).Mul(atanhSeries(new(big.Float).Quo(newBig(1), newBig(3)), false, 400), newBig(2))

func bigLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(prec)
	e := x.MantExp(m) // m in [1/2, 1)
	if m.Cmp(newBig(0.7)) < 0 {
		m.Mul(m, newBig(2))
		e--
	}
	s := new(big.Float).SetPrec(work).Quo(new(big.Float).Sub(m, newBig(1)), new(big.Float).Add(m, newBig(1)))
	l := atanhSeries(s, false, good)
	l.SetMantExp(l, 1)
	return l.Add(l, new(big.Float).Mul(bigLn2, newBig(float64(e))))
}

func bigExp(x *big.Float) *big.Float {
	q, _ := new(big.Float).Quo(x, bigLn2).Float64()
	k := math.Round(q)
	r := new(big.Float).SetPrec(work).Sub(x, new(big.Float).Mul(bigLn2, newBig(k)))
	sum, term := newBig(1).SetPrec(work), newBig(1).SetPrec(work)
	for n := 1.0; !tiny(term, sum, good); n++ {
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(n))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, int(k))
}

// bigSin returns the sine of x + quarter*pi/2.
func bigSin(x float64, quarter int64) *big.Float {
	half := new(big.Float).Quo(bigPi, newBig(2))
	q := new(big.Float).Quo(newBig(x), half)
	n, _ := q.Add(q, newBig(math.Copysign(0.5, x))).Int(nil)
	r := newBig(x)
	r.Sub(r, new(big.Float).Mul(half, new(big.Float).SetPrec(prec).SetInt(n)))
	r.SetPrec(work)
	quarter += new(big.Int).And(n, big.NewInt(3)).Int64()
	first := 1.0 // sine series
	term := new(big.Float).Copy(r)
	if quarter&1 == 1 {
		first, term = 0, newBig(1).SetPrec(work)
	}
	sum, r2 := new(big.Float).SetPrec(work), new(big.Float).Mul(r, r)
	for k := first + 1; ; k += 2 {
		sum.Add(sum, term)
		if tiny(term, sum, good) {
			break
		}
		term.Mul(term, r2)
		term.Quo(term, big.NewFloat(-k*(k+1)))
	}
	if quarter&2 != 0 {
		sum.Neg(sum)
	}
	return sum
}

// bigAtan2 serves positive x and y.
func bigAtan2(y, x *big.Float) *big.Float {
	if y.Cmp(x) > 0 {
		h := new(big.Float).Quo(bigPi, newBig(2))
		return h.Sub(h, bigAtan2(x, y))
	}
	t := new(big.Float).SetPrec(work).Quo(y, x)
	for range 3 { // atan t = 2 atan(t / (1 + sqrt(1 + t^2)))
		d := new(big.Float).Mul(t, t)
		d.Sqrt(d.Add(d, big.NewFloat(1)))
		t.Quo(t, d.Add(d, big.NewFloat(1)))
	}
	a := atanhSeries(t, true, good)
	return a.SetMantExp(a, 3)
}

// ulps returns |got - want| in units of the last place of a float64 of want's size; subnormal numbers share one unit.
func ulps(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) || math.IsNaN(got) {
		return math.Inf(1)
	}
	e := max(want.MantExp(nil)-53, -1074)
	d := new(big.Float).Sub(newBig(got), want)
	f, _ := d.SetMantExp(d, -e).Float64()
	return math.Abs(f)
}
