package preprocess

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
)

// NLM is non-local means: a pixel becomes the mean of those around it, weighted by how alike their patches are. The
// filter strength is Strength times the noise that the finest diagonal wavelet coefficients show, so that a clean image
// stays nearly as it is. Parity class: within 2 gray levels of scikit-image 0.19 (denoise_nl_means in its fast mode
// with estimate_sigma; goldens of group "preprocess"), whose patch sums leave out the first row and column of a patch.
type NLM struct {
	Strength float64 // h, times the estimated standard deviation
	Patch    int     // side of a patch, odd
	Distance int     // how far the search window reaches
}

// NewNLM returns the parameters of scikit-image's example.
func NewNLM() NLM { return NLM{Strength: 0.8, Patch: 5, Distance: 6} }

// Check returns an error that wraps ErrSpec and says what is allowed.
func (m NLM) Check() error {
	switch {
	case !(m.Strength > 0 && m.Strength <= 100):
		return fmt.Errorf("%w: filter strength %v (allowed: above 0, up to 100)", ErrSpec, m.Strength)
	case m.Patch < 3 || m.Patch > 31 || m.Patch%2 == 0:
		return fmt.Errorf("%w: patches of %d pixels (allowed: odd, 3 to 31)", ErrSpec, m.Patch)
	case m.Distance < 1 || m.Distance > 50:
		return fmt.Errorf("%w: a search window that reaches %d pixels (allowed: 1 to 50)", ErrSpec, m.Distance)
	}
	return nil
}

func (m NLM) String() string {
	return "nlm-h" + number(m.Strength) + "-p" + strconv.Itoa(m.Patch) + "-d" + strconv.Itoa(m.Distance)
}

