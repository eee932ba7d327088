package frost_test

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/buffer"
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

func measure(m *raster.Image) figures { return new(meter).measure(m) }

// meter measures images in memory that it keeps.
type meter struct{ luma, sum, square []float64 }

func (z *meter) measure(m *raster.Image) figures {
	var f figures
	var rgb [3]int
	z.luma = buffer.Resize(z.luma, m.W*m.H)
	l := z.luma
	for i := range l {
		p := m.Pix[4*i:][:4]
		l[i] = .299*float64(p[0]) + .587*float64(p[1]) + .114*float64(p[2])
		f.mean += l[i]
		rgb[0], rgb[1], rgb[2] = rgb[0]+int(p[0]), rgb[1]+int(p[1]), rgb[2]+int(p[2])
	}
	n := float64(len(l))
	f.mean /= n
	for c, sum := range rgb {
		f.rgb[c] = float64(sum) / n
	}
	for _, v := range l {
		f.deviation += (v - f.mean) * (v - f.mean)
	}
	f.deviation = math.Sqrt(f.deviation / n)
	z.integral(m.W, m.H)
	f.fine = local(z.sum, z.square, m.W, m.H, 7)
	f.coarse = local(z.sum, z.square, m.W, m.H, 63)
	return f
}

// integral makes z.sum and z.square, for every corner between pixels, the sums of values and of their squares above and to the left.
func (z *meter) integral(w, h int) {
	n := (w + 1) * (h + 1)
	z.sum, z.square = buffer.Resize(z.sum, n), buffer.Resize(z.square, n)
	clear(z.sum[:w+1])
	clear(z.square[:w+1])
	for y := range h {
		above, sum := z.sum[y*(w+1):][:w+1], z.sum[(y+1)*(w+1):][:w+1]
		squareAbove, square := z.square[y*(w+1):][:w+1], z.square[(y+1)*(w+1):][:w+1]
		sum[0], square[0] = 0, 0
		var s, q float64
		for x, v := range z.luma[y*w:][:w] {
			s += v
			q += v * v
			sum[x+1], square[x+1] = above[x+1]+s, squareAbove[x+1]+q
		}
	}
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
