package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestSmoothECEByHand: rows of one confidence c, a share a of them right: r(t) is (a-c) K(t, c), whose integral is a-c at any
// bandwidth.
func TestSmoothECEByHand(t *testing.T) {
	for _, x := range []struct {
		conf        float64
		right, rows int
	}{{0.9, 3, 4}, {0.3, 4, 4}, {1, 0, 3}, {0, 3, 3}, {0.123456789, 1, 2}} {
		conf := make([]float64, x.rows)
		for i := range conf {
			conf[i] = x.conf
		}
		c := calibrationOf(t, conf, func(i int) bool { return i < x.right })
		near(t, fmt.Sprint("smooth ECE of ", x), value(t)(c.SmoothECE()), math.Abs(float64(x.right)/float64(x.rows)-x.conf), 1e-11)
	}
	// Of the rows of each confidence as many are right as it says.
	var conf []float64
	for range 4 {
		conf = append(conf, 0.25, 0.5, 0.75, 1)
	}
	c := calibrationOf(t, conf, func(i int) bool { return i/4 <= i%4 })
	near(t, "smooth ECE of a calibrated model", value(t)(c.SmoothECE()), 0, 0)
}

// TestSmoothECENumPy: r = Σ (y-f) exp(-((t-(2m±f))/σ)²/2) / (101 σ sqrt(2π)) over m = -4 to 4 at 20,000 midpoints t,
// np.abs(r).mean() = σ by 40 bisections.
func TestSmoothECENumPy(t *testing.T) {
	near(t, "smooth ECE", value(t)(scattered(t).SmoothECE()), 0.24485046837799018, 1e-7)
}

func TestSmoothECEProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 8 {
		n := 1 + r.IntN(400)
		conf, right := make([]float64, n), make([]bool, n)
		bias := 0.0
		for i := range conf {
			conf[i] = float64(r.IntN(1000)) / 999
			right[i] = r.Float64() < conf[i]*conf[i]
			bias += conf[i] / float64(n)
			if right[i] {
				bias -= 1 / float64(n)
			}
		}
		v := value(t)(calibrationOf(t, conf, func(i int) bool { return right[i] }).SmoothECE())
		if v > 1 || v < math.Abs(bias)-1e-9 {
			t.Errorf("%d rows: %v, the mean residual is %v", n, v, bias)
		}
		order := r.Perm(n)
		mixed := make([]float64, n)
		for i, j := range order {
			mixed[i] = conf[j]
		}
		if w := value(t)(calibrationOf(t, mixed, func(i int) bool { return right[order[i]] }).SmoothECE()); w != v {
			t.Errorf("%v in another order, %v before", w, v)
		}
	}
	if _, err := new(Calibration).SmoothECE(); !errors.Is(err, ErrUndefined) {
		t.Errorf("no rows: %v", err)
	}
}

func BenchmarkSmoothECE(b *testing.B) {
	for _, n := range []int{10000, 50000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			conf := make([]float64, n)
			for i := range conf {
				conf[i] = 1 - 0.9*r.Float64()*r.Float64()
			}
			c := calibrationOf(b, conf, func(i int) bool { return r.Float64() < conf[i]*conf[i] })
			for b.Loop() {
				if _, err := c.SmoothECE(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
