package kernel

import (
	"fmt"
	"math"
)

// LightNet is a row of places that waves move: w places, whose row coordinates are the first w numbers of Moved, and whose column
// coordinates the others. Sin and Cos are those of Moved.
type LightNet struct {
	Moved, Sin, Cos []float64
	Columns         []float64 // column coordinates before all moves, w numbers
	Row             float64   // row coordinate before all moves
}

func (n *LightNet) mustHold(w int) {
	if len(n.Columns) != w || len(n.Moved) != 2*w || len(n.Sin) != 2*w || len(n.Cos) != 2*w {
		panic(fmt.Sprintf("kernel: %d, %d, %d numbers for %d places", len(n.Moved), len(n.Sin), len(n.Cos), w))
	}
}

// Move moves the places, i, from their start p to p + (cos(t-i₀) + sin(t+i₁), sin(t-i₁) + cos(t+i₀)); re and im are the cosine
// and the sine of the time t. Sin and Cos stay.
func (n *LightNet) Move(re, im float64) {
	w := len(n.Columns)
	n.mustHold(w)
	for x := moveVector(n, re, im); x < w; x++ {
		a, b := float64(re*n.Cos[x]), float64(im*n.Sin[x])
		c, d := float64(im*n.Cos[w+x]), float64(re*n.Sin[w+x])
		n.Moved[x] = n.Row + (a + b) + (c + d)
		n.Moved[w+x] = n.Columns[x] + (c - d) + (a - b)
	}
}

const lightTiny = 1e-300 // for light that sine and cosine leave at 0/0

// Gather adds to light, w numbers, what each place gets: 1/|(p₀·focus/sin(i₀+t), p₁·focus/cos(i₁+t))|, free of fractions within
// the root.
func (n *LightNet) Gather(light []float64, re, im, focus float64) {
	w := len(light)
	n.mustHold(w)
	for x := gatherVector(n, light, re, im, focus); x < w; x++ {
		a := float64(n.Sin[x]*re) + float64(n.Cos[x]*im)
		b := float64(n.Cos[w+x]*re) - float64(n.Sin[w+x]*im)
		u, v := float64(n.Row*b), float64(n.Columns[x]*a)
		light[x] += math.Abs(float64(a*b)) / float64(focus*math.Sqrt(float64(u*u)+float64(v*v)+lightTiny))
	}
}
