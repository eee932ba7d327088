package procedural

import (
	"math"
	"slices"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The numbers of FractalDB (Kataoka et al., Pre-training without Natural Images, ACCV 2020, and its published code).
const (
	dbSearch    = 100000 // points of the search for categories
	dbSearchPx  = 512    // side of the image of the search
	dbRate      = 0.2    // filling rate from which a system is a category
	dbLeast     = 0.05   // filling rate of an instance; our own
	dbRender    = 362    // side of the published images
	dbPoints    = 200000 // points of one of them
	dbMargin    = 6      // pixels left free around it
	dbGray      = 127    // value of a point
	dbPointSeed = 100    // the published renderer seeds the sequence of points with a constant
)

// dbFactors are the factors of one parameter in the file of weights that the published script uses.
var dbFactors = [...]float64{0.2, 0.6, 1, 1.4, 1.8}

// fractalDB makes the images of FractalDB: systems of 2 to 7 maps whose six parameters are uniform in -1 to 1, with
// no demand that they contract, drawn again until 20 % of an image is filled. Every image is of a category of its
// own; within it one parameter of all maps is multiplied by one of five factors, as the published instances are, and
// the image is turned over. Images are painted at about the published side and made smaller.
type fractalDB struct {
	color  bool
	points [][2]float64
	filled []bool
	tally  []uint8
	pal    [128]rgb
}

func (k *fractalDB) paint(dst *raster.Image, r *rng.Rand) {
	var maps [maxMaps]affine
	n := 0
	for {
		n = 2 + r.IntN(6)
		for i := range n {
			maps[i] = affine{
				a: r.Uniform(-1, 1), b: r.Uniform(-1, 1), c: r.Uniform(-1, 1),
				d: r.Uniform(-1, 1), e: r.Uniform(-1, 1), f: r.Uniform(-1, 1),
			}
		}
		seq := *r
		if k.rate(maps[:n], &seq) >= dbRate {
			break
		}
	}
	k.instance(maps[:n], r)
	flip := r.IntN(4)
	patch := r.Float64() < 0.75
	seq := rng.NewKey(dbPointSeed).Rand()
	k.iterate(maps[:n], dbPoints*dst.W/dbRender*dst.W/dbRender, &seq)
	k.draw(dst, patch, flip, r)
}

// instance multiplies one parameter of all maps by a factor. A factor that makes the system run away or shrink to a
// twentieth of the image is drawn again; 1 is among them.
func (k *fractalDB) instance(maps []affine, r *rng.Rand) {
	for {
		var tried [maxMaps]affine
		param, factor := r.IntN(6), dbFactors[r.IntN(len(dbFactors))]
		for i, m := range maps {
			p := [...]*float64{&m.a, &m.b, &m.c, &m.d, &m.e, &m.f}[param]
			*p = float64(*p * factor)
			tried[i] = m
		}
		seq := *r
		if factor == 1 || k.rate(tried[:len(maps)], &seq) >= dbLeast {
			copy(maps, tried[:len(maps)])
			return
		}
	}
}

// iterate plays the chaos game from the origin and keeps the points until one is not finite. Maps are chosen in
// proportion to their determinants.
func (k *fractalDB) iterate(maps []affine, n int, seq *rng.Rand) {
	var weights [maxMaps]float64
	for i := range maps {
		weights[i] = math.Abs(maps[i].det())
	}
	var sel selector
	sel.set(weights[:len(maps)])
	k.points = slices.Grow(k.points[:0], n)[:n]
	x, y := 0.0, 0.0
	for i := 0; i < n; i += 5 {
		w := seq.Uint64()
		for j := i; j < min(i+5, n); j++ {
			x, y = maps[sel[w&selectorMask]].apply(x, y)
			w >>= selectorBits
			if !(math.Abs(x) < far && math.Abs(y) < far) {
				k.points = k.points[:j]
				return
			}
			k.points[j] = [2]float64{x, y}
		}
	}
}

// far is where a point counts as not finite. The published program goes on to the end of its numbers, which takes
// longer and comes to the same: a system that leads so far has left all but a few of its points in one pixel.
const far = 1e12

// span returns where the points lie.
func (k *fractalDB) span() (lo, hi [2]float64) {
	if len(k.points) == 0 {
		return lo, hi
	}
	lo, hi = k.points[0], k.points[0]
	for _, p := range k.points { // all numbers, so that comparing is enough, in a quarter of the time of min and max
		for axis, v := range p {
			if v < lo[axis] {
				lo[axis] = v
			} else if v > hi[axis] {
				hi[axis] = v
			}
		}
	}
	return lo, hi
}

// scale returns a function from points to pixels of an image with a margin: the full range of each axis is stretched
// to it. (The published code subtracts the minimum only where it is negative; as the orbit begins at the origin the
// range nearly always has it inside, and where it has not this is the same but for the position.)
func (k *fractalDB) scale(side int) func(p [2]float64) (x, y int) {
	lo, hi := k.span()
	inner := float64(side - 2*dbMargin)
	kx, ky := inner/max(hi[0]-lo[0], 1e-12), inner/max(hi[1]-lo[1], 1e-12)
	return func(p [2]float64) (x, y int) {
		return dbMargin + int(float64((p[0]-lo[0])*kx)), dbMargin + int(float64((p[1]-lo[1])*ky))
	}
}

// rate returns the filling rate of a system: the share of the pixels of the search's image that a point falls on.
// Points of systems that do not contract run away before they fill anything.
func (k *fractalDB) rate(maps []affine, seq *rng.Rand) float64 {
	k.iterate(maps, dbSearch, seq)
	if len(k.points) < dbSearch {
		return 0
	}
	if k.filled == nil {
		k.filled = make([]bool, dbSearchPx*dbSearchPx)
	}
	clear(k.filled)
	at := k.scale(dbSearchPx)
	n := 0
	for _, p := range k.points {
		x, y := at(p)
		if f := &k.filled[y*dbSearchPx+x]; !*f {
			*f = true
			n++
		}
	}
	return float64(n) / (dbSearchPx * dbSearchPx)
}

// draw paints points or patches: for every point a new 3x3 mask is drawn, not empty, and pasted, zeros too, with its
// top left corner one pixel right of and below the point.
func (k *fractalDB) draw(dst *raster.Image, patch bool, flip int, r *rng.Rand) {
	side := dst.W
	if cap(k.tally) < side*side {
		k.tally = make([]uint8, side*side)
	}
	tally := k.tally[:side*side]
	clear(tally)
	at := k.scale(side)
	for i, p := range k.points {
		x, y := at(p)
		value := uint8(1 + i%128)
		if !patch {
			tally[y*side+x] = value
			continue
		}
		mask := 1 + r.IntN(511)
		for b := range 9 {
			v := value
			if mask>>b&1 == 0 {
				v = 0
			}
			tally[(y+1+b/3)*side+x+1+b%3] = v
		}
	}
	k.colors()
	for i, v := range tally {
		x, y := i%side, side-1-i/side // the published image is upside down to its array
		if flip&1 != 0 {
			x = side - 1 - x
		}
		if flip&2 != 0 {
			y = side - 1 - y
		}
		var c rgb
		if v > 0 {
			c = k.pal[v-1]
		}
		store(dst.Pix[4*(y*side+x):][:4], c)
	}
}

// colors sets what a point is painted with by its number modulo 128: gray, or the hue that goes round the circle of
// the HSI model at saturation and intensity 3/4.
func (k *fractalDB) colors() {
	for i := range k.pal {
		k.pal[i] = rgb{dbGray / 255., dbGray / 255., dbGray / 255.}
		if k.color {
			k.pal[i] = hsi(float64(i)/128, 0.75, 0.75)
		}
	}
}

// published is the side at which FractalDB's images are painted: the multiple of the requested side that is nearest
// to 362.
func published(side int) int { return side * max(1, (2*dbRender+side)/(2*side)) }
