package filter

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// noisy returns an image of smooth slopes and hashed noise.
func noisy(w, h int) *raster.Image {
	m := raster.New(w, h)
	for y := range h {
		for x := range w {
			v := uint32(y*w+x) * 2654435761
			m.Set(x, y, raster.RGB{R: uint8(v >> 24), G: uint8(x * 5), B: uint8(v>>20) / 4 * 4})
		}
	}
	return m
}

// Where the disc does not touch the edge of the grid the weights sum to 1; where it does, the reflection at the edge of
// the grid adds to them, as in the published kernels.
func TestDefocusKernelSum(t *testing.T) {
	for p, want := range map[[2]float64]float64{{.5, .6}: 1, {4, .5}: 1, {6, .5}: 1, {8, .5}: 1.012975, {10, .5}: 1.010786} {
		kernel, _ := DefocusKernel(p[0], p[1])
		sum := 0.0
		for _, v := range kernel {
			sum += float64(v)
		}
		if math.Abs(sum-want) > 1e-6 {
			t.Errorf("kernel %v has the sum %v, want %v", p, sum, want)
		}
	}
}

// The decomposition into disc, smoothing and correction gives the kernel back: the sum of all differences, which bounds
// what a result can be off by in units of white, is far below a gray level.
func TestDefocusPlan(t *testing.T) {
	for _, p := range [][2]float64{
		{.3, .4},
		{.5, .6},
		{1, .2},
		{1.5, .1},
		{2.5, .01},
		{3, .1},
		{4, .5},
		{6, .5},
		{7, .5},
		{8, .5},
		{8.5, .5},
		{10, .5},
		{12, .5},
		{20, .5},
		{60, .5},
	} {
		plan := newDefocusPlan(p[0], p[1])
		kernel, side := DefocusKernel(p[0], p[1])
		const pad = 4
		wide := side + 2*pad
		rest := make([]float64, wide*wide)
		for i, v := range kernel {
			rest[(i/side+pad)*wide+i%side+pad] = float64(v)
		}
		mid, e := wide/2, len(plan.tap)-1
		add := func(x, y int, w float64) { rest[(mid+y)*wide+mid+x] -= w }
		for y := -plan.half; y <= plan.half; y++ {
			hw := plan.width[max(y, -y)]
			for x := -hw; x <= hw; x++ {
				for dy := -e; dy <= e; dy++ {
					for dx := -e; dx <= e; dx++ {
						add(x+dx, y+dy, plan.tap[max(dx, -dx)]*plan.tap[max(dy, -dy)])
					}
				}
			}
		}
		for _, g := range plan.extra {
			if len(g.points)%4 != 0 {
				t.Errorf("kernel %v: a group of %d points", p, len(g.points))
			}
			for _, q := range g.points {
				add(q[0], q[1], g.weight)
			}
		}
		off, balance := 0.0, 0.0
		for _, v := range rest {
			off += math.Abs(v)
			balance += v
		}
		if off*255 > 2e-3 || math.Abs(balance) > 2e-8 {
			t.Errorf("kernel %v: differences of %.2g gray levels, %.2g in sum", p, off*255, balance*255)
		}
	}
}

func TestDefocusAgainstCorrelation(t *testing.T) {
	var d Defocus
	for _, p := range [][2]float64{{.4, .5}, {1.5, .1}, {4, .5}, {8, .5}, {10, .5}, {55, .5}} {
		for _, size := range [][2]int{{1, 1}, {2, 9}, {31, 17}} {
			src, dst := noisy(size[0], size[1]), new(raster.Image)
			d.Set(p[0], p[1])
			d.Image(dst, src)
			kernel, side := DefocusKernel(p[0], p[1])
			differ := 0
			for i := range dst.Pix {
				want := 255
				if i%4 != 3 {
					want = int(correlateAt(src, kernel, side, i/4%src.W, i/4/src.W, i%4))
				}
				switch diff := int(dst.Pix[i]) - want; {
				case diff < -1 || diff > 1:
					t.Fatalf("kernel %v, %v: byte %d is %d, want %d", p, size, i, dst.Pix[i], want)
				case diff != 0:
					differ++
				}
			}
			if differ > len(dst.Pix)/200+1 {
				t.Errorf("kernel %v, %v: %d of %d bytes differ", p, size, differ, len(dst.Pix))
			}
		}
	}
}

func correlateAt(m *raster.Image, kernel []float32, side, x, y, c int) float64 {
	sum := 0.0
	for i, w := range kernel {
		sx := Reflect101.At(x+i%side-side/2, m.W)
		sy := Reflect101.At(y+i/side-side/2, m.H)
		sum += float64(w) * float64(m.Pix[4*(sy*m.W+sx)+c])
	}
	return min(sum, 255)
}
