package procedural

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// colorFractal is one system with everything that is drawn of it.
type colorFractal struct {
	game   game
	pal    palette
	ink    ink
	gain   float64
	gamma  float64
	hits   float64 // share of the points that fall into the frame
	points [1024][2]float32
	axis   [1024]float32
	cells  [probeSide * probeSide]cell
	probes [2]probe
	tone   tone
	counts []uint32
	behind float32 // brightness of the ground, roughly
	tries  int     // systems looked at for this image
	played int     // points for it, those of the probes not counted
}

// Fractals of the kind "fractals": systems of affine maps by Anderson and Farrell's sampler, some folded, some turned
// into rosettes, colored along the orbit.
func (f *colorFractal) draw(r *rng.Rand, hue float64, front, behind tones) {
	f.behind = float32(behind.dark+behind.light) / 2
	best, merit := *r, -1.0
	for try := range maxTries + 1 {
		if try == maxTries {
			*r = best // the best of the rejected again
		}
		begin := *r
		f.tries = try + 1
		f.pal.draw(r, hue, front)
		s := f.try(r, try == maxTries)
		if s.good() {
			break
		}
		if m := s.merit(); m > merit {
			best, merit = begin, m
		}
	}
}

// try draws a system and looks at it, to the end if it is the last.
func (f *colorFractal) try(r *rng.Rand, last bool) structure {
	f.ink.set(&f.pal)
	f.system(r)
	f.game.seedOrbits(r)
	f.game.sample(f.points[:])
	f.window(r)
	f.gain, f.gamma = r.Uniform(1.5, 6), r.Uniform(0.9, 1.7)

	f.game.frameTo(probeSide)
	total := 0.0
	const each = 4 // points a cell
	for p := range f.probes {
		clear(f.cells[:])
		f.game.play(f.cells[:], probeSide, each*len(f.cells), &f.ink)
		for i := range f.cells {
			total += float64(f.cells[i].bn >> 32)
		}
		f.expose(f.cells[:])
		for i := range f.cells {
			c := &f.cells[i]
			t := f.tone.at(toneUnit * int(c.bn>>32))
			f.probes[p][i] = f.behind + float32(min(t, 1)*(c.average().luma()-f.behind))
		}
		if p == 0 && !last {
			if s := levels(&f.probes[0], &f.probes[0]); !s.varied() {
				return s // no need to look twice
			}
		}
	}
	f.hits = total / float64(2*each*len(f.cells))
	return measure(&f.probes[0], &f.probes[1])
}

// expose sets the tone curve by what the cells hold.
func (f *colorFractal) expose(cells []cell) {
	var mean, ref float64
	mean, ref, _, f.counts = exposure(cells, 0.04, f.counts)
	f.tone.set(mean, ref, f.gain, f.gamma)
}

// system draws maps, their colors and their probabilities, in proportion to |det| but at least a twentieth of the
// largest, so that the thin parts do not stay empty.
func (f *colorFractal) system(r *rng.Rand) {
	g := &f.game
	var maps [maxMaps]affine
	var weights [maxMaps]float64
	n := 2 + r.IntN(3)
	drawIFS(r, maps[:n])
	g.flat, g.group.flip = true, 1
	g.drift = [2]float64{}
	if r.Bool() {
		g.drift = [2]float64{r.Uniform(-0.4, 0.4), r.Uniform(-0.4, 0.4)}
	}
	folded := r.Float64() < 0.6
	top := 0.0
	for i := range n {
		weights[i] = math.Abs(maps[i].det())
		top = max(top, weights[i])
		g.fold[i] = fold{}
		if folded && r.Float64() < 0.7 {
			g.fold[i] = drawFold(r)
			g.flat = false
		}
	}
	shift := r.Float64()
	keep := r.Uniform(0.15, 0.55)
	for i := range n {
		weights[i] = max(weights[i], 0.05*top)
		at := float64(i)/float64(n) + shift + r.Uniform(-0.06, 0.06)
		at -= math.Floor(at)
		m := &maps[i]
		g.step[i] = step{
			float32(m.a), float32(m.b), float32(m.c), float32(m.d), float32(m.e), float32(m.f),
			float32(keep), float32((1 - keep) * at * (paletteSize - 1)),
		}
	}
	g.n = n
	if r.Float64() < 0.3 {
		f.rosette(r, weights[:])
	}
	g.sel.set(weights[:g.n])
}

// rosette adds the rotations that give the attractor a symmetry of order 2 to 6, half of the time with reflections.
// They leave the color alone and together are taken as often as they leave copies.
func (f *colorFractal) rosette(r *rng.Rand, weights []float64) {
	g := &f.game
	order := 2 + r.IntN(5)
	total := 0.0
	for _, w := range weights[:g.n] {
		total += w
	}
	for k := 1; k < order; k++ {
		t := 2 * math.Pi * float64(k) / float64(order)
		s, c := float32(detmath.Sin(t)), float32(detmath.Cos(t))
		g.add(step{a: c, b: -s, c: s, d: c, keep: 1}, weights, total)
	}
	if r.Bool() {
		g.add(step{a: -1, d: 1, keep: 1}, weights, total)
	}
}

func (g *game) add(s step, weights []float64, w float64) {
	g.step[g.n], g.fold[g.n], weights[g.n] = s, fold{}, w
	g.n++
}

