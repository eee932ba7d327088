package metrics

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func calibrationOf(t testing.TB, conf []float64, correct func(i int) bool) *Calibration {
	t.Helper()
	var c Calibration
	for i, v := range conf {
		if err := c.Add(v, correct(i)); err != nil {
			t.Fatal(err)
		}
	}
	return &c
}

// scattered are 101 distinct confidences, 72 of them correct: (37i+11 mod 101 + 0.5)/101 and i*i mod 7 < 4.
func scattered(t testing.TB) *Calibration {
	conf := make([]float64, 101)
	for i := range conf {
		conf[i] = (float64((37*i+11)%101) + 0.5) / 101
	}
	return calibrationOf(t, conf, func(i int) bool { return i*i%7 < 4 })
}

func TestAURCByHand(t *testing.T) {
	// Right, wrong, right, wrong: risks 0, 1/2, 1/3, 1/2. In the best order 0, 0, 1/3, 1/2.
	c := calibrationOf(t, []float64{0.6, 0.7, 0.8, 0.9}, func(i int) bool { return i%2 == 1 })
	near(t, "AURC", value(t)(c.AURC()), 1./3, 1e-15)
	near(t, "E-AURC", value(t)(c.ExcessAURC()), 1./8, 1e-15)
	// The same of one confidence: every risk is 1/2.
	c = calibrationOf(t, []float64{0.7, 0.7, 0.7, 0.7}, func(i int) bool { return i%2 == 1 })
	near(t, "AURC of ties", value(t)(c.AURC()), 0.5, 1e-15)
	near(t, "E-AURC of ties", value(t)(c.ExcessAURC()), 0.5-5./24, 1e-15)
}

// TestAURCNumPy: risk = np.cumsum(1-y[np.argsort(-conf)]) / np.arange(1, 102); AURC is its mean, and the best order's
// that of np.sort(1-y).
func TestAURCNumPy(t *testing.T) {
	c := scattered(t)
	near(t, "AURC", value(t)(c.AURC()), 0.2848596973351425, 1e-14)
	near(t, "E-AURC", value(t)(c.ExcessAURC()), 0.23758961317868654, 1e-14)
	near(t, "AURC + AURRA", value(t)(c.AURC())+value(t)(c.AURRA()), 1, 1e-14)
}

func TestAURCProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(rt, "rows")
		right := rapid.IntRange(0, n).Draw(rt, "right")
		conf := make([]float64, n)
		for i := range conf {
			// Right rows lie above wrong ones, some of either at one confidence.
			conf[i] = float64(rapid.IntRange(0, 9).Draw(rt, "confidence")) / 20
			if i < right {
				conf[i] += 0.5
			}
		}
		of := func(c *Calibration) (aurc, excess float64) { return value(t)(c.AURC()), value(t)(c.ExcessAURC()) }
		best, zero := of(calibrationOf(t, conf, func(i int) bool { return i < right }))
		if zero != 0 {
			rt.Fatalf("E-AURC of the best order is %v", zero)
		}
		worst, excess := of(calibrationOf(t, conf, func(i int) bool { return i >= n-right }))
		if excess < 0 || excess > 1 || worst < best-1e-15 || worst > 1 {
			rt.Fatalf("AURC %v with excess %v, best %v", worst, excess, best)
		}
	})
}

func TestAURCRefuses(t *testing.T) {
	var c Calibration
	_, err1 := c.AURC()
	_, err2 := c.ExcessAURC()
	if !errors.Is(err1, ErrUndefined) || !errors.Is(err2, ErrUndefined) {
		t.Errorf("no rows: %v, %v", err1, err2)
	}
}
