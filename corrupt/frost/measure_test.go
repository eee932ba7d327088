package frost_test

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// figures are what the tests compare: of luma the mean, the deviation and the mean deviation in windows of 7 by 7
// (fine) and 63 by 63 pixels (coarse), and the means of the channels.
type figures struct {
	mean, deviation float64
	rgb             [3]float64
	fine, coarse    float64
}

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s is %.2f, want %.2f within %.2f", name, got, want, tolerance)
	}
}

func luma(m *raster.Image) []float64 {
	l := make([]float64, m.W*m.H)
	for i := range l {
		p := m.Pix[4*i:]
		l[i] = .299*float64(p[0]) + .587*float64(p[1]) + .114*float64(p[2])
	}
	return l
}

func measure(m *raster.Image) figures {
	l := luma(m)
	var f figures
	for i, v := range l {
		f.mean += v
		for c := range f.rgb {
			f.rgb[c] += float64(m.Pix[4*i+c])
		}
	}
	n := float64(len(l))
	f.mean /= n
	for c := range f.rgb {
		f.rgb[c] /= n
	}
	for _, v := range l {
		f.deviation += (v - f.mean) * (v - f.mean)
	}
	f.deviation = math.Sqrt(f.deviation / n)
	sum, square := integral(l, m.W, m.H)
	f.fine = local(sum, square, m.W, m.H, 7)
	f.coarse = local(sum, square, m.W, m.H, 63)
	return f
}

// integral returns, for every corner between pixels, the sums of values and of their squares above and to the left.
func integral(l []float64, w, h int) (sum, square []float64) {
	sum, square = make([]float64, (w+1)*(h+1)), make([]float64, (w+1)*(h+1))
	for y := range h {
		var s, q float64
		for x := range w {
			v := l[y*w+x]
			s += v
			q += v * v
			i := (y+1)*(w+1) + x + 1
			sum[i], square[i] = sum[i-w-1]+s, square[i-w-1]+q
		}
	}
	return sum, square
}

// local returns the mean deviation in windows of the given side that lie in the image, 0 if there are none. They begin a third of their
// side apart, so that each pixel lies in as many.
func local(sum, square []float64, w, h, side int) float64 {
	at := func(t []float64, x, y int) float64 {
		a, b := y*(w+1)+x, (y+side)*(w+1)+x
		return (t[b+side] - t[b] - t[a+side] + t[a]) / float64(side*side)
	}
	var total float64
	n := 0
	for y := 0; y+side <= h; y += side / 3 {
		for x := 0; x+side <= w; x += side / 3 {
			mean := at(sum, x, y)
			total += math.Sqrt(max(at(square, x, y)-mean*mean, 0))
			n++
		}
	}
	return total / float64(max(n, 1))
}