// window chooses the part of the plane to show: around the middle of the attractor, moved by up to a quarter of its
// size, from half of it to a little more than all of it. Folds can throw single points far out, so that its bounds are
// taken to hold 96 of 100 points in each direction.
func (f *colorFractal) window(r *rng.Rand) {
	lo, hi := [2]float64{}, [2]float64{}
	for axis := range 2 {
		for i := range f.points {
			f.axis[i] = f.points[i][axis]
		}
		slices.Sort(f.axis[:])
		lo[axis], hi[axis] = float64(f.axis[len(f.axis)*2/100]), float64(f.axis[len(f.axis)*98/100])
	}
	w, h := max(hi[0]-lo[0], 1e-4), max(hi[1]-lo[1], 1e-4)
	f.game.cx = (lo[0]+hi[0])/2 + float64(w*r.Uniform(-0.22, 0.22))
	f.game.cy = (lo[1]+hi[1])/2 + float64(h*r.Uniform(-0.22, 0.22))
	// Between the shorter side and the longer, so that long thin attractors run out of the frame, not dwindle in it.
	side := float64(0.5 * (min(w, h) + max(w, h)))
	f.game.half = float64(side/2) * r.Uniform(0.5, 1.15)
}

// fill plays until the cells of a side by side image hold on average density points each.
func (f *colorFractal) fill(cells []cell, side int, density float64) {
	clear(cells)
	n := float64(density*float64(len(cells))) / min(max(f.hits, 0.5), 1)
	f.played = min(int(n), maxVisits) // only above 2048 pixels is that less
	f.game.frameTo(side)
	f.game.play(cells, side, f.played, &f.ink)
	f.expose(cells)
}

// color returns what the cell in column x, row y shows in front of a ground.
func (f *colorFractal) color(cells []cell, side, x, y int, ground rgb) rgb {
	c, n := gather(cells, side, x, y)
	if n == 0 {
		return ground
	}
	t := f.tone.at(n)
	col := c.average()
	if t > 1 {
		col = blend(col, rgb{1, 1, 1}, float32(0.7*(t-1)))
		t = 1
	}
	return blend(ground, col, t)
}

// enough is how many points make a cell's own count trusted.
const enough = 10

// gather returns the points of a cell and their number in units of 1/toneUnit. Where they are few, those of the cells
// around it that have few as well are taken together, so that thin parts are a veil and not dust, and edges stay sharp:
// the mean over a square of three, then of five (Draves 2003, section 9, estimates density with kernels that grow where
// points are few).
func gather(cells []cell, side, x, y int) (cell, int) {
	i := y*side + x
	c := cells[i]
	n := int(c.bn >> 32)
	if n >= enough {
		return c, n * toneUnit
	}
	if x < 2 || y < 2 || x >= side-2 || y >= side-2 {
		return c, n * toneUnit
	}
	c, n = poor(cells, side, i, 1)
	if int(c.bn>>32) < enough {
		c, n = poor(cells, side, i, 2)
	}
	return c, int(c.bn>>32) * toneUnit / n
}

// poor adds up the cells with few points in a square of 2d+1 around cell i and returns their number.
func poor(cells []cell, side, i, d int) (sum cell, n int) {
	for dy := -d * side; dy <= d*side; dy += side {
		row := cells[i+dy-d:][:2*d+1]
		for k := range row {
			if c := &row[k]; c.bn < enough<<32 {
				sum.rg += c.rg
				sum.bn += c.bn
				n++
			}
		}
	}
	return sum, n
}

// fractals is the kind of that name.
type fractals struct {
	fore, back colorFractal
	ground     ground
	cells      []cell
}

func (k *fractals) paint(dst *raster.Image, r *rng.Rand) {
	side := dst.W
	hue := r.Float64()
	light := r.Float64() < 0.15
	ground, front := deep, glowing
	if light {
		ground, front = pale, tones{0.12, 0.6, 0.1, 0.26}
	}
	k.fore.draw(r, hue, front, ground)
	k.ground.draw(r, hue+[...]float64{0, 0.08, 0.42, 0.5, 0.58}[r.IntN(5)], ground)
	if cap(k.cells) < side*side {
		k.cells = make([]cell, side*side)
	}
	k.cells = k.cells[:side*side]
	if k.ground.kind == groundFractal {
		t := tones{ground.dark, ground.light + 0.08, front.dull, ground.vivid + 0.06}
		k.back.draw(r, hue+r.Uniform(0.3, 0.7), t, tones{})
		k.back.fill(k.cells, side, 2)
	}
	step := 1 / float32(side)
	for y := range side {
		for x := range side {
			c := k.ground.at((float32(x)+0.5)*step, (float32(y)+0.5)*step)
			if k.ground.kind == groundFractal {
				c = k.back.color(k.cells, side, x, y, c)
			}
			store(dst.Pix[4*(y*side+x):][:4], c)
		}
	}
	k.fore.fill(k.cells, side, 4)
	for y := range side {
		for x := range side {
			p := dst.Pix[4*(y*side+x):][:4]
			store(p, k.fore.color(k.cells, side, x, y, load(p)))
		}
	}
}

func store(p []uint8, c rgb) { p[0], p[1], p[2], p[3] = byteOf(c.r), byteOf(c.g), byteOf(c.b), 255 }

func load(p []uint8) rgb {
	const k = 1. / 255
	return rgb{float32(float32(p[0]) * k), float32(float32(p[1]) * k), float32(float32(p[2]) * k)}
}
