package filter

import "github.com/augmix-go/augmix/internal/buffer"

// Canny finds edges as OpenCV's Canny does with an aperture of 3 and the L1 gradient: Sobel derivatives with replicated
// border, magnitude |gx|+|gy| (0 outside the image), suppression of everything that is not a ridge across the
// gradient (horizontal, vertical or one of the diagonals, told apart by integer tests against tan 22.5° and tan 67.5°),
// then hysteresis over eight neighbors: ridges above high, and those above low that are connected to them.
//
// It owns buffers; the zero Canny is ready for use.
type Canny struct {
	grad  []gradient
	mag   []int32 // with a frame of zeros
	state []uint8 // with a frame
	stack []int32
}

type gradient struct{ x, y int16 }

const (
	edgeNo = iota
	edgeWeak
	edgeStrong
)

// tan22 is tan 22.5° times 2^15, rounded.
const tan22 = 13573

// Edges sets dst to 255 on edges of the w by h gray image src and to 0 elsewhere.
func (c *Canny) Edges(dst, src []uint8, w, h int, low, high int32) {
	c.grad = buffer.Resize(c.grad, w*h)
	c.mag = buffer.Resize(c.mag, (w+2)*(h+2))
	c.state = buffer.Resize(c.state, (w+2)*(h+2))
	clear(c.mag)
	clear(c.state)
	c.stack = c.stack[:0]
	c.sobel(src, w, h)
	for y := range h {
		for x := range w {
			c.classify(x, y, w, low, high)
		}
	}
	c.grow(w)
	for y := range h {
		row := c.state[(y+1)*(w+2)+1:][:w]
		for x, s := range row {
			dst[y*w+x] = 0
			if s == edgeStrong {
				dst[y*w+x] = 255
			}
		}
	}
}

func (c *Canny) sobel(src []uint8, w, h int) {
	for y := range h {
		up, mid, down := src[max(y-1, 0)*w:][:w], src[y*w:][:w], src[min(y+1, h-1)*w:][:w]
		grad, mag := c.grad[y*w:][:w], c.mag[(y+1)*(w+2)+1:][:w]
		for x := range mid {
			l, r := max(x-1, 0), min(x+1, w-1)
			a, b, d := int32(up[l]), int32(up[x]), int32(up[r])
			e, f := int32(mid[l]), int32(mid[r])
			g, i, j := int32(down[l]), int32(down[x]), int32(down[r])
			gx := d + 2*f + j - a - 2*e - g
			gy := g + 2*i + j - a - 2*b - d
			grad[x] = gradient{int16(gx), int16(gy)}
			mag[x] = abs(gx) + abs(gy)
		}
	}
}

// classify decides whether pixel (x, y) is a ridge, and pushes it if it is a strong one.
func (c *Canny) classify(x, y, w int, low, high int32) {
	s := w + 2
	i := (y+1)*s + x + 1
	m := c.mag[i]
	if m <= low {
		return
	}
	g := c.grad[y*w+x]
	ax, ay := int64(abs(int32(g.x))), int64(abs(int32(g.y)))<<15
	t22 := ax * tan22
	var ridge bool
	switch {
	case ay < t22:
		ridge = m > c.mag[i-1] && m >= c.mag[i+1]
	case ay > t22+ax<<16:
		ridge = m > c.mag[i-s] && m >= c.mag[i+s]
	case g.x^g.y < 0:
		ridge = m > c.mag[i-s+1] && m > c.mag[i+s-1]
	default:
		ridge = m > c.mag[i-s-1] && m > c.mag[i+s+1]
	}
	switch {
	case !ridge:
	case m > high:
		c.state[i] = edgeStrong
		c.stack = append(c.stack, int32(i))
	default:
		c.state[i] = edgeWeak
	}
}

// grow makes every weak ridge strong that is connected to a strong one.
func (c *Canny) grow(w int) {
	s := int32(w + 2)
	for len(c.stack) > 0 {
		i := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		for _, d := range [8]int32{-s - 1, -s, -s + 1, -1, 1, s - 1, s, s + 1} {
			if c.state[i+d] == edgeWeak {
				c.state[i+d] = edgeStrong
				c.stack = append(c.stack, i+d)
			}
		}
	}
}

func abs(v int32) int32 { return max(v, -v) }
