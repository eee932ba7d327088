package frost

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

const orders = 3 // generations of branches: stem, barb and barbule

// habit says how the crystals of a kind branch. Lengths are in pixels, angles in radians; arrays go by the order of the
// branch, the stem being 0.
type habit struct {
	pace    [orders]float64 // growth a round; a barb that grows slower than its stem gives a pointed leaf
	spacing [orders]float64 // along a branch from one pair of side branches to the next; 0 for none
	reach   [orders]float64 // longest
	taper   [orders]float64 // reach over the way that the parent still has to go; 0 for no such bound
	radius  [orders]float64 // half-thickness at the root
	tall    [orders]float64 // height of the ridge
	angle   float64         // between a branch and its side branches
	spread  float64         // the half-range of the angle, crystal by crystal
	uneven  float64         // relative half-range of spacing and reach, branch by branch
	bend    float64         // turn a pixel of side branches, towards the tip of their parent
	gap     float64         // distance at which a branch stops before another one
	rough   float64         // how far grains lie off the branch, in pixels, and how much their size differs
	oneSide float64         // probability that the pair lacks the branch on the inner side of a curved stem
}

// tip is the growing end of a branch.
type tip struct {
	x, y, dx, dy float64
	turnC, turnS float64 // cosine and sine of the turn a pixel
	sideC, sideS float64 // of the angle of the side branches
	debt         float64 // growth saved up for the next pixel
	left, next   float64 // way to go: to the end, to the next side branches
	id, parent   int32
	order        int
	free         int // pixels to go before it minds obstacles, so as to leave its root
}

// node is one pixel of growth: where, how far from the root of its branch, and which branch.
type node struct {
	x, y, at float32
	branch   int32
}

type branch struct {
	length float32
	shade  float32 // about 0…1: how much of the light it sends to the eye
	own    float32 // the same of the crystal it belongs to
	size   float32 // factor to the radius of the habit
	order  int
}

// garden is a pane on which crystals grow at the same time and stop where they meet: a front-tracking model of
// dendrites that compete for vapour.
type garden struct {
	habit
	w, h     int
	ids      []int32 // the branch, from 1, that occupies the pixel; 0 for none
	branches []branch
	nodes    []node
	tips     []tip
	born     []tip
	lightX   float64 // direction across which branches shine most
	lightY   float64
	r        *rng.Rand
}

func newGarden(w, h int, b habit, r *rng.Rand) *garden {
	a := r.Uniform(0, 2*math.Pi)
	return &garden{
		habit: b, w: w, h: h, ids: make([]int32, w*h), r: r,
		branches: make([]branch, 1, w*h/20), nodes: make([]node, 0, w*h/2),
		lightX: detmath.Cos(a), lightY: detmath.Sin(a),
	}
}

// rotate returns (x, y) turned by the angle with the given cosine and sine.
func rotate(x, y, c, s float64) (float64, float64) {
	return float64(x*c) - float64(y*s), float64(x*s) + float64(y*c)
}

// vary returns v times a uniform number in [1-u, 1+u).
func (g *garden) vary(v, u float64) float64 { return float64(v * g.r.Uniform(1-u, 1+u)) }

// plant starts a stem at (x, y) in the direction of angle, with at most the given length, turning by turn a pixel.
func (g *garden) plant(x, y, angle, length, turn, size float64) {
	side := g.angle + g.r.Uniform(-g.spread, g.spread)
	t := tip{
		x: x, y: y, dx: detmath.Cos(angle), dy: detmath.Sin(angle),
		turnC: detmath.Cos(turn), turnS: detmath.Sin(turn), sideC: detmath.Cos(side), sideS: detmath.Sin(side),
		left: length, next: float64(g.spacing[0] * g.r.Uniform(.5, 1.2)), free: 3,
	}
	g.add(t, float32(size))
}

// add gives t its branch and lets it grow from the next round on.
func (g *garden) add(t tip, size float32) {
	t.id = int32(len(g.branches))
	across := float64(t.dx*g.lightY) - float64(t.dy*g.lightX)
	shade := float64(.5 * (1 + across)) // its face is turned to the light or away from it
	shade = float64(shade*shade) + g.r.Uniform(-.1, .1)
	own := g.r.Float64()
	if t.order > 0 { // a part of the shine belongs to the crystal as a whole
		own = float64(g.branches[t.parent].own)
	} else {
		own = float64(float64(own*own) * own)
	}
	shade = float64(.45*shade) + float64(.55*own)
	g.branches = append(g.branches, branch{shade: float32(shade), own: float32(own), size: size, order: t.order})
	g.born = append(g.born, t)
}

// taken returns the branch at (x, y), or 0.
func (g *garden) taken(x, y float64) int32 {
	i, j := int(math.Floor(x)), int(math.Floor(y))
	if i < 0 || j < 0 || i >= g.w || j >= g.h {
		return 0
	}
	return g.ids[j*g.w+i]
}

// grow lets all tips grow until none is left, or for the given number of rounds.
func (g *garden) grow(rounds int) {
	for ; rounds > 0 && len(g.tips)+len(g.born) > 0; rounds-- {
		g.tips = append(g.tips, g.born...)
		g.born = g.born[:0]
		kept := 0
		for i := range g.tips {
			t := &g.tips[i]
			alive := true
			for t.debt += g.pace[t.order]; t.debt >= 1 && alive; t.debt-- {
				alive = g.advance(t)
			}
			if !alive {
				continue
			}
			if kept != i {
				g.tips[kept] = *t
			}
			kept++
		}
		g.tips = g.tips[:kept]
	}
}

