package metrics

import (
	"fmt"
	"iter"
	"math"

	"github.com/augmix-go/augmix/metrics/internal/softmax"
)

// Temperature is the result of temperature scaling (Guo et al., ICML 2017): logits divided by T.
type Temperature struct {
	T      float64
	Before float64 // mean negative log-likelihood of the rows at T = 1
	After  float64 // the same at T
	Passes int     // how often the rows were read
}

const (
	maxLogT = 12 // temperatures from e^-12 to e^12 are looked at
	tolLogT = 1e-10
)

// FitTemperature finds the temperature that minimizes the mean negative log-likelihood of rows of logits with labels,
// usually a validation set's. It reads the rows about ten times, so rows must yield the same each time it is called; a
// yielded slice is used until the next row only.
//
// The loss is convex in 1/T. Its one stationary point is bracketed from T = 1 on and then found in log T by Newton
// steps, or halvings where a Newton step is no good, to 1e-10 in log T. It returns the errors of [Score], [ErrLabel]
// for a row without label, or [ErrUndefined] if there is no minimum with |log T| <= 12: because the rows are all
// right, so that the loss falls as T goes to 0, or no better than chance, so that it falls as T grows.
func FitTemperature[F Float](rows iter.Seq2[[]F, int]) (Temperature, error) {
	f := &fit{at: func(logT float64, check bool) (loss, slope, curve float64, err error) {
		return temperatureLoss(rows, math.Exp(-logT), check)
	}}
	if err := f.run(); err != nil {
		return Temperature{}, err
	}
	return f.Temperature, nil
}

// fit is the search; slope and curve are the derivatives of the loss by x = log T.
type fit struct {
	Temperature
	at              func(logT float64, check bool) (loss, slope, curve float64, err error)
	x, slope, curve float64
	lo, hi          float64 // the slope is not positive at lo and not negative at hi, once bracketed
}

func (f *fit) eval(x float64) error {
	loss, slope, curve, err := f.at(x, f.Passes == 0)
	if err != nil {
		return err
	}
	if f.Passes == 0 {
		f.Before = loss
	}
	f.Passes++
	f.T, f.After = math.Exp(x), loss
	f.x, f.slope, f.curve = x, slope, curve
	if slope == 0 && curve == 0 {
		return undefinedErr("temperature: every prediction is right, or every row has equal logits")
	}
	return nil
}

func (f *fit) run() error {
	if err := f.bracket(); err != nil {
		return err
	}
	last := f.hi - f.lo
	for f.slope != 0 && f.hi-f.lo > tolLogT {
		step := -f.slope / f.curve
		next := f.x + step
		if !(f.curve > 0) || !(next >= f.lo && next <= f.hi) || math.Abs(step) > last/2 {
			next = f.lo + (f.hi-f.lo)/2
		}
		last = math.Abs(next - f.x)
		if last <= tolLogT {
			return nil
		}
		if err := f.eval(next); err != nil {
			return err
		}
		f.narrow()
	}
	return nil
}

// narrow moves the end of the bracket on whose side the minimum is not.
func (f *fit) narrow() {
	if f.slope > 0 {
		f.hi = f.x
	} else {
		f.lo = f.x
	}
}

// bracket walks downhill from T = 1 in doubling steps until the slope changes sign.
func (f *fit) bracket() error {
	if err := f.eval(0); err != nil {
		return err
	}
	dir := 1.0
	if f.slope > 0 {
		dir = -1
	}
	for step := 0.5; ; step *= 2 {
		f.lo, f.hi = f.x, f.x
		if f.slope == 0 {
			return nil
		}
		if math.Abs(f.x) == maxLogT {
			why := "the loss still falls at T = e^12, as where predictions are no better than chance"
			if dir < 0 {
				why = "the loss still falls at T = e^-12, as where every prediction is right"
			}
			return undefinedErr("temperature: " + why)
		}
		if err := f.eval(min(max(f.x+float64(dir*step), -maxLogT), maxLogT)); err != nil {
			return err
		}
		if float64(f.slope*dir) >= 0 {
			f.lo, f.hi = min(f.lo, f.x), max(f.hi, f.x)
			return nil
		}
	}
}

// temperatureLoss returns the mean loss at b = 1/T and its first two derivatives with respect to log T. With E and Var
// over a row's softmax of b*z: d/db = E[z] - z_y and d2/db2 = Var[z], and db/dlogT = -b.
func temperatureLoss[F Float](rows iter.Seq2[[]F, int], b float64, check bool) (loss, slope, curve float64, err error) {
	var l, d1, d2 compensated
	n := 0
	for z, label := range rows {
		if check {
			if _, err := Score(n, z, label); err != nil {
				return 0, 0, 0, err
			}
		}
		if err := checkRow(n, len(z), label); err != nil {
			return 0, 0, 0, err
		}
		if label == NoLabel {
			return 0, 0, 0, fmt.Errorf("%w: row %d has no label", ErrLabel, n)
		}
		n++
		top, _, _ := softmax.Peak(z)
		var s, m, q float64
		for _, v := range z {
			u := float64(v) - top
			e := softmax.Exp(float64(b * u))
			s += e
			m += float64(e * u)
			q += float64(e * u * u)
		}
		m, q = m/s, q/s
		gap := float64(z[label]) - top
		l.add(math.Log(s) - float64(b*gap))
		d1.add(m - gap)
		d2.add(max(q-float64(m*m), 0))
	}
	if n == 0 {
		return 0, 0, 0, emptyErr("temperature")
	}
	db1, db2 := d1.value()/float64(n), d2.value()/float64(n)
	return l.value() / float64(n), -float64(b * db1), float64(b*db1) + float64(b*b*db2), nil
}

// ScaleLogits writes src divided by the temperature to dst, which may be src. It panics unless they are equally long.
func ScaleLogits[F Float](dst, src []F, t float64) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("metrics: scaling %d logits into %d", len(src), len(dst)))
	}
	for i, v := range src {
		dst[i] = F(float64(v) / t)
	}
}