func parseNLM(options []string) (Method, error) {
	m := NewNLM()
	for _, o := range options {
		letter, value, err := option(o)
		if err == nil {
			switch letter {
			case 'h':
				m.Strength = value
			case 'p':
				m.Patch, err = integer(letter, value)
			case 'd':
				m.Distance, err = integer(letter, value)
			default:
				err = fmt.Errorf("%w: nlm has no option %q (there are: h, p, d)", ErrSpec, o)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return m, m.Check()
}

type nlmScratch struct {
	padded          [][3]float32
	sums            [][3]float64
	weights         []float64
	columns         []float64
	squares         []float64
	plane, low, abs []float64
}

// farthest is where exp(-d) is taken for nothing, as in scikit-image.
const farthest = 5

// expSteps is the number of steps of the table of exp(-d) on [0, farthest]; between them it is interpolated, to 2e-7.
const expSteps = 4096

var expTable = sync.OnceValue(func() *[expSteps + 2]float64 {
	t := new([expSteps + 2]float64)
	for i := range t {
		t[i] = detmath.Exp(-float64(i) * farthest / expSteps)
	}
	return t
})

func fall(d float64) float64 {
	t := expTable()
	f := d * (expSteps / farthest)
	i := int(f)
	return t[i] + float64((f-float64(i))*(t[i+1]-t[i]))
}

// Apply implements Method.
func (m NLM) Apply(dst, src *raster.Image, s *Scratch) {
	c := &s.nlm
	h := m.Strength * c.sigma(src)
	dst.Reset(src.W, src.H)
	if h == 0 {
		copy(dst.Pix, src.Pix)
		return
	}
	pad := m.Patch/2 + m.Distance + 1
	w, rows := src.W+2*pad, src.H+2*pad
	c.reset(src, pad, w, rows)
	scale := 1 / (3 * h * h * float64(m.Patch*m.Patch))
	for dy := -m.Distance; dy <= m.Distance; dy++ {
		for dx := 0; dx <= m.Distance; dx++ {
			if dx > 0 || dy >= 0 {
				c.compare(dy, dx, m.Patch/2, w, rows, scale)
			}
		}
	}
	for y := range src.H {
		for x := range src.W {
			i := (y+pad)*w + x + pad
			out := dst.Pix[4*(y*src.W+x):]
			for k := range 3 {
				out[k] = uint8(float64(c.sums[i][k]/c.weights[i]*255) + 0.5)
			}
			out[3] = 255
		}
	}
}

func (c *nlmScratch) reset(src *raster.Image, pad, w, rows int) {
	n := w * rows
	if cap(c.padded) < n {
		c.padded, c.sums, c.weights = make([][3]float32, n), make([][3]float64, n), make([]float64, n)
		c.squares, c.columns = make([]float64, n), make([]float64, n)
	}
	c.padded, c.sums, c.weights, c.squares = c.padded[:n], c.sums[:n], c.weights[:n], c.squares[:n]
	c.columns = c.columns[:n]
	clear(c.sums)
	clear(c.weights)
	for y := range rows {
		sy := around(y-pad, src.H)
		for x := range w {
			p := src.Pix[4*(sy*src.W+around(x-pad, src.W)):]
			c.padded[y*w+x] = [3]float32{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
		}
	}
}

// around mirrors an index at both borders without repeating the edge.
func around(i, n int) int {
	if n == 1 {
		return 0
	}
	if i %= 2*n - 2; i < 0 {
		i += 2*n - 2
	}
	return min(i, 2*n-2-i)
}

// compare weighs every pixel against the one dy, dx from it, both ways. The sum over a patch runs over half-1
// pixels before to half after the middle: the published code's integral image leaves the first ones out.
func (c *nlmScratch) compare(dy, dx, half, w, rows int, scale float64) {
	y0, y1 := max(0, -dy), min(rows, rows-dy)
	x1 := w - dx
	for y := y0; y < y1; y++ {
		a, b := c.padded[y*w:][:x1], c.padded[(y+dy)*w+dx:][:x1]
		sq := c.squares[y*w:][:x1]
		for x := range sq {
			d0, d1, d2 := float64(a[x][0]-b[x][0]), float64(a[x][1]-b[x][1]), float64(a[x][2]-b[x][2])
			sq[x] = float64(d0*d0) + float64(d1*d1) + float64(d2*d2)
		}
	}
	// Sums of 2*half rows, then of 2*half columns.
	for y := y0 + half; y < y1-half; y++ {
		col := c.columns[y*w:][:x1]
		clear(col)
		for k := y - half + 1; k <= y+half; k++ {
			for x, v := range c.squares[k*w:][:x1] {
				col[x] += v
			}
		}
		for x := half; x < x1-half; x++ {
			d := 0.0
			for _, v := range col[x-half+1 : x+half+1] {
				d += v
			}
			if d *= scale; d <= farthest {
				c.weigh(y*w+x, (y+dy)*w+x+dx, fall(d))
			}
		}
	}
}

func (c *nlmScratch) weigh(i, j int, weight float64) {
	c.weights[i] += weight
	for k := range 3 {
		c.sums[i][k] += float64(weight * float64(c.padded[j][k]))
	}
	if i == j {
		return
	}
	c.weights[j] += weight
	for k := range 3 {
		c.sums[j][k] += float64(weight * float64(c.padded[i][k]))
	}
}

// The high-pass filter of Daubechies' wavelet with two vanishing moments.
var db2High = [4]float64{-0.48296291314469025, 0.836516303737469, -0.22414386804185735, -0.12940952255092145}

// normalMedian is the median of |x| of a standard normal.
const normalMedian = 0.6744897501960817

// flat is the size up to which a coefficient comes from a flat area. scikit-image leaves out exact zeros only, so that
// in images with flat areas the rounding of a sum decides what it counts; there the estimates differ.
const flat = 1e-9

// sigma estimates the standard deviation of Gaussian noise, in units of the pixel range: the median of the finest
// diagonal wavelet coefficients outside flat areas, over 0.6745; the mean over the channels. 0 where there are no such
// coefficients.
func (c *nlmScratch) sigma(m *raster.Image) float64 {
	n := m.W * m.H
	if cap(c.plane) < n {
		c.plane = make([]float64, n)
	}
	c.plane = c.plane[:n]
	sum := 0.0
	for k := range 3 {
		for i := range n {
			c.plane[i] = float64(m.Pix[4*i+k]) / 255
		}
		sum += c.channelSigma(m.W, m.H)
	}
	return sum / 3
}

func (c *nlmScratch) channelSigma(w, h int) float64 {
	ow, oh := (w+3)/2, (h+3)/2
	if cap(c.low) < w*oh {
		c.low = make([]float64, w*oh)
	}
	c.low = c.low[:w*oh]
	for o := range oh {
		for x := range w {
			c.low[o*w+x] = highPass(func(i int) float64 { return c.plane[mirror(i, h)*w+x] }, o)
		}
	}
	c.abs = c.abs[:0]
	for y := range oh {
		for o := range ow {
			v := highPass(func(i int) float64 { return c.low[y*w+mirror(i, w)] }, o)
			if v < 0 {
				v = -v
			}
			if v > flat {
				c.abs = append(c.abs, v)
			}
		}
	}
	if len(c.abs) == 0 {
		return 0
	}
	slices.Sort(c.abs)
	mid := len(c.abs) / 2
	median := c.abs[mid]
	if len(c.abs)%2 == 0 {
		median = (median + c.abs[mid-1]) / 2
	}
	return median / normalMedian
}

// highPass is coefficient o of a line.
func highPass(at func(i int) float64, o int) float64 {
	sum := 0.0
	for j, f := range db2High {
		sum += float64(f * at(2*o+1-j))
	}
	return sum
}

// mirror repeats the edge: -1 is 0, n is n-1.
func mirror(i, n int) int {
	if i %= 2 * n; i < 0 {
		i += 2 * n
	}
	return min(i, 2*n-1-i)
}
