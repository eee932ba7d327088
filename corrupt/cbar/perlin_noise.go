package cbar

import (
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// PerlinNoise blends the image with gray turbulence, the sum of the magnitudes of five octaves of Perlin noise:
// (1-Alpha)·x + Alpha·255·min(turbulence/2 + 1/2, 1). A cell of the coarsest octave is S/7 pixels wide, S being the
// shorter side. Least side 1.
type PerlinNoise struct {
	Alpha float64 // 0…1; published as level/20
}

func runPerlin(j job) {
	c, d := PerlinNoise{j.scaled(0.5)}, &j.s.draws.perlin
	c.Draw(d, j.r)
	c.Apply(j.dst, j.src, d, j.s)
}

// lattice is the period of the noise, in cells.
const lattice = 256

// PerlinDraws are the random numbers of perlin_noise.
type PerlinDraws struct {
	Gradients   [lattice][2]float64 // unit vectors, (row, column)
	Permutation [lattice]uint8      // of 0…255; gradient P[P[row]+column] belongs to a node of the lattice
}

// Draw makes d the numbers of an image of any size. A gradient is a point of the grid of 512 by 512 in [-1, 1)²,
// scaled to unit length; the point 0, where the published code divides by zero, is drawn again. The permutation is made
// by exchanging each element, from the last to the first, with any one of all.
func (c PerlinNoise) Draw(d *PerlinDraws, r *rng.Rand) {
	for i := range d.Gradients {
		for {
			x, y := float64(r.IntN(2*lattice)-lattice), float64(r.IntN(2*lattice)-lattice)
			if n := math.Sqrt(float64(x*x) + float64(y*y)); n > 0 {
				d.Gradients[i] = [2]float64{x / n, y / n}
				break
			}
		}
	}
	for i := range d.Permutation {
		d.Permutation[i] = uint8(i)
	}
	for i := lattice - 1; i >= 0; i-- {
		j := r.IntN(lattice)
		d.Permutation[i], d.Permutation[j] = d.Permutation[j], d.Permutation[i]
	}
}

// octaves is the number of octaves, of 1, 2, 4, 8 and 16 times the frequency of the first; perlinCells is how many
// cells of the first the shorter side has; perlinGain is the published factor of each.
const (
	octaves     = 5
	perlinCells = 7
	perlinGain  = 1.5
)

// octave holds what all rows of an image share, by column.
type octave struct {
	offset []float64 // column of the pixel less that of the node to its left, in cells
	smooth []float64 // weight of the node to its right
	node   []int32   // the node to its left
}

// ramp is the noise around a node of the lattice, at the height of a row: at + slope·(column - that of the node).
type ramp struct{ at, slope float64 }

// Apply makes dst the src with turbulence, row by row: on a row, the noise of a cell is interpolated between two
// functions that are linear in the column, one for the node on either side.
func (c PerlinNoise) Apply(dst, src *raster.Image, d *PerlinDraws, s *Scratch) {
	prepare(dst, src)
	w := src.W
	cell := side(w, src.H) / perlinCells
	for k := range s.octaves {
		s.octaves[k].set(w, cell, k)
	}
	s.a = buffer.Resize(s.a, w)
	turbulence := s.a
	var base [256]float64
	for t := range base {
		base[t] = float64((1 - c.Alpha) * float64(t))
	}
	for y := range src.H {
		clear(turbulence)
		for k := range s.octaves {
			o := &s.octaves[k]
			s.ramps = buffer.Resize(s.ramps, int(o.node[w-1])+2)
			d.ramps(s.ramps, float64(float64(y)/cell*float64(int(1)<<k)))
			o.add(turbulence, s.ramps, perlinGain/float64(int(1)<<k))
		}
		in, out := src.Pix[4*y*w:][:4*w], dst.Pix[4*y*w:][:4*w]
		for _, t := range turbulence {
			if len(in) < 4 || len(out) < 4 {
				break
			}
			gray := float64(255 * c.Alpha * min(float64(0.5*t)+0.5, 1))
			out[0] = level(base[in[0]] + gray)
			out[1] = level(base[in[1]] + gray)
			out[2] = level(base[in[2]] + gray)
			out[3] = 255
			in, out = in[4:], out[4:]
		}
	}
}

// set prepares octave k of images of w columns.
func (o *octave) set(w int, cell float64, k int) {
	o.offset, o.smooth, o.node = buffer.Resize(o.offset, w), buffer.Resize(o.smooth, w), buffer.Resize(o.node, w)
	for x := range w {
		p := float64(float64(x) / cell * float64(int(1)<<k))
		o.node[x] = int32(p)
		o.offset[x] = p - math.Floor(p)
		o.smooth[x] = smoothstep(o.offset[x])
	}
}

func smoothstep(t float64) float64 { return float64(t*t) * (3 - float64(2*t)) }

// ramps sets dst[i] to the noise around column i of the lattice at row p.
func (d *PerlinDraws) ramps(dst []ramp, p float64) {
	row := math.Floor(p)
	above := p - row
	below := above - 1
	t := smoothstep(above)
	i, j := d.Permutation[int(row)%lattice], d.Permutation[(int(row)+1)%lattice]
	for b := range dst {
		// The sum of two bytes wraps around where the published table repeats.
		g, h := d.Gradients[d.Permutation[i+uint8(b)]], d.Gradients[d.Permutation[j+uint8(b)]]
		u, v := float64(above*g[0]), float64(below*h[0])
		dst[b] = ramp{u + float64(t*(v-u)), g[1] + float64(t*(h[1]-g[1]))}
	}
}

// add adds the magnitude of the noise times gain to each column of turbulence.
func (o *octave) add(turbulence []float64, nodes []ramp, gain float64) {
	n := len(turbulence)
	offset, smooth, node := o.offset[:n], o.smooth[:n], o.node[:n]
	for x, f := range offset {
		l, r := nodes[node[x]], nodes[node[x]+1]
		a := l.at + float64(f*l.slope)
		b := r.at + float64((f-1)*r.slope)
		turbulence[x] += float64(gain * math.Abs(a+float64(smooth[x]*(b-a))))
	}
}