// advance moves t by a pixel. It returns false if the branch ends there.
func (g *garden) advance(t *tip) bool {
	t.dx, t.dy = rotate(t.dx, t.dy, t.turnC, t.turnS)
	t.x += t.dx
	t.y += t.dy
	if t.x < -8 || t.y < -8 || t.x >= float64(g.w+8) || t.y >= float64(g.h+8) {
		return false
	}
	if t.free > 0 {
		t.free--
	} else if g.blocked(t) {
		return false
	}
	if i, j := int(math.Floor(t.x)), int(math.Floor(t.y)); i >= 0 && j >= 0 && i < g.w && j < g.h {
		if id := &g.ids[j*g.w+i]; *id == 0 {
			*id = t.id
		}
	}
	b := &g.branches[t.id]
	b.length++
	g.nodes = append(g.nodes, node{float32(t.x), float32(t.y), b.length, t.id})
	t.left--
	if t.next--; t.next <= 0 && t.order+1 < orders && g.spacing[t.order] > 0 {
		t.next += g.vary(g.spacing[t.order], g.uneven)
		g.sides(t)
	}
	return t.left > 0
}

// blocked reports whether another branch lies ahead of t, at the gap or beside it.
func (g *garden) blocked(t *tip) bool {
	gap := g.gap
	if t.order > 1 {
		gap = 1.5
	}
	mine := func(id int32) bool { return id == 0 || id == t.id || id == t.parent }
	x, y := t.x+float64(t.dx*gap), t.y+float64(t.dy*gap)
	if !mine(g.taken(x, y)) || !mine(g.taken(t.x+t.dx, t.y+t.dy)) {
		return true
	}
	if t.order > 0 {
		return false
	}
	x, y = t.x+t.dx, t.y+t.dy
	return !mine(g.taken(x-t.dy, y+t.dx)) || !mine(g.taken(x+t.dy, y-t.dx))
}

// sides starts the two side branches of t where it stands.
func (g *garden) sides(t *tip) {
	o := t.order + 1
	for _, side := range [2]float64{1, -1} {
		if g.oneSide > 0 && o == 1 && float64(t.turnS*side) > 0 && g.r.Float64() < g.oneSide {
			continue
		}
		reach := g.reach[o]
		if g.taper[o] > 0 {
			reach = min(reach, 2+float64(g.taper[o]*t.left))
		}
		c := tip{x: t.x, y: t.y, order: o, parent: t.id, free: 2, sideC: t.sideC, sideS: t.sideS}
		c.left = g.vary(reach, g.uneven)
		c.dx, c.dy = rotate(t.dx, t.dy, t.sideC, float64(side*t.sideS))
		bend := float64(-side*g.bend) + float64(t.turnS*.6)
		c.turnS = bend
		c.turnC = math.Sqrt(1 - float64(bend*bend))
		c.next = float64(g.spacing[o] * g.r.Uniform(.6, 1.4))
		g.add(c, g.branches[t.id].size)
	}
}

// raise draws all branches as ridges into height, the highest winning, and the winner's shade into shade. The ridges
// are beaded: frost is an aggregate of grains.
func (g *garden) raise(height, shade *plane) {
	salt := g.r.Uint64()
	for i, n := range g.nodes {
		b := &g.branches[n.branch]
		along := min(n.at/max(b.length, 4), 1)
		thin := float32(math.Sqrt(float64(1 - float32(.85*along))))
		bead := hash(salt + uint64(i))
		x := n.x + float32(float32(g.rough)*fraction(bead))
		y := n.y + float32(float32(g.rough)*fraction(bead>>16))
		thick := b.size * thin * (1 + float32(float32(.8*float32(g.rough))*fraction(bead>>32)))
		ridge(height, shade, x, y, float32(float32(g.radius[b.order])*thick)+.7,
			float32(g.tall[b.order])*(.45+float32(.55*thin)), b.shade)
	}
}

// hash mixes the bits of a counter: the finalizer of SplitMix64.
func hash(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// fraction turns the low 16 bits into a number in [-1, 1).
func fraction(v uint64) float32 { return float32(int16(v)) * (1. / 32768) }

// ridge draws a round bump of the given radius and height; where it is the highest so far it also leaves its shade.
func ridge(height, shade *plane, x, y, radius, tall, tone float32) {
	x0, x1 := max(int(x-radius), 0), min(int(x+radius)+1, height.w-1)
	y0, y1 := max(int(y-radius), 0), min(int(y+radius)+1, height.h-1)
	if x0 > x1 {
		return
	}
	inv := tall / (radius * radius)
	for j := y0; j <= y1; j++ {
		dy := float32(j) + .5 - y
		top := tall - float32(inv*float32(dy*dy))
		if top <= 0 {
			continue
		}
		a, b := height.row(j)[x0:x1+1], shade.row(j)[x0:x1+1]
		dx := float32(x0) + .5 - x
		for i, old := range a {
			if v := top - float32(inv*float32(dx*dx)); v > old {
				a[i], b[i] = v, tone
			}
			dx++
		}
	}
}
